"""The game's clock: the wall clock as it was when the game began, without the jumps since.

A hub without a battery for its clock wakes up in 1970, and is set right in the middle of a game
when it finds a time server. Times in the journal are the wall clock's, whatever it shows; what a
time limit is measured with must not jump. The two clocks are compared: what the wall clock moved
more than the monotonic one did is a jump, remembered for the game so that a restart knows it too.
Which games had one, history can ask: their times are doubtful.
"""

import logging

import msgspec

from centerpiece.storage.clock_jumps import FIRST_DAY, JUMP, MOST_GAMES, SETTING, jumps
from centerpiece.storage.journal import NotSaved
from centerpiece.storage.settings import Settings
from centerpiece.table.state import Table
from centerpiece.table.undo import Ledger
from hal.ports import Clock

log = logging.getLogger("centerpiece.hub")


class GameClock:
    """Tells the time of the game that is on. `last_at` is when its last event happened."""

    def __init__(
        self, clock: Clock, store: Settings, ledger: Ledger, last_at: float | None
    ) -> None:
        self._clock = clock
        self._store = store
        self._jumps = jumps(store)
        self._offset = clock.at() - clock.now()
        if last_at is not None and self._jumps.seq == ledger.seq:
            last_at = self._jumps.at
        if last_at is not None and _impossible(last_at, clock.at()):
            self._jumped(clock.at() - last_at, ledger)

    def at(self, table: Table) -> float:
        """A game's time; the wall clock's own, as it was last noticed, where no game is on."""
        at = self._clock.now() + self._offset
        if not self._jumps.games or (game := _game(table)) is None:
            return at
        return at - self._jumps.games.get(game, 0.0)

    def notice(self, ledger: Ledger) -> None:
        """Look whether the wall clock was set since the last look, and remember it if it was."""
        offset = self._clock.at() - self._clock.now()
        jump, self._offset = offset - self._offset, offset
        if abs(jump) > JUMP:
            self._jumped(jump, ledger)

    def _jumped(self, by: float, ledger: Ledger) -> None:
        log.warning("clock=wall jumped_s=%.0f", by)
        game, kept = _game(ledger.table), self._jumps
        if game is None:
            return
        kept.games[game] = kept.games.pop(game, 0.0) + by
        for oldest in list(kept.games)[:-MOST_GAMES]:
            del kept.games[oldest]
        kept.seq, kept.at = ledger.seq, self._clock.at()
        try:
            self._store.set_setting(SETTING, msgspec.to_builtins(kept, str_keys=True))
        except NotSaved:
            log.warning("the clock's jump could not be remembered")


def _game(table: Table) -> float | None:
    """The game that is on, known by the moment it began."""
    return table.started_at if table.phase in ("playing", "scoring") else None


def _impossible(before: float, after: float) -> bool:
    """Whether no time that passes leads from one to the other."""
    return after < before - JUMP or before < FIRST_DAY <= after
