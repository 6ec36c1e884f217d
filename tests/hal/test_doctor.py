"""The doctor: every finding has a verdict, and every bad one a remedy."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from hal.doctor import (
    Check,
    Machine,
    asked,
    checks,
    installed,
    tried,
    walk_buttons,
    walk_lights,
    walk_sound,
)
from hal.errors import DeviceDenied, DeviceMissing
from hal.ports import CUES, Edge, Zone
from hal.settings import HardwareSettings, SoundSettings, default_pins, default_tracks

GOOD = {
    "proc/device-tree/model": "Raspberry Pi 4 Model B Rev 1.5\0",
    "dev/gpiochip0": "",
    "dev/spidev0.0": "",
    "dev/serial0": "",
    "boot/firmware/config.txt": (
        "# a comment\ndtparam=spi=on\ndtoverlay=spi0-0cs\nenable_uart=1\n"
        "dtoverlay=disable-bt\ncore_freq=500\ncore_freq_min=500\n"
    ),
    "boot/firmware/cmdline.txt": "console=tty1 root=PARTUUID=1 rootwait\n",
    "sys/devices/platform/soc/soc:firmware/get_throttled": "0\n",
}
LIBRARIES = {
    "gpiozero": "2.0.1.post3",
    "lgpio": "0.2.2.0",
    "gpiod": "2.3.0",
    "adafruit-circuitpython-neopixel": "6.4.2",
    "rpi_ws281x": "5.0.0",
    "pyserial": "3.5",
}
GROUPS = frozenset({"gpio", "spi", "dialout"})
PI_5 = {"proc/device-tree/model": "Raspberry Pi 5 Model B Rev 1.0\0"}
CONFIG = "boot/firmware/config.txt"


def machine(
    root: Path,
    files: dict[str, str] | None = None,
    libraries: dict[str, str] | None = None,
    groups: frozenset[str] = GROUPS,
    user: str = "ann",
) -> Machine:
    """A machine with these files, and no others."""
    for name, text in (GOOD if files is None else files).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    have = LIBRARIES if libraries is None else libraries
    return Machine(root, user, groups, lambda name: have.get(name, ""))


def without(files: dict[str, str], name: str) -> dict[str, str]:
    return {path: text for path, text in files.items() if path != name}


def sound(**settings: object) -> HardwareSettings:
    return HardwareSettings(sound=msgspec.convert(settings, SoundSettings))


def bad(found: Iterator[Check]) -> list[Check]:
    return [check for check in found if check.verdict != "ok"]


def only(found: Iterator[Check]) -> Check:
    """The one bad finding."""
    (check,) = bad(found)
    return check


def test_a_good_hub_has_nothing_wrong(tmp_path: Path) -> None:
    """Every part was looked at, and nothing needs doing."""
    found = list(checks(HardwareSettings(), machine(tmp_path)))

    assert [] == bad(iter(found))
    assert {"settings", "board", "library", "permission", "buttons", "lights"} < {
        check.name for check in found
    }
    assert {"sound module", "power"} < {check.name for check in found}


def test_a_good_pi_5_has_nothing_wrong(tmp_path: Path) -> None:
    """Its lights, UART and libraries are others."""
    files = (GOOD | PI_5 | {"dev/pio0": "", "dev/ttyAMA0": ""}).items()
    libraries = {k: v for k, v in LIBRARIES.items() if k not in ("rpi_ws281x", "lgpio")}
    libraries |= {"Adafruit-Blinka-Raspberry-Pi5-Neopixel": "1.0.0rc2", "adafruit-lgpio": "0.2.2.0"}

    assert [] == bad(checks(HardwareSettings(), machine(tmp_path, dict(files), libraries)))


def test_a_desktop_is_told_so_and_nothing_else(tmp_path: Path) -> None:
    """There is no point in looking for pins."""
    found = list(checks(HardwareSettings(), machine(tmp_path, {})))

    assert ["settings", "board"] == [check.name for check in found]
    assert "--hardware sim" in found[-1].remedy


def test_settings_that_cannot_work_come_first(tmp_path: Path) -> None:
    """Finding and remedy are the error's own."""
    settings = msgspec.convert(
        {"buttons": {"pins": default_pins() | {"undo": 5}}}, HardwareSettings
    )
    check = only(checks(settings, machine(tmp_path)))

    assert "The buttons 'seat-1' and 'undo' are both on GPIO5." == check.sentence
    assert check.remedy.startswith("Give one of them a pin")


@pytest.mark.parametrize("group", sorted(GROUPS))
def test_a_missing_group_is_named(group: str, tmp_path: Path) -> None:
    """With the command that adds it."""
    check = only(checks(HardwareSettings(), machine(tmp_path, groups=GROUPS - {group})))

    assert "permission" == check.name
    assert f"sudo usermod -aG {group} ann" in check.remedy


def test_root_needs_no_groups(tmp_path: Path) -> None:
    """It may do everything anyway."""
    found = checks(HardwareSettings(), machine(tmp_path, groups=frozenset(), user="root"))

    assert [] == bad(found)


@pytest.mark.parametrize("library", sorted(LIBRARIES))
def test_a_missing_library_is_named(library: str, tmp_path: Path) -> None:
    """With the command that installs it."""
    have = {name: version for name, version in LIBRARIES.items() if name != library}
    check = only(checks(HardwareSettings(), machine(tmp_path, libraries=have)))

    assert f"{library} is not installed." == check.sentence
    assert "pip install" in check.remedy


@pytest.mark.parametrize(
    ("libraries", "word"),
    [
        ({"lgpio": "0.0.0.2"}, "placeholder"),
        ({"RPi.GPIO": "0.7.1", "rpi-lgpio": "0.6"}, "hides"),
    ],
)
def test_a_wrong_pin_library_is_named(libraries: dict[str, str], word: str, tmp_path: Path) -> None:
    """An empty lgpio, and two libraries under one name."""
    check = only(checks(HardwareSettings(), machine(tmp_path, libraries=LIBRARIES | libraries)))

    assert word in check.sentence


FILES = [
    (without(GOOD, "dev/gpiochip0"), "/dev/gpiochip0 is not there", "Update"),
    (without(GOOD, "dev/spidev0.0"), "/dev/spidev0.0 is not there", "dtoverlay=spi0-0cs"),
    (without(GOOD, "dev/serial0"), "/dev/serial0 is not there", "enable_uart=1"),
    (GOOD | {CONFIG: GOOD[CONFIG].replace("dtoverlay=spi0-0cs\n", "")}, "seat-10", "spi0-0cs"),
    (GOOD | {CONFIG: GOOD[CONFIG].replace("core_freq_min=500\n", "")}, "flicker", "core_freq_min"),
    (GOOD | {CONFIG: GOOD[CONFIG].replace("dtoverlay=disable-bt", "")}, "Bluetooth", "disable-bt"),
    (GOOD | {CONFIG: GOOD[CONFIG].replace("dtoverlay=dis", "#dtoverlay=dis")}, "Bluetooth", "bt"),
    (
        GOOD | {"boot/firmware/cmdline.txt": "console=serial0,115200 console=tty1"},
        "console=serial0",
        "raspi-config",
    ),
    (
        GOOD | {"sys/devices/platform/soc/soc:firmware/get_throttled": "50005\n"},
        "4.63 V",
        "stronger supply",
    ),
]


@pytest.mark.parametrize(("files", "found", "remedy"), FILES)
def test_a_wrong_system_setting_is_named(
    files: dict[str, str], found: str, remedy: str, tmp_path: Path
) -> None:
    """Overlays, clocks, the console on the UART, the supply: each with what to change."""
    check = only(checks(HardwareSettings(), machine(tmp_path, files)))

    assert found in check.sentence
    assert remedy in check.remedy


def test_a_machine_that_does_not_tell_its_supply_is_not_judged(tmp_path: Path) -> None:
    """No file, no finding."""
    files = without(GOOD, "sys/devices/platform/soc/soc:firmware/get_throttled")
    found = list(checks(HardwareSettings(), machine(tmp_path, files)))

    assert "power" not in {check.name for check in found}


def test_an_older_system_keeps_its_files_elsewhere(tmp_path: Path) -> None:
    """/boot/config.txt before /boot/firmware/config.txt."""
    files = {path.replace("boot/firmware", "boot"): text for path, text in GOOD.items()}

    assert [] == bad(checks(HardwareSettings(), machine(tmp_path, files)))


def test_lights_on_another_pin_need_root(tmp_path: Path) -> None:
    """A warning, for it works that way."""
    settings = msgspec.convert(
        {
            "lights": {"pin": 18, "driver": "ws281x"},
            "sound": {"kind": "none"},
        },
        HardwareSettings,
    )
    check = only(checks(settings, machine(tmp_path)))

    assert ("lights", "warn") == (check.name, check.verdict)
    assert "as root" in check.sentence


def test_a_driver_for_another_board_is_named(tmp_path: Path) -> None:
    """The finding is the error that the start would give."""
    settings = msgspec.convert({"lights": {"driver": "pio"}}, HardwareSettings)
    check = only(checks(settings, machine(tmp_path)))

    assert "does not work on a Raspberry Pi 4" in check.sentence


def test_a_pi_5_without_its_driver_is_named(tmp_path: Path) -> None:
    """The firmware brings /dev/pio0."""
    found = bad(checks(HardwareSettings(), machine(tmp_path, GOOD | PI_5)))

    assert "/dev/pio0 is not there." in {check.sentence for check in found}


CARDS = " 0 [MAX98357A      ]: simple-card - MAX98357A\n"
NO_CARD = "The kernel knows no sound card."
ALSA = GOOD | {"proc/asound/cards": CARDS}
AMPLIFIER = GOOD[CONFIG] + "dtoverlay=max98357a"


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (GOOD, "The kernel knows no sound card."),
        (
            GOOD | {"proc/asound/cards": "--- no soundcards ---\n"},
            "The kernel knows no sound card.",
        ),
        (ALSA | {CONFIG: AMPLIFIER}, "The amplifier's overlay takes GPIO4, the pin of undo."),
    ],
)
def test_a_wrong_sound_card_is_named(files: dict[str, str], found: str, tmp_path: Path) -> None:
    """With the overlay to write."""
    libraries = LIBRARIES | {"pygame-ce": "2.5.8"}
    hub = machine(tmp_path, files, libraries, GROUPS | {"audio"})
    check = only(checks(sound(kind="alsa"), hub))

    assert found == check.sentence
    assert "dtoverlay=max98357a,no-sdmode" in check.remedy


@pytest.mark.parametrize("config", [AMPLIFIER + ",no-sdmode", GOOD[CONFIG]])
def test_a_good_sound_card_has_nothing_wrong(config: str, tmp_path: Path) -> None:
    """Nothing is said of the UART then."""
    libraries = LIBRARIES | {"pygame-ce": "2.5.8"}
    hub = machine(tmp_path, ALSA | {CONFIG: config}, libraries, GROUPS | {"audio"})
    found = list(checks(sound(kind="alsa"), hub))

    assert [] == bad(iter(found))
    assert "sound module" not in {check.name for check in found}


def test_this_machine_can_be_described() -> None:
    """Whoever runs this has a name, and msgspec is installed."""
    here = Machine.here()

    assert here.user
    assert "" != here.version("msgspec")
    assert "" == installed("no-such-library")


# Trying


class Device:
    """Something that can be closed."""

    closed = False

    def close(self) -> None:
        self.closed = True


def test_a_device_that_opens_is_well_and_closed_again() -> None:
    """The doctor leaves nothing behind."""
    device = Device()

    assert Check("lights", "ok", "The lights can be opened.") == tried("lights", lambda: device)
    assert device.closed


def test_a_device_that_does_not_open_fails_with_its_remedy() -> None:
    """The error's words, split into what was found and what to do."""

    def refuse() -> Device:
        raise DeviceDenied("the port may not be opened; join the group dialout")

    expected = Check("port", "fail", "The port may not be opened.", "Join the group dialout.")
    assert expected == tried("port", refuse)


def test_a_module_is_asked_for_a_sign_of_life() -> None:
    """It answers, it has trouble, or its port is not there."""

    def gone() -> str:
        raise DeviceMissing("the port is gone; plug it in")

    assert "ok" == asked(lambda: "").verdict
    assert ("fail", "No card.", "Put one in.") == asked(lambda: "no card; put one in")[1:]
    assert ("fail", "The port is gone.", "Plug it in.") == asked(gone)[1:]


# Walking


class Shown:
    """Lights that keep every frame."""

    count = 40

    def __init__(self) -> None:
        self.frames: list[bytes] = []

    def show(self, frame: bytes) -> None:
        assert 3 * self.count == len(frame)
        self.frames.append(frame)

    def set_brightness(self, brightness: float) -> None: ...

    def close(self) -> None: ...


def test_the_walk_along_the_lights_shows_every_zone() -> None:
    """Three colours, both ends, then each zone with its first pixel red; dark at the end."""
    lights = Shown()
    said = list(walk_lights(lights, (Zone("face", 0, 30), Zone("ring", 35, 5))))

    assert 6 == len(said)
    assert 7 == len(lights.frames)
    assert bytes(105) + b"\x80\0\0" + b"\x80\x80\x80" * 4 == lights.frames[5]
    assert bytes(120) == lights.frames[-1]
    assert ["red", "green", "blue"] == [said[n].split()[3].strip(".") for n in range(3)]
    assert said[5].startswith("ring: 5 pixels")


def test_the_walk_along_the_buttons_names_a_swapped_pair() -> None:
    """The builder presses seat-1, and the hub hears seat-2."""
    walk = walk_buttons({"seat-1": 5, "seat-2": 6})
    prompts = [next(walk)]
    for button, down in [("seat-2", True), ("seat-2", False), ("seat-1", True), ("seat-2", True)]:
        prompts.append(walk.send(Edge(button, down, 0.0)))

    assert "Press seat-1 (GPIO5)." == prompts[0]
    assert "That was seat-2 (GPIO6), not seat-1" in prompts[1]
    assert "seat-1 is right. Press seat-2 (GPIO6)." == prompts[3]
    assert "seat-2 is right. Every button is where it should be." == prompts[4]


def test_the_walk_through_the_sounds_plays_every_cue() -> None:
    """In the order of the tracks on the card."""
    played: list[str] = []

    class Ears:
        play = staticmethod(played.append)

        def set_volume(self, volume: float) -> None: ...

        def close(self) -> None: ...

    said = list(walk_sound(Ears(), default_tracks()))

    assert list(CUES) == played
    assert "whistle (track 1)" in said[0]
