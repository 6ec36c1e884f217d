"""Translates a page's press times into the hub's clock, so that network delay alters no gesture.

A page stamps each press with its own clock. The fastest delivery so far estimates the offset
between the two clocks; anything above it is delay. Taps and holds then last as long as they did
under the finger, even if both edges arrive together. A page's claim is trusted at most `LATE`
seconds into the past and never into the future.
"""

from math import inf

LATE = 0.3
"""Most seconds to backdate a press: less than a hold, since its release may be in transit too."""
MOST_DELAY = 60.0
"""Seconds of apparent delay beyond which the page's clock is assumed to have stopped."""
DRIFT = 0.001
"""Largest drift between the two clocks, in seconds per second."""


class PageClock:
    """The clock of one open page. Times are monotonic."""

    def __init__(self) -> None:
        self._least = inf
        """Smallest difference seen so far: the clock offset plus the shortest delay."""
        self._shift = 0.0
        """The offset used for the latest press; its release uses the same one."""
        self._received = self._stamp = -inf

    def stamp(self, down: bool, now: float, received: float) -> float:
        """Return the time of a press (`down`) or release on the hub's clock.

        `now` is when it happened by the page's clock, `received` when it arrived by the hub's, and
        the latest result. A press is dated back by `LATE` seconds at most; a release is converted
        with the offset of its press. A delay beyond `MOST_DELAY` is not believed: the offset is
        then found anew.
        """
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
