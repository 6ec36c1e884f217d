"""Orders: decided at once, written when the disk can, and only then shown and answered.

There are two ledgers. Commands are decided on what was *decided*; all that is seen, heard,
answered or forwarded comes from what is *written*. Between the two, orders wait for the writer,
which takes whatever waits together and reports back.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec

from centerpiece.display.looks import NEVER
from centerpiece.hub.every import every
from centerpiece.hub.fill_in import FillIn, named
from centerpiece.hub.game_clock import GameClock
from centerpiece.hub.signals import Signals
from centerpiece.hub.time_limits import TimeLimits
from centerpiece.storage import card_speed, clock_jumps
from centerpiece.storage.card_speed import Stopwatch
from centerpiece.storage.errors import NotSaved
from centerpiece.storage.journal import Entry
from centerpiece.storage.settings import Settings
from centerpiece.storage.writer import Writer
from centerpiece.table.commands import Command, NextRound
from centerpiece.table.events import Event, GameStarted, Joined, Renamed, RulesAgreed, Substituted
from centerpiece.table.questions import AsksBack
from centerpiece.table.state import Table
from centerpiece.table.undo import Ledger
from centerpiece.text import Problem, Refused
from hal.ports import Clock

log = logging.getLogger("centerpiece.hub")

RETRY_SAVING = 5.0
LATE = 0.5
"""Seconds after which the hub says that it is still saving."""

NEW_LIMITS = frozenset((GameStarted, RulesAgreed))
"""Events that may give the game another time limit."""
NEW_NAMES = frozenset((GameStarted, Joined, Renamed, Substituted))
"""Events after which the hub has names to remember."""

Answer = int | Problem
"""What becomes of an order: the `seq` after it, or why nothing has changed."""
Told = Callable[[Answer], None]


def unheard(answer: Answer) -> None:
    """For those who need not know."""


class Waiting(NamedTuple):
    """An order that was decided, until everything up to it is written."""

    entry: Entry
    ledger: Ledger
    """As it is after it."""
    answer: Answer
    told: Told
    since: float
    command: Command | None = None
    button: str = ""
    """The one that was pressed for it."""


def same_round(one: Table, other: Table) -> bool:
    """Whether what was asked or tapped at one table still means something at the other."""
    return one.phase == other.phase and len(one.rounds) == len(other.rounds)


class Orders:
    """The two ledgers of a hub, and what waits between them."""

    def __init__(
        self,
        ledger: Ledger,
        settings: Settings,
        writer: Writer,
        clock: Clock,
        game_clock: GameClock,
        limits: TimeLimits,
        signals: Signals,
    ) -> None:
        self._decided = self._written = ledger
        self._settings = settings
        self._writer = writer
        self._clock = clock
        self._game_clock = game_clock
        self._limits = limits
        self._signals = signals
        self._fill_in = FillIn(settings)
        self._waiting: list[Waiting] = []
        self._batch: list[Waiting] | None = None
        """What the writer is at work on; None while it rests."""
        self._handed_over_at = NEVER
        self._stopwatch = Stopwatch()
        self._late_at = NEVER
        self._try_saving_at = NEVER
        self.late = False
        """Whether something has waited for long."""
        self.saved = True
        """Whether the disk keeps what it is given."""
        self._on_decided: Callable[[bool], None] = lambda afresh: None

    @property
    def decided(self) -> Ledger:
        """What was decided: never to be shown."""
        return self._decided

    @property
    def written(self) -> Ledger:
        """What no power cut can take back."""
        return self._written

    def on_decided(self, listener: Callable[[bool], None]) -> None:
        """Called when what was decided is another, and whether it is so in another round.

        Then what was asked and tapped before means nothing any more.
        """
        self._on_decided = listener

    # Decide

    def order(self, command: Command, told: Told, keep: Mapping[str, Any] | None = None) -> None:
        """Have a command carried out, and settings kept together with what it leads to."""
        settings = {key: msgspec.json.encode(value) for key, value in (keep or {}).items()}
        try:
            events = self._events(command)
        except Refused as refusal:
            # It may follow from something that is not written yet, so it waits like all answers.
            self._wait(Entry(settings=settings), refusal, told)
        else:
            self._happen(events, settings, told, command)

    def press(
        self, button: str, command: Command, told: Told, instead_of: int | None = None
    ) -> bool:
        """A command of a button; whether it was decided. What asks back is raised at once."""
        try:
            events = self._events(command, instead_of)
        except AsksBack:
            raise
        except Refused as refusal:
            self._wait(Entry(), refusal, told, command, button)
            return False
        self._happen(events, {}, told, command, button)
        return True

    def keep(self, key: str, value: Any, told: Told = unheard) -> None:
        """Remember a setting; `told` hears when it is kept, or why it is not."""
        self._wait(Entry(settings={key: msgspec.json.encode(value)}), told=told)
        if self._batch is not None:
            self._signals.out_of_date()  # `next_wake` may be another

    def notice_clock(self) -> None:
        """Look whether the wall clock was set."""
        if self._game_clock.notice(self._decided):
            self.keep(clock_jumps.SETTING, self._game_clock.jumps)

    def _events(self, command: Command, instead_of: int | None = None) -> list[Event]:
        """What a command leads to, by what was decided before it."""
        self.notice_clock()
        table = self._decided.table
        command = self._fill_in.completed(table, command)
        clock = self._limits.game_at if type(command) is NextRound else self._game_clock.at
        return self._decided.decide(command, clock(table), instead_of)

    def _happen(
        self,
        events: list[Event],
        settings: Mapping[str, bytes],
        told: Told,
        command: Command,
        button: str = "",
    ) -> None:
        """Events are decided; whoever wants to know waits until they are written."""
        before = self._decided.table
        entry = self._entered(events, settings)
        self._on_decided(not same_round(before, self._decided.table))
        self._wait(entry, self._decided.seq, told, command, button)

    def _entered(self, events: list[Event], settings: Mapping[str, bytes]) -> Entry:
        """Take events into the decided ledger; what there is to be written of them."""
        at, ledger = self._clock.at(), self._decided
        recorded = ledger.record(events, at)
        for each in recorded:
            ledger = ledger.apply(each)
        self._decided = ledger
        kinds = set(map(type, events))
        if NEW_NAMES.isdisjoint(kinds):
            return Entry(tuple(recorded), settings)
        snapshot = ledger if GameStarted in kinds else None
        return Entry(tuple(recorded), settings, named(ledger.table, at), snapshot)

    # Write

    def _wait(
        self,
        entry: Entry,
        answer: Answer = 0,
        told: Told = unheard,
        command: Command | None = None,
        button: str = "",
    ) -> None:
        now = self._clock.now()
        waiting = Waiting(entry, self._decided, answer, told, now, command, button)
        self._waiting.append(waiting)
        self._settings.decided(entry)
        if self._batch is None:
            self._hand_over()
        if self._batch:
            self._signals.waits(button, self.late)

    def _hand_over(self) -> None:
        """Give the writer whatever waits; what needs no writing is shown when its turn comes."""
        while self._waiting and self._batch is None:
            batch, self._waiting = self._waiting, []
            if entries := [each.entry for each in batch if any(each.entry)]:
                if (speed := self._stopwatch.news()) is not None:
                    entries.append(Entry(settings={card_speed.SETTING: msgspec.json.encode(speed)}))
                self._write(batch, entries)
            else:
                every(self._show, batch)
        self._watch_writer()

    def _write(self, batch: list[Waiting], entries: list[Entry]) -> None:
        self._batch, self._handed_over_at = batch, self._clock.now()
        self._writer.write(entries)

    def wrote(self, error: NotSaved | None) -> None:
        """The writer's report: what it was given is on the disk, or is not."""
        batch, self._batch = self._batch or [], None
        self._stopwatch.note(self._clock.now() - self._handed_over_at)
        try:
            if error is None:
                self._has_room()
                every(self._show, batch)
            else:
                self._drop(batch, error)
        finally:
            self._hand_over()
            if error is not None or any(each.told is not unheard for each in batch):
                self._signals.out_of_date()

    def doubt_the_disk(self) -> None:
        """The file may not be in its place any more: the writer looks, and sees to it."""
        self._try_saving_at = self._clock.now()
        self._signals.out_of_date()

    def wake(self, now: float) -> None:
        """Try a disk again that has refused; notice one that stalls."""
        if now >= self._try_saving_at and self._batch is None:
            self._try_saving_at = now + RETRY_SAVING
            self._write([], [])
        if now >= self._late_at:
            self._watch_writer()

    def next_wake(self) -> float:
        """When there is something to try, or to notice."""
        return min(self._late_at, self._try_saving_at if self._batch is None else NEVER)

    def _watch_writer(self) -> None:
        """Notice when something has waited for long, and when nothing does any more."""
        since = self._batch[0].since if self._batch else NEVER
        late = self._clock.now() >= since + LATE
        self._late_at = NEVER if late else since + LATE
        if late != self.late:
            self.late = late
            for each in (*(self._batch or ()), *self._waiting) if late else ():
                self._signals.waits(each.button, late)
            self._signals.news()

    def _has_room(self) -> None:
        self._try_saving_at = NEVER
        if not self.saved:
            self.saved = True
            self._signals.news()

    def _drop(self, batch: list[Waiting], error: NotSaved) -> None:
        """The disk refuses: what is not written has not happened, and whoever waits is told so."""
        lost, self._waiting = [*batch, *self._waiting], []
        self._decided = self._written
        self._settings.drop()
        self._on_decided(True)
        self.saved = False
        self._try_saving_at = self._clock.now() + RETRY_SAVING
        if lost:
            log.error("lost_orders=%d error=%r", len(lost), str(error))
        every(lambda each: self._tell(each, error), lost)
        self._signals.news()

    # Show

    def _show(self, done: Waiting) -> None:
        """It is written: now, and only now, it can be seen, heard, answered and forwarded."""
        before, self._written = self._written.table, done.ledger
        self._settings.written(done.entry)
        try:
            if recorded := done.entry.recorded:
                if any(type(each.event) in NEW_LIMITS for each in recorded):
                    self._limits.begin(done.ledger.table)
                self._signals.happened(before, done.ledger, recorded, done.command)
        finally:
            self._tell(done, done.answer)

    def _tell(self, done: Waiting, answer: Answer) -> None:
        self._signals.waits_no_longer(done.button)
        done.told(answer)
