"""Deciding about the last tile: who announced it, who was caught, what that costs."""

from centerpiece.table import commands as c
from centerpiece.table import events as e
from centerpiece.table.checks import in_phase, player
from centerpiece.table.events import Event
from centerpiece.table.state import Table
from centerpiece.table.turns import following, may_announce, may_be_caught
from centerpiece.text import Refused

MOST_PENALTY = 10_000


def call_last_tile(table: Table, command: c.CallLastTile) -> list[Event]:
    in_phase(table, "playing", "The last tile is announced while a round is played.")
    seat = player(table, command.seat)
    if seat.number in table.calls:
        raise Refused("{name} has announced the last tile already.", name=seat.name)
    if not may_announce(table, seat.number):
        raise Refused(
            "Too late: {next} has finished a turn since {name} played. (If not: tap advance "
            "until the light is at whoever plays.)",
            name=seat.name,
            next=table.name(following(table, seat.number)),
        )
    return [e.LastTileCalled(seat.number, command.sounded)]


def toggle_last_tile(table: Table, command: c.ToggleLastTile) -> list[Event]:
    """For games in which nothing else tells that somebody had to draw."""
    if command.seat in table.calls and table.phase == "playing":
        return [e.LastTileGone(player(table, command.seat).number)]
    return call_last_tile(table, c.CallLastTile(command.seat))


def catch(table: Table, command: c.Catch) -> list[Event]:
    """The table's own penalty applies, without anyone having to insist."""
    in_phase(table, "playing", "Nobody can be caught while no round is played.")
    seat = player(table, command.seat)
    if seat.number in table.calls:
        raise Refused("{name}'s last tile has been announced.", name=seat.name)
    if not may_be_caught(table, seat.number):
        raise Refused(
            "{name} may still announce the last tile, until {next} has finished.",
            name=seat.name,
            next=table.name(following(table, seat.number)),
        )
    kind = table.rules.penalty
    if kind == "none":
        return [e.Penalized(seat.number, None, caught=True)]
    points = table.rules.penalty_points if kind == "points" else 0
    return [e.Penalized(seat.number, kind, points, caught=True)]


def penalize(table: Table, command: c.Penalize) -> list[Event]:
    if table.phase not in ("playing", "scoring"):
        raise Refused("A penalty is given while a round is played or scored.")
    seat, points = player(table, command.seat), command.points
    if command.kind != "points":
        return [e.Penalized(seat.number, command.kind)]
    points = table.rules.penalty_points if points is None else points
    if not -MOST_PENALTY <= points <= MOST_PENALTY:
        raise Refused("A penalty is at most {most} points.", most=MOST_PENALTY)
    return [e.Penalized(seat.number, "points", points)]
