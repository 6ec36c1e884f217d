"""Drivers that do not go together: each combination is refused with a sentence that says how."""

from pathlib import Path
from typing import NamedTuple

import pytest

from centerpiece.__main__ import main
from hal.boards import builder
from hal.hardware_settings import ButtonSettings, HardwareSettings, UsbSettings
from hal.health import ignore_trouble
from hal.pi import pi_drivers
from tests import strips


class Wrong(NamedTuple):
    """A bad combination on a laptop, the error, and what to do."""

    hardware: str
    settings: str
    error: str
    remedy: str


BUTTONS, LIGHTS, SOUND, USB = (
    f"[hardware.{part}]\n" for part in ("buttons", "lights", "sound", "usb")
)

REFUSED = {
    "a board that does not exist": Wrong(
        "toaster", "", "no board is called 'toaster'", "use --hardware sim, pi or usb"
    ),
    "a driver that does not exist": Wrong(
        "sim",
        SOUND + 'driver = "banana"',
        "no driver of the sound is called 'banana'",
        "use [hardware.sound] driver = serial, usb, alsa, none or sim",
    ),
    "a driver of another part": Wrong(
        "sim",
        LIGHTS + 'driver = "alsa"',
        "no driver of the lights is called 'alsa'",
        "use [hardware.lights] driver = neopixel, usb, wled, none or sim",
    ),
    "no buttons at all": Wrong(
        "sim",
        BUTTONS + 'driver = "none"',
        "no driver of the buttons is called 'none'",
        "use [hardware.buttons] driver = gpio, usb, keys or sim",
    ),
    "the lights of a Pi": Wrong(
        "sim",
        LIGHTS + 'driver = "neopixel"',
        'the driver "neopixel" of the lights needs a Raspberry Pi, and this machine is not one',
        'set driver = "usb", "wled", "none" or "sim" in [hardware.lights], '
        "or run with --hardware sim",
    ),
    "the buttons of a Pi": Wrong(
        "sim",
        BUTTONS + 'driver = "gpio"',
        'the driver "gpio" of the buttons needs a Raspberry Pi, and this machine is not one',
        'set driver = "usb", "keys" or "sim" in [hardware.buttons], or run with --hardware sim',
    ),
    "buttons of the page, lights of a Pi": Wrong(
        "pi",
        BUTTONS + 'driver = "sim"',
        'the driver "neopixel" of the lights needs a Raspberry Pi, and this machine is not one',
        'set driver = "usb", "wled", "none" or "sim" in [hardware.lights], '
        "or run with --hardware sim",
    ),
    "the serial port of a Pi": Wrong(
        "sim",
        SOUND + 'driver = "serial"',
        'the sound module\'s port "auto" is the one of a Raspberry Pi, and this machine is not one',
        'name its port in [hardware.sound], such as port = "/dev/ttyUSB0", or set driver = "usb", '
        '"alsa", "none" or "sim" there, or run with --hardware sim',
    ),
    "two on one cable": Wrong(
        "usb",
        USB + 'port = "/dev/ttyACM0"\n' + SOUND + 'driver = "serial"\nport = "/dev/ttyACM0"',
        "the USB hub and the sound module are both at /dev/ttyACM0",
        'give one of them a port of its own, or, for a module on the board, set driver = "usb" in '
        "[hardware.sound]",
    ),
    "a port without a name": Wrong(
        "usb",
        USB + 'port = ""',
        "[hardware.usb] port is empty",
        "leave it out, or name a serial port such as /dev/ttyACM0",
    ),
    "every keyboard there is": Wrong(
        "sim",
        BUTTONS + 'driver = "keys"\ndevices = [""]',
        "[hardware.buttons] devices has an empty name, which matches every keyboard",
        "write a part of the name of yours, or leave devices out for number pads",
    ),
    "a key that does not exist": Wrong(
        "sim",
        BUTTONS
        + 'driver = "keys"\nkeys = { Q = "undo", QQ = "train", W = "whistle", A = "advance" }',
        "[hardware.buttons.keys] names a key 'QQ' that does not exist",
        "learn the keys with `centerpiece doctor --buttons`",
    ),
    "a WLED nowhere": Wrong(
        "sim",
        LIGHTS + 'driver = "wled"',
        "[hardware.lights] has no address for the WLED",
        'add it, such as address = "wled.local" or "192.168.1.20"',
    ),
}
"""Combinations that a hub refuses to start with."""

MISSING = {
    "lights on a board that is not plugged in": Wrong(
        "sim", LIGHTS + 'driver = "usb"', "no USB hub is plugged in", "plug it in and it goes on"
    ),
    "keys of nothing that is plugged in": Wrong(
        "sim",
        BUTTONS + 'driver = "keys"\ndevices = ["no such pad"]',
        "no input device 'no such pad' with keys for the buttons is plugged in",
        "plug it in, or learn another with `centerpiece doctor --buttons`",
    ),
}
"""Missing devices: a hub starts and reports them on the page, since they may come later."""

UNUSED = {
    "a card's name for a module": Wrong(
        "sim",
        SOUND + 'driver = "serial"\nport = "/dev/ttyUSB9"\ndevice = "hw:1"',
        '[hardware.sound] device is for the driver "alsa", but the driver is "serial"',
        'remove device, or set driver = "alsa"',
    ),
    "a module's port for a card": Wrong(
        "sim",
        SOUND + 'driver = "alsa"\nport = "/dev/ttyUSB0"',
        '[hardware.sound] port is for the driver "serial", but the driver is "alsa"',
        'remove port, or set driver = "serial"',
    ),
    "a module's silence for a card": Wrong(
        "sim",
        SOUND + 'driver = "alsa"\nack = false',
        '[hardware.sound] ack is for the driver "serial" or "usb", but the driver is "alsa"',
        'remove ack, or set driver = "serial" or "usb"',
    ),
    "an address for lights on USB": Wrong(
        "usb",
        LIGHTS + 'address = "wled.local"',
        '[hardware.lights] address is for the driver "wled", but the driver is "usb"',
        'remove address, or set driver = "wled"',
    ),
    "resistors for keys": Wrong(
        "sim",
        BUTTONS + 'driver = "keys"\npull = "none"',
        '[hardware.buttons] pull is for the driver "gpio", but the driver is "keys"',
        'remove pull, or set driver = "gpio"',
    ),
    "a board that no part is on": Wrong(
        "pi",
        USB + 'serial = "e6614c311b7e6f35"',
        '[hardware.usb] names a board, but the driver of no part is "usb"',
        'set driver = "usb" for each part on the board, or remove [hardware.usb]',
    ),
    "a board named twice": Wrong(
        "usb",
        USB + 'port = "/dev/ttyACM9"\nserial = "e6614c311b7e6f35"',
        "[hardware.usb] names both a port and a serial number, and the port is taken",
        "remove one of them",
    ),
}
"""Superfluous settings, which the hub ignores."""


@pytest.fixture(autouse=True)
def laptop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulate a machine that is no Raspberry Pi, with nothing plugged in."""
    for module in ("hal.pi.pi_drivers", "hal.sound.sound_drivers", "hal.diagnosis"):
        monkeypatch.setattr(f"{module}.model", lambda root: "")
    monkeypatch.setattr("serial.tools.list_ports.comports", list)


def run_command(command: str, wrong: Wrong, folder: Path) -> int:
    """Run a command with the combination; return its exit code."""
    config = folder / "hub.toml"
    config.write_text(wrong.settings)
    places = ["--config", str(config), "--data", str(folder)]
    return main([command, "--hardware", wrong.hardware, *places])


def sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


@pytest.mark.parametrize("wrong", REFUSED.values(), ids=REFUSED)
def test_a_hub_that_cannot_be_built_says_what_would_work(
    wrong: Wrong, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line with the cause and the remedy, and the exit code of devices."""
    assert 3 == run_command("run", wrong, tmp_path)

    assert f"centerpiece: {wrong.error}; {wrong.remedy}\n" == capsys.readouterr().err


@pytest.mark.parametrize(
    ("mark", "wrong"),
    [
        *(pytest.param("✗", each, id=name) for name, each in (REFUSED | MISSING).items()),
        *(pytest.param("!", each, id=name) for name, each in UNUSED.items()),
    ],
)
def test_the_doctor_says_the_same(
    mark: str, wrong: Wrong, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The doctor can run before the hub; superfluous settings are a warning."""
    run_command("doctor", wrong, tmp_path)
    output = capsys.readouterr().out.splitlines()
    line = next(n for n, each in enumerate(output) if each.endswith(f": {sentence(wrong.error)}"))

    assert output[line].startswith(mark)
    assert f"  → {sentence(wrong.remedy)}" == output[line + 1]


def test_a_hub_with_settings_that_nobody_looks_at_starts_and_tells_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A leftover in the file must not keep people from playing."""
    settings = HardwareSettings(
        buttons=ButtonSettings(driver="keys", devices=("no such pad",), pull="none"),
        usb=UsbSettings(serial="e6614c311b7e6f35"),
    )
    builder("sim")(settings, ignore_trouble).close()

    (output,) = caplog.messages
    assert "pull is for the driver" in output


def test_lights_that_a_crash_left_on_are_put_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the command that the unit runs then."""
    wire = strips.spi_wire(monkeypatch, "GRB")
    monkeypatch.setattr(pi_drivers, "model", lambda root: "Raspberry Pi 4 Model B")

    assert 0 == main(["dark", "--hardware", "pi"])
    assert [bytes(3 * 87)] * 2 == wire.frames()
