"""The ledger: a table together with the steps that led to it, for undo and redo.

A step is what one command did: its events, and the table before them. Since tables are never
changed in place, keeping the earlier ones costs next to nothing. Undo and redo are journal events
like all others; only the ledger gives them a meaning. A blown whistle cannot be undone: undo goes
past it to the step before.
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
    ScoreEntered,
    Undone,
    WhistleBlown,
)
from centerpiece.table.game_set import GameSet
from centerpiece.table.past import Past
from centerpiece.table.state import Table
from centerpiece.text import Refused, Sentence

LEDGER_EVENTS = frozenset((Undone, Redone, Retracted))
"""Events about other events; the table itself ignores them."""


MOST_STEPS = 4000
"""More actions than several long evenings have; undo need not reach back further."""


class Recorded(msgspec.Struct, frozen=True, gc=False):
    """An event with its number; `step` is the `seq` of the first event of the same action."""

    seq: int
    at: float
    step: int
    event: Event


class Step(msgspec.Struct, frozen=True, gc=False):
    """One action that can be undone."""

    seq: int
    before: Table
    events: tuple[Event, ...]


class Bookmark(msgspec.Struct, frozen=True, gc=False):
    """A saved ledger: the first table that undo reaches, and the steps after it."""

    seq: int
    table: Table
    steps: tuple[tuple[int, tuple[Event, ...]], ...]


class Ledger(msgspec.Struct, frozen=True, gc=False):
    """A table with its undo and redo history, as an immutable value."""

    game_set: GameSet
    table: Table
    seq: int = 0
    past: Past[Step] = Past()
    future: tuple[Step, ...] = ()
    latest: Event | None = None
    taken_back: Event | None = None
    """The event that the latest Undone or Redone refers to."""

    @classmethod
    def blank(cls, game_set: GameSet) -> "Ledger":
        return cls(game_set, game_set.new_table())

    @classmethod
    def resumed(cls, game_set: GameSet, mark: Bookmark) -> "Ledger":
        """Return the ledger of a bookmark; nothing can be redone."""
        past, table = _replay(game_set, mark.table, mark.steps)
        return cls(game_set, table, mark.seq, Past(past), latest=past[-1].events[-1])

    def decide(self, command: Command, at: float, instead_of: int | None = None) -> list[Event]:
        """Return the events of a command given at time `at`, or raise Refused.

        `instead_of` is the step of a first tap that this command, the double tap, replaces: the
        command is judged as if that step had never been taken.
        """
        if type(command) is Undo:
            step = self.to_undo(command.seat)
            if step is None:
                raise Refused("There is nothing to undo.")
            return [Undone(step.seq)]
        if type(command) is Redo:
            if not self.future:
                raise Refused("There is nothing to redo.")
            return [Redone()]
        if instead_of is None:
            return self.game_set.decide(self.table, command, at)
        _, without = self._without(instead_of)
        return [Retracted(instead_of), *self.game_set.decide(without, command, at)]

    def record(self, events: Sequence[Event], at: float) -> list[Recorded]:
        """Return the events numbered for the journal; they are one step. Nothing is applied."""
        first = self.seq + 1
        return [Recorded(first + n, at, first, event) for n, event in enumerate(events)]

    def apply(self, recorded: Recorded) -> "Ledger":
        """Return the ledger after a recorded event.

        An event of the game makes redo impossible, except for a blown whistle. Raises an error if
        there is nothing that the event could undo or redo.
        """
        event, past, future = recorded.event, self.past, self.future
        taken_back = None
        if type(event) not in LEDGER_EVENTS:
            past, table = self._after_event(recorded.step, event)
            future = future if type(event) is WhistleBlown else ()
        elif isinstance(event, Retracted):
            past, table = self._without(event.step)
        elif type(event) is Undone:
            step = next(step for step in reversed(past) if _undoes(event, step))
            past, table = self._without(step.seq)
            future, taken_back = (*future, step), step.events[-1]
        else:
            step = future[-1]
            (done,), table = _replay(self.game_set, self.table, ((step.seq, step.events),))
            past, future = past.plus(done), future[:-1]
            taken_back = step.events[-1]
        return Ledger(self.game_set, table, recorded.seq, past, future, event, taken_back)

    def notice(self) -> Sentence:
        """Return the sentence about the latest event, such as “Undone: Ann is out.”"""
        if self.latest is None:
            return Sentence("Welcome. Take your seats, then start the game.")
        if self.taken_back is not None:
            told = self._told(self.taken_back)
            word = "Undone: {what}" if isinstance(self.latest, Undone) else "Redone: {what}"
            return Sentence(word, {"what": told})
        told = self.latest.sentence(self.table)
        more = self.game_set.game_of(self.table).remark(self.table, self.latest)
        return told if more is None else Sentence("{told} {more}", {"told": told, "more": more})

    def _best_known(self, before: Table) -> Table:
        return self.table if self.table.seats else before

    def _told(self, event: Event) -> Sentence:
        before = self.past[-1].before if self.past else self.table
        return event.sentence(self._best_known(before))

    def to_undo(self, seat: int | None = None) -> Step | None:
        """Return the step that undo takes back, never a whistle; None if there is none.

        With a `seat`, it is the latest step that entered this seat's hand in the round being
        scored.
        """
        if seat is not None:
            return self._hands_entered().get(seat)
        return next((step for step in reversed(self.past) if not _is_whistle(step)), None)

    def undo_told(self) -> Sentence | None:
        """Return the sentence about the step that undo would take back; None if there is none."""
        step = self.to_undo()
        return None if step is None else self._told(step.events[-1])

    def redo_told(self) -> Sentence | None:
        """Return the sentence about the step that redo would repeat; None if there is none."""
        return self._told(self.future[-1].events[-1]) if self.future else None

    def hands_told(self) -> dict[int, Sentence]:
        """Return, by seat, the sentence about the hand that undo for that seat would take back."""
        return {seat: self._told(step.events[-1]) for seat, step in self._hands_entered().items()}

    def _hands_entered(self) -> dict[int, Step]:
        """Return, while hands are counted, the step of each seat's latest entry in this round."""
        hands: dict[int, Step] = {}
        if self.table.phase != "scoring":
            return hands
        for step in reversed(self.past):
            if step.before.phase != "scoring":
                break
            event = step.events[-1]
            if isinstance(event, ScoreEntered) and event.round == self.table.number:
                hands.setdefault(event.seat, step)
        return hands

    def has_step(self, seq: int | None) -> bool:
        return seq is not None and any(step.seq == seq for step in reversed(self.past))

    def bookmark(self) -> Bookmark | None:
        """Return a bookmark to resume from; None right after an undo or redo.

        There may be undone steps then, which a bookmark does not hold; a whistle leaves them. None
        also while there is no step yet.
        """
        if self.future or not self.past or self.latest is not self.past[-1].events[-1]:
            return None
        steps = tuple((step.seq, step.events) for step in self.past)
        return Bookmark(self.seq, self.past[0].before, steps)

    def _after_event(self, step: int, event: Event) -> tuple[Past[Step], Table]:
        """Return the past with the event added to its step, and the table after the event.

        Events with the same `step` are one step. The start of a game drops all but the last two
        games from the past; otherwise a past longer than MOST_STEPS loses its older half.
        """
        past = self.past
        if past and past[-1].seq == step:
            past = past.with_last(replace(past[-1], events=(*past[-1].events, event)))
        else:
            past = past.plus(Step(step, self.table, (event,)))
        if type(event) is GameStarted:
            past = _last_two_games(past)
        elif len(past) > MOST_STEPS:
            past = past[MOST_STEPS // 2 :]
        return past, self.game_set.evolve(self.table, event)

    def _without(self, seq: int) -> tuple[Past[Step], Table]:
        """Return past and table as if step `seq` had never been taken; later steps are replayed.

        LookupError if the past has no such step.
        """
        for place in range(len(self.past) - 1, -1, -1):
            if self.past[place].seq == seq:
                later = ((step.seq, step.events) for step in self.past[place + 1 :])
                replayed, table = _replay(self.game_set, self.past[place].before, later)
                return Past((*self.past[:place], *replayed)), table
        raise LookupError(f"step {seq} is not among the steps that can be taken back")


def _undoes(event: Undone, step: Step) -> bool:
    return step.seq == event.step if event.step is not None else not _is_whistle(step)


def _is_whistle(step: Step) -> bool:
    """Return True for a step that is a blown whistle: undo leaves its sound alone."""
    return type(step.events[0]) is WhistleBlown


def _replay(
    game_set: GameSet, table: Table, steps: Iterable[tuple[int, tuple[Event, ...]]]
) -> tuple[tuple[Step, ...], Table]:
    """Replay steps, each a number and its events, from this table on.

    Return them with the table they lead to.
    """
    replayed = []
    for seq, events in steps:
        replayed.append(Step(seq, table, events))
        for event in events:
            table = game_set.evolve(table, event)
    return tuple(replayed), table


def _last_two_games(past: Past[Step]) -> Past[Step]:
    """Return the past from the lobby before the last game but one.

    So undo reaches back into a game that a new one ended.
    """
    lobbies = (
        place
        for place in range(len(past) - 1, -1, -1)
        if any(isinstance(event, LobbyOpened) for event in past[place].events)
    )
    next(lobbies, None)
    return past[next(lobbies, 0) :]
