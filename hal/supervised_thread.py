"""Threads that are restarted if they fail.

Whatever a device sends is data, and its reader checks it. If the reader fails all the same, that is
trouble on the page instead of a silent end, and it begins again.
"""

import logging
from collections.abc import Callable
from threading import Event, Thread
from time import monotonic

from hal.device_errors import DeviceError, DeviceLost
from hal.health import pauses

log = logging.getLogger(__name__)

HELD_OUT_S = 60.0
"""Work that lasted so long before it failed begins again after the shortest pause."""


def start_supervised(
    name: str,
    work: Callable[[], object],
    report: Callable[[DeviceError], object],
    pause: Callable[[float], object] | None = None,
) -> Thread:
    """Start a daemon thread that does `work` until it returns.

    An error is reported, and after a pause `work` is called again: it must be able to begin anew,
    and returns at once if its owner was closed meanwhile. Once it works, it reports so itself.
    """
    rest = pause or Event().wait

    def run() -> None:
        waits = pauses()
        while True:
            began = monotonic()
            try:
                work()
                return
            except Exception as error:
                log.exception("thread=%s failed and is started again", name)
                _report(name, error, report)
            if monotonic() - began > HELD_OUT_S:
                waits = pauses()
            rest(next(waits))

    thread = Thread(target=run, name=name, daemon=True)
    thread.start()
    return thread


def _report(name: str, error: Exception, report: Callable[[DeviceError], object]) -> None:
    """Report that a thread has failed; log it if that fails too."""
    trouble = DeviceLost(
        f"the program for the {name} has failed ({type(error).__name__})",
        "it begins again by itself and the game goes on; the log says more",
    )
    try:
        report(trouble)
    except Exception:
        log.exception("thread=%s the trouble could not be passed on", name)
