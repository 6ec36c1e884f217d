"""Super 15 with people: whoever plays a tile with a power taps their seat, then tells of it.

While somebody is to lose a turn, everyone taps in turn, so that the hub sees the lost turn go by.
"""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from sim.dominoes.happenings import Drew, Happening, Passed, Played, TurnLost
from sim.dominoes.round import Round
from sim.dominoes.super_15 import (
    DirectionReversed,
    NextSkipped,
    SpellBroken,
    SpellCast,
    Super15,
)
from sim.hands import Gesture, dialled, double, hold, tap
from sim.people.reporting import Reporter, Said, seat_button


class Super15Reporter(Reporter):
    """Those who tell of a round of Super 15."""

    round = Super15
    played: Super15
    silent = frozenset()
    said: ClassVar[Said] = {
        DirectionReversed: lambda r, t: "Play turns round.",
        NextSkipped: lambda r, t: f"A double: seat {t.seat + 1} is to lose a turn.",
        SpellCast: lambda r, t: f"Seat {t.seat + 1} casts a spell.",
        SpellBroken: lambda r, t: f"Seat {t.seat + 1} breaks the spell.",
    }

    def __init__(self, played: Round) -> None:
        super().__init__(played)
        self.turn = played.starter
        """Whose turn the hub takes it to be."""
        self.turn_told = False
        """Whether anybody has told it so."""

    def press(self, happening: Happening) -> Iterator[Gesture]:
        match happening:
            case DirectionReversed():
                yield tap("train")
            case NextSkipped():
                yield double("train")
            case SpellCast() | SpellBroken():
                yield hold("train")

    def tell(self, told: Sequence[Happening]) -> Iterator[Gesture]:
        if told and isinstance(told[0], Played):
            yield from self._tell_powers(told[0].seat, told[1:])
        played = self.played
        yield from self._watch_lost_turns(told)
        if played.over:
            return
        watched = any(played.skips) and played.turn != self.turn
        again = played.may_stop and not any(played.skips)
        if watched or again:
            yield from self._take(played.turn)

    def _watch_lost_turns(self, told: Sequence[Happening]) -> Iterator[Gesture]:
        """Whoever comes before and after a lost turn says so."""
        played = self.played
        losses = [place for place, each in enumerate(told) if isinstance(each, TurnLost)]
        for place, each in enumerate(told):
            ahead = any(played.skips) or (losses and losses[-1] > place)
            if isinstance(each, Passed) and ahead and each.seat != self.turn:
                yield from self._take(each.seat)
            elif isinstance(each, TurnLost) and place + 1 not in losses and not played.over:
                yield from self._take((each.seat + played.step) % played.players)

    def _tell_powers(self, seat: int, told: Sequence[Happening]) -> Iterator[Gesture]:
        powers = list(super().tell(told))
        if any(isinstance(each, Drew) and each.seat != seat for each in told):
            self.turn, self.turn_told = seat, True
            self.gleaming &= {seat}
            self.spoken &= {seat}
            yield double(seat_button(seat))
        elif powers and not (self.turn_told and self.turn == seat):
            yield from self._take(seat)
        yield from powers

    def _take(self, seat: int) -> Iterator[Gesture]:
        self.turn, self.turn_told = seat, True
        yield tap(seat_button(seat))

    def scores(self, told: Sequence[Happening]) -> Iterator[Gesture]:
        """Only a blocked round is counted: tiles first, then the pips of those who are level."""
        if not self.played.blocked:
            return
        hands = self.in_order(told)
        for hand in hands:
            yield from dialled(hand.tiles)
        fewest = min(hand.tiles for hand in hands)
        level = [hand for hand in hands if hand.tiles == fewest]
        for hand in level if len(level) > 1 else ():
            yield from dialled(hand.pips)

    def shows(self) -> dict[str, Any]:
        played = self.played
        return {
            "turn": self.turn + 1,
            "direction": "clockwise" if played.clockwise else "counterclockwise",
            "spell": played.spell,
            "caster": None if played.caster is None else played.caster + 1,
        }

    def shows_of_seat(self, seat: int) -> dict[str, Any]:
        return {"skipped": self.played.skips[seat] > 0}

    def train_look(self) -> str:
        return "double" if self.played.spell else "closed"
