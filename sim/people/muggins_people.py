"""Muggins with people: points, five at a time; overlooked ones are pressed by those who noticed."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from sim.dominoes.happenings import Forgotten, Happening, Scored, Stolen
from sim.dominoes.muggins_tiles import MugginsTiles
from sim.hands import HandGesture, hold, tap
from sim.people.reporting import Commentary, Reporter


class MugginsReporter(Reporter):
    """Reports a round of Muggins.

    Nobody announces a last tile: the rule sheet has no such rule, and holding a seat means
    something else.
    """

    round = MugginsTiles
    played: MugginsTiles
    last_tiles = False
    commentary: ClassVar[Commentary] = {
        Stolen: lambda r, t: f"“Muggins!” Seat {t.by + 1} takes the {t.points}.",
    }

    def tell(self, happenings: Sequence[Happening]) -> Iterator[HandGesture]:
        """Yield the gestures that report points, as happenings of a decision tell them.

        Points that their player overlooked are reported by the one who noticed, or else not at all.
        """
        overlooked = any(isinstance(each, Forgotten | Stolen) for each in happenings)
        for each in happenings:
            if not (overlooked and isinstance(each, Scored)):
                yield from self.press(each)

    def press(self, happening: Happening) -> Iterator[HandGesture]:
        """Yield the gestures for points scored or stolen; other happenings need none."""
        match happening:
            case Scored(seat, points):
                yield from self._record(seat, points)
            case Stolen(_, by, points):
                yield hold(self.button(by))
                yield from self._record(by, points)

    def _record(self, seat: int, points: int) -> Iterator[HandGesture]:
        for _ in range(points // self.played.rules.multiple):
            yield tap(self.button(seat))

    def counts(self, seat: int) -> bool:
        """Tell whether the hand of `seat` is counted: in a blocked round it is.

        Else it is unless the seat went out, or is the partner of the one that did.
        """
        played = self.played
        if played.blocked:
            return True
        team_of = played.rules.team_of
        own, theirs = (team_of(each, played.players) for each in (played.out[0], seat))
        return seat != played.out[0] and (own is None or own != theirs)
