"""The ledger: a table together with the steps that led to it, so that any can be taken back.

A step is what one command did: its events, and the table before them. Since tables are never
changed in place, keeping the earlier ones costs next to nothing.
Undo and redo are events of the journal like all others; only the ledger gives them a meaning.
A whistle that was blown stays blown: undo reaches past it, to what was done before.
"""

from collections.abc import Iterable, Sequence

import msgspec
from msgspec.structs import replace

from centerpiece.table.commands import Command, Redo, Undo
from centerpiece.table.events import (
    Event,
    GameStarted,
    LobbyOpened,
    Redone,
    Retracted,
    Undone,
    WhistleBlown,
)
from centerpiece.table.game_set import GameSet
from centerpiece.table.past import Past
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


class Ledger(msgspec.Struct, frozen=True, gc=False):
    """A table, its past and what was taken back from it: a value, like the table itself."""

    game_set: GameSet
    table: Table
    seq: int = 0
    past: Past[Step] = Past()
    future: tuple[Step, ...] = ()
    latest: Event | None = None
    taken_back: Event | None = None
    """What the latest event took back, or did again."""

    @classmethod
    def blank(cls, game_set: GameSet) -> "Ledger":
        """The ledger of a table at which nothing has happened yet."""
        return cls(game_set, game_set.new_table())

    @classmethod
    def resumed(cls, game_set: GameSet, mark: Bookmark) -> "Ledger":
        """The ledger as it was at a bookmark."""
        past, table = _retold(game_set, mark.table, mark.steps)
        return cls(game_set, table, mark.seq, Past(past), latest=past[-1].events[-1])

    def decide(self, command: Command, at: float, instead_of: int | None = None) -> list[Event]:
        """The events that a command leads to.

        `instead_of` is the step of a first tap that this command, the double tap, replaces.
        """
        if type(command) is Undo:
            if not self.can_undo:
                raise Refused("There is nothing to undo.")
            return [Undone()]
        if type(command) is Redo:
            if not self.future:
                raise Refused("There is nothing to redo.")
            return [Redone()]
        if instead_of is None:
            return self.game_set.decide(self.table, command, at)
        _, without = self._without(instead_of)
        return [Retracted(instead_of), *self.game_set.decide(without, command, at)]

    def record(self, events: Sequence[Event], at: float) -> list[Recorded]:
        """The events in their places, ready for the journal."""
        first = self.seq + 1
        return [Recorded(first + n, at, first, event) for n, event in enumerate(events)]

    def apply(self, recorded: Recorded) -> "Ledger":
        """The ledger after a recorded event."""
        event, past, future = recorded.event, self.past, self.future
        taken_back = None
        if type(event) not in OF_THE_LEDGER:
            past, table = self._acted(recorded.step, event)
            future = future if type(event) is WhistleBlown else ()
        elif isinstance(event, Retracted):
            past, table = self._without(event.step)
        elif type(event) is Undone:
            step = next(step for step in reversed(past) if not _stays(step))
            past, table = self._without(step.seq)
            future, taken_back = (*future, step), step.events[-1]
        else:
            step = future[-1]
            (done,), table = _retold(self.game_set, self.table, ((step.seq, step.events),))
            past, future = past.plus(done), future[:-1]
            taken_back = step.events[-1]
        return Ledger(self.game_set, table, recorded.seq, past, future, event, taken_back)

    def notice(self) -> Sentence:
        """The last thing that happened, as a sentence."""
        if self.latest is None:
            return Sentence("Welcome. Take your seats, then start the game.")
        if self.taken_back is not None:
            before = self.past[-1].before if self.past else self.table
            told = self.taken_back.sentence(self._best_known(before))
            word = "Undone: {what}" if isinstance(self.latest, Undone) else "Redone: {what}"
            return Sentence(word, {"what": told})
        told = self.latest.sentence(self.table)
        more = self.game_set.game_of(self.table).remark(self.table, self.latest)
        return told if more is None else Sentence("{told} {more}", {"told": told, "more": more})

    def _best_known(self, before: Table) -> Table:
        return self.table if self.table.seats else before

    @property
    def can_undo(self) -> bool:
        """Whether something was done that can be taken back."""
        return any(not _stays(step) for step in reversed(self.past))

    def has_step(self, seq: int | None) -> bool:
        """Whether a step is among those that can be taken back."""
        return seq is not None and any(step.seq == seq for step in reversed(self.past))

    def bookmark(self) -> Bookmark | None:
        """The place in the books, for going on from there; None where undo has just been at work.

        Then there may be steps taken back, which a bookmark does not hold.
        """
        if not self.past or self.latest is not self.past[-1].events[-1]:
            return None
        steps = tuple((step.seq, step.events) for step in self.past)
        return Bookmark(self.seq, self.past[0].before, steps)

    def shortened(self, steps: int) -> "Ledger":
        """The same with a shorter memory: so many steps can be taken back, and no more."""
        return replace(self, past=self.past[-steps:])

    def _acted(self, step: int, event: Event) -> tuple[Past[Step], Table]:
        """Past and table after an event of the game."""
        past = self.past
        if past and past[-1].seq == step:
            past = past.with_last(replace(past[-1], events=(*past[-1].events, event)))
        else:
            past = past.plus(Step(step, self.table, (event,)))
        if type(event) is GameStarted:
            past = _of_this_game(past)
        elif len(past) > MOST_STEPS:
            past = past[MOST_STEPS // 2 :]
        return past, self.game_set.evolve(self.table, event)

    def _without(self, seq: int) -> tuple[Past[Step], Table]:
        """Past and table as they would be had that step not been taken."""
        for place in range(len(self.past) - 1, -1, -1):
            if self.past[place].seq == seq:
                later = ((step.seq, step.events) for step in self.past[place + 1 :])
                retold, table = _retold(self.game_set, self.past[place].before, later)
                return Past((*self.past[:place], *retold)), table
        raise LookupError(f"step {seq} is not among the steps that can be taken back")


def _stays(step: Step) -> bool:
    """Whether a step is no action of the game: what was heard was heard."""
    return type(step.events[0]) is WhistleBlown


def _retold(
    game_set: GameSet, table: Table, steps: Iterable[tuple[int, tuple[Event, ...]]]
) -> tuple[tuple[Step, ...], Table]:
    """Steps taken from another table, and the table that they lead to."""
    taken = []
    for seq, events in steps:
        taken.append(Step(seq, table, events))
        for event in events:
            table = game_set.evolve(table, event)
    return tuple(taken), table


def _of_this_game(past: Past[Step]) -> Past[Step]:
    """Once a new game runs, undo reaches back to the lobby before it and no further."""
    for place in range(len(past) - 1, -1, -1):
        if any(isinstance(event, LobbyOpened) for event in past[place].events):
            return past[place:]
    return past
