"""Boards by name: built in and from other packages."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hal.boards import BOARDS, DRIVERS, Preset, builder, drivers, opener
from hal.device_errors import DeviceMissing, WiringError
from hal.hardware_settings import HardwareSettings, LightSettings, SoundSettings
from hal.health import ignore_trouble
from hal.ports import Board
from hal.system_clock import SystemClock


def other_package(folder: Path, target: str, group: str = "centerpiece.boards") -> None:
    """An installed package that brings something called `tin`."""
    info = folder / "tin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{group}]\ntin = {target}\n")
    (folder / "tin.py").write_text(
        "from sim.board import build\nfrom sim.sim_drivers import open_sound\n"
    )


@pytest.mark.parametrize("name", BOARDS)
def test_every_board_has_a_builder(name: str) -> None:
    assert callable(builder(name))


def test_a_board_is_built_from_settings_and_a_report() -> None:
    """The chain is as long as the settings say."""
    board = builder("sim")(HardwareSettings(), ignore_trouble)
    board.close()

    assert HardwareSettings().lights.pixels == board.lights.count


def test_any_port_may_have_another_driver_than_the_boards() -> None:
    """A board only gives defaults."""
    settings = HardwareSettings(
        lights=LightSettings(driver="none"), sound=SoundSettings(driver="none")
    )
    board = builder("sim")(settings, ignore_trouble)
    board.close()

    assert Preset("sim", "none", "none", "sim") == drivers("sim", settings)
    assert ("SimButtons", "NoLights", "NoSound") == tuple(
        type(part).__name__ for part in (board.buttons, board.lights, board.sound)
    )


@pytest.mark.parametrize("port", DRIVERS)
def test_every_driver_leads_somewhere(port: Any) -> None:
    """And an unknown one is a sentence that lists them."""
    assert all(callable(opener(port, name)) for name in DRIVERS[port])
    with pytest.raises(WiringError, match=f"no driver of the {port} is called 'tin'"):
        opener(port, "tin")


def test_another_package_may_bring_a_driver(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the entry point group of its port."""
    other_package(tmp_path, "tin:open_sound", "centerpiece.sound")
    monkeypatch.syspath_prepend(tmp_path)
    settings = HardwareSettings(sound=SoundSettings(driver="tin"))
    board = builder("sim")(settings, ignore_trouble)
    board.close()

    assert "SimSound" == type(board.sound).__name__


def test_another_package_may_bring_a_board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By an entry point; its module is loaded when it is asked for."""
    other_package(tmp_path, "tin:build")
    monkeypatch.syspath_prepend(tmp_path)

    board = builder("tin")(HardwareSettings(), ignore_trouble)
    board.close()

    assert "tin" in sys.modules


def test_an_unknown_board_is_a_sentence_that_lists_the_known_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Including those of other packages; there is never a fallback."""
    other_package(tmp_path, "tin:build")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(WiringError) as caught:
        builder("pie")

    assert ("no board is called 'pie'", "use --hardware sim, pi, usb or tin") == (
        caught.value.problem,
        caught.value.remedy,
    )


def test_a_board_that_cannot_be_loaded_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its library may be missing."""
    other_package(tmp_path, "no_such_module:build")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(DeviceMissing, match="no_such_module"):
        builder("tin")


def test_to_name_the_boards_loads_none_of_them() -> None:
    """The command line lists them before anything is asked for."""
    asked = "import sys, hal.boards; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, check=True
    ).stdout.split()

    assert [] == [
        name
        for name in loaded
        if name.startswith(("sim", "hal.pi", "msgspec", "importlib.metadata"))
    ]


def test_a_device_that_cannot_be_closed_keeps_no_other_open(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A failing chip must not keep the lights on or make the shutdown fail."""
    closed: list[str] = []

    class Device:
        def __init__(self, name: str) -> None:
            self.name = name

        def close(self) -> None:
            closed.append(self.name)
            if self.name == "buttons":
                raise OSError("bad handle")

    devices: list[Any] = [Device("buttons"), Device("lights"), Device("sound")]
    Board(*devices, clock=SystemClock(), zones=()).close()

    assert ["buttons", "lights", "sound"] == closed
    assert "could not be closed" in caplog.text
