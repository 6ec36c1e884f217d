"""The game's clock: the wall clock as it was when the game began, without the jumps since.

A hub without a battery for its clock wakes up in 1970, and is set right in the middle of a game
when it finds a time server. Times in the journal are the wall clock's, whatever it shows; a time
limit must not jump. What the wall clock moved more than the monotonic one did is a jump. Jumps are
remembered for each game, so that a restart knows them too and history can mark the game.
"""

import logging

from centerpiece.storage.clock_jumps import FIRST_DAY, JUMP, ClockJumps
from centerpiece.table.state import Table
from centerpiece.table.undo import Ledger
from hal.ports import Clock

log = logging.getLogger("centerpiece.hub")


class GameClock:
    """Tells the time of the game that is on."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._offset = clock.at() - clock.now()

    def at(self, table: Table, jumps: ClockJumps) -> float:
        """Return a game's time; the wall clock's, as it was last noticed, where no game is on."""
        at = self._clock.now() + self._offset
        if not jumps.games or (game := game_on(table)) is None:
            return at
        return at - jumps.games.get(game, 0.0)

    def jumped(self) -> float:
        """Return by how much the wall clock was set since the last look; 0 if it was not."""
        offset = self._clock.at() - self._clock.now()
        jump, self._offset = offset - self._offset, offset
        if abs(jump) <= JUMP:
            return 0.0
        log.warning("clock=wall jumped_s=%.0f", jump)
        return jump

    def look_again(self, jump: float) -> None:
        """Notice a jump once more: it could not be remembered."""
        self._offset -= jump


def game_on(table: Table) -> float | None:
    """Return the game that is on, known by the moment it began."""
    return table.started_at if table.phase in ("playing", "scoring") else None


def jumped_while_off(ledger: Ledger, jumps: ClockJumps, last_at: float | None, at: float) -> float:
    """Return by how much the clock was set while the hub was off; `last_at` is its last event's."""
    before = jumps.at if last_at is not None and jumps.seq == ledger.seq else last_at
    if before is None or not _impossible(before, at):
        return 0.0
    log.warning("clock=wall jumped_s=%.0f", at - before)
    return at - before


def _impossible(before: float, after: float) -> bool:
    """Return whether no time that passes leads from one to the other."""
    return after < before - JUMP or before < FIRST_DAY <= after
