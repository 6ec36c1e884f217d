"""Builds the simulated hub, in real or in virtual time: `--hardware sim`."""

from hal.hardware_settings import HardwareSettings
from hal.health import ignore_trouble
from hal.ports import Board, Clock, Report
from hal.system_clock import SystemClock
from sim.buttons import SimButtons
from sim.lights import SimLights
from sim.sound import SimSound


class SimBoard(Board):
    """A `Board` whose parts are known to be simulated, so that they can be played with."""

    buttons: SimButtons
    lights: SimLights
    sound: SimSound


def build(
    settings: HardwareSettings | None = None,
    report: Report = ignore_trouble,
    *,
    clock: Clock | None = None,
) -> SimBoard:
    """A hub on a desktop; give it a `VirtualClock` to run it in virtual time."""
    lights = (settings or HardwareSettings()).lights
    clock = clock or SystemClock()
    return SimBoard(
        SimButtons(clock), SimLights(lights.pixels, report), SimSound(report), clock, lights.zones
    )
