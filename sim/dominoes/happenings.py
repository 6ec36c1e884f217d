"""Happenings at the table as typed facts, in the order they happen.

The first group is only visible (for a commentary); people report the others to the hub. Happenings
of one game are in that game's module. Seats and places count from 0.
"""

import msgspec


class Happening(msgspec.Struct, frozen=True, gc=False):
    """Base class of all happenings."""


class SeatHappening(Happening, frozen=True, gc=False):
    """A happening of one seat."""

    seat: int


# -- seen, but not reported ---------------------------------------------------------------------


class Played(SeatHappening, frozen=True, gc=False):
    """A tile was played; `place` is the train, arm or branch, or the number that it joined."""

    tile: int
    place: int


class Drew(SeatHappening, frozen=True, gc=False):
    """A tile was drawn from the yard into a hand."""

    tile: int


class Passed(SeatHappening, frozen=True, gc=False):
    """A turn ended without a tile, or without the tile that a double asks for."""


class TurnMissed(SeatHappening, frozen=True, gc=False):
    """A turn was skipped, by a penalty or another player's tile."""


class EngineLaid(SeatHappening, frozen=True, gc=False):
    """A player had or drew the double that starts the round."""

    engine: int


# -- every game ---------------------------------------------------------------------------------


class LastTile(SeatHappening, frozen=True, gc=False):
    """A seat is down to one tile, not announced yet."""


class HandRefilled(SeatHappening, frozen=True, gc=False):
    """A seat that was down to one tile has more again."""


class Announced(SeatHappening, frozen=True, gc=False):
    """A seat announced its last tile."""


class Caught(SeatHappening, frozen=True, gc=False):
    """A seat did not announce its last tile and was caught; the penalty has been applied."""

    penalty: str


class LastTilePlayed(SeatHappening, frozen=True, gc=False):
    """A seat played its last tile."""

    on_double: bool


class Blocked(Happening, frozen=True, gc=False):
    """The round is blocked: nothing is left to draw and nobody can ever play again."""


class HandLeft(SeatHappening, frozen=True, gc=False):
    """The tiles that a seat counts at the end of a round.

    `pips` follow the rule book (doubles may count twice), without the double blank's own value and
    the value of blank halves. `blank_halves` are those of plain tiles, not of the double blank.
    """

    tiles: int
    pips: int
    double_blank: bool
    blank_halves: int


# -- points made in play -----------------------------------------------------------------------


class Scored(SeatHappening, frozen=True, gc=False):
    """The open ends make points for a seat, which may not notice it."""

    points: int


class Stolen(SeatHappening, frozen=True, gc=False):
    """Somebody else noticed the points first and takes them."""

    by: int
    points: int


class Forgotten(SeatHappening, frozen=True, gc=False):
    """Points that nobody noticed, or that the book does not let anyone steal."""

    points: int
