"""Super 15 with people: only tiles with a power are told of, each with one press."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from sim.dominoes.happenings import Drew, Happening, Played
from sim.dominoes.super_15_tiles import (
    DirectionReversed,
    SpellLaid,
    SpellLifted,
    Super15Tiles,
    TurnBarred,
)
from sim.hands import HandGesture, dialled, double, hold, tap
from sim.people.reporting import Reporter, Said


class Super15Reporter(Reporter):
    """Those who tell of a round of Super 15."""

    round = Super15Tiles
    played: Super15Tiles
    silent = frozenset()
    said: ClassVar[Said] = {
        DirectionReversed: lambda r, t: "The direction is reversed.",
        TurnBarred: lambda r, t: f"A double: seat {t.seat + 1} loses a turn.",
        SpellLaid: lambda r, t: f"Seat {t.seat + 1} casts a spell.",
        SpellLifted: lambda r, t: f"Seat {t.seat + 1} breaks the spell.",
    }

    def press(self, happening: Happening) -> Iterator[HandGesture]:
        match happening:
            case DirectionReversed():
                yield tap("train")
            case TurnBarred():
                yield double("train")
            case SpellLaid() | SpellLifted():
                yield hold("train")

    def tell(self, told: Sequence[Happening]) -> Iterator[HandGesture]:
        """Only powers, while there is anybody to obey. A spell broken by another holds on."""
        if self.played.over:
            return
        kinds = set(map(type, told))
        if told and isinstance(told[0], Played):
            seat = told[0].seat
            if any(isinstance(each, Drew) and each.seat != seat for each in told):
                self.gleaming &= {seat}
                self.spoken &= {seat}
                yield double(self.button(seat))
        known: set[type[Happening]] = set()
        if {SpellLaid, SpellLifted} <= kinds:
            known = {SpellLaid, SpellLifted}
        elif TurnBarred in kinds:
            known = {SpellLifted}  # a double always breaks a spell: the hub knows
        for each in told:
            if type(each) not in known:
                yield from self.press(each)

    def scores(self, told: Sequence[Happening]) -> Iterator[HandGesture]:
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

    def counts(self, seat: int) -> bool:
        return self.played.blocked

    def shows(self) -> dict[str, Any]:
        played = self.played
        return {
            "turn": None,
            "direction": "clockwise" if played.clockwise else "counterclockwise",
            "spell": played.spell,
            "caster": None,
        }

    def train_look(self) -> str:
        return "double" if self.played.spell else "closed"
