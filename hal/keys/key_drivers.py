"""The driver "keys" of the buttons."""

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
    """Open the keys of the settings; devices that are not plugged in may come later.

    They are looked for in `folder`. Raise WiringError for an unknown key, another DeviceError for a
    device that may not be opened or is in use.
    """
    buttons = settings.buttons
    return KeyButtons(codes(buttons), buttons.devices, clock.now, report, folder)


def codes(settings: ButtonSettings) -> dict[int, str]:
    """Map the kernel's key codes to buttons; raise WiringError for an unknown key."""
    buttons_by_code: dict[int, str] = {}
    for name, button in settings.keys.items():
        key = code(name)
        if key is None:
            raise WiringError(
                f"[hardware.buttons.keys] names a key {name!r} that does not exist",
                "learn the keys with `centerpiece doctor --buttons`",
            )
        buttons_by_code[key] = button
    return buttons_by_code
