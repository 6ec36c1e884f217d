"""Chickenfoot with people: toes by a tap, a new foot by holding."""

from collections.abc import Iterator
from typing import Any, ClassVar

from sim.dominoes.chickenfoot_tiles import ChickenfootTiles, FootLaid, ToeLaid
from sim.dominoes.happenings import Happening
from sim.dominoes.round import TileRound
from sim.hands import HandGesture, hold, tap
from sim.people.reporting import Commentary, Reporter


class ChickenfootReporter(Reporter):
    """Reports a round of Chickenfoot."""

    round = ChickenfootTiles
    played: ChickenfootTiles
    commentary: ClassVar[Commentary] = {
        FootLaid: lambda r, t: f"A foot: {t.toes} toes, please.",
        ToeLaid: lambda r, t: (
            f"A toe; {t.missing} to go." if t.missing else "The foot is complete."
        ),
    }

    def __init__(self, played: TileRound) -> None:
        super().__init__(played)
        called = self.played.rules.double_called
        self.required_cues[FootLaid] = "chickie" if called else "double"

    def press(self, happening: Happening) -> Iterator[HandGesture]:
        """Yield the gesture for a toe or a foot; other happenings need none."""
        match happening:
            case ToeLaid():
                yield tap("train")
            case FootLaid():
                yield hold("train")

    def shows(self) -> dict[str, Any]:
        needed, missing = self.played.needed, self.played.missing
        return {"toes": {"needed": needed, "played": needed - missing} if missing else None}

    def train_look(self) -> str:
        return "double" if self.played.missing else "closed"
