"""Deciding how a round ends and the next begins, up to the end of the game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from centerpiece.rules.book import Rules
from centerpiece.table import commands as c
from centerpiece.table import events as e
from centerpiece.table import scoring
from centerpiece.table.checks import current_round, in_phase, listed, player
from centerpiece.table.events import Event
from centerpiece.table.state import Entry, Reason, Round, Seat, Table
from centerpiece.text import Refused

if TYPE_CHECKING:
    from centerpiece.table.books import Books
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
    reason: Reason | None = None
    if table.number >= rounds_of(table):
        reason = "rounds"
    elif game.winning(table) is not None:
        reason = "limit"
    elif time_is_up(table, at):
        reason = "time"
    if reason is not None:
        _check_every_hand(game, table)
        return [_finished(game, table, reason)]
    return [_started(table, _next_starter(table))]


def first_round(table: Table, starter: int | None) -> Event:
    """Round 1, with a starter who was named or the first in turn."""
    return _started(table, _next_starter(table) if starter is None else starter)


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


def hand(table: Table) -> int | None:
    """How many tiles everybody draws; in a round that was dealt, whoever has left since, drew."""
    played = table.round
    if played is None:
        return table.rules.hand(table.size, len(table.players()))
    return scoring.rules_of(table, played).hand_after_leaving(table.size, played.dealt)


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


def _check_every_hand(game: Game, table: Table) -> None:
    """No hand missing, no winner."""
    for number, seats in scoring.all_missing(game, table):
        raise Refused(
            "Nobody has won yet: what {names|does|do} {names} have left from round {number}? "
            "(Or end the game without that round: hold whistle and advance.)",
            names=[table.name(seat) for seat in seats],
            number=number,
        )


def _finished(game: Game, table: Table, reason: Reason) -> Event:
    over = replace(table, phase="finished", finished_by=reason)
    if reason == "limit":
        # Who has won in play needs no other end of the round.
        *before, last = table.rounds
        over = replace(over, rounds=(*before, replace(last, ended=True)))
    return e.GameFinished(reason, winners_of(game, over))


def winners_of(game: Game, over: Table) -> tuple[int, ...]:
    """Who has won a game that is over: rounds that are not whole are left out."""
    return tuple(game.winners(over, scoring.standings(game, over)))


def change_out(books: Books, table: Table, command: c.ChangeOut, at: float) -> list[Event]:
    """Somebody else went out in a round, or nobody; what was counted stays."""
    played = ended_round(table, command.round)
    seat = None if command.seat is None else player(table, command.seat, command.round)
    if (seat is None and played.blocked) or (seat is not None and played.out == seat.number):
        return []
    number = None if seat is None else seat.number
    changed = e.OutChanged(command.round, number, played.out, command.on_double)
    return with_consequences(books, table, [changed])


def ended_round(table: Table, number: int) -> Round:
    """A round that has been played, or a refusal that lists those that were."""
    if table.phase == "lobby":
        raise Refused("There is no score to correct in the lobby.")
    ended = [played.number for played in table.rounds if played.ended]
    if number not in ended:
        raise Refused(
            "Round {number} has no scores yet. Rounds that can be corrected: {played}.",
            number=number,
            played=listed(ended),
        )
    return table.rounds[number - 1]


def with_consequences(books: Books, table: Table, events: list[Event]) -> list[Event]:
    """What a correction leads to once the game is over: another winner, or no end at all."""
    if table.phase != "finished" or not events:
        return events
    game, before, after = books.game_of(table), winners_of(books.game_of(table), table), table
    for event in events:
        after = books.evolve(after, event)
    resumed = replace(after, phase="scoring")
    if table.finished_by == "limit" and game.winning(resumed) is None:
        return [*events, e.GameReopened()]
    now = winners_of(game, after)
    return events if now == before else [*events, e.WinnersChanged(now)]


def _started(table: Table, starter: int | None) -> Event:
    number = table.number + 1
    engine = table.engines[number - 1] if table.engines else None
    if table.rules.engine_choice == "highest-held":
        engine = None
    return e.RoundStarted(number, engine, starter)


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
