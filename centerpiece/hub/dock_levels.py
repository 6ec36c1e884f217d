"""From the raw levels of docks to moves of the markers. Pure: time comes in.

A level counts once it has been the same for `SETTLED` seconds: a reed chatters, a marker wobbles, a
hand changes its mind. The first settled level of a dock is no move: nobody knows when it came
there.
"""

from math import inf
from typing import NamedTuple

from hal.ports import DockLevel

SETTLED = 0.300


class MarkerSeen(NamedTuple):
    """A settled level of a dock; `moved` unless it is the first that is known of its marker."""

    seat: int
    home: bool
    now: float
    moved: bool


class DockLevels:
    """Settles the levels of all docks; expects those of one dock in order of time."""

    def __init__(self) -> None:
        self._settled: dict[int, bool] = {}
        self._unsettled: dict[int, DockLevel] = {}

    def hear(self, level: DockLevel) -> list[MarkerSeen]:
        """Take a level of a dock, and return the markers whose levels settled before it came.

        A level that goes back before it has settled is forgotten.
        """
        seen = self.due(level.now)
        unsettled = self._unsettled.get(level.seat)
        if unsettled is None or unsettled.home != level.home:
            if self._settled.get(level.seat) == level.home:
                self._unsettled.pop(level.seat, None)
            else:
                self._unsettled[level.seat] = level
        return seen

    def due(self, now: float) -> list[MarkerSeen]:
        """Return the markers whose levels have settled, in order of time, each once."""
        if now < self.deadline():
            return []
        settled = [level for level in self._unsettled.values() if level.now + SETTLED <= now]
        seen = []
        for seat, home, at in sorted(settled, key=lambda level: level.now):
            del self._unsettled[seat]
            seen.append(MarkerSeen(seat, home, at + SETTLED, seat in self._settled))
            self._settled[seat] = home
        return seen

    def deadline(self) -> float:
        """Return the time at which the next level settles; inf if none is open."""
        if not self._unsettled:
            return inf
        return min(level.now for level in self._unsettled.values()) + SETTLED

    def forget(self) -> None:
        """Forget everything: the docks have failed, and markers may be moved unseen."""
        self._settled.clear()
        self._unsettled.clear()
