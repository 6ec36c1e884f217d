"""The NeoPixel adapter beyond the port's contract: frame rate, retries, drivers, remedies."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import msgspec
import pytest

from hal.chain_lights import STALLED_S, ChainLights
from hal.device_errors import DeviceDenied, DeviceError, DeviceMissing, WiringError
from hal.hardware_settings import LightSettings, Method
from hal.pi import spi_strip
from hal.pi.neopixel_lights import device_error, opener
from hal.ports import Zone
from tests import strips
from tests.patience import TIMEOUT_S
from tests.troubles import Reports

pytestmark = pytest.mark.real_time("threads that read and write devices")

COUNT = 35
SETTINGS = LightSettings(
    zones=(Zone("face", 0, 30), Zone("train", 30, 3), Zone("ring", 33, 2)),
    gamma=1.0,
    brightness=1.0,
    max_milliamps=1e6,
)


def picture(level: int) -> bytes:
    return bytes([level]) * (3 * COUNT)


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> strips.Wire:
    return strips.neopixel_wire(monkeypatch, "GRB")


@pytest.fixture
def reports() -> Reports:
    return Reports()


@pytest.fixture
def start(wire: strips.Wire, reports: Reports) -> Iterator[Callable[..., ChainLights]]:
    opened: list[ChainLights] = []

    def start(settings: LightSettings = SETTINGS, **others: object) -> ChainLights:
        lights = ChainLights(settings, reports, opener(settings, "ws281x"), **others)
        opened.append(lights)
        return lights

    yield start
    for lights in opened:
        lights.close()


Start = Callable[..., ChainLights]


def test_the_bytes_on_the_wire_are_in_the_chains_order(wire: strips.Wire, start: Start) -> None:
    """Green first, as WS2812B expect it: red, green and blue are not mixed up."""
    start().show(b"\x01\x02\x03" * COUNT)
    wire.wait_for(lambda frames: len(frames) == 2)

    assert b"\x02\x01\x03" * COUNT == wire.sent[-1]


def test_the_builders_settings_shape_what_is_sent(wire: strips.Wire, start: Start) -> None:
    """Gamma, the ceiling of brightness and the current limit all apply, in this order."""
    settings = msgspec.structs.replace(SETTINGS, gamma=2.2, brightness=0.5, max_milliamps=500)
    lights = start(settings)
    lights.show(b"\x80\x00\x00" * COUNT)
    wire.wait_for(lambda frames: len(frames) == 2)
    lights.show(picture(255))
    wire.wait_for(lambda frames: len(frames) == 3)

    assert b"\x00\x1c\x00" * COUNT == wire.sent[1]
    assert COUNT + sum(wire.sent[2]) * 20 / 255 <= 500


def test_a_slow_chain_shows_the_newest_frame(wire: strips.Wire, start: Start) -> None:
    """While one frame is on the wire, those in between are skipped, and nobody waits."""
    lights = start()
    on_the_wire, go_on = Event(), Event()

    def hold() -> None:
        on_the_wire.set()
        assert go_on.wait(TIMEOUT_S)

    wire.before = hold
    lights.show(picture(1))
    assert on_the_wire.wait(TIMEOUT_S)
    for level in range(2, 200):
        lights.show(picture(level))
    go_on.set()
    wire.wait_for(lambda frames: frames[-1] == picture(199))

    assert [picture(1), picture(199)] == wire.frames()[1:]


def test_frames_keep_to_sixty_a_second(wire: strips.Wire, start: Start) -> None:
    """After each frame the writer rests for the remainder of a sixtieth of a second."""
    time = [100.0]
    rests: list[float] = []

    def take_4_ms() -> None:
        time[0] += 0.004

    def rest(seconds: float) -> None:
        rests.append(seconds)
        time[0] += seconds

    lights = start(now=lambda: time[0], pause=rest)
    wire.before = take_4_ms
    for level in (1, 2, 3):
        lights.show(picture(level))
        wire.wait_for(lambda frames, level=level: frames[-1] == picture(level))
    lights.close()

    assert [1 / 60 - 0.004] * 3 == pytest.approx(rests)


def test_a_driver_that_hangs_is_reported(wire: strips.Wire, start: Start, reports: Reports) -> None:
    """`show` still returns at once, and reports the stall after a while."""
    time = [100.0]
    lights = start(now=lambda: time[0])
    on_the_wire, go_on = Event(), Event()

    def hang() -> None:
        on_the_wire.set()
        assert go_on.wait(TIMEOUT_S)

    wire.before = hang
    lights.show(picture(1))
    assert on_the_wire.wait(TIMEOUT_S)
    lights.show(picture(2))
    assert [] == reports.all
    time[0] += STALLED_S + 0.1
    lights.show(picture(3))
    lights.show(picture(4))
    assert 1 == len(reports.all)
    assert "hangs" in reports.all[0].message
    go_on.set()
    reports.wait_for(lambda troubles: troubles[-1].message == "")


def test_attempts_are_made_with_growing_pauses(
    wire: strips.Wire, start: Start, reports: Reports
) -> None:
    """A dead driver is tried after half a second, then after twice as long, at most every 30 s."""
    rests: list[float] = []
    enough = Event()

    def rest(seconds: float) -> None:
        rests.append(seconds)
        if len(rests) == 9:
            wire.broken = None
            enough.set()

    lights = start(pause=rest)
    wire.broken = OSError("pulled out")
    lights.show(picture(7))
    assert enough.wait(TIMEOUT_S)
    wire.wait_for(lambda frames: frames[-1] == picture(7))
    reports.wait_for(lambda troubles: len(troubles) == 2)

    assert [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0] == rests[:9]


def test_closing_a_broken_chain_gives_its_pin_back(wire: strips.Wire, start: Start) -> None:
    """Another program, or the next start, can have it."""
    lights = start()
    pin = lights._strip.pin
    wire.broken = OSError("pulled out")
    lights.close()

    assert pin._pin is None


# Drivers and remedies


def test_the_pi_driver_is_told_the_right_pin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without permission rpi_ws281x says so at the first write, which is made at the start."""
    wire = strips.ws281x_wire(monkeypatch, "GRB")
    wire.broken = PermissionError()
    for _ in range(2):
        with pytest.raises(DeviceDenied, match="groups gpio and spi"):
            opener(SETTINGS, "ws281x")()

    assert not wire.crashed


def test_a_bus_that_is_switched_off_is_an_error_at_the_start(tmp_path: Path) -> None:
    """Without /dev/spidev0.0 the driver cannot start."""
    with pytest.raises(DeviceMissing, match="dtoverlay=spi0-0cs"):
        opener(SETTINGS, "spi", tmp_path)()


def test_the_bus_is_set_to_six_megahertz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mode 0, eight bits a word; the frame is one write, and the chain is dark at the end."""
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(
        spi_strip,
        "ioctl",
        lambda file, number, data: asked.append((number, int.from_bytes(data, "little"))),
    )
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev/spidev0.0").touch()
    strip = opener(msgspec.structs.replace(SETTINGS, count=1), "spi", tmp_path)()
    strip.deinit()
    strip.pin.deinit()

    assert [(0x40016B01, 0), (0x40016B03, 8), (0x40046B04, 6_400_000)] == asked
    dark = bytes(16) + b"\xc0" * 24 + bytes(240)
    assert dark * 2 == (tmp_path / "dev/spidev0.0").read_bytes()


def test_what_is_no_bus_is_an_error_at_the_start(tmp_path: Path) -> None:
    """And its file is closed again."""
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev/spidev0.0").touch()
    with pytest.raises(DeviceMissing, match="doctor --lights"):
        opener(SETTINGS, "spi", tmp_path)()


@pytest.mark.parametrize(("order", "fits"), [("GRB", True), ("GRBW", False)])
def test_a_chain_longer_than_spidev_allows_is_an_error_at_the_start(
    order: str, fits: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """128 pixels of four colours need 4352 bytes in one piece."""
    strips.spi_wire(monkeypatch, order)
    parameters = tmp_path / "sys/module/spidev/parameters"
    parameters.mkdir(parents=True)
    (parameters / "bufsiz").write_text("4096\n")
    settings = msgspec.structs.replace(SETTINGS, count=128, order=order)
    if fits:
        opener(settings, "spi", tmp_path)().deinit()
        return
    with pytest.raises(WiringError, match=r"spidev\.bufsiz=4352"):
        opener(settings, "spi", tmp_path)()


@pytest.mark.parametrize("driver", ["ws281x", "pio"])
def test_a_missing_library_is_an_error_at_the_start(
    driver: Method, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says what to install for this board."""
    monkeypatch.setitem(sys.modules, "neopixel", None)
    with pytest.raises(DeviceMissing, match="pip install"):
        opener(SETTINGS, driver)()


@pytest.mark.parametrize(
    ("error", "kind", "word"),
    [
        (RuntimeError("The platform library '_rpi_ws281x' was not found. …"), DeviceMissing, "pip"),
        (NotImplementedError("Board not supported"), DeviceMissing, "pip"),
        (RuntimeError("NeoPixel support requires running with sudo"), DeviceDenied, "GPIO10"),
        (PermissionError(13, "Permission denied"), DeviceDenied, "usermod"),
        (RuntimeError("ws2811_init failed with code -13 (SPI)"), DeviceMissing, "spi0-0cs"),
        (RuntimeError("PIO could not be opened"), DeviceMissing, "/dev/pio0"),
        (FileNotFoundError(2, "x"), DeviceMissing, "spi0-0cs"),
        (RuntimeError(), DeviceMissing, "doctor --lights"),
    ],
)
def test_a_vendors_error_becomes_a_remedy(
    error: Exception, kind: type[DeviceError], word: str
) -> None:
    judged = device_error(error, "ws281x")

    assert kind is type(judged)
    assert word in str(judged)
