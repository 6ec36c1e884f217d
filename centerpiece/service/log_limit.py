"""A log limit: the same message is written a few times, then counted.

Clients can cause messages, and must not be able to fill the disk with them.
"""

import logging
import time
from collections.abc import Callable

WITHIN = 60.0
MOST = 10
"""Times that the same message is written within `WITHIN` seconds."""
MOST_WORDS = 500
"""Different messages that are counted separately."""


class LogLimit(logging.Filter):
    """Passes the first few records of a message; adds the number of suppressed ones later."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now = now
        self._seen: dict[tuple[str, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to write a record. Its arguments do not count: a client chooses them."""
        now, kind = self._now(), (record.name, str(record.msg))
        began, count = self._seen.pop(kind, (now, 0))
        if now - began >= WITHIN:
            if count > MOST:
                record.msg = f"{record.msg} (and {count - MOST} times more before)"
            began, count = now, 0
        self._seen[kind] = began, count + 1
        if len(self._seen) > MOST_WORDS:
            del self._seen[next(iter(self._seen))]
        return count < MOST


def begin(level: int = logging.INFO) -> None:
    """Configure this process's log with the limit."""
    logging.basicConfig(format="%(levelname)s %(name)s %(message)s", level=level)
    for handler in logging.getLogger().handlers:
        handler.addFilter(LogLimit())
