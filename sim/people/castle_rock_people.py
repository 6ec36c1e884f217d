"""Castle Rock with one person: a button for drawing, one for removing.

The hub starts a new row by itself.
"""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from sim.dominoes.castle_rock_tiles import (
    FEWEST,
    CastleRockTiles,
    MiddleTaken,
    RowLaid,
    ThreeTaken,
    TileLaid,
)
from sim.dominoes.happenings import HandLeft, Happening
from sim.dominoes.tiles import name_of
from sim.hands import HandGesture, hold, tap
from sim.people.reporting import ROUND_OVER, Commentary, Reporter


class CastleRockReporter(Reporter):
    """Reports a game of Castle Rock."""

    round = CastleRockTiles
    played: CastleRockTiles
    last_tiles = False
    turns = frozenset((TileLaid, MiddleTaken, ThreeTaken))
    commentary: ClassVar[Commentary] = {
        HandLeft: lambda r, t: f"{t.tiles} tiles remain.",
        RowLaid: lambda r, t: f"The row was empty; {t.tiles} new tiles.",
        TileLaid: lambda r, t: f"{name_of(t.tile)} joins the row.",
        MiddleTaken: lambda r, t: f"{name_of(t.tile)} goes from the middle.",
        ThreeTaken: lambda r, t: f"{', '.join(map(name_of, t.tiles))} go together.",
    }

    def press(self, happening: Happening) -> Iterator[HandGesture]:
        """Yield the gesture for a tile laid or removed; other happenings need none."""
        match happening:
            case TileLaid():
                yield tap("train")
            case MiddleTaken():
                yield tap(self.button(0))
            case ThreeTaken():
                yield hold(self.button(0))

    def ending(self) -> Iterator[HandGesture]:
        """Yield the gestures that end the round.

        There are none if too few tiles for a removal are left, since the hub then ends it by
        itself.
        """
        if len(self.played.row) >= FEWEST:
            yield ROUND_OVER
            yield tap("train")

    def counts(self, seat: int) -> bool:
        return False

    def scores(self, happenings: Sequence[Happening]) -> Iterator[HandGesture]:
        return iter(())

    def shows(self) -> dict[str, Any]:
        # The public state never has an empty row: the next one is drawn in the same step.
        played = self.played
        drawn = 0 if played.row else min(played.rules.row, len(played.yard))
        return {"pile": len(played.yard) - drawn, "row": len(played.row) + drawn}

    def ended(self) -> dict[str, Any]:
        return {"out": None if self.played.row else 1, "blocked": bool(self.played.row)}

    def won(self) -> bool:
        return self.played.won
