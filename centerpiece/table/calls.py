"""Deciding about the last tile: who announced it, who was caught, what that costs."""

from centerpiece.rules.sentences import Refused
from centerpiece.table import events as e
from centerpiece.table.checks import in_phase, player
from centerpiece.table.events import Event
from centerpiece.table.state import PenaltyKind, Table

MOST_PENALTY = 10_000


def call_last_tile(table: Table, number: int, sounded: bool) -> list[Event]:
    in_phase(table, "playing", "The last tile is announced while a round is played.")
    seat = player(table, number)
    if seat.number in table.calls:
        raise Refused("{name} has announced the last tile already.", name=seat.name)
    return [e.LastTileCalled(seat.number, sounded)]


def catch(table: Table, number: int) -> list[Event]:
    """The table's own penalty applies, without anyone having to insist."""
    in_phase(table, "playing", "Nobody can be caught while no round is played.")
    seat = player(table, number)
    if seat.number in table.calls:
        raise Refused("{name} announced the last tile in time.", name=seat.name)
    kind = table.rules.penalty
    if kind == "none":
        return [e.Penalized(seat.number, None, caught=True)]
    points = table.rules.penalty_points if kind == "points" else 0
    return [e.Penalized(seat.number, kind, points, caught=True)]


def penalize(table: Table, number: int, kind: PenaltyKind, points: int | None) -> list[Event]:
    if table.phase not in ("playing", "scoring"):
        raise Refused("A penalty is given while a round is played or scored.")
    seat = player(table, number)
    if kind != "points":
        return [e.Penalized(seat.number, kind)]
    points = table.rules.penalty_points if points is None else points
    if not -MOST_PENALTY <= points <= MOST_PENALTY:
        raise Refused("A penalty is at most {most} points.", most=MOST_PENALTY)
    return [e.Penalized(seat.number, "points", points)]
