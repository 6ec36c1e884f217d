"""What to buy and to cut: the parts list and the cables, in numbers and lengths."""

from collections.abc import Iterator
from itertools import pairwise
from math import ceil, hypot
from typing import NamedTuple

from deploy.hub import board
from deploy.hub.geometry import CARRIER_AT, PITCH, SPEAKER, SPEAKER_AT, STRIP, Hub, Point
from hal.pi.wiring import supply_amperes

SLACK = 60.0
"""Spare length of each cable, so that the lid can be laid beside the box."""
COMPUTERS = {
    "pi": "Raspberry Pi 3, 4 or 5 with a card of 16 GB",
    "zero": "Raspberry Pi Zero 2 W with header and a card of 16 GB",
    "pico": "Raspberry Pi Pico (or Pico 2) with a USB cable to the computer",
}


class Need(NamedTuple):
    number: int
    part: str
    remark: str = ""


class Cable(NamedTuple):
    what: str
    ends: str
    millimetres: int
    square_mm: float


def needs(hub: Hub) -> Iterator[Need]:
    """Yield the parts list, in words that every shop knows."""
    settings = hub.settings
    placed = board.parts(settings).values()
    pixels = len(hub.pixels)
    yield Need(1, COMPUTERS[hub.computer])
    yield Need(
        len(hub.buttons),
        f"arcade button {hub.button} mm to snap in, normally open",
        f"{hub.seats} in one colour for the seats, four others for train, whistle, advance, undo",
    )
    yield Need(
        pixels,
        f"pixels WS2812B on a strip of 96 a metre, {STRIP:g} mm wide, not coated",
        f"{pixels * PITCH / 1000:.2f} m; {_pieces(hub)}",
    )
    yield Need(1, f"5 V supply, {supply_amperes(settings):g} A or more, plug 5.5 × 2.1 mm")
    yield Need(1, "jack 5.5 × 2.1 mm for a hole of 12 mm, for 5 A")
    yield Need(1, "push button for a hole of 12 mm, normally open", "switches a halted Pi on")
    yield Need(1, "perfboard 80 × 120 mm, raster 2.54 mm, with pads")
    for part in placed:
        if part.value != "screw terminal":
            yield Need(1, part.value.replace(", + at 1", ", 6.3 V or more"), part.name)
    terminals = sum(part.value == "screw terminal" for part in placed)
    yield Need(terminals, "poles of screw terminals, raster 5.08 mm, for 1.5 mm²")
    if hub.computer != "pico":
        yield Need(1, "ribbon cable, 40 wires with two sockets 2 × 20, 150 mm")
    if board.with_module(settings):
        yield Need(1, f"loudspeaker 4 to 8 Ω, 3 W, {SPEAKER:g} mm", "for the module")
        yield Need(1, "micro SD card, 32 GB at most, FAT32", "for the module")
    if docks := len(hub.dock_places):
        yield Need(docks, "reed switch, normally open, 14 mm of glass", "one below each dock")
        yield Need(docks, "magnet 8 × 3 mm", "one in each train marker")
    yield Need(len(hub.lid_screws), "screw M3 × 12, countersunk, and insert M3 × 6", "lid to box")
    yield Need(len(hub.light_screws), "screw M3 × 20, countersunk, and nut", "lights to lid")
    yield Need(len(hub.tray_screws), "screw M3 × 12, countersunk, and nut", "floor to tray")
    yield Need(len(hub.flanges), "screw M3 × 16 and nut", "quarters of the box")
    yield Need(len(hub.mounts), "screw 2.5 × 8 for plastic", "boards to tray")
    yield Need(8, "rubber foot, 8 mm high", "the loudspeaker sounds downwards")
    length = sum(cable.millimetres for cable in cables(hub) if cable.square_mm < 0.5)
    yield Need(ceil(length / 1000), "metres of stranded wire 0.14 mm²", "buttons, docks, data")
    yield Need(2, "metres of stranded wire 0.75 mm²", "supply")


def _pieces(hub: Hub) -> str:
    single = sum(pixel.name == "ring" for pixel in hub.pixels)
    return f"cut into {(len(hub.pixels) - single) // 3} pieces of three and {single} single ones"


def terminal_at(hub: Hub, name: str) -> Point:
    """Return the place of a screw terminal in the hub."""
    column, row = board.parts(hub.settings)[name].pins["1"]
    x = CARRIER_AT[0] + (column - (board.COLUMNS + 1) / 2) * board.RASTER
    return x, CARRIER_AT[1] - (row - (board.ROWS + 1) / 2) * board.RASTER


def cables(hub: Hub) -> Iterator[Cable]:
    """Yield each cable from a part to its screw terminal; ground goes from button to button."""
    rise = hub.lid_z - 20

    def length(x: float, y: float, name: str) -> int:
        u, v = terminal_at(hub, name)
        return _tens(hypot(x - u, y - v) + rise + SLACK)

    for each in (*hub.buttons, *hub.dock_places):
        yield Cable(each.name, f"to {each.name}", length(each.x, each.y, each.name), 0.14)
    for what, places in (("buttons", hub.buttons), ("docks", hub.dock_places)):
        if places:
            around = sorted(places, key=lambda place: -hub.turn(place))
            loop = sum(hypot(a.x - b.x, a.y - b.y) + 20 for a, b in pairwise(around))
            start, name = around[0], f"GND {what} 1"
            total = _tens(loop) + length(start.x, start.y, name)
            ends = f"from one to the next, then to {name}"
            yield Cable(f"ground of the {what}", ends, total, 0.14)
    first, last = hub.pixels[0], hub.pixels[-1]
    yield Cable(
        "data of the lights", "to lights data", length(first.x, first.y, "lights data"), 0.14
    )
    for pixel, end in ((first, "first"), (last, "last")):
        yield Cable(
            f"5 V of the lights, {end} pixel",
            "to lights 5V",
            length(pixel.x, pixel.y, "lights 5V"),
            0.75,
        )
        yield Cable(
            f"ground of the lights, {end} pixel",
            "to lights GND",
            length(pixel.x, pixel.y, "lights GND"),
            0.75,
        )
    wall = -hub.across / 2
    yield Cable("power jack +", "to 5V in", length(-24, wall, "5V in"), 0.75)
    yield Cable("power jack −", "to GND in", length(-24, wall, "GND in"), 0.75)
    for pole in ("power button", "GND power button"):
        yield Cable(
            f"power button, {'ground' if pole[0] == 'G' else 'signal'}",
            f"to {pole}",
            length(24, wall, pole),
            0.14,
        )
    if board.with_module(hub.settings):
        for pole in ("loudspeaker +", "loudspeaker −"):
            yield Cable(pole, f"to {pole}", length(*SPEAKER_AT, pole), 0.14)


def _tens(millimetres: float) -> int:
    return 10 * ceil(millimetres / 10)


def page(hub: Hub) -> str:
    """Return parts and cables as Markdown."""
    lines = [
        f"# Parts of a hub for {hub.seats} seats",
        "",
        f"Octagon of {hub.across:g} mm, {hub.height:g} mm high, buttons of {hub.button} mm.",
        "",
        "| number | part | remark |",
        "| --- | --- | --- |",
        *(f"| {need.number} | {need.part} | {need.remark} |" for need in needs(hub)),
        "",
        "## Cables",
        "",
        "Lengths are from terminal to terminal, with 60 mm to spare.",
        "",
        "| from | where to | mm | mm² |",
        "| --- | --- | --- | --- |",
        *(f"| {c.what} | {c.ends} | {c.millimetres} | {c.square_mm:g} |" for c in cables(hub)),
    ]
    return "\n".join(lines) + "\n"
