"""The parade: one seat after the other, the best first, each with its total on the face.

It promises nothing and is forgotten like a picture; whoever presses something else ends it.
"""

from collections.abc import Iterator
from typing import NamedTuple

from centerpiece.display.face import takes
from centerpiece.display.scene import Placed
from centerpiece.table.checks import nobody
from centerpiece.table.game import Game
from centerpiece.table.scoring import standings
from centerpiece.table.state import Table
from centerpiece.text import Refused, Sentence

EACH_SHOWN = 2.0
"""For how many seconds a seat is lit; a number that passes by is seen to its end."""
NEARLY = 1e-6
"""Seconds: so close to its end a turn is over, as floats are not exact."""


class Parade(NamedTuple):
    """Who is shown, and since when. Times are monotonic."""

    places: tuple[Placed, ...]
    began: float
    words: Sentence

    @property
    def ends(self) -> float:
        """When the last one has been shown."""
        return self.began + sum(map(_shown_for, self.places))

    def placed(self, now: float) -> Placed | None:
        """Whose turn it is."""
        return next((place for place, _, ends in self._turns() if now < ends - NEARLY), None)

    def since(self, now: float) -> float:
        """When that turn began."""
        return next((begins for _, begins, ends in self._turns() if now < ends - NEARLY), self.ends)

    def next_change(self, now: float) -> float:
        """When the light moves on."""
        return next((ends for _, _, ends in self._turns() if now < ends - NEARLY), self.ends)

    def moved_on(self, now: float) -> "Parade":
        """The next one at once."""
        return self._replace(began=self.began - (self.next_change(now) - now))

    def _turns(self) -> Iterator[tuple[Placed, float, float]]:
        ends = self.began
        for place in self.places:
            begins, ends = ends, ends + _shown_for(place)
            yield place, begins, ends


def _shown_for(place: Placed) -> float:
    return max(EACH_SHOWN, takes(str(place.total)))


def of_standings(game: Game, table: Table, now: float) -> Parade:
    """All who have a place."""
    lines = [line for line in standings(game, table) if line.place is not None]
    if not lines:
        raise Refused("No round has been counted yet.")
    lines.sort(key=lambda line: line.place or 0)
    places = tuple(Placed(line.seat.number, line.total) for line in lines)
    told = [
        Sentence(
            "{place}. {name}: {total}",
            {"place": line.place, "name": line.seat.name, "total": line.total},
        )
        for line in lines
    ]
    return Parade(places, now, Sentence("The standings: {lines}.", {"lines": told}))


def of_seat(game: Game, table: Table, number: int, now: float) -> Parade:
    """One seat alone."""
    for line in standings(game, table):
        if line.seat.number == number:
            facts = {"name": line.seat.name, "total": line.total}
            words = Sentence("{name} has {total} {total|point|points}.", facts)
            return Parade((Placed(number, line.total),), now, words)
    raise nobody(table, number)
