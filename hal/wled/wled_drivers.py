"""The driver "wled" of the lights."""

from hal.chain_lights import ChainLights
from hal.device_errors import WiringError
from hal.hardware_settings import HardwareSettings
from hal.ports import Clock, Lights, Report
from hal.wled.wled_lights import REPEAT_S, opener


def open_lights(settings: HardwareSettings, report: Report, clock: Clock) -> Lights:
    """Open the chain of the WLED controller at the address of the settings.

    Raise WiringError if there is no address, or if `order` has white; DeviceMissing if no WLED with
    enough pixels answers.
    """
    if not settings.lights.address:
        raise WiringError(
            "[hardware.lights] has no address for the WLED",
            'add it, such as address = "wled.local" or "192.168.1.20"',
        )
    if settings.lights.channels != 3:
        raise WiringError(
            f"WLED takes red, green and blue, not {settings.lights.order}",
            "leave out order in [hardware.lights]: WLED knows the order of its chain",
        )
    return ChainLights(settings.lights, report, opener(settings.lights), repeat_s=REPEAT_S)
