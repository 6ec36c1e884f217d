"""Lid, box and what is between them as solids, to print or to mill (needs CadQuery)."""

from collections.abc import Iterator
from itertools import groupby
from math import hypot
from pathlib import Path
from struct import unpack_from

import cadquery as cq

from deploy.hub.checks import Finding
from deploy.hub.geometry import (
    BAFFLE,
    DIFFUSER,
    DOCK_DEEP,
    FLOOR,
    LIGHTS_EDGE,
    M3,
    M3_HEAD,
    M3_INSERT,
    PITCH,
    PLATE,
    SPEAKER,
    SPEAKER_AT,
    STANDOFF,
    TRAY,
    TRAY_THICK,
    WALL,
    WINDOW,
    Hub,
    Point,
    Prism,
    polar,
)

CELL = 8.6
WIRE = 3.4
UP = cq.Vector(0, 0, 1)


def cylinder(x: float, y: float, bottom: float, top: float, diameter: float) -> cq.Solid:
    return cq.Solid.makeCylinder(diameter / 2, top - bottom, cq.Vector(x, y, bottom), UP)


def countersink(x: float, y: float, face: float, up: bool) -> cq.Solid:
    """Return the cone for the head of an M3 screw that enters from above or from below."""
    depth = (M3_HEAD - M3) / 2
    wide, at = M3_HEAD / 2 + 0.05, cq.Vector(x, y, face + (0.05 if up else -0.05))
    pointing = cq.Vector(0, 0, -1) if up else UP
    return cq.Solid.makeCone(wide, M3 / 2, depth + 0.05, at, pointing)


def body(prism: Prism, shrink: float = 0.0) -> cq.Solid:
    """Return a prism as a solid."""
    if prism.diameter:
        wide = prism.diameter - shrink
        return cylinder(prism.x, prism.y, prism.bottom, prism.top, wide)
    length, width = prism.length - shrink, prism.width - shrink
    box = cq.Solid.makeBox(length, width, prism.top - prism.bottom)
    box = box.translate(cq.Vector(-length / 2, -width / 2, prism.bottom))
    box = box.rotate(cq.Vector(), UP, prism.angle)
    return box.translate(cq.Vector(prism.x, prism.y, 0))


def octagon(hub: Hub, bottom: float, top: float, inset: float = 0.0) -> cq.Solid:
    corners = [cq.Vector(x, y, bottom) for x, y in hub.outline(inset)]
    face = cq.Face.makeFromWires(cq.Wire.makePolygon(corners, close=True))
    return cq.Solid.extrudeLinear(face, cq.Vector(0, 0, top - bottom))


def lid(hub: Hub) -> cq.Shape:
    low, high = hub.lid_z, hub.height
    screws = (*hub.lid_screws, *hub.light_screws)
    return octagon(hub, low, high).cut(
        *(body(button) for button in hub.buttons),
        *(cylinder(p.x, p.y, low, high, WINDOW) for p in hub.pixels),
        *(cylinder(d.x, d.y, high - DOCK_DEEP, high, d.diameter) for d in hub.dock_places),
        *(cylinder(s.x, s.y, low, high, M3) for s in screws),
        *(countersink(s.x, s.y, high, up=True) for s in screws),
    )


def box(hub: Hub) -> cq.Shape:
    shell = octagon(hub, 0, hub.lid_z).cut(octagon(hub, FLOOR, hub.lid_z, WALL))
    joined = shell.fuse(*(body(each) for each in (*hub.posts, *hub.flanges)))
    trimmed = joined.intersect(octagon(hub, 0, hub.lid_z))
    jack, button = (part for part in hub.insides if part.name.startswith("power"))
    grill = [cylinder(x, y, 0, FLOOR, 5) for x, y in _grill()]
    bolts = []
    for each in hub.flanges:
        x, y = polar(hypot(each.x, each.y) - 3, each.angle)
        start = cq.Vector(x, y, 13) - cq.Vector(*polar(6, each.angle + 90))
        bolts.append(
            cq.Solid.makeCylinder(M3 / 2, 12, start, cq.Vector(*polar(1, each.angle + 90)))
        )
    outwards = cq.Vector(0, -1, 0)
    return trimmed.cut(
        *(cylinder(p.x, p.y, hub.lid_z - 10, hub.lid_z, M3_INSERT) for p in hub.posts),
        *(cylinder(s.x, s.y, 0, FLOOR, M3) for s in hub.tray_screws),
        *(countersink(s.x, s.y, 0, up=False) for s in hub.tray_screws),
        *(
            cq.Solid.makeCylinder(6, 14, cq.Vector(p.x, -hub.across / 2 + 12, 13), outwards)
            for p in (jack, button)
        ),
        *grill,
        *bolts,
    )


def _grill() -> Iterator[Point]:
    x, y = SPEAKER_AT
    yield x, y
    for radius, count in ((8.0, 6), (16.0, 12)):
        for n in range(count):
            u, v = polar(radius, 360 / count * n)
            yield x + u, y + v


def tray(hub: Hub) -> cq.Shape:
    """Return the plate that bridges the quarters of the floor and carries the boards."""
    top = FLOOR + TRAY_THICK
    plate = cylinder(0, 0, FLOOR, top, TRAY)
    return plate.fuse(*(cylinder(x, y, top, top + STANDOFF, 7) for x, y in hub.mounts)).cut(
        *(cylinder(x, y, FLOOR, top + STANDOFF, 2.2) for x, y in hub.mounts),
        *(cylinder(s.x, s.y, FLOOR, top, M3) for s in hub.tray_screws),
        cylinder(*SPEAKER_AT, FLOOR, top, SPEAKER - 6),
    )


def _lights(hub: Hub, bottom: float, top: float) -> cq.Shape:
    """Return a layer of the lights: a disc with holes for its screws, and room for the docks."""
    docks = [cylinder(d.x, d.y, bottom, top, d.diameter + 2) for d in hub.dock_places]
    screws = [cylinder(s.x, s.y, bottom, top, M3) for s in hub.light_screws]
    return cylinder(0, 0, bottom, top, 2 * LIGHTS_EDGE).cut(*docks, *screws)


def diffuser(hub: Hub) -> cq.Shape:
    return _lights(hub, hub.lid_z - DIFFUSER, hub.lid_z)


def baffle(hub: Hub) -> cq.Shape:
    """Return the grid with a cell for each pixel."""
    top = hub.lid_z - DIFFUSER
    cells = (
        Prism("cell", p.x, p.y, top - BAFFLE, top, length=CELL, width=CELL, angle=p.angle)
        for p in hub.pixels
    )
    return _lights(hub, top - BAFFLE, top).cut(*map(body, cells))


def plate(hub: Hub) -> cq.Shape:
    """Return the plate for the strips, with a hole for the wires at both ends of each piece."""
    top = hub.lid_z - DIFFUSER - BAFFLE
    ends = (cylinder(x, y, top - PLATE, top, WIRE) for x, y in wire_holes(hub))
    return _lights(hub, top - PLATE, top).cut(*ends)


def pieces(hub: Hub) -> list[list[Prism]]:
    """Return the pieces of the strip: rows of three pixels, and single ones in the ring."""
    found: list[list[Prism]] = []
    for name, run in groupby(hub.pixels, key=lambda pixel: pixel.name):
        pixels, step = list(run), 1 if name == "ring" else 3
        found += [pixels[at : at + step] for at in range(0, len(pixels), step)]
    return found


def wire_holes(hub: Hub) -> Iterator[Point]:
    for piece in pieces(hub):
        middle = piece[len(piece) // 2]
        for way in (1, -1):
            u, v = polar(way * (len(piece) * PITCH / 2 + 2.2), middle.angle)
            yield middle.x + u, middle.y + v


def quarters(hub: Hub, whole: cq.Shape) -> list[cq.Shape]:
    size, tall = hub.across, hub.height + 2
    corner = cq.Solid.makeBox(size, size, tall).translate(cq.Vector(0, 0, -1))
    return [
        whole.intersect(corner.rotate(cq.Vector(), UP, hub.cut + 90 * n)).rotate(
            cq.Vector(), UP, -hub.cut - 90 * n
        )
        for n in range(4)
    ]


def wholes(hub: Hub) -> dict[str, cq.Shape]:
    """Return every printed or cut part, where it belongs."""
    makers = (box, tray, plate, baffle, diffuser, lid)
    return {make.__name__: make(hub) for make in makers}


def printed(hub: Hub, parts: dict[str, cq.Shape]) -> dict[str, cq.Shape]:
    """Return the pieces that are printed one by one: lid and box as quarters."""
    found: dict[str, cq.Shape] = {}
    for name, shape in parts.items():
        if name in ("lid", "box"):
            found |= {f"{name}-{n}": each for n, each in enumerate(quarters(hub, shape), 1)}
        else:
            found[name] = shape
    return found


def export(pieces_: dict[str, cq.Shape], folder: Path) -> None:
    """Write each piece as STL and STEP."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, shape in pieces_.items():
        cq.exporters.export(cq.Workplane(shape), str(folder / f"{name}.step"))
        shape.exportStl(str(folder / f"{name}.stl"), 0.05, 0.3)


# Checks


def findings(hub: Hub, parts: dict[str, cq.Shape], folder: Path) -> Iterator[Finding]:
    """Check the solids, and the files that `export` wrote."""
    single = printed(hub, parts)
    wrong = [name for name, shape in single.items() if not _closed(shape)]
    volume = sum(shape.Volume() for shape in single.values()) / 1000
    yield Finding("closed solids in one piece", f"{volume:.0f} cm³", ", ".join(wrong))
    wrong = [file.stem for file in sorted(folder.glob("*.stl")) if not watertight(file)]
    yield Finding("watertight meshes", f"{len(single)} files", ", ".join(wrong))
    wrong = [name for name, shape in single.items() if overhang(shape) > 1]
    yield Finding("printable without supports", f"{len(single)} pieces", ", ".join(wrong))
    largest = max(max(_size(shape)) for shape in single.values())
    wrong = [name for name, shape in single.items() if max(_size(shape)) > 220]
    yield Finding("printed pieces fit the bed", f"{largest:.0f} mm", ", ".join(wrong))
    yield _clashes(hub, parts)


def _closed(shape: cq.Shape) -> bool:
    return bool(shape.isValid() and len(shape.Solids()) == 1 and shape.Volume() > 100)


def _size(shape: cq.Shape) -> tuple[float, float]:
    bounds = shape.BoundingBox()
    return bounds.xlen, bounds.ylen


def overhang(shape: cq.Shape) -> float:
    """Return the area in mm² that looks down and lies on nothing; the bed carries the lowest."""
    bed = min(vertex.Z for vertex in shape.Vertices()) + 0.2
    hanging = 0.0
    for face in shape.Faces():
        if face.geomType() == "PLANE" and face.normalAt().z < -0.75 and face.Center().z > bed:
            hanging += face.Area()
    return hanging


def watertight(file: Path) -> bool:
    """Say whether each edge of a binary STL belongs to two triangles, once in each direction."""
    data = file.read_bytes()
    (count,) = unpack_from("<I", data, 80)
    edges: dict[tuple[Corner, Corner], int] = {}
    for at in range(84, 84 + 50 * count, 50):
        numbers = unpack_from("<9f", data, at + 12)
        a, b, c = numbers[:3], numbers[3:6], numbers[6:]
        for edge in ((a, b), (b, c), (c, a)):
            edges[edge] = edges.get(edge, 0) + 1
    return bool(edges) and all(edges.get((b, a)) == times for (a, b), times in edges.items())


Corner = tuple[float, ...]


def _clashes(hub: Hub, parts: dict[str, cq.Shape]) -> Finding:
    """Nothing that is bought lies within what is printed, and no two printed parts overlap."""
    bought = [(part.name, body(part, shrink=0.2)) for part in (*hub.buttons, *hub.insides)]
    bought += [(f"{d.name}'s switch", body(_below(d, hub.lid_z), 0.2)) for d in hub.dock_places]
    found = []
    names = list(parts)
    for at, name in enumerate(names):
        others = [*bought, *((other, parts[other]) for other in names[at + 1 :])]
        compound = cq.Compound.makeCompound([shape for _, shape in others])
        if parts[name].intersect(compound).Volume() > 0.5:
            found += [
                f"{name} and {other}"
                for other, shape in others
                if parts[name].intersect(shape).Volume() > 0.5
            ]
    return Finding("no solids collide", f"{len(bought) + len(names)} solids", ", ".join(found))


def _below(dock: Prism, top: float) -> Prism:
    return Prism(dock.name, dock.x, dock.y, dock.bottom, top, dock.diameter)
