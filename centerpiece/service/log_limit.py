"""A log that no stranger can fill: the same words are written a few times, then counted."""

import logging
import time
from collections.abc import Callable

WITHIN = 60.0
MOST = 10
"""Times that the same words are written within so many seconds."""
MOST_WORDS = 500
"""Different words that are kept apart."""


class LogLimit(logging.Filter):
    """Lets the first few of the same kind pass; the next time tells how many there were more."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now = now
        self._seen: dict[tuple[str, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to write it. The words count, not the facts: those are the stranger's."""
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
    """Write this process's log, within limits."""
    logging.basicConfig(format="%(levelname)s %(name)s %(message)s", level=level)
    for handler in logging.getLogger().handlers:
        handler.addFilter(LogLimit())
