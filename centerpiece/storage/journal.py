"""The journal: one row for each event, on the disk before anything is shown.

It is the only source of a table's state. SQLite in WAL mode with `synchronous=FULL`: a power cut
takes nothing back after `keep` has returned. Every row carries a checksum. Damage in the running
game cuts that game back to its last intact action. `opening` opens the file, `database_file`
repairs it. Names and settings are in the same file (`settings`).
"""

import logging
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from centerpiece.storage.checksum import of_event, of_player, of_setting
from centerpiece.storage.database_file import DatabaseFile
from centerpiece.storage.errors import (
    CardDamage,
    CorruptJournal,
    NewerJournal,
    UnknownGame,
    card_damage,
    damaged,
    not_saved,
    unusable,
)
from centerpiece.storage.salvage import MOST_MISSING
from centerpiece.storage.schema import (
    EVENTS,
    FORGET_NAMES,
    INSERT,
    KEEP,
    NAME,
    SETTING,
    Row,
    is_intact,
    setting,
)
from centerpiece.storage.snapshot import packed, unpacked
from centerpiece.storage.upgrades import EventReader, MissingGame, NewerEvent, UnreadableEvent
from centerpiece.table.game_set import GameSet
from centerpiece.table.undo import Ledger, Recorded
from centerpiece.text import Sentence

log = logging.getLogger("centerpiece.storage")

SNAPSHOT = "snapshot"
_PROBE = setting("", bytes(4096))
"""A row that is written and deleted to test the disk."""
_DROP_PROBE = "DELETE FROM settings WHERE key = ''"
DOES_NOT_FOLLOW = (
    ArithmeticError,
    AssertionError,
    LookupError,
    StopIteration,
    TypeError,
    ValueError,
)
"""The exceptions of a ledger for an event that cannot follow those before it."""
LONG = 20_000
"""More events than this, about a second's, are not read again because of a new release."""
_LOG_SIZE = 256 * 1024
"""Bytes; more than is written between two checkpoints."""


class Damage(msgspec.Struct, frozen=True):
    """An event that is lost."""

    seq: int
    how: Sentence


class JournalEntry(NamedTuple):
    """The changes of one order, written together or not at all.

    Names and a snapshot are optional: if the disk has no room for them, the rest is written.
    """

    recorded: tuple[Recorded, ...] = ()
    settings: Mapping[str, bytes] = {}
    """JSON values by name."""
    players: tuple[tuple[str, int, float], ...] = ()
    """Names with seat and time."""
    snapshot: Ledger | None = None
    """A start for the next recovery, written when the writer is idle (`keep_snapshot`)."""


_Write = tuple[str, list[Any]]
"""A statement and its rows."""


class Journal:
    """The journal of one table, in a file or, with `:memory:`, in memory only."""

    def __init__(self, path: Path | str, game_set: GameSet, read_only: bool = False) -> None:
        self._encode = msgspec.json.Encoder().encode
        self._reader = EventReader(game_set)
        self.file = DatabaseFile(path, read_only)
        self._due: Ledger | None = None
        """The snapshot to be written by `keep_snapshot`."""
        self.unchecked = 1
        """Commits since the last checkpoint; 1 at the start, because a kill may leave a log."""

    @property
    def path(self) -> Path | str:
        return self.file.path

    @property
    def database(self) -> sqlite3.Connection:
        return self.file.database

    def append(self, recorded: Iterable[Recorded]) -> None:
        """Write events, all or none. They are on the disk when this returns."""
        self.keep([JournalEntry(tuple(recorded))])

    def keep(self, entries: Sequence[JournalEntry]) -> None:
        """Write the entries in one transaction. They are on the disk when this returns.

        Raise NotSaved if the disk refuses. Players' names are left out if there is room only for
        the rest, and snapshots wait for `keep_snapshot`. Without entries, write and delete one row:
        only a write shows whether the disk works.
        """
        self.file.ensure_in_place()
        events = self._rows(each for entry in entries for each in entry.recorded)
        settings = [setting(*item) for entry in entries for item in entry.settings.items()]
        needed: list[_Write] = [(INSERT, events), (KEEP, settings)]
        try:
            if not entries:
                self._probe()
            elif extra := list(_optional(entries)):
                self._keep_with(needed, extra)
            else:
                self._commit(needed)
        except sqlite3.Error as error:
            self.file.note_refusal(error)
            raise not_saved(error) from error
        self.unchecked += 1
        self.file.remember(events)
        if events:
            self.file.acknowledge(events[-1][0])
        for entry in entries:
            self._due = entry.snapshot or self._due

    def keep_snapshot(self) -> None:
        """Write the latest snapshot that is due, if any; called while the writer is idle.

        Nothing is written to a read-only file, or to one that another program has changed or moved.
        If the disk refuses, that is logged and the snapshot dropped.
        """
        if not self.file.in_place() or self.file.touched():
            return  # the next entry finds out why
        ledger, self._due = self._due, None
        if ledger is None or self.file.read_only or self.file.disk_read_only:
            return
        if (content := packed(ledger)) is None:
            return
        row = setting(SNAPSHOT, content)
        try:
            self._commit([(KEEP, [row])])
        except sqlite3.Error as error:
            log.warning("a snapshot for a quicker start could not be kept: %s", error)
            return
        self.unchecked += 1
        self.file.remember(settings=[row])
        self.file.forget(before=ledger.past[-1].seq)

    def _keep_with(self, needed: list[_Write], extra: list[_Write]) -> None:
        """Write `needed` and `extra` together; if the disk refuses, only `needed`, and log that.

        Raise sqlite3.Error if the disk refuses that as well.
        """
        try:
            self._commit(needed + extra)
        except sqlite3.Error:
            self._commit(needed)
            log.warning("names could not be kept")

    def _commit(self, writes: list[_Write]) -> None:
        """Write rows in one transaction, all or none; raise sqlite3.Error if the disk refuses."""
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
        self.file.open_for_writing()
        self.database.execute(KEEP, _PROBE)
        self.database.execute(_DROP_PROBE)

    def checkpoint(self) -> None:
        """Move SQLite's log into the file, if anything was committed since the last time.

        Called while the writer is idle. Errors are ignored, and a file changed by another program
        is left alone. A write then restarts the log: until it does, a damaged frame would hide the
        frames after it, although they are in the file by now. The first such write gives the log
        its full size: while it grows, the file system has to record its length with every commit.
        """
        if self.unchecked and self.file.may_be_changed and not self.file.touched():
            with suppress(sqlite3.Error):
                self.database.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
                size = 0 if self.file.log_size() >= _LOG_SIZE else _LOG_SIZE
                self.database.execute(KEEP, setting("", bytes(size)))
                self.database.execute(_DROP_PROBE)
            self.file.sync_mark()
            self.unchecked = 0
            self.file.remember()

    def _rows(self, recorded: Iterable[Recorded]) -> list[Row]:
        """Encode events as rows, each with a checksum."""
        encode = self._encode
        rows = []
        for r in recorded:
            row = (r.seq, r.at, r.step, type(r.event).version, encode(r.event))
            rows.append((*row, of_event(*row)))
        return rows

    def read(self, after: int = 0, most: int = -1) -> Iterator[Recorded]:
        """Yield the events after number `after`, at most `most` (-1: all), in today's format.

        Raise a JournalError at the first that is missing, damaged or unknown.
        """
        for row in self.stored_rows(after, most):
            yield self.recorded(row)

    def recorded(self, row: Row) -> Recorded:
        """Decode a row; bring its event to today's format."""
        seq, at, step, version, body, _ = row
        return Recorded(seq, at, step, self._event(seq, version, body))

    def stored_rows(self, after: int = 0, most: int = -1) -> Iterator[Row]:
        """Yield the rows of the events after number `after` in order, at most `most` (-1: all).

        Raise a JournalError at the first that is missing or damaged.
        """
        expected = after + 1
        try:
            for row in self.database.execute(EVENTS, (after, most)):
                if row[0] != expected:
                    raise card_damage(
                        self.path, Sentence("event {seq} is missing", {"seq": expected})
                    )
                if not is_intact(row):
                    how = Sentence("event {seq} has changed since it was written", {"seq": row[0]})
                    raise card_damage(self.path, how)
                yield row
                expected += 1
        except sqlite3.Error as error:
            raise unusable(self.path, error) from error

    def scan(self, after: int = 0, most: int = -1) -> Iterator[Recorded | Damage]:
        """Do `read`, but yield `Damage` in place of a missing or damaged event, and continue.

        `most` counts the damage too. End silently after `MOST_MISSING` damaged events in
        succession; raise a JournalError for an event of a newer program or of a game that is not
        installed.
        """
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
        """Return the wall clock time of the last event; None before the first."""
        rows = self.query(
            "SELECT coalesce(CAST(at AS REAL), 0.0) FROM events ORDER BY seq DESC LIMIT 1"
        )
        return float(rows[0][0]) if rows else None

    def query(self, statement: str) -> list[Any]:
        """Return the rows of an SQL query; raise a JournalError if the file cannot be read."""
        try:
            return self.database.execute(statement).fetchall()
        except sqlite3.Error as error:
            raise unusable(self.path, error) from error

    def recover(self, game_set: GameSet) -> Ledger:
        """Return the table after all events, with its undo history; begin at a snapshot that fits.

        Damage before a snapshot is harmless, even if another release made the snapshot. Damage
        after it, in the running game, cuts that game back to its last intact action; a file that
        may not be changed is refused instead. Raise a JournalError for a file that cannot be read
        to its end.
        """
        if self.file.lost is not None and self.file.read_only:
            raise card_damage(self.path, self.file.lost)
        ledger = self._snapshot(game_set)
        if ledger is None:
            # A long journal is not read again because of a new release.
            older = self._snapshot(game_set, of_any_program=True)
            if older is not None and older.seq > LONG:
                ledger = self._due = older
            else:
                ledger = Ledger.blank(game_set)
        try:
            return self._folded(ledger)
        except CorruptJournal as error:
            older = self._snapshot(game_set, of_any_program=True)
            if older is not None and older.seq > ledger.seq:
                return self._folded_or_cut_back(older)
            if not isinstance(error, CardDamage):
                if not ledger.seq:
                    raise
                self._due = None
                return self._folded(Ledger.blank(game_set))  # the snapshot may be to blame
            return self._cut_back(ledger, error)

    def _folded_or_cut_back(self, ledger: Ledger) -> Ledger:
        try:
            return self._folded(ledger)
        except CardDamage as error:
            return self._cut_back(ledger, error)

    def _folded(self, ledger: Ledger) -> Ledger:
        """Return `ledger` after all events behind it; raise CorruptJournal at the first damage.

        In a long journal a snapshot becomes due on the way. The rows that the next start needs are
        copied into memory, unless the file may not be changed.
        """
        since = ledger.seq
        for row in self.stored_rows(after=since):
            recorded = self.recorded(row)
            try:
                ledger = ledger.apply(recorded)
            except DOES_NOT_FOLLOW as error:
                where = {"seq": recorded.seq}
                how = Sentence("event {seq} does not fit the events before it", where)
                raise damaged(self.path, how) from error
            if ledger.seq - since >= LONG and ledger.bookmark() is not None:
                # It will be the snapshot, so the shadow copy needs no rows before it.
                self._due, since = ledger, ledger.seq
        if self.file.may_be_changed:
            self.file.remember(self.stored_rows(after=since))
        return ledger

    def _cut_back(self, ledger: Ledger, error: CardDamage) -> Ledger:
        """Cut the file back to before the damage that raised `error`; return the ledger then.

        `ledger` is the one to begin at. The last action before the damage is dropped too: the
        damaged event may be part of it. Raise `error` if the file may not be changed, or if the
        disk refuses.
        """
        if not self.file.may_be_changed:
            raise error
        first, before, step = ledger.seq, ledger, 0
        with suppress(CorruptJournal):
            for recorded in self.read(after=ledger.seq):
                if recorded.step != step:
                    before, step = ledger, recorded.step
                ledger = ledger.apply(recorded)
        try:
            rows = self.file.cut_back(before.seq, error.facts["how"])
        except (OSError, sqlite3.Error) as problem:
            log.error("intact rows could not be saved: %s", problem)
            raise error from problem
        self.file.remember(row for row in rows if row[0] > first)
        return before

    def _snapshot(self, game_set: GameSet, of_any_program: bool = False) -> Ledger | None:
        """Return the ledger of the stored snapshot; None if there is none, or it does not fit.

        It fits if its checksum is right, if its last events are those of this journal, and if this
        very program wrote it or `of_any_program` is set. Raise a JournalError if the disk cannot be
        read.
        """
        try:
            content, crc = self.database.execute(SETTING, (SNAPSHOT,)).fetchone() or (b"", 0)
            if crc != of_setting(SNAPSHOT, content):
                return None
            if (snapshot := unpacked(content, game_set, of_any_program)) is None:
                return None
            ledger, last = snapshot
            rows = list(self.stored_rows(ledger.seq - len(last), len(last)))
            events = [self.recorded(row).event for row in rows]
        except CorruptJournal:
            return None
        except sqlite3.Error as error:
            if isinstance(problem := unusable(self.path, error), CardDamage):
                return None
            raise problem from error
        if events != list(last):
            return None
        self.file.remember(rows, [(SNAPSHOT, content, crc)])
        return ledger

    def close(self) -> None:
        """Close and unlock the file. May be called twice."""
        with suppress(sqlite3.Error):
            self.keep_snapshot()
        self.file.close()

    def _event(self, seq: int, version: int, body: bytes) -> Any:
        """Decode the stored `body` of event `seq`, of the format `version`.

        Raise UnknownGame or NewerJournal, which say what to install, or CorruptJournal if it cannot
        be read.
        """
        try:
            return self._reader.read(version, body)
        except MissingGame as missing:
            raise UnknownGame(
                "{path}: event {seq} is about the game “{game}”, which is not installed here. "
                "Install the package that brings it; the file is unharmed.",
                path=str(self.path),
                seq=seq,
                game=str(missing),
            ) from None
        except NewerEvent:
            raise NewerJournal(
                "{path}: event {seq} was written by a newer version of this program, or of a "
                "package that brings a game. Update it; the file is unharmed.",
                path=str(self.path),
                seq=seq,
            ) from None
        except UnreadableEvent as error:
            how = Sentence("event {seq} cannot be read", {"seq": seq})
            raise damaged(self.path, how) from error


def _optional(entries: Sequence[JournalEntry]) -> Iterator[_Write]:
    if names := [(*name, of_player(*name)) for entry in entries for name in entry.players]:
        yield NAME, names
        yield FORGET_NAMES, [()]
