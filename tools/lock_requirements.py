"""Write requirements.lock: every file that may be installed on a hub, with its hash.

    make lock       (needs a package index; run it after constraints.txt or pyproject.toml changed)

uv finds the files of the pinned versions, and on which machines they are needed. It does not say
for which part of pyproject.toml, so it is asked for one part after the other, and above each entry
stand the parts that need it: `deploy/install.sh` takes those of a hub, and nothing else.
"""

import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = ("hall", "pi", "pi-ws281x", "pi-pio")
# Published as source only; built on the hub, with nothing but what the part "build" locks.
SOURCE = "rpi-ws281x"
PYTHONS = ("3.11", "3.12", "3.13")
MACHINES = ("aarch64", "x86_64")
HEAD = """\
# Every file that may be installed on a hub, by its hash. Written by tools/lock_requirements.py from
# pyproject.toml and constraints.txt; do not edit. Above each entry are the parts of pyproject.toml
# that need it: the program itself (centerpiece), one of its extras, or what it is built with.
# deploy/install.sh takes those of a hub, on these machines:
"""
_ENTRY = re.compile(r"^(\S+==\S+)(?: ; (.+?))? \\\n((?:    --hash=\S+(?: \\\n|\n))+)", re.MULTILINE)


def main() -> int:
    with open(ROOT / "pyproject.toml", "rb") as file:
        build = tomllib.load(file)["build-system"]["requires"]
    asked = {
        "build": compiled("-", given="\n".join(build)),
        "centerpiece": compiled("pyproject.toml"),
    }
    for extra in EXTRAS:
        found = compiled("pyproject.toml", "--extra", extra)
        asked[extra] = [each for each in found if each not in asked["centerpiece"]]
    where: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for part, found in asked.items():
        for pinned, marker, hashes in found:
            where[pinned, hashes][part] = marker
    machines = "".join(f"# machine python{p}-{m}\n" for m in MACHINES for p in PYTHONS)
    entries = "".join(
        f"\n# for {' '.join(parts)}\n{pinned}{_either(set(parts.values()))} \\\n{hashes}"
        for (pinned, hashes), parts in sorted(where.items())
    )
    (ROOT / "requirements.lock").write_text(HEAD + machines + entries, "utf-8")
    return 0


def compiled(source: str, *options: str, given: str = "") -> list[tuple[str, str, str]]:
    """Return the pinned packages of a source, each with its condition and hashes."""
    command = [
        *(sys.executable, "-m", "uv", "pip", "compile", source, *options, "-q", "--universal"),
        *("--python-version", PYTHONS[0], "--constraints", "constraints.txt", "--generate-hashes"),
        *("--only-binary=:all:", f"--no-binary={SOURCE}", "--no-header", "--no-annotate"),
    ]
    done = subprocess.run(
        command, input=given, stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT
    )
    return _ENTRY.findall(done.stdout)


def _either(markers: set[str]) -> str:
    return "" if "" in markers else f" ; {' or '.join(sorted(markers))}"


if __name__ == "__main__":
    sys.exit(main())
