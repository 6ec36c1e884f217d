"""A log limit: the same message is written a few times, then counted.

Clients can cause messages, and must not be able to fill the disk with them.
"""

import logging
import time
from collections import deque
from collections.abc import Callable

WITHIN = 60.0
MOST = 10
"""Times that the same message is written within `WITHIN` seconds."""
MOST_WORDS = 500
"""Different messages that are counted separately."""


MOST_LINES = 300
"""Lines of the log that are kept for a report."""


class LogLimit(logging.Filter):
    """Passes the first few records of a message; adds the number of suppressed ones later."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now = now
        self._seen: dict[tuple[str, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to write a record: the first `MOST` of a message, within `WITHIN` seconds.

        The next one after that time says how many were not written. A message's arguments do not
        count: a client chooses them.
        """
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
    """Configure this process's log, from `level` up, with the limit and last lines in memory."""
    logging.basicConfig(format="%(levelname)s %(name)s %(message)s", level=level)
    _RECENT.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logging.getLogger().addHandler(_RECENT)
    for handler in logging.getLogger().handlers:
        handler.addFilter(LogLimit())


class RecentLines(logging.Handler):
    """Keeps the last lines of the log in memory."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: deque[str] = deque(maxlen=MOST_LINES)

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


_RECENT = RecentLines()


def recent_lines() -> list[str]:
    """Return the last lines of this process's log, the latest last."""
    return list(_RECENT.lines)
