"""Copies of a table's file: made while the hub plays, checked before they count as made.

A copy is one plain file that any hub can take. Nothing is ever overwritten without being asked,
and what a restored copy replaces is kept beside it. Every step ends with a whole file in place,
so a power cut leaves either the old file or the new one.
"""

import contextlib
import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from centerpiece.games.registry import BOOKS
from centerpiece.storage.journal import Journal, reason
from centerpiece.storage.lock import Claim
from centerpiece.text import Problem


class BackupError(Problem, OSError):
    """A copy cannot be made or used; the message says what to do, and nothing has changed."""

    code = "backup"


def save(own: Path, copy: Path, force: bool = False) -> int:
    """Copy a table's file, in use or not; how many events the copy holds."""
    if copy.exists() and not force:
        raise BackupError(
            "{file} is already there; choose another name, or replace it with --force", file=copy
        )
    if copy.exists() and own.exists() and copy.samefile(own):
        raise BackupError("{file} is the table's own file; choose another name", file=copy)
    try:
        Journal(own, BOOKS, read_only=True).close()
        with _beside(copy) as unfinished:
            _copy(own, unfinished)
            return check(unfinished)
    except sqlite3.Error as error:
        raise BackupError("{file} was not written: {why}", file=copy, why=reason(error)) from error
    finally:
        _like_its_folder(own.with_name(f"{own.name}-wal"), own.with_name(f"{own.name}-shm"))


def restore(copy: Path, own: Path, force: bool = False) -> tuple[int, Path | None]:
    """Put a copy in the table's place; its events, and where the earlier file is kept."""
    count = check(copy)
    occupied = own.exists() and own.stat().st_size > 0
    if occupied and not force:
        raise BackupError(
            "{file} holds games already; restore with --force, and they are kept beside it",
            file=own,
        )
    own.parent.mkdir(parents=True, exist_ok=True)
    with _alone(own):
        kept = _set_aside(own) if occupied else None
        with _beside(own) as unfinished:
            shutil.copyfile(copy, unfinished)
            check(unfinished)
    _like_its_folder(own, kept)
    return count, kept


def check(file: Path) -> int:
    """Read a copy from its first event to its last; how many there are."""
    if not file.is_file():
        raise BackupError("{file} is not there; give the name of a backup", file=file)
    journal = Journal(file, BOOKS, read_only=True)
    try:
        (verdict,) = journal.database.execute("PRAGMA integrity_check(1)").fetchone()
        if verdict != "ok":
            raise _damaged(file, verdict)
        return sum(1 for _ in journal.read())
    except sqlite3.DatabaseError as error:
        raise _damaged(file, error) from error
    finally:
        journal.close()


def _damaged(file: Path, why: object) -> BackupError:
    return BackupError("{file} is damaged ({why}); use another copy", file=file, why=why)


def _copy(own: Path, target: Path) -> None:
    """SQLite's own way of copying: right even while the hub writes."""
    source = sqlite3.connect(f"{own.absolute().as_uri()}?mode=ro", uri=True)
    copy = sqlite3.connect(target, isolation_level=None)
    try:
        source.backup(copy)
        # One file, without a log beside it that would be forgotten on a memory stick.
        copy.execute("PRAGMA journal_mode=DELETE")
    finally:
        copy.close()
        source.close()


@contextlib.contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """A file to write, which takes its place once it is whole and on the disk."""
    unfinished = target.with_name(f".{target.name}.unfinished")
    try:
        unfinished.unlink(missing_ok=True)
        yield unfinished
        with open(unfinished, "rb") as file:
            os.fsync(file.fileno())
        os.replace(unfinished, target)
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except BackupError:
        raise
    except OSError as error:
        raise BackupError(
            "{file} was not written: {why}", file=target, why=error.strerror
        ) from error
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)


@contextlib.contextmanager
def _alone(own: Path) -> Iterator[None]:
    """No hub may use the file meanwhile; a hub that runs is told to stop by hand."""
    try:
        claim = Claim(own.parent)
    except BlockingIOError:
        raise BackupError(
            "{file} is in use; stop the hub first: sudo systemctl stop centerpiece", file=own
        ) from None
    try:
        yield
    finally:
        claim.release()


def _set_aside(own: Path) -> Path:
    """Keep the present file under another name, its log included."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    kept = own.with_name(f"{own.name}.before-{stamp}")
    number = 1
    while kept.exists():
        number += 1
        kept = own.with_name(f"{own.name}.before-{stamp}-{number}")
    with contextlib.suppress(sqlite3.Error):
        # A healthy file takes its log in, and there is one file to keep.
        database = sqlite3.connect(own)
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.close()
    shutil.copyfile(own, kept)
    for end in ("-wal", "-shm"):
        log = own.with_name(own.name + end)
        # A log that stayed would be played into the restored file.
        if log.exists():
            os.replace(log, kept.with_name(kept.name + end))
    return kept


def _like_its_folder(*paths: Path | None) -> None:
    """What root wrote here, the service must be able to use."""
    if os.geteuid() != 0:
        return
    for path in paths:
        if path is not None and path.exists():
            folder = path.parent.stat()
            os.chown(path, folder.st_uid, folder.st_gid)
