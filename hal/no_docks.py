"""The Docks driver of a hub without docks."""

from hal.hardware_settings import HardwareSettings
from hal.ports import Clock, NoDocks, Report


def open_docks(settings: HardwareSettings, report: Report, clock: Clock) -> NoDocks:
    return NoDocks()
