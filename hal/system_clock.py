"""The clock of the machine itself."""

import time


class SystemClock:
    """Both times as the operating system tells them."""

    now = staticmethod(time.monotonic)
    at = staticmethod(time.time)
