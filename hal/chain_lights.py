"""The Lights port on a chain of pixels, independent of what the chain is wired to.

`show` only leaves the frame for a writer thread, because sending takes 30 µs a pixel and more and
the loop has buttons to answer. The thread writes the newest frame, at most `fps` times a second,
and reopens a failed driver with growing pauses.
An unplugged chain goes unnoticed: pixels never answer.
"""

import logging
from collections.abc import Callable
from threading import Condition, Event
from time import monotonic
from typing import Protocol

from hal.device_errors import DeviceError, DeviceLost
from hal.hardware_settings import LightSettings
from hal.health import Health, pauses
from hal.pixels import Limit, curve, levels
from hal.port_checks import check_brightness, check_frame
from hal.ports import Frame, Report
from hal.supervised_thread import start_supervised

log = logging.getLogger(__name__)

STALLED_S = 2.0
"""A write that takes longer means that the driver hangs."""

CLOSING_S = 1.0
"""Time that `close` allows for the last, dark frame."""


Picture = tuple[Frame, bytes]
"""A frame, and the table that maps its values to pixel levels."""


class Strip(Protocol):
    """An open chain with the interface of Adafruit's pixel classes; `deinit` blanks it."""

    def __setitem__(self, where: slice, colours: list[tuple[int, ...]]) -> None: ...

    def show(self) -> None: ...

    def deinit(self) -> None: ...


class ChainLights:
    """The Lights port on a chain.

    `open_strip` returns a dark chain that has been written to once, because a driver reports
    missing permissions only at its first write. `repeat_s` is for chains that forget what they
    show: the frame is written again at this interval.
    """

    def __init__(
        self,
        settings: LightSettings,
        report: Report,
        open_strip: Callable[[], Strip],
        now: Callable[[], float] = monotonic,
        pause: Callable[[float], object] | None = None,
        repeat_s: float | None = None,
    ) -> None:
        self._settings = settings
        self._health = Health("lights", report)
        self._open_strip = open_strip
        self._now = now
        self._closing = Event()
        self._pause = pause or self._closing.wait
        self._repeat_s = repeat_s
        self._limit = Limit.of(settings)
        self._changed = Condition()
        dark = bytes(3 * settings.pixels), curve(settings.gamma, settings.brightness)
        self._target: Picture = dark
        self._written: Picture | None = dark
        self._began: float | None = None
        self._strip: Strip | None = open_strip()
        self._thread = start_supervised(
            "lights", self._run, self._health.report, self._closing.wait
        )

    @property
    def count(self) -> int:
        return self._settings.pixels

    def show(self, frame: Frame) -> None:
        """Leave a frame for the thread, which replaces an older one; report a driver that hangs."""
        check_frame(frame, self.count)
        self._notice_a_stall()
        self._set_target(bytes(frame), self._target[1])

    def set_brightness(self, brightness: float) -> None:
        check_brightness(brightness)
        table = curve(self._settings.gamma, brightness * self._settings.brightness)
        self._set_target(self._target[0], table)

    def close(self) -> None:
        with self._changed:
            self._closing.set()
            self._changed.notify()
        self._thread.join(CLOSING_S)

    def _set_target(self, frame: Frame, table: bytes) -> None:
        with self._changed:
            self._target = frame, table
            self._changed.notify()

    def _notice_a_stall(self) -> None:
        """Report a driver that has been writing one frame for more than `STALLED_S` seconds."""
        began = self._began
        if began is not None and self._now() - began > STALLED_S:
            self._health.report(
                DeviceLost(
                    "the lights' driver hangs",
                    "the game goes on without lights: restart the hub when it suits you",
                )
            )

    def _run(self) -> None:
        """Write each new frame until closed, at most `fps` a second, then darken the chain.

        After a failure, which is reported, pause and open the chain again.
        """
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
            self._health.report(None)
            self._pause(max(0.0, 1 / self._settings.fps - (self._now() - began)))
        strip, self._strip = self._strip, None
        if strip is not None:
            blank(strip)

    def _next(self) -> Picture | None:
        """Wait until a frame is to be written, or for `repeat_s`, then return the newest frame.

        None once closed. Without `repeat_s`, a frame that is written already is not returned again.
        """
        with self._changed:
            while self._target == self._written and not self._closing.is_set():
                if not self._changed.wait(self._repeat_s):
                    break
            return None if self._closing.is_set() else self._target

    def _write(self, frame: Frame, table: bytes) -> None:
        """Write `frame` by the brightness `table`; open the chain first if it was lost."""
        self._began = self._now()
        try:
            if self._strip is None:
                self._strip = self._open_strip()
            self._strip[:] = colours(frame, table, self._settings.channels, self._limit)
            self._strip.show()
        finally:
            self._began = None

    def _fail(self, error: Exception) -> None:
        """Report a failure and give up the chain, to be opened again.

        If the chain was lost already, only log the failure.
        """
        if self._strip is None:
            log.info("device=lights still=%r", str(error))
        elif isinstance(error, DeviceError):
            self._health.report(error)
        else:
            self._health.report(
                DeviceLost(
                    f"the lights fail ({error})",
                    "they are tried again and the game goes on: "
                    "check the power and the data line of the chain",
                )
            )
        self._written = None
        strip, self._strip = self._strip, None
        if strip is not None:
            release_pin(strip)


def colours(frame: Frame, table: bytes, channels: int, limit: Limit) -> list[tuple[int, ...]]:
    """Convert a frame to the colour tuples of Adafruit's classes, dimmed to the current limit."""
    level = limit.scaled(levels(frame, table, channels == 4))
    return list(zip(*(level[channel::channels] for channel in range(channels)), strict=True))


def blank(strip: Strip) -> None:
    """Darken the chain and release its pin; if darkening fails, log that and only release."""
    try:
        strip.deinit()
    except Exception as error:
        log.info("device=lights not blanked: %s", error)
        release_pin(strip)


def release_pin(strip: Strip) -> None:
    """Release the pin of a chain that cannot be written.

    Nothing more is written, not even darkness: rpi_ws281x crashes the whole process when it writes
    to a chain that it could not set up.
    """
    pin = getattr(strip, "pin", None)
    if pin is not None:
        pin.deinit()
