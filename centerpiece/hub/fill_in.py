"""What a button leaves open, filled in: who sat at a seat last, which lot is drawn.

Nothing of it is part of a game. Names are kept for the next evening once a game has them.
"""

import os
from collections.abc import Callable

from msgspec.structs import replace

from centerpiece.storage.settings import Settings
from centerpiece.table.commands import Arrive, Command, DrawStarter, ToggleSeat
from centerpiece.table.state import Table, seat_name
from hal.ports import SEATS


class FillIn:
    """Completes the commands of one hub."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.draw_lot: Callable[[], int] = lambda: int.from_bytes(os.urandom(4))
        """Any number, for drawing who starts."""

    def completed(self, table: Table, command: Command) -> Command:
        """The command with everything filled in."""
        match command:
            case ToggleSeat(name=None) | Arrive(name=None) if command.seat in SEATS:
                name = self._settings.last_at_seat(command.seat)
                taken = {seat.name.casefold() for seat in table.seats}
                if name and name.casefold() not in taken:
                    return replace(command, name=name)
            case DrawStarter(lot=None):
                return DrawStarter(self.draw_lot())
        return command


def named(table: Table, at: float) -> tuple[tuple[str, int, float], ...]:
    """The names at a table with their seats, to be kept for the next evening."""
    seats = table.seats
    return tuple(
        (seat.name, seat.number, at) for seat in seats if seat.name != seat_name(seat.number)
    )
