"""Buttons on keys: one thread waits for all devices together.

Edges carry the kernel's stamps. An unplugged device is reported as trouble and opened again when
it is back; the folder of devices is scanned once a second, which also finds new ones.
"""

import logging
import os
from collections.abc import Callable
from pathlib import Path
from select import select
from threading import RLock, Thread
from time import monotonic

from hal.device_errors import DeviceError, DeviceMissing
from hal.health import Health
from hal.keys.device import KeyDevice
from hal.keys.key_records import Change
from hal.keys.names import name
from hal.keys.pads import FOLDER, Pads
from hal.ports import Edge, Report
from hal.stamps import edge_time
from hal.supervised_thread import start_supervised

log = logging.getLogger(__name__)

LOOK_EVERY = 1.0
"""Seconds between two scans for devices."""


class KeyButtons:
    """The Buttons port on input devices.

    `keys` maps key codes to buttons. A device that is not plugged in yet is trouble, not an error:
    it may come at any time. Several keys may be one button, also on several devices; it is down
    while any of them is.
    """

    def __init__(
        self,
        keys: dict[int, str],
        devices: tuple[str, ...],
        now: Callable[[], float],
        report: Report,
        folder: Path = FOLDER,
    ) -> None:
        self._keys = keys
        self._now = now
        self._health = Health("buttons", report)
        self._on_edge: Callable[[Edge], None] | None = None
        self._holding: dict[str, set[tuple[Path, int]]] = {}
        self._lock = RLock()
        self._pads = Pads(devices, frozenset(keys), folder)
        try:
            list(self._pads.look())
        except DeviceMissing as missing:
            self._health.report(missing)
        except DeviceError:
            self._pads.close()
            raise
        self._woken, self._waker = os.pipe()
        self._thread: Thread | None = None

    def listen(self, on_edge: Callable[[Edge], None]) -> None:
        """Call `on_edge` for each edge from now on.

        Keys that are already down stay silent until released.
        """
        self._on_edge = on_edge
        for device in list(self._pads.open):  # a device that is gone is dropped from `open`
            self._begin(device)
        self._thread = start_supervised("buttons", self._run, self._health.report)

    def is_down(self, button: str) -> bool | None:
        """Return whether any key of a button is down now; None if a device does not answer."""
        codes = [code for code, name in self._keys.items() if name == button]
        with self._lock:
            try:
                return any(device.is_down(code) for device in self._pads.open for code in codes)
            except OSError:
                return None

    def devices(self) -> tuple[str, ...]:
        """The names of the open devices, for the doctor."""
        return tuple(device.name for device in self._pads.open)

    def missing(self) -> DeviceError | None:
        """Return the error for a missing device, for the doctor; None if none is missing."""
        return self._pads.missing()

    def close(self) -> None:
        with self._lock:
            if self._waker < 0:
                return
            self._on_edge = None
            self._pads.close()
            os.close(self._waker)  # wakes the thread
            self._waker = -1
            if self._thread is None:
                os.close(self._woken)

    def _run(self) -> None:
        """Pass on changes of keys as they come, until closed; look for devices once a second."""
        looked = monotonic()
        while True:
            # Copied, because `close` may close devices at any moment.
            waiting = [self._woken, *(device.fileno() for device in self._pads.open)]
            try:
                ready = select(waiting, [], [], max(0.0, looked + LOOK_EVERY - monotonic()))[0]
            except (OSError, ValueError):
                ready = []  # closed meanwhile
            with self._lock:
                if self._on_edge is None:
                    os.close(self._woken)
                    return
                self._read([d for d in self._pads.open if d.fileno() in ready])
                if monotonic() >= looked + LOOK_EVERY:
                    self._look()
                    looked = monotonic()

    def _look(self) -> None:
        """Start reading new devices; report one that is missing or denied, or that all work."""
        try:
            for device in self._pads.look():
                log.info("device=buttons came=%r", device.name)
                self._begin(device)
        except DeviceError as error:
            self._health.report(error)
        else:
            self._health.report(None)

    def _begin(self, device: KeyDevice) -> None:
        """Start reading a device; keys that are already down stay silent until released.

        A device that is gone meanwhile is closed and reported.
        """
        try:
            device.settle()
        except OSError as error:
            self._lose(device, error)

    def _lose(self, device: KeyDevice, error: OSError) -> None:
        """Close and report a device that is gone; its keys count as up, without an edge."""
        log.info("device=buttons lost=%r: %s", device.name, error)
        self._pads.drop(device)
        for holders in self._holding.values():
            holders.difference_update([each for each in holders if each[0] == device.path])
        self._health.report(self._pads.missing())

    def _read(self, devices: list[KeyDevice]) -> None:
        """Pass on the changes of several devices together, in the order of their stamps."""
        changes: list[tuple[Change, Path]] = []
        for device in devices:
            try:
                changes += ((change, device.path) for change in device.read())
            except OSError as error:
                self._lose(device, error)
        for change, path in sorted(changes, key=lambda each: each[0].stamp):
            if button := self._keys.get(change.key):
                self._emit(button, change, path)

    def _emit(self, button: str, change: Change, path: Path) -> None:
        """Pass on a change of a key as an edge, unless another key holds the button down.

        `path` is the key's device. Nothing is passed on before `listen` or after `close`, and an
        error of the listener is logged.
        """
        holders = self._holding.setdefault(button, set())
        others = holders - {(path, change.key)}
        (holders.add if change.down else holders.discard)((path, change.key))
        if others or self._on_edge is None:
            return
        at = edge_time(change.stamp, self._now())
        try:
            self._on_edge(Edge(button, change.down, at))
        except Exception:
            log.exception("device=buttons key=%s whoever listens failed", name(change.key))
