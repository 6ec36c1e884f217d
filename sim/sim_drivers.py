"""The driver "sim" of each port, for mixtures with real devices."""

from hal.hardware_settings import HardwareSettings
from hal.ports import Clock, Report
from sim.buttons import SimButtons
from sim.docks import SimDocks
from sim.lights import SimLights
from sim.sound import SimSound


def open_buttons(settings: HardwareSettings, report: Report, clock: Clock) -> SimButtons:
    return SimButtons(clock)


def open_lights(settings: HardwareSettings, report: Report, clock: Clock) -> SimLights:
    return SimLights(settings.lights.pixels, report)


def open_sound(settings: HardwareSettings, report: Report, clock: Clock) -> SimSound:
    return SimSound(report)


def open_docks(settings: HardwareSettings, report: Report, clock: Clock) -> SimDocks:
    return SimDocks(clock, report)
