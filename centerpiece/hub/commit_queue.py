"""The commit queue: the only place that knows two states, for events and settings.

Commands are judged by the *decided* state. The *written* state survives a power cut; all that is
shown, heard, answered or forwarded comes from it. Between the two, changes wait for the writer.
When idle, the writer receives the whole queue and commits it in one transaction. If the disk
refuses, the changes that were not written are dropped and their callers get the error.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from typing import NamedTuple

import msgspec

from centerpiece.hub.complete_command import names_at
from centerpiece.hub.order_keys import ORDER_KEYS, with_key
from centerpiece.storage.card_speed import CARD_SPEED, Stopwatch
from centerpiece.storage.errors import NotSaved
from centerpiece.storage.journal import JournalEntry
from centerpiece.storage.settings import Settings
from centerpiece.storage.writer import Writer
from centerpiece.table.commands import Command
from centerpiece.table.events import Event, GameFinished, GameStarted, Joined, Renamed, Substituted
from centerpiece.table.undo import Ledger
from centerpiece.text import Problem
from hal.ports import Clock

log = logging.getLogger("centerpiece.hub")

RETRY_SAVING = 5.0
LATE = 0.5
"""Seconds after which the hub shows that it is still saving."""
NEW_NAMES = frozenset((GameStarted, Joined, Renamed, Substituted))
"""Events after which the names at the table are stored for the next evening."""
TURNING_POINTS = frozenset((GameStarted, GameFinished))
"""Events after which a snapshot is stored, so that the next start need not read older ones."""
SNAPSHOT_EVERY = 5_000
"""A snapshot is also stored after so many events of a game that does not end: the journal keeps
all events since the last one in memory."""

Answer = int | Problem
"""The result of an order: the `seq` after it, or the reason why nothing has changed."""
OnDone = Callable[[Answer], None]


def ignore(answer: Answer) -> None:
    """Ignore the result."""


class Saved(NamedTuple):
    """The durable state of a hub."""

    ledger: Ledger
    settings: Settings


class Pending(NamedTuple):
    """A decided change that is not written yet.

    Refusals and answers without a change are queued as well: they may follow from a change that
    is not written yet.
    """

    entry: JournalEntry
    saved: Saved
    """The state after the change."""
    answer: Answer
    on_done: OnDone
    since: float
    command: Command | None
    button: str
    """The button that was pressed for it, or empty."""
    echoing: bool
    """True if that button's echo was still lit: it stays so until the change is written."""


class Done(NamedTuple):
    """A change that is written or that the disk has refused."""

    before: Saved
    pending: Pending
    answer: Answer


class CommitQueue:
    """The two states of a hub, and the changes between them."""

    def __init__(self, saved: Saved, writer: Writer, clock: Clock) -> None:
        self.decided = saved
        """The state that commands are judged by; never shown."""
        self.written = saved
        """The state that survives a power cut."""
        self.disk_ok = True
        """True unless the last write failed."""
        self.late = False
        """True while a write takes longer than `LATE`."""
        self._writer = writer
        self._clock = clock
        self._waiting: list[Pending] = []
        self._batch: list[Pending] | None = None
        """The changes being written or finished; None while the writer is idle."""
        self._stopwatch = Stopwatch()
        self._handed_over_at = inf
        self._retry_at = inf

    def add(
        self,
        events: Sequence[Event] = (),
        settings: Mapping[str, bytes] | None = None,
        *,
        answer: Answer | None = None,
        on_done: OnDone = ignore,
        order_key: str = "",
        command: Command | None = None,
        button: str = "",
        echoing: bool = False,
    ) -> None:
        """Append a change to the queue; `decided` includes it at once, `flush` has it written.

        `on_done` gets its result: `answer`, such as a refusal, or else the new `seq`. An
        `order_key` is stored with it, unless there is an `answer`. `button` and `echoing` are those
        of a press.
        """
        entry = JournalEntry(settings=settings or {})
        ledger = self.decided.ledger
        if events:
            entry, ledger = self._recorded(events, entry)
        if order_key and answer is None:
            known = with_key(self.decided.settings[ORDER_KEYS], order_key, ledger.seq)
            kept = {**entry.settings, ORDER_KEYS.name: msgspec.json.encode(known)}
            entry = entry._replace(settings=kept)
        self.decided = Saved(ledger, self.decided.settings.after(entry))
        done = ledger.seq if answer is None else answer
        now = self._clock.now()
        self._waiting.append(
            Pending(entry, self.decided, done, on_done, now, command, button, echoing)
        )

    def _recorded(
        self, events: Sequence[Event], entry: JournalEntry
    ) -> tuple[JournalEntry, Ledger]:
        """Return `entry` with these events, and the ledger after them.

        The entry also gets the names at the table and a snapshot, each if one is due.
        """
        at, ledger = self._clock.at(), self.decided.ledger
        recorded = ledger.record(events, at)
        for each in recorded:
            ledger = ledger.apply(each)
        kinds = set(map(type, events))
        names = () if NEW_NAMES.isdisjoint(kinds) else names_at(ledger.table, at)
        due = self.decided.ledger.seq // SNAPSHOT_EVERY != ledger.seq // SNAPSHOT_EVERY
        snapshot = ledger if due or not TURNING_POINTS.isdisjoint(kinds) else None
        return JournalEntry(tuple(recorded), entry.settings, names, snapshot), ledger

    def repeat(self, order_key: str, on_done: OnDone) -> bool:
        """Return True if an order with this key is done already, and queue its answer again.

        False, and nothing is queued, for a new key.
        """
        seq = self.decided.settings[ORDER_KEYS].get(order_key)
        if seq is not None:
            self.add(answer=seq, on_done=on_done)
        return seq is not None

    def flush(self) -> Iterator[Done]:
        """Pass the queue to the writer if it is idle; yield the changes that need no writing.

        Nothing happens before the result is iterated.
        """
        while self._waiting and self._batch is None:
            self._batch, self._waiting = self._waiting, []
            entries = [pending.entry for pending in self._batch if any(pending.entry)]
            if not entries:
                yield from self._finish()
                continue
            if (speed := self._stopwatch.news()) is not None:
                kept = {CARD_SPEED.name: msgspec.json.encode(speed)}
                entries.append(JournalEntry(settings=kept))
            self._write(entries)

    def _write(self, entries: list[JournalEntry]) -> None:
        self._handed_over_at = self._clock.now()
        self._writer.write(entries)

    def _finish(self) -> Iterator[Done]:
        """Advance `written` change by change, yielding each; then the writer counts as idle.

        Changes added meanwhile wait for the next batch. Nothing happens before the result is
        iterated.
        """
        for pending in self._batch or ():
            before, self.written = self.written, pending.saved
            yield Done(before, pending, pending.answer)
            if before.ledger.table is not self.written.ledger.table:
                before.ledger.table.clear_cache()
        self._batch = None

    def wrote(self, error: NotSaved | None) -> Iterator[Done]:
        """Handle the writer's report on its batch, and yield the changes.

        `error` is None if the batch is on the disk. After an error, everything that waits is lost
        as well and `decided` is `written` again. The disk is probed later; nothing that was lost is
        written then.
        """
        self._stopwatch.note(self._clock.now() - self._handed_over_at)
        if error is None:
            self.disk_ok, self._retry_at = True, inf
            return self._finish()
        lost, self._batch, self._waiting = [*(self._batch or ()), *self._waiting], None, []
        self.decided = self.written
        # Not later than planned: orders that are refused meanwhile must not put it off.
        self._retry_at = min(self._retry_at, self._clock.now() + RETRY_SAVING)
        self.disk_ok = False
        if lost:
            log.error("lost_orders=%d error=%r", len(lost), str(error))
        return (Done(self.written, pending, error) for pending in lost)

    def doubt_the_disk(self) -> None:
        """Make the next `wake` check whether the file is still in its place."""
        self._retry_at = self._clock.now()

    def wake(self, now: float) -> None:
        """Probe the disk with an empty batch if a retry is due and the writer is idle."""
        if now >= self._retry_at and self._batch is None:
            self._retry_at = now + RETRY_SAVING
            self._batch = []
            self._write([])

    def watch(self, now: float) -> bool:
        """Update `late`; return True if it changed."""
        late, self.late = self.late, now >= self._since() + LATE
        return late != self.late

    def next_wake(self) -> float:
        """Return the monotonic time at which `wake` or `watch` has something to do, or else inf."""
        late_at = inf if self.late else self._since() + LATE
        return min(late_at, self._retry_at if self._batch is None else inf)

    def _since(self) -> float:
        return self._batch[0].since if self._batch else inf

    def echoing(self) -> list[str]:
        """Return the buttons that still echo because their change is not written yet."""
        waiting = (*(self._batch or ()), *self._waiting)
        return [each.button for each in waiting if each.button and (each.echoing or self.late)]
