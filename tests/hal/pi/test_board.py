"""The board `pi` as a whole: the model, what depends on it, and clean failure."""

import logging
import sys
from collections.abc import Callable
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any

import msgspec
import pytest
from gpiozero.pins.mock import MockFactory

from hal import boards
from hal.boards import builder
from hal.device_errors import DeviceError, DeviceLost, WiringError
from hal.hardware_settings import HardwareSettings, SoundSettings
from hal.health import Health
from hal.pi import pi_drivers
from hal.pi.model import has_pio, method, model, serial_port
from hal.ports import Board, Trouble
from hal.sound.no_sound import NoSound
from hal.sound.serial_sound import SerialSound
from tests import strips
from tests.dfplayer import PtyPlayer
from tests.speakers import PipeCard, flat_cue
from tests.troubles import Reports

pytestmark = pytest.mark.real_time("threads that read and write devices")

ZERO_2 = "Raspberry Pi Zero 2 W Rev 1.0"
PI_4 = "Raspberry Pi 4 Model B Rev 1.5"
PI_5 = "Raspberry Pi 5 Model B Rev 1.0"


def machine(root: Path, name: str) -> Path:
    """Make up a machine with this model name."""
    folder = root / "proc/device-tree"
    folder.mkdir(parents=True)
    (folder / "model").write_bytes(name.encode() + b"\0")
    return root


# Boards


@pytest.mark.parametrize("name", [ZERO_2, PI_4, PI_5])
def test_a_pi_is_known_by_its_name(name: str, tmp_path: Path) -> None:
    """The kernel ends it with a zero byte."""
    assert name == model(machine(tmp_path, name))


def test_another_machine_has_no_name(tmp_path: Path) -> None:
    """Neither a desktop nor another maker's board is a Pi."""
    assert "" == model(tmp_path)
    assert "" == model(machine(tmp_path, "Orange Pi Zero"))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (ZERO_2, "spi"),
        ("Raspberry Pi 3 Model B Plus Rev 1.3", "spi"),
        (PI_4, "spi"),
        ("Raspberry Pi Compute Module 4 Rev 1.0", "spi"),
        (PI_5, "pio"),
        ("Raspberry Pi 500 Rev 1.0", "pio"),
        ("Raspberry Pi Compute Module 5 Rev 1.0", "pio"),
    ],
)
def test_the_lights_driver_is_chosen_by_board(
    name: str, expected: str, caplog: pytest.LogCaptureFixture
) -> None:
    """And the choice is in the log."""
    caplog.set_level(logging.INFO)

    assert expected == method("auto", name)
    assert f"method={expected} board={name!r}" in caplog.text


def test_a_driver_for_every_board_can_be_asked_for() -> None:
    """Plain SPI works everywhere."""
    assert ["spi", "spi"] == [method("spi", name) for name in (ZERO_2, PI_5)]
    assert "ws281x" == method("ws281x", ZERO_2)


@pytest.mark.parametrize(("asked", "name"), [("pio", PI_4), ("ws281x", PI_5)])
def test_a_driver_that_does_not_fit_the_board_is_refused(asked: Any, name: str) -> None:
    """The sentence says which would."""
    with pytest.raises(WiringError, match=name):
        method(asked, name)


def test_a_desktop_cannot_drive_lights() -> None:
    """Never a silent fallback to the simulator."""
    with pytest.raises(WiringError, match="--hardware sim"):
        method("auto", "")


def test_the_uart_is_the_headers() -> None:
    """On a Pi 5 serial0 may be the debug connector."""
    assert "/dev/serial0" == serial_port("auto", PI_4)
    assert "/dev/ttyAMA0" == serial_port("auto", PI_5)
    assert "/dev/ttyUSB0" == serial_port("/dev/ttyUSB0", PI_5)
    assert not has_pio(ZERO_2)


# The whole hub


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    strips.spi_wire(monkeypatch, "GRB")
    return machine(tmp_path, ZERO_2)


def with_sound(**sound: object) -> HardwareSettings:
    return HardwareSettings(sound=msgspec.convert(sound, SoundSettings))


Built = Callable[[HardwareSettings, Path, Callable[[], Any]], Board]


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> Built:
    """Build the board `pi` on a machine with made-up files and pins."""
    from hal.sound import sound_drivers as sounds

    at_first = {
        (module, name): getattr(module, name)
        for module, name in (
            (pi_drivers, "open_lights"),
            (sounds, "open_serial"),
            (sounds, "open_alsa"),
        )
    }
    buttons = pi_drivers.open_buttons

    def build(settings: HardwareSettings, root: Path, factory: Callable[[], Any]) -> Board:
        for (module, name), opener in at_first.items():
            monkeypatch.setattr(module, name, partial(opener, root=root))
        monkeypatch.setattr(
            pi_drivers, "open_buttons", partial(buttons, pin_factory=factory, root=root)
        )
        return builder("pi")(settings, Reports())

    return build


def test_a_hub_is_built_from_its_settings(built: Built, root: Path) -> None:
    """Buttons, lights, a sound module and a clock, with the zones of the config."""
    module = PtyPlayer(root / "port")
    settings = with_sound(port=str(module.path), startup_s=0.0, gap_s=0.0)
    hub = built(settings, root, MockFactory)
    hub.sound.play("whistle")
    module.wait_for(lambda player: player.played == [1])
    hub.close()
    module.close()

    assert 87 == hub.lights.count
    assert settings.lights.zones == hub.zones
    assert hub.clock.now() <= hub.clock.now()
    assert 1_700_000_000 < hub.clock.at()
    assert isinstance(hub.sound, SerialSound)


def test_a_hub_may_have_no_voice(built: Built, root: Path) -> None:
    """`driver = "none"` opens nothing."""
    hub = built(with_sound(driver="none"), root, MockFactory)
    hub.close()

    assert isinstance(hub.sound, NoSound)


def test_a_hub_may_speak_through_a_sound_card(
    built: Built, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cues are asked of `hal.cues`; making the real ones takes longer than a test should."""
    monkeypatch.setattr("hal.cues.samples", flat_cue)
    card = PipeCard(root, monkeypatch)
    hub = built(with_sound(driver="alsa", device="hub"), root, MockFactory)
    hub.sound.play("knock")
    card.wait_for(lambda heard: len(heard) == 1)
    hub.close()
    card.close()


def test_a_hub_that_cannot_be_whole_plays_without_a_part(
    built: Built, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without its sound module it has pins and lights; the module is taken up when it comes."""
    monkeypatch.setattr("hal.late_devices.pauses", lambda: repeat(0.01))
    settings = with_sound(port=str(root / "port"), startup_s=0.0, gap_s=0.0)
    hub = built(settings, root, MockFactory)
    module = PtyPlayer(root / "port")
    module.wait_for(lambda player: player.volume is not None)
    hub.sound.play("whistle")
    module.wait_for(lambda player: player.played == [1])
    hub.close()
    module.close()


def test_a_hub_that_is_wired_wrongly_is_closed_again(
    built: Built, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pins and lights are released, and a second attempt works."""

    def miswired(*_: object) -> None:
        raise WiringError("two parts share a pin", "move one")

    factory = MockFactory()
    monkeypatch.setattr(boards, "miswired", miswired, raising=False)
    monkeypatch.setitem(boards.DRIVERS["sound"], "serial", "hal.boards:miswired")
    with pytest.raises(WiringError, match="share a pin"):
        built(HardwareSettings(), root, lambda: factory)
    built(with_sound(driver="none"), root, lambda: factory).close()


def test_a_hub_that_cannot_be_built_is_not_begun(built: Built, root: Path) -> None:
    """Settings are checked before anything is opened."""
    settings = msgspec.convert({"buttons": {"pins": {"train": 14}}}, HardwareSettings)
    with pytest.raises(WiringError):
        built(settings, root, _never)


def _never() -> Any:
    raise AssertionError("opened all the same")


def test_a_desktop_is_told_so(built: Built, tmp_path: Path) -> None:
    """`--hardware pi` on a laptop is a sentence, not a traceback."""
    with pytest.raises(DeviceError, match="--hardware sim"):
        built(HardwareSettings(), tmp_path, _never)


def test_building_for_no_sound_imports_no_sound_library(
    built: Built, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A library that the settings do not ask for may be missing."""
    for name in ("hal.sound.serial_sound", "hal.sound.alsa_sound"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    built(with_sound(driver="none"), root, MockFactory).close()

    assert [] == [
        name for name in ("hal.sound.serial_sound", "hal.sound.alsa_sound") if name in sys.modules
    ]


# Trouble


def test_the_same_trouble_is_told_once() -> None:
    """Its end is reported once too; a new message is reported again."""
    told: list[Trouble] = []
    health = Health("sound", told.append)
    no_card, no_track = DeviceLost("no card", "put one in"), DeviceLost("no track", "copy it")
    for trouble in (None, no_card, no_card, no_track, None, None):
        health.report(trouble)

    assert [
        Trouble("sound", "No card; put one in."),
        Trouble("sound", "No track; copy it."),
        Trouble("sound", ""),
    ] == told


def test_a_service_that_cannot_listen_harms_no_device(caplog: pytest.LogCaptureFixture) -> None:
    """An exception in the report's receiver is contained."""

    def deaf(trouble: Trouble) -> None:
        raise RuntimeError("not now")

    Health("lights", deaf).report(DeviceLost("dark", "wait"))

    assert "could not be passed on" in caplog.text
