"""Collect the libraries that a release carries, so that a hub needs no network: `make wheels`.

    python tools/wheels.py FOLDER [--root 3.13=DIR …]

Everything that requirements.lock names for a Pi is fetched as a wheel, for 64-bit ARM and the
Pythons of Raspberry Pi OS, and only by its hash. What is published as source alone is built in an
arm64 root of that Python (`tools/arm64_root.sh` makes one), with nothing but what the lock names to
build with. The file `machines` is written last: it says for which machines the folder is complete.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from lock_requirements import SOURCE
from packaging.markers import Marker

ROOT = Path(__file__).resolve().parent.parent
ARCHITECTURE = "aarch64"
PYTHONS = ("3.11", "3.13")
"""Of Debian 12 and 13."""
PARTS = {"centerpiece", "hall", "pi", "pi-ws281x", "pi-pio"}
OLDEST_GLIBC, NEWEST_GLIBC = 17, 36
"""The second number after 2: what wheels may ask for on Debian 12."""
MACHINES = "machines"
_ENTRY = re.compile(r"^(?P<pin>[\w-]+==\S+)(?: ; (?P<marker>.+?))? \\$", re.MULTILINE)


class WheelEntry(NamedTuple):
    """An entry of the lock."""

    parts: frozenset[str]
    pin: str
    marker: str
    hashes: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.pin.partition("==")[0]

    def needed(self, python: str) -> bool:
        """Return whether any release of this Python needs it on a Pi."""
        known = {"python_version": python, "platform_machine": ARCHITECTURE, "extra": ""}
        known |= {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"}
        releases = (f"{python}.{patch}" for patch in (0, 99))
        return not self.marker or any(
            Marker(self.marker).evaluate({**known, "python_full_version": each})
            for each in releases
        )

    def line(self) -> str:
        """Return the line for pip, without the condition, which concerns another machine."""
        return " ".join((self.pin, *(f"--hash=sha256:{each}" for each in self.hashes))) + "\n"


def entries(lock: str) -> Iterator[WheelEntry]:
    """Yield the entries of a lock."""
    for block in lock.split("\n\n")[1:]:
        found = _ENTRY.search(block)
        assert found, block
        parts = frozenset(block.partition("\n")[0].split()[2:])
        hashes = tuple(re.findall(r"sha256:([0-9a-f]{64})", block))
        yield WheelEntry(parts, found["pin"], found["marker"] or "", hashes)


def main() -> int:
    parser = argparse.ArgumentParser(description="Collect the libraries that a release carries.")
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--root", action="append", default=[], metavar="PYTHON=DIR", help="an arm64 system"
    )
    options = parser.parse_args()
    roots = dict(each.split("=", 1) for each in options.root)
    known = list(entries((ROOT / "requirements.lock").read_text("utf-8")))
    options.folder.mkdir(parents=True, exist_ok=True)
    (options.folder / MACHINES).unlink(missing_ok=True)
    for python in PYTHONS:
        collect(known, python, Path(roots[python]) if python in roots else None, options.folder)
    (options.folder / MACHINES).write_text("".join(f"python{p}-{ARCHITECTURE}\n" for p in PYTHONS))
    return 0


def collect(known: Sequence[WheelEntry], python: str, root: Path | None, folder: Path) -> None:
    """Collect all wheels that a Pi with this Python may need."""
    libraries = [each for each in known if each.parts & PARTS and each.needed(python)]
    download([each for each in libraries if each.name != SOURCE], python, folder)
    for each in libraries:
        if each.name == SOURCE and not built(folder, each, python):
            if root is None:
                raise SystemExit(
                    f"wheels: {each.pin} is published as source only; give the root of an arm64 "
                    f"system with Python {python} to build it in: --root {python}=DIR"
                )
            build(each, [e for e in known if "build" in e.parts], root, folder)


def built(folder: Path, entry: WheelEntry, python: str) -> bool:
    """Return whether an earlier run has built it."""
    stem = entry.pin.replace("-", "_").replace("==", "-")
    return any(folder.glob(f"{stem}-cp{python.replace('.', '')}-*_{ARCHITECTURE}.whl"))


def download(libraries: Sequence[WheelEntry], python: str, folder: Path) -> None:
    """Download the wheels of a Pi with this Python, on any machine, by their hashes."""
    fitting = [f"manylinux_2_{n}" for n in range(OLDEST_GLIBC, NEWEST_GLIBC + 1)]
    platforms = [f"{each}_{ARCHITECTURE}" for each in (*fitting, "manylinux2014", "linux")]
    how = ("--python-version", python, "--implementation", "cp", "--only-binary=:all:")
    _pip(libraries, folder, *how, *(word for each in platforms for word in ("--platform", each)))


def _pip(libraries: Sequence[WheelEntry], folder: Path, *how: str) -> None:
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as listed:
        listed.write("".join(each.line() for each in libraries))
        listed.flush()
        quiet = ("-q", "--disable-pip-version-check", "--no-deps", "--require-hashes")
        command = (sys.executable, "-m", "pip", "download", *quiet, *how)
        subprocess.run((*command, "-d", str(folder), "-r", listed.name), check=True)


def build(entry: WheelEntry, tools: Sequence[WheelEntry], root: Path, folder: Path) -> None:
    """Build a wheel in an arm64 root, without a network."""
    inside = root / "tmp/wheels"
    shutil.rmtree(inside, ignore_errors=True)
    inside.mkdir(parents=True)
    _pip(tools, inside, "--only-binary=:all:")
    _pip([entry], inside, "--no-binary=:all:", "--no-build-isolation")
    script = """
        set -e
        cd /tmp/wheels && python3 -m venv made && pip=made/bin/pip
        $pip install -q --no-index --no-deps *.whl
        $pip wheel -q --no-index --no-deps --no-build-isolation -w out ./*.tar.gz
    """
    subprocess.run(
        ("chroot", str(root), "/bin/sh", "-c", script),
        check=True,
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}
        | {"SOURCE_DATE_EPOCH": os.environ.get("SOURCE_DATE_EPOCH", "1767225600")},
    )
    for wheel in (inside / "out").glob("*.whl"):
        shutil.copy(wheel, folder)


if __name__ == "__main__":
    sys.exit(main())
