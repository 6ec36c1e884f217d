"""Decisions about seats: in the lobby, and for those who come late or leave early."""

from centerpiece.table import commands as c
from centerpiece.table import events as e
from centerpiece.table.checks import (
    MOST_SEATS,
    check_deal,
    clean_name,
    current_round,
    empty_seat,
    in_phase,
    listed,
    player,
)
from centerpiece.table.events import Event
from centerpiece.table.state import Seat, Table, seat_name
from centerpiece.text import Refused


def toggle_seat(table: Table, command: c.ToggleSeat) -> list[Event]:
    in_phase(table, "lobby", "Seats can only be taken before the game. Join late instead.")
    number = command.seat
    if not 1 <= number <= MOST_SEATS:
        raise Refused("There is no seat {seat}. The seats are 1 to 10.", seat=number)
    if table.seat(number):
        return [e.SeatFreed(number)]
    name = clean_name(command.name) if command.name else seat_name(number)
    return [e.SeatTaken(number, free_name(table.seats, name))]


def move_seat(table: Table, command: c.MoveSeat) -> list[Event]:
    in_phase(table, "lobby", "Seats can only be changed before the game.")
    player(table, command.seat)
    if not 1 <= command.to <= MOST_SEATS:
        raise Refused("There is no seat {seat}. The seats are 1 to 10.", seat=command.to)
    return [] if command.to == command.seat else [e.SeatMoved(command.seat, command.to)]


def free_name(seats: tuple[Seat, ...], name: str) -> str:
    """Return the name; Refused if somebody at the table has it."""
    if any(seat.name.casefold() == name.casefold() for seat in seats):
        raise Refused(
            "{name} is already at the table. Add something to tell them apart.",
            name=name,
        )
    return name


def join(table: Table, command: c.Join) -> list[Event]:
    """Give a newcomer a seat; somebody who left and comes back gets the old one."""
    name, number = clean_name(command.name), command.seat
    for seat in table.seats:
        if seat.until is not None and seat.name.casefold() == name.casefold():
            return come_back(table, c.Return(seat.number))
    free_name(table.seats, name)
    taken = [seat.number for seat in table.seats]
    free = [n for n in range(1, MOST_SEATS + 1) if n not in taken]
    if not free:
        raise Refused("All ten seats are taken.")
    if number is None:
        later = [n for n in free if n > max(taken, default=0)]
        number = (later or free)[0]
    if number not in free:
        raise Refused("Seat {seat} is not free. Free: {free}.", seat=number, free=listed(free))
    if table.phase == "lobby":
        return [e.SeatTaken(number, name)]
    if table.phase == "finished":
        raise Refused("The game is over. Join the next one before it begins.")
    if any(seat.team for seat in table.seats):
        raise Refused("Nobody can join a team game.")
    _check_one_more(table)
    return [e.Joined(number, name)]


def arrive(table: Table, command: c.Arrive) -> list[Event]:
    """Seat a latecomer at any seat where nobody plays, or bring the owner of a seat back."""
    _in_game(table, "The game has not begun: just take a seat.")
    seat = table.seat(command.seat)
    if seat is None:
        return join(table, c.Join(command.name or seat_name(command.seat), command.seat))
    away = seat.parked or seat.until is not None
    return come_back(table, c.Return(seat.number)) if away else []


def leave(table: Table, command: c.Leave) -> list[Event]:
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
    if len(table.players(table.number + 1)) <= 2 or seat.team is not None:
        raise Refused(
            "The game cannot go on without {name}. End it instead.",
            name=seat.name,
        )
    return [e.Left(number)]


def substitute(table: Table, command: c.Substitute) -> list[Event]:
    _in_game(table, "Someone can only take over during a game. Before it, take the seat.")
    seat = table.seat(command.seat)
    if seat is None or seat.until is not None:
        raise empty_seat(table, command.seat)
    name = clean_name(command.name)
    if name.casefold() == seat.name.casefold():
        return []
    free_name(table.seats, name)
    return [e.Substituted(seat.number, name, seat.name)]


def park(table: Table, command: c.Park) -> list[Event]:
    _in_game(table, "You can only sit out during a game. Before it, leave the seat.")
    seat = player(table, command.seat, table.number + 1)
    if len(table.players(table.number + 1)) <= 2 or seat.team is not None:
        raise Refused("The game cannot go on without {name}.", name=seat.name)
    return [e.Parked(seat.number)]


def come_back(table: Table, command: c.Return) -> list[Event]:
    _in_game(table, "There is no game to come back to.")
    seat = table.seat(command.seat)
    if seat is None or not (seat.parked or seat.until is not None):
        raise Refused("Seat {seat} is not sitting out.", seat=command.seat)
    _check_one_more(table)
    return [e.Returned(seat.number)]


def _check_one_more(table: Table) -> None:
    """Refuse a player for whom no hand can be dealt.

    After others have left, a table may have fewer players than the table of hands begins with.
    """
    players = len(table.players(table.number + 1)) + 1
    if players > max((played.dealt for played in table.rounds), default=0):
        check_deal(table.next_rules, table.size, players)


def _in_game(table: Table, otherwise: str) -> None:
    if table.phase not in ("playing", "scoring"):
        raise Refused(otherwise)


def rename(table: Table, command: c.Rename) -> list[Event]:
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
    in_phase(table, "playing", "You can only say who starts once the round has begun.")
    proposed = current_round(table).starter
    number = proposed if command.seat is None else player(table, command.seat).number
    if number is None:
        raise Refused("Who starts? Tap that seat, or Train to let the lights draw.")
    unchanged = number == proposed and not table.who_starts
    return [] if unchanged else [e.StarterDesignated(number)]
