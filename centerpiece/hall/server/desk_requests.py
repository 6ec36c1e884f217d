"""Requests that the organiser may make at the desk. What needs nothing worked out is an order."""

from typing import Annotated, Any, Union

import msgspec

from centerpiece.hall.wire import hall_orders as o
from centerpiece.text import kebab

USUAL_MINUTES = 105.0
HEADSTART = 5.0
"""Seconds between the call and the start: time for the word to reach every table."""


class DeskRequest(
    msgspec.Struct,
    frozen=True,
    tag_field="type",
    tag=lambda name: kebab(name.removesuffix("Request")),
    forbid_unknown_fields=True,
):
    """Something the organiser asks for."""


class StartRequest(DeskRequest, frozen=True):
    """Start the next game everywhere, with the clock."""

    minutes: o.Minutes | None = USUAL_MINUTES
    in_s: Annotated[float, msgspec.Meta(ge=0, le=3600)] = HEADSTART


class ClockRequest(DeskRequest, frozen=True):
    """Let the clock run out so many minutes from now; None takes it away."""

    minutes_left: Annotated[float, msgspec.Meta(ge=0, le=24 * 60)] | None


class PlayOffRequest(DeskRequest, frozen=True):
    """Call those who share a place to a table."""

    place: int
    table: str | None = None
    rounds: Annotated[int, msgspec.Meta(ge=1, le=13)] = 1


class ChangeTablesRequest(DeskRequest, frozen=True):
    """Let the best of each table move on; `staying` are [table, name] of those who stay seated."""

    staying: tuple[tuple[str, str], ...] = ()
    movers: Annotated[int, msgspec.Meta(ge=1, le=6)] = 3


class LateRequest(DeskRequest, frozen=True):
    """Send a late arrival to a free seat."""

    name: o.Name
    table: str | None = None


PASSED_ON: tuple[type[o.Order], ...] = (o.FinishRound, o.Announce, o.Quiet, o.HandCard, o.FreeName)
"""Orders that the organiser may give in so many words."""
REQUESTS: tuple[type[msgspec.Struct], ...] = (*DeskRequest.__subclasses__(), *PASSED_ON)
AnyRequest: Any = Union[REQUESTS]  # noqa: UP007
