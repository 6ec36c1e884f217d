"""How long a test waits for what happens in real time: as long as a busy machine may take.

No test waits so long when all is well; whoever waits looks for what shall come, and goes on.
"""

import threading
import time
from collections.abc import Callable

TIMEOUT_S = 60.0


def until(there: Callable[[], object]) -> None:
    """Ask again and again until it is so."""
    pause, end = threading.Event(), time.monotonic() + TIMEOUT_S
    while not there():
        assert time.monotonic() < end, "it did not come about"
        pause.wait(0.01)
