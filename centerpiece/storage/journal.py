"""The journal: one row an event, on disk before anything is shown. The only truth of a table.

SQLite in WAL mode with `synchronous=FULL`: when `append` returns, a pulled plug takes nothing
back. The file is never repaired or overwritten here: one that is foreign, damaged or newer than
this program is refused with a sentence, and stays as it is.
Names and settings live in the same file (`settings`).
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import msgspec

from centerpiece.storage.lock import claim
from centerpiece.storage.snapshot import packed, unpacked
from centerpiece.storage.upgrades import EventReader, MissingGame, NewerEvent, UnreadableEvent
from centerpiece.table.books import Books
from centerpiece.table.undo import Ledger, Recorded
from centerpiece.text import Problem, Sentence

APPLICATION = 0x63656E74
"""Marks a SQLite file as ours: "cent" in ASCII."""
SCHEMA = 1
"""The format of the file. Its pages are small: an event is some sixty bytes, and every commit
writes the page it stands on, so a quarter of the usual size is written sooner and spares a card."""
PATIENCE = 0.25
"""Seconds to wait for somebody else's write to end; presses must not wait for long."""

_CREATE = """
PRAGMA page_size = 1024;
BEGIN;
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    step INTEGER NOT NULL,
    version INTEGER NOT NULL,
    body BLOB NOT NULL
);
CREATE TABLE settings (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE players (
    name TEXT PRIMARY KEY, seat INTEGER NOT NULL, seen REAL NOT NULL
) WITHOUT ROWID;
PRAGMA application_id = %d;
PRAGMA user_version = %d;
COMMIT;
""" % (APPLICATION, SCHEMA)  # noqa: UP031
_INSERT = "INSERT INTO events (seq, at, step, version, body) VALUES (?, ?, ?, ?, ?)"
_SELECT = "SELECT seq, at, step, version, body FROM events WHERE seq > ? ORDER BY seq"
_BODIES = "SELECT body FROM events WHERE seq > ? AND seq <= ? ORDER BY seq"
_KEEP = "INSERT OR REPLACE INTO settings VALUES (?, ?)"
_KEPT = "SELECT value FROM settings WHERE key = ?"
_SNAPSHOT = "snapshot"
_ELSEWHERE = frozenset(
    (
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_PERM,
    )
)
"""What SQLite reports when the file itself is not to blame."""
_NO_PLACE = "{path} cannot be created: {problem}. Make room, or choose another place with --data."

Row = tuple[int, float, int, int, bytes]


class JournalError(Problem):
    """The journal cannot be used; the sentence says what to do."""

    code = "journal"


class ForeignFile(JournalError, ValueError):
    """The file is there, but it is not a journal of ours."""


class CorruptJournal(JournalError, ValueError):
    """The file is ours and damaged."""


class NewerJournal(JournalError, ValueError):
    """The file was written by a later version of this program."""


class UnknownGame(JournalError, ValueError):
    """The file has a game in it whose package is not installed."""


class JournalBusy(JournalError, BlockingIOError):
    """Another service is using the file."""


class NotSaved(JournalError, OSError):
    """An event could not be written, so it has not happened."""

    code = "not-saved"


class Journal:
    """The journal of one table, in a file or (with `:memory:`) for the moment only."""

    def __init__(self, path: Path | str, books: Books, read_only: bool = False) -> None:
        self.path = path if path == ":memory:" else Path(path)
        self._encode = msgspec.json.Encoder().encode
        self._reader = EventReader(books)
        self._lock: IO[str] | None = None
        if not read_only:
            self._lock = self._claim()
        try:
            self.database = self._open(read_only)
        except BaseException:
            self._release()
            raise

    def append(self, recorded: Iterable[Recorded]) -> None:
        """Write events down, all or none. When this returns they are on the disk."""
        self.file(self.rows(recorded))

    def file(self, rows: list[Row]) -> None:
        """Write rows, all or none."""
        try:
            if len(rows) == 1:
                self.database.execute(_INSERT, rows[0])
                return
            self.database.execute("BEGIN IMMEDIATE")
            try:
                self.database.executemany(_INSERT, rows)
                self.database.execute("COMMIT")
            except sqlite3.Error:
                if self.database.in_transaction:
                    self.database.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise not_saved(error) from error

    def rows(self, recorded: Iterable[Recorded]) -> list[Row]:
        """Events as they are written down."""
        encode = self._encode
        return [(r.seq, r.at, r.step, type(r.event).version, encode(r.event)) for r in recorded]

    def read(self, after: int = 0) -> Iterator[Recorded]:
        """All events after a sequence number, in order, brought up to date."""
        expected = after + 1
        try:
            for seq, at, step, version, body in self.database.execute(_SELECT, (after,)):
                if seq != expected:
                    raise self._damaged(Sentence("event {seq} is missing", {"seq": expected}))
                yield Recorded(seq, at, step, self._event(seq, version, body))
                expected += 1
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def last_at(self) -> float | None:
        """When the last event happened, by the clock on the wall then; None before the first."""
        last = "SELECT at FROM events ORDER BY seq DESC LIMIT 1"
        try:
            row = self.database.execute(last).fetchone()
        except sqlite3.Error as error:
            raise self._unusable(error) from error
        return None if row is None else float(row[0])

    def recover(self, books: Books) -> Ledger:
        """The table as the journal tells it, undo history included."""
        ledger = self._snapshot(books) or Ledger.blank(books)
        for recorded in self.read(after=ledger.seq):
            try:
                ledger = ledger.apply(recorded)
            except (LookupError, TypeError, ValueError) as error:
                where = {"seq": recorded.seq}
                how = Sentence("event {seq} does not follow from those before it", where)
                raise self._damaged(how) from error
        return ledger

    def shorten(self, ledger: Ledger) -> None:
        """Keep the ledger as it is now, so that the next recovery need not begin before it."""
        if (snapshot := packed(ledger)) is None:
            return
        try:
            self.database.execute(_KEEP, (_SNAPSHOT, snapshot))
        except sqlite3.Error as error:
            raise not_saved(error) from error

    def _snapshot(self, books: Books) -> Ledger | None:
        """The ledger as it was kept, if it is one of this journal and of this program."""
        try:
            kept = self.database.execute(_KEPT, (_SNAPSHOT,)).fetchone()
            if kept is None or (found := unpacked(kept[0], books)) is None:
                return None
            ledger, last = found
            bodies = self.database.execute(_BODIES, (ledger.seq - len(last), ledger.seq)).fetchall()
        except sqlite3.Error as error:
            raise self._unusable(error) from error
        return ledger if bodies == [(self._encode(event),) for event in last] else None

    def writable(self) -> bool:
        """Whether a write succeeds now: only one that reached the disk can tell."""
        try:
            self.database.execute("INSERT OR REPLACE INTO settings VALUES ('', zeroblob(4096))")
            self.database.execute("DELETE FROM settings WHERE key = ''")
        except sqlite3.Error:
            return False
        return True

    def close(self) -> None:
        """Let go of the file. May be called twice."""
        self.database.close()
        self._release()

    def _event(self, seq: int, version: int, body: bytes) -> Any:
        try:
            return self._reader.read(version, body)
        except MissingGame as missing:
            raise self._problem(
                UnknownGame,
                "{path}: event {seq} is about the game “{game}”, which is not installed here. "
                "Install the package that brings it; the file is unharmed.",
                seq=seq,
                game=str(missing),
            ) from None
        except NewerEvent:
            raise self._problem(
                NewerJournal,
                "{path}: event {seq} was written by a newer version of this program, or of a "
                "package that brings a game. Update it; the file is unharmed.",
                seq=seq,
            ) from None
        except UnreadableEvent as error:
            how = Sentence("event {seq} cannot be read", {"seq": seq})
            raise self._damaged(how) from error

    def _damaged(self, how: Sentence) -> JournalError:
        return self._problem(
            CorruptJournal,
            "{path} is damaged: {how}. It has not been changed. "
            "Restore a backup, or move the file away to begin anew.",
            how=how,
        )

    def _problem(self, kind: type[JournalError], template: str, **facts: Any) -> JournalError:
        return kind(template, path=str(self.path), **facts)

    def _unusable(self, error: sqlite3.Error) -> JournalError:
        """Damage is one thing; a disk that is full, locked or away is another."""
        if _kind_of(error) in _ELSEWHERE:
            return self._problem(
                JournalError,
                "{path} cannot be used now: {reason}. The file is unharmed.",
                reason=reason(error),
            )
        return self._damaged(Sentence("SQLite reports “{problem}”", {"problem": str(error)}))

    def _claim(self) -> IO[str] | None:
        """Make sure that nobody else writes to this file."""
        if not isinstance(self.path, Path):
            return None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            return claim(self.path)
        except BlockingIOError:
            raise self._problem(
                JournalBusy,
                "{path} is in use by another centerpiece. Stop that one first, "
                "or choose another place with --data.",
            ) from None
        except OSError as error:
            # A read-only disk: the table can be looked at, and commands will say why they fail.
            if self.path.exists():
                return None
            raise self._problem(JournalError, _NO_PLACE, problem=error.strerror) from error

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _open(self, read_only: bool) -> sqlite3.Connection:
        fresh = not isinstance(self.path, Path) or not _has_content(self.path)
        if isinstance(self.path, Path) and fresh and read_only:
            raise self._problem(JournalError, "{path} is not there: no table has been played yet.")
        if not fresh:
            self._check_header()
        if fresh and isinstance(self.path, Path):
            self._create(self.path)
        database = self._connect(read_only)
        try:
            if not isinstance(self.path, Path):
                database.executescript(_CREATE)
            self._prepare(database, read_only)
        except sqlite3.Error as error:
            database.close()
            raise self._unusable(error) from error
        except BaseException:
            database.close()
            raise
        return database

    def _connect(self, read_only: bool) -> sqlite3.Connection:
        try:
            return sqlite3.connect(
                self._address(read_only), timeout=PATIENCE, isolation_level=None, uri=True
            )
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def _address(self, read_only: bool) -> str:
        if not isinstance(self.path, Path):
            return ":memory:"
        address = self.path.absolute().as_uri()
        if read_only:
            return address + "?mode=ro"
        if self._lock is None and not _has_content(self.path.with_name(self.path.name + "-wal")):
            # On a read-only disk the index of a WAL cannot be made; without a WAL none is needed.
            return address + "?immutable=1"
        return address

    def _create(self, path: Path) -> None:
        """A new file, complete before it has its name: a power cut leaves all of it or nothing."""
        unborn = path.with_name(path.name + ".new")
        try:
            for leftover in (unborn, Path(f"{unborn}-journal"), Path(f"{unborn}-wal")):
                leftover.unlink(missing_ok=True)
            database = sqlite3.connect(unborn, isolation_level=None)
            try:
                database.executescript(_CREATE)
                database.execute("PRAGMA journal_mode=WAL").fetchone()
            finally:
                database.close()
            _set_aside(Path(f"{path}-wal"))
            os.replace(unborn, path)
            _sync_folder(path.parent)
        except (sqlite3.Error, OSError) as error:
            raise self._problem(JournalError, _NO_PLACE, problem=str(error)) from error

    def _prepare(self, database: sqlite3.Connection, read_only: bool) -> None:
        (schema,) = database.execute("PRAGMA user_version").fetchone()
        if schema > SCHEMA:
            raise self._problem(
                NewerJournal,
                "{path} was written by a newer version of this program "
                "(format {schema}, this one knows {known}). Update the program.",
                schema=schema,
                known=SCHEMA,
            )
        database.execute("SELECT seq FROM events LIMIT 1").fetchone()
        if read_only:
            return
        try:
            database.execute("PRAGMA journal_mode=WAL").fetchone()
            database.execute("PRAGMA synchronous=FULL")
        except sqlite3.OperationalError as error:
            if _kind_of(error) != sqlite3.SQLITE_READONLY:
                raise

    def _check_header(self) -> None:
        """A SQLite file says what it is in its first hundred bytes."""
        try:
            with open(self.path, "rb") as file:
                header = file.read(100)
        except OSError as error:
            raise self._problem(
                JournalError,
                "{path} cannot be read: {problem}. Choose another place with --data.",
                problem=error.strerror,
            ) from error
        if not header.startswith(b"SQLite format 3\0"):
            raise self._problem(
                ForeignFile,
                "{path} is not a journal: it is no SQLite file. It has not been changed. "
                "Choose another place with --data, or move it away.",
            )
        if int.from_bytes(header[68:72]) != APPLICATION:
            raise self._problem(
                ForeignFile,
                "{path} belongs to another program. It has not been changed. "
                "Choose another place with --data.",
            )


def _sync_folder(folder: Path) -> None:
    """Make a name in a folder as durable as what it names."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _has_content(path: Path) -> bool:
    try:
        return os.stat(path).st_size > 0
    except FileNotFoundError:
        return False


def _set_aside(log: Path) -> None:
    """The log of a file that was moved away: SQLite would play it into the new one."""
    if log.exists():
        os.replace(log, Path(f"{log}.left"))


def not_saved(error: sqlite3.Error) -> NotSaved:
    """What to raise when the disk did not take something."""
    return NotSaved("Not saved: {reason}. Nothing has changed.", reason=reason(error))


def reason(error: sqlite3.Error) -> Sentence:
    """Why the disk did not take something, in words."""
    match _kind_of(error):
        case sqlite3.SQLITE_FULL:
            return Sentence("the disk is full; make room and try again")
        case sqlite3.SQLITE_READONLY:
            return Sentence("the disk is read-only")
        case _:
            return Sentence("the disk reports “{problem}”", {"problem": str(error)})


def _kind_of(error: sqlite3.Error) -> int:
    """SQLite's number for what happened, without the details in its higher bits."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
