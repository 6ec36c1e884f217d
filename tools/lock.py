"""Writes requirements.lock: every file that a release may install, with its hash.

    python tools/lock.py            (needs a package index; run it after constraints.txt changed)

`constraints.txt` says which versions; this asks pip, for each kind of hub, which files those are.
An installer that uses it cannot be given anything else:

    pip install --require-hashes --no-deps -r requirements.lock
    pip install --no-deps centerpiece-*.whl

No address is written down: where the files come from is pip's business, and does not matter.
"""

import json
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = ("pi", "hall")
GLIBC = ("2_17", "2_24", "2_28", "2_31", "2_34", "2_35", "2_36", "2_39")
HEAD = """\
# Every file that a release may install on a hub, by its hash. Written by tools/lock.py from
# constraints.txt; do not edit. Use: pip install --require-hashes --no-deps -r requirements.lock
"""


class Target(NamedTuple):
    """A kind of machine that a hub may be."""

    python: str
    machine: str

    def platforms(self) -> list[str]:
        names = [f"manylinux_{glibc}_{self.machine}" for glibc in GLIBC]
        return [*names, f"manylinux2014_{self.machine}", f"linux_{self.machine}"]

    def environment(self) -> dict[str, str]:
        return {
            "python_version": self.python,
            "python_full_version": f"{self.python}.0",
            "platform_machine": self.machine,
            "sys_platform": "linux",
        }


TARGETS = tuple(
    Target(python, machine)
    for machine in ("aarch64", "x86_64")
    for python in ("3.11", "3.12", "3.13")
)


def main() -> int:
    files: dict[str, set[str]] = defaultdict(set)
    where: dict[str, set[Target]] = defaultdict(set)
    for target in TARGETS:
        print(f"Python {target.python} on {target.machine}", file=sys.stderr)
        for name, hashed in resolved(target):
            files[name].add(hashed)
            where[name].add(target)
    (ROOT / "requirements.lock").write_text(HEAD + "\n".join(entries(files, where)), "utf-8")
    return 0


def entries(files: dict[str, set[str]], where: dict[str, set[Target]]) -> list[str]:
    """One package after the other, its hashes below it."""
    found = []
    for name in sorted(files):
        hashes = "".join(f" \\\n    --hash=sha256:{each}" for each in sorted(files[name]))
        found.append(f"{name}{_marker(where[name])}{hashes}\n")
    return found


def _marker(targets: set[Target]) -> str:
    if targets == set(TARGETS):
        return ""
    either = " or ".join(
        f"(python_version == '{target.python}' and platform_machine == '{target.machine}')"
        for target in sorted(targets)
    )
    return f" ; {either}"


def wanted(target: Target) -> list[str]:
    """What pyproject.toml asks for on such a machine."""
    with open(ROOT / "pyproject.toml", "rb") as file:
        project = tomllib.load(file)["project"]
    asked = list(project["dependencies"])
    for extra in EXTRAS:
        asked += project["optional-dependencies"][extra]
    found = []
    for requirement in map(Requirement, asked):
        if requirement.marker is None or requirement.marker.evaluate(target.environment()):
            requirement.marker = None
            found.append(str(requirement))
    return found


def resolved(target: Target) -> list[tuple[str, str]]:
    """Every package that such a machine gets, and the hash of the file it comes in."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        command = [
            *(sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"),
            *("--dry-run", "--ignore-installed", "--report", str(report), "--target", scratch),
            # Versions are pinned; pip would hold this Python against files for another one.
            *("--only-binary=:all:", "--ignore-requires-python"),
            *("--python-version", target.python),
            *(word for name in target.platforms() for word in ("--platform", name)),
            *("-c", str(ROOT / "constraints.txt"), *wanted(target)),
        ]
        subprocess.run(command, check=True)
        listed = json.loads(report.read_text("utf-8"))["install"]
    return [
        (
            f"{canonicalize_name(each['metadata']['name'])}=={each['metadata']['version']}",
            each["download_info"]["archive_info"]["hashes"]["sha256"],
        )
        for each in listed
    ]


if __name__ == "__main__":
    sys.exit(main())
