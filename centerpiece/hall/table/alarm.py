"""One moment to be woken at."""

import threading
from collections.abc import Callable


class Alarm:
    """Rings once, on a thread of its own; setting it anew forgets the moment before."""

    def __init__(self, ring: Callable[[], None]) -> None:
        self._ring = ring
        self._timer: threading.Timer | None = None

    def set(self, seconds: float | None) -> None:
        """Ring after so many seconds, or not at all."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if seconds is not None:
            self._timer = threading.Timer(seconds, self._ring)
            self._timer.daemon = True
            self._timer.start()
