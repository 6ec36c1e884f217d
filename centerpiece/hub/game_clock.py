"""The game's clock: the wall clock without its jumps since the game began.

A hub without a battery for its clock starts in 1970, and is corrected in the middle of a game when
it finds a time server. Journal times are the wall clock's, right or wrong; a time limit must not
jump. A jump is a move of the wall clock that the monotonic clock did not make. Jumps are stored for
each game, so that they survive a restart and history can mark the game.
"""

import logging

from centerpiece.storage.clock_jumps import FIRST_DAY, JUMP, ClockJumps
from centerpiece.table.state import Table
from centerpiece.table.undo import Ledger
from hal.ports import Clock

log = logging.getLogger("centerpiece.hub")


class GameClock:
    """The clock of the running game."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._offset = clock.at() - clock.now()

    def at(self, table: Table, jumps: ClockJumps) -> float:
        """Return the time of the game that runs on a table, without the wall clock's `jumps`.

        Without a game, it is the wall clock's time as of the last `jumped`.
        """
        at = self._clock.now() + self._offset
        if not jumps.games or (game := game_on(table)) is None:
            return at
        return at - jumps.games.get(game, 0.0)

    def jumped(self) -> float:
        """Return by how many seconds the wall clock jumped since the last call; 0 if it did not.

        Less than JUMP is no jump.
        """
        offset = self._clock.at() - self._clock.now()
        jump, self._offset = offset - self._offset, offset
        if abs(jump) <= JUMP:
            return 0.0
        log.warning("clock=wall jumped_s=%.0f", jump)
        return jump

    def look_again(self, jump: float) -> None:
        """Have the next `jumped` report this jump again, because it could not be stored."""
        self._offset -= jump


def game_on(table: Table) -> float | None:
    """Return the running game's start, which identifies it; None if none is running."""
    return table.started_at if table.phase in ("playing", "scoring") else None


def jumped_while_off(ledger: Ledger, jumps: ClockJumps, last_at: float | None, at: float) -> float:
    """Return the wall clock's jump in seconds while the hub was off; 0 if there was none.

    It is one if time would have gone back, or from before the first possible day. `last_at` is the
    last event's time, `at` the present time.
    """
    before = jumps.at if last_at is not None and jumps.seq == ledger.seq else last_at
    if before is None or not _impossible(before, at):
        return 0.0
    log.warning("clock=wall jumped_s=%.0f", at - before)
    return at - before


def _impossible(before: float, after: float) -> bool:
    """Return True if passing time alone cannot lead from the time `before` to the time `after`."""
    return after < before - JUMP or before < FIRST_DAY <= after
