"""Builds the simulated hub, in real or in virtual time."""

from hal.ports import Board, Clock, Report, Zone, default_zones
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
    zones: tuple[Zone, ...] | None = None,
    clock: Clock | None = None,
    report: Report | None = None,
) -> SimBoard:
    """A hub on a desktop; give it a `VirtualClock` to run it in virtual time."""
    zones = zones or default_zones()
    clock = clock or SystemClock()
    count = max(zone.start + zone.count for zone in zones)
    return SimBoard(SimButtons(clock), SimLights(count, report), SimSound(report), clock, zones)
