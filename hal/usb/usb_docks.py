"""Docks of a USB hub, with the board's time stamps."""

import logging
from collections.abc import Callable
from threading import RLock

from hal.device_errors import DeviceError, DeviceLost
from hal.health import Health
from hal.ports import DockLevel, Report
from hal.usb.usb_buttons import START_S
from hal.usb.usb_link import UsbLink, release

log = logging.getLogger(__name__)

UNREAD = DeviceLost(
    "the USB hub cannot read the docks",
    "check the port expander's wires and address in layout.py; the buttons open and close trains",
)
NONE_THERE = DeviceLost(
    "the USB hub has no docks in its layout.py",
    'list them there, or set driver = "none" in [hardware.docks]',
)


class UsbDocks:
    """The Docks port on a link, which repeats all levels twice a second."""

    def __init__(self, link: UsbLink, report: Report) -> None:
        self._link = link
        self._health = Health("docks", report)
        self._on_level: Callable[[DockLevel], None] | None = None
        self._told: dict[int, bool] = {}
        self._lock = RLock()
        self._closed = False
        link.on_docks, link.on_docks_state = self._levels, self._state
        link.wait(START_S, lambda: link.tried)
        self._state(link.trouble)

    def listen(self, on_level: Callable[[DockLevel], None]) -> None:
        self._on_level = on_level

    def close(self) -> None:
        """Stop passing on levels and give up the link. May be called twice."""
        with self._lock:
            self._on_level = None
            if self._closed:
                return
            self._closed = True
        release(self._link)

    def _state(self, trouble: DeviceError | None) -> None:
        """Report that the board was lost or is back; the next levels are all told anew.

        `trouble` is that of the link, None if it works. A board without docks is trouble too.
        """
        with self._lock:
            hello = self._link.hello
            if self._closed:
                return
            self._told.clear()
            if trouble is None and hello is not None and not hello.docks:
                trouble = NONE_THERE
            self._health.report(trouble)

    def _levels(self, home: dict[str, bool] | None, at: float) -> None:
        """Pass on the levels that differ from those told last, with the time `at`.

        `home` says for each dock whether its marker is there; None, that the docks cannot be read,
        is reported as trouble. Nothing happens before `listen` or after `close`.
        """
        with self._lock:
            if self._on_level is None:
                return
            if home is None:
                self._told.clear()
                self._health.report(UNREAD)
                return
            self._health.report(None)
            for dock, level in home.items():
                seat = int(dock.removeprefix("dock-"))
                if self._told.get(seat) == level:
                    continue
                self._told[seat] = level
                try:
                    self._on_level(DockLevel(seat, level, at))
                except Exception:
                    log.exception("device=docks seat=%d whoever listens failed", seat)
