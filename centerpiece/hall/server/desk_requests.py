"""Requests at the organiser's desk."""

from typing import Annotated, Any, Union

import msgspec

from centerpiece.hall.wire import hall_orders as o
from centerpiece.text import kebab

USUAL_MINUTES = 105.0
HEADSTART = 5.0
"""Seconds between the call and the start, in which the order reaches every table."""


class DeskRequest(
    msgspec.Struct,
    frozen=True,
    tag_field="type",
    tag=lambda name: kebab(name.removesuffix("Request")),
    forbid_unknown_fields=True,
):
    """A request of the organiser."""


class StartRequest(DeskRequest, frozen=True):
    """Start the next game and its clock at every table."""

    minutes: o.Minutes | None = USUAL_MINUTES
    in_s: Annotated[float, msgspec.Meta(ge=0, le=3600)] = HEADSTART


class ClockRequest(DeskRequest, frozen=True):
    """Set the minutes until the clock runs out; None stops it."""

    minutes_left: Annotated[float, msgspec.Meta(ge=0, le=24 * 60)] | None


class PlayOffRequest(DeskRequest, frozen=True):
    """Call people who share a place to a table."""

    place: int
    table: str | None = None
    rounds: Annotated[int, msgspec.Meta(ge=1, le=13)] = 1


class ChangeTablesRequest(DeskRequest, frozen=True):
    """Move the best of each table on; `staying` has [table, name] of people who do not move."""

    staying: tuple[tuple[str, str], ...] = ()
    movers: Annotated[int, msgspec.Meta(ge=1, le=6)] = 3


class LateRequest(DeskRequest, frozen=True):
    """Send a late arrival to a free seat."""

    name: o.Name
    table: str | None = None


REQUESTS: tuple[type[msgspec.Struct], ...] = (
    *DeskRequest.__subclasses__(),
    *(o.FinishRound, o.Announce, o.Quiet, o.HandCard, o.FreeName),
)
AnyRequest: Any = Union[REQUESTS]  # noqa: UP007
