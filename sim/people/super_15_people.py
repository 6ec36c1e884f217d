"""Super 15 with people: only tiles with a power are reported, each with one press."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from sim.dominoes.happenings import Drew, Happening, Played
from sim.dominoes.super_15_tiles import (
    DirectionReversed,
    SkipAssigned,
    SpellEnded,
    SpellStarted,
    Super15Tiles,
)
from sim.hands import HandGesture, dialled, double, hold, tap
from sim.people.reporting import Commentary, Reporter


class Super15Reporter(Reporter):
    """Reports a round of Super 15."""

    round = Super15Tiles
    played: Super15Tiles
    silent = frozenset()
    commentary: ClassVar[Commentary] = {
        DirectionReversed: lambda r, t: "The direction is reversed.",
        SkipAssigned: lambda r, t: f"A double: seat {t.seat + 1} loses a turn.",
        SpellStarted: lambda r, t: f"Seat {t.seat + 1} casts a spell.",
        SpellEnded: lambda r, t: f"Seat {t.seat + 1} breaks the spell.",
    }

    def press(self, happening: Happening) -> Iterator[HandGesture]:
        """Yield the gesture for a reversal, a lost turn or a spell; other happenings need none."""
        match happening:
            case DirectionReversed():
                yield tap("train")
            case SkipAssigned():
                yield double("train")
            case SpellStarted() | SpellEnded():
                yield hold("train")

    def tell(self, happenings: Sequence[Happening]) -> Iterator[HandGesture]:
        """Yield the gestures for the powers of a tile; none once the round is over.

        To replace a spell, or break it by a double that skips, needs no press for the spell. Where
        others had to draw, what the hub knew of their last tiles is forgotten.
        """
        if self.played.over:
            return
        kinds = set(map(type, happenings))
        if happenings and isinstance(happenings[0], Played):
            seat = happenings[0].seat
            if any(isinstance(each, Drew) and each.seat != seat for each in happenings):
                self.known_last_tiles &= {seat}
                self.announced_seats &= {seat}
                yield double(self.button(seat))
        known: set[type[Happening]] = set()
        if {SpellStarted, SpellEnded} <= kinds:
            known = {SpellStarted, SpellEnded}
        elif SkipAssigned in kinds:
            known = {SpellEnded}  # a double always breaks a spell: the hub knows
        for each in happenings:
            if type(each) not in known:
                yield from self.press(each)

    def scores(self, happenings: Sequence[Happening]) -> Iterator[HandGesture]:
        """Yield the count of a blocked round: the tiles of each hand, in the hub's order.

        If several hands have the fewest, their pips follow. A round that somebody won has nothing
        to count.
        """
        if not self.played.blocked:
            return
        hands = self.in_order(happenings)
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
