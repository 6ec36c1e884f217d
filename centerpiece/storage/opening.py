"""Opening a journal file: created if missing, and checked before use.

A foreign file, or one of a newer program, is refused and left as it is. Repairs are made in
`database_file`.
"""

import os
import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from centerpiece.storage.errors import (
    ForeignFile,
    JournalError,
    NewerJournal,
    card_damage,
    kind_of,
    unusable,
)
from centerpiece.storage.files import has_content, log_of, may_write, set_log_aside, sync
from centerpiece.storage.high_water_mark import MARK
from centerpiece.storage.schema import APPLICATION, PLAYERS, SCHEMA, SETTINGS, begin, empty
from centerpiece.text import Sentence

PATIENCE = 0.25
"""Seconds to wait for another program's write to end; presses must not wait for long."""
MOST_PAGES = 16_000
"""Pages of the log after which SQLite makes a checkpoint during a write. The writer makes its own
long before, while it is idle."""
_CACHE = 256
"""Kilobytes of pages that a connection keeps in memory. SQLite's 2,000 fill up over hours, in the
hub's connection and in that of the history, and neither reads a page again."""
NO_PLACE = "{path} cannot be created: {problem}. Make room, or choose another place with --data."
_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table'"


def ensure_exists(path: Path, read_only: bool) -> None:
    """Create a journal if `path` is missing or empty; with `read_only`, raise JournalError.

    Raise CardDamage if a log or mark beside it shows that a hub was using it: one that ends in
    peace leaves neither.
    """
    if has_content(path):
        return
    if path.exists() and has_content(log_of(path)):
        raise card_damage(path, Sentence("it is empty"))
    if any(has_content(path.with_name(path.name + end)) for end in ("-wal", MARK)):
        # A hub that ends in peace leaves neither.
        raise card_damage(path, Sentence("it is missing"))
    if read_only:
        nothing = "{path} does not exist: no game has been played yet."
        raise JournalError(nothing, path=str(path))
    _create(path)


def opened(path: Path | str, read_only: bool) -> sqlite3.Connection:
    """Open an existing file and check that it is a journal; raise a JournalError if it is not.

    `path` may be ":memory:", where an empty journal is made. On a disk that takes no writes, a file
    with a log is read into a database in memory.
    """
    try:
        database = _connect(_address(path, read_only))
        if isinstance(path, Path) and _needs_index(path, database):
            database.close()
            database = _in_memory(path)
    except sqlite3.Error as error:
        raise unusable(path, error) from error
    except OSError as error:
        raise JournalError(NO_PLACE, path=str(path), problem=error.strerror) from error
    try:
        if not isinstance(path, Path):
            begin(database)
        _recognize(path, database)
        database.execute(f"PRAGMA cache_size = -{_CACHE}")
        if not read_only:
            _set_up(database)
            if isinstance(path, Path) and may_write(path):
                _read_small_tables(database)
    except sqlite3.Error as error:
        database.close()
        raise unusable(path, error) from error
    except UnicodeDecodeError as error:  # SQLite's message quotes a name in a damaged first page
        database.close()
        problem = sqlite3.DatabaseError("malformed database schema")
        raise unusable(path, problem) from error
    except BaseException:
        database.close()
        raise
    return database


def _read_small_tables(database: sqlite3.Connection) -> None:
    """Read all settings and names, so that damage to them raises now, and the file is replaced.

    SQLite would refuse every later write to their pages.
    """
    for statement in (SETTINGS, PLAYERS):
        for _ in database.execute(statement):
            pass


def _create(path: Path) -> None:
    """Create an empty journal under a temporary name, then rename it: a power cut leaves no half.

    A log that is left of an earlier file of that name is set aside. Raise JournalError if the disk
    refuses.
    """
    unfinished = path.with_name(path.name + ".new")
    try:
        for leftover in (unfinished, Path(f"{unfinished}-journal"), Path(f"{unfinished}-wal")):
            leftover.unlink(missing_ok=True)
        with closing(empty(unfinished)) as database:
            database.execute("PRAGMA journal_mode=WAL").fetchone()
        set_log_aside(log_of(path))
        os.replace(unfinished, path)
        sync(path.parent)
    except (sqlite3.Error, OSError) as error:
        raise JournalError(NO_PLACE, path=str(path), problem=str(error)) from error


def _connect(address: str) -> sqlite3.Connection:
    """Open a connection by the URI `address`; each statement commits by itself, on any thread."""
    return sqlite3.connect(
        address,
        timeout=PATIENCE,
        isolation_level=None,
        uri=True,
        check_same_thread=False,  # the writer's thread takes it over
    )


def _needs_index(path: Path, database: sqlite3.Connection) -> bool:
    """Return whether SQLite cannot open a file because a read-only disk takes no index of its log.

    False if it can be opened, has no log, or fails for another reason.
    """
    try:
        database.execute("PRAGMA schema_version").fetchone()
    except sqlite3.Error as error:
        closed = kind_of(error) == sqlite3.SQLITE_CANTOPEN
        return closed and not may_write(path) and has_content(log_of(path))
    return False


def _in_memory(path: Path) -> sqlite3.Connection:
    """Read a file and its log into a database in memory that refuses writes."""
    with tempfile.TemporaryDirectory(prefix="centerpiece-") as folder:
        copy = Path(folder) / path.name
        for part, place in ((path, copy), (log_of(path), log_of(copy))):
            shutil.copyfile(part, place)
        database = _connect(":memory:")
        with closing(sqlite3.connect(copy)) as parts:
            parts.backup(database)
    database.execute("PRAGMA query_only = ON")
    return database


def _address(path: Path | str, read_only: bool) -> str:
    """Return the address by which SQLite opens a file; `:memory:` as it is.

    A file on a disk that takes no writes is opened as unchangeable, without a log, if it has none.
    `read_only` lets SQLite refuse writes.
    """
    if not isinstance(path, Path):
        return ":memory:"
    address = path.absolute().as_uri()
    if not may_write(path) and not has_content(log_of(path)):
        # A read-only disk takes no index of the WAL; without a WAL the file can be read as it is.
        return address + "?immutable=1"
    return address + "?mode=ro" * read_only


def _recognize(path: Path | str, database: sqlite3.Connection) -> None:
    """Raise a JournalError unless the file is a journal that this program can read.

    Ask SQLite rather than reading the header: closing a file that SQLite has open elsewhere in this
    process would drop SQLite's locks.
    """
    if _application(path, database) != APPLICATION:
        raise ForeignFile(
            "{path} belongs to another program. It has not been changed. "
            "Choose another place with --data.",
            path=str(path),
        )
    (schema,) = database.execute("PRAGMA user_version").fetchone()
    if schema > SCHEMA:
        raise NewerJournal(
            "{path} was written by a newer version of this program "
            "(format {schema}, this one knows {known}). Update the program.",
            path=str(path),
            schema=schema,
            known=SCHEMA,
        )
    if ("events",) not in database.execute(_TABLES):
        raise card_damage(path, Sentence("no such table: events"))


def _application(path: Path | str, database: sqlite3.Connection) -> int:
    """Return the id of the program that made a file; raise ForeignFile if SQLite did not."""
    try:
        return int(database.execute("PRAGMA application_id").fetchone()[0])
    except sqlite3.DatabaseError as error:
        if kind_of(error) != sqlite3.SQLITE_NOTADB:
            raise
        raise ForeignFile(
            "{path} is not a journal: it is not an SQLite file. It has not been changed. "
            "Choose another place with --data, or move it away.",
            path=str(path),
        ) from error


def _set_up(database: sqlite3.Connection) -> None:
    """Set a write-ahead log and a flush of every commit; leave a read-only file as it is."""
    try:
        database.execute("PRAGMA journal_mode=WAL").fetchone()
        database.execute("PRAGMA synchronous=FULL")
        database.execute(f"PRAGMA wal_autocheckpoint={MOST_PAGES}")
    except sqlite3.OperationalError as error:
        if kind_of(error) != sqlite3.SQLITE_READONLY:
            raise
