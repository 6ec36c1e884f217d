"""Virtual people who play Block: their tiles, and what they press."""

from collections.abc import Iterator
from typing import Any

from block.rules import BlockRules
from sim.dominoes.happenings import Happening, Passed, Played
from sim.dominoes.round import TileRound
from sim.hands import HandGesture, tap
from sim.people.reporting import Reporter


class BlockRound(TileRound):
    """A round of Block, with the line that `TileRound` has by default."""

    __slots__ = ("knocks",)

    rules: BlockRules

    def _join(self, tile: int, place: int) -> None:
        super()._join(tile, place)
        self.knocks = 0

    def _unable(self) -> None:
        super()._unable()
        self.knocks += 1

    def _blocked(self) -> bool:
        """Return True only after everybody has knocked: nobody knows it before."""
        return self.knocks == self.players

    def score(self) -> list[int]:
        hands = [self._worth(hand) for hand in self.hands]
        lightest = [seat for seat, pips in enumerate(hands) if pips == min(hands)]
        points = [-penalty for penalty in self.penalties]
        for winner in self.out or (lightest if len(lightest) == 1 else []):
            times = 2 if self.rules.lightest_takes == "difference" else 1
            points[winner] += sum(hands) - times * hands[winner]
        return points


class BlockReporter(Reporter):
    """The people who press the buttons in a round of Block."""

    round = BlockRound
    silent = Reporter.silent - {Passed, Played}

    def __init__(self, played: TileRound) -> None:
        super().__init__(played)
        self.required_cues[Passed] = "knock"
        self.knocked: list[int] = []

    def press(self, happening: Happening) -> Iterator[HandGesture]:
        match happening:
            case Passed(seat):
                self.knocked.append(seat + 1)
                yield tap(self.button(seat))
            case Played() if self.knocked:
                self.knocked = []
                yield tap("train")

    def ending(self) -> Iterator[HandGesture]:
        """Press nothing after a blocked round: the last knock has reported it."""
        return iter(()) if self.played.blocked else super().ending()

    def shows(self) -> dict[str, Any]:
        return {"knocked": sorted(self.knocked)}
