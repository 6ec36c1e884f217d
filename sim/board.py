"""The simulated board (`--hardware sim`), in real or virtual time."""

from hal.hardware_settings import HardwareSettings
from hal.health import ignore_trouble
from hal.ports import Board, Clock, Report
from hal.system_clock import SystemClock
from sim.buttons import SimButtons
from sim.docks import SimDocks
from sim.lights import SimLights
from sim.sound import SimSound


class SimBoard(Board):
    """A `Board` typed with simulated devices, so that tests can drive them."""

    buttons: SimButtons
    lights: SimLights
    sound: SimSound
    docks: SimDocks


def build(
    settings: HardwareSettings | None = None,
    report: Report = ignore_trouble,
    *,
    clock: Clock | None = None,
) -> SimBoard:
    """Build a simulated board; pass a `VirtualClock` for virtual time.

    Its lights are those of `settings`; `report` is told of devices that fail.
    """
    lights = (settings or HardwareSettings()).lights
    clock = clock or SystemClock()
    return SimBoard(
        SimButtons(clock),
        SimLights(lights.pixels, report),
        SimSound(report),
        clock,
        lights.zones,
        SimDocks(clock, report),
    )
