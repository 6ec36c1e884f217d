"""The clock of the machine itself."""

import time


class SystemClock:
    """Both times as the operating system tells them."""

    def now(self) -> float:
        return time.monotonic()

    def at(self) -> float:
        return time.time()
