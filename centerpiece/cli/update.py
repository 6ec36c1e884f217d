"""`centerpiece update`: verifies a release archive and runs its installer.

The installer places the new version beside the present one and switches; a version that does not
come up healthy is rolled back (`deploy/switch.sh`). This module only decides whether anything in
the archive may run: it must be signed with a key that this hub trusts, complete, and not older.
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
"""The keys that sign releases, in ssh-keygen's format; part of the installed release."""
SIGNER, NAMESPACE = "centerpiece", "centerpiece-release"
PATTERN = "centerpiece-*.tar.gz"
LARGEST = 100 * 1024 * 1024
PIECE = 1024 * 1024
MOST_FILES = 10_000
SUMS, SIGNATURE = "SHA256SUMS", "SHA256SUMS.sig"
COMPLAINT = re.compile(r"^centerpiece: (.+)")
"""The installer's error message."""
STOPPED = 130
"""Exit code of an installer that was stopped by a signal."""
STOPPED_SENTENCE = (
    "An update was interrupted. It is tried again at the next start, or when the stick "
    "is put in again; if you do not want it, delete its archive."
)


class UpdateError(Problem, ValueError):
    """The archive cannot be used; nothing has changed."""

    code = "update"


def command(options: argparse.Namespace) -> int:
    """Run `centerpiece update FILE` or `--from-card`; return the installer's exit code.

    Raise UpdateError if neither is given or the archive cannot be used.
    """
    if options.from_card:
        return from_card(options.from_card, tuple(options.installer))
    if options.file is None:
        raise UpdateError("update needs an archive, or --from-card")
    code, _ = update(options.file, tuple(options.installer), options.older)
    if code == 0:
        problems.tell("update", "")
    return code


def from_card(card: Path, arguments: tuple[str, ...] = ()) -> int:
    """Install the newest archive in the folder `card`, and rename all archives after their result.

    Return the installer's exit code, or 0 without an archive; `arguments` go to the installer. An
    archive that cannot be used is reported on the page and in a file on the card, and raised as
    UpdateError. After an interruption no archive is renamed, so the next start tries again.
    """
    archives = sorted(card.glob(PATTERN), key=lambda path: _number(path.name))
    if not archives:
        print(f"No archive named {PATTERN} is on the card.")
        if card == problems.CARD and not list(card.glob(f"{PATTERN}.refused")):
            problems.tell("update", "")
        return 0
    try:
        with _sigterm_raises():
            code, trouble = update(archives[-1], arguments)
    except (SystemExit, KeyboardInterrupt):
        problems.tell("update", STOPPED_SENTENCE)
        raise
    except Exception as error:
        cause = error if isinstance(error, UpdateError) else _no_release(archives[-1], str(error))
        _record(archives, str(cause))
        raise cause from error
    _record(archives, trouble)
    return code


@contextmanager
def _sigterm_raises() -> Iterator[None]:
    """Turn SIGTERM into an exception, so that the problem can be reported."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(STOPPED))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _record(archives: list[Path], trouble: str) -> None:
    """Report the result and rename all archives; only the last one was tried.

    `trouble` says why it was not installed; if empty, it was. The others become “refused”.
    """
    problems.tell("update", f"An update was not installed: {trouble}." if trouble else "")
    for archive in archives:
        _rename(archive, "refused" if trouble or archive != archives[-1] else "installed")


def _rename(archive: Path, result: str) -> None:
    try:
        archive.rename(archive.with_name(f"{archive.name}.{result}"))
    except OSError as error:
        print(f"{archive} was {result}, and cannot be renamed: {error.strerror}. Remove it.")


def _number(name: str) -> tuple[int, ...]:
    """Return a version to compare; limits digits, since int() is slow on very long numbers."""
    return tuple(int(each) for each in re.findall(r"\d{1,9}", name.removesuffix(".tar.gz")))


def update(archive: Path, arguments: tuple[str, ...] = (), older: bool = False) -> tuple[int, str]:
    """Unpack, verify and install an archive; return the installer's exit code and its error, or "".

    `arguments` go to the installer. Raise UpdateError, and install nothing, if this is not root or
    the archive is not to be trusted, complete and, unless `older`, at least as new as this version.
    """
    if os.geteuid() != 0:
        raise UpdateError("an update must be run as root: put sudo before it")
    with tempfile.TemporaryDirectory(prefix="centerpiece-") as scratch:
        folder = unpack(archive, Path(scratch))
        verify(folder, archive, TRUSTED)
        check(folder, archive)
        if not older:
            forward(folder, archive)
        options = (*arguments, *(("--older",) if older else ()))
        return _install((str(folder / "deploy/install.sh"), *options))


def _install(command: tuple[str, ...]) -> tuple[int, str]:
    """Run an installer, passing on its stderr; return its exit code and its last error message.

    The message is empty if it succeeded. If a signal stopped the installer, this process ends too.
    """
    trouble = "its installer failed, and “journalctl -u 'centerpiece-*'” shows where"
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, errors="replace") as child:
        try:
            for line in child.stderr or ():
                print(line, end="", file=sys.stderr, flush=True)
                if match := COMPLAINT.match(line):
                    trouble = match[1]
        except BaseException:
            child.terminate()
            raise
    if child.returncode == STOPPED:
        sys.exit(STOPPED)
    return child.returncode, trouble if child.returncode else ""


def unpack(archive: Path, target: Path) -> Path:
    """Unpack an untrusted archive into `target`; return the only folder in it.

    Raise UpdateError for one that cannot be read, is unsafe or too large, or has no checksums.
    """
    try:
        _measure(archive)
        with tarfile.open(archive, "r:gz") as tar:
            members = list(_safe_members(archive, tar))
            for member in members:
                _extract(tar, member, target)
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
    """Raise UpdateError for an archive that unpacks to more than `LARGEST` bytes.

    tarfile reads headers into memory, so this comes first.
    """
    size = 0
    with gzip.open(archive) as packed:
        while piece := packed.read(PIECE):
            size += len(piece)
            if size > LARGEST:
                raise _too_large(archive)


def _too_large(archive: Path) -> UpdateError:
    return UpdateError("{file} is too large to be a release; download it again", file=archive.name)


def _safe_members(archive: Path, tar: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """Yield all members; raise UpdateError for links, devices, outside paths and too much data.

    `archive` is only named in the error. Python 3.11.2 has no extraction filters yet.
    """
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


def _extract(tar: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    """Write a member, a file or a folder, below `target`; a file that was executable stays so.

    No other permission is taken over.
    """
    path = target / member.name
    content = tar.extractfile(member)
    if content is None:
        path.mkdir(parents=True, exist_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.read())
    path.chmod(0o755 if member.mode & 0o100 else 0o644)


def verify(folder: Path, archive: Path, trusted: Path) -> None:
    """Raise UpdateError unless the checksums in `folder` are signed with a key in `trusted`.

    That file, with keys in it, and ssh-keygen must be there. `archive` is only named in the error.
    """
    if not trusted.is_file() or not trusted.stat().st_size:
        raise UpdateError(
            "this hub has no key to check releases with; install {file} by hand",
            file=archive.name,
        )
    if not (folder / SIGNATURE).is_file():
        raise UpdateError(
            "{file} is not signed, so its origin is unknown; do not use it", file=archive
        )
    arguments = ("-Y", "verify", "-f", str(trusted), "-I", SIGNER, "-n", NAMESPACE)
    try:
        with open(folder / SUMS, "rb") as sums:
            done = subprocess.run(
                ("ssh-keygen", *arguments, "-s", str(folder / SIGNATURE)),
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
    """Raise UpdateError if the release in `folder` is older than this version.

    It has known faults, so only a person at the shell may go back. `archive` is only named in the
    error.
    """
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
    """Return the version of the wheel in the list of checksums; empty if there is none."""
    match = re.search(r"  centerpiece-([\w.]+)-[^/\n]*\.whl$", _sums(folder), re.MULTILINE)
    return match[1] if match else ""


def _sums(folder: Path) -> str:
    return (folder / SUMS).read_text("utf-8", errors="replace")


def check(folder: Path, archive: Path) -> None:
    """Raise UpdateError unless the files in `folder` are exactly those in its list of checksums.

    A missing, an extra or a changed file is wrong; the list itself and its signature do not count.
    """
    listed: dict[str, str] = {}
    for line in _sums(folder).splitlines():
        digest, _, name = line.partition("  ")
        listed[name] = digest
    actual = {
        name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and (name := path.relative_to(folder).as_posix()) not in (SUMS, SIGNATURE)
    }
    if listed != actual:
        wrong = sorted(
            name for name in listed.keys() | actual.keys() if listed.get(name) != actual.get(name)
        )
        raise UpdateError(
            "{file} is damaged ({name}); download it again", file=archive.name, name=wrong[0]
        )
