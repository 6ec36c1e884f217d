"""Copies of a table's file: made while the hub plays, checked before they count as made.

A copy is one plain file. It is made as SQLite copies, log included, and nothing is ever overwritten
without being asked; what a restored copy replaces is kept beside it. Restoring takes rows, not
files: whatever else somebody has put into a file does not come along. Every step ends with a whole
file in place, so a power cut leaves either the old file or the new one.
"""

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from centerpiece.games.registry import BOOKS
from centerpiece.storage.checksum import of_player, of_setting
from centerpiece.storage.errors import reason
from centerpiece.storage.files import LOGS, copy_all, has_content, log_of, set_aside, sync
from centerpiece.storage.journal import Damage, Journal
from centerpiece.storage.lock import Claim
from centerpiece.storage.schema import INSERT, KEEP, NAME, PLAYERS, SETTINGS, empty
from centerpiece.storage.settings import PHONES
from centerpiece.text import Problem, Sentence

LONGEST = 300.0
"""Seconds that reading a file may take: it may come from anybody."""
STEPS = 100_000
"""How often SQLite looks at the clock, in its own steps."""
LARGEST_VALUE = 16 * 1024 * 1024
_TABLES = ("events", "settings", "players")
_SCHEMA = "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name IN (?, ?, ?)"
_STAYS = ("", "snapshot")
"""What a hub works out for itself."""


class BackupError(Problem, OSError):
    """A copy cannot be made or used; the message says what to do, and nothing has changed."""

    code = "backup"


class Contents(msgspec.Struct, frozen=True):
    """What was found in a file that was read from its first event to its last."""

    events: int
    """How many are whole."""
    damage: tuple[Damage, ...] = ()


def save(own: Path, copy: Path, force: bool = False) -> Contents:
    """Copy a table's file, in use or not, as it is; what the copy holds."""
    if copy.exists() and not force:
        raise BackupError(
            "{file} is already there; choose another name, or replace it with --force", file=copy
        )
    if copy.exists() and own.exists() and copy.samefile(own):
        raise BackupError("{file} is the table's own file; choose another name", file=copy)
    try:
        with contextlib.closing(Journal(own, BOOKS, read_only=True)) as journal:
            before = 0
            with contextlib.suppress(sqlite3.DatabaseError):
                before = _counted(journal.database)
            with _beside(copy) as unfinished:
                copy_all(journal.database, unfinished)
                found = contents(unfinished)
                if found.events + len(found.damage) < before:
                    raise _damaged(own, Sentence("not all of it could be copied"))
                return found
    except sqlite3.Error as error:
        raise BackupError("{file} was not written: {why}", file=copy, why=reason(error)) from error
    finally:
        _like_its_folder(*(own.with_name(own.name + end) for end in LOGS))


def restore(
    copy: Path, own: Path, force: bool = False, phones: bool = False
) -> tuple[int, Path | None]:
    """Put what a copy holds in the table's place; its events, and where the earlier file is kept.

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
        count = _take_rows(copy, unfinished, phones)
        left = occupied or has_content(log_of(own))
        kept = _set_aside(own) if left else None
    _like_its_folder(own, kept)
    return count, kept


def contents(file: Path) -> Contents:
    """Read a file from its first event to its last."""
    with contextlib.closing(Journal(file, BOOKS, read_only=True)) as journal:
        events, damage = 0, []
        for found in journal.look():
            if isinstance(found, Damage):
                damage.append(found)
            else:
                events += 1
        return Contents(events, tuple(damage))


def _counted(database: sqlite3.Connection) -> int:
    return int(database.execute("SELECT count(*) FROM events").fetchone()[0])


def _damaged(file: Path, why: object) -> BackupError:
    return BackupError("{file} is damaged ({why}); use another copy", file=file, why=why)


def _take_rows(copy: Path, target: Path, phones: bool) -> int:
    """A new file with the rows of another; how many events."""
    try:
        with contextlib.closing(_foreign(copy)) as source, contextlib.closing(empty(target)) as own:
            _judge(copy, source.database, own)
            own.execute("BEGIN")
            own.executemany(INSERT, source.written())
            own.executemany(KEEP, _settings(source.database, phones))
            own.executemany(NAME, _players(source.database))
            own.execute("COMMIT")
            count, wanted = _counted(own), _counted(source.database)
        with contextlib.closing(Journal(target, BOOKS, read_only=True)) as journal:
            journal.recover(BOOKS)
    except sqlite3.Error as error:
        raise _damaged(copy, error) from error
    if count != wanted:
        raise _damaged(copy, Sentence("not all of it could be copied"))
    return count


def _foreign(copy: Path) -> Journal:
    """A file from anybody, to be read for a while and no more. A log beside it belongs to it."""
    journal = Journal(copy, BOOKS, read_only=True)
    database, until = journal.database, time.monotonic() + LONGEST
    database.set_progress_handler(lambda: time.monotonic() > until, STEPS)
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_VALUE)
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA cell_size_check = ON")
    return journal


def _judge(copy: Path, source: sqlite3.Connection, own: sqlite3.Connection) -> None:
    """Its tables must be ours to the letter: a view, or a column that is computed, is none."""
    found = [set(each.execute(_SCHEMA, _TABLES)) for each in (source, own)]
    if found[0] != found[1]:
        raise _damaged(copy, Sentence("its tables are not ours"))


def _settings(source: sqlite3.Connection, phones: bool) -> Iterator[tuple[str, bytes, int]]:
    for encoded, value, crc in source.execute(SETTINGS):
        key = encoded.decode(errors="replace")
        if crc == of_setting(key, value) and key not in _STAYS and (phones or key != PHONES):
            yield key, value, crc


def _players(source: sqlite3.Connection) -> Iterator[tuple[str, int, float, int]]:
    for encoded, seat, seen, crc in source.execute(PLAYERS):
        if crc == of_player(name := encoded.decode(errors="replace"), seat, seen):
            yield name, seat, seen, crc


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
