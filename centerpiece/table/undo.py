"""The ledger: a table together with the steps that led to it, so that any can be taken back.

A step is what one command did: its events, and the table before them. Since tables are never
changed in place, keeping the earlier ones costs next to nothing.
Undo and redo are events of the journal like all others; only the ledger gives them a meaning.
"""

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from centerpiece.table.books import Books
from centerpiece.table.commands import Command, Redo, Undo
from centerpiece.table.events import (
    Event,
    GameStarted,
    LobbyOpened,
    Redone,
    Retracted,
    Undone,
)
from centerpiece.table.state import Table
from centerpiece.text import Refused, Sentence

OF_THE_LEDGER = frozenset((Undone, Redone, Retracted))
"""The events that say something of other events."""


MOST_STEPS = 4000
"""As many actions as several long evenings have: undo need not reach back further."""


class Recorded(msgspec.Struct, frozen=True, gc=False):
    """An event in its place: `step` is the `seq` of the first event of the same action."""

    seq: int
    at: float
    step: int
    event: Event


class Step(msgspec.Struct, frozen=True, gc=False):
    """One action that can be taken back."""

    seq: int
    before: Table
    events: tuple[Event, ...]


class Bookmark(msgspec.Struct, frozen=True, gc=False):
    """All that a ledger knows after an event: the first table that undo reaches, and the steps."""

    seq: int
    table: Table
    steps: tuple[tuple[int, tuple[Event, ...]], ...]


class Ledger:
    """A table, its past and what was taken back from it."""

    def __init__(self, books: Books) -> None:
        self.books = books
        self.table = books.new_table()
        self.seq = 0
        self.past: list[Step] = []
        self.future: list[Step] = []
        self._latest: Event | None = None
        self._taken_back: Event | None = None

    def decide(self, command: Command, at: float, instead_of: int | None = None) -> list[Event]:
        """The events that a command leads to; changes nothing.

        `instead_of` is the step of a first tap that this command, the double tap, replaces.
        """
        if type(command) is Undo:
            if not self.past:
                raise Refused("There is nothing to undo.")
            return [Undone()]
        if type(command) is Redo:
            if not self.future:
                raise Refused("There is nothing to do again.")
            return [Redone()]
        if instead_of is None:
            return self.books.decide(self.table, command, at)
        return [Retracted(instead_of), *self.books.decide(self._without(instead_of), command, at)]

    def record(self, events: list[Event], at: float) -> list[Recorded]:
        """The events in their places, ready for the journal; changes nothing."""
        first = self.seq + 1
        return [Recorded(first + n, at, first, event) for n, event in enumerate(events)]

    def apply(self, recorded: Recorded) -> None:
        """Take a recorded event into the books."""
        event = recorded.event
        self.seq = recorded.seq
        self._latest = event
        self._taken_back = None
        kind = type(event)
        if kind not in OF_THE_LEDGER:
            self._act(recorded.step, event)
        elif kind is Undone:
            step = self.past.pop()
            self.future.append(step)
            self.table = step.before
            self._taken_back = step.events[-1]
        elif kind is Redone:
            step = self.future.pop()
            self._redo(step.seq, step.events)
            self._taken_back = step.events[-1]
        elif isinstance(event, Retracted):
            self._retract(event.step)

    def notice(self) -> Sentence:
        """The last thing that happened, as a sentence."""
        if self._latest is None:
            return Sentence("Welcome. Tap a seat to play, hold advance to start.")
        if self._taken_back is not None:
            before = self.past[-1].before if self.past else self.table
            told = self._taken_back.sentence(self._best_known(before))
            word = "Undone: {what}" if isinstance(self._latest, Undone) else "Done again: {what}"
            return Sentence(word, {"what": told})
        told = self._latest.sentence(self.table)
        more = self.books.game_of(self.table).remark(self.table, self._latest)
        return told if more is None else Sentence("{told} {more}", {"told": told, "more": more})

    def _best_known(self, before: Table) -> Table:
        return self.table if self.table.seats else before

    def has_step(self, seq: int | None) -> bool:
        """Whether a step is among those that can be taken back."""
        return seq is not None and any(step.seq == seq for step in reversed(self.past))

    def bookmark(self) -> Bookmark | None:
        """The place in the books, for going on from there; None where undo has just been at work.

        Then there may be steps taken back, which a bookmark does not hold.
        """
        if not self.past or self._latest is not self.past[-1].events[-1]:
            return None
        steps = tuple((step.seq, step.events) for step in self.past)
        return Bookmark(self.seq, self.past[0].before, steps)

    @classmethod
    def resumed(cls, books: Books, mark: Bookmark) -> "Ledger":
        """The ledger as it was at a bookmark."""
        ledger = cls(books)
        ledger.table = mark.table
        for seq, events in mark.steps:
            ledger._redo(seq, events)
        ledger.seq = mark.seq
        ledger._latest = mark.steps[-1][1][-1]
        return ledger

    def _act(self, step: int, event: Event) -> None:
        self.future.clear()
        past = self.past
        if past and past[-1].seq == step:
            past[-1] = replace(past[-1], events=(*past[-1].events, event))
        else:
            past.append(Step(step, self.table, (event,)))
        self.table = self.books.evolve(self.table, event)
        if type(event) is GameStarted:
            self._forget_earlier_games()
        elif len(past) > MOST_STEPS:
            del past[: MOST_STEPS // 2]

    def _redo(self, seq: int, events: tuple[Event, ...]) -> None:
        self.past.append(Step(seq, self.table, events))
        self.table = self._folded(self.table, events)

    def _retract(self, seq: int) -> None:
        later = self._steps_from(seq)
        del self.past[len(self.past) - len(later) :]
        self.table = later[0].before
        for step in later[1:]:
            self._redo(step.seq, step.events)

    def _without(self, seq: int) -> Table:
        """The table as it would be had that step not been taken."""
        later = self._steps_from(seq)
        table = later[0].before
        for step in later[1:]:
            table = self._folded(table, step.events)
        return table

    def _folded(self, table: Table, events: Iterable[Event]) -> Table:
        for event in events:
            table = self.books.evolve(table, event)
        return table

    def _steps_from(self, seq: int) -> list[Step]:
        for back, step in enumerate(reversed(self.past), start=1):
            if step.seq == seq:
                return self.past[len(self.past) - back :]
        raise LookupError(f"step {seq} is not among the steps that can be taken back")

    def _forget_earlier_games(self) -> None:
        """Once a new game runs, undo reaches back to the lobby before it and no further."""
        for place in range(len(self.past) - 1, -1, -1):
            if any(isinstance(event, LobbyOpened) for event in self.past[place].events):
                del self.past[:place]
                return
