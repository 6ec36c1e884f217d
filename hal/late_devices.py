"""Devices that were missing at start: silent stand-ins that open the real one when it comes.

A hub without lights still has buttons, and one without buttons has phones. So a device that cannot
be opened is trouble on the page, not the end of the service. A thread opens it again and again with
growing pauses; then everything is passed on to it, and it looks after itself.
"""

import logging
from collections.abc import Callable
from threading import Event, RLock
from typing import Any, Generic, Protocol, TypeVar

from hal.device_errors import DeviceError, WiringError
from hal.health import Health, pauses
from hal.port_checks import check_brightness, check_cue, check_frame, check_volume
from hal.ports import Buttons, ClipSequence, DockLevel, Docks, Edge, Frame, Lights, Report, Sound
from hal.supervised_thread import start_supervised

log = logging.getLogger(__name__)


class Closable(Protocol):
    def close(self) -> None: ...


Device = TypeVar("Device", bound=Closable)


class _LateDevice(Generic[Device]):
    """The thread that opens the device, and its end."""

    def __init__(
        self,
        port: str,
        missing: DeviceError,
        open_device: Callable[[], Device],
        report: Report,
        pause: Callable[[float], object] | None = None,
    ) -> None:
        self._open = open_device
        self._health = Health(port, report)
        self._lock = RLock()
        self._closing = Event()
        self._pause = pause or self._closing.wait
        self._device: Device | None = None
        self._health.report(missing)
        self._thread = start_supervised(port, self._retry, self._health.report, self._closing.wait)

    def close(self) -> None:
        self._closing.set()
        with self._lock:
            if self._device is not None:
                self._device.close()

    def _retry(self) -> None:
        """Open the device after growing pauses until that works or the stand-in is closed.

        Reports why it is still missing, and then that it works. An error of the driver itself is
        logged, and opening tried again.
        """
        for wait in pauses():
            self._pause(wait)
            if self._closing.is_set():
                return
            try:
                device = self._open()
            except DeviceError as still:
                self._health.report(still)
                continue
            except Exception:
                log.exception("device=%s the driver failed", self._thread.name)
                continue
            with self._lock:
                if self._closing.is_set():
                    device.close()
                    return
                try:
                    self._take_up(device)
                except BaseException:
                    device.close()
                    raise
                self._device = device
                self._health.report(None)
                return

    def _take_up(self, device: Device) -> None:
        """Give the device what it has missed."""
        raise NotImplementedError


class LateButtons(_LateDevice[Buttons]):
    """The Buttons port without edges until the buttons come."""

    _on_edge: Callable[[Edge], None] | None = None

    def listen(self, on_edge: Callable[[Edge], None]) -> None:
        with self._lock:
            self._on_edge = on_edge
            if self._device is not None:
                self._device.listen(on_edge)

    def is_down(self, button: str) -> bool | None:
        return None if self._device is None else self._device.is_down(button)

    def _take_up(self, device: Buttons) -> None:
        if self._on_edge is not None:
            device.listen(self._on_edge)


class LateDocks(_LateDevice[Docks]):
    """The Docks port of a hub without docks until they come."""

    _on_level: Callable[[DockLevel], None] | None = None

    def listen(self, on_level: Callable[[DockLevel], None]) -> None:
        with self._lock:
            self._on_level = on_level
            if self._device is not None:
                self._device.listen(on_level)

    def _take_up(self, device: Docks) -> None:
        if self._on_level is not None:
            device.listen(self._on_level)


class LateLights(_LateDevice[Lights]):
    """The Lights port, dark until the chain comes."""

    def __init__(
        self,
        count: int,
        missing: DeviceError,
        open_device: Callable[[], Lights],
        report: Report,
        pause: Callable[[float], object] | None = None,
    ) -> None:
        self.count = count
        self._frame: Frame | None = None
        self._brightness = 1.0
        super().__init__("lights", missing, open_device, report, pause)

    def show(self, frame: Frame) -> None:
        """Show a frame on the chain; until it comes, keep the newest frame for it."""
        check_frame(frame, self.count)
        with self._lock:
            self._frame = bytes(frame)
            if self._device is not None:
                self._device.show(frame)

    def set_brightness(self, brightness: float) -> None:
        """Set the brightness of the chain; until it comes, keep it for the chain."""
        check_brightness(brightness)
        with self._lock:
            self._brightness = brightness
            if self._device is not None:
                self._device.set_brightness(brightness)

    def _take_up(self, device: Lights) -> None:
        device.set_brightness(self._brightness)
        if self._frame is not None:
            device.show(self._frame)


class LateSound(_LateDevice[Sound]):
    """The Sound port, mute until the device comes."""

    _volume = 1.0

    def play(self, cue: str) -> None:
        check_cue(cue)
        if self._device is not None:
            self._device.play(cue)

    def say(self, sentence: ClipSequence) -> float | None:
        return 0.0 if self._device is None else self._device.say(sentence)

    def prepare(self, sentence: ClipSequence) -> None:
        if self._device is not None:
            self._device.prepare(sentence)

    def set_volume(self, volume: float) -> None:
        """Set the volume of the device; until it comes, keep it for the device."""
        check_volume(volume)
        with self._lock:
            self._volume = volume
            if self._device is not None:
                self._device.set_volume(volume)

    def _take_up(self, device: Sound) -> None:
        device.set_volume(self._volume)


LATE = {"buttons": LateButtons, "sound": LateSound, "docks": LateDocks}


def open_or_wait(port: str, open_device: Callable[[], Any], report: Report, pixels: int) -> Any:
    """Open the device of a port; if that fails, report it and return a stand-in that tries again.

    `pixels` is the length of the chain, for lights. A WiringError is raised, because no waiting
    mends the settings.
    """
    try:
        return open_device()
    except WiringError:
        raise
    except DeviceError as missing:
        if port == "lights":
            return LateLights(pixels, missing, open_device, report)
        return LATE[port](port, missing, open_device, report)
