"""The doctor: every finding has a verdict, and every bad one a remedy."""

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from gpiozero.pins.mock import MockFactory

from hal.boards import BOARDS, completed
from hal.device_errors import DeviceBusy, DeviceDenied, WiringError
from hal.diagnosis import (
    Check,
    Machine,
    attempts,
    checks,
    installed,
    try_device,
    words_on_card,
)
from hal.hardware_settings import (
    ButtonSettings,
    DockSettings,
    HardwareSettings,
    LightSettings,
    SoundSettings,
    default_pins,
)
from hal.pi import gpio_docks
from hal.ports import CUES, TRACKS, Edge, Zone
from hal.sound.no_sound import NoSound
from hal.wiring_test import button_steps, light_steps, sound_steps
from tests import strips
from tests.chips import MemoryChip
from tests.dfplayer import Player, PtyPlayer
from tests.machines import GOOD, GROUPS, LIBRARIES, machine
from tests.pads import Inputs
from tests.speakers import PipeCard, flat_cue

PI_5 = {"proc/device-tree/model": "Raspberry Pi 5 Model B Rev 1.0\0"}
CONFIG = "boot/firmware/config.txt"


def without(files: dict[str, str], name: str) -> dict[str, str]:
    return {path: text for path, text in files.items() if path != name}


def sound(**settings: object) -> HardwareSettings:
    return on_a_pi(sound=msgspec.convert(settings, SoundSettings))


def on_a_pi(**parts: object) -> HardwareSettings:
    """Settings whose ports all have the drivers of a Pi, unless they name others."""
    return completed(HardwareSettings(**parts), BOARDS["pi"])


COMPILED = on_a_pi(lights=LightSettings(method="ws281x"))


def bad(found: Iterator[Check]) -> list[Check]:
    return [check for check in found if check.verdict != "ok"]


def judged(settings: HardwareSettings, machine: Machine) -> Iterator[Check]:
    """Return the checks of the files, on a hub whose devices all open."""
    settings = completed(settings, BOARDS["pi"])
    return checks(settings, machine, dict.fromkeys(attempts(settings), lambda: "It opens."))


def only(found: Iterator[Check]) -> Check:
    """The one bad finding."""
    (check,) = bad(found)
    return check


DOCKS = on_a_pi(docks=DockSettings(driver="gpio"))
OVERLAY = {CONFIG: GOOD[CONFIG] + "dtparam=i2c_arm=on\ndtoverlay=mcp23017,addr=0x20,noints\n"}


def test_a_port_expander_needs_its_overlay_library_and_group(tmp_path: Path) -> None:
    """A hub without docks is not asked for them."""
    good = machine(tmp_path / "good", GOOD | OVERLAY)
    bare = machine(tmp_path / "bare", groups=GROUPS - {"gpio"}, libraries={})

    assert [] == bad(judged(DOCKS, good))
    assert "docks" not in {check.name for check in judged(on_a_pi(), good)}
    assert {"docks", "library", "permission"} <= {check.name for check in bad(judged(DOCKS, bare))}


def test_an_overlay_with_interrupts_takes_a_buttons_pin(tmp_path: Path) -> None:
    hub = machine(tmp_path, GOOD | {CONFIG: OVERLAY[CONFIG].replace(",noints", "")})

    assert "GPIO4" in only(judged(DOCKS, hub)).sentence


def test_the_docks_say_which_markers_are_not_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them are read for real."""
    chip = MemoryChip()
    monkeypatch.setattr(gpio_docks, "request_lines", lambda settings, root: chip.open_lines())
    attempt = attempts(DOCKS)["docks"]
    assert "All 10 can be read, and every marker is home." == attempt()
    chip.move(2, False)

    assert "All 10 can be read; not home are the markers of these seats: 3." == attempt()
    assert 0 == chip.requests


def test_a_good_hub_has_nothing_wrong(tmp_path: Path) -> None:
    """Every part was looked at, and nothing needs doing."""
    found = list(judged(on_a_pi(), machine(tmp_path)))

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

    assert [] == bad(judged(on_a_pi(), machine(tmp_path, dict(files), libraries)))


def test_a_desktop_is_told_so_and_nothing_else(tmp_path: Path) -> None:
    """Pins are not checked; each part has a remedy of its own."""
    _, *found = judged(on_a_pi(), machine(tmp_path, {}))

    assert ["buttons", "lights", "sound"] == [check.name for check in found]
    assert all("this machine is not one" in check.sentence for check in found)
    assert all("--hardware sim" in check.remedy for check in found)


def test_settings_that_cannot_work_come_first(tmp_path: Path) -> None:
    """Finding and remedy are the error's own."""
    settings = msgspec.convert(
        {"buttons": {"pins": default_pins() | {"undo": 5}}}, HardwareSettings
    )
    check = only(judged(settings, machine(tmp_path)))

    assert "The buttons 'seat-1' and 'undo' are both on GPIO5." == check.sentence
    assert check.remedy.startswith("Give one of them a pin")


@pytest.mark.parametrize("group", sorted(GROUPS))
def test_a_missing_group_is_named(group: str, tmp_path: Path) -> None:
    """With the command that adds it."""
    check = only(judged(on_a_pi(), machine(tmp_path, groups=GROUPS - {group})))

    assert "permission" == check.name
    assert f"sudo usermod -aG {group} ann" in check.remedy


def test_root_needs_no_groups(tmp_path: Path) -> None:
    """It may do everything anyway."""
    found = judged(on_a_pi(), machine(tmp_path, groups=frozenset(), user="root"))

    assert [] == bad(found)


@pytest.mark.parametrize("library", sorted(LIBRARIES))
def test_a_missing_library_is_named(library: str, tmp_path: Path) -> None:
    """With the command that installs it."""
    have = {name: version for name, version in LIBRARIES.items() if name != library}
    check = only(judged(COMPILED, machine(tmp_path, libraries=have)))

    assert f"{library} is not installed." == check.sentence
    assert "pip install" in check.remedy


@pytest.mark.parametrize(
    ("libraries", "word"),
    [
        ({"lgpio": "0.0.0.2"}, "placeholder"),
        ({"RPi.GPIO": "0.7.1", "rpi-lgpio": "0.6"}, "conflict"),
    ],
)
def test_a_wrong_pin_library_is_named(libraries: dict[str, str], word: str, tmp_path: Path) -> None:
    """An empty lgpio, and two libraries under one name."""
    check = only(judged(on_a_pi(), machine(tmp_path, libraries=LIBRARIES | libraries)))

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
    check = only(judged(on_a_pi(), machine(tmp_path, files)))

    assert found in check.sentence
    assert remedy in check.remedy


def test_the_compiled_driver_needs_the_pins_memory(tmp_path: Path) -> None:
    """Without it, it would crash."""
    check = only(judged(COMPILED, machine(tmp_path, without(GOOD, "dev/gpiomem"))))

    assert ("/dev/gpiomem is not there.", True) == (check.sentence, "Leave out" in check.remedy)


def test_lights_on_spi_need_no_library(tmp_path: Path) -> None:
    """They are the usual ones up to the Pi 4."""
    have = {name: LIBRARIES[name] for name in ("gpiozero", "lgpio", "pyserial")}

    assert [] == bad(judged(on_a_pi(), machine(tmp_path, libraries=have)))


def test_a_machine_that_does_not_tell_its_supply_is_not_judged(tmp_path: Path) -> None:
    """No file, no finding."""
    files = without(GOOD, "sys/devices/platform/soc/soc:firmware/get_throttled")
    found = list(judged(on_a_pi(), machine(tmp_path, files)))

    assert "power" not in {check.name for check in found}


def test_an_older_system_keeps_its_files_elsewhere(tmp_path: Path) -> None:
    """/boot/config.txt before /boot/firmware/config.txt."""
    files = {path.replace("boot/firmware", "boot"): text for path, text in GOOD.items()}

    assert [] == bad(judged(on_a_pi(), machine(tmp_path, files)))


def test_lights_on_another_pin_need_root(tmp_path: Path) -> None:
    """A warning, for it works that way."""
    settings = msgspec.convert(
        {
            "lights": {"pin": 18, "method": "ws281x"},
            "sound": {"driver": "none"},
        },
        HardwareSettings,
    )
    check = only(judged(settings, machine(tmp_path)))

    assert ("lights", "warn") == (check.name, check.verdict)
    assert "as root" in check.sentence


def test_a_driver_for_another_board_is_named(tmp_path: Path) -> None:
    """The finding is the error that the start would give."""
    settings = msgspec.convert({"lights": {"method": "pio"}}, HardwareSettings)
    check = only(judged(settings, machine(tmp_path)))

    assert "does not work on a Raspberry Pi 4" in check.sentence


def test_a_pi_5_without_its_driver_is_named(tmp_path: Path) -> None:
    """The firmware brings /dev/pio0."""
    found = bad(judged(on_a_pi(), machine(tmp_path, GOOD | PI_5)))

    assert "/dev/pio0 is not there." in {check.sentence for check in found}


CARDS = " 0 [MAX98357A      ]: simple-card - MAX98357A\n"
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
    check = only(judged(sound(driver="alsa"), hub))

    assert found == check.sentence
    assert "dtoverlay=max98357a,no-sdmode" in check.remedy


@pytest.mark.parametrize("config", [AMPLIFIER + ",no-sdmode", GOOD[CONFIG]])
def test_a_good_sound_card_has_nothing_wrong(config: str, tmp_path: Path) -> None:
    """Nothing is said of the UART then."""
    libraries = LIBRARIES | {"pygame-ce": "2.5.8"}
    hub = machine(tmp_path, ALSA | {CONFIG: config}, libraries, GROUPS | {"audio"})
    found = list(judged(sound(driver="alsa"), hub))

    assert [] == bad(iter(found))
    assert "sound module" not in {check.name for check in found}


def test_this_machine_can_be_described() -> None:
    """Whoever runs this has a name, and msgspec is installed."""
    here = Machine.here()

    assert here.user
    assert "" != here.version("msgspec")
    assert "" == installed("no-such-library")


# Trying


def refused(error: Exception) -> Callable[[], str]:
    def attempt() -> str:
        raise error

    return attempt


def devices(found: Iterator[Check]) -> dict[str, Check]:
    """Return the last check of each device, that of opening it."""
    return {check.name: check for check in found if check.name in ("buttons", "lights", "sound")}


def test_what_an_attempt_raises_is_its_finding() -> None:
    """With the error's remedy; a device that somebody else has is not broken."""
    denied = DeviceDenied("the port may not be opened", "join the group dialout")
    busy = DeviceBusy("the port is in use", "stop the other program")

    assert Check("port", "ok", "It opens.") == try_device("port", lambda: "It opens.")
    expected = Check("port", "fail", "The port may not be opened.", "Join the group dialout.")
    assert expected == try_device("port", refused(denied))
    expected = Check("port", "warn", "The port is in use.", "Stop the other program.")
    assert expected == try_device("port", refused(busy))


def test_a_part_whose_files_are_wrong_is_not_opened(tmp_path: Path) -> None:
    """The finding would only be said again, in other words; the other parts are tried."""
    opened: list[str] = []

    def trying(name: str) -> Callable[[], str]:
        return lambda: opened.append(name) or name

    tries = {name: trying(name) for name in ("buttons", "lights", "sound")}
    hub = machine(tmp_path, without(GOOD, "dev/spidev0.0"))
    list(checks(on_a_pi(), hub, tries))

    assert ["buttons", "sound"] == opened


def test_the_devices_of_a_running_hub_are_left_alone(tmp_path: Path) -> None:
    """Two programs on one chain of lights would be seen at the table."""
    tries = dict.fromkeys(attempts(on_a_pi()), refused(AssertionError("opened")))
    found = devices(checks(on_a_pi(), machine(tmp_path), tries, running=True))

    assert {"ok"} == {check.verdict for check in found.values()}
    assert {"In use by the running hub."} == {check.sentence for check in found.values()}


def test_a_busy_device_tells_of_a_running_hub(tmp_path: Path) -> None:
    """Nothing is broken, and the rest is not disturbed."""
    tries = dict.fromkeys(attempts(on_a_pi()), refused(AssertionError("opened")))
    tries["buttons"] = refused(DeviceBusy("GPIO5 is in use", "stop the hub"))
    found = devices(checks(on_a_pi(), machine(tmp_path), tries))

    assert ["warn", "warn", "warn"] == [check.verdict for check in found.values()]
    assert "GPIO5 is in use." == found["buttons"].sentence
    assert "Not tried, because the buttons are in use." == found["lights"].sentence


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> strips.Wire:
    return strips.spi_wire(monkeypatch, "GRB")


@pytest.mark.real_time("threads that read and write devices")
def test_a_good_hub_is_really_opened_and_closed_again(wire: strips.Wire, tmp_path: Path) -> None:
    """The module gives a sign of life, the chain a dark frame; then all can be opened anew."""
    module = PtyPlayer(tmp_path / "port")
    settings = sound(port=str(module.path), startup_s=0.0, gap_s=0.0, answer_s=5.0)
    hub = machine(tmp_path, GOOD | {f"{module.path}"[1:]: ""})
    for _ in range(2):
        tries = attempts(settings, tmp_path, pin_factory=MockFactory)
        found = devices(checks(settings, hub, tries))
        assert {"ok"} == {check.verdict for check in found.values()}
    module.close()

    assert "All 14 can be read, and none is pressed." == found["buttons"].sentence
    assert "The chain of 87 pixels can be written." == found["lights"].sentence
    assert "The module answers." == found["sound"].sentence
    assert {bytes(3 * 87)} == set(wire.frames())


@pytest.mark.real_time("threads that read and write devices")
def test_a_module_without_a_card_is_found_by_asking(tmp_path: Path) -> None:
    """Its port is there and opens; only the module itself knows."""
    module = PtyPlayer(tmp_path / "port", Player(card=False))
    module.player.noise = module.player.power_on()
    settings = sound(port=str(module.path), startup_s=0.0, answer_s=5.0)
    check = try_device("sound", attempts(settings, tmp_path)["sound"])
    module.close()

    assert ("fail", True) == (check.verdict, "no card" in check.sentence)


@pytest.mark.real_time("threads that read and write devices")
def test_a_sound_card_is_opened_and_closed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another kind of sound, another way to try it; silence always opens."""
    monkeypatch.setattr("hal.cues.samples", flat_cue)
    card = PipeCard(tmp_path, monkeypatch)
    check = try_device("sound", attempts(sound(driver="alsa", device="hub"), tmp_path)["sound"])
    card.close()

    assert Check("sound", "ok", "It can be opened.") == check
    assert "It can be opened." == attempts(sound(driver="none"))["sound"]()


def test_a_button_that_is_stuck_is_found(tmp_path: Path) -> None:
    """A short between wires looks like a button that is always down."""
    factory = MockFactory()
    factory.pin(default_pins()["undo"]).drive_high()
    settings = on_a_pi(buttons=ButtonSettings(pull="none", active_low=False))
    with pytest.raises(WiringError, match="be touching them: undo"):
        attempts(settings, machine(tmp_path).root, pin_factory=lambda: factory)["buttons"]()


@pytest.mark.real_time("threads that read and write devices")
def test_keys_are_taken_for_a_moment_or_said_to_be_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing pad is no error of a running hub, but one for the doctor."""
    inputs = Inputs(tmp_path, monkeypatch)
    settings = completed(HardwareSettings(buttons=ButtonSettings(driver="keys")), BOARDS["sim"])
    attempt = attempts(settings, folder=inputs.folder)["buttons"]
    missing = try_device("buttons", attempt)
    inputs.pad()

    assert ("fail", "No number pad is plugged in.") == missing[1:3]
    assert Check("buttons", "ok", "Used as buttons: USB Number Pad.") == try_device(
        "buttons", attempt
    )


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


def test_the_light_steps_show_every_zone() -> None:
    """Three colours, both ends, then each zone with its first pixel red; dark at the end."""
    lights = Shown()
    said = list(light_steps(lights, (Zone("face", 0, 30), Zone("ring", 35, 5))))

    assert 6 == len(said)
    assert 7 == len(lights.frames)
    assert bytes(105) + b"\x80\0\0" + b"\x80\x80\x80" * 4 == lights.frames[5]
    assert bytes(120) == lights.frames[-1]
    assert ["red", "green", "blue"] == [said[n].split()[3].strip(".") for n in range(3)]
    assert said[5].startswith("ring: 5 pixels")


def test_the_button_steps_name_a_swapped_pair() -> None:
    """The builder presses seat-1, and the hub hears seat-2."""
    pressed = [("seat-2", True), ("seat-2", False), ("seat-1", True), ("seat-2", True)]
    edges = (Edge(button, down, 0.0) for button, down in pressed)
    said = list(button_steps({"seat-1": 5, "seat-2": 6}, edges))

    assert [
        "Press seat-1 (GPIO5).",
        "That was seat-2 (GPIO6), not seat-1: swap the two wires, or the two pins in "
        "[hardware.buttons.pins]. Press seat-1 (GPIO5).",
        "seat-1 is right. Press seat-2 (GPIO6).",
        "seat-2 is right. Every button is where it should be.",
    ] == said


def test_the_sound_steps_play_every_cue() -> None:
    """In the order of the tracks on the card."""
    played: list[str] = []

    class Ears(NoSound):
        play = staticmethod(played.append)

    said = list(sound_steps(Ears(), TRACKS))

    assert list(CUES) == played
    assert "whistle (track 1)" in said[0]


@pytest.mark.parametrize(
    ("found", "told"),
    [
        ({}, ""),
        ({19: 0, 29: 0}, "has no words"),
        ({19: 2, 29: 0}, "up to date"),
        ({19: 1}, "older"),
    ],
)
def test_a_card_that_is_older_than_the_hub_is_told(found: dict[int, int], told: str) -> None:
    """Its words would be the wrong ones; a card of cues alone is well."""
    today = {19: 2, 29: 1}
    if told == "older":
        with pytest.raises(WiringError, match="older than this hub"):
            words_on_card(found, today)
    else:
        assert told in words_on_card(found, today)
