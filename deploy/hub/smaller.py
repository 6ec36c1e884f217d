"""Settings of hubs with fewer seats, wired like the standard hub."""

from hal.hardware_settings import ButtonSettings, HardwareSettings, LightSettings, default_pins
from hal.ports import SEATS, Zone, default_zones


def settings_for(seats: int) -> HardwareSettings:
    """Return the standard settings with the first seats only, and a chain without gaps."""
    gone = {f"seat-{seat}" for seat in SEATS if seat > seats}
    pins = {name: pin for name, pin in default_pins().items() if name not in gone}
    zones: list[Zone] = []
    start = 0
    for zone in default_zones():
        if zone.name not in gone:
            zones.append(Zone(zone.name, start, zone.count))
            start += zone.count
    return HardwareSettings(
        buttons=ButtonSettings(pins=pins), lights=LightSettings(zones=tuple(zones))
    )
