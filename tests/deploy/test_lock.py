"""The lock: a hub gets the files that are in it, and no others.

Libraries are tiny and made here; pip finds them in a folder, as it would find others in an index.
"""

import contextlib
import hashlib
import io
import os
import platform
import re
import runpy
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterable
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
    sha256: str

    def entry(self) -> str:
        name, version = re.match(r"(\w+)-([\d.]+?)(?:-|\.tar)", self.path.name).groups()
        return f"# for {self.parts}\n{name}=={version} \\\n    --hash=sha256:{self.sha256}\n"


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Shop:
    """A release whose lock names libraries of this folder."""

    def __init__(self, folder: Path, release: Path, python: Path) -> None:
        self.wheels = folder / "wheels"
        self.wheels.mkdir()
        self.release = copy(release, folder / "release", "--link")
        self.env = {**offline(), "PYTHON": str(python), "PIP_FIND_LINKS": str(self.wheels)}

    def wheel(self, name: str, parts: str, text: str = "", needs: str = "") -> Library:
        """Build a library of one module."""
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
        return Library(path, parts, sha256(path))

    def source(self, name: str, parts: str, builder: str) -> Library:
        """Make the source of a library that needs another one to build."""
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
        return Library(path, parts, sha256(path))

    def lock(self, *libraries: Library, machine: str = MACHINE, carried: str = "") -> None:
        """Put libraries into the lock, and those of `carried` machines into the release."""
        head = f"# machine {machine}\n" + (f"# wheels {carried}\n" if carried else "")
        if carried:
            self.wheels.rename(self.release / "wheels")
            del self.env["PIP_FIND_LINKS"]
        lock_to(self.release, "\n".join([head, *(e.entry() for e in libraries)]))

    def install(self, root: Path, *arguments: str):
        return install(self.release, "--root", root, *arguments, env=self.env)


@pytest.fixture
def shop(tmp_path, release, quick_python):
    return Shop(tmp_path, release, quick_python)


def modules(root: Path) -> dict[str, str]:
    """Return the tiny libraries of the only version below a root, with their content."""
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
    done = shop.install(card, "--hardware", "pi")

    assert ("", 0) == (done.stderr, done.returncode)
    home = card / "opt/centerpiece" / (card / "opt/centerpiece/current").readlink()
    assert {"tiny_core", "tiny_pixels"} == {
        path.stem for path in home.glob("lib/*/site-packages/tiny_*.py")
    }


@needs_root
def test_a_release_that_carries_its_libraries_needs_no_network(card, shop):
    """It says so and takes them from itself, whatever pip would find."""
    core = shop.wheel("tiny_core", "centerpiece", "core = 1")
    pixels = shop.wheel("tiny_pixels", "pi pi-ws281x", "pixels = 1")
    shop.lock(core, pixels, carried=MACHINE)

    done = shop.install(card, "--beside")

    assert ("", 0) == (done.stderr, done.returncode)
    assert "the archive has every library that is needed; no network is used\n" in done.stdout
    assert {"tiny_core": "core = 1", "tiny_pixels": "pixels = 1"} == modules(card)


@needs_root
def test_a_release_for_other_machines_says_so(card, shop):
    """Its libraries are downloaded; if that fails, the sentence names the archive's machines."""
    shop.lock(shop.wheel("tiny_core", "centerpiece"), carried="python3.11-tin")

    done = shop.install(card, "--beside")

    assert 2 == done.returncode
    assert f"It has libraries for python3.11-tin, and this is {MACHINE}." in done.stderr
    assert [] == list((card / "opt/centerpiece/versions").iterdir())


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
    """Neither a source whose builder is not in the lock, nor that builder, is used."""
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
    """Only there, by the constraints; and the installer says so."""
    shop.lock(shop.wheel("tiny_core", "centerpiece"), machine="python3.11-armv7l")

    done = shop.install(card, "--hardware", "sim", "--beside")

    assert ("", 0) == (done.stderr, done.returncode)
    note = f"note: no hashes are known for this machine ({MACHINE}); its libraries are"
    assert f"{note} pinned by their versions only\n" in done.stdout
    assert {} == modules(card)


@needs_root
def test_without_a_lock_nothing_is_installed(card, shop):
    (shop.release / "requirements.lock").unlink()

    done = shop.install(card, "--hardware", "sim")

    assert 2 == done.returncode
    assert "requirements.lock is missing" in done.stderr


# The real lock

LOCK = runpy.run_path(str(REPOSITORY / "tools/lock_requirements.py"))
HEAD, *ENTRIES = (REPOSITORY / "requirements.lock").read_text().split("\n\n")
LOCKED = {each.name: each for each in (Requirement(e.splitlines()[1][:-2]) for e in ENTRIES)}
PARTS = {
    name: entry.split("\n")[0].split()[2:] for name, entry in zip(LOCKED, ENTRIES, strict=True)
}


class Target(NamedTuple):
    """A kind of machine for a hub."""

    machine: str
    python: str

    def needs(self, asked: Requirement) -> bool:
        """Return whether a machine needs it, with the oldest or newest release of its Python."""
        known = {"python_version": self.python, "platform_machine": self.machine, "extra": ""}
        known |= {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"}
        releases = (f"{self.python}.{patch}" for patch in (0, 99))
        return asked.marker is None or any(
            asked.marker.evaluate({**known, "python_full_version": each}) for each in releases
        )

    def closure(self, asked: Iterable[str]) -> set[str]:
        """Return all requirements of these in turn, by the installed libraries' metadata."""
        found: set[str] = set()
        waiting = list(asked)
        while waiting:
            requirement = Requirement(waiting.pop())
            name = canonicalize_name(requirement.name)
            if self.needs(requirement) and name not in found:
                found.add(name)
                with contextlib.suppress(metadata.PackageNotFoundError):
                    waiting += metadata.requires(name) or ()
        return found


TARGETS = [Target(machine, python) for machine in LOCK["MACHINES"] for python in LOCK["PYTHONS"]]


def locked(part: str, target: Target) -> set[str]:
    """Return the libraries in the lock for a part on a machine."""
    return {name for name in LOCKED if part in PARTS[name] and target.needs(LOCKED[name])}


def asked() -> dict[str, list[str]]:
    """Return the requirements of each part of pyproject.toml."""
    read = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    extras = read["project"]["optional-dependencies"]
    return {
        "build": read["build-system"]["requires"],
        "centerpiece": read["project"]["dependencies"],
        **{extra: extras[extra] for extra in LOCK["EXTRAS"]},
    }


def test_it_is_for_every_machine_that_a_hub_may_be():
    """64-bit ARM and PC, and each Python that Debian had since bookworm."""
    expected = [
        f"python{python}-{machine}"
        for machine in ("aarch64", "x86_64")
        for python in ("3.11", "3.12", "3.13")
    ]

    assert expected == re.findall(r"^# machine (\S+)$", HEAD, re.MULTILINE)


def test_every_version_is_the_pinned_one_and_every_file_has_a_hash():
    """Without addresses, which pip knows."""
    pinned = map(Requirement, (REPOSITORY / "constraints.txt").read_text().split())
    versions = {canonicalize_name(each.name): str(each.specifier) for each in pinned}

    assert {name: versions[name] for name in LOCKED} == {
        name: str(each.specifier) for name, each in LOCKED.items()
    }
    for entry in ENTRIES:
        _, _, *hashes = entry.strip().splitlines()
        assert hashes
        assert all(re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}( \\)?", line) for line in hashes)


@pytest.mark.parametrize("target", TARGETS, ids="-".join)
@pytest.mark.parametrize("part", asked())
def test_it_has_what_each_part_needs_on_each_machine(part, target):
    """All requirements with their requirements in turn, and nothing else.

    What the program itself needs is not said again for its extras, for no hub is without it.
    """
    needed = target.closure(asked()[part])
    if part in LOCK["EXTRAS"]:
        needed -= locked("centerpiece", target) - locked(part, target)

    assert needed == locked(part, target)


def test_it_knows_every_extra_that_the_installer_asks_for():
    """And the installer asks for all in the lock."""
    script = (REPOSITORY / "deploy/install.sh").read_text()
    asked = re.findall(r"^        say ([\w,-]+)$", script, re.MULTILINE)

    assert set(LOCK["EXTRAS"]) == {extra for each in asked for extra in each.split(",")}


def test_an_old_python_3_11_gets_what_the_newest_does_not_need():
    """Debian 12 has Python 3.11.2; what pip would leave out here is needed there."""
    assert {"3.11"} == {
        target.python for target in TARGETS if "async-timeout" in locked("hall", target)
    }
