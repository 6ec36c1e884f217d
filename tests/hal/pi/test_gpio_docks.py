"""Docks on GPIO chips: the right chip, the right lines, and what is wrong with them."""

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from hal.device_errors import DeviceBusy, DeviceDenied, DeviceError, DeviceMissing, WiringError
from hal.hardware_settings import (
    ButtonSettings,
    DockSettings,
    HardwareSettings,
    LightSettings,
    default_pins,
)
from hal.pi.gpio_docks import request_lines

CHIPS = {"gpiochip0": "pinctrl-bcm2711", "gpiochip3": "mcp23017"}


class Gpiod(ModuleType):
    """The door of gpiod with two chips; lines at ground are `low`."""

    def __init__(self, root: Path) -> None:
        super().__init__("gpiod")
        self.labels = {str(root / "dev" / name): label for name, label in CHIPS.items()}
        self.errors: dict[str, OSError] = {}
        self.requested: dict[str, Any] = {}
        self.low: set[int] = set()
        self.released = 0
        self.line = SimpleNamespace(
            Direction=SimpleNamespace(INPUT="input"),
            Bias=SimpleNamespace(PULL_UP="up", AS_IS="as it is"),
            Value=SimpleNamespace(ACTIVE=1, INACTIVE=0),
        )
        self.LineSettings = dict

    def Chip(self, path: str) -> Any:
        if "open" in self.errors:
            raise self.errors["open"]
        return _Chip(self.labels[path])

    def request_lines(self, path: str, consumer: str, config: dict[Any, Any]) -> Any:
        if "request" in self.errors:
            raise self.errors["request"]
        self.requested = {"path": path, "config": config}
        return self

    def get_values(self, lines: tuple[int, ...]) -> list[int]:
        return [int(line in self.low) for line in lines]

    def release(self) -> None:
        self.released += 1


class _Chip(SimpleNamespace):
    def __init__(self, label: str) -> None:
        super().__init__(label=label)

    def __enter__(self) -> "_Chip":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def get_info(self) -> "_Chip":
        return self


@pytest.fixture
def gpiod(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gpiod:
    (tmp_path / "dev").mkdir()
    for name in CHIPS:
        (tmp_path / "dev" / name).touch()
    fake = Gpiod(tmp_path)
    monkeypatch.setitem(sys.modules, "gpiod", fake)
    return fake


@pytest.mark.parametrize("chip", ["mcp23017", "gpiochip3", "/dev/gpiochip3"])
def test_a_chip_is_found_by_its_label_its_name_or_its_path(
    gpiod: Gpiod, tmp_path: Path, chip: str
) -> None:
    """The label holds when the kernel numbers its chips anew."""
    gpiod.low = {0, 9}
    lines = request_lines(DockSettings(chip=chip), tmp_path)
    closed = [line for line, is_closed in lines.closed().items() if is_closed]
    lines.close()

    assert [0, 9] == closed
    assert str(tmp_path / "dev/gpiochip3") == gpiod.requested["path"]
    assert {
        tuple(range(10)): {"direction": "input", "bias": "up", "active_low": True}
    } == gpiod.requested["config"]
    assert 1 == gpiod.released


def test_the_header_is_the_chip_of_the_pi(gpiod: Gpiod, tmp_path: Path) -> None:
    """Its own resistors may be left alone."""
    settings = DockSettings(chip="header", lines={"dock-2": 5}, pull="none")
    request_lines(settings, tmp_path)

    assert str(tmp_path / "dev/gpiochip0") == gpiod.requested["path"]
    assert {
        (5,): {"direction": "input", "bias": "as it is", "active_low": True}
    } == gpiod.requested["config"]


@pytest.mark.parametrize(
    ("place", "error", "expected", "words"),
    [
        ("open", PermissionError(13, "Permission denied"), DeviceDenied, "usermod"),
        ("request", PermissionError(1, "Not permitted"), DeviceDenied, "usermod"),
        ("request", OSError(16, "Device or resource busy"), DeviceBusy, "in use by something"),
        ("request", OSError(22, "Invalid argument"), DeviceMissing, "gpioinfo"),
    ],
)
def test_what_is_wrong_with_a_chip_is_a_sentence(
    gpiod: Gpiod,
    tmp_path: Path,
    place: str,
    error: OSError,
    expected: type[DeviceError],
    words: str,
) -> None:
    gpiod.errors[place] = error
    with pytest.raises(expected, match=words):
        request_lines(DockSettings(), tmp_path)


def test_a_chip_that_is_not_there_names_those_that_are(gpiod: Gpiod, tmp_path: Path) -> None:
    with pytest.raises(DeviceMissing, match="there are: 'pinctrl-bcm2711', 'mcp23017'"):
        request_lines(DockSettings(chip="pcf8575"), tmp_path)


def test_without_the_library_the_remedy_is_to_install_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "gpiod", None)
    with pytest.raises(DeviceMissing, match=r"centerpiece\[pi\]"):
        request_lines(DockSettings(), tmp_path)


def docks(chip: str = "mcp23017", **lines: int) -> HardwareSettings:
    named = {name.replace("_", "-"): line for name, line in lines.items()}
    return HardwareSettings(docks=DockSettings(driver="gpio", chip=chip, lines=named))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (docks(), "names no dock"),
        (docks(dock_11=1), "names 'dock-11', which no hub has"),
        (docks(dock_1=3, dock_2=3), "'dock-1' and 'dock-2' are both on line 3"),
        (docks(dock_1=-1), "line -1"),
        (docks("header", dock_1=2), "kept for I²C"),
        (docks("header", dock_1=40), "GPIO0 to GPIO27"),
        (docks("header", dock_1=25), "'dock-1' and the button 'train' are both on GPIO25"),
        (docks("header", dock_1=10), "kept for SPI"),
    ],
)
def test_docks_that_cannot_be_wired_end_the_start(settings: HardwareSettings, words: str) -> None:
    with pytest.raises(WiringError, match=words):
        settings.check()


def test_docks_may_take_the_pins_of_buttons_that_are_elsewhere() -> None:
    """A number pad leaves all of them; a small hub some."""
    pins = {button: pin for button, pin in default_pins().items() if button != "seat-10"}
    lines = {"dock-1": default_pins()["seat-10"]}
    chosen = DockSettings(driver="gpio", chip="header", lines=lines)

    HardwareSettings(buttons=ButtonSettings(pins=pins), docks=chosen).check()
    HardwareSettings(
        buttons=ButtonSettings(driver="keys"), lights=LightSettings(driver="none"), docks=chosen
    ).check()


def test_settings_of_another_driver_are_warned_about() -> None:
    settings = HardwareSettings(docks=DockSettings(driver="usb", chip="header"))

    assert ["[hardware.docks] chip is for the driver"] == [
        str(warning)[:39] for warning in settings.unused() if "docks" in str(warning)
    ]
