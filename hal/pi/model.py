"""The model of the Raspberry Pi, which decides the drive method of lights and the UART's name.

`root` stands for `/`, so that tests can describe any board with a few files.
"""

import logging
import re
from pathlib import Path

from hal.device_errors import WiringError
from hal.hardware_settings import ROOT, Method

log = logging.getLogger(__name__)

HEADER_CHIPS = ("pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1")
"""Labels of the GPIO chips behind a Pi's header; their numbers differ between kernels."""
NEWER = re.compile(r"Raspberry Pi (5|500\+?|Compute Module 5)\b")


def model(root: Path = ROOT) -> str:
    """Return the model of this Raspberry Pi; empty on any other machine."""
    try:
        name = (root / "proc/device-tree/model").read_text("utf-8", "replace").strip("\0 \n")
    except OSError:
        return ""
    return name if name.startswith("Raspberry Pi") else ""


NEEDS = {
    "buttons": (
        'the driver "gpio" of the buttons needs a Raspberry Pi',
        'set driver = "usb", "keys" or "sim" in [hardware.buttons]',
    ),
    "lights": (
        'the driver "neopixel" of the lights needs a Raspberry Pi',
        'set driver = "usb", "wled", "none" or "sim" in [hardware.lights]',
    ),
    "sound": (
        'the sound module\'s port "auto" is the one of a Raspberry Pi',
        'name its port in [hardware.sound], such as port = "/dev/ttyUSB0", or set driver = "usb", '
        '"alsa", "none" or "sim" there',
    ),
}
"""The parts on a Pi's header: what they need, and what works elsewhere."""


def on_a_pi(part: str, name: str) -> None:
    """Raise WiringError for `part`, which is on the header, if `name` is empty: this is no Pi.

    `part` is "buttons", "lights" or "sound", and `name` the board's model.
    """
    if not name:
        needs, elsewhere = NEEDS[part]
        raise WiringError(
            f"{needs}, and this machine is not one", f"{elsewhere}, or run with --hardware sim"
        )


def has_pio(name: str) -> bool:
    """Tell whether pixels are driven by the programmable I/O of a Pi 5 and its relatives."""
    return NEWER.match(name) is not None


def method(setting: Method, name: str) -> Method:
    """Return the method to drive a chain on the board `name`, and log it; `setting` may be "auto".

    Raise WiringError if the board cannot do it, or is no Pi. Up to the Pi 4 "auto" is SPI:
    rpi_ws281x must be compiled and knows boards by their exact revision, not all of them.
    """
    on_a_pi("lights", name)
    usual: Method = "pio" if has_pio(name) else "spi"
    if setting == ("ws281x" if has_pio(name) else "pio"):
        raise WiringError(
            f'[hardware.lights] method = "{setting}" does not work on a {name}',
            'use "auto"',
        )
    chosen = usual if setting == "auto" else setting
    log.info("device=lights method=%s board=%r setting=%s", chosen, name, setting)
    return chosen


def serial_port(setting: str, name: str) -> str:
    """Return the port in `setting`; for "auto", that of the UART on the header of the board `name`.

    Raise WiringError for "auto" off a Pi. On a Pi 5 `serial0` may be the debug connector.
    """
    if setting != "auto":
        return setting
    on_a_pi("sound", name)
    return "/dev/ttyAMA0" if has_pio(name) else "/dev/serial0"
