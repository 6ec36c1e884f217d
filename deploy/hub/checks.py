"""Checks of the described hub that need no library: they say what cannot be built, and why."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from math import cos, pi
from typing import NamedTuple

from deploy.hub import geometry
from deploy.hub.geometry import BED, BEND, BEZEL, FLOOR, WALL, WINDOW, Hub, Prism
from hal.ports import BUTTONS

AIR = 1.0
FINGERS = 2.0
BRIDGE = 2.0
"""Least material between two holes in the lid."""
NEAR = 5.0
"""Parts farther apart than this are not measured."""
DRIVER = 7.0
"""Diameter of a screwdriver's shaft with room to turn."""


class Finding(NamedTuple):
    """The result of one check; `wrong` is empty if it holds."""

    name: str
    measured: str
    wrong: str = ""


def findings(hub: Hub) -> Iterator[Finding]:
    """Check everything that can be told from the description."""
    yield _names(hub)
    yield _zones(hub)
    yield _least("room for each part", collisions(hub), AIR)
    yield _least("fingers between buttons", _bezels(hub), FINGERS)
    yield _least("material between holes in the lid", _bridges(hub), BRIDGE)
    yield _within(hub)
    yield _bends(hub)
    yield _least("screws within reach", _reach(hub), 0.0)
    yield _beds(hub)


def _names(hub: Hub) -> Finding:
    holes, wanted = {each.name for each in hub.buttons}, set(hub.settings.buttons.pins)
    missing = [name for name in BUTTONS if name in wanted - holes]
    return Finding("holes are the buttons", f"{len(holes)} holes", ", ".join(missing))


def _zones(hub: Hub) -> Finding:
    wanted = [
        zone.name
        for zone in sorted(hub.settings.lights.zones, key=lambda zone: zone.start)
        for _ in range(zone.count)
    ]
    found = [pixel.name for pixel in hub.pixels]
    wrong = "" if wanted == found else "the windows are not those of the zones"
    return Finding("windows are the pixels", f"{len(found)} windows", wrong)


Gap = tuple[float, str]


def collisions(hub: Hub) -> Iterator[Gap]:
    """Yield the distance of each two neighbours that share a height."""
    for one, two in combinations(hub.parts(), 2):
        if one.near(two, NEAR) and one.beside(two) and not _one_piece(one, two):
            yield one.gap(two), f"{one.name} and {two.name}"


def _one_piece(one: Prism, two: Prism) -> bool:
    """Pixels of one zone are on one piece of strip, except those of the ring."""
    return one.name == two.name != "ring"


def _bezels(hub: Hub) -> Iterator[Gap]:
    wide = [replace(each, diameter=BEZEL[hub.button]) for each in hub.buttons]
    for one, two in combinations((*wide, *hub.dock_places, *hub.lid_screws), 2):
        if "screw" not in one.name or "screw" not in two.name:
            yield one.gap(two), f"{one.name} and {two.name}"


def _bridges(hub: Hub) -> Iterator[Gap]:
    windows = [Prism(p.name, p.x, p.y, diameter=WINDOW) for p in hub.pixels]
    openings = (*hub.buttons, *windows, *hub.dock_places, *hub.light_screws, *hub.lid_screws)
    for one, two in combinations(openings, 2):
        if one.near(two, NEAR):
            yield one.gap(two), f"the holes of {one.name} and {two.name}"
    edge = hub.across / 2
    for each in openings:
        yield _to_wall(each, edge), f"the hole of {each.name} and the edge"


def _to_wall(part: Prism, apothem: float) -> float:
    """Return the distance of a part to the octagon's sides, from inside."""
    normals = [geometry.polar(1, 45 * side) for side in range(8)]
    return apothem - part.radius - max(x * u + y * v for x, y in part.corners for u, v in normals)


def _within(hub: Hub) -> Finding:
    inside = [part for part in hub.parts() if not part.name.startswith(("post", "flange"))]
    gaps = [
        (_to_wall(part, hub.across / 2 - WALL), part.name)
        for part in inside
        if not part.name.startswith("power")
    ]
    tall = [(hub.lid_z - part.top, part.name) for part in hub.insides]
    gap, name = min(gaps + tall)
    wrong = "" if gap >= AIR else f"{name} is too large by {AIR - gap:.1f} mm"
    return Finding("everything is inside", f"{gap:.1f} mm at {name}", wrong)


def _bends(hub: Hub) -> Finding:
    """Wires leave a button downwards and bend above the floor."""
    room = min(button.bottom for button in hub.buttons) - FLOOR
    wrong = "" if room >= BEND else f"wires below the buttons need {BEND:g} mm"
    return Finding("bend radius of the wires", f"{room:.0f} mm below the buttons", wrong)


def _reach(hub: Hub) -> Iterator[Gap]:
    """Yield the room beside a screwdriver: above the lid, below the floor, in the open box."""
    above = [replace(each, diameter=BEZEL[hub.button]) for each in hub.buttons]
    for screw in (*hub.lid_screws, *hub.light_screws):
        for part in above:
            yield part.gap(replace(screw, diameter=DRIVER)), f"{screw.name} beside {part.name}"
    heads = [Prism("a mount", x, y, diameter=DRIVER) for x, y in hub.mounts]
    boards = ("computer", "carrier board", "ribbon cable")
    others = [part for part in hub.insides if part.name not in boards]
    for head in heads:
        for part in others:
            yield part.gap(head), f"{head.name} beside {part.name}"


def _beds(hub: Hub) -> Finding:
    """The lid and the box are quarters; what bridges them is one piece."""
    largest = max(hub.across / 2 / cos(pi / 8), geometry.TRAY, 2 * geometry.LIGHTS_EDGE)
    wrong = "" if largest <= BED else f"larger than a bed of {BED:g} mm"
    return Finding("pieces fit the bed", f"{largest:.0f} mm", wrong)


def _least(name: str, gaps: Iterator[Gap], least: float) -> Finding:
    gap, where = min(gaps)
    wrong = "" if gap >= least else f"{where} are {gap:.1f} mm apart, {least:g} are needed"
    return Finding(name, f"{gap:.1f} mm at least ({where})", wrong)


def smallest(hub: Hub) -> Hub:
    """Return the hub with the least `across` at which everything fits, in steps of 10 mm."""
    for across in range(220, 441, 10):
        tried = replace(hub, across=float(across))
        if not any(finding.wrong for finding in findings(tried)):
            return tried
    wrong = next(f.wrong for f in findings(replace(hub, across=440.0)) if f.wrong)
    raise ValueError(f"this hub cannot be built for a bed of {BED:g} mm: {wrong}")
