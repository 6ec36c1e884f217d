"""Which Raspberry Pi this is, and what follows from that: how lights are driven, the UART's name.

`root` stands for `/`, so that tests can describe any board with a few files.
"""

import logging
import re
from pathlib import Path

from hal.device_errors import DeviceMissing, WiringError
from hal.hardware_settings import ROOT, Method

log = logging.getLogger(__name__)

NEWER = re.compile(r"Raspberry Pi (5|500\+?|Compute Module 5)\b")


def model(root: Path = ROOT) -> str:
    """The board's own name, or an empty string where the machine is no Raspberry Pi."""
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
"""What of a hub hangs on a Pi's header, and what works elsewhere."""


def on_a_pi(part: str, name: str) -> None:
    """Refuse what hangs on the header where the board has no name, since it is none."""
    if not name:
        needs, elsewhere = NEEDS[part]
        raise DeviceMissing(
            f"{needs}, and this machine is not one", f"{elsewhere}, or run with --hardware sim"
        )


def has_pio(name: str) -> bool:
    """Whether pixels are driven by the programmable I/O of a Pi 5 and its kin."""
    return NEWER.match(name) is not None


def method(asked: Method, name: str) -> Method:
    """The way to drive a chain on the board called `name`; the choice is logged."""
    on_a_pi("lights", name)
    fitting: Method = "pio" if has_pio(name) else "ws281x"
    if asked in ("ws281x", "pio") and asked != fitting:
        raise WiringError(
            f'[hardware.lights] method = "{asked}" does not work on a {name}',
            f'use "auto", "{fitting}" or "spi"',
        )
    chosen = fitting if asked == "auto" else asked
    log.info("device=lights method=%s board=%r asked=%s", chosen, name, asked)
    return chosen


def serial_port(asked: str, name: str) -> str:
    """The header's UART; on a Pi 5 `serial0` may be the debug connector instead."""
    if asked != "auto":
        return asked
    on_a_pi("sound", name)
    return "/dev/ttyAMA0" if has_pio(name) else "/dev/serial0"
