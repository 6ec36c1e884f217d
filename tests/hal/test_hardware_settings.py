"""Valid hardware settings, and the messages for all others."""

import tomllib

import msgspec
import pytest

from hal.device_errors import DeviceError, WiringError
from hal.hardware_settings import (
    RESERVED,
    USABLE,
    ButtonSettings,
    HardwareSettings,
    LightSettings,
    SoundSettings,
    default_pins,
)
from hal.ports import BUTTONS, TRACKS


def read(toml: str) -> HardwareSettings:
    """As the config is read: from TOML, by msgspec."""
    return msgspec.convert(tomllib.loads(toml), HardwareSettings)


def test_the_standard_hub_can_be_built() -> None:
    """The defaults pass their own check."""
    HardwareSettings().check()


def test_fourteen_buttons_fit_beside_every_bus() -> None:
    """No default pin is one that UART, SPI, I²C, I²S or a HAT needs."""
    pins = default_pins()

    assert set(BUTTONS) == set(pins)
    assert sorted(USABLE) == sorted(pins.values())
    assert set() == set(pins.values()) & set(RESERVED)


def test_tracks_are_numbered_as_they_are_exported() -> None:
    """The card's files and the track table cannot disagree, whatever is done to one hub's."""
    SoundSettings().tracks["whistle"] = 99

    assert TRACKS == SoundSettings().tracks


def test_a_config_file_says_all_of_it() -> None:
    """Every kind of setting can be written in TOML."""
    settings = read(
        """
        [buttons]
        pull = "up"
        [buttons.pins]
        seat-1 = 5
        train = 6
        whistle = 12
        advance = 13
        undo = 16
        [lights]
        order = "GRBW"
        zones = [
            { name = "face", start = 0, count = 30 },
            { name = "train", start = 30, count = 3 },
            { name = "ring", start = 40, count = 12 },
        ]
        [sound]
        driver = "none"
        """
    )
    settings.check()

    assert 52 == settings.lights.pixels
    assert 4 == settings.lights.channels
    assert 5 == settings.buttons.pins["seat-1"]


def test_a_misspelt_setting_is_not_overlooked() -> None:
    """`brightnes = 0.5` would otherwise do nothing, in silence."""
    with pytest.raises(msgspec.ValidationError, match="brightnes"):
        read("[lights]\nbrightnes = 0.5")


def pins(**changes: int) -> ButtonSettings:
    return ButtonSettings(
        pins=default_pins() | {name.replace("_", "-"): pin for name, pin in changes.items()}
    )


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        pytest.param(pins(seat_2=5), ["'seat-1'", "'seat-2'", "GPIO5"], id="two-on-one-pin"),
        pytest.param(pins(undo=14), ["'undo'", "GPIO14", "the UART"], id="uart"),
        pytest.param(pins(undo=9), ["'undo'", "GPIO9", "SPI"], id="spi"),
        pytest.param(pins(undo=2), ["'undo'", "GPIO2", "I²C"], id="i2c"),
        pytest.param(pins(undo=19), ["'undo'", "GPIO19", "I²S"], id="i2s"),
        pytest.param(pins(undo=0), ["'undo'", "GPIO0", "HAT"], id="hat"),
        pytest.param(pins(undo=28), ["'undo'", "GPIO28", "GPIO0 to GPIO27"], id="no-such-pin"),
        pytest.param(pins(seat_11=4), ["'seat-11'"], id="no-such-button"),
        pytest.param(ButtonSettings(pins={"train": 4}), ["'whistle'", "needs"], id="missing"),
        pytest.param(ButtonSettings(active_low=False), ["pull", "active_low"], id="contradiction"),
    ],
)
def test_buttons_that_cannot_work_are_named(settings: ButtonSettings, words: list[str]) -> None:
    """The sentence names what is wrong, both parties where there are two, and ends in a remedy."""
    with pytest.raises(WiringError) as caught:
        HardwareSettings(buttons=settings).check()

    message = str(caught.value)
    assert [word for word in words if word not in message] == []
    assert ";" in message


def chain(*zones: tuple[str, int, int], **others: object) -> LightSettings:
    runs = [dict(zip(("name", "start", "count"), zone, strict=True)) for zone in zones]
    return msgspec.convert({"zones": runs, **others}, LightSettings)


FACE, TRAIN, RING = ("face", 0, 30), ("train", 30, 3), ("ring", 33, 8)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (chain(FACE, ("train", 29, 3), RING), ["'face'", "'train'", "overlap", "29"]),
        (chain(("face", 0, 15), TRAIN, RING), ["'face'", "15", "30", "3 × 5"]),
        (chain(FACE, ("train", 30, 2), RING), ["'train'", "at least 3"]),
        (chain(FACE, TRAIN, RING, ("train", 50, 3)), ["'train'", "twice"]),
        (chain(FACE, TRAIN, ("halo", 33, 8)), ["'halo'"]),
        (chain(FACE, TRAIN), ["'ring'"]),
        (chain(), ["'face'"]),
        (chain(FACE, TRAIN, ("ring", 33, 2000)), ["2033 pixels", "1000"]),
        (chain(FACE, TRAIN, RING, count=40), ["count is 40", "'ring'", "41"]),
        (chain(FACE, TRAIN, RING, pin=18), ["GPIO10", "GPIO18"]),
        (chain(FACE, TRAIN, RING, pin=18, method="spi"), ["GPIO10", "GPIO18"]),
        (chain(FACE, TRAIN, RING, pin=6, method="ws281x"), ["GPIO6", "10"]),
        (chain(FACE, TRAIN, RING, gamma=0.2), ["gamma", "0.2"]),
        (chain(FACE, TRAIN, RING, brightness=1.5), ["brightness", "1.5"]),
        (chain(FACE, TRAIN, RING, fps=100), ["fps", "60"]),
        (chain(FACE, TRAIN, RING, milliamps_per_channel=0), ["milliamps_per_channel"]),
        (chain(FACE, TRAIN, RING, max_milliamps=20), ["20", "41 pixels", "supply"]),
    ],
)
def test_lights_that_cannot_work_are_named(settings: LightSettings, words: list[str]) -> None:
    """Zones, counts, pins and power are judged before anything is opened."""
    with pytest.raises(WiringError) as caught:
        HardwareSettings(lights=settings).check()

    assert [word for word in words if word not in str(caught.value)] == []


def test_a_chain_may_be_longer_than_its_zones() -> None:
    """Spare pixels at the end stay dark."""
    settings = chain(FACE, TRAIN, RING, count=50)
    settings.check()

    assert 50 == settings.pixels


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (SoundSettings(volume=2), ["volume", "2"]),
        (SoundSettings(answer_s=0), ["answer_s"]),
        (SoundSettings(retries=-1), ["retries"]),
        (SoundSettings(tracks=TRACKS | {"wistle": 3}), ["'wistle'"]),
        (SoundSettings(tracks={"whistle": 1}), ["'rooster'", "None", "2999"]),
        (SoundSettings(tracks=TRACKS | {"knock": 0}), ["'knock'", "0"]),
    ],
)
def test_sounds_that_cannot_work_are_named(settings: SoundSettings, words: list[str]) -> None:
    """Volume, patience and the track table are judged before anything is opened."""
    with pytest.raises(WiringError) as caught:
        HardwareSettings(sound=settings).check()

    assert [word for word in words if word not in str(caught.value)] == []


@pytest.mark.parametrize(
    ("pin", "kind", "other"),
    [
        (12, "serial", "the button 'seat-3'"),
        (18, "alsa", "the I²S sound card"),
    ],
)
def test_lights_on_somebody_elses_pin_name_both(pin: int, kind: str, other: str) -> None:
    """Two devices on one pin: the builder learns which two."""
    settings = msgspec.convert(
        {"lights": {"pin": pin, "method": "ws281x"}, "sound": {"driver": kind}}, HardwareSettings
    )
    with pytest.raises(WiringError) as caught:
        settings.check()

    assert f"the lights and {other} are both on GPIO{pin}" in str(caught.value)


@pytest.mark.parametrize(("pin", "other"), [(14, "UART"), (2, "I²C"), (1, "HAT")])
def test_lights_on_a_bus_name_both(pin: int, other: str) -> None:
    """A Pi 5 can drive pixels on any pin, but not on one that is spoken for."""
    settings = HardwareSettings(lights=LightSettings(pin=pin, method="pio"))
    with pytest.raises(WiringError, match=other):
        settings.check()


def test_a_wiring_error_ends_the_program_like_any_other_device() -> None:
    """The command line catches one family of errors."""
    assert issubclass(WiringError, DeviceError)
