"""The journal: one row an event, on disk before anything is shown. The only truth of a table.

SQLite in WAL mode with `synchronous=FULL`: when `keep` returns, a pulled plug takes nothing
back. Every row carries a checksum. A file that is foreign, or newer than this program, is refused
with a sentence and stays as it is. A file that the card has hurt stays beside a new one with all
that is whole (`salvage`); so does one that is overwritten under a running hub, and one that is
taken away is written anew. What became of it is told (`moved`).
Names and settings live in the same file (`settings`).
"""

import logging
import os
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from centerpiece.storage.checksum import of_event, of_player, of_setting
from centerpiece.storage.files import (
    LOGS,
    beside,
    copy_all,
    has_content,
    identity,
    log_of,
    may_write,
    set_aside,
    stamp,
    sync,
)
from centerpiece.storage.lock import Claim
from centerpiece.storage.salvage import (
    EVENTS,
    MOST_MISSING,
    PAGE,
    Remains,
    Row,
    fits,
    remains,
    was_ours,
)
from centerpiece.storage.snapshot import packed, unpacked
from centerpiece.storage.upgrades import EventReader, MissingGame, NewerEvent, UnreadableEvent
from centerpiece.table.books import Books
from centerpiece.table.undo import Ledger, Recorded
from centerpiece.text import Problem, Sentence

log = logging.getLogger("centerpiece.storage")

APPLICATION = 0x63656E74
"""Marks a SQLite file as ours: "cent" in ASCII."""
SCHEMA = 1
"""The format of the file."""
PATIENCE = 0.25
"""Seconds to wait for somebody else's write to end; presses must not wait for long."""

_CREATE = """
PRAGMA page_size = %d;
BEGIN;
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    step INTEGER NOT NULL,
    version INTEGER NOT NULL,
    body BLOB NOT NULL,
    crc INTEGER NOT NULL
);
CREATE TABLE settings (
    key TEXT PRIMARY KEY, value BLOB NOT NULL, crc INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE players (
    name TEXT PRIMARY KEY, seat INTEGER NOT NULL, seen REAL NOT NULL, crc INTEGER NOT NULL
) WITHOUT ROWID;
PRAGMA application_id = %d;
PRAGMA user_version = %d;
COMMIT;
""" % (PAGE, APPLICATION, SCHEMA)  # noqa: UP031
_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table'"
_INSERT = "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)"
_KEEP = "INSERT OR REPLACE INTO settings VALUES (?, ?, ?)"
_NAME = "INSERT OR REPLACE INTO players VALUES (?, ?, ?, ?)"
_KEPT = "SELECT CAST(value AS BLOB), CAST(crc AS INTEGER) FROM settings WHERE key = ?"
_SNAPSHOT = "snapshot"
JOURNAL_ID = "journal-id"
"""A setting that every journal is born with: what tells it from every other."""
_PROBE = ("", bytes(4096), of_setting("", bytes(4096)))
"""A row that is written and deleted to see whether the disk takes anything."""
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
_NOT_ANEW = "Not saved: {path} was taken away, and could not be written anew: {why}."
_GONE = "{path} was taken away while the hub was running. All of it has been written anew."
_REPLACED = (
    "{path} was replaced while the hub was running. What it held, and what is played now, is in "
    "{place}; after a restart the hub uses what is in its place."
)
_OVERWRITTEN = (
    "{path} was overwritten while the hub was running. All that was known has been written anew; "
    "what was written over it is in {place}."
)
_CUT_BACK = (
    "The card has damaged {path}: {how}. The table goes on as it was at event {seq}; compare the "
    "scores. The damaged file is kept as {place}. A card that forgets should be replaced."
)
_BEGUN_ANEW = (
    "The card has damaged {path}: it could not be opened. {count} {count|event|events} could be "
    "saved from it. The damaged file is kept as {place}. A card that forgets should be replaced."
)


class Damage(msgspec.Struct, frozen=True):
    """An event that is lost, in its place."""

    seq: int
    how: Sentence


class JournalError(Problem):
    """The journal cannot be used; the sentence says what to do."""

    code = "journal"


class ForeignFile(JournalError, ValueError):
    """The file is there, but it is not a journal of ours."""


class CorruptJournal(JournalError, ValueError):
    """The file is ours and damaged, or makes no sense."""


class CardDamage(CorruptJournal):
    """Something is not as it was written: the card is to blame, not a program."""


class NewerJournal(JournalError, ValueError):
    """The file was written by a later version of this program."""


class UnknownGame(JournalError, ValueError):
    """The file has a game in it whose package is not installed."""


class JournalBusy(JournalError, BlockingIOError):
    """Another service is using the file."""


class NotSaved(JournalError, OSError):
    """An event could not be written, so it has not happened."""

    code = "not-saved"


class Entry(NamedTuple):
    """What one order leaves behind: all of it is kept, or nothing.

    Names and a snapshot are a convenience: a disk that has no room for them keeps the rest.
    """

    recorded: tuple[Recorded, ...] = ()
    settings: Mapping[str, bytes] = {}
    """Values in JSON."""
    players: tuple[tuple[str, int, float], ...] = ()
    """Names with their seats, and when they were seen there."""
    snapshot: Ledger | None = None
    """The next recovery need not begin before it."""


_Write = tuple[str, list[Any]]
"""A statement and its rows."""


class Journal:
    """The journal of one table, in a file or (with `:memory:`) for the moment only."""

    def __init__(self, path: Path | str, books: Books, read_only: bool = False) -> None:
        self.path = path if path == ":memory:" else Path(path)
        self._encode = msgspec.json.Encoder().encode
        self._reader = EventReader(books)
        self._read_only = read_only
        self._moved: Sentence | None = None
        self._tonight: dict[int, Row] = {}
        self._kept: dict[str, tuple[str, bytes, int]] = {}
        """What the next start needs, in case the file is overwritten: the events since the last
        snapshot, that snapshot, and the journal's own name."""
        self.doubts = 0
        """How often the file was changed, and not by us."""
        self._claim = None if read_only else self._claimed()
        try:
            self.database = self._open()
        except BaseException:
            self._release()
            raise

    def append(self, recorded: Iterable[Recorded]) -> None:
        """Write events down, all or none. When this returns they are on the disk."""
        self.keep([Entry(tuple(recorded))])

    def keep(self, entries: Sequence[Entry]) -> None:
        """Write entries down, all or none. When this returns they are on the disk.

        No entries at all are a question: would any be kept now? Only a write can tell.
        """
        self.keep_place()
        events = self.rows(each for entry in entries for each in entry.recorded)
        settings = [_setting(*item) for entry in entries for item in entry.settings.items()]
        needed: list[_Write] = [(_INSERT, events), (_KEEP, settings)]
        try:
            if not entries:
                self._probe()
            elif extra := list(_conveniences(entries)):
                self._keep_with(needed, extra)
            else:
                self._commit(needed)
        except sqlite3.Error as error:
            raise not_saved(error) from error
        self._remember(events)
        for entry in entries:
            if entry.snapshot is not None and entry.snapshot.past:
                self._forget(before=entry.snapshot.past[-1].seq)

    def _keep_with(self, needed: list[_Write], extra: list[_Write]) -> None:
        try:
            self._commit(needed + extra)
            self._kept.update((rows[0][0], rows[0]) for what, rows in extra if what is _KEEP)
        except sqlite3.Error:
            self._commit(needed)
            log.warning("names or the snapshot for a quicker start could not be kept")

    def _commit(self, writes: list[_Write]) -> None:
        writes = [(statement, rows) for statement, rows in writes if rows]
        if sum(len(rows) for _, rows in writes) == 1:
            statement, (row,) = writes[0]
            self.database.execute(statement, row)
            return
        self.database.execute("BEGIN IMMEDIATE")
        try:
            for statement, rows in writes:
                self.database.executemany(statement, rows)
            self.database.execute("COMMIT")
        except BaseException:
            if self.database.in_transaction:
                self.database.execute("ROLLBACK")
            raise

    def _probe(self) -> None:
        self._open_for_writing()
        self.database.execute(_KEEP, _PROBE)
        self.database.execute("DELETE FROM settings WHERE key = ''")

    def rows(self, recorded: Iterable[Recorded]) -> list[Row]:
        """Events as they are written down."""
        encode = self._encode
        rows = []
        for r in recorded:
            row = (r.seq, r.at, r.step, type(r.event).version, encode(r.event))
            rows.append((*row, of_event(*row)))
        return rows

    def _remember(self, rows: Iterable[Row]) -> None:
        """What a restart needs, should the file not have it any more."""
        if isinstance(self.path, Path):
            self._tonight.update((row[0], row) for row in rows)
            self._stamp = stamp(self.path)

    def _forget(self, before: int) -> None:
        """A snapshot stands for these."""
        self._tonight = {seq: row for seq, row in self._tonight.items() if seq >= before}

    def read(self, after: int = 0, most: int = -1) -> Iterator[Recorded]:
        """Events after a sequence number, in order, brought up to date: all, or at most so many."""
        for row in self.written(after, most):
            yield self._recorded(row)

    def _recorded(self, row: Row) -> Recorded:
        seq, at, step, version, body, _ = row
        return Recorded(seq, at, step, self._event(seq, version, body))

    def written(self, after: int = 0, most: int = -1) -> Iterator[Row]:
        """The same as they lie in the file."""
        expected = after + 1
        try:
            for row in self.database.execute(EVENTS, (after, most)):
                if row[0] != expected:
                    raise self._hurt(Sentence("event {seq} is missing", {"seq": expected}))
                if not fits(row):
                    raise self._hurt(
                        Sentence("event {seq} is not as it was written", {"seq": row[0]})
                    )
                yield row
                expected += 1
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def look(self, after: int = 0, most: int = -1) -> Iterator[Recorded | Damage]:
        """As `read`, but what is damaged is told in its place, and what follows is read on."""
        missing = 0
        while missing < MOST_MISSING:
            try:
                for recorded in self.read(after, most):
                    yield recorded
                    after, most, missing = recorded.seq, most - 1, 0
                return
            except CorruptJournal as error:
                after, most, missing = after + 1, most - 1, missing + 1
                yield Damage(after, error.facts["how"])
            if most == 0:
                return

    def last_at(self) -> float | None:
        """When the last event happened, by the clock on the wall then; None before the first."""
        rows = self.ask("SELECT at FROM events ORDER BY seq DESC LIMIT 1")
        return float(rows[0][0]) if rows else None

    def ask(self, question: str) -> list[Any]:
        """The rows that answer a question in SQL."""
        try:
            return self.database.execute(question).fetchall()
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def recover(self, books: Books) -> Ledger:
        """The table as the journal tells it, undo history included.

        Damage before a snapshot does not matter to it, not even if another release made that.
        Damage after it, in the game that is on, cuts that game back to what is whole.
        """
        ledger = self._snapshot(books) or Ledger.blank(books)
        try:
            return self._folded(ledger)
        except CorruptJournal as error:
            older = self._snapshot(books, of_any_program=True)
            if older is not None and older.seq > ledger.seq:
                return self._folded_or_cut_back(older)
            if not isinstance(error, CardDamage):
                raise
            return self._cut_back(ledger, error)

    def _folded_or_cut_back(self, ledger: Ledger) -> Ledger:
        try:
            return self._folded(ledger)
        except CardDamage as error:
            return self._cut_back(ledger, error)

    def _folded(self, ledger: Ledger) -> Ledger:
        """The ledger with all events that follow."""
        rows = []
        for row in self.written(after=ledger.seq):
            rows.append(row)
            recorded = self._recorded(row)
            try:
                ledger = ledger.apply(recorded)
            except (AssertionError, LookupError, StopIteration, TypeError, ValueError) as error:
                where = {"seq": recorded.seq}
                how = Sentence("event {seq} does not follow from those before it", where)
                raise self._damaged(how) from error
        self._remember(rows)
        return ledger

    def _cut_back(self, ledger: Ledger, error: CardDamage) -> Ledger:
        """The game as it was before the damage; what is whole until then goes to a new file.

        The last action before the damage goes too: the damaged event may be a part of it.
        """
        if self._read_only or self._stuck or not isinstance(self.path, Path):
            raise error
        first, before, step = ledger.seq, ledger, 0
        with suppress(CorruptJournal):
            for recorded in self.read(after=ledger.seq):
                if recorded.step != step:
                    before, step = ledger, recorded.step
                ledger = ledger.apply(recorded)
        try:
            found = self._remains(self.path)
            events = {seq: row for seq, row in found.events.items() if seq <= before.seq}
            place = self._put_in_place(found._replace(events=events), "damaged", self.database)
            self.database = self._open()
        except (OSError, sqlite3.Error) as problem:
            log.error("what is whole could not be kept: %s", problem)
            raise error from problem
        facts = {"how": error.facts["how"], "seq": before.seq, "place": place.name}
        self._moved = Sentence(_CUT_BACK, {"path": str(self.path), **facts})
        self._remember(row for row in events.values() if row[0] > first)
        return before

    def _snapshot(self, books: Books, of_any_program: bool = False) -> Ledger | None:
        """The ledger as it was kept, if it is one of this journal and of this program."""
        try:
            kept, crc = self.database.execute(_KEPT, (_SNAPSHOT,)).fetchone() or (b"", 0)
            if crc != of_setting(_SNAPSHOT, kept):
                return None
            if (found := unpacked(kept, books, of_any_program)) is None:
                return None
            ledger, last = found
            rows = list(self.written(ledger.seq - len(last), len(last)))
            events = [self._recorded(row).event for row in rows]
        except CorruptJournal:
            return None
        except sqlite3.Error as error:
            raise self._unusable(error) from error
        if events != list(last):
            return None
        self._remember(rows)
        self._kept[_SNAPSHOT] = (_SNAPSHOT, kept, crc)
        return ledger

    def in_place(self) -> bool:
        """Whether the file that is open, and its log, are those that others find by their names."""
        if not isinstance(self.path, Path):
            return True
        return identity(self.path) == self._file and (
            self._log is None or identity(log_of(self.path)) == self._log
        )

    def touched(self) -> bool:
        """Whether somebody else has written to the file since we did."""
        return isinstance(self.path, Path) and stamp(self.path) != self._stamp

    @property
    def moved(self) -> Sentence | None:
        """What became of a file that was not in its place; None if it always was."""
        return self._moved

    def keep_place(self) -> Sentence | None:
        """See that what is written can be found again; what to tell, if it could not.

        Whatever was written is still ours while the file is open, even if it was deleted: all of
        it goes to a new file, which gets the old name unless something else has that now.
        NotSaved: the disk does not take it.
        """
        if not self.in_place():
            assert isinstance(self.path, Path)
            was, free = self.path, identity(self.path) in (None, self._file)
            self._write_anew(was if free else beside(was, "kept"))
            facts = {"path": str(was), "place": self.path.name}
            self._moved = Sentence(_GONE if free else _REPLACED, facts)
        elif self.touched():
            self._look_again()
        return self._moved

    def _look_again(self) -> None:
        """The file was changed: by a program that only tidied up, or by one that overwrote it."""
        assert isinstance(self.path, Path)
        self.doubts += 1
        if self._is_as_written(self.path):
            self._stamp = stamp(self.path)
            return
        try:
            place = self._put_in_place(self._known(self.path), "overwritten", self.database)
            self.database = self._open()
        except (OSError, sqlite3.Error, JournalError) as error:
            raise NotSaved(_NOT_ANEW, path=str(self.path), why=_why(error)) from error
        self._moved = Sentence(_OVERWRITTEN, {"path": str(self.path), "place": place.name})

    def _is_as_written(self, path: Path) -> bool:
        """Whether another program would find in the file what the next start needs."""
        try:
            with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as other:
                first = min(self._tonight, default=1)
                rows = {row[0]: row for row in other.execute(EVENTS, (first - 1, -1))}
                kept = {key: other.execute(_KEPT, (key,)).fetchone() for key in self._kept}
        except sqlite3.Error:
            return False
        wanted = {key: row[1:] for key, row in self._kept.items()}
        return wanted == kept and self._tonight.items() <= rows.items()

    def _known(self, path: Path) -> Remains:
        """What is still ours in an overwritten file and its log, and all of tonight's.

        Nothing of a file that is another journal now.
        """
        found, own = self._remains(path), self._kept.get(JOURNAL_ID)
        if self._remains(path, log=False).settings.get(JOURNAL_ID, own) != own:
            found = Remains({}, {}, {})
        return Remains(found.events | self._tonight, found.settings | self._kept, found.players)

    def _remains(self, path: Path, log: bool = True) -> Remains:
        with closing(empty(":memory:")) as fresh:
            return remains(path, fresh, log)

    def _put_in_place(
        self, found: Remains, word: str, present: sqlite3.Connection | None = None
    ) -> Path:
        """A new file with these rows; where the present one is kept, byte by byte."""
        assert isinstance(self.path, Path)
        unfinished = self.path.with_name(f".{self.path.name}.unfinished")
        unfinished.unlink(missing_ok=True)
        with closing(empty(unfinished)) as database:
            found.write(database)
        sync(unfinished)
        place = set_aside(self.path, word)
        if present is not None:
            present.close()
        for end in LOGS:
            # One that stayed would be played into the new file.
            self.path.with_name(self.path.name + end).unlink(missing_ok=True)
        os.replace(unfinished, self.path)
        sync(self.path.parent)
        return place

    def _write_anew(self, place: Path) -> None:
        """All that the open file holds, under a name that is free."""
        assert isinstance(self.path, Path)
        unfinished = place.with_name(f".{place.name}.unfinished")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            if self._claim is None or not self._claim.holds(place.parent):
                self._release()
                self._claim = Claim(place.parent)
            unfinished.unlink(missing_ok=True)
            copy_all(self.database, unfinished)
            os.replace(unfinished, place)
            sync(place.parent)
            self.database.close()
            if identity(log_of(self.path)) == self._log:
                # It would be played into whatever file has the name.
                for end in LOGS:
                    _set_aside(self.path.with_name(self.path.name + end))
            self.path = place
            self.database = self._open()
        except (OSError, sqlite3.Error, JournalError) as error:
            raise NotSaved(_NOT_ANEW, path=str(place), why=_why(error)) from error

    def _open_for_writing(self) -> None:
        """A file that was opened on a read-only disk is opened anew once it can be written."""
        if self._stuck and isinstance(self.path, Path) and may_write(self.path):
            self.database.close()
            try:
                self.database = self._open()
            except JournalError as error:
                why = error.sentence
                raise NotSaved("Not saved: {reason} Nothing has changed.", reason=why) from error

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

    def _damaged(self, how: Sentence, kind: type[CorruptJournal] = CorruptJournal) -> JournalError:
        return self._problem(
            kind,
            "{path} is damaged: {how}. It has not been changed. "
            "Restore a backup, or move the file away to begin anew.",
            how=how,
        )

    def _hurt(self, how: Sentence) -> JournalError:
        return self._damaged(how, CardDamage)

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
        return self._hurt(Sentence("SQLite reports “{problem}”", {"problem": str(error)}))

    def _claimed(self) -> Claim | None:
        """Make sure that nobody else writes here."""
        if not isinstance(self.path, Path):
            return None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            return Claim(self.path.parent)
        except BlockingIOError:
            raise self._problem(
                JournalBusy,
                "{path} is in use by another centerpiece. Stop that one first, "
                "or choose another place with --data.",
            ) from None
        except OSError as error:
            raise self._problem(JournalError, _NO_PLACE, problem=error.strerror) from error

    def _release(self) -> None:
        if self._claim is not None:
            self._claim.release()
            self._claim = None

    def _open(self) -> sqlite3.Connection:
        """The file, ready for use. A journal that cannot be opened is begun anew."""
        try:
            return self._open_file()
        except (ForeignFile, CardDamage) as error:
            if self._read_only or self._stuck or not isinstance(self.path, Path):
                raise
            try:
                with closing(empty(":memory:")) as fresh:
                    if not was_ours(self.path, fresh):
                        raise
                found = self._remains(self.path)
                place = self._put_in_place(found, "damaged")
            except (OSError, sqlite3.Error) as problem:
                log.error("what is whole could not be kept: %s", problem)
                raise error from problem
            facts = {"count": len(found.events), "place": place.name}
            self._moved = Sentence(_BEGUN_ANEW, {"path": str(self.path), **facts})
            return self._open_file()

    def _open_file(self) -> sqlite3.Connection:
        self._stuck = False
        """Whether the disk was read-only when the file was opened."""
        if isinstance(self.path, Path):
            if not has_content(self.path):
                if self._read_only:
                    nothing = "{path} is not there: no table has been played yet."
                    raise self._problem(JournalError, nothing)
                self._create(self.path)
            self._stuck = not self._read_only and not may_write(self.path)
        database = self._connect()
        try:
            if not isinstance(self.path, Path):
                _begin(database)
            self._prepare(database)
        except sqlite3.Error as error:
            database.close()
            raise self._unusable(error) from error
        except BaseException:
            database.close()
            raise
        if isinstance(self.path, Path):
            self._file, self._log = identity(self.path), identity(log_of(self.path))
            self._stamp = stamp(self.path)
            with suppress(sqlite3.Error):
                value, crc = database.execute(_KEPT, (JOURNAL_ID,)).fetchone() or (b"", 0)
                self._kept[JOURNAL_ID] = (JOURNAL_ID, value, crc)
        return database

    def _connect(self) -> sqlite3.Connection:
        try:
            return sqlite3.connect(
                self._address(),
                timeout=PATIENCE,
                isolation_level=None,
                uri=True,
                check_same_thread=False,  # a writer takes it over
            )
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def _address(self) -> str:
        if not isinstance(self.path, Path):
            return ":memory:"
        address = self.path.absolute().as_uri()
        if self._read_only:
            return address + "?mode=ro"
        if self._stuck and not has_content(log_of(self.path)):
            # On a read-only disk the index of a WAL cannot be made; without a WAL none is needed.
            return address + "?immutable=1"
        return address

    def _create(self, path: Path) -> None:
        """A new file, complete before it has its name: a power cut leaves all of it or nothing."""
        unborn = path.with_name(path.name + ".new")
        try:
            for leftover in (unborn, Path(f"{unborn}-journal"), Path(f"{unborn}-wal")):
                leftover.unlink(missing_ok=True)
            with closing(empty(unborn)) as database:
                database.execute("PRAGMA journal_mode=WAL").fetchone()
            _set_aside(log_of(path))
            os.replace(unborn, path)
            sync(path.parent)
        except (sqlite3.Error, OSError) as error:
            raise self._problem(JournalError, _NO_PLACE, problem=str(error)) from error

    def _prepare(self, database: sqlite3.Connection) -> None:
        self._recognize(database)
        (schema,) = database.execute("PRAGMA user_version").fetchone()
        if schema > SCHEMA:
            raise self._problem(
                NewerJournal,
                "{path} was written by a newer version of this program "
                "(format {schema}, this one knows {known}). Update the program.",
                schema=schema,
                known=SCHEMA,
            )
        if ("events",) not in database.execute(_TABLES):
            raise self._hurt(Sentence("no such table: events"))
        if self._read_only:
            return
        try:
            database.execute("PRAGMA journal_mode=WAL").fetchone()
            database.execute("PRAGMA synchronous=FULL")
        except sqlite3.OperationalError as error:
            if _kind_of(error) != sqlite3.SQLITE_READONLY:
                raise

    def _recognize(self, database: sqlite3.Connection) -> None:
        """SQLite is asked what the file is, never the file itself.

        Closing a file that SQLite has open elsewhere in this process would end SQLite's locks.
        """
        try:
            (application,) = database.execute("PRAGMA application_id").fetchone()
        except sqlite3.DatabaseError as error:
            if _kind_of(error) != sqlite3.SQLITE_NOTADB:
                raise
            raise self._problem(
                ForeignFile,
                "{path} is not a journal: it is no SQLite file. It has not been changed. "
                "Choose another place with --data, or move it away.",
            ) from error
        if application != APPLICATION:
            raise self._problem(
                ForeignFile,
                "{path} belongs to another program. It has not been changed. "
                "Choose another place with --data.",
            )


def empty(path: Path | str) -> sqlite3.Connection:
    """A new file of ours without anything in it, open."""
    database = sqlite3.connect(path, isolation_level=None)
    try:
        _begin(database)
    except BaseException:
        database.close()
        raise
    return database


def _begin(database: sqlite3.Connection) -> None:
    """An empty journal, and what it will be known by."""
    database.executescript(_CREATE)
    database.execute(_KEEP, _setting(JOURNAL_ID, msgspec.json.encode(secrets.token_hex(8))))


def _setting(key: str, value: bytes) -> tuple[str, bytes, int]:
    return key, value, of_setting(key, value)


def _conveniences(entries: Sequence[Entry]) -> Iterator[_Write]:
    if names := [(*name, of_player(*name)) for entry in entries for name in entry.players]:
        yield _NAME, names
    for ledger in filter(None, [entry.snapshot for entry in reversed(entries)]):
        if (snapshot := packed(ledger)) is not None:
            yield _KEEP, [_setting(_SNAPSHOT, snapshot)]
            return


def _set_aside(log: Path) -> None:
    """The log of a file that was moved away: SQLite would play it into the new one."""
    if log.exists():
        os.replace(log, Path(f"{log}.left"))


def not_saved(error: sqlite3.Error) -> NotSaved:
    """What to raise when the disk did not take something."""
    return NotSaved("Not saved: {reason}. Nothing has changed.", reason=reason(error))


def _why(error: Exception) -> object:
    return reason(error) if isinstance(error, sqlite3.Error) else str(error)


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
