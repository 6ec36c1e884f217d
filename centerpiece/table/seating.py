"""Deciding who sits where: in the lobby, and for those who come late or leave early."""

from centerpiece.table import events as e
from centerpiece.table.checks import (
    MOST_SEATS,
    check_deal,
    clean_name,
    current_round,
    in_phase,
    listed,
    nobody,
    player,
)
from centerpiece.table.events import Event
from centerpiece.table.state import Seat, Table, seat_name
from centerpiece.text import Refused


def toggle_seat(table: Table, number: int, name: str | None) -> list[Event]:
    in_phase(table, "lobby", "Seats are taken in the lobby; join in a game.")
    if not 1 <= number <= MOST_SEATS:
        raise Refused("There is no seat {seat}: seats are 1 to 10.", seat=number)
    if table.seat(number):
        return [e.SeatFreed(number)]
    wanted = clean_name(name) if name else seat_name(number)
    return [e.SeatTaken(number, free_name(table.seats, wanted))]


def move_seat(table: Table, number: int, to: int) -> list[Event]:
    in_phase(table, "lobby", "Seats are changed in the lobby.")
    player(table, number)
    if not 1 <= to <= MOST_SEATS:
        raise Refused("There is no seat {seat}: seats are 1 to 10.", seat=to)
    return [] if to == number else [e.SeatMoved(number, to)]


def free_name(seats: tuple[Seat, ...], name: str) -> str:
    """The name, unless somebody at the table has it."""
    if any(seat.name.casefold() == name.casefold() for seat in seats):
        raise Refused(
            "There is a {name} at the table already. Add something to tell them apart.",
            name=name,
        )
    return name


def join(table: Table, name: str, number: int | None) -> list[Event]:
    """A seat for somebody new; whoever has left and comes back takes up the old one."""
    name = clean_name(name)
    for seat in table.seats:
        if seat.until is not None and seat.name.casefold() == name.casefold():
            return come_back(table, seat.number)
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
        raise Refused("The game is over. Join the next one in the lobby.")
    if any(seat.team for seat in table.seats):
        raise Refused("Nobody can join a game of teams.")
    _check_one_more(table)
    return [e.Joined(number, name)]


def leave(table: Table, number: int) -> list[Event]:
    if table.phase == "lobby":
        player(table, number)
        return [e.SeatFreed(number)]
    if table.phase == "finished":
        raise Refused("The game is over; seats are changed in the lobby.")
    away = table.seat(number)
    if away is not None and away.parked and away.until is None:
        return [e.Left(number)]
    seat = player(table, number, table.number + 1)
    if len(table.players(table.number + 1)) <= 2 or seat.team is not None:
        raise Refused(
            "Without {name} nobody can play on. End the game instead: hold whistle and "
            "advance for three seconds.",
            name=seat.name,
        )
    return [e.Left(number)]


def substitute(table: Table, number: int, name: str) -> list[Event]:
    _in_game(table, "A substitute takes over in a game; in the lobby take the seat.")
    seat = table.seat(number)
    if seat is None or seat.until is not None:
        raise nobody(table, number)
    name = clean_name(name)
    if name.casefold() == seat.name.casefold():
        return []
    free_name(table.seats, name)
    return [e.Substituted(number, name, seat.name)]


def park(table: Table, number: int) -> list[Event]:
    _in_game(table, "A seat is parked in a game; in the lobby tap it.")
    seat = player(table, number, table.number + 1)
    if len(table.players(table.number + 1)) <= 2 or seat.team is not None:
        raise Refused("Without {name} nobody can play on.", name=seat.name)
    return [e.Parked(number)]


def come_back(table: Table, number: int) -> list[Event]:
    _in_game(table, "There is no game to come back to.")
    seat = table.seat(number)
    if seat is None or not (seat.parked or seat.until is not None):
        raise Refused("Seat {seat} is not parked.", seat=number)
    _check_one_more(table)
    return [e.Returned(number)]


def _check_one_more(table: Table) -> None:
    """Refuse what cannot be dealt; a table that others have left may be smaller than the sheet."""
    players = len(table.players(table.number + 1)) + 1
    if players > max((len(table.players(r.number)) for r in table.rounds), default=0):
        check_deal(table.rules, table.size, players)


def _in_game(table: Table, otherwise: str) -> None:
    if table.phase not in ("playing", "scoring"):
        raise Refused(otherwise)


def rename(table: Table, number: int, name: str) -> list[Event]:
    seat = table.seat(number)
    if seat is None:
        raise nobody(table, number)
    name = clean_name(name)
    if name == seat.name:
        return []
    if name.casefold() != seat.name.casefold():
        free_name(table.seats, name)
    return [e.Renamed(number, name)]


def designate(table: Table, number: int) -> list[Event]:
    in_phase(table, "playing", "The starter is named once the round has begun.")
    seat = player(table, number)
    return [] if current_round(table).starter == number else [e.StarterDesignated(seat.number)]
