"""The contract of the Lights port, checked for every backend."""

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import NamedTuple

import pytest

from hal.chain_lights import ChainLights
from hal.hardware_settings import LightSettings, Method, Order, UsbSettings
from hal.pi.neopixel_lights import opener
from hal.ports import Lights, Zone
from hal.system_clock import SystemClock
from hal.usb.usb_lights import UsbLights
from hal.usb.usb_link import acquire
from hal.wled import wled_lights
from sim.lights import SimLights
from tests import strips
from tests.patience import TIMEOUT_S, until
from tests.pico import Pico, needs_micropython
from tests.troubles import Reports
from tests.wled import Wled

pytestmark = pytest.mark.real_time("threads that read and write devices")

ZONES = (Zone("face", 0, 30), Zone("train", 30, 3), Zone("ring", 33, 2))
COUNT = 35
OFF = bytes(3 * COUNT)
RED = b"\xff\x00\x00" * COUNT
MIXED = bytes((7 * n) % 256 for n in range(3 * COUNT))


class Rig(NamedTuple):
    """A backend, and a way to read what its pixels show."""

    lights: Lights
    seen: Callable[[], list[bytes]]
    wait_for: Callable[[Callable[[list[bytes]], bool]], None]
    wait_for_level: Callable[[float], None]
    unplug: Callable[[], None]
    plug: Callable[[], None]
    reports: Reports
    closed: Callable[[], None] | None = None
    """Releases the backend and what it runs on, if that is more than the lights."""


def on_a_wire(make: Callable[..., strips.Wire], way: Method, order: Order) -> Callable[..., Rig]:
    def rig(monkeypatch: pytest.MonkeyPatch) -> Rig:
        wire = make(monkeypatch, order)
        reports = Reports()
        mended = Event()
        mended.set()
        settings = LightSettings(
            zones=ZONES, order=order, gamma=1.0, brightness=1.0, max_milliamps=1e6
        )
        lights = ChainLights(
            settings,
            reports,
            opener(settings, way),
            pause=lambda seconds: mended.wait(TIMEOUT_S),
        )
        dark = len(wire.sent)

        def unplug() -> None:
            mended.clear()
            wire.broken = OSError("pulled out")

        def plug() -> None:
            wire.broken = None
            mended.set()

        return Rig(
            lights,
            lambda: wire.frames()[dark:],
            lambda what: wire.wait_for(lambda frames: what(frames[dark:])),
            lambda level: wire.wait_for(lambda frames: abs(max(frames[-1]) / 255 - level) < 0.01),
            unplug,
            plug,
            reports,
        )

    return rig


def on_a_wled(monkeypatch: pytest.MonkeyPatch) -> Rig:
    wled = Wled(COUNT)
    reports = Reports()
    mended = Event()
    mended.set()
    settings = LightSettings(
        zones=ZONES, address=wled.address, gamma=1.0, brightness=1.0, max_milliamps=1e6
    )
    lights = ChainLights(
        settings,
        reports,
        wled_lights.opener(settings, wled.udp_port),
        pause=lambda seconds: mended.wait(TIMEOUT_S),
    )
    wled.wait_for(lambda frames: frames == [OFF])
    plugged = [True]

    def unplug() -> None:
        if plugged[0]:
            plugged[0] = False
            mended.clear()
            wled.unplug()
            # Nobody answers a datagram; only the one after it is refused.
            lights._strip.show()

    def plug() -> None:
        if not plugged[0]:
            plugged[0] = True
            wled.plug()
            mended.set()

    def closed() -> None:
        lights.close()
        wled.unplug()

    return Rig(
        lights,
        lambda: wled.frames()[1:],
        lambda what: wled.wait_for(lambda frames: what(frames[1:])),
        lambda level: wled.wait_for(lambda frames: abs(max(frames[-1]) / 255 - level) < 0.01),
        unplug,
        plug,
        reports,
        closed,
    )


def on_a_usb_hub(monkeypatch: pytest.MonkeyPatch) -> Rig:
    """The real firmware, run on the desktop behind a serial line."""
    folder = TemporaryDirectory()
    board = Pico(Path(folder.name))
    reports = Reports()
    settings = LightSettings(zones=ZONES, order="RGB", gamma=1.0, brightness=1.0, max_milliamps=1e6)
    link = acquire(UsbSettings(port=str(board.port)), SystemClock().now)
    lights = UsbLights(link, settings, reports, repeat_s=0.1)
    until(lambda: OFF in board.shown())

    def shown() -> list[bytes]:
        """Drop the frames of the idle glow before and after the connection."""
        frames = [frame for frame in board.shown() if set(frame) != {0, 4}]
        return frames[1:]

    def wait_for(what: Callable[[list[bytes]], bool]) -> None:
        until(lambda: shown() and what(shown()))

    def unplug() -> None:
        board.pull()
        until(lambda: link.trouble is not None)

    def plug() -> None:
        if not board.plugged:
            board.plug()

    def closed() -> None:
        lights.close()
        board.close()
        folder.cleanup()

    return Rig(
        lights,
        shown,
        wait_for,
        lambda level: wait_for(lambda frames: abs(max(frames[-1]) / 255 - level) < 0.01),
        unplug,
        plug,
        reports,
        closed,
    )


def simulated(monkeypatch: pytest.MonkeyPatch) -> Rig:
    reports = Reports()
    lights = SimLights(COUNT, reports)

    def wait_for(what: Callable[[list[bytes]], bool]) -> None:
        assert what(lights.frames)

    def wait_for_level(level: float) -> None:
        assert level == lights.brightness

    return Rig(
        lights,
        lambda: lights.frames,
        wait_for,
        wait_for_level,
        lights.unplug,
        lights.plug,
        reports,
    )


@pytest.fixture(
    params=[
        pytest.param(simulated, id="sim"),
        pytest.param(on_a_wire(strips.neopixel_wire, "ws281x", "GRB"), id="neopixel"),
        pytest.param(on_a_wire(strips.neopixel_wire, "pio", "GRBW"), id="neopixel-rgbw"),
        pytest.param(on_a_wire(strips.ws281x_wire, "ws281x", "GRB"), id="ws281x"),
        pytest.param(on_a_wire(strips.ws281x_wire, "ws281x", "RGBW"), id="ws281x-rgbw"),
        pytest.param(on_a_wire(strips.spi_wire, "spi", "RGB"), id="spi"),
        pytest.param(on_a_wled, id="wled"),
        pytest.param(on_a_usb_hub, id="usb", marks=needs_micropython),
    ]
)
def rig(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    made = request.param(monkeypatch)
    yield made
    made.plug()
    (made.closed or made.lights.close)()


def test_every_pixel_shows_its_colour(rig: Rig) -> None:
    rig.lights.show(MIXED)
    rig.wait_for(lambda frames: len(frames) == 1)

    assert COUNT == rig.lights.count
    assert [MIXED] == rig.seen()


def test_show_replaces_the_whole_frame(rig: Rig) -> None:
    """No pixel of an earlier frame survives a later one."""
    rig.lights.show(RED)
    rig.wait_for(lambda frames: RED in frames)
    rig.lights.show(OFF)
    rig.wait_for(lambda frames: frames[-1] == OFF)

    assert [RED, OFF] == rig.seen()


def test_a_frame_that_changes_nothing_is_not_written(rig: Rig) -> None:
    rig.lights.show(RED)
    rig.wait_for(lambda frames: RED in frames)
    rig.lights.show(RED)
    rig.lights.show(bytearray(RED))
    rig.lights.show(MIXED)
    rig.wait_for(lambda frames: MIXED in frames)

    assert [RED, MIXED] == rig.seen()


@pytest.mark.parametrize("length", [0, 3 * COUNT - 1, 3 * COUNT + 3])
def test_a_frame_of_the_wrong_length_is_refused(rig: Rig, length: int) -> None:
    with pytest.raises(ValueError, match=str(COUNT)):
        rig.lights.show(bytes(length))

    assert [] == rig.seen()


@pytest.mark.parametrize("brightness", [0.5, 0.0, 1.0])
def test_brightness_takes_effect_on_what_is_shown(rig: Rig, brightness: float) -> None:
    """Night dimming does not wait for the next change on the table."""
    rig.lights.set_brightness(0.25)
    rig.lights.show(RED)
    rig.wait_for_level(0.25)
    rig.lights.set_brightness(brightness)
    rig.wait_for_level(brightness)


@pytest.mark.parametrize("brightness", [-0.1, 1.1])
def test_brightness_beyond_its_range_is_refused(rig: Rig, brightness: float) -> None:
    with pytest.raises(ValueError, match="brightness"):
        rig.lights.set_brightness(brightness)


def test_a_closed_chain_is_dark_and_stays_dark(rig: Rig) -> None:
    """Nothing is left burning, and nothing comes on again."""
    rig.lights.show(RED)
    rig.wait_for(lambda frames: RED in frames)
    rig.lights.close()
    rig.lights.show(MIXED)
    rig.lights.set_brightness(0.5)
    rig.lights.close()

    assert OFF == rig.seen()[-1]
    assert MIXED not in rig.seen()


def test_a_chain_that_fails_is_reported_once_and_comes_back(rig: Rig) -> None:
    """Play goes on; the newest frame appears when the chain is there again."""
    rig.unplug()
    rig.lights.show(RED)
    rig.reports.wait_for(lambda troubles: len(troubles) == 1)
    rig.lights.show(OFF)
    rig.lights.show(MIXED)
    rig.plug()
    rig.wait_for(lambda frames: frames[-1:] == [MIXED])
    rig.reports.wait_for(lambda troubles: len(troubles) == 2)

    failed, well = rig.reports.all
    assert ("lights", "lights") == (failed.device, well.device)
    assert failed.message.endswith(".")
    assert "" == well.message
    assert RED not in rig.seen()
