"""The game's clock: the wall clock as it was when the game began, without the jumps since.

A hub without a battery for its clock wakes up in 1970, and is set right in the middle of a game
when it finds a time server. Times in the journal are the wall clock's, whatever it shows; what a
time limit is measured with must not jump. The two clocks are compared: what the wall clock moved
more than the monotonic one did is a jump, remembered for the game so that a restart knows it too.
Which games had one, history can ask: their times are doubtful.
"""

import logging

from centerpiece.storage.clock_jumps import FIRST_DAY, JUMP, MOST_GAMES, jumps
from centerpiece.storage.settings import Settings
from centerpiece.table.state import Table
from centerpiece.table.undo import Ledger
from hal.ports import Clock

log = logging.getLogger("centerpiece.hub")


class GameClock:
    """Tells the time of the game that is on."""

    def __init__(self, clock: Clock, store: Settings) -> None:
        self._clock = clock
        self.jumps = jumps(store)
        """To be kept whenever there was another."""
        self._offset = clock.at() - clock.now()

    def recover(self, ledger: Ledger, last_at: float | None) -> bool:
        """Whether the clock was set while the hub was off; `last_at` is its last event's."""
        if last_at is not None and self.jumps.seq == ledger.seq:
            last_at = self.jumps.at
        if last_at is None or not _impossible(last_at, self._clock.at()):
            return False
        return self._jumped(self._clock.at() - last_at, ledger)

    def at(self, table: Table) -> float:
        """A game's time; the wall clock's own, as it was last noticed, where no game is on."""
        at = self._clock.now() + self._offset
        if not self.jumps.games or (game := _game(table)) is None:
            return at
        return at - self.jumps.games.get(game, 0.0)

    def notice(self, ledger: Ledger) -> bool:
        """Whether the wall clock was set in a game since the last look."""
        offset = self._clock.at() - self._clock.now()
        jump, self._offset = offset - self._offset, offset
        return abs(jump) > JUMP and self._jumped(jump, ledger)

    def _jumped(self, by: float, ledger: Ledger) -> bool:
        log.warning("clock=wall jumped_s=%.0f", by)
        game, kept = _game(ledger.table), self.jumps
        if game is None:
            return False
        kept.games[game] = kept.games.pop(game, 0.0) + by
        for oldest in list(kept.games)[:-MOST_GAMES]:
            del kept.games[oldest]
        kept.seq, kept.at = ledger.seq, self._clock.at()
        return True


def _game(table: Table) -> float | None:
    """The game that is on, known by the moment it began."""
    return table.started_at if table.phase in ("playing", "scoring") else None


def _impossible(before: float, after: float) -> bool:
    """Whether no time that passes leads from one to the other."""
    return after < before - JUMP or before < FIRST_DAY <= after
