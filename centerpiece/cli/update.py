"""`centerpiece update`: takes a release archive, sees who made it, lets it install itself.

The archive brings its own installer, which places the new version beside the present one and
changes over; a version that does not come up healthy is rolled back (`deploy/switch.sh`).
Here nothing is decided but whether anything of the archive may run at all: it must be signed with
a key that this hub trusts already, be whole, and lead forward.
"""

import argparse
import gzip
import hashlib
import os
import re
import signal
import subprocess
import sys
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from centerpiece import __version__
from centerpiece.service import problems
from centerpiece.text import Problem

TRUSTED = Path("/opt/centerpiece/trusted-keys")
"""The keys that sign releases, as ssh-keygen reads them; the last release that was installed
brought them."""
SIGNER, NAMESPACE = "centerpiece", "centerpiece-release"
PATTERN = "centerpiece-*.tar.gz"
LARGEST = 100 * 1024 * 1024
PIECE = 1024 * 1024
MOST_FILES = 10_000
SUMS, SIGNATURE = "SHA256SUMS", "SHA256SUMS.sig"
COMPLAINT = re.compile(r"^centerpiece: (.+)")
"""The line in which the installer says what is wrong."""
STOPPED = 130
"""The exit code of an installer that was told to stop."""
STOPPED_SENTENCE = (
    "An update was interrupted. It is tried again at the next start, or when the stick "
    "is put in again; if you do not want it, delete its archive."
)


class UpdateError(Problem, ValueError):
    """The archive cannot be used; the message says why, and nothing has changed."""

    code = "update"


def command(options: argparse.Namespace) -> int:
    """`centerpiece update FILE` or `--from-card`; the exit code."""
    if options.from_card:
        return from_card(options.from_card, tuple(options.installer))
    if options.file is None:
        raise UpdateError("update needs an archive, or --from-card")
    code, _ = update(options.file, tuple(options.installer), options.older)
    if code == 0:
        problems.tell("update", "")
    return code


def from_card(card: Path, arguments: tuple[str, ...] = ()) -> int:
    """Install the newest archive on the card, once: its name says afterwards what became of it.

    Whatever is wrong with the archive is told in a sentence, on the page and in a file on the card,
    and is no reason to try again. To have been stopped is one: then the archive keeps its name.
    """
    found = sorted(card.glob(PATTERN), key=lambda path: _number(path.name))
    if not found:
        print(f"No archive named {PATTERN} is on the card.")
        if card == problems.CARD and not list(card.glob(f"{PATTERN}.refused")):
            problems.tell("update", "")
        return 0
    try:
        with _told_to_stop():
            code, trouble = update(found[-1], arguments)
    except (SystemExit, KeyboardInterrupt):
        problems.tell("update", STOPPED_SENTENCE)
        raise
    except Exception as error:
        told = error if isinstance(error, UpdateError) else _no_release(found[-1], str(error))
        _became(found, str(told))
        raise told from error
    _became(found, trouble)
    return code


@contextmanager
def _told_to_stop() -> Iterator[None]:
    """The service manager's signal ends this as an exception, not at once."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(STOPPED))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _became(found: list[Path], trouble: str) -> None:
    """Only the last archive was tried."""
    problems.tell("update", f"An update was not installed: {trouble}." if trouble else "")
    for archive in found:
        _mark(archive, "refused" if trouble or archive != found[-1] else "installed")


def _mark(archive: Path, became: str) -> None:
    try:
        archive.rename(archive.with_name(f"{archive.name}.{became}"))
    except OSError as error:
        print(f"{archive} was {became}, and cannot be renamed: {error.strerror}. Remove it.")


def _number(name: str) -> tuple[int, ...]:
    """A version to compare; numbers of more than nine digits are nobody's version."""
    return tuple(int(each) for each in re.findall(r"\d{1,9}", name.removesuffix(".tar.gz")))


def update(archive: Path, arguments: tuple[str, ...] = (), older: bool = False) -> tuple[int, str]:
    """Unpack an archive, check it, run its installer: the exit code, and what was wrong."""
    if os.geteuid() != 0:
        raise UpdateError("an update must be run as root: put sudo before it")
    with tempfile.TemporaryDirectory(prefix="centerpiece-") as scratch:
        folder = unpack(archive, Path(scratch))
        verify(folder, archive, TRUSTED)
        check(folder, archive)
        if not older:
            forward(folder, archive)
        how = (*arguments, *(("--older",) if older else ()))
        return _installed((str(folder / "deploy/install.sh"), *how))


def _installed(command: tuple[str, ...]) -> tuple[int, str]:
    """Run an installer and pass its words on; its exit code, and its last complaint."""
    trouble = "its installer failed, and “journalctl -u 'centerpiece-*'” shows where"
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, errors="replace") as child:
        try:
            for line in child.stderr or ():
                print(line, end="", file=sys.stderr, flush=True)
                if complaint := COMPLAINT.match(line):
                    trouble = complaint[1]
        except BaseException:
            child.terminate()
            raise
    if child.returncode == STOPPED:
        sys.exit(STOPPED)
    return child.returncode, trouble if child.returncode else ""


def unpack(archive: Path, target: Path) -> Path:
    """Unpack a release, of which nothing is known yet; the folder it made."""
    try:
        _measure(archive)
        with tarfile.open(archive, "r:gz") as tar:
            members = list(_judged(archive, tar))
            for member in members:
                _take(tar, member, target)
    except UpdateError:
        raise
    except gzip.BadGzipFile:
        raise _no_release(archive, "it is not a gzip archive") from None
    except OSError as error:
        raise UpdateError(
            "{file} cannot be read: {why}", file=archive.name, why=error.strerror or str(error)
        ) from None
    except (tarfile.TarError, EOFError, zlib.error, ValueError, LookupError) as error:
        raise _no_release(archive, str(error)) from None
    folders = {PurePosixPath(member.name).parts[0] for member in members}
    name = folders.pop() if len(folders) == 1 else ""
    if not (target / name / SUMS).is_file():
        raise UpdateError("{file} is not a release: it has no SHA256SUMS", file=archive.name)
    return target / name


def _no_release(archive: Path, why: str) -> UpdateError:
    return UpdateError(
        "{file} is not a release, or is damaged: {why}; download it again",
        file=archive.name,
        why=why,
    )


def _measure(archive: Path) -> None:
    """All of it, unpacked: even what only describes a file may be made to fill the memory."""
    size = 0
    with gzip.open(archive) as packed:
        while piece := packed.read(PIECE):
            size += len(piece)
            if size > LARGEST:
                raise _too_large(archive)


def _too_large(archive: Path) -> UpdateError:
    return UpdateError("{file} is too large to be a release; download it again", file=archive.name)


def _judged(archive: Path, tar: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """A release has plain files in one folder, and is small. (Python 3.11.2 cannot filter.)"""
    size = 0
    for count, member in enumerate(tar, start=1):
        size += member.size
        if size > LARGEST or count > MOST_FILES:
            raise _too_large(archive)
        path = PurePosixPath(member.name)
        plain = member.isfile() or member.isdir()
        if not plain or path.is_absolute() or ".." in path.parts or not path.parts:
            raise UpdateError(
                "{file} is not a release: it contains “{name}”; do not use it",
                file=archive.name,
                name=member.name,
            )
        yield member


def _take(tar: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    path = target / member.name
    content = tar.extractfile(member)
    if content is None:
        path.mkdir(parents=True, exist_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.read())
    path.chmod(0o755 if member.mode & 0o100 else 0o644)


def verify(folder: Path, archive: Path, trusted: Path) -> None:
    """The list of checksums is signed with one of these keys: then so is everything it lists."""
    if not trusted.is_file() or not trusted.stat().st_size:
        raise UpdateError(
            "this hub has no key to check releases with; install {file} by hand",
            file=archive.name,
        )
    if not (folder / SIGNATURE).is_file():
        raise UpdateError(
            "{file} is not signed, so its origin is unknown; do not use it", file=archive
        )
    words = ("-Y", "verify", "-f", str(trusted), "-I", SIGNER, "-n", NAMESPACE)
    try:
        with open(folder / SUMS, "rb") as sums:
            done = subprocess.run(
                ("ssh-keygen", *words, "-s", str(folder / SIGNATURE)),
                stdin=sums,
                capture_output=True,
                timeout=60,
                check=False,
            )
    except FileNotFoundError:
        raise UpdateError(
            "ssh-keygen, which checks who made {file}, is missing: sudo apt install openssh-client",
            file=archive.name,
        ) from None
    if done.returncode != 0:
        raise UpdateError(
            "{file} is not signed with a key that this hub trusts; do not use it", file=archive
        )


def forward(folder: Path, archive: Path) -> None:
    """An older release brings back what was mended since: only somebody at the shell may."""
    offered = version_of(folder)
    if _number(offered) < _number(__version__):
        raise UpdateError(
            "{file} is version {offered}, and {present} is in use; to go back, run "
            "sudo centerpiece update --older with it",
            file=archive.name,
            offered=offered,
            present=__version__,
        )


def version_of(folder: Path) -> str:
    """The version that the checksums speak of."""
    found = re.search(r"  centerpiece-([\w.]+)-[^/\n]*\.whl$", _sums(folder), re.MULTILINE)
    return found[1] if found else ""


def _sums(folder: Path) -> str:
    return (folder / SUMS).read_text("utf-8", errors="replace")


def check(folder: Path, archive: Path) -> None:
    """Every file is listed and as listed, and none is missing."""
    listed: dict[str, str] = {}
    for line in _sums(folder).splitlines():
        digest, _, name = line.partition("  ")
        listed[name] = digest
    there = {
        name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and (name := path.relative_to(folder).as_posix()) not in (SUMS, SIGNATURE)
    }
    if listed != there:
        wrong = sorted(
            name for name in listed.keys() | there.keys() if listed.get(name) != there.get(name)
        )
        raise UpdateError(
            "{file} is damaged ({name}); download it again", file=archive.name, name=wrong[0]
        )
