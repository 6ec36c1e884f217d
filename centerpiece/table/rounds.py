"""Deciding how a round ends and the next begins, up to the end of the game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from centerpiece.rules.book import Rules
from centerpiece.table import commands as c
from centerpiece.table import events as e
from centerpiece.table import scoring
from centerpiece.table.checks import current_round, in_phase, player
from centerpiece.table.events import Event
from centerpiece.table.state import Entry, Seat, Table
from centerpiece.text import Refused

if TYPE_CHECKING:
    from centerpiece.table.game import Game


def end_round(game: Game, table: Table) -> list[Event]:
    in_phase(table, "playing", "There is no round to end.")
    return game.end_round(table)


def go_out(table: Table, command: c.GoOut) -> list[Event]:
    """Going out needs no satisfied double, and may be said before the round is ended."""
    ended = _ended(table)
    seat = player(table, command.seat)
    current = current_round(table)
    if current.out is not None:
        raise Refused(
            "{name} went out in this round. Undo that first, if it was wrong.",
            name=table.name(current.out),
        )
    if current.blocked:
        raise Refused("The round was blocked, so nobody went out. Undo that first.")
    _check_tiles_left(table, seat)
    return [*ended, e.WentOut(seat.number, command.on_double)]


def _check_tiles_left(table: Table, seat: Seat) -> None:
    """Whoever goes out has nothing left, and nobody else has."""
    entries = current_round(table).entries
    own = entries.get(seat.number, Entry(0))
    if own != Entry(0):
        raise Refused(
            "{name} has {pips} in this round. Change that to 0 first, if {name} went out.",
            name=seat.name,
            pips=own.pips,
        )
    for number, entry in entries.items():
        if entry == Entry(0) and number != seat.number:
            raise Refused(
                "{other} has 0 in this round. Change that first, if {name} went out.",
                other=table.name(number),
                name=seat.name,
            )


def block(table: Table) -> list[Event]:
    ended = _ended(table)
    current = current_round(table)
    if current.out is not None:
        raise Refused(
            "{name} went out, so the round was not blocked.", name=table.name(current.out)
        )
    if current.blocked:
        raise Refused("The round is blocked already; count the tiles that are left.")
    return [*ended, e.RoundBlocked()]


def _ended(table: Table) -> list[Event]:
    """What ends the round, if it has not ended yet."""
    if table.phase not in ("playing", "scoring"):
        raise Refused("No round is being played.")
    return [e.RoundEnded()] if table.phase == "playing" else []


def next_round(game: Game, table: Table, at: float) -> list[Event]:
    """The next round, or the end of the game; scores may be missing and follow later."""
    if table.phase == "playing" and game.won_in_play(table):
        return [e.RoundEnded(), _finished(game, table, "limit")]
    if table.phase == "playing":
        raise Refused("End the round first: tap advance, then the seat that went out.")
    in_phase(table, "scoring", "No round has been played.")
    game.check_closing(table)
    if table.number >= rounds_of(table):
        return [_finished(game, table, "rounds")]
    if game.winning(table) is not None:
        return [_finished(game, table, "limit")]
    if time_is_up(table, at):
        return [_finished(game, table, "time")]
    return [_started(table, _next_starter(table), _carried_by_late(game, table))]


def first_round(table: Table, starter: int | None) -> Event:
    """Round 1, with a starter who was named or the first in turn."""
    return _started(table, _next_starter(table) if starter is None else starter, {})


def set_engine(table: Table, command: c.SetEngine) -> list[Event]:
    in_phase(table, "playing", "The double is named once the round has begun.")
    current = current_round(table)
    if table.rules.engine_choice != "highest-held" or not table.engines:
        raise Refused("The rules say which double starts the round (setting engine_choice).")
    seat = None if command.seat is None else player(table, command.seat).number
    asked = table.asked if command.engine is None else command.engine
    if asked is None or not 0 <= asked <= table.size:
        raise Refused(
            "A double-{size} set has the doubles 0 to {size}. Which one was laid?", size=table.size
        )
    unchanged = current.engine == asked and seat in (None, current.starter)
    return [] if unchanged else [e.EngineFound(asked, seat)]


def pass_engine(table: Table) -> list[Event]:
    if not table.asks_which_double() or table.asked is None:
        raise Refused("No double is being asked for.")
    return [e.EnginePassed(table.asked, (table.asked or table.size + 1) - 1)]


def finish_game(game: Game, table: Table) -> list[Event]:
    if table.phase not in ("playing", "scoring"):
        raise Refused("There is no game to end.")
    return [_finished(game, table, "agreed")]


def open_lobby(table: Table) -> list[Event]:
    in_phase(table, "finished", "The game is not over yet.")
    return [e.LobbyOpened()]


def rounds_of(table: Table) -> float:
    """How many rounds the game has; infinity where only a points limit ends it."""
    engines = table.engines or table.rules.engines_for(table.size)
    return len(engines) or table.rules.rounds or float("inf")


def remaining(table: Table, at: float) -> float | None:
    """Seconds left of the game's time limit, or None without one."""
    limit = table.rules.time_limit_min
    if limit is None or table.started_at is None or table.phase not in ("playing", "scoring"):
        return None
    return table.started_at + limit * 60 - at


def time_is_up(table: Table, at: float) -> bool:
    """Whether the game's time limit has passed."""
    left = remaining(table, at)
    return left is not None and left <= 0


def _finished(
    game: Game, table: Table, reason: Literal["rounds", "time", "limit", "agreed"]
) -> Event:
    return e.GameFinished(reason, tuple(game.winners(table, scoring.standings(game, table))))


def _started(table: Table, starter: int | None, carried: dict[int, int]) -> Event:
    number = table.number + 1
    engine = table.engines[number - 1] if table.engines else None
    if table.rules.engine_choice == "highest-held":
        engine = None
    return e.RoundStarted(number, engine, starter, carried)


def tiles_decide(rules: Rules) -> bool:
    """Whether the tiles in the hands say who starts, so that the hub cannot know before."""
    return rules.starter == "highest-tile" or rules.engine_choice == "highest-held"


def _next_starter(table: Table) -> int | None:
    """The next player clockwise from whoever started last; nobody where the tiles decide."""
    if tiles_decide(table.rules):
        return None
    seats = [seat.number for seat in table.players(table.number + 1)]
    last = table.round
    if last is None or last.starter is None:
        return seats[0]
    later = [number for number in seats if number > last.starter]
    return later[0] if later else seats[0]


def _carried_by_late(game: Game, table: Table) -> dict[int, int]:
    """What those who begin with the next round come in with."""
    number = table.number + 1
    late = [seat for seat in table.players(number) if seat.since == number]
    if not late:
        return {}
    sums = [
        line.total
        for line in scoring.standings(game, table)
        if line.seat.plays(number) and line.seat.since < number
    ]
    return {seat.number: _carried(table.rules, sums) for seat in late}


def _carried(rules: Rules, sums: list[int]) -> int:
    if not sums or rules.late_score == "zero":
        return 0
    if rules.late_score == "average":
        return round(sum(sums) / len(sums))
    return max(sums) if rules.wins == "lowest" else min(sums)
