"""When a page's button went down, by the hub's clock: the way to the hub may take its time.

A page stamps each press with a clock of its own. How far the hub's is ahead of it, the quickest
press so far tells; whatever takes longer was on its way. Taps and holds are then as long as the
finger's, also where they arrive together. What a page says is never believed further than `LATE`
into the past, nor at all into the future.
"""

from math import inf

LATE = 0.3
"""Seconds that a press may be dated back: less than a hold, since its end may be on its way too."""
MOST_DELAY = 60.0
"""Seconds after which it is the page's clock that has stood still, or was never one."""
DRIFT = 0.001
"""By how much two clocks may differ, for each second."""


class PageClock:
    """The clock of one open page. Times are monotonic."""

    def __init__(self) -> None:
        self._least = inf
        """By how much the hub's clock is ahead, and the shortest way."""
        self._shift = 0.0
        """The same as taken when a button last went down: its end goes with it."""
        self._received = self._stamp = -inf

    def stamp(self, down: bool, now: float, received: float) -> float:
        """When it was by the hub's clock: `now` by the page's, `received` by the hub's."""
        ahead = received - now
        if self._least < inf:
            self._least += DRIFT * (received - self._received)
        if not self._least <= ahead <= self._least + MOST_DELAY:
            self._least = self._shift = ahead
        shift = max(self._least, ahead - LATE) if down else self._shift
        self._stamp = min(received, max(self._stamp, received - MOST_DELAY, now + shift))
        self._received = received
        if down:
            self._shift = self._stamp - now
        return self._stamp
