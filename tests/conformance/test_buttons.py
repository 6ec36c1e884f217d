"""The contract of the Buttons port, checked for every backend."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import NamedTuple

import pytest
from gpiozero.pins.mock import MockFactory

from hal.hardware_settings import ButtonSettings, UsbSettings
from hal.health import ignore_trouble
from hal.keys.device import KeyDevice
from hal.keys.key_buttons import KeyButtons
from hal.keys.key_drivers import codes
from hal.keys.pads import FOLDER, nodes
from hal.pi.gpio_buttons import GpioButtons
from hal.ports import BUTTONS, Buttons, Edge
from hal.system_clock import SystemClock
from hal.usb.usb_buttons import UsbButtons
from hal.usb.usb_link import acquire
from sim.buttons import SimButtons
from tests.pads import NUMBER_PAD, Inputs, Pad, UinputPad, all_heard
from tests.patience import until
from tests.pico import Pico, needs_micropython

pytestmark = pytest.mark.real_time("threads that read and write devices")


class Rig(NamedTuple):
    """A backend, and a way to press its buttons."""

    buttons: Buttons
    press: Callable[[str], None]
    release: Callable[[str], None]
    closed: Callable[[], object] | None = None
    """Releases what the backend runs on."""


def ticking() -> Callable[[], float]:
    """Return a clock that advances with every reading."""
    ticks = count(1)
    return lambda: float(next(ticks))


def gpio(settings: ButtonSettings, pressed_is_low: bool) -> Callable[[], Rig]:
    def rig() -> Rig:
        factory = MockFactory()
        buttons = GpioButtons(settings, ticking(), lambda: factory)

        def drive(button: str, low: bool) -> None:
            pin = factory.pin(settings.pins[button])
            pin.drive_low() if low else pin.drive_high()

        for button in settings.pins:
            drive(button, not pressed_is_low)
        return Rig(
            buttons,
            lambda button: drive(button, pressed_is_low),
            lambda button: drive(button, not pressed_is_low),
        )

    return rig


CODES = {button: key for key, button in codes(ButtonSettings()).items()}


def keys() -> Rig:
    """Records of a number pad, as the kernel would write them."""
    with ExitStack() as made:
        folder = Path(made.enter_context(TemporaryDirectory()))
        patch = made.enter_context(pytest.MonkeyPatch.context())
        inputs = Inputs(folder, patch)
        pad = inputs.pad()
        buttons = KeyButtons(codes(ButtonSettings()), (), ticking(), ignore_trouble, inputs.folder)
        return _on_a_pad(buttons, pad, made.pop_all().close)


def uinput() -> Rig:
    """A number pad made by the kernel (uinput)."""
    if not os.access("/dev/uinput", os.W_OK):
        pytest.skip("no /dev/uinput that may be written")
    pad = UinputPad(NUMBER_PAD)
    until(lambda: pad.name in _plugged_in())
    buttons = KeyButtons(codes(ButtonSettings()), (pad.name,), ticking(), ignore_trouble)
    return _on_a_pad(buttons, pad, pad.unplug)


def _plugged_in() -> Iterator[str]:
    """Return the names of the devices with keys that can be opened."""
    for path in nodes(FOLDER):
        with suppress(OSError), closing(KeyDevice(path)) as device:
            yield device.name


def _on_a_pad(buttons: KeyButtons, pad: Pad | UinputPad, closed: Callable[[], object]) -> Rig:
    def move(button: str, value: int) -> None:
        pad.key(CODES[button], value)
        if buttons._on_edge is not None:
            all_heard(buttons)

    return Rig(buttons, lambda button: move(button, 1), lambda button: move(button, 0), closed)


def usb() -> Rig:
    """The real firmware, run on the desktop behind a serial line."""
    folder = TemporaryDirectory()
    board = Pico(Path(folder.name))
    link = acquire(UsbSettings(port=str(board.port)), SystemClock().now)
    buttons = UsbButtons(link, ignore_trouble)
    until(lambda: link.hello)
    moved, seen, hear = count(1), [], link.on_edge

    def counted(edge: Edge) -> None:
        hear(edge)
        seen.append(edge)

    link.on_edge = counted

    def move(button: str, down: bool) -> None:
        board.move(button, down)
        number = next(moved)
        until(lambda: len(seen) >= number or not link.users)

    def closed() -> None:
        board.close()
        folder.cleanup()

    return Rig(buttons, lambda each: move(each, True), lambda each: move(each, False), closed)


def simulated() -> Rig:
    buttons = SimButtons(SimpleNamespace(now=ticking()))
    return Rig(buttons, buttons.press, buttons.release)


@pytest.fixture(
    params=[
        pytest.param(simulated, id="sim"),
        pytest.param(gpio(ButtonSettings(), True), id="gpio"),
        pytest.param(gpio(ButtonSettings(pull="down", active_low=False), False), id="gpio-down"),
        pytest.param(gpio(ButtonSettings(pull="none"), True), id="gpio-own-resistors"),
        pytest.param(usb, id="usb", marks=needs_micropython),
        pytest.param(keys, id="keys"),
        pytest.param(uinput, id="keys-on-uinput"),
    ]
)
def rig(request: pytest.FixtureRequest) -> Iterator[Rig]:
    made = request.param()
    yield made
    made.buttons.close()
    if made.closed is not None:
        made.closed()


def test_every_button_gives_an_edge_down_and_an_edge_up(rig: Rig) -> None:
    """All fourteen are wired, and none answers for another."""
    heard: list[Edge] = []
    rig.buttons.listen(heard.append)
    for button in BUTTONS:
        rig.press(button)
        rig.release(button)

    expected = [(button, down) for button in BUTTONS for down in (True, False)]
    assert expected == [(edge.button, edge.down) for edge in heard]


def test_edges_are_stamped_in_order(rig: Rig) -> None:
    """Time never runs backwards, whichever button is pressed."""
    heard: list[Edge] = []
    rig.buttons.listen(heard.append)
    for _ in range(3):
        for move in (rig.press, rig.release):
            for button in BUTTONS:
                move(button)

    times = [edge.now for edge in heard]
    assert 6 * len(BUTTONS) == len(times)
    assert sorted(times) == times


def test_fourteen_at_once_all_arrive(rig: Rig) -> None:
    """Nobody's press is lost because others press too."""
    heard: list[Edge] = []
    rig.buttons.listen(heard.append)
    for button in BUTTONS:
        rig.press(button)

    assert [(button, True) for button in BUTTONS] == [(e.button, e.down) for e in heard]


def test_chatter_is_passed_on_as_it_comes(rig: Rig) -> None:
    """Debounce is pure code elsewhere: here every bounce counts."""
    heard: list[Edge] = []
    rig.buttons.listen(heard.append)
    for _ in range(5):
        rig.press("undo")
        rig.release("undo")

    assert [True, False] * 5 == [edge.down for edge in heard]


def test_a_button_already_down_is_silent_until_it_is_let_go(rig: Rig) -> None:
    heard: list[Edge] = []
    rig.press("advance")
    rig.buttons.listen(heard.append)
    assert [] == heard
    rig.release("advance")

    assert [("advance", False)] == [(edge.button, edge.down) for edge in heard]


def test_a_line_can_be_read_at_any_time(rig: Rig) -> None:
    """Ahead of its edges; a board that cannot tell says so."""
    rig.buttons.listen(lambda edge: None)
    rig.press("train")
    read = {button: rig.buttons.is_down(button) for button in ("train", "undo")}
    rig.release("train")
    after = rig.buttons.is_down("train")

    if read["train"] is None:
        assert ({"train": None, "undo": None}, None) == (read, after)
    else:
        assert ({"train": True, "undo": False}, False) == (read, after)


def test_an_error_in_a_listener_silences_nobody(rig: Rig) -> None:
    """A library's only thread survives an exception of the listener."""
    heard: list[Edge] = []

    def listener(edge: Edge) -> None:
        heard.append(edge)
        raise RuntimeError("the listener stumbled")

    rig.buttons.listen(listener)
    for button in ("seat-1", "seat-2"):
        with suppress(RuntimeError):  # a simulated finger may feel it, the buttons must not
            rig.press(button)

    assert ["seat-1", "seat-2"] == [edge.button for edge in heard]


def test_nothing_is_heard_after_close(rig: Rig) -> None:
    """Also if it is closed twice."""
    heard: list[Edge] = []
    rig.buttons.listen(heard.append)
    rig.buttons.close()
    rig.press("seat-1")
    rig.buttons.close()
    rig.release("seat-1")

    assert [] == heard
