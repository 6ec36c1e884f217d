"""Writes requirements.lock: every file that may be installed on a hub, with its hash.

    python tools/lock.py            (needs a package index; run it after constraints.txt changed)

`pyproject.toml` says what is needed and `constraints.txt` in which version; this asks pip, for each
kind of machine, which files those are. Each entry names the parts of pyproject.toml that need it,
so that `deploy/install.sh` can take a hub's own, and cannot be given anything else.

No address is written down: where the files come from is pip's business, and does not matter.
"""

import json
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = ("hall", "pi", "pi-ws281x", "pi-pio")
# Published as source only; built on the hub, with nothing but what the part "build" locks.
SOURCE = "rpi-ws281x"
# Published for the machines that it is for, and for no other.
ONLY = {"adafruit-blinka-raspberry-pi5-neopixel": "aarch64"}
# Up to that of the oldest system, Debian 12.
GLIBC = ("2_17", "2_24", "2_28", "2_31", "2_34", "2_35", "2_36")
HEAD = """\
# Every file that may be installed on a hub, by its hash. Written by tools/lock.py from
# pyproject.toml and constraints.txt; do not edit. Above each entry are the parts of pyproject.toml
# that need it: the program itself (centerpiece), one of its extras, or what it is built with.
# deploy/install.sh takes those of a hub, on these machines:
"""


class Target(NamedTuple):
    """A kind of machine that a hub may be."""

    python: str
    machine: str

    @property
    def name(self) -> str:
        return f"python{self.python}-{self.machine}"

    def platforms(self) -> list[str]:
        names = [f"manylinux_{glibc}_{self.machine}" for glibc in GLIBC]
        return [*names, f"manylinux2014_{self.machine}", f"linux_{self.machine}"]

    def needs(self, requirement: Requirement) -> bool:
        """Whether this machine needs it, with the oldest or the newest release of its Python."""
        if ONLY.get(canonicalize_name(requirement.name), self.machine) != self.machine:
            return False
        known = {"python_version": self.python, "platform_machine": self.machine, "extra": ""}
        known |= {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"}
        releases = (f"{self.python}.{patch}" for patch in (0, 99))
        return requirement.marker is None or any(
            requirement.marker.evaluate({**known, "python_full_version": each}) for each in releases
        )


class Package(NamedTuple):
    """A package as one machine gets it: its version, its file's hash, what it needs in turn."""

    version: str
    sha256: str
    requires: tuple[str, ...]


TARGETS = tuple(
    Target(python, machine)
    for machine in ("aarch64", "x86_64")
    for python in ("3.11", "3.12", "3.13")
)


def main() -> int:
    parts: dict[str, set[str]] = defaultdict(set)
    where: dict[str, set[Target]] = defaultdict(set)
    files: dict[str, set[str]] = defaultdict(set)
    for target in TARGETS:
        print(target.name, file=sys.stderr)
        known: dict[str, Package] = {}
        for part, requirements in asked().items():
            for name in closure(target, requirements, known):
                pinned = f"{name}=={known[name].version}"
                parts[pinned].add(part)
                where[pinned].add(target)
                files[pinned].add(known[name].sha256)
    machines = "".join(f"# machine {target.name}\n" for target in TARGETS)
    entries = "".join(entry(each, parts[each], where[each], files[each]) for each in sorted(files))
    (ROOT / "requirements.lock").write_text(HEAD + machines + entries, "utf-8")
    return 0


def entry(pinned: str, parts: set[str], where: set[Target], hashes: set[str]) -> str:
    """One package: the parts that need it, on which machines, and the files it may come in."""
    listed = "".join(f" \\\n    --hash=sha256:{each}" for each in sorted(hashes))
    return f"\n# for {' '.join(sorted(parts))}\n{pinned}{_marker(where)}{listed}\n"


def _marker(targets: set[Target]) -> str:
    if targets == set(TARGETS):
        return ""
    either = " or ".join(
        f"(python_version == '{target.python}' and platform_machine == '{target.machine}')"
        for target in sorted(targets)
    )
    return f" ; {either}"


def asked() -> dict[str, list[str]]:
    """What each part of pyproject.toml asks for."""
    with open(ROOT / "pyproject.toml", "rb") as file:
        read = tomllib.load(file)
    return {
        "build": read["build-system"]["requires"],
        "centerpiece": read["project"]["dependencies"],
        **{extra: read["project"]["optional-dependencies"][extra] for extra in EXTRAS},
    }


def closure(target: Target, asked: Iterable[str], known: dict[str, Package]) -> set[str]:
    """All that these need on such a machine; what was learnt about each is added to `known`.

    pip itself would judge conditions by the machine that it runs on, not by the target.
    """
    found: set[str] = set()
    while (
        new := {
            canonicalize_name(each.name) for each in map(Requirement, asked) if target.needs(each)
        }
        - found
    ):
        found |= new
        known |= fetched(target, new - known.keys())
        asked = [each for name in new for each in known[name].requires]
    return found


def fetched(target: Target, names: set[str]) -> dict[str, Package]:
    """The files of these packages for such a machine, in the versions that are pinned."""
    if not names:
        return {}
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        command = [
            *(sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"),
            *("--dry-run", "--ignore-installed", "--report", str(report), "--target", scratch),
            *("--no-deps", "--only-binary=:all:", f"--no-binary={SOURCE}"),
            # Versions are pinned; pip would hold this Python against files for another one.
            *("--ignore-requires-python", "--python-version", target.python),
            *(word for name in target.platforms() for word in ("--platform", name)),
            *pins(names),
        ]
        subprocess.run(command, check=True)
        listed = json.loads(report.read_text("utf-8"))["install"]
    return {
        canonicalize_name(each["metadata"]["name"]): Package(
            each["metadata"]["version"],
            each["download_info"]["archive_info"]["hashes"]["sha256"],
            tuple(each["metadata"].get("requires_dist", ())),
        )
        for each in listed
    }


def pins(names: set[str]) -> list[str]:
    """These packages as constraints.txt pins them."""
    lines = map(Requirement, (ROOT / "constraints.txt").read_text("utf-8").split())
    found = {canonicalize_name(each.name): str(each) for each in lines}
    if missing := names - found.keys():
        sys.exit(f"lock: constraints.txt must pin {', '.join(sorted(missing))} too; add a version")
    return [found[name] for name in sorted(names)]


if __name__ == "__main__":
    sys.exit(main())
