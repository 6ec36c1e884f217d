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
    """Start a daemon thread that calls `work`; it ends once `work` returns.

    An error is passed to `report`, and after a growing pause `work` is called again. So it must be
    able to begin anew, must return at once if its owner was closed meanwhile, and itself reports
    once it works.
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
    """Report that the thread `name` has failed by `error`; if that fails too, only log it."""
    trouble = DeviceLost(
        f"the program for the {name} has failed ({type(error).__name__})",
        "it begins again by itself and the game goes on; the log says more",
    )
    try:
        report(trouble)
    except Exception:
        log.exception("thread=%s the trouble could not be passed on", name)
