"""The game's clock: the wall clock as it was when the game began, without the jumps since.

A hub without a battery for its clock wakes up in 1970, and is set right in the middle of a game
when it finds a time server. Times in the journal are the wall clock's, whatever it shows; what a
time limit is measured with must not jump. The two clocks are compared: what the wall clock moved
more than the monotonic one did is a jump, remembered for the game so that a restart knows it too.
Which games had one, history can ask: their times are doubtful.
"""

import logging
from collections.abc import Callable

from centerpiece.journal import NotSaved
from centerpiece.store import Store
from hal.ports import Clock

log = logging.getLogger("centerpiece.steady")

FIRST_DAY = 1_735_689_600.0
"""The first second of 2025: an earlier clock has not been set since the Pi was switched on."""
JUMP = 1.0
"""Seconds; what time servers correct bit by bit stays far below."""
MOST_GAMES = 100
SETTING = "clock-jumps"


class Steady:
    """Tells the game's time. `game` names the game that is on, by the moment it began."""

    def __init__(
        self, clock: Clock, store: Store, game: Callable[[], float | None], last_at: float | None
    ) -> None:
        self._clock = clock
        self._store = store
        self._game = game
        self._jumps = dict(jumped_games(store))
        self._offset = clock.at() - clock.now()
        if last_at is not None and _impossible(last_at, clock.at()):
            self._jumped(clock.at() - last_at)

    def at(self) -> float:
        """The time of the game that is on; the wall clock's own where none is."""
        at = self._clock.at()
        offset = at - self._clock.now()
        if abs(offset - self._offset) > JUMP:
            jump, self._offset = offset - self._offset, offset
            self._jumped(jump)
        game = self._game()
        return at if game is None else at - self._jumps.get(game, 0.0)

    def _jumped(self, by: float) -> None:
        log.warning("clock=wall jumped_s=%.0f", by)
        game = self._game()
        if game is None:
            return
        self._jumps[game] = self._jumps.pop(game, 0.0) + by
        for oldest in list(self._jumps)[:-MOST_GAMES]:
            del self._jumps[oldest]
        try:
            self._store.set_setting(SETTING, list(self._jumps.items()))
        except NotSaved:
            log.warning("the clock's jump could not be remembered")


def _impossible(before: float, after: float) -> bool:
    """Whether no time that passes leads from one to the other."""
    return after < before - JUMP or before < FIRST_DAY <= after


def jumped_games(store: Store) -> list[tuple[float, float]]:
    """Games during which the clock jumped, by the moment they began, and by how much."""
    found = store.setting(SETTING, [])
    return [(game, by) for game, by in found]
