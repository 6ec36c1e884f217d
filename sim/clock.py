"""A clock that only moves when told to."""


class VirtualClock:
    """The Clock port moved by hand; its two times differ, so that mixing them up shows."""

    def __init__(self, now: float = 1000.0, at: float = 1_800_000_000.0) -> None:
        self._now = now
        self._at = at

    def now(self) -> float:
        return self._now

    def at(self) -> float:
        return self._at

    def move(self, seconds: float) -> None:
        self._now += seconds
        self._at += seconds

    def set(self, at: float) -> None:
        """Set the wall clock, as a time server does; the monotonic clock is unaffected."""
        self._at = at
