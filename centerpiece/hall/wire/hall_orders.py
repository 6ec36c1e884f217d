"""What a hall tells its tables, as entries of its stream of orders.

The stream is also the hall's own memory: its processes, and a hall that was restarted, know from
it what was said before. An entry's ID is the moment of the order by the clock of Redis, which is
the clock of the hall.
Some orders last (rules, clock, quiet); others are for the moment, and a table that was away when
they were given lets them pass.
"""

from typing import Annotated, Any, NamedTuple, Union

import msgspec

from centerpiece.hub.preferences import Share, TimeOfDay
from centerpiece.text import NOT_JSON, kebab

FIELD = b"o"
PLAY_OFF = "play-off"
"""The name of the rules under which a play-off is played; by it the hall knows its games."""
GRACE = 15 * 60.0
"""How long before the call a table may have begun: people are told to come early."""

Minutes = Annotated[float, msgspec.Meta(gt=0, le=24 * 60)]
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
SeatNumber = Annotated[int, msgspec.Meta(ge=1, le=10)]


class Order(msgspec.Struct, frozen=True, tag_field="type", tag=kebab):
    """Something the hall says."""


class Open(Order, frozen=True):
    """The hall is open; what is played from now on counts."""

    title: Text = "Rally"


class HandCard(Order, frozen=True, tag="card"):
    """These rules hold at every table."""

    rules: str = "mexican-train/rally"
    set: int | None = None
    changes: dict[str, Any] = {}
    name: str | None = None


class StartGame(Order, frozen=True):
    """Game `number` starts at every table at the same moment, and so does the clock."""

    number: int
    at: float
    minutes: Minutes | None = None

    @property
    def ends(self) -> float | None:
        """When the clock has run out."""
        return None if self.minutes is None else self.at + self.minutes * 60


class SetClock(Order, frozen=True):
    """The clock runs out at another moment; without one, there is no clock."""

    ends: float | None = None


class FinishRound(Order, frozen=True):
    """The round in play is the last."""


class Announce(Order, frozen=True):
    """Words for some tables, or for all."""

    text: Text
    tables: tuple[str, ...] = ()


class Move(msgspec.Struct, frozen=True):
    """Somebody's way from a table to a seat at another, and the name they have there."""

    name: str
    origin: str
    table: str
    seat: int
    known_as: str


class ChangeTables(Order, frozen=True):
    """New seats for the next game. `seats` is who sits where, for every table concerned."""

    moves: tuple[Move, ...]
    seats: dict[str, dict[int, str]]


class CallPlayOff(Order, frozen=True):
    """Those who share a place play for it, at one table."""

    place: int
    table: str
    moves: tuple[Move, ...]
    rounds: int = 1


class SeatLate(Order, frozen=True):
    """Somebody who came late joins a table; what they come in with, the rules say."""

    name: Name
    table: str
    seat: SeatNumber


class Quiet(Order, frozen=True):
    """Loudness of all tables, and hours in which only the lights speak."""

    volume: Share = 1.0
    light_only_from: TimeOfDay | None = None
    light_only_until: TimeOfDay = "06:00"


class FreeName(Order, frozen=True, tag="free"):
    """A table's name may be taken by another hub; its line is gone."""

    table: str


KINDS: tuple[type[Order], ...] = tuple(Order.__subclasses__())
AnyOrder: Any = Union[KINDS]  # noqa: UP007

_decode = msgspec.json.Decoder(AnyOrder).decode


class Given(NamedTuple):
    """An order in its place; `at` is hall time, `origin` the first order of its stream."""

    id: str
    at: float
    order: Order
    origin: str = ""


def given(entry_id: bytes, fields: dict[bytes, bytes], origin: str = "") -> Given | None:
    """Return an entry of the hall's stream; None for an order that this release does not know."""
    at = int(entry_id.partition(b"-")[0]) / 1000
    try:
        return Given(entry_id.decode(), at, _decode(fields.get(FIELD, b"")), origin)
    except NOT_JSON:
        return None


def packed(order: Order) -> dict[bytes, bytes]:
    """Return an order as an entry's fields."""
    return {FIELD: msgspec.json.encode(order)}
