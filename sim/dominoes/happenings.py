"""What can be seen or heard at the table, as small typed facts in the order they happen.

The first group is only seen (it makes a commentary); the others are what people would tell a hub.
Seats and places count from 0. A `place` below the number of players is that seat's own train; a
higher one is a Mexican Train.
"""

import msgspec


class Happening(msgspec.Struct, frozen=True, gc=False):
    """Anything that happens at the table."""


# -- seen by everyone, told to nobody -----------------------------------------------------------


class Played(Happening, frozen=True, gc=False):
    """A tile was laid; `place` is the train, arm or branch it went to, or the number it joined."""

    seat: int
    tile: int
    place: int


class Drew(Happening, frozen=True, gc=False):
    """A tile came from the yard into a hand."""

    seat: int
    tile: int


class Passed(Happening, frozen=True, gc=False):
    """A turn ended without a tile, or without the tile that a double asks for."""

    seat: int


class TurnLost(Happening, frozen=True, gc=False):
    """A turn was skipped, for a penalty or by a double of Super 15."""

    seat: int


class EngineFound(Happening, frozen=True, gc=False):
    """A player had, or drew, the double that starts the round."""

    seat: int
    engine: int


# -- every game ---------------------------------------------------------------------------------


class LastTile(Happening, frozen=True, gc=False):
    """A seat is down to one tile; nobody has heard of it yet."""

    seat: int


class LastTileGone(Happening, frozen=True, gc=False):
    """A seat that was down to one tile has more again."""

    seat: int


class Announced(Happening, frozen=True, gc=False):
    """A seat said that it has one tile left."""

    seat: int


class Caught(Happening, frozen=True, gc=False):
    """A seat did not say so and was caught; the penalty has been applied."""

    seat: int
    penalty: str


class WentOut(Happening, frozen=True, gc=False):
    """A seat played its last tile."""

    seat: int
    on_double: bool


class Blocked(Happening, frozen=True, gc=False):
    """Nothing is left to draw and nobody can ever play again."""


class HandLeft(Happening, frozen=True, gc=False):
    """The round is over and this is what a seat counts.

    `pips` are already counted by the book (doubles twice where it says so); the double blank's
    own value and the value of blank halves are not in them. `blank_halves` are those of plain
    tiles: the double blank has its own value.
    """

    seat: int
    tiles: int
    pips: int
    double_blank: bool
    blank_halves: int


# -- Mexican Train ------------------------------------------------------------------------------


class MarkerPlaced(Happening, frozen=True, gc=False):
    """A seat's train is open to everyone."""

    seat: int


class MarkerRemoved(Happening, frozen=True, gc=False):
    """A seat's train is its own again."""

    seat: int


class TrainStarted(Happening, frozen=True, gc=False):
    """The Mexican Train, or one more of them, left the station."""

    seat: int


class DoubleOpened(Happening, frozen=True, gc=False):
    """A turn ended with a double that must be satisfied; `seat` is None on a Mexican Train."""

    seat: int | None


class DoubleSatisfied(Happening, frozen=True, gc=False):
    """Somebody played on that double, or its line ended; `seat` is None on a Mexican Train."""

    seat: int | None


# -- Chickenfoot --------------------------------------------------------------------------------


class FootOpened(Happening, frozen=True, gc=False):
    """A double was played; it asks for toes before any other play."""

    seat: int
    toes: int


class ToePlayed(Happening, frozen=True, gc=False):
    """A toe was played; so many are still missing."""

    seat: int
    missing: int


# -- Muggins ------------------------------------------------------------------------------------


class Scored(Happening, frozen=True, gc=False):
    """The open ends make points for a seat, which it may or may not notice."""

    seat: int
    points: int


class Stolen(Happening, frozen=True, gc=False):
    """Points went to whoever called “Muggins!”."""

    seat: int
    by: int
    points: int


class Forgotten(Happening, frozen=True, gc=False):
    """Points that nobody noticed, or that the book does not let anyone steal."""

    seat: int
    points: int


# -- Super 15 -----------------------------------------------------------------------------------


class DirectionReversed(Happening, frozen=True, gc=False):
    """Play goes round the other way."""

    clockwise: bool


class NextSkipped(Happening, frozen=True, gc=False):
    """A double was played: this seat loses its turn."""

    seat: int


class SpellCast(Happening, frozen=True, gc=False):
    """A 13 was played: the next player must break the spell."""

    seat: int


class SpellBroken(Happening, frozen=True, gc=False):
    """The spell is gone."""

    seat: int


# -- Castle Rock --------------------------------------------------------------------------------


class RowStarted(Happening, frozen=True, gc=False):
    """The row was empty, and tiles were drawn for a new one."""

    tiles: int


class TileDrawn(Happening, frozen=True, gc=False):
    """A tile joined the row at the right."""

    tile: int


class MiddleRemoved(Happening, frozen=True, gc=False):
    """The tiles on both sides of it share a number."""

    tile: int


class ThreeRemoved(Happening, frozen=True, gc=False):
    """Three neighbours share a number."""

    tiles: tuple[int, int, int]
