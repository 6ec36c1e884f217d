"""Write times of the card while the hub runs, for the doctor.

One run of the hub is one evening: people unplug it when they leave.
"""

from collections import deque

import msgspec

from centerpiece.storage.settings import SettingKey

REMEMBERED = 10_000
KEEP_EVERY = 100
MUCH_SLOWER = 0.1
"""Seconds by which the slowest write must grow to be saved at once."""


class CardSpeed(msgspec.Struct, frozen=True):
    """The number of writes, the seconds of the slowest one, and the 99th percentile."""

    writes: int
    slowest: float
    most: float


class Stopwatch:
    """Measures writes."""

    def __init__(self) -> None:
        self._times: deque[float] = deque(maxlen=REMEMBERED)
        self._count = 0
        self._slowest = 0.0
        self._kept = CardSpeed(0, 0.0, 0.0)

    def note(self, seconds: float) -> None:
        self._times.append(seconds)
        self._count += 1
        self._slowest = max(self._slowest, seconds)

    def news(self) -> CardSpeed | None:
        """Return the figures of all writes so far if they are worth saving again; else None.

        They are if `KEEP_EVERY` writes have come since the figures returned last, or if the slowest
        write is slower than in those by more than `MUCH_SLOWER` seconds.
        """
        more = self._count - self._kept.writes
        slower = self._slowest > self._kept.slowest + MUCH_SLOWER
        if more < KEEP_EVERY and not slower:
            return None
        ordered = sorted(self._times)
        most = ordered[int(len(ordered) * 0.99)]
        self._kept = CardSpeed(self._count, round(self._slowest, 4), round(most, 4))
        return self._kept


CARD_SPEED: SettingKey[CardSpeed | None] = SettingKey("card", CardSpeed | None, None)
