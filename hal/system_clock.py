"""The clock of the machine itself."""

import time


class SystemClock:
    """The Clock port on the operating system's clocks."""

    now = staticmethod(time.monotonic)
    at = staticmethod(time.time)
