"""What can be seen or heard at the table, as small typed facts in the order they happen.

The first group is only seen (it makes a commentary); the others are what people would tell a hub.
What happens in one game only stands in that game's module. Seats and places count from 0.
"""

import msgspec


class Happening(msgspec.Struct, frozen=True, gc=False):
    """Anything that happens at the table."""


class SeatHappening(Happening, frozen=True, gc=False):
    """Something that happens to one seat."""

    seat: int


# -- seen by everyone, told to nobody -----------------------------------------------------------


class Played(SeatHappening, frozen=True, gc=False):
    """A tile was laid; `place` is the train, arm or branch it went to, or the number it joined."""

    tile: int
    place: int


class Drew(SeatHappening, frozen=True, gc=False):
    """A tile came from the yard into a hand."""

    tile: int


class Passed(SeatHappening, frozen=True, gc=False):
    """A turn ended without a tile, or without the tile that a double asks for."""


class TurnMissed(SeatHappening, frozen=True, gc=False):
    """A turn was skipped, for a penalty or by somebody's tile."""


class EngineLaid(SeatHappening, frozen=True, gc=False):
    """A player had, or drew, the double that starts the round."""

    engine: int


# -- every game ---------------------------------------------------------------------------------


class LastTile(SeatHappening, frozen=True, gc=False):
    """A seat is down to one tile; nobody has heard of it yet."""


class HandRefilled(SeatHappening, frozen=True, gc=False):
    """A seat that was down to one tile has more again."""


class Announced(SeatHappening, frozen=True, gc=False):
    """A seat said that it has one tile left."""


class Caught(SeatHappening, frozen=True, gc=False):
    """A seat did not say so and was caught; the penalty has been applied."""

    penalty: str


class LastTilePlayed(SeatHappening, frozen=True, gc=False):
    """A seat played its last tile."""

    on_double: bool


class Blocked(Happening, frozen=True, gc=False):
    """Nothing is left to draw and nobody can ever play again."""


class HandLeft(SeatHappening, frozen=True, gc=False):
    """The round is over and this is what a seat counts.

    `pips` are already counted by the book (doubles twice where it says so); the double blank's
    own value and the value of blank halves are not in them. `blank_halves` are those of plain
    tiles: the double blank has its own value.
    """

    tiles: int
    pips: int
    double_blank: bool
    blank_halves: int


# -- points made in play -----------------------------------------------------------------------


class Scored(SeatHappening, frozen=True, gc=False):
    """The open ends make points for a seat, which it may or may not notice."""

    points: int


class Stolen(SeatHappening, frozen=True, gc=False):
    """Somebody else saw the points first, and has them."""

    by: int
    points: int


class Forgotten(SeatHappening, frozen=True, gc=False):
    """Points that nobody noticed, or that the book does not let anyone steal."""

    points: int
