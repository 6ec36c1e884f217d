"""The journal: one row an event, on disk before anything is shown. The only truth of a table.

SQLite in WAL mode with `synchronous=FULL`: when `keep` returns, a pulled plug takes nothing
back. Every row carries a checksum. Damage in the game that is on cuts that game back to what is
whole. How the file is opened is in `opening`, what becomes of it in `place`.
Names and settings live in the same file (`settings`).
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
    damaged,
    hurt,
    not_saved,
    unusable,
)
from centerpiece.storage.salvage import MOST_MISSING, fits
from centerpiece.storage.schema import (
    EVENTS,
    FORGET_NAMES,
    INSERT,
    KEEP,
    NAME,
    SETTING,
    Row,
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
"""A row that is written and deleted to see whether the disk takes anything."""
_DROP_PROBE = "DELETE FROM settings WHERE key = ''"
DOES_NOT_FOLLOW = (
    ArithmeticError,
    AssertionError,
    LookupError,
    StopIteration,
    TypeError,
    ValueError,
)
"""What a ledger raises when an event cannot have happened after those before it."""
LONG = 20_000
"""Events that are not read again for the sake of a new release: about a second's."""
_LOG_SIZE = 256 * 1024
"""Bytes: more than is written between two checkpoints."""


class Damage(msgspec.Struct, frozen=True):
    """An event that is lost, in its place."""

    seq: int
    how: Sentence


class JournalEntry(NamedTuple):
    """What one order leaves behind: all of it is kept, or nothing.

    Names and a snapshot are a convenience: a disk that has no room for them keeps the rest.
    """

    recorded: tuple[Recorded, ...] = ()
    settings: Mapping[str, bytes] = {}
    """Values in JSON."""
    players: tuple[tuple[str, int, float], ...] = ()
    """Names with their seats, and when they were seen there."""
    snapshot: Ledger | None = None
    """The next recovery need not begin before it. Kept when the writer rests (`keep_snapshot`)."""


_Write = tuple[str, list[Any]]
"""A statement and its rows."""


class Journal:
    """The journal of one table, in a file or (with `:memory:`) for the moment only."""

    def __init__(self, path: Path | str, game_set: GameSet, read_only: bool = False) -> None:
        self._encode = msgspec.json.Encoder().encode
        self._reader = EventReader(game_set)
        self._place = DatabaseFile(path, read_only)
        self._due: Ledger | None = None
        """The snapshot that is to be kept."""
        self.unchecked = 1
        """Commits since the last checkpoint; at the start the log may hold what a kill left."""

    @property
    def path(self) -> Path | str:
        """Where it is now."""
        return self._place.path

    @property
    def database(self) -> sqlite3.Connection:
        """The open file."""
        return self._place.database

    def append(self, recorded: Iterable[Recorded]) -> None:
        """Write events down, all or none. When this returns they are on the disk."""
        self.keep([JournalEntry(tuple(recorded))])

    def keep(self, entries: Sequence[JournalEntry]) -> None:
        """Write entries down, all or none. When this returns they are on the disk.

        No entries at all are a question: would any be kept now? Only a write can tell.
        """
        self._place.keep()
        events = self.rows(each for entry in entries for each in entry.recorded)
        settings = [setting(*item) for entry in entries for item in entry.settings.items()]
        needed: list[_Write] = [(INSERT, events), (KEEP, settings)]
        try:
            if not entries:
                self._probe()
            elif extra := list(_conveniences(entries)):
                self._keep_with(needed, extra)
            else:
                self._commit(needed)
        except sqlite3.Error as error:
            self._place.note_refusal(error)
            raise not_saved(error) from error
        self.unchecked += 1
        self._place.remember(events)
        if events:
            self._place.acknowledge(events[-1][0])
        for entry in entries:
            self._due = entry.snapshot or self._due

    def keep_snapshot(self) -> None:
        """Keep the latest snapshot that was asked for, while nobody waits."""
        ledger, self._due = self._due, None
        if ledger is None or self._place.read_only or self._place.stuck:
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
        self._place.remember(settings=[row])
        self._place.forget(before=ledger.past[-1].seq)

    def _keep_with(self, needed: list[_Write], extra: list[_Write]) -> None:
        try:
            self._commit(needed + extra)
        except sqlite3.Error:
            self._commit(needed)
            log.warning("names could not be kept")

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
        self._place.open_for_writing()
        self.database.execute(KEEP, _PROBE)
        self.database.execute(_DROP_PROBE)

    def checkpoint(self) -> None:
        """Move what the log holds into the file, while nobody waits.

        Then the log is begun anew by a write: until then a damaged frame in it would hide those
        after it, although they are in the file by now. The first such write gives the log its
        full size: while it grows, the file system notes its length with every commit.
        """
        if self.unchecked and self._place.may_be_changed and not self._place.touched():
            with suppress(sqlite3.Error):
                self.database.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
                size = 0 if self._place.log_size() >= _LOG_SIZE else _LOG_SIZE
                self.database.execute(KEEP, setting("", bytes(size)))
                self.database.execute(_DROP_PROBE)
            self._place.sync_mark()
            self.unchecked = 0
            self._place.remember()

    def rows(self, recorded: Iterable[Recorded]) -> list[Row]:
        """Events as they are written down."""
        encode = self._encode
        rows = []
        for r in recorded:
            row = (r.seq, r.at, r.step, type(r.event).version, encode(r.event))
            rows.append((*row, of_event(*row)))
        return rows

    def read(self, after: int = 0, most: int = -1) -> Iterator[Recorded]:
        """Events after a sequence number, in order, brought up to date: all, or at most so many."""
        for row in self.written(after, most):
            yield self.recorded(row)

    def recorded(self, row: Row) -> Recorded:
        """The event of a row, brought up to date."""
        seq, at, step, version, body, _ = row
        return Recorded(seq, at, step, self._event(seq, version, body))

    def written(self, after: int = 0, most: int = -1) -> Iterator[Row]:
        """The same as they lie in the file."""
        expected = after + 1
        try:
            for row in self.database.execute(EVENTS, (after, most)):
                if row[0] != expected:
                    raise hurt(self.path, Sentence("event {seq} is missing", {"seq": expected}))
                if not fits(row):
                    how = Sentence("event {seq} has changed since it was written", {"seq": row[0]})
                    raise hurt(self.path, how)
                yield row
                expected += 1
        except sqlite3.Error as error:
            raise unusable(self.path, error) from error

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
            raise unusable(self.path, error) from error

    def recover(self, game_set: GameSet) -> Ledger:
        """The table as the journal tells it, undo history included.

        Damage before a snapshot does not matter to it, not even if another release made that.
        Damage after it, in the game that is on, cuts that game back to what is whole.
        """
        if self.lost is not None and self._place.read_only:
            raise hurt(self.path, self.lost)
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
            if self._place.may_be_changed:
                rows.append(row)
            recorded = self.recorded(row)
            try:
                ledger = ledger.apply(recorded)
            except DOES_NOT_FOLLOW as error:
                where = {"seq": recorded.seq}
                how = Sentence("event {seq} does not fit the events before it", where)
                raise damaged(self.path, how) from error
            if len(rows) >= LONG and ledger.bookmark() is not None:
                # As if it had been kept: what lies before need not be known by heart.
                self._due = ledger
                rows.clear()
        self._place.remember(rows)
        return ledger

    def _cut_back(self, ledger: Ledger, error: CardDamage) -> Ledger:
        """The game as it was before the damage; what is whole until then goes to a new file.

        The last action before the damage goes too: the damaged event may be a part of it.
        """
        if not self._place.may_be_changed:
            raise error
        first, before, step = ledger.seq, ledger, 0
        with suppress(CorruptJournal):
            for recorded in self.read(after=ledger.seq):
                if recorded.step != step:
                    before, step = ledger, recorded.step
                ledger = ledger.apply(recorded)
        try:
            rows = self._place.cut_back(before.seq, error.facts["how"])
        except (OSError, sqlite3.Error) as problem:
            log.error("what is whole could not be kept: %s", problem)
            raise error from problem
        self._place.remember(row for row in rows if row[0] > first)
        return before

    def _snapshot(self, game_set: GameSet, of_any_program: bool = False) -> Ledger | None:
        """The ledger as it was kept, if it is one of this journal and of this program."""
        try:
            kept, crc = self.database.execute(SETTING, (SNAPSHOT,)).fetchone() or (b"", 0)
            if crc != of_setting(SNAPSHOT, kept):
                return None
            if (found := unpacked(kept, game_set, of_any_program)) is None:
                return None
            ledger, last = found
            rows = list(self.written(ledger.seq - len(last), len(last)))
            events = [self.recorded(row).event for row in rows]
        except CorruptJournal:
            return None
        except sqlite3.Error as error:
            raise unusable(self.path, error) from error
        if events != list(last):
            return None
        self._place.remember(rows, [(SNAPSHOT, kept, crc)])
        return ledger

    @property
    def stuck(self) -> bool:
        """Whether its disk can only be read. Then nobody may keep another connection for long:
        in one process all share the index of the log, and one that is read-only stays so."""
        return self._place.stuck

    def in_place(self) -> bool:
        """Whether the file that is open, and its log, are those that others find by their names."""
        return self._place.in_place()

    def touched(self) -> bool:
        """Whether somebody else has written to the file since we did."""
        return self._place.touched()

    def keep_place(self) -> Sentence | None:
        """See that what is written can be found again; what to tell, if it could not.

        NotSaved: the disk does not take it.
        """
        return self._place.keep()

    @property
    def moved(self) -> Sentence | None:
        """What became of a file that was not in its place; None if it always was."""
        return self._place.moved

    @property
    def lost(self) -> Sentence | None:
        """What was missing, when the file was opened, of the events that were acknowledged."""
        return self._place.lost

    @property
    def doubts(self) -> int:
        """How often the file was changed, and not by us."""
        return self._place.doubts

    def close(self) -> None:
        """Let go of the file. May be called twice."""
        with suppress(sqlite3.Error):
            self.keep_snapshot()
        self._place.close()

    def _event(self, seq: int, version: int, body: bytes) -> Any:
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


def _conveniences(entries: Sequence[JournalEntry]) -> Iterator[_Write]:
    if names := [(*name, of_player(*name)) for entry in entries for name in entry.players]:
        yield NAME, names
        yield FORGET_NAMES, [()]
