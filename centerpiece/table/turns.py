"""Turns, where the hub is told of them: whose turn it is, and the deadline for a last tile.

The hub does not see tiles. Only rules that need turns (a turn timer, or a last tile that must be
announced before the next player has finished) ask people to say when one is over. Before the first
turn of a round is passed on, nothing is known, and nothing is held against anyone.
"""

from centerpiece.table import commands as c
from centerpiece.table import events as e
from centerpiece.table.checks import current_round, in_phase, player
from centerpiece.table.events import Event
from centerpiece.table.question import open_question
from centerpiece.table.state import Table
from centerpiece.text import Refused


def following(table: Table, number: int) -> int:
    return table.next_after(number)


def pass_turn(table: Table, at: float) -> list[Event]:
    """Return the event that moves the turn on, past seats that have to lose theirs.

    If nobody knows who started, the event names no seat. Refused outside a round, where turns are
    not tracked, and before the starting double is known.
    """
    in_phase(table, "playing", "A turn can only be passed during a round.")
    if not table.rules.tracks_turns:
        raise Refused("In these rules, turns are not tracked.")
    if table.asks_which_double():
        raise Refused("First: who has the double {engine}?", engine=table.asked)
    turn = current_round(table).starter if table.turn is None else table.turn
    if turn is None:
        return [e.TurnPassed(None, at)]
    lost: list[int] = []
    turn = following(table, turn)
    while turn in table.skipped and len(lost) < len(table.players()):
        lost.append(turn)
        turn = following(table, turn)
    return [e.TurnPassed(turn, at, tuple(lost))]


def turn_of_absent(table: Table, number: int, at: float) -> list[Event]:
    """Return the event that passes on the turn of seat `number`, which leaves, if it has the turn.

    No event otherwise, outside a round, where turns are not tracked, or while the table asks
    something.
    """
    if table.phase != "playing" or not table.rules.tracks_turns or open_question(table):
        return []
    turn = current_round(table).starter if table.turn is None else table.turn
    return pass_turn(table, at) if turn == number else []


def end_skip(table: Table, command: c.EndSkip) -> list[Event]:
    """Return the event that a seat has lost the turn it had to lose; none if it has none to lose.

    It is needed where the table does not track turns. Refused outside a round.
    """
    in_phase(table, "playing", "A turn can only be lost during a round.")
    seat = player(table, command.seat).number
    return [e.SkipEnded(seat)] if seat in table.skipped else []


def may_announce(table: Table, number: int) -> bool:
    """Return True while seat `number` may still announce its last tile.

    That is until the next player has finished a turn; always, if the rules or the table keep no
    time.
    """
    if table.rules.last_tile_deadline != "next-player" or table.turn is None:
        return True
    return table.turn in (number, following(table, number))


def may_be_caught(table: Table, number: int) -> bool:
    """Return True once the time of seat `number` for announcing is over, or if no time is kept.

    With two players it is always the turn of one or the other, so a tile that was not announced can
    be caught in the same player's next turn.
    """
    if table.rules.last_tile_deadline != "next-player" or table.turn is None:
        return True
    if len(table.players()) == 2:
        return table.turn == number
    return not may_announce(table, number)


def left_of_turn(table: Table, at: float) -> float | None:
    """Return the seconds left of the turn's time limit, negative once it is over.

    None without a limit, outside a round, and before any turn is told.
    """
    limit = table.rules.turn_limit_s
    if limit is None or table.turn_at is None or table.phase != "playing":
        return None
    return table.turn_at + limit - at
