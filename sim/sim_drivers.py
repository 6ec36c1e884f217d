"""The simulator's parts as drivers, each beside whatever else a hub is made of."""

from hal.hardware_settings import HardwareSettings
from hal.ports import Clock, Report
from sim.buttons import SimButtons
from sim.lights import SimLights
from sim.sound import SimSound


def open_buttons(settings: HardwareSettings, report: Report, clock: Clock) -> SimButtons:
    """Buttons on a page."""
    return SimButtons(clock)


def open_lights(settings: HardwareSettings, report: Report, clock: Clock) -> SimLights:
    """Lights on a page."""
    return SimLights(settings.lights.pixels, report)


def open_sound(settings: HardwareSettings, report: Report, clock: Clock) -> SimSound:
    """A voice on a page."""
    return SimSound(report)
