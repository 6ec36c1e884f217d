"""Buttons on keys: one thread waits for all devices together.

Edges carry the kernel's stamps. A device that is unplugged is told as trouble and taken up again
when it is back; once a second the folder of devices is looked at, which also finds new ones.
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

log = logging.getLogger(__name__)

LOOK_EVERY = 1.0
"""Seconds between two looks for devices."""


class KeyButtons:
    """The Buttons port on input devices.

    `keys` says which button each key is. A device that is not plugged in yet is trouble, not an
    error: it may come at any time. Several keys may be one button, also on several devices; it is
    down while any of them is. `stamped_by` is the clock that the kernel stamps with.
    """

    def __init__(
        self,
        keys: dict[int, str],
        devices: tuple[str, ...],
        now: Callable[[], float],
        report: Report,
        folder: Path = FOLDER,
        stamped_by: Callable[[], float] = monotonic,
    ) -> None:
        self._keys = keys
        self._now = now
        self._stamped_by = stamped_by
        self._health = Health("buttons", report)
        self._heard: Callable[[Edge], None] | None = None
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
        self._thread = Thread(target=self._run, name="buttons", daemon=True)

    def listen(self, heard: Callable[[Edge], None]) -> None:
        self._heard = heard
        for device in list(self._pads.open):  # one that is gone meanwhile is dropped from it
            self._begin(device)
        self._thread.start()

    def devices(self) -> tuple[str, ...]:
        """What is open, by name: for the doctor."""
        return tuple(device.name for device in self._pads.open)

    def missing(self) -> DeviceError | None:
        """What is not plugged in: for the doctor, too."""
        return self._pads.missing()

    def close(self) -> None:
        with self._lock:
            if self._waker < 0:
                return
            self._heard = None
            self._pads.close()
            os.close(self._waker)  # whoever waits for it is woken
            self._waker = -1
            if not self._thread.is_alive():
                os.close(self._woken)

    def _run(self) -> None:
        looked = monotonic()
        while True:
            # What is waited for is copied: close may let go of it at any moment.
            waiting = [self._woken, *(device.fileno() for device in self._pads.open)]
            try:
                ready = select(waiting, [], [], max(0.0, looked + LOOK_EVERY - monotonic()))[0]
            except (OSError, ValueError):
                ready = []  # closed meanwhile
            with self._lock:
                if self._heard is None:
                    os.close(self._woken)
                    return
                self._hear([d for d in self._pads.open if d.fileno() in ready])
                if monotonic() >= looked + LOOK_EVERY:
                    self._look()
                    looked = monotonic()

    def _look(self) -> None:
        try:
            for device in self._pads.look():
                log.info("device=buttons came=%r", device.name)
                self._begin(device)
        except DeviceError as error:
            self._health.report(error)
        else:
            self._health.report(None)

    def _begin(self, device: KeyDevice) -> None:
        """What is down already is silent until it is let go."""
        try:
            device.settle()
        except OSError as error:
            self._lose(device, error)

    def _lose(self, device: KeyDevice, error: OSError) -> None:
        log.info("device=buttons lost=%r: %s", device.name, error)
        self._pads.drop(device)
        for holders in self._holding.values():
            holders.difference_update([each for each in holders if each[0] == device.path])
        self._health.report(self._pads.missing())

    def _hear(self, devices: list[KeyDevice]) -> None:
        found: list[tuple[Change, Path]] = []
        for device in devices:
            try:
                found += ((change, device.path) for change in device.read())
            except OSError as error:
                self._lose(device, error)
        for change, path in sorted(found, key=lambda each: each[0].stamp):
            if button := self._keys.get(change.key):
                self._moved(button, change, path)

    def _moved(self, button: str, change: Change, path: Path) -> None:
        holders = self._holding.setdefault(button, set())
        others = holders - {(path, change.key)}
        (holders.add if change.down else holders.discard)((path, change.key))
        if others or self._heard is None:
            return
        at = edge_time(self._now(), self._stamped_by() - change.stamp)
        try:
            self._heard(Edge(button, change.down, at))
        except Exception:
            log.exception("device=buttons key=%s whoever listens failed", name(change.key))
