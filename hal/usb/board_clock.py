"""Conversion of a board's clock to the hub's. Pure.

Every heartbeat is a sample: the board's time, between the moments of request and answer. The
quicker the answer, the better the sample. Two good ones, far apart, give the drift of the board's
crystal; its count of milliseconds wraps.
"""

from collections import deque
from typing import NamedTuple

WRAP = 1 << 30
SAMPLES = 60
APART_S = 10.0
"""Minimum seconds between two samples that give the drift."""
MOST_DRIFT = 500e-6
"""Crystals are off by 50 ppm at most; more than ten times that is a measuring error."""


class Sample(NamedTuple):
    """The board's time in seconds since the first sample, the hub's, and the uncertainty."""

    board: float
    ours: float
    doubt: float


class BoardClock:
    """Maps the board's ticks to seconds of the hub's clock."""

    def __init__(self) -> None:
        self._last: int | None = None
        self._turns = 0
        self._samples: deque[Sample] = deque(maxlen=SAMPLES)
        self._mapping = (0.0, 0.0, 1.0)

    def sample(self, requested: float, ticks: int, answered: float) -> None:
        """Add a sample: the board read its `ticks` between the moments `requested` and `answered`.

        The latter are of the hub's clock. The best sample decides how `at` converts.
        """
        board = self._unwrapped(ticks)
        self._samples.append(Sample(board, (requested + answered) / 2, (answered - requested) / 2))
        best = min(self._samples, key=lambda each: each.doubt)
        # Prefer a newer sample of about the same quality: the older one may have drifted.
        newest = self._samples[-1]
        base = newest if newest.doubt <= 2 * best.doubt + 0.001 else best
        self._mapping = base.board, base.ours, self._rate(base)

    def at(self, ticks: int, arrived: float) -> float:
        """Convert the board's `ticks` to a time of the hub's clock, never later than `arrived`.

        Without a sample, it is `arrived`.
        """
        if not self._samples:
            return arrived
        board, ours, rate = self._mapping
        return min(arrived, ours + (self._unwrapped(ticks) - board) * rate)

    def _rate(self, base: Sample) -> float:
        """Return the hub's seconds in one of the board's, between an earlier sample and `base`.

        1.0 if none is `APART_S` seconds earlier, or if the result is implausible or uncertain.
        """
        earlier = [each for each in self._samples if base.board - each.board >= APART_S]
        if not earlier:
            return 1.0
        old = min(earlier, key=lambda each: each.doubt)
        drift = (base.ours - old.ours) / (base.board - old.board) - 1
        noise = (base.doubt + old.doubt) / (base.board - old.board)
        return 1.0 if abs(drift) > MOST_DRIFT or noise > MOST_DRIFT else 1.0 + drift

    def _unwrapped(self, ticks: int) -> float:
        """Return the board's seconds since the first `ticks` seen, although its counter wraps.

        Of all turns of the counter, the one nearest to the latest ticks is taken.
        """
        if self._last is None:
            self._last = ticks
        step = (ticks - self._last + WRAP // 2) % WRAP - WRAP // 2
        total = self._turns + step
        if step > 0:
            self._last, self._turns = ticks, total
        return total / 1000
