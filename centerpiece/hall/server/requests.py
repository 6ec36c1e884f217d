"""What the organiser may ask for at the desk. What needs nothing worked out is an order already."""

from typing import Annotated, Any, Union

import msgspec

from centerpiece.hall.wire import orders
from centerpiece.text import kebab

USUAL_MINUTES = 105.0
HEADSTART = 5.0
"""Seconds between the call and the start: time for the word to reach every table."""


class Request(msgspec.Struct, frozen=True, tag_field="type", tag=kebab, forbid_unknown_fields=True):
    """Something the organiser asks for."""


class Start(Request, frozen=True):
    """Start the next game everywhere, with the clock."""

    minutes: orders.Minutes | None = USUAL_MINUTES
    in_s: Annotated[float, msgspec.Meta(ge=0, le=3600)] = HEADSTART


class Clock(Request, frozen=True):
    """Let the clock run out so many minutes from now; None takes it away."""

    minutes_left: Annotated[float, msgspec.Meta(ge=0, le=24 * 60)] | None


class FinishRound(orders.FinishRound, Request, frozen=True):
    """The round in play is the last."""


class Announce(orders.Announce, Request, frozen=True):
    """Say something at some tables, or at all."""


class PlayOff(Request, frozen=True):
    """Call those who share a place to a table."""

    place: int
    table: str | None = None
    rounds: Annotated[int, msgspec.Meta(ge=1, le=13)] = 1


class ChangeTables(Request, frozen=True):
    """The lowest of each table move on; `staying` are [table, name] of those who stay seated."""

    staying: tuple[tuple[str, str], ...] = ()
    movers: Annotated[int, msgspec.Meta(ge=1, le=6)] = 3


class Late(Request, frozen=True):
    """Send a late arrival to a free seat."""

    name: orders.Name
    table: str | None = None


class Card(Request, frozen=True):
    """One rule card for every table."""

    rules: str
    set: int | None = None
    changes: dict[str, Any] = {}
    name: str | None = None


class Quiet(orders.Quiet, Request, frozen=True):
    """A quiet hall."""


class Free(Request, frozen=True):
    """Free a table's name for another hub."""

    table: str


class Snapshot(Request, frozen=True):
    """Pack the streams now."""


REQUESTS: tuple[type[Request], ...] = tuple(Request.__subclasses__())
AnyRequest: Any = Union[REQUESTS]  # noqa: UP007
