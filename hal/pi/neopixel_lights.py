"""A chain of NeoPixels, through Adafruit's own classes.

`show` only leaves the frame for a writer thread: sending takes 30 µs a pixel and more, during
which the loop has buttons to answer. The thread shows the newest frame it finds, at most `fps`
times a second, and brings a failed driver back with growing pauses.
A chain that was merely unplugged cannot be noticed: pixels never answer.
"""

import logging
import os
from collections.abc import Callable
from pathlib import Path
from threading import Condition, Event, Thread
from time import monotonic
from typing import Any, Protocol

from hal.checks import check_brightness, check_frame
from hal.errors import DeviceDenied, DeviceError, DeviceLost, DeviceMissing, WiringError
from hal.health import Health, pauses
from hal.pi.pixels import Limit, curve, levels
from hal.ports import Frame, Report
from hal.settings import ROOT, Driver, LightSettings

log = logging.getLogger(__name__)

STALLED_S = 2.0
"""A write that takes this long is a driver that hangs."""

CLOSING_S = 1.0
"""How long `close` waits for the last, dark frame."""


Picture = tuple[Frame, bytes]
"""A frame, and the table of levels to show it with."""


class Strip(Protocol):
    """What the adapter needs of Adafruit's pixel classes; `deinit` blanks the chain."""

    def __setitem__(self, where: slice, colours: list[tuple[int, ...]]) -> None: ...

    def show(self) -> None: ...

    def deinit(self) -> None: ...


class NeopixelLights:
    """The Lights port on a chain of NeoPixels.

    `open_strip` gives a chain that is dark and has been written to: a driver only finds out at
    its first write what it may not do.
    """

    def __init__(
        self,
        settings: LightSettings,
        report: Report,
        open_strip: Callable[[], Strip],
        now: Callable[[], float] = monotonic,
        pause: Callable[[float], object] | None = None,
    ) -> None:
        self._settings = settings
        self._health = Health("lights", report)
        self._open_strip = open_strip
        self._now = now
        self._closing = Event()
        self._pause = pause or self._closing.wait
        self._limit = Limit.of(settings)
        self._changed = Condition()
        dark = bytes(3 * settings.pixels), curve(settings.gamma, settings.brightness)
        self._wanted: Picture = dark
        self._written: Picture | None = dark
        self._began: float | None = None
        self._strip: Strip | None = open_strip()
        self._thread = Thread(target=self._run, name="lights", daemon=True)
        self._thread.start()

    @property
    def count(self) -> int:
        return self._settings.pixels

    def show(self, frame: Frame) -> None:
        check_frame(frame, self.count)
        self._notice_a_stall()
        self._want(bytes(frame), self._wanted[1])

    def set_brightness(self, brightness: float) -> None:
        check_brightness(brightness)
        table = curve(self._settings.gamma, brightness * self._settings.brightness)
        self._want(self._wanted[0], table)

    def close(self) -> None:
        with self._changed:
            self._closing.set()
            self._changed.notify()
        self._thread.join(CLOSING_S)

    def _want(self, frame: Frame, table: bytes) -> None:
        with self._changed:
            self._wanted = frame, table
            self._changed.notify()

    def _notice_a_stall(self) -> None:
        began = self._began
        if began is not None and self._now() - began > STALLED_S:
            self._health.say(
                DeviceLost(
                    "the lights' driver hangs",
                    "the game goes on without lights: restart the hub when it suits you",
                )
            )

    def _run(self) -> None:
        waits = pauses()
        while (picture := self._next()) is not None:
            began = self._now()
            try:
                self._write(*picture)
            except Exception as error:
                self._fail(error)
                self._pause(next(waits))
                continue
            self._written = picture
            waits = pauses()
            self._health.say(None)
            self._pause(max(0.0, 1 / self._settings.fps - (self._now() - began)))
        strip, self._strip = self._strip, None
        if strip is not None:
            blank(strip)

    def _next(self) -> Picture | None:
        """Wait for a picture that the chain does not show yet; None once it is being closed."""
        with self._changed:
            while self._wanted == self._written and not self._closing.is_set():
                self._changed.wait()
            return None if self._closing.is_set() else self._wanted

    def _write(self, frame: Frame, table: bytes) -> None:
        self._began = self._now()
        try:
            if self._strip is None:
                self._strip = self._open_strip()
            self._strip[:] = colours(frame, table, self._settings.channels, self._limit)
            self._strip.show()
        finally:
            self._began = None

    def _fail(self, error: Exception) -> None:
        if self._strip is None:
            log.info("device=lights still=%r", str(error))
        else:
            self._health.say(
                DeviceLost(
                    f"the lights fail ({error})",
                    "they are tried again and the game goes on: "
                    "check the power and the data line of the chain",
                )
            )
        self._written = None
        strip, self._strip = self._strip, None
        if strip is not None:
            let_go(strip)


def colours(frame: Frame, table: bytes, channels: int, limit: Limit) -> list[tuple[int, ...]]:
    """A frame as the colours Adafruit's classes take."""
    level = limit.scaled(levels(frame, table, channels == 4))
    return list(zip(*(level[channel::channels] for channel in range(channels)), strict=True))


def blank(strip: Strip) -> None:
    """Darken the chain and give its pin back."""
    try:
        strip.deinit()
    except Exception as error:
        log.info("device=lights not blanked: %s", error)
        let_go(strip)


def let_go(strip: Strip) -> None:
    """Give the pin back of a chain that cannot be written.

    Nothing more is written to it, not even darkness: rpi_ws281x ends the whole process when it is
    to write to a chain that it could not set up.
    """
    pin = getattr(strip, "pin", None)
    if pin is not None:
        pin.deinit()


def opener(settings: LightSettings, driver: Driver, root: Path = ROOT) -> Callable[[], Strip]:
    """How to open the chain with a driver of `hal.pi.model.driver`."""
    make = _spi_strip if driver == "spi" else _pin_strip

    def open_strip() -> Strip:
        if driver == "spi":
            _check_spi_buffer(settings, root)
        # Blinka would otherwise offer, on a terminal, to install libraries by itself.
        os.environ.setdefault("BLINKA_SKIP_DEPENDENCY_CHECK", "1")
        try:
            return make(settings)
        except Exception as error:
            raise judge(error, driver) from error

    return open_strip


def _pin_strip(settings: LightSettings) -> Strip:
    """rpi_ws281x up to the Pi 4, the PIO driver on a Pi 5: Blinka picks it by board."""
    import board
    import neopixel

    pin = getattr(board, f"D{settings.pin}")
    strip: Any = neopixel.NeoPixel(
        pin, settings.pixels, auto_write=False, pixel_order=settings.order
    )
    try:
        strip.show()
    except Exception:
        let_go(strip)
        raise
    return strip  # type: ignore[no-any-return]


def _spi_strip(settings: LightSettings) -> Strip:
    """Plain spidev: no compiled driver, every model."""
    import board
    import neopixel_spi

    strip: Any = neopixel_spi.NeoPixel_SPI(
        board.SPI(), settings.pixels, auto_write=False, pixel_order=settings.order
    )
    strip.show()
    return strip  # type: ignore[no-any-return]


def _check_spi_buffer(settings: LightSettings, root: Path) -> None:
    """spidev sends a frame in one piece or not at all."""
    try:
        size = int((root / "sys/module/spidev/parameters/bufsiz").read_text())
    except (OSError, ValueError):
        return
    needed = settings.pixels * settings.channels * 8 + 128  # 8 bytes a byte, and two pauses
    if needed > size:
        raise WiringError(
            f"{settings.pixels} pixels need {needed} bytes in one piece, spidev allows {size}",
            f"add spidev.bufsiz={needed} to /boot/firmware/cmdline.txt, or use fewer pixels",
        )


EXTRAS = {"ws281x": "pi,pi-ws281x", "pio": "pi,pi-pio", "spi": "pi"}
"""The parts of the installation that bring each driver's library."""


def judge(error: Exception, driver: Driver) -> DeviceError:
    """What a vendor's error means for a builder."""
    said = str(error) or type(error).__name__
    if isinstance(error, ImportError | NotImplementedError) or "was not found" in said:
        return DeviceMissing(
            f"the lights' library for this board is missing ({said})",
            f"install it with `pip install 'centerpiece[{EXTRAS[driver]}]'`",
        )
    if isinstance(error, PermissionError) or _mentions(said, "sudo", "permission", "mmap"):
        return DeviceDenied(
            f"the lights may not be opened ({said})",
            "add this user to the groups gpio and spi (`sudo usermod -aG gpio,spi $USER`), "
            "log in again, and keep the data line on GPIO10: the other pins need root",
        )
    if isinstance(error, FileNotFoundError) or _mentions(said, "spi", "pio"):
        return DeviceMissing(
            f"the lights' bus is not there ({said})",
            "set `dtoverlay=spi0-0cs` in /boot/firmware/config.txt (a Pi 5 needs /dev/pio0) "
            "and restart the Pi",
        )
    return DeviceMissing(
        f"the lights cannot be opened ({said})",
        "run `centerpiece doctor --lights` to find out what is missing",
    )


def _mentions(said: str, *words: str) -> bool:
    return any(word in said.lower() for word in words)
