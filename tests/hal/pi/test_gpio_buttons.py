"""The gpiozero adapter beyond the port's contract: claims, failures, threads."""

import os
import sys
import threading
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from gpiozero import DigitalInputDevice
from gpiozero.pins.mock import MockFactory

from hal.device_errors import DeviceBusy, DeviceDenied, DeviceError, DeviceMissing
from hal.hardware_settings import ButtonSettings
from hal.pi.gpio_buttons import PROBE_S, GpioButtons, lgpio_factory
from hal.ports import Edge
from tests.patience import TIMEOUT_S
from tests.troubles import Reports

pytestmark = pytest.mark.real_time("threads that read and write devices")

SETTINGS = ButtonSettings()


def now() -> float:
    return 1.5


@pytest.mark.parametrize(
    ("stamp", "at"), [(99.75, 99.75), (100.0, 100.0), (101.0, 100.0), (1.7e9, 100.0), (2.0, 100.0)]
)
def test_edges_have_the_kernels_stamps(stamp: float, at: float) -> None:
    """Also if Python processes them late; implausible stamps are not used."""
    factory = MockFactory()
    heard: list[Edge] = []
    buttons = GpioButtons(SETTINGS, lambda: 100.0, lambda: factory)
    buttons.listen(heard.append)
    factory.pin(SETTINGS.pins["train"]).when_changed(stamp, 0)
    buttons.close()

    assert [Edge("train", True, at)] == heard


def test_one_thread_looks_after_all_buttons() -> None:
    """gpiozero's Button would start one for each hold timer."""
    before = set(threading.enumerate())
    buttons = GpioButtons(SETTINGS, now, MockFactory)
    buttons.listen(print)
    started = set(threading.enumerate()) - before
    buttons.close()

    assert 1 == len(started)


def test_a_stuck_button_can_be_seen() -> None:
    """The doctor asks which buttons are down."""
    factory = MockFactory()
    buttons = GpioButtons(SETTINGS, now, lambda: factory)
    assert not buttons.is_down("undo")
    factory.pin(SETTINGS.pins["undo"]).drive_low()
    assert buttons.is_down("undo")
    buttons.close()

    assert not buttons.is_down("undo")


def test_a_listener_may_close_the_buttons() -> None:
    """Closing from within an edge does not lock up."""
    factory = MockFactory()
    heard: list[Edge] = []
    buttons = GpioButtons(SETTINGS, now, lambda: factory)

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
    buttons = GpioButtons(SETTINGS, now, MockFactory)
    buttons.listen(heard.append)
    late = buttons._inputs["undo"].pin.when_changed
    buttons.close()
    late(0.0, 0)

    assert [] == heard


def test_a_pin_in_use_names_pin_and_button_and_frees_the_rest() -> None:
    """Another program has GPIO7; the pins claimed before it are given back."""
    factory = MockFactory()
    other = DigitalInputDevice(7, pull_up=True, pin_factory=factory)
    with pytest.raises(DeviceBusy, match="GPIO7 for the button 'seat-10' is in use") as caught:
        GpioButtons(SETTINGS, now, lambda: factory)
    other.close()
    GpioButtons(SETTINGS, now, lambda: factory).close()

    assert "dtoverlay=spi0-0cs" in str(caught.value)


class Refusing:
    """A pin factory that fails in one of the real one's ways."""

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
    with pytest.raises(kind, match=word):
        GpioButtons(SETTINGS, now, lambda: Refusing(error))


class Chip:
    """A fake of lgpio's C module: one GPIO chip, and a record of its use."""

    def __init__(self) -> None:
        self.opened: list[int] = []
        self.closed: list[int] = []
        self.gone = False
        self.callbacks: dict[int, Any] = {}
        self.labels: dict[int, str] = {}

    def module(self) -> Any:
        c: Any = ModuleType("lgpio")
        c.SET_PULL_NONE, c.SET_PULL_UP, c.SET_PULL_DOWN = 0, 32, 64
        c.RISING_EDGE, c.FALLING_EDGE, c.BOTH_EDGES = 1, 2, 3
        c.gpiochip_open = lambda chip: self._answer(7) and (self.opened.append(chip) or 7)
        c.gpiochip_close = self.closed.append
        c.gpio_get_chip_info = lambda handle: (0, 54, "", self.labels[self.opened[-1]])
        c.gpio_read = lambda handle, gpio: self._answer(1)
        for name in ("claim_input", "claim_output", "claim_alert", "free", "get_mode"):
            setattr(c, f"gpio_{name}", lambda *arguments: self._answer(0))
        c.gpio_set_debounce_micros = lambda handle, gpio, time: 0
        c.callback = self._callback
        return c

    def _answer(self, value: int) -> int:
        if self.gone:
            raise OSError("bad GPIO read")
        return value

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
        """Runs lgpio's side effect when it is imported."""

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
    buttons = GpioButtons(SETTINGS, now, lgpio_factory)
    buttons.listen(heard.append)
    pin = SETTINGS.pins["whistle"]
    for level in (0, 1):
        chip.callbacks[pin](7, pin, level, 1_000_000_000)
    buttons.close()

    assert ([0], [7]) == (chip.opened, chip.closed)
    assert [("whistle", True), ("whistle", False)] == [(e.button, e.down) for e in heard]


def test_a_chip_that_goes_away_is_told_let_go_and_taken_up_again(
    no_lgpio: pytest.MonkeyPatch,
) -> None:
    """It is reported once, retried with growing pauses, and delivers edges again."""
    chip, reports, pauses = Chip(), Reports(), Pauses(9)
    no_lgpio.setitem(sys.modules, "lgpio", chip.module())
    no_lgpio.setattr("gpiozero.pins.local.LocalPiFactory._get_revision", lambda self: 0x902120)
    heard: list[Edge] = []
    buttons = GpioButtons(SETTINGS, now, lgpio_factory, reports, pauses)
    buttons.listen(heard.append)
    chip.gone = True
    pauses.go_on(3)
    assert [7] == chip.closed, "lgpio's thread would spin on it"
    assert 1 == len(reports.all)
    assert "do not answer" in reports.all[0].message
    chip.gone = False
    pauses.go_on(1)
    reports.wait_for(lambda troubles: len(troubles) == 2)
    pin = SETTINGS.pins["whistle"]
    chip.callbacks[pin](7, pin, 0, 1_000_000_000)
    buttons.close()

    assert [PROBE_S, 0.5, 1.0, 2.0] == pauses.asked[:4]
    assert "" == reports.all[-1].message
    assert [("whistle", True)] == [(e.button, e.down) for e in heard]


def test_a_chip_that_comes_back_under_another_number_is_known_by_its_label(
    no_lgpio: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Number 0 may then be a port expander."""
    chip, reports, pauses = Chip(), Reports(), Pauses(9)
    no_lgpio.setitem(sys.modules, "lgpio", chip.module())
    no_lgpio.setattr("gpiozero.pins.local.LocalPiFactory._get_revision", lambda self: 0x902120)
    (tmp_path / "dev").mkdir()
    for name in ("gpiochip0", "gpiochip1", "gpiochip-of-no-number"):
        (tmp_path / "dev" / name).touch()
    chip.labels = {0: "pinctrl-bcm2711", 1: "raspberrypi-exp-gpio"}
    buttons = GpioButtons(SETTINGS, now, lambda: lgpio_factory(tmp_path), reports, pauses)
    buttons.listen(print)
    first = chip.opened[-1]
    chip.gone = True
    pauses.go_on(1)
    (tmp_path / "dev/gpiochip2").touch()
    chip.labels = {0: "mcp23017", 1: "raspberrypi-exp-gpio", 2: "pinctrl-bcm2711"}
    chip.gone = False
    pauses.go_on(1)
    reports.wait_for(lambda troubles: len(troubles) == 2)
    second = chip.opened[-1]
    buttons.close()

    assert (0, 2) == (first, second)


class Pauses:
    """Pauses that the test ends."""

    def __init__(self, most: int) -> None:
        self.asked: list[float] = []
        self._may = threading.Semaphore(0)
        self._waits = threading.Semaphore(0)
        self._most = most

    def __call__(self, seconds: float) -> bool:
        self.asked.append(seconds)
        self._waits.release()
        self._may.acquire(timeout=TIMEOUT_S)
        return len(self.asked) >= self._most

    def go_on(self, times: int) -> None:
        """End a number of pauses and wait until the next one begins."""
        for _ in range(times):
            assert self._waits.acquire(timeout=TIMEOUT_S)
            self._may.release()
        assert self._waits.acquire(timeout=TIMEOUT_S)
        self._waits.release()


def test_a_thread_of_lgpios_that_has_ended_is_started_again(no_lgpio: pytest.MonkeyPatch) -> None:
    """Without it no edge would ever come."""
    chip, reports, pauses = Chip(), Reports(), Pauses(9)
    lgpio = chip.module()
    lgpio._notify_thread = Notifier()
    no_lgpio.setitem(sys.modules, "lgpio", lgpio)
    no_lgpio.setattr("gpiozero.pins.local.LocalPiFactory._get_revision", lambda self: 0x902120)
    buttons = GpioButtons(SETTINGS, now, lgpio_factory, reports, pauses)
    buttons.listen(print)
    lgpio._notify_thread.alive = False
    pauses.go_on(2)
    reports.wait_for(lambda troubles: [t.message != "" for t in troubles] == [True, False])
    buttons.close()

    assert lgpio._notify_thread.alive


class Notifier:
    """lgpio's thread."""

    alive = True

    def is_alive(self) -> bool:
        return self.alive
