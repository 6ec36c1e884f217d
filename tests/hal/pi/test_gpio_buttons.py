"""What the gpiozero adapter does beyond the port's promises: claims, refusals, threads."""

import os
import sys
import threading
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from gpiozero import DigitalInputDevice
from gpiozero.pins.mock import MockFactory

from hal.errors import DeviceBusy, DeviceDenied, DeviceError, DeviceMissing
from hal.pi.gpio_buttons import GpioButtons, lgpio_factory
from hal.ports import Edge
from hal.settings import ButtonSettings

SETTINGS = ButtonSettings()


def now() -> float:
    return 1.5


def test_edges_carry_the_hubs_own_time() -> None:
    """Not the library's: gestures compare them with the hub's clock."""
    factory = MockFactory()
    heard: list[Edge] = []
    buttons = GpioButtons(SETTINGS, now, factory)
    buttons.listen(heard.append)
    factory.pin(SETTINGS.pins["train"]).drive_low()
    buttons.close()

    assert [Edge("train", True, 1.5)] == heard


def test_buttons_need_no_threads_of_their_own() -> None:
    """gpiozero's Button would start one for each hold timer."""
    before = threading.active_count()
    buttons = GpioButtons(SETTINGS, now, MockFactory())
    buttons.listen(print)
    after = threading.active_count()
    buttons.close()

    assert before == after


def test_a_stuck_button_can_be_seen() -> None:
    """The doctor asks which buttons are down."""
    factory = MockFactory()
    buttons = GpioButtons(SETTINGS, now, factory)
    assert () == buttons.pressed()
    factory.pin(SETTINGS.pins["undo"]).drive_low()
    assert ("undo",) == buttons.pressed()
    buttons.close()

    assert () == buttons.pressed()


def test_a_listener_may_close_the_buttons() -> None:
    """Closing from within an edge does not lock up."""
    factory = MockFactory()
    heard: list[Edge] = []
    buttons = GpioButtons(SETTINGS, now, factory)

    def listener(edge: Edge) -> None:
        heard.append(edge)
        buttons.close()

    buttons.listen(listener)
    factory.pin(SETTINGS.pins["undo"]).drive_low()
    factory.pin(SETTINGS.pins["train"]).drive_low()

    assert ["undo"] == [edge.button for edge in heard]


def test_an_edge_under_way_while_the_buttons_close_is_not_heard() -> None:
    """The library's thread may be a step behind."""
    heard: list[Edge] = []
    buttons = GpioButtons(SETTINGS, now, MockFactory())
    buttons.listen(heard.append)
    late = buttons._edge("undo", True)
    buttons.close()
    late()

    assert [] == heard


def test_a_pin_in_use_names_pin_and_button_and_frees_the_rest() -> None:
    """Another program has GPIO7; the pins claimed before it are given back."""
    factory = MockFactory()
    other = DigitalInputDevice(7, pull_up=True, pin_factory=factory)
    with pytest.raises(DeviceBusy, match="GPIO7 for the button 'seat-10' is in use") as caught:
        GpioButtons(SETTINGS, now, factory)
    other.close()
    GpioButtons(SETTINGS, now, factory).close()

    assert "dtoverlay=spi0-0cs" in str(caught.value)


class Refusing:
    """A pin factory that refuses in a way of the real one."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def reserve_pins(self, *args: object) -> None:
        raise self._error

    def release_pins(self, *args: object) -> None:
        pass

    release_all = close = release_pins


@pytest.mark.parametrize(
    ("error", "kind", "word"),
    [
        (PermissionError(13, "Permission denied"), DeviceDenied, "group gpio"),
        (OSError("can not open gpiochip: permission"), DeviceDenied, "group gpio"),
        (OSError("'GPIO busy'"), DeviceBusy, "in use"),
        (OSError("can not open gpiochip"), DeviceMissing, "--hardware sim"),
        (RuntimeError(), DeviceMissing, "RuntimeError"),
    ],
)
def test_a_pin_that_cannot_be_claimed_comes_with_a_remedy(
    error: Exception, kind: type[DeviceError], word: str
) -> None:
    """Whatever the library raises, a builder reads what to do."""
    with pytest.raises(kind, match=word):
        GpioButtons(SETTINGS, now, Refusing(error))


class Chip:
    """lgpio's C part: one GPIO chip, and what was done with it."""

    def __init__(self) -> None:
        self.opened: list[int] = []
        self.closed: list[int] = []
        self.callbacks: dict[int, Any] = {}

    def module(self) -> Any:
        c: Any = ModuleType("lgpio")
        c.SET_PULL_NONE, c.SET_PULL_UP, c.SET_PULL_DOWN = 0, 32, 64
        c.RISING_EDGE, c.FALLING_EDGE, c.BOTH_EDGES = 1, 2, 3
        c.gpiochip_open = lambda chip: self.opened.append(chip) or 7
        c.gpiochip_close = self.closed.append
        c.gpio_read = lambda handle, gpio: 1
        for name in ("claim_input", "claim_output", "claim_alert", "free", "get_mode"):
            setattr(c, f"gpio_{name}", lambda *arguments: 0)
        c.gpio_set_debounce_micros = lambda handle, gpio, time: 0
        c.callback = self._callback
        return c

    def _callback(self, handle: int, gpio: int, edge: int, function: Any) -> Any:
        self.callbacks[gpio] = function
        return SimpleNamespace(cancel=lambda: None)


@pytest.fixture
def no_lgpio(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A machine where lgpio has not been imported yet."""
    monkeypatch.delitem(sys.modules, "gpiozero.pins.lgpio", raising=False)
    monkeypatch.setitem(sys.modules, "lgpio", None)
    return monkeypatch


def test_a_missing_library_is_an_error_at_the_start(no_lgpio: pytest.MonkeyPatch) -> None:
    """It says what to install."""
    with pytest.raises(DeviceMissing, match="pip install"):
        lgpio_factory()


def test_the_empty_library_is_an_error_at_the_start(no_lgpio: pytest.MonkeyPatch) -> None:
    """lgpio 0.0.0.2 can be imported, and is nothing."""
    no_lgpio.setitem(sys.modules, "lgpio", ModuleType("lgpio"))
    with pytest.raises(DeviceMissing, match="lgpio"):
        lgpio_factory()


def test_a_machine_without_pins_is_an_error_at_the_start(no_lgpio: pytest.MonkeyPatch) -> None:
    """gpiozero's own factory finds no Raspberry Pi here."""
    no_lgpio.setitem(sys.modules, "lgpio", Chip().module())
    no_lgpio.setattr("gpiozero.pins.local.LocalPiFactory._get_revision", _no_revision)
    with pytest.raises(DeviceMissing, match="--hardware sim"):
        lgpio_factory()


def _no_revision(self: object) -> int:
    raise OSError("no revision code here")


def test_the_working_directory_stays_where_it_was(
    no_lgpio: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """lgpio moves the process to its own directory; relative paths of the hub must still work."""
    here = os.getcwd()

    class Importing:
        """Runs lgpio's side effect at the moment it is imported."""

        @staticmethod
        def find_spec(name: str, *rest: object) -> None:
            if name == "lgpio":
                os.chdir(tmp_path)

    no_lgpio.delitem(sys.modules, "lgpio")
    no_lgpio.setattr(sys, "meta_path", [Importing, *sys.meta_path])
    no_lgpio.setattr("gpiozero.pins.local.LocalPiFactory._get_revision", _no_revision)
    with pytest.raises(DeviceMissing):
        lgpio_factory()

    assert here == os.getcwd()


def test_the_real_factory_is_used_where_there_are_pins(no_lgpio: pytest.MonkeyPatch) -> None:
    """gpiozero opens the chip through lgpio, and an edge of lgpio's becomes one of ours."""
    chip = Chip()
    no_lgpio.setitem(sys.modules, "lgpio", chip.module())
    no_lgpio.setattr("gpiozero.pins.local.LocalPiFactory._get_revision", lambda self: 0x902120)
    heard: list[Edge] = []
    buttons = GpioButtons(SETTINGS, now, lgpio_factory())
    buttons.listen(heard.append)
    pin = SETTINGS.pins["whistle"]
    for level in (0, 1):
        chip.callbacks[pin](7, pin, level, 1_000_000_000)
    buttons.close()

    assert ([0], [7]) == (chip.opened, chip.closed)
    assert [("whistle", True), ("whistle", False)] == [(e.button, e.down) for e in heard]
