"""Decisions about seats: in the lobby, and for those who come late or leave early."""

from __future__ import annotations

from typing import TYPE_CHECKING

from centerpiece.table import commands as c
from centerpiece.table import events as e
from centerpiece.table.checks import (
    check_deal,
    clean_name,
    current_round,
    empty_seat,
    in_phase,
    listed,
    player,
)
from centerpiece.table.events import Event
from centerpiece.table.question import AsksBack, Question
from centerpiece.table.rounds import end_reason
from centerpiece.table.scoring import all_missing, late_start
from centerpiece.table.state import MOST_SEATS, Seat, Table, seat_name
from centerpiece.table.turns import turn_of_absent
from centerpiece.text import Refused, Sentence

if TYPE_CHECKING:
    from centerpiece.table.game import Game
    from centerpiece.table.game_set import GameSet


def toggle_seat(table: Table, command: c.ToggleSeat) -> list[Event]:
    """Return the event that takes a seat; if a player sits there, the one that frees it.

    Without a name the player is called after the seat. Refused outside the lobby, for a number that
    is no seat, and for a name that is at the table.
    """
    in_phase(table, "lobby", "Seats can only be taken before the game. Join late instead.")
    number = command.seat
    if not 1 <= number <= MOST_SEATS:
        raise Refused("There is no seat {seat}. The seats are 1 to 10.", seat=number)
    if table.seat(number):
        return [e.SeatFreed(number)]
    name = clean_name(command.name) if command.name else seat_name(number)
    return [e.SeatTaken(number, free_name(table.seats, name))]


def move_seat(table: Table, command: c.MoveSeat) -> list[Event]:
    """Return the event of a move to another chair; none if it is the same.

    A player who sits there changes places. Refused outside the lobby, and without such a seat.
    """
    in_phase(table, "lobby", "Seats can only be changed before the game.")
    player(table, command.seat)
    if not 1 <= command.to <= MOST_SEATS:
        raise Refused("There is no seat {seat}. The seats are 1 to 10.", seat=command.to)
    return [] if command.to == command.seat else [e.SeatMoved(command.seat, command.to)]


def free_name(seats: tuple[Seat, ...], name: str) -> str:
    """Return the name unchanged; Refused if somebody at the table has it, in any case."""
    if any(seat.name.casefold() == name.casefold() for seat in seats):
        raise Refused(
            "{name} is already at the table. Add something to tell them apart.",
            name=name,
        )
    return name


def join(game_set: GameSet, table: Table, command: c.Join, at: float) -> list[Event]:
    """Return the event that seats a newcomer, or gives back the seat of a person who left.

    That is recognized by the name; the points come along. A chair that was left is given away only
    if it is asked for, or if no other is free. Refused after the game, for newcomers to a team
    game, without a free seat or a round to come; AsksBack, unless the command has `fit`, if teams
    would follow.
    """
    if table.phase == "finished":
        raise Refused("The game is over. Join the next one before it begins.")
    name, number = clean_name(command.name), command.seat
    former = _who_left(table, name)
    if former is not None and former.number <= MOST_SEATS:
        return come_back(game_set, table, c.Return(former.number), at)
    taken = [seat.number for seat in table.seats if seat.number <= MOST_SEATS]
    free = [n for n in range(1, MOST_SEATS + 1) if n not in taken]
    later = [n for n in free if n > max(taken, default=0)]
    left = [seat.number for seat in table.seats if seat.until is not None]
    possible = [*later, *free, *(n for n in left if n <= MOST_SEATS)]
    if not possible:
        raise Refused("All ten seats are taken.")
    if number is None:
        number = possible[0]
    if number not in possible:
        raise Refused("Seat {seat} is not free. Free: {free}.", seat=number, free=listed(free))
    if table.phase == "lobby":
        return [e.SeatTaken(number, free_name(table.seats, name))]
    game = game_set.game_of(table)
    _check_counted(game, table, number)
    if former is not None:
        _check_one_more(game, table, at)
        return [e.Returned(number, former.number)]
    free_name(table.seats, name)
    if any(seat.team for seat in table.seats):
        raise Refused("Nobody can join a team game.")
    players = _check_one_more(game, table, at)
    if not command.fit and table.next_rules.team_of(0, players) is not None:
        words = Sentence(
            "From the next game on, {players} are two teams. May {name} play alone until then? "
            "Tap Advance.",
            {"players": players, "name": name},
        )
        raise AsksBack(Question("fit", (), words, number, spoken="ask.teams"))
    return [e.Joined(number, name, *late_start(game, table))]


def arrive(game_set: GameSet, table: Table, command: c.Arrive, at: float) -> list[Event]:
    """Return the events that seat a latecomer where nobody plays, or bring the seat's owner back.

    AsksBack for a chair that was left if neither `new` nor the name in the command tells which. No
    events for a player who is there already. Refused if another player has the chair, and outside a
    game.
    """
    _in_game(table, "The game has not begun: just take a seat.")
    number, name, new = command.seat, command.name, command.new
    seat = table.seat(number)
    if seat is not None and new is None and name is not None:
        new = name.casefold() != seat.name.casefold()
    if seat is not None and seat.until is None:
        if new or (new is False and name is None and not seat.parked):
            raise Refused("{name} sits there.", name=seat.name)
        return come_back(game_set, table, c.Return(number), at) if seat.parked else []
    if seat is not None and new is None:
        _check_one_more(game_set.game_of(table), table, at)
        words = Sentence(
            "Is {name} back, or is it somebody new? Tap that seat for {name}, or Train for "
            "somebody new.",
            {"name": seat.name},
        )
        raise AsksBack(Question("back", (number,), words, about=number))
    if seat is not None and not new:
        return come_back(game_set, table, c.Return(number), at)
    joins = c.Join(name or _unnamed(table, number), number, command.fit)
    return join(game_set, table, joins, at)


def _who_left(table: Table, name: str) -> Seat | None:
    """Return the seat of a person who left under this name, in any case; None if nobody did."""
    for seat in table.seats:
        if seat.until is not None and seat.name.casefold() == name.casefold():
            return seat
    return None


def _unnamed(table: Table, number: int) -> str:
    """Return a name for a newcomer who gave none: that of the seat, and a count if it is taken."""
    taken, name, count = {seat.name for seat in table.seats}, seat_name(number), 1
    while name in taken:
        count += 1
        name = f"{seat_name(number)} ({count})"
    return name


def leave(table: Table, command: c.Leave, at: float) -> list[Event]:
    """Return the events of a player leaving; before the game this frees the seat.

    If it was that player's turn, it moves on. Refused after the game, and if the game cannot go on
    without them.
    """
    number = command.seat
    if table.phase == "lobby":
        player(table, number)
        return [e.SeatFreed(number)]
    if table.phase == "finished":
        raise Refused("The game is over. You can change seats before the next one.")
    away = table.seat(number)
    if away is not None and away.parked and away.until is None:
        return [e.Left(number)]
    seat = player(table, number, table.number + 1)
    if _is_needed(table, seat):
        raise Refused(
            "The game cannot go on without {name}. End it instead.",
            name=seat.name,
        )
    return [*turn_of_absent(table, number, at), e.Left(number)]


def _is_needed(table: Table, seat: Seat) -> bool:
    """Return True if the game, or its play-off, cannot go on without `seat`.

    That is so with two players, and in a game of teams.
    """
    among = current_round(table).among
    others = table.players() if seat.number in among else table.players(table.number + 1)
    return len(others) <= 2 or seat.team is not None


def substitute(table: Table, command: c.Substitute) -> list[Event]:
    """Return the event of a new person taking over a seat with its points.

    No event if the name is the same. Refused outside a game, for an empty seat and for a name that
    is at the table.
    """
    _in_game(table, "Someone can only take over during a game. Before it, take the seat.")
    seat = table.seat(command.seat)
    if seat is None or seat.until is not None:
        raise empty_seat(table, command.seat)
    name = clean_name(command.name)
    if name.casefold() == seat.name.casefold():
        return []
    free_name(table.seats, name)
    return [e.Substituted(seat.number, name, seat.name)]


def park(table: Table, command: c.Park, at: float) -> list[Event]:
    """Return the events of a player sitting out; if it was their turn, it moves on.

    Refused outside a game, and if the game cannot go on without them.
    """
    _in_game(table, "You can only sit out during a game. Before it, leave the seat.")
    seat = player(table, command.seat, table.number + 1)
    if _is_needed(table, seat):
        raise Refused("The game cannot go on without {name}.", name=seat.name)
    return [*turn_of_absent(table, seat.number, at), e.Parked(seat.number)]


def come_back(game_set: GameSet, table: Table, command: c.Return, at: float) -> list[Event]:
    """Return the event for a seat that was parked or left to play again, from the next round on.

    Refused if it is neither, if no round follows, or if one more cannot be dealt to.
    """
    _in_game(table, "There is no game to come back to.")
    seat = table.seat(command.seat)
    if seat is None or not (seat.parked or seat.until is not None):
        raise Refused("Seat {seat} is not sitting out.", seat=command.seat)
    _check_one_more(game_set.game_of(table), table, at)
    return [e.Returned(seat.number)]


def _check_one_more(game: Game, table: Table, at: float) -> int:
    """Return the number of players in the next round with one more.

    Refused if no round follows or the rules have no hand for so many. After others have left, a
    table may have fewer players than the table of hands begins with.
    """
    players = len(table.players(table.number + 1)) + 1
    if players > max((played.dealt for played in table.rounds), default=0):
        check_deal(table.next_rules, table.size, players)
    if end_reason(game, table, at) is not None:
        raise Refused("The game ends with this round.")
    return players


def _check_counted(game: Game, table: Table, number: int) -> None:
    """Raise Refused while a hand of the person who left chair `number` is still to be counted."""
    for played, seats in all_missing(game, table):
        if number in seats:
            raise Refused(
                "First count the {names|hand|hands} of {names} in round {round}.",
                names=[table.name(number)],
                round=played,
            )


def _in_game(table: Table, otherwise: str) -> None:
    if table.phase not in ("playing", "scoring"):
        raise Refused(otherwise)


def rename(table: Table, command: c.Rename) -> list[Event]:
    """Return the event of a new name for a seat; none if it is the same.

    Refused for an empty seat and a name that somebody else at the table has.
    """
    seat = table.seat(command.seat)
    if seat is None:
        raise empty_seat(table, command.seat)
    name = clean_name(command.name)
    if name == seat.name:
        return []
    if name.casefold() != seat.name.casefold():
        free_name(table.seats, name)
    return [e.Renamed(seat.number, name)]


def designate(table: Table, command: c.DesignateStarter) -> list[Event]:
    """Return the event that names the starter, by default the one proposed.

    No event if that is settled already. Refused outside a round, or if nobody is named or proposed.
    """
    in_phase(table, "playing", "You can only say who starts once the round has begun.")
    proposed = current_round(table).starter
    number = proposed if command.seat is None else player(table, command.seat).number
    if number is None:
        raise Refused("Who starts? Tap that seat, or Train to let the lights draw.")
    unchanged = number == proposed and not table.who_starts
    return [] if unchanged else [e.StarterDesignated(number)]
