"""The page and the drawing that builders work from."""

import runpy
import sys
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from hal.hardware_settings import (
    ButtonSettings,
    DockSettings,
    HardwareSettings,
    LightSettings,
    SoundSettings,
    default_pins,
)
from hal.pi import wiring
from hal.ports import BUTTONS

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize("name", ["wiring.md", "wiring.svg"])
def test_the_committed_files_are_those_of_the_standard_hub(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A changed pin map changes the page: run `python -m hal.pi.wiring docs/`."""
    monkeypatch.setattr(sys, "argv", ["wiring", str(tmp_path)])
    monkeypatch.delitem(sys.modules, "hal.pi.wiring")
    runpy.run_module("hal.pi.wiring", run_name="__main__")

    assert (tmp_path / name).read_text("utf-8") == (DOCS / name).read_text("utf-8")


def test_the_header_has_every_pin_once() -> None:
    """Forty pins, GPIO0 to GPIO27 among them, and the grounds where they are."""
    gpios = sorted(what for what in wiring.HEADER if isinstance(what, int))

    assert 40 == len(wiring.HEADER)
    assert list(range(28)) == gpios
    assert [6, 9, 14, 20, 25, 30, 34, 39] == [
        place for place, what in enumerate(wiring.HEADER, 1) if what == "GND"
    ]


@pytest.mark.parametrize(
    ("gpio", "pin"), [(2, 3), (14, 8), (10, 19), (7, 26), (21, 40), (26, 37), (4, 7)]
)
def test_a_gpio_is_where_the_header_has_it(gpio: int, pin: int) -> None:
    """Known places of the Raspberry Pi's header."""
    assert pin == wiring.physical(gpio)


def test_every_button_is_in_the_drawing() -> None:
    """The drawing is well-formed, and names each button with its pin."""
    root = ElementTree.fromstring(wiring.drawing(HardwareSettings()))
    words = {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}

    assert {f"{button} · GPIO{pin}" for button, pin in default_pins().items()} <= words


def test_a_hub_with_a_sound_card_and_fewer_parts_is_described_as_such() -> None:
    """The page follows the settings: amplifier pins, white pixels, missing seats."""
    standard = HardwareSettings()
    zones = tuple(z for z in standard.lights.zones if not z.name.startswith("seat-"))
    hub = msgspec.structs.replace(
        standard,
        lights=LightSettings(zones=zones, order="GRBW", max_milliamps=1000),
        sound=SoundSettings(driver="alsa"),
    )
    page = wiring.page(hub)

    assert "SK6812 RGBW" in page
    assert "no seats" in page
    assert "MAX98357A class" in page
    assert "DFPlayer" not in page
    assert "5 V supply, 3 A" in page
    assert "amplifier: BCLK · GPIO18" in wiring.drawing(hub)


def test_the_supply_has_a_fifth_to_spare() -> None:
    """Pixels, Pi and sound at their worst, and 20 % more."""
    hub = HardwareSettings(lights=LightSettings(max_milliamps=2500))

    assert 5.0 == wiring.supply_amperes(hub)


def test_docks_are_on_the_page_where_a_hub_has_them() -> None:
    """On a port expander, whose wires are I²C, or on pins of their own."""
    standard = wiring.page(HardwareSettings())
    expander = HardwareSettings(docks=DockSettings(driver="gpio"))
    pins = {"seat-1": 5, **{name: default_pins()[name] for name in BUTTONS[10:]}}
    header = HardwareSettings(
        buttons=ButtonSettings(pins=pins),
        docks=DockSettings(driver="gpio", chip="header", lines={"dock-1": 6}),
    )
    header.check()

    assert "dock-1" not in standard
    assert "| 1 | MCP23017 port expander | for the docks |" in wiring.page(expander)
    assert {2: "I²C: SDA", 3: "I²C: SCL"}.items() <= wiring.jobs(expander).items()
    assert "| dock-1 | 6 | 31 | a switch to ground, closed by the marker |" in wiring.page(header)
