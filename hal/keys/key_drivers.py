"""Keys as a driver of the buttons."""

from pathlib import Path

from hal.device_errors import WiringError
from hal.hardware_settings import ButtonSettings, HardwareSettings
from hal.keys.key_buttons import KeyButtons
from hal.keys.names import code
from hal.keys.pads import FOLDER
from hal.ports import Clock, Report


def open_buttons(
    settings: HardwareSettings, report: Report, clock: Clock, folder: Path = FOLDER
) -> KeyButtons:
    """The keys of the settings, on whatever is plugged in."""
    buttons = settings.buttons
    return KeyButtons(codes(buttons), buttons.devices, clock.now, report, folder)


def codes(settings: ButtonSettings) -> dict[int, str]:
    """Which button each key is, by the kernel's number."""
    found: dict[int, str] = {}
    for name, button in settings.keys.items():
        key = code(name)
        if key is None:
            raise WiringError(
                f"[hardware.buttons.keys] names a key {name!r} that does not exist",
                "learn the keys with `centerpiece doctor --buttons`",
            )
        found[key] = button
    return found
