"""The commit queue: the only place that knows two states, for events and settings.

*Decided* is what commands are judged by. *Written* is what no power cut can take back; all that is
seen, heard, answered or forwarded comes from it. Between the two, changes wait for the writer. When
it is idle, it receives the whole queue and commits it in one transaction. If the disk refuses, what
was not written is dropped, and everybody who waits is told.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from typing import NamedTuple

import msgspec

from centerpiece.hub.complete_command import names_at
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
"""Seconds after which the hub says that it is still saving."""
NEW_NAMES = frozenset((GameStarted, Joined, Renamed, Substituted))
"""Events after which there are names to remember."""
TURNING_POINTS = frozenset((GameStarted, GameFinished))
"""Events after which the next start need not read what was before."""

Answer = int | Problem
"""The result of an order: the `seq` after it, or why nothing has changed."""
OnDone = Callable[[Answer], None]


def ignore(answer: Answer) -> None:
    """Ignore the result."""


class Saved(NamedTuple):
    """All that a power cut must not take."""

    ledger: Ledger
    settings: Settings


class Pending(NamedTuple):
    """A change that was decided, until everything up to it is written.

    Refusals and answers without any change wait here as well: they may follow from something that
    is not written yet.
    """

    entry: JournalEntry
    saved: Saved
    """As it is after the change."""
    answer: Answer
    on_done: OnDone
    since: float
    command: Command | None
    button: str
    """The one that was pressed for it."""
    echoing: bool
    """Whether that button still echoed: it goes on doing so until this is written."""


class Done(NamedTuple):
    """A change that is written, or that the disk has refused."""

    before: Saved
    pending: Pending
    answer: Answer


class CommitQueue:
    """The two states of a hub, and what waits between them."""

    def __init__(self, saved: Saved, writer: Writer, clock: Clock) -> None:
        self.decided = saved
        """What commands are judged by; never to be shown."""
        self.written = saved
        """What no power cut can take back."""
        self.disk_ok = True
        """Whether the disk keeps what it is given."""
        self.late = False
        """Whether something has waited for long."""
        self._writer = writer
        self._clock = clock
        self._waiting: list[Pending] = []
        self._batch: list[Pending] | None = None
        """What the writer, or the hub after it, is at work on; None while both rest."""
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
        command: Command | None = None,
        button: str = "",
        echoing: bool = False,
    ) -> None:
        """Put a change at the end of the queue. From now on it is decided."""
        entry = JournalEntry(settings=settings or {})
        ledger = self.decided.ledger
        if events:
            entry, ledger = self._recorded(events, entry)
        self.decided = Saved(ledger, self.decided.settings.after(entry))
        done = ledger.seq if answer is None else answer
        now = self._clock.now()
        self._waiting.append(
            Pending(entry, self.decided, done, on_done, now, command, button, echoing)
        )

    def _recorded(
        self, events: Sequence[Event], entry: JournalEntry
    ) -> tuple[JournalEntry, Ledger]:
        at, ledger = self._clock.at(), self.decided.ledger
        recorded = ledger.record(events, at)
        for each in recorded:
            ledger = ledger.apply(each)
        kinds = set(map(type, events))
        names = () if NEW_NAMES.isdisjoint(kinds) else names_at(ledger.table, at)
        snapshot = None if TURNING_POINTS.isdisjoint(kinds) else ledger
        return JournalEntry(tuple(recorded), entry.settings, names, snapshot), ledger

    def flush(self) -> Iterator[Done]:
        """Hand everything that waits to the writer, if it is idle; yield what needs no writing."""
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
        """Move `written` on, change by change; what is added meanwhile waits for its turn."""
        for pending in self._batch or ():
            before, self.written = self.written, pending.saved
            yield Done(before, pending, pending.answer)
        self._batch = None

    def wrote(self, error: NotSaved | None) -> Iterator[Done]:
        """Take the writer's report: its batch is on the disk, or is not."""
        self._stopwatch.note(self._clock.now() - self._handed_over_at)
        if error is None:
            self.disk_ok, self._retry_at = True, inf
            return self._finish()
        lost, self._batch, self._waiting = [*(self._batch or ()), *self._waiting], None, []
        self.decided = self.written
        self.disk_ok, self._retry_at = False, self._clock.now() + RETRY_SAVING
        if lost:
            log.error("lost_orders=%d error=%r", len(lost), str(error))
        return (Done(self.written, pending, error) for pending in lost)

    def doubt_the_disk(self) -> None:
        """Have the writer check soon whether the file is still in its place."""
        self._retry_at = self._clock.now()

    def wake(self, now: float) -> None:
        """Try a disk again that has refused."""
        if now >= self._retry_at and self._batch is None:
            self._retry_at = now + RETRY_SAVING
            self._batch = []
            self._write([])

    def watch(self, now: float) -> bool:
        """Notice a disk that stalls, and one that goes on; return whether that changed."""
        late, self.late = self.late, now >= self._since() + LATE
        return late != self.late

    def next_wake(self) -> float:
        """Return when there is something to try or to notice."""
        late_at = inf if self.late else self._since() + LATE
        return min(late_at, self._retry_at if self._batch is None else inf)

    def _since(self) -> float:
        return self._batch[0].since if self._batch else inf

    def echoing(self) -> list[str]:
        """Return the buttons that echo because what they were pressed for is not written yet."""
        waiting = (*(self._batch or ()), *self._waiting)
        return [each.button for each in waiting if each.button and (each.echoing or self.late)]
