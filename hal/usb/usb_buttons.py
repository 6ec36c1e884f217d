"""Buttons of a USB hub, with the board's time stamps."""

import logging
from collections.abc import Callable
from threading import RLock

from hal.device_errors import DeviceError
from hal.health import Health
from hal.ports import Edge, Report
from hal.usb.usb_link import UsbLink, release

log = logging.getLogger(__name__)

START_S = 1.0
"""Time that a board gets to answer before it is reported as trouble."""


class UsbButtons:
    """The Buttons port on a link; a board may come at any time, until then its lack is trouble."""

    def __init__(self, link: UsbLink, report: Report) -> None:
        self._link = link
        self._health = Health("buttons", report)
        self._on_edge: Callable[[Edge], None] | None = None
        self._lock = RLock()
        self._closed = False
        link.on_edge, link.on_state = self._edge, self._state
        link.wait(START_S, lambda: link.tried)
        self._state(link.trouble)

    def listen(self, on_edge: Callable[[Edge], None]) -> None:
        self._on_edge = on_edge

    def is_down(self, button: str) -> bool | None:
        """Return None: the board's messages are all that is known of its lines."""
        return None

    def close(self) -> None:
        """Stop passing on edges and give up the link. May be called twice."""
        with self._lock:
            self._on_edge = None
            if self._closed:
                return
            self._closed = True
        release(self._link)

    def _state(self, trouble: DeviceError | None) -> None:
        if not self._closed:
            self._health.report(trouble)

    def _edge(self, edge: Edge) -> None:
        """Pass on an edge after `listen` and before `close`; log an error of the listener."""
        with self._lock:
            if self._on_edge is None:
                return
            try:
                self._on_edge(edge)
            except Exception:
                log.exception("device=buttons button=%s whoever listens failed", edge.button)
