"""`centerpiece update`: takes a release archive, sees that it is whole, lets it install itself.

The archive brings its own installer, which places the new version beside the present one and
changes over; a version that does not come up healthy is rolled back (`deploy/switch.sh`).
Here nothing is decided but whether the archive may be unpacked at all.
"""

import argparse
import hashlib
import os
import re
import subprocess
import tarfile
import tempfile
import zlib
from pathlib import Path, PurePosixPath

from centerpiece.text import Problem

CARD = Path("/boot/firmware")
PATTERN = "centerpiece-*.tar.gz"
LARGEST = 100 * 1024 * 1024


class UpdateError(Problem, ValueError):
    """The archive cannot be used; the message says why, and nothing has changed."""

    code = "update"


def command(options: argparse.Namespace) -> int:
    """`centerpiece update FILE` or `--from-card`; the exit code."""
    if options.from_card:
        return from_card(CARD, tuple(options.installer))
    if options.file is None:
        raise UpdateError("update needs an archive, or --from-card")
    return update(options.file, tuple(options.installer))


def from_card(card: Path, arguments: tuple[str, ...] = ()) -> int:
    """Install the newest archive on the card, once: its name says afterwards what became of it."""
    found = sorted(card.glob(PATTERN), key=lambda path: _number(path.name))
    if not found:
        print(f"No archive named {PATTERN} is on the card.")
        return 0
    newest, became = found[-1], "refused"
    try:
        code = update(newest, arguments)
        became = "refused" if code else "installed"
        return code
    finally:
        for archive in found:
            mark = became if archive == newest else "refused"
            archive.rename(archive.with_name(f"{archive.name}.{mark}"))


def _number(name: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", name.removesuffix(".tar.gz"))))


def update(archive: Path, arguments: tuple[str, ...] = ()) -> int:
    """Unpack an archive, check it, and run its installer."""
    if os.geteuid() != 0:
        raise UpdateError("an update must be run as root: put sudo before it")
    with tempfile.TemporaryDirectory(prefix="centerpiece-") as scratch:
        folder = unpack(archive, Path(scratch))
        return subprocess.run((folder / "deploy/install.sh", *arguments), check=False).returncode


def unpack(archive: Path, target: Path) -> Path:
    """Unpack a release and compare every file with its checksum; the folder it made."""
    try:
        with tarfile.open(archive, "r:gz") as tar:
            members = tar.getmembers()
            _judge(archive, members)
            for member in members:
                _take(tar, member, target)
    except OSError as error:
        raise UpdateError(
            "{file} cannot be read: {why}", file=archive, why=error.strerror or str(error)
        ) from None
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise UpdateError(
            "{file} is no release, or damaged: {why}; fetch it again", file=archive, why=str(error)
        ) from None
    folders = {PurePosixPath(member.name).parts[0] for member in members}
    name = folders.pop() if len(folders) == 1 else ""
    if not (target / name / "SHA256SUMS").is_file():
        raise UpdateError("{file} is no release of ours: it has no SHA256SUMS", file=archive)
    check(target / name, archive)
    return target / name


def _judge(archive: Path, members: list[tarfile.TarInfo]) -> None:
    """A release has plain files in one folder, and is small. (Python 3.11.2 cannot filter.)"""
    if sum(member.size for member in members) > LARGEST:
        raise UpdateError("{file} is far too large to be a release; fetch it again", file=archive)
    for member in members:
        path = PurePosixPath(member.name)
        plain = member.isfile() or member.isdir()
        if not plain or path.is_absolute() or ".." in path.parts or not path.parts:
            raise UpdateError(
                "{file} is no release: it holds “{name}”; do not use it",
                file=archive,
                name=member.name,
            )


def _take(tar: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    path = target / member.name
    content = tar.extractfile(member)
    if content is None:
        path.mkdir(parents=True, exist_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.read())
    path.chmod(0o755 if member.mode & 0o100 else 0o644)


def check(folder: Path, archive: Path) -> None:
    """Every file is listed and as listed, and none is missing."""
    listed: dict[str, str] = {}
    for line in (folder / "SHA256SUMS").read_text().splitlines():
        digest, _, name = line.partition("  ")
        listed[name] = digest
    there = {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "SHA256SUMS"
    }
    if listed != there:
        wrong = sorted(
            name for name in listed.keys() | there.keys() if listed.get(name) != there.get(name)
        )
        raise UpdateError("{file} is damaged ({name}); fetch it again", file=archive, name=wrong[0])
