"""Reports of device trouble: once when it begins, once when it is over.

Also the growing pauses between attempts to reopen a device.
"""

import logging
from collections.abc import Callable, Iterator
from threading import Lock

from hal.device_errors import DeviceError
from hal.ports import Report, Trouble

log = logging.getLogger(__name__)


class Health:
    """The last reported state of one device. Thread-safe.

    The receiver of the report logs it, so nothing is logged here.
    """

    def __init__(self, device: str, report: Report) -> None:
        self._device = device
        self._report = report
        self._message = ""
        self._lock = Lock()

    def report(self, trouble: DeviceError | None) -> None:
        """Report trouble of the device or, with None, that it works again.

        The same as before is not reported again. An error of the receiver is logged and not raised.
        """
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
    """Ignore a report of trouble."""


def sentence(words: str) -> str:
    """Turn the text of an error into a sentence with a capital and a full stop."""
    return f"{words[0].upper()}{words[1:]}."


def reopen(device: str, open_device: Callable[[], None], pause: Callable[[float], bool]) -> bool:
    """Open a lost device after growing pauses until that works; return False if it is closed.

    `pause` waits for some seconds and returns whether the device is being closed. Errors other
    than DeviceError are raised.
    """
    for wait in pauses():
        if pause(wait):
            break
        try:
            open_device()
        except DeviceError as still:
            log.debug("device=%s still=%s", device, still)
        else:
            return True
    return False


def pauses(first: float = 0.5, most: float = 30.0) -> Iterator[float]:
    """Yield, without end, the seconds to wait before each next attempt.

    They begin with `first` and double up to `most`.
    """
    pause = first
    while True:
        yield pause
        pause = min(most, pause * 2)
