"""The clock of a board, taken over to the hub's. Pure.

Every sign of life is a sample: the board's time, between the moment it was asked for and the
moment the answer came. The quicker the answer, the better the sample. Two good ones, far apart,
tell how much faster or slower the board's crystal runs; its count of milliseconds wraps.
"""

from collections import deque
from typing import NamedTuple

WRAP = 1 << 30
SAMPLES = 60
APART_S = 10.0
"""Seconds between two samples that may tell of drift."""
MOST_DRIFT = 500e-6
"""A crystal is off by 50 millionths at most; more than ten times that is a mistake."""


class Sample(NamedTuple):
    """The board's time in seconds since it was first asked, ours, and how uncertain that is."""

    board: float
    ours: float
    doubt: float


class BoardClock:
    """Maps ticks of the board to seconds of the hub's clock."""

    def __init__(self) -> None:
        self._last: int | None = None
        self._turns = 0
        self._samples: deque[Sample] = deque(maxlen=SAMPLES)
        self._mapping = (0.0, 0.0, 1.0)

    def sample(self, asked: float, ticks: int, answered: float) -> None:
        """The board said `ticks` between these two moments."""
        board = self._unwrapped(ticks)
        self._samples.append(Sample(board, (asked + answered) / 2, (answered - asked) / 2))
        best = min(self._samples, key=lambda each: each.doubt)
        # Newer samples are preferred where they are as good, give or take what drift may have done.
        newest = self._samples[-1]
        base = newest if newest.doubt <= 2 * best.doubt + 0.001 else best
        self._mapping = base.board, base.ours, self._rate(base)

    def at(self, ticks: int, heard: float) -> float:
        """When that was, by the hub's clock; never later than it was heard."""
        if not self._samples:
            return heard
        board, ours, rate = self._mapping
        return min(heard, ours + (self._unwrapped(ticks) - board) * rate)

    def _rate(self, base: Sample) -> float:
        earlier = [each for each in self._samples if base.board - each.board >= APART_S]
        if not earlier:
            return 1.0
        old = min(earlier, key=lambda each: each.doubt)
        drift = (base.ours - old.ours) / (base.board - old.board) - 1
        noise = (base.doubt + old.doubt) / (base.board - old.board)
        return 1.0 if abs(drift) > MOST_DRIFT or noise > MOST_DRIFT else 1.0 + drift

    def _unwrapped(self, ticks: int) -> float:
        """Seconds of the board; whichever turn of its counter is nearest to what came last."""
        if self._last is None:
            self._last = ticks
        step = (ticks - self._last + WRAP // 2) % WRAP - WRAP // 2
        total = self._turns + step
        if step > 0:
            self._last, self._turns = ticks, total
        return total / 1000
