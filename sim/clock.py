"""A clock that moves only when told to."""


class VirtualClock:
    """Both times of a hub, moved by hand. They start at different values, so mixing them shows."""

    def __init__(self, now: float = 1000.0, at: float = 1_800_000_000.0) -> None:
        self._now = now
        self._at = at

    def now(self) -> float:
        return self._now

    def at(self) -> float:
        return self._at

    def move(self, seconds: float) -> None:
        """Let time pass."""
        self._now += seconds
        self._at += seconds

    def set(self, at: float) -> None:
        """Set the wall clock, as a time server does; the monotonic one knows nothing of it."""
        self._at = at
