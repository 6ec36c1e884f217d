"""Captured wires: the real pixel libraries, with the last step to the hardware replaced.

Each function makes a `Wire` that records the output as the frames a person would see, decoded
independently.
"""

import os
import sys
from collections.abc import Callable
from importlib import import_module
from threading import Condition
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from hal.pi import neopixel_lights
from tests.patience import TIMEOUT_S

os.environ["BLINKA_OS_AGNOSTIC"] = "1"  # before Blinka is first imported


class Wire:
    """Everything that was sent to the chain; `broken` makes the driver fail from now on."""

    def __init__(self, order: str) -> None:
        self.order = order
        self.sent: list[bytes] = []
        self.broken: Exception | None = None
        self.crashed = False
        """True if a real driver would have ended the process, by using what was not set up."""
        self._changed = Condition()
        self.before: Callable[[], None] = lambda: None

    def send(self, data: bytes) -> None:
        self.before()
        if self.broken is not None:
            raise self.broken
        with self._changed:
            self.sent.append(bytes(data))
            self._changed.notify_all()

    def frames(self) -> list[bytes]:
        """Return the frames: red, green, blue, with a white diode's light added to each."""
        return [self._seen(data) for data in self.sent]

    def wait_for(self, what: Callable[[list[bytes]], bool]) -> None:
        with self._changed:
            came = self._changed.wait_for(lambda: what(self.frames()), TIMEOUT_S)
        assert came, f"still waiting; sent {[data.hex() for data in self.sent]}"

    def _seen(self, data: bytes) -> bytes:
        width = len(self.order)
        channel = {name: data[place::width] for place, name in enumerate(self.order)}
        white = channel.get("W", bytes(len(data) // width))
        return bytes(
            level + extra
            for pixel in zip(channel["R"], channel["G"], channel["B"], white, strict=True)
            for level, extra in ((pixel[0], pixel[3]), (pixel[1], pixel[3]), (pixel[2], pixel[3]))
        )


def neopixel_wire(monkeypatch: pytest.MonkeyPatch, order: str) -> Wire:
    """Return the NeoPixel class on a board without pins of its own."""
    import board
    import neopixel_write

    wire = Wire(order)
    driver = SimpleNamespace(neopixel_write=lambda pin, data: wire.send(data))
    monkeypatch.setattr(neopixel_write, "_neopixel", driver)
    monkeypatch.setattr(board, "D10", board.NEOPIXEL, raising=False)
    return wire


def ws281x_wire(monkeypatch: pytest.MonkeyPatch, order: str) -> Wire:
    """Return the NeoPixel class through Blinka's own Pi driver, on a stand-in for its C part."""
    wire = neopixel_wire(monkeypatch, order)
    monkeypatch.setitem(sys.modules, "_rpi_ws281x", _ws281x(wire))
    import neopixel_write

    driver = "adafruit_blinka.microcontroller.bcm283x.neopixel"
    monkeypatch.delitem(sys.modules, driver, raising=False)
    monkeypatch.setattr(neopixel_write, "_neopixel", import_module(driver))
    return wire


def _ws281x(wire: Wire) -> Any:
    """Make a stand-in for rpi_ws281x as far as Blinka uses it: pixels are set, then rendered."""
    chain: dict[str, Any] = {}
    c: Any = ModuleType("_rpi_ws281x")
    c.WS2811_STRIP_RGB, c.SK6812_STRIP_RGBW, c.WS2811_SUCCESS = 0x100800, 0x18100800, 0
    c.new_ws2811_t = lambda: "strip"
    c.delete_ws2811_t = c.ws2811_fini = lambda strip: None
    c.ws2811_t_freq_set = c.ws2811_t_dmanum_set = lambda strip, value: None
    c.ws2811_channel_get = lambda strip, number: number
    for name in ("gpionum", "invert", "brightness"):
        setattr(c, f"ws2811_channel_t_{name}_set", _setter(chain, name))
    c.ws2811_channel_t_count_set = _setter(chain, "count")
    c.ws2811_channel_t_strip_type_set = _setter(chain, "type")
    c.ws2811_channel_t_gpionum_get = lambda channel: chain["gpionum", channel]
    c.ws2811_channel_t_strip_type_get = lambda channel: chain["type", channel]
    c.ws2811_get_return_t_str = lambda code: "a stand-in's error"

    def init(strip: str) -> int:
        if wire.broken is not None:
            return -5 if isinstance(wire.broken, PermissionError) else -13
        chain["pixels"] = [0] * chain["count", 0]
        return 0

    def led_set(channel: int, index: int, pixel: int) -> None:
        wire.crashed = wire.crashed or "pixels" not in chain
        chain["pixels"][index] = pixel

    def render(strip: str) -> int:
        white = chain["type", 0] == c.SK6812_STRIP_RGBW
        try:
            wire.send(b"".join(_on_the_wire(pixel, white) for pixel in chain["pixels"]))
        except Exception:
            return -14
        return 0

    c.ws2811_init, c.ws2811_led_set, c.ws2811_render = init, led_set, render
    return c


def _setter(chain: dict[Any, Any], name: str) -> Callable[[int, int], None]:
    return lambda channel, value: chain.__setitem__((name, channel), value)


def _on_the_wire(pixel: int, white: bool) -> bytes:
    red, green, blue, rest = (pixel >> shift & 0xFF for shift in (16, 8, 0, 24))
    return bytes((red, green, blue, rest)) if white else bytes((red, green, blue))


class PixelBus:
    """A bus with a chain of pixels, which tell a one from a zero by how long the line is high."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def write(self, data: bytes) -> None:
        assert not any(data[-230:]), "the pixels show a frame after 280 µs of low"
        bits = [byte.bit_count() / 6.4e6 >= 700e-9 for byte in data if byte]
        self._wire.send(
            bytes(
                sum(bit << (7 - place) for place, bit in enumerate(bits[start : start + 8]))
                for start in range(0, len(bits), 8)
            )
        )

    def deinit(self) -> None:
        pass


def spi_wire(monkeypatch: pytest.MonkeyPatch, order: str) -> Wire:
    """Return a chain on a bus that only records."""
    wire = Wire(order)
    monkeypatch.setattr(neopixel_lights, "SpiBus", lambda path: PixelBus(wire))
    return wire
