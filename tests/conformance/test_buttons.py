"""The promises of the Buttons port, kept by every backend."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from types import SimpleNamespace
from typing import NamedTuple

import pytest
from gpiozero.pins.mock import MockFactory

from hal.pi.gpio_buttons import GpioButtons
from hal.ports import BUTTONS, Buttons, Edge
from hal.settings import ButtonSettings


class Rig(NamedTuple):
    """A backend, and fingers of its own to press its buttons with."""

    buttons: Buttons
    press: Callable[[str], None]
    release: Callable[[str], None]


def ticking() -> Callable[[], float]:
    """A clock that moves on with every look at it."""
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


def simulated() -> Rig:
    sim = pytest.importorskip("sim.buttons", reason="the simulator has no buttons yet")
    buttons = sim.SimButtons(SimpleNamespace(now=ticking()))
    return Rig(buttons, buttons.press, buttons.release)


@pytest.fixture(
    params=[
        pytest.param(simulated, id="sim"),
        pytest.param(gpio(ButtonSettings(), True), id="gpio"),
        pytest.param(gpio(ButtonSettings(pull="down", active_low=False), False), id="gpio-down"),
        pytest.param(gpio(ButtonSettings(pull="none"), True), id="gpio-own-resistors"),
    ]
)
def rig(request: pytest.FixtureRequest) -> Iterator[Rig]:
    made = request.param()
    yield made
    made.buttons.close()


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
    """A hub that starts under somebody's elbow does not act on it."""
    heard: list[Edge] = []
    rig.press("advance")
    rig.buttons.listen(heard.append)
    assert [] == heard
    rig.release("advance")

    assert [("advance", False)] == [(edge.button, edge.down) for edge in heard]


def test_an_error_in_a_listener_silences_nobody(rig: Rig) -> None:
    """The library's only thread survives whatever the listener does."""
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
    """Closing twice is as good as once."""
    heard: list[Edge] = []
    rig.buttons.listen(heard.append)
    rig.buttons.close()
    rig.press("seat-1")
    rig.buttons.close()
    rig.release("seat-1")

    assert [] == heard
