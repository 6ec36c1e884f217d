"""Orders of a hall to its tables, as entries of a stream.

The stream is also the hall's own memory: all its processes read from it which orders were given.
An entry's ID is the time of the order by the clock of Redis, which is the clock of the hall.
Some orders last (rules, clock, quiet); others expire, and a table that was away ignores them.
"""

from typing import Annotated, Any, NamedTuple, Union

import msgspec

from centerpiece.hub.preferences import Share, TimeOfDay
from centerpiece.text import NOT_JSON, kebab

FIELD = b"o"
KEY_FIELD = b"k"
"""The key of the request that gave the order: one that is repeated gives no second order."""
PLAY_OFF = "play-off"
"""Name of the rules of a play-off; by it the hall recognises such games."""
GRACE = 15 * 60.0
"""Seconds before the call in which a table may have begun: people are told to come early."""

Minutes = Annotated[float, msgspec.Meta(gt=0, le=24 * 60)]
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
SeatNumber = Annotated[int, msgspec.Meta(ge=1, le=10)]


class Order(msgspec.Struct, frozen=True, tag_field="type", tag=kebab):
    """An order of the hall."""


class Open(Order, frozen=True):
    """Open the hall: games that begin from now on count."""

    title: Text = "Rally"


class HandCard(Order, frozen=True, tag="card"):
    """Set the rules for every table."""

    rules: str = "mexican-train/rally"
    set: int | None = None
    changes: dict[str, Any] = {}
    name: str | None = None


class StartGame(Order, frozen=True):
    """Start game `number` and its clock at every table, at the same moment."""

    number: int
    at: float
    minutes: Minutes | None = None

    @property
    def ends(self) -> float | None:
        return None if self.minutes is None else self.at + self.minutes * 60


class SetClock(Order, frozen=True):
    """Change when the clock runs out; None stops it."""

    ends: float | None = None


class FinishRound(Order, frozen=True):
    """Make the round in play the last one."""


class Announce(Order, frozen=True):
    """Show a text at some tables, or at all."""

    text: Text
    tables: tuple[str, ...] = ()


class Move(msgspec.Struct, frozen=True):
    """One person's move to a seat at another table, and their name there."""

    name: str
    origin: str
    table: str
    seat: int
    known_as: str


class ChangeTables(Order, frozen=True):
    """New seats for the next game; `seats` lists everybody at every table concerned."""

    moves: tuple[Move, ...]
    seats: dict[str, dict[int, str]]


class CallPlayOff(Order, frozen=True):
    """Seat people who share a place at one table, to play for it."""

    place: int
    table: str
    moves: tuple[Move, ...]
    rounds: int = 1


class SeatLate(Order, frozen=True):
    """Seat a late arrival; the rules say with which score."""

    name: Name
    table: str
    seat: SeatNumber


class Quiet(Order, frozen=True):
    """Volume of all tables, and hours with lights only."""

    volume: Share = 1.0
    light_only_from: TimeOfDay | None = None
    light_only_until: TimeOfDay = "06:00"


class FreeName(Order, frozen=True, tag="free"):
    """Let another hub take a table's name; the line is deleted."""

    table: str


_AnyOrder: Any = Union[tuple(Order.__subclasses__())]  # noqa: UP007
_decode = msgspec.json.Decoder(_AnyOrder).decode


class GivenOrder(NamedTuple):
    """An entry of the stream; `at` is hall time, `origin` the ID of the stream's first entry."""

    id: str
    at: float
    order: Order
    origin: str = ""
    key: str = ""


def entry_order(entry_id: bytes) -> tuple[int, int]:
    """Return a stream entry's ID as two numbers: milliseconds, and a count within them."""
    milliseconds, _, count = entry_id.partition(b"-")
    return int(milliseconds), int(count or 0)


def read_order(entry_id: bytes, fields: dict[bytes, bytes], origin: str = "") -> GivenOrder | None:
    """Return the order in an entry of the stream; None if this release does not know it.

    `origin`, the ID of the stream's first entry, is noted in it.
    """
    at = entry_order(entry_id)[0] / 1000
    try:
        order = _decode(fields.get(FIELD, b""))
        key = fields.get(KEY_FIELD, b"").decode("ascii", "replace")
        return GivenOrder(entry_id.decode(), at, order, origin, key)
    except NOT_JSON:
        return None


def packed(order: Order, key: str = "") -> dict[bytes, bytes]:
    """Return the fields of an order's entry."""
    fields = {FIELD: msgspec.json.encode(order)}
    return fields | {KEY_FIELD: key.encode()} if key else fields
