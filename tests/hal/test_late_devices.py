"""Devices that are missing at start, and come later."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any

import pytest

from hal import boards
from hal.boards import DRIVERS, builder
from hal.device_errors import DeviceError, DeviceMissing, WiringError
from hal.hardware_settings import HardwareSettings
from hal.late_devices import LateButtons, LateLights, LateSound
from hal.ports import Board, ClipSequence, Edge, Trouble
from sim.buttons import SimButtons
from sim.clock import VirtualClock
from sim.lights import SimLights
from sim.sound import SimSound
from tests.patience import until
from tests.troubles import Reports

pytestmark = pytest.mark.real_time("threads that wait for devices")

GONE = DeviceMissing("it is not there", "plug it in")
NOT_THERE = "It is not there; plug it in."


class Socket:
    """A place where a device is plugged in later: the first attempts fail."""

    def __init__(self, device: Any) -> None:
        self.device = device
        self.tries: SimpleQueue[DeviceError | None] = SimpleQueue()

    def open(self) -> Any:
        if error := self.tries.get():
            raise error
        return self.device

    def pause(self, seconds: float) -> None:
        """Do not wait: `open` waits until a test has decided what it does."""


def told(*messages: str, device: str) -> list[Trouble]:
    return [Trouble(device, message) for message in messages]


def test_buttons_that_come_later_are_heard() -> None:
    """And the trouble is over, once."""
    reports, socket, edges = Reports(), Socket(SimButtons(VirtualClock())), list[Edge]()
    late = LateButtons("buttons", GONE, socket.open, reports, socket.pause)
    late.listen(edges.append)
    socket.tries.put(GONE)
    socket.tries.put(None)
    reports.wait_for(lambda all: len(all) == 2)
    until(lambda: socket.device.press("train") or edges)
    late.close()
    heard = len(edges)
    socket.device.press("undo")

    assert ("train", heard) == (edges[0].button, len(edges))
    assert told(NOT_THERE, "", device="buttons") == reports.all


def test_lights_that_come_later_show_the_present_frame() -> None:
    """With the brightness that was set meanwhile."""
    reports, lights = Reports(), SimLights(2, Reports())
    socket = Socket(lights)
    late = LateLights(2, GONE, socket.open, reports, socket.pause)
    late.show(b"abcdef")
    late.show(b"ABCDEF")
    late.set_brightness(0.25)
    socket.tries.put(None)
    reports.wait_for(lambda all: len(all) == 2)
    until(lambda: b"ABCDEF" == lights.frame)
    late.close()

    assert (0.25, [b"ABCDEF", bytes(6)]) == (lights.brightness, lights.frames)


def test_sound_that_comes_later_is_mute_until_then() -> None:
    """And then as loud as it was asked to be."""
    reports, sound = Reports(), SimSound(Reports())
    socket = Socket(sound)
    late = LateSound("sound", GONE, socket.open, reports, socket.pause)
    late.play("whistle")
    late.set_volume(0.5)
    takes = late.say(ClipSequence("en", ()))
    socket.tries.put(None)
    reports.wait_for(lambda all: len(all) == 2)
    until(lambda: sound.volume == 0.5)
    late.play("knock")
    late.close()

    assert (0.0, ["knock"]) == (takes, sound.played)


def test_what_is_wrong_may_change_while_it_is_missing() -> None:
    """Plugged in, but not permitted: the page says the newer thing."""
    reports, socket = Reports(), Socket(None)
    late = LateSound("sound", GONE, socket.open, reports, socket.pause)
    socket.tries.put(DeviceError("it may not be opened", "join the group"))
    reports.wait_for(lambda all: len(all) == 2)
    late.close()
    socket.tries.put(GONE)

    assert told(NOT_THERE, "It may not be opened; join the group.", device="sound") == reports.all


def test_what_comes_too_late_is_closed() -> None:
    """A chain that answers after the end stays dark."""
    lights = SimLights(1, Reports())
    socket = Socket(lights)
    late = LateLights(1, GONE, socket.open, Reports(), socket.pause)
    late.show(b"abc")
    late.close()
    socket.tries.put(None)
    late._thread.join()

    assert b"\0\0\0" == lights.frame


@contextmanager
def failing(port: str, error: DeviceError) -> Iterator[Callable[[Reports], Board]]:
    """Yield a builder of the simulated board, one device of which cannot be opened."""

    def fail(*_: object) -> None:
        raise error

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(boards, f"{port}_fails", fail, raising=False)
        patch.setitem(DRIVERS[port], "sim", f"hal.boards:{port}_fails")  # type: ignore[index]
        yield lambda reports: builder("sim")(HardwareSettings(), reports)


@pytest.mark.parametrize("port", DRIVERS)
def test_one_missing_device_is_no_reason_for_no_hub(port: str) -> None:
    """The board is built, and says what is missing."""
    reports = Reports()
    with failing(port, GONE) as build:
        board = build(reports)
        board.lights.show(bytes(3 * board.lights.count))
        board.sound.play("whistle")
        board.close()

    assert told(NOT_THERE, device=port) == reports.all


@pytest.mark.parametrize("port", DRIVERS)
def test_settings_that_cannot_work_end_the_start(port: str) -> None:
    """No waiting mends them."""
    with (
        failing(port, WiringError("two parts share a pin", "move one")) as build,
        pytest.raises(WiringError),
    ):
        build(Reports())
