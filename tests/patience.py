"""The longest time a test waits for something in real time, enough for a busy machine.

A test that passes does not wait so long: it polls, and goes on at once.
"""

import threading
import time
from collections.abc import Callable

TIMEOUT_S = 60.0


def until(condition: Callable[[], object]) -> None:
    """Poll until the condition holds."""
    pause, end = threading.Event(), time.monotonic() + TIMEOUT_S
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        pause.wait(0.01)
