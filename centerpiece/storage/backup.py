"""Copies of a table's file: made while the hub plays, checked before they count as made.

A copy is one plain file. It is made as SQLite copies, log included, and nothing is ever overwritten
without being asked; what a restored copy replaces is kept beside it. Restoring takes rows, not
files (`untrusted_file`): whatever else somebody has put into a file does not come along. Every step
ends with a whole file in place, so a power cut leaves either the old file or the new one.
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from centerpiece.games.registry import GAMES
from centerpiece.storage.errors import BackupError, reason
from centerpiece.storage.files import LOGS, copy_all, has_content, log_of, set_aside, sync
from centerpiece.storage.journal import Damage, Journal
from centerpiece.storage.lock import Claim
from centerpiece.storage.untrusted_file import Contents, take_rows
from centerpiece.text import Sentence


def save(own: Path, copy: Path, force: bool = False) -> Contents:
    """Copy a table's file, in use or not, as it is; what the copy holds."""
    if copy.exists() and not force:
        raise BackupError(
            "{file} is already there; choose another name, or replace it with --force", file=copy
        )
    if copy.exists() and own.exists() and copy.samefile(own):
        raise BackupError("{file} is the table's own file; choose another name", file=copy)
    try:
        with contextlib.closing(Journal(own, GAMES, read_only=True)) as journal:
            before = 0
            with contextlib.suppress(sqlite3.DatabaseError):
                before = _counted(journal.database)
            with _beside(copy) as unfinished:
                copy_all(journal.database, unfinished)
                found = contents(unfinished)
                tried = copy.with_name(f".{copy.name}.tried")
                try:
                    take_rows(unfinished, tried, phones=False)
                finally:
                    for end in ("", *LOGS, "-journal"):
                        tried.with_name(tried.name + end).unlink(missing_ok=True)
                if found.events + len(found.damage) < before:
                    why = Sentence("not all of it could be copied")
                    raise BackupError("{file} was not written: {why}", file=copy, why=why)
                return found
    except sqlite3.Error as error:
        raise BackupError("{file} was not written: {why}", file=copy, why=reason(error)) from error
    finally:
        _like_its_folder(*(own.with_name(own.name + end) for end in LOGS))


def restore(
    copy: Path, own: Path, force: bool = False, phones: bool = False
) -> tuple[Contents, Path | None]:
    """Put what is whole of a copy in the table's place; what that was, and where the
    earlier file is kept.

    Whose phones may write is not for a file to say, unless that is asked for.
    """
    if not copy.is_file():
        raise BackupError("{file} is not there; give the name of a backup", file=copy)
    occupied = has_content(own)
    if occupied and copy.samefile(own):
        raise BackupError("{file} is the table's own file; choose another name", file=copy)
    if occupied and not force:
        raise BackupError(
            "{file} holds games already; restore with --force, and they are kept beside it",
            file=own,
        )
    own.parent.mkdir(parents=True, exist_ok=True)
    with _alone(own), _beside(own) as unfinished:
        found = take_rows(copy, unfinished, phones)
        left = occupied or has_content(log_of(own))
        kept = _set_aside(own) if left else None
    _like_its_folder(own, kept)
    return found, kept


def contents(file: Path) -> Contents:
    """Read a file from its first event to its last."""
    with contextlib.closing(Journal(file, GAMES, read_only=True)) as journal:
        events, damage = 0, []
        for found in journal.look():
            if isinstance(found, Damage):
                damage.append(found)
            else:
                events += 1
        if journal.lost is not None:
            damage.append(Damage(events + len(damage) + 1, journal.lost))
        return Contents(events, tuple(damage))


def _counted(database: sqlite3.Connection) -> int:
    return int(database.execute("SELECT count(*) FROM events").fetchone()[0])


@contextlib.contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """A file to write, which takes its place once it is whole and on the disk."""
    unfinished = target.with_name(f".{target.name}.unfinished")
    try:
        unfinished.unlink(missing_ok=True)
        yield unfinished
        sync(unfinished)
        os.replace(unfinished, target)
        sync(target.parent)
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
    """Keep the present file under another name, byte by byte, and what is in its log."""
    kept = set_aside(own, "before")
    with contextlib.suppress(sqlite3.Error):
        _put_together(kept)
        # The file takes its log in, so that a power cut in the next moment costs nothing either.
        with contextlib.closing(sqlite3.connect(own)) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for end in LOGS:
        # One that stayed would be played into whatever takes the file's place.
        own.with_name(own.name + end).unlink(missing_ok=True)
    return kept


def _put_together(kept: Path) -> None:
    """A healthy file and its log become one file. sqlite3.Error: they stay as they are."""
    whole = kept.with_name(f".{kept.name}.unfinished")
    address = f"{kept.absolute().as_uri()}?mode=ro"
    with contextlib.closing(sqlite3.connect(address, uri=True)) as parts:
        copy_all(parts, whole)
        with contextlib.closing(sqlite3.connect(whole)) as together:
            if _counted(together) != _counted(parts):
                raise sqlite3.DatabaseError("the copy has other events")
    os.replace(whole, kept)
    for end in LOGS:
        kept.with_name(kept.name + end).unlink(missing_ok=True)
    sync(kept.parent)


def _like_its_folder(*paths: Path | None) -> None:
    """What root wrote here, the service must be able to use."""
    if os.geteuid() != 0:
        return
    for path in paths:
        if path is not None and path.exists():
            folder = path.parent.stat()
            os.chown(path, folder.st_uid, folder.st_gid)
