"""How an adapter tells of trouble: once when it begins, once when it is over.

Also the growing pauses between attempts to bring a device back.
"""

import logging
from collections.abc import Iterator
from threading import Lock

from hal.device_errors import DeviceError
from hal.ports import Report, Trouble

log = logging.getLogger(__name__)


class Health:
    """The state of one device as the page knows it. May be used from any thread.

    Whoever is told also logs it; here it would be in the log twice.
    """

    def __init__(self, device: str, report: Report) -> None:
        self._device = device
        self._report = report
        self._message = ""
        self._lock = Lock()

    def report(self, trouble: DeviceError | None) -> None:
        """Report trouble that differs from the last; None means that all is well."""
        message = sentence(str(trouble)) if trouble else ""
        with self._lock:
            if message == self._message:
                return
            self._message = message
        try:
            self._report(Trouble(self._device, message))
        except Exception:
            log.exception("device=%s the trouble could not be passed on", self._device)


def ignore_trouble(trouble: Trouble) -> None:
    """Where trouble goes that nobody waits for."""


def sentence(words: str) -> str:
    """The words of an error as a sentence for people."""
    return f"{words[0].upper()}{words[1:]}."


def pauses(first: float = 0.5, most: float = 30.0) -> Iterator[float]:
    """Seconds to wait before the next attempt, and the next, and the next."""
    pause = first
    while True:
        yield pause
        pause = min(most, pause * 2)
