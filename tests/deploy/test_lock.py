"""The lock: a hub gets the files that it names, and no others.

Libraries are tiny and made here; pip finds them in a folder, as it would find others in an index.
"""

import hashlib
import importlib.util
import io
import os
import platform
import re
import sys
import tarfile
import zipfile
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.deploy.conftest import (
    CONFIG_TXT,
    REPOSITORY,
    copy,
    install,
    lock_to,
    needs_root,
    offline,
)

MACHINE = f"python{sys.version_info[0]}.{sys.version_info[1]}-{platform.machine()}"


class Library(NamedTuple):
    """A library's file, and the parts of the program that need it."""

    path: Path
    parts: str

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.path.read_bytes()).hexdigest()

    def entry(self) -> str:
        name, version = re.match(r"(\w+)-([\d.]+?)(?:-|\.tar)", self.path.name).groups()
        return f"# for {self.parts}\n{name}=={version} \\\n    --hash=sha256:{self.sha256}\n"


class Shop:
    """A release whose lock names libraries of this folder."""

    def __init__(self, folder: Path, release: Path, python: Path) -> None:
        self.wheels = folder / "wheels"
        self.wheels.mkdir()
        self.release = copy(release, folder / "release", "--link")
        self.env = {**offline(), "PYTHON": str(python), "PIP_FIND_LINKS": str(self.wheels)}

    def wheel(self, name: str, parts: str, text: str = "", needs: str = "") -> Library:
        """A library of one module."""
        path = self.wheels / f"{name}-1.0-py3-none-any.whl"
        about = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
        info = f"{name}-1.0.dist-info"
        with zipfile.ZipFile(path, "w") as file:
            file.writestr(f"{name}.py", text)
            file.writestr(
                f"{info}/METADATA", about + (f"Requires-Dist: {needs}\n" if needs else "")
            )
            file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
            file.writestr(f"{info}/RECORD", "")
        return Library(path, parts)

    def source(self, name: str, parts: str, builder: str) -> Library:
        """A library that must be built, with another one."""
        path = self.wheels / f"{name}-1.0.tar.gz"
        text = f'[build-system]\nrequires = ["{builder}"]\nbuild-backend = "{builder}"\n'
        files = {
            "pyproject.toml": text,
            "PKG-INFO": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        }
        with tarfile.open(path, "w:gz") as tar:
            for inside, content in files.items():
                entry = tarfile.TarInfo(f"{name}-1.0/{inside}")
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content.encode()))
        return Library(path, parts)

    def lock(self, *libraries: Library, machine: str = MACHINE) -> None:
        lock_to(
            self.release, "\n".join([f"# machine {machine}\n", *(e.entry() for e in libraries)])
        )

    def install(self, root: Path, *arguments: str):
        return install(self.release, "--root", root, *arguments, env=self.env)


@pytest.fixture
def shop(tmp_path, release, quick_python):
    return Shop(tmp_path, release, quick_python)


def modules(root: Path) -> dict[str, str]:
    """The tiny libraries of the only version below a root, with their content."""
    (version,) = (root / "opt/centerpiece/versions").iterdir()
    return {path.stem: path.read_text() for path in version.glob("lib/*/site-packages/tiny_*.py")}


@needs_root
def test_a_hub_gets_the_files_that_the_lock_names_for_it(card, shop):
    """The program's own and those of its extras, byte for byte; not those of other hubs."""
    shop.lock(
        shop.wheel("tiny_core", "centerpiece pi", "core = 1"),
        shop.wheel("tiny_hall", "hall", "hall = 1"),
        shop.wheel("tiny_pixels", "pi pi-ws281x", "pixels = 1"),
    )

    done = shop.install(card, "--hardware", "sim", "--beside")

    assert ("", 0) == (done.stderr, done.returncode)
    assert {"tiny_core": "core = 1", "tiny_hall": "hall = 1"} == modules(card)


@needs_root
def test_a_hub_that_was_tried_without_hardware_gets_the_libraries_of_its_hardware(card, shop):
    """The same archive again, now for the buttons and lights: another version, complete."""
    shop.lock(
        shop.wheel("tiny_core", "centerpiece", "core = 1"),
        shop.wheel("tiny_pixels", "pi pi-ws281x", "pixels = 1"),
    )

    shop.install(card, "--hardware", "sim")
    done = shop.install(card)

    assert ("", 0) == (done.stderr, done.returncode)
    home = card / "opt/centerpiece" / (card / "opt/centerpiece/current").readlink()
    assert {"tiny_core", "tiny_pixels"} == {
        path.stem for path in home.glob("lib/*/site-packages/tiny_*.py")
    }


@needs_root
def test_another_file_of_the_same_name_and_version_is_refused(installed, shop):
    """It says which file, what was expected and what came; the hub stays as it is."""
    programs = installed / "opt/centerpiece"
    before = (os.readlink(programs / "current"), sorted((programs / "versions").iterdir()))
    known = shop.wheel("tiny_core", "centerpiece", "known = 1")
    shop.lock(known)
    expected = known.sha256
    altered = shop.wheel("tiny_core", "centerpiece", "altered = 1")

    done = shop.install(installed, "--hardware", "sim")

    assert 2 == done.returncode
    (sentence,) = done.stderr.splitlines()
    assert sentence.startswith(
        "centerpiece: tiny_core==1.0 is not the file that this release knows: "
        f"its sha256 must be {expected}, and {altered.sha256} came; nothing was switched over."
    )
    assert "do not install it" in sentence
    after = (os.readlink(programs / "current"), sorted((programs / "versions").iterdir()))
    assert before == after


@needs_root
def test_a_library_that_the_lock_does_not_name_is_not_fetched(card, shop):
    """Even if a locked one asks for it, and pip could have it."""
    shop.wheel("tiny_stranger", "")
    shop.lock(shop.wheel("tiny_core", "centerpiece", needs="tiny_stranger"))

    done = shop.install(card, "--hardware", "sim", "--beside")

    assert ("", 0) == (done.stderr, done.returncode)
    assert {"tiny_core"} == modules(card).keys()


@needs_root
def test_nothing_unknown_is_run_to_build_a_library(card, shop, tmp_path):
    """A source names a builder that the lock does not: neither is used, and nothing is left."""
    ran = tmp_path / "ran"
    shop.wheel("tiny_builder", "", f"open({str(ran)!r}, 'w')")
    shop.lock(
        shop.wheel("tiny_core", "build centerpiece"),
        shop.source("tiny_pixels", "pi-ws281x", "tiny_builder"),
    )

    done = shop.install(card)

    assert 2 == done.returncode
    assert "could not be installed; nothing was switched over" in done.stderr
    assert not ran.exists()
    assert [] == list((card / "opt/centerpiece/versions").iterdir())
    assert CONFIG_TXT == (card / "boot/firmware/config.txt").read_text()


@needs_root
def test_a_machine_without_hashes_gets_pinned_versions_and_is_told(card, shop):
    """Only there: the libraries come by the constraints, and the installer says so."""
    shop.lock(shop.wheel("tiny_core", "centerpiece"), machine="python3.11-armv7l")

    done = shop.install(card, "--hardware", "sim", "--beside")

    assert ("", 0) == (done.stderr, done.returncode)
    note = f"note: no hashes are known for this machine ({MACHINE}); its libraries are"
    assert f"{note} pinned by their versions only\n" in done.stdout
    assert {} == modules(card)


@needs_root
def test_without_a_lock_nothing_is_installed(card, shop):
    """A lock that was lost is no reason to install without one."""
    (shop.release / "requirements.lock").unlink()

    done = shop.install(card, "--hardware", "sim")

    assert 2 == done.returncode
    assert "requirements.lock is missing" in done.stderr


# The real lock


def tool():
    """tools/lock.py."""
    spec = importlib.util.spec_from_file_location("lock", REPOSITORY / "tools/lock.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


LOCK = tool()
HEAD, *ENTRIES = (REPOSITORY / "requirements.lock").read_text().split("\n\n")


def locked(part: str, target) -> set[str]:
    """What the lock has for a part on a machine."""
    found = set()
    for parts, line in (entry.splitlines()[:2] for entry in ENTRIES):
        requirement = Requirement(line.rstrip("\\"))
        if part in parts.split()[2:] and target.needs(requirement):
            found.add(canonicalize_name(requirement.name))
    return found


def known_packages():
    """What the libraries here say that they need; those that only a Pi has need no others."""
    names = {canonicalize_name(each.name) for each in metadata.distributions()}
    return {
        name: LOCK.Package("", "", tuple(metadata.requires(name) or ()) if name in names else ())
        for name in {*names, *(re.search(r"\n([\w-]+)==", f"\n{e}")[1] for e in ENTRIES)}
    }


def test_it_is_for_every_machine_that_a_hub_may_be():
    """64-bit ARM and PC, and each Python that Debian had since bookworm."""
    expected = [
        f"python{python}-{machine}"
        for machine in ("aarch64", "x86_64")
        for python in ("3.11", "3.12", "3.13")
    ]

    assert expected == re.findall(r"^# machine (\S+)$", HEAD, re.MULTILINE)


@pytest.mark.parametrize("target", LOCK.TARGETS, ids=lambda target: target.name)
@pytest.mark.parametrize("part", LOCK.asked())
def test_it_has_what_each_part_needs_on_each_machine(part, target):
    """All that is asked for, with all that that asks for in turn, and nothing else."""
    known = known_packages()
    needed = LOCK.closure(target, LOCK.asked()[part], known)

    assert needed == locked(part, target)


def test_it_knows_every_extra_that_the_installer_asks_for():
    """And the installer asks for every one that the lock knows."""
    script = (REPOSITORY / "deploy/install.sh").read_text()
    asked = re.findall(r"^        say ([\w,-]+)$", script, re.MULTILINE)

    assert set(LOCK.EXTRAS) == {extra for each in asked for extra in each.split(",")}


def test_an_old_python_3_11_gets_what_the_newest_does_not_need():
    """Debian 12 has Python 3.11.2; what pip would leave out here is needed there."""
    assert {
        target.name for target in LOCK.TARGETS if "async-timeout" in locked("hall", target)
    } == {"python3.11-aarch64", "python3.11-x86_64"}
