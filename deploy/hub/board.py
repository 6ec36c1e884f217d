"""The carrier board: a perfboard of 120 × 80 mm, drawn to the hole.

What is connected follows from the settings; where each wire goes, from the places of the parts:
every net is the shortest tree of wires between its pins. Columns count from the left, rows from the
top, seen from the side of the parts.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from html import escape
from itertools import combinations
from math import hypot
from typing import NamedTuple

from deploy.hub.checks import Finding
from hal.hardware_settings import HardwareSettings
from hal.pi.wiring import MODULE_MILLIAMPS, PI_MILLIAMPS, jobs, physical
from hal.ports import BUTTONS

COLUMNS, ROWS, RASTER = 46, 30, 2.54
GROUNDS = ("6", "9", "14", "20", "25", "30", "34", "39")
Place = tuple[int, int]
THIN, THICK = 0.2, 0.75
"""Cross-sections of the wires in mm²: solid wire of 0.5 mm, and stranded for the supply."""
THIN_MILLIAMPS = 1000
OHM_MM2_M = 0.0178
MOST_DROP = 0.05
RIBBON_MILLIAMPS = 1000
"""What a wire of a ribbon cable (AWG 28) and its contact bear."""


class Part(NamedTuple):
    """A part on the board: the hole of each pin, and the holes that its body covers."""

    name: str
    value: str
    pins: dict[str, Place]
    body: tuple[int, int, int, int]
    """First column, first row, last column, last row."""


def _dip(
    name: str, value: str, pins: int, column: int, row: int, apart: int = 3, turned: bool = False
) -> Part:
    """Return a chip with pin 1 at the lower left, or at the upper right if it is turned."""
    half = pins // 2
    last, low = column + half - 1, row + apart
    places = {}
    for n in range(half):
        places[str(n + 1)] = (last - n, row) if turned else (column + n, low)
        places[str(pins - n)] = (last - n, low) if turned else (column + n, row)
    return Part(name, value, places, (column, row, last, low))


def _pair(name: str, value: str, one: Place, two: Place, wide: int = 0) -> Part:
    left, right = sorted((one[0], two[0]))
    top, bottom = sorted((one[1], two[1]))
    body = (left - wide, top - wide, right + wide, bottom + wide)
    return Part(name, value, {"1": one, "2": two}, body)


def terminals(settings: HardwareSettings) -> tuple[list[str], list[str]]:
    """Return the screw terminals along the upper and the lower edge, from the left."""
    buttons = [name for name in BUTTONS if name in settings.buttons.pins]
    upper = [*buttons, "GND buttons 1", "GND buttons 2", "lights GND", "GND in", "5V in"]
    upper += ["lights 5V", "lights data"]
    lower = [*dock_lines(settings), "GND docks 1", "GND docks 2"]
    lower += ["power button", "GND power button"]
    if with_module(settings):
        lower += ["loudspeaker +", "loudspeaker −"]
    return upper, lower


def with_module(settings: HardwareSettings) -> bool:
    return settings.sound.driver in ("", "serial")


def parts(settings: HardwareSettings) -> dict[str, Part]:
    header = {str(n + 1): (4 + n // 2, 8 - n % 2) for n in range(40)}
    found = [
        Part("J1", "box header 2 × 20 to the Pi", header, (2, 6, 25, 9)),
        _dip("U1", "74AHCT125", 14, 31, 7),
        _dip("U2", "MCP23017", 28, 3, 20, turned=True),
        _pair("C1", "1000 µF, + at 1", (41, 7), (41, 9), 2),
        _pair("C2", "100 nF", (28, 7), (28, 9)),
        _pair("C3", "100 nF", (8, 17), (10, 17)),
        _pair("F1", "fuse 5 A, slow, with holder", (45, 15), (36, 15), 1),
        _pair("R1", "330 Ω", (33, 12), (37, 12)),
    ]
    if with_module(settings):
        found.append(_dip("M1", "DFPlayer Mini", 16, 27, 16, apart=7))
        found.append(_pair("R2", "1 kΩ", (21, 13), (25, 13)))
    for row, names in zip((2, 29), terminals(settings), strict=True):
        for at, name in enumerate(names):
            place = (2 + 2 * at, row)
            body = (place[0], row - 1, place[0] + 1, row + 1)
            found.append(Part(name, "screw terminal", {"1": place}, body))
    return {part.name: part for part in found}


Pin = tuple[str, str]


def nets(settings: HardwareSettings) -> dict[str, list[Pin]]:
    """Return the pins of each net."""

    def pi(gpio: int) -> Pin:
        return "J1", str(physical(gpio))

    def pins(part: str, numbers: str) -> list[Pin]:
        return [(part, number) for number in numbers.split()]

    upper, lower = terminals(settings)
    found: dict[str, list[Pin]] = {
        name: [pi(pin), (name, "1")] for name, pin in settings.buttons.pins.items()
    }
    found["5V before the fuse"] = [("5V in", "1"), ("F1", "1")]
    found["5V"] = [("F1", "2"), ("lights 5V", "1"), ("C1", "1"), ("U1", "14"), ("C2", "1")]
    found["5V"] += pins("J1", "2 4")
    found["GND"] = [("GND in", "1"), ("C1", "2"), ("C2", "2"), ("C3", "2")]
    found["GND"] += [(name, "1") for name in (*upper, *lower) if "GND" in name and name != "GND in"]
    found["GND"] += [("J1", pin) for pin in GROUNDS]
    # The first gate is enabled; inputs of the others are not left open.
    found["GND"] += pins("U1", "7 1 4 5 9 10 12 13")
    found["GND"] += pins("U2", "10 15 16 17")
    found["3V3"] = [*pins("J1", "1"), *pins("U2", "9 18"), ("C3", "1")]
    found["data at 3.3 V"] = [pi(settings.lights.pin), ("U1", "2")]
    found["data at 5 V"] = [("U1", "3"), ("R1", "1")]
    found["data to the lights"] = [("R1", "2"), ("lights data", "1")]
    found["SDA"] = [pi(2), ("U2", "13")]
    found["SCL, wakes the Pi"] = [pi(3), ("U2", "12"), ("power button", "1")]
    for dock, line in dock_lines(settings).items():
        start = pi(line) if settings.docks.on_header else ("U2", expander_pin(line))
        found[dock] = [start, (dock, "1")]
    if with_module(settings):
        found["5V"].append(("M1", "1"))
        found["GND"] += pins("M1", "7 10")
        found["TXD"] = [pi(14), ("R2", "1")]
        found["module RX"] = [("R2", "2"), ("M1", "2")]
        found["RXD"] = [pi(15), ("M1", "3")]
        found["loudspeaker +"] = [("M1", "6"), ("loudspeaker +", "1")]
        found["loudspeaker −"] = [("M1", "8"), ("loudspeaker −", "1")]
    return found


def dock_lines(settings: HardwareSettings) -> dict[str, int]:
    """Return the line of each dock that has a seat."""
    lines = settings.docks.lines
    return {d: line for d, line in lines.items() if f"seat-{d[5:]}" in settings.buttons.pins}


def expander_pin(line: int) -> str:
    """Return the pin of an input of the MCP23017: GPA0 to GPA7, then GPB0 to GPB7."""
    return str(21 + line if line < 8 else line - 7)


class Wire(NamedTuple):
    """A wire below the board, between two pins."""

    net: str
    start: Pin
    end: Pin
    millimetres: float
    milliamps: float

    @property
    def section(self) -> float:
        return THICK if self.milliamps > THIN_MILLIAMPS else THIN

    @property
    def drop(self) -> float:
        """The voltage lost in it."""
        ohms = OHM_MM2_M * self.millimetres / 1000 / self.section
        return ohms * self.milliamps / 1000


def loads(settings: HardwareSettings) -> dict[Pin, float]:
    """Return the current in mA that each pin takes from its supply, or gives to ground."""
    lights = settings.lights.max_milliamps
    found: dict[Pin, float] = {("lights 5V", "1"): lights, ("lights GND", "1"): lights}
    found |= {("J1", "2"): PI_MILLIAMPS / 2, ("J1", "4"): PI_MILLIAMPS / 2}
    found |= {("J1", pin): PI_MILLIAMPS / len(GROUNDS) for pin in GROUNDS}
    found |= {("U1", "14"): 10, ("U1", "7"): 10, ("U2", "9"): 5, ("U2", "10"): 5}
    if with_module(settings):
        found |= {("M1", "1"): MODULE_MILLIAMPS, ("M1", "7"): MODULE_MILLIAMPS}
    found["F1", "1"] = lights + PI_MILLIAMPS + MODULE_MILLIAMPS
    return found


def wires(settings: HardwareSettings) -> list[Wire]:
    """Return the shortest tree of wires of each net, with the current in each of them."""
    placed, taken = parts(settings), loads(settings)
    found = []
    for net, (root, *others) in nets(settings).items():
        place = {pin: placed[pin[0]].pins[pin[1]] for pin in (root, *others)}
        joined, tree = [root], []
        waiting = list(others)
        while waiting:
            length, start, end = min(
                (RASTER * hypot(a[0] - b[0], a[1] - b[1]), one, two)
                for one in joined
                for two in waiting
                for a, b in ((place[one], place[two]),)
            )
            waiting.remove(end)
            joined.append(end)
            tree.append((start, end, length))
        flow: dict[Pin, float] = defaultdict(float)
        for start, end, length in reversed(tree):
            flow[end] += taken.get(end, 0.0)
            flow[start] += flow[end]
            found.append(Wire(net, start, end, length, flow[end]))
    return found


# Checks


def findings(settings: HardwareSettings) -> Iterator[Finding]:
    placed = parts(settings)
    yield _holes(placed)
    yield _table(settings)
    yield _currents(settings)


def _holes(placed: dict[str, Part]) -> Finding:
    wrong = []
    for part in placed.values():
        left, top, right, bottom = part.body
        if not (1 <= left and right <= COLUMNS and 1 <= top and bottom <= ROWS):
            wrong.append(f"{part.name} is beyond the edge")
    for one, two in combinations(placed.values(), 2):
        a, b = one.body, two.body
        if a[0] <= b[2] and b[0] <= a[2] and a[1] <= b[3] and b[1] <= a[3]:
            wrong.append(f"{one.name} lies on {two.name}")
    return Finding("parts on the board", f"{len(placed)} parts", ", ".join(wrong))


def _table(settings: HardwareSettings) -> Finding:
    """Follow the wires from each pin of the header; the wiring table says where they must lead."""
    reached = _reached(wires(settings))
    placed = {
        pin for part in parts(settings).values() for pin in ((part.name, p) for p in part.pins)
    }
    wrong = [f"there is no {name} {pin}" for name, pin in set(reached) - placed]
    ends = {
        "lights: data": ("U1", "2"),
        "sound module: its RX": ("R2", "1"),
        "sound module: its TX": ("M1", "3"),
        "I²C: SDA": ("U2", "13"),
        "I²C: SCL": ("U2", "12"),
    }
    for gpio, job in jobs(settings).items():
        wanted = ends.get(job, (job, "1"))
        others = reached.get(("J1", str(physical(gpio))), set())
        if wanted not in others:
            wrong.append(f"GPIO{gpio} does not reach {job}")
        if sum(name == "J1" for name, _ in others) > 1:
            wrong.append(f"GPIO{gpio} is joined to another pin of the Pi")
    return Finding("netlist is the wiring table", f"{len(jobs(settings))} lines", ", ".join(wrong))


def _reached(found: list[Wire]) -> dict[Pin, set[Pin]]:
    groups: dict[Pin, set[Pin]] = {}
    for wire in found:
        both = groups.get(wire.start, {wire.start}) | groups.get(wire.end, {wire.end})
        groups |= dict.fromkeys(both, both)
    return groups


def _currents(settings: HardwareSettings) -> Finding:
    found = wires(settings)
    wrong = [
        f"{wire.net} from {' '.join(wire.start)} loses {wire.drop * 1000:.0f} mV"
        for wire in found
        if wire.drop > MOST_DROP
    ]
    if PI_MILLIAMPS / 2 > RIBBON_MILLIAMPS:
        wrong.append("the ribbon cable cannot carry the Pi's supply")
    most = max(found, key=lambda wire: wire.milliamps)
    worst = max(found, key=lambda wire: wire.drop)
    measured = f"{most.milliamps / 1000:.1f} A, {worst.drop * 1000:.0f} mV at most"
    return Finding("current in every wire", measured, ", ".join(wrong))


# Plan

COLOURS = {"5V": "#c62828", "5V before the fuse": "#c62828", "GND": "#212121", "3V3": "#ad5c00"}


def plan(settings: HardwareSettings) -> str:
    """Return the plan of the board as SVG, from the side of the parts."""
    scale = 20
    placed = parts(settings)

    def at(place: Place) -> Place:
        return place[0] * scale, place[1] * scale + 40

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 -60 {(COLUMNS + 1) * scale} '
        f'{(ROWS + 1) * scale + 200}" font-family="sans-serif" font-size="12">',
        "<title>The carrier board, seen from the side of the parts</title>",
        f'<pattern id="holes" x="10" y="50" width="{scale}" height="{scale}" '
        'patternUnits="userSpaceOnUse"><circle cx="10" cy="10" r="3" fill="#fff" '
        'stroke="#b08d57"/></pattern>',
        *(
            f'<rect x="8" y="48" width="{COLUMNS * scale + 4}" height="{ROWS * scale + 4}" '
            f'fill="{fill}" stroke="#8d6e3f"/>'
            for fill in ("#e8d9b5", "url(#holes)")
        ),
    ]
    for part in placed.values():
        left, top = at(part.body[:2])
        right, bottom = at(part.body[2:])
        lines.append(
            f'<rect x="{left - 9}" y="{top - 9}" width="{right - left + 18}" '
            f'height="{bottom - top + 18}" fill="#90a4ae" fill-opacity=".55" stroke="#37474f"/>'
        )
    for wire in wires(settings):
        (x, y), (u, v) = (at(placed[name].pins[pin]) for name, pin in (wire.start, wire.end))
        colour = COLOURS.get(wire.net, "#1565c0")
        lines.append(
            f'<line x1="{x}" y1="{y}" x2="{u}" y2="{v}" stroke="{colour}" stroke-opacity=".75" '
            f'stroke-width="{5 if wire.section == THICK else 2}"/>'
        )
    for part in placed.values():
        for pin, place in part.pins.items():
            x, y = at(place)
            mark = "#ffeb3b" if pin == "1" else "#fff"
            lines.append(f'<circle cx="{x}" cy="{y}" r="4" fill="{mark}" stroke="#000"/>')
        lines.append(_label(part, at))
    return "\n".join([*lines, "</svg>", ""])


def _label(part: Part, at: Callable[[Place], Place]) -> str:
    x, y = at(part.body[:2])
    if part.value == "screw terminal":
        upper = part.body[1] < ROWS / 2
        y = y - 14 if upper else at(part.body[2:])[1] + 14
        turn, anchor = (-60, "start") if upper else (60, "start")
        return (
            f'<text transform="translate({x + 10} {y}) rotate({turn})" text-anchor="{anchor}">'
            f"{escape(part.name)}</text>"
        )
    words = f"{part.name} {part.value}"
    return f'<text x="{x}" y="{y - 12}" font-weight="bold">{escape(words)}</text>'


def table(settings: HardwareSettings) -> str:
    """Return the list of wires as a Markdown table, in the order of soldering."""
    placed = parts(settings)

    def hole(pin: Pin) -> str:
        column, row = placed[pin[0]].pins[pin[1]]
        name = pin[0] if placed[pin[0]].value == "screw terminal" else f"{pin[0]} pin {pin[1]}"
        return f"{name} ({column}/{row})"

    lines = [
        "| net | from (column/row) | to | mm | mm² | mA |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for wire in sorted(wires(settings), key=lambda wire: (-wire.section, wire.net)):
        lines.append(
            f"| {wire.net} | {hole(wire.start)} | {hole(wire.end)} | {wire.millimetres:.0f} | "
            f"{wire.section:g} | {wire.milliamps:.0f} |"
        )
    return "\n".join(lines) + "\n"


def page(settings: HardwareSettings) -> str:
    """Return `board.md`: the plan, the parts and the wires."""
    values = [part for part in parts(settings).values() if part.value != "screw terminal"]
    lines = [
        "# The carrier board",
        "",
        "![The plan](board.svg)",
        "",
        f"A perfboard of 80 × 120 mm: {COLUMNS} columns from the left, {ROWS} rows from the top, "
        "seen from the side of the parts; a yellow pin is pin 1.",
        "Wires are below it; those of 0.75 mm² first.",
        "",
        "| part | value | pin 1 (column/row) |",
        "| --- | --- | --- |",
        *(f"| {p.name} | {p.value} | {p.pins['1'][0]}/{p.pins['1'][1]} |" for p in values),
        "",
    ]
    return "\n".join(lines) + "\n" + table(settings)
