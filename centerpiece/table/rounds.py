"""Decisions about rounds: how one ends and the next begins, up to the end of the game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from centerpiece.table import commands as c
from centerpiece.table import events as e
from centerpiece.table import scoring
from centerpiece.table.checks import current_round, in_phase, listed, player
from centerpiece.table.events import Event
from centerpiece.table.question import AsksBack, Question
from centerpiece.table.state import Reason, Round, Table, chair_of
from centerpiece.text import Refused, Sentence

if TYPE_CHECKING:
    from centerpiece.table.game import Game
    from centerpiece.table.game_set import GameSet


def go_out(game_set: GameSet, table: Table, command: c.GoOut, at: float) -> list[Event]:
    """Return the events for a seat that goes out; a last double need not be satisfied.

    While hands are counted, it corrects who went out. Refused in the lobby and after the game.
    """
    if table.phase == "scoring":
        changed = c.ChangeOut(table.number, command.seat, command.on_double)
        return change_out(game_set, table, changed, at)
    in_phase(table, "playing", "No round is being played.")
    seat = player(table, command.seat)
    return game_set.game_of(table).went_out(table, seat.number, command.on_double)


def block(game_set: GameSet, table: Table, command: c.Block, at: float) -> list[Event]:
    """Return the events of a blocked round; while hands are counted, correct who went out.

    Refused in the lobby and after the game.
    """
    if table.phase == "scoring":
        return change_out(game_set, table, c.ChangeOut(table.number), at)
    in_phase(table, "playing", "No round is being played.")
    return game_set.game_of(table).blocked(table)


def next_round(game_set: GameSet, table: Table, command: c.NextRound, at: float) -> list[Event]:
    """Return the events that start the next round, or end the game if none follows.

    If hands are missing, AsksBack before another round, unless the command has `uncounted`, and
    Refused at the end of the game. Also refused if the round is still played, no hand of it is
    counted, or its winner is open, and outside a game.
    """
    game = game_set.game_of(table)
    if table.phase == "playing" and game.won_in_play(table):
        _check_every_hand(game, table)
        return _finished(game, table, "limit")
    if table.phase == "playing":
        raise Refused("End the round first: who went out?")
    in_phase(table, "scoring", "No round has been played yet.")
    game.check_closing(table)
    if (reason := end_reason(game, table, at)) is not None:
        _check_every_hand(game, table)
        return _finished(game, table, reason)
    _ask_for_the_missing(game, table, command.uncounted)
    return [_started(table)]


def end_reason(game: Game, table: Table, at: float) -> Reason | None:
    """Return the reason why no round follows this one; None if one does.

    That is the end of a play-off, the last round, the points limit, or the time, in this order.
    """
    if current_round(table).among:
        return table.finished_by or "agreed"
    if table.number >= rounds_of(table):
        return "rounds"
    if table.phase == "playing":
        won = game.won_in_play(table)
    else:
        won = game.winning(table.with_next_rules()) is not None
    if won:
        return "limit"
    return "time" if time_is_up(table, at) else None


def play_off(game: Game, table: Table) -> list[Event]:
    """Return the start of a round among those present who share the best place that is tied.

    Refused before the game is over, without a tie for a prize, or if fewer than two of them are
    here.
    """
    in_phase(table, "finished", "A tie can only be played off after the game.")
    sharing = scoring.share_a_prize(table.rules, scoring.standings(game, table))
    if not sharing:
        raise Refused("There is no tie to play off.")
    among = scoring.may_play_off(sharing)
    if not among:
        raise Refused(
            "{names} share the place. Not enough of them are here to play it off.",
            names=[seat.name for seat in sharing],
        )
    engine = table.engines[0] if table.engines else None
    rules = table.next_rules
    if rules.engine_choice == "highest-held":
        engine = None
    found = rules.starter_found(1)
    last = current_round(table).starter or 0
    starter = None if found else next((number for number in among if number > last), among[0])
    asks = found and rules.engine_choice != "highest-held"
    return [e.RoundStarted(table.number + 1, engine, starter, asks, among)]


def first_round(table: Table, starter: int | None) -> Event:
    """Return the start of round 1; without a named `starter`, people or tiles decide who starts."""
    return _started(table, starter)


def set_engine(table: Table, command: c.SetEngine) -> list[Event]:
    """Return the event that names the double that starts the round, and the seat that laid it.

    The double defaults to the one asked for; no event if both are known already. Refused outside a
    round, where the rules fix the double, and for a double that the set does not have.
    """
    in_phase(table, "playing", "You can only name the starting double once the round has begun.")
    current = current_round(table)
    if table.rules.engine_choice != "highest-held" or not table.engines:
        raise Refused("In these rules the starting double is fixed.")
    seat = None if command.seat is None else player(table, command.seat).number
    asked = table.asked if command.engine is None else command.engine
    if asked is None or not 0 <= asked <= table.size:
        raise Refused(
            "A double-{size} set has the doubles 0 to {size}. Which one is it?", size=table.size
        )
    unchanged = current.engine == asked and seat in (None, current.starter)
    return [] if unchanged else [e.EngineFound(asked, seat)]


def pass_engine(table: Table) -> list[Event]:
    """Return the event that asks for the next lower double; after 0 the highest again.

    Refused if the hub is not asking.
    """
    if not table.asks_which_double() or table.asked is None:
        raise Refused("The hub is not asking for a double.")
    return [e.EnginePassed(table.asked, (table.asked or table.size + 1) - 1)]


def finish_game(game: Game, table: Table) -> list[Event]:
    """Return the events that end the game now, by agreement; Refused if there is none."""
    if table.phase not in ("playing", "scoring"):
        raise Refused("There is no game to end.")
    return _finished(game, table, "agreed")


def open_lobby(table: Table) -> list[Event]:
    in_phase(table, "finished", "The game is not over yet.")
    return [e.LobbyOpened()]


def rounds_of(table: Table) -> float:
    """Return the number of rounds; infinity where only a points limit ends the game."""
    engines = table.engines or table.rules.engines_for(table.size)
    return len(engines) or table.next_rules.rounds or float("inf")


def hand(table: Table) -> int | None:
    """Return the tiles each player draws; None if the rules have no such deal.

    A round already dealt counts those who left since.
    """
    played = table.round
    if played is None:
        return table.rules.hand(table.size, len(table.players()))
    return scoring.rules_of(table, played).hand_after_leaving(table.size, played.dealt)


def remaining(table: Table, at: float) -> float | None:
    """Return the seconds left of the game's time limit, negative once it is over.

    None without a limit, outside a game and in a play-off.
    """
    limit = table.rules.time_limit_min
    if limit is None or table.started_at is None or table.phase not in ("playing", "scoring"):
        return None
    if current_round(table).among:
        return None
    return table.started_at + limit * 60 - at


def could_go_on(table: Table) -> bool:
    """Return True for a game that was ended by agreement although not all was played."""
    if table.finished_by != "agreed" or current_round(table).among:
        return False
    return table.number < rounds_of(table) or not current_round(table).end_known


def time_is_up(table: Table, at: float) -> bool:
    """Return True if the game's time limit is over; False without one."""
    left = remaining(table, at)
    return left is not None and left <= 0


def _check_every_hand(game: Game, table: Table) -> None:
    """Raise Refused if a game is to end while a hand is missing: it has no winner then.

    Rounds that were left out before a play-off stay left out.
    """
    missing = scoring.all_missing(game, table)
    for number, seats in [each for each in missing if each[0] not in table.left_out]:
        raise Refused(
            "Nobody has won yet: what {names|does|do} {names} have left from round {number}? "
            "(Or end the game without that round.)",
            names=[table.name(seat) for seat in seats],
            number=number,
        )


def _ask_for_the_missing(game: Game, table: Table, answered: bool) -> None:
    """Raise AsksBack if the round to be left has missing hands, unless that is `answered`.

    Refused if no hand has been counted at all. Without missing hands nothing happens.
    """
    current = current_round(table)
    missing = scoring.missing(game, table, current)
    if not missing:
        return
    names = [table.name(seat) for seat in missing]
    if current.entries.keys() <= {current.out}:
        raise Refused(
            "First count the {names|hand|hands} of {names}.",
            names=names,
        )
    if answered:
        return
    words = Sentence("Go on without {names}? Their points can be entered later.", {"names": names})
    raise AsksBack(Question("uncounted", tuple(missing), words))


def _finished(game: Game, table: Table, reason: Reason) -> list[Event]:
    """Return the events that end the game, cutting off a round in play.

    Won in play, that round needs no other end; otherwise it is left out until its hands are
    counted.
    """
    cut_off: list[Event] = [e.RoundEnded()] if table.phase == "playing" else []
    over = replace(table, phase="finished", finished_by=reason)
    if cut_off:
        *before, last = table.rounds
        over = replace(over, rounds=(*before, replace(last, ended=True)))
    left_out = tuple(number for number, _ in scoring.all_missing(game, over))
    won = scoring.won(game, replace(over, left_out=left_out))
    return [*cut_off, e.GameFinished(reason, tuple(won), left_out)]


def change_out(game_set: GameSet, table: Table, command: c.ChangeOut, at: float) -> list[Event]:
    """Return the events that correct who went out in an ended round; without a seat it was blocked.

    Hands that were counted stay; after the game other winners may follow. No events if it is the
    same; Refused for a round that has not ended.
    """
    played = ended_round(table, command.round)
    seat = None if command.seat is None else player(table, command.seat, command.round)
    number = None if seat is None else seat.number
    same = played.out == number and played.on_double == command.on_double
    if same and (played.blocked or number is not None):
        return []
    changed = e.OutChanged(command.round, number, played.out, command.on_double)
    return with_consequences(game_set, table, [changed])


def ended_round(table: Table, number: int) -> Round:
    """Return a round that has ended; otherwise Refused lists those that have."""
    if table.phase == "lobby":
        raise Refused("There is no score to correct before the game.")
    ended = [played.number for played in table.rounds if played.ended]
    if number not in ended:
        raise Refused(
            "Round {number} has no scores yet. You can correct these rounds: {played}.",
            number=number,
            played=listed(ended),
        )
    return table.rounds[number - 1]


def with_consequences(game_set: GameSet, table: Table, events: list[Event]) -> list[Event]:
    """Return the events, with what a correction of a finished game leads to.

    That is an event for other winners, or one that reopens a game no longer decided by its limit.
    In any other phase nothing is added.
    """
    if table.phase != "finished" or not events:
        return events
    game, after = game_set.game_of(table), table
    before = scoring.won(game, table)
    for event in events:
        after = game_set.evolve(after, event)
    resumed = replace(after, phase="scoring")
    decided = game.won_in_play(resumed) or game.winning(resumed.with_next_rules()) is not None
    if table.finished_by == "limit" and not decided:
        return [*events, e.GameReopened()]
    now = scoring.won(game, after)
    return events if now == before else [*events, e.WinnersChanged(tuple(now))]


def _started(table: Table, named: int | None = None) -> Event:
    """Return the start of the next round, with the double and the starter.

    A `named` starter or a single player is not asked for. Otherwise the starter is asked for in the
    first round, and whenever the tiles decide. Where the highest double held decides, the double
    comes later.
    """
    number = table.number + 1
    engine = table.engines[number - 1] if table.engines else None
    if table.next_rules.engine_choice == "highest-held":
        return e.RoundStarted(number, None, named)
    if named is not None or len(table.players(number)) < 2:
        return e.RoundStarted(number, engine, named or table.players(number)[0].number)
    starter = _next_starter(table)
    return e.RoundStarted(number, engine, starter, asks=number == 1 or starter is None)


def _next_starter(table: Table) -> int | None:
    """Return the next player clockwise from the last starter; in the first round the first player.

    None where the tiles decide, or where the last starter was never named.
    """
    last = table.round
    before = None if last is None or last.starter is None else chair_of(last.starter)
    never_named = last is not None and before is None
    if never_named or table.next_rules.starter_found(table.number + 1):
        return None
    seats = [seat.number for seat in table.players(table.number + 1)]
    later = [number for number in seats if before is not None and number > before]
    return later[0] if later else seats[0]
