"""Completing a command that a button leaves open: the name last used at a seat, a random lot."""

import os
from collections.abc import Callable

from msgspec.structs import replace

from centerpiece.storage.settings import Settings
from centerpiece.table.commands import Arrive, Command, DrawStarter, ToggleSeat
from centerpiece.table.state import Table, seat_name
from hal.ports import SEATS

Lots = Callable[[], int]


def random_lot() -> int:
    """Return a random number that decides who starts."""
    return int.from_bytes(os.urandom(4))


def complete_command(command: Command, table: Table, settings: Settings, lots: Lots) -> Command:
    """Return the command with what a button leaves open: the name last used at a seat, or a lot.

    `lots` draws the lot. A name that is at the table already is not used, and neither is one for a
    seat that has an owner: the table asks first.
    """
    match command:
        case Arrive(name=None, new=None) if table.seat(command.seat) is not None:
            return command  # The table asks first if its owner is back.
        case ToggleSeat(name=None) | Arrive(name=None) if command.seat in SEATS:
            name = settings.last_at_seat(command.seat)
            taken = {seat.name.casefold() for seat in table.seats}
            if name and name.casefold() not in taken:
                return replace(command, name=name)
        case DrawStarter(lot=None):
            return DrawStarter(lots())
    return command


def names_at(table: Table, at: float) -> tuple[tuple[str, int, float], ...]:
    """Return the names at a table with chair and time, to be stored for the next evening.

    Players called after their seat are left out.
    """
    return tuple(
        (seat.name, seat.chair, at)
        for seat in table.seats
        if not seat.name.startswith(seat_name(seat.chair))
    )
