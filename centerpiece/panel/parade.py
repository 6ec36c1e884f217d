"""The parade: seat after seat with its total on the face, the best first.

It is lost in a power cut, like everything of the ui, and any other press ends it.
"""

from collections.abc import Iterator
from typing import NamedTuple

from centerpiece.table.checks import empty_seat
from centerpiece.table.game import Game
from centerpiece.table.scoring import standings
from centerpiece.table.state import Table
from centerpiece.text import Refused, Sentence

EACH_SHOWN = 2.0
"""Seconds that a seat is lit; longer if its number has to scroll."""
COLUMNS = 4
"""Columns from one digit of a scrolling number to the next."""
STEP = 0.25
"""Seconds for each column that a long number moves."""
REST = 1.0
"""Seconds that the first and the last two digits stand still."""
APART = 0.5
"""Seconds of darkness before the number comes again."""
NEARLY = 1e-6
"""Seconds of tolerance at the end of a seat's turn: floats are not exact."""


_ORDINALS = (
    Sentence("1st"),
    Sentence("2nd"),
    Sentence("3rd"),
    Sentence("4th"),
    Sentence("5th"),
    Sentence("6th"),
    Sentence("7th"),
    Sentence("8th"),
    Sentence("9th"),
    Sentence("10th"),
)
"""A table has ten seats, so there are no further places."""


class Placed(NamedTuple):
    """A seat whose total is shown."""

    seat: int
    total: int


class Parade(NamedTuple):
    """Seats with their totals, shown one after the other. Times are monotonic."""

    places: tuple[Placed, ...]
    began: float
    words: Sentence

    @property
    def ends(self) -> float:
        """The time at which the last seat has been shown."""
        return self.began + sum(map(_shown_for, self.places))

    def placed(self, now: float) -> Placed | None:
        """Return the seat that is shown at the time `now`; None after the last."""
        return next((place for place, _, ends in self._turns() if now < ends - NEARLY), None)

    def since(self, now: float) -> float:
        """Return the time from which the seat of `placed` is shown; after the last, the end."""
        return next((begins for _, begins, ends in self._turns() if now < ends - NEARLY), self.ends)

    def next_change(self, now: float) -> float:
        """Return the time at which the next seat is shown, or the parade ends."""
        return next((ends for _, _, ends in self._turns() if now < ends - NEARLY), self.ends)

    def moved_on(self, now: float) -> "Parade":
        """Return the parade moved ahead so that its next seat is shown at the time `now`."""
        return self._replace(began=self.began - (self.next_change(now) - now))

    def _turns(self) -> Iterator[tuple[Placed, float, float]]:
        """Yield each place with the monotonic times at which it is shown and gone."""
        ends = self.began
        for place in self.places:
            begins, ends = ends, ends + _shown_for(place)
            yield place, begins, ends


def scrolling_time(digits: int) -> float:
    """Return the seconds in which a number scrolls past once: 0 if it does not scroll."""
    if digits <= 2:
        return 0.0
    return 2 * REST + STEP * (COLUMNS * (digits - 2) - 1) + APART


def _shown_for(place: Placed) -> float:
    return max(EACH_SHOWN, scrolling_time(len(str(place.total))))


def of_standings(game: Game, table: Table, now: float) -> Parade:
    """Return a parade, beginning at `now`, of all who have a place, the best first.

    Refused if nobody has a place yet.
    """
    lines = [line for line in standings(game, table) if line.place is not None]
    if not lines:
        raise Refused("No round has been counted yet.")
    lines.sort(key=lambda line: line.place or 0)
    places = tuple(Placed(line.seat.number, line.total) for line in lines)
    words = [
        Sentence(
            "{place} {name}: {total}",
            {
                "place": _ORDINALS[(line.place or 1) - 1],
                "name": line.seat.name,
                "total": line.total,
            },
        )
        for line in lines
    ]
    return Parade(places, now, Sentence("Standings: {lines}.", {"lines": words}))


def of_seat(game: Game, table: Table, number: int, now: float) -> Parade:
    """Return a parade of seat `number` alone, with its total; Refused if nobody has that seat."""
    for line in standings(game, table):
        if line.seat.number == number:
            facts = {"name": line.seat.name, "total": line.total}
            words = Sentence("{name} has {total} {total|point|points}.", facts)
            return Parade((Placed(number, line.total),), now, words)
    raise empty_seat(table, number)
