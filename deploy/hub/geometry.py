"""The hub as an object: the one description from which case, board, parts list and page follow.

Millimetres; x to the right, y away from you, z up from the table; seen from above, seats count
clockwise. What lies where is computed from the hardware settings, so every hole has the name of its
button and every window the number of its pixel.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from math import atan2, cos, degrees, hypot, pi, radians, sin
from typing import Literal

from hal.hardware_settings import HardwareSettings

Computer = Literal["pi", "zero", "pico"]
Point = tuple[float, float]

FLOOR = LID = WALL = 4.0
PITCH = 10.42
"""Distance of pixels on a strip of 96 a metre, one of which is enough for the standard hub."""
STRIP = 10.0
WINDOW = 8.0
FACE_ROW, FACE_HALF = 11.0, 21.0
RING, TRAIN, SEAT_LIGHTS, DOCK = 57.0, 71.0, 86.0, 95.0
"""Radii of the lights and the docks; the buttons follow the edge."""
DIFFUSER, BAFFLE, PLATE = 0.8, 8.2, 2.0
LIGHTS_DEPTH = DIFFUSER + BAFFLE + PLATE
"""The layers below the lid; the plate carries the strips."""
LIGHTS_EDGE = 97.0
DOCK_WIDE, DOCK_DEEP = 22.0, 2.0
TRAY, TRAY_THICK, STANDOFF = 190.0, 3.0, 6.0
BED = 220.0
BEND = 10.0
"""Bend radius of the wires and of the ribbon cable."""
UNDER_BUTTONS = 18.0
M3, M3_HEAD, M3_INSERT = 3.4, 6.0, 4.0

BEZEL = {24: 28.0, 30: 34.0}
BUTTON_DEPTH = {24: 34.0, 30: 38.0}
BOARDS: dict[str, tuple[float, float, float]] = {
    "pi": (85.0, 56.0, 18.0),
    "zero": (65.0, 30.0, 4.0),
    "pico": (51.0, 21.0, 4.0),
}
"""Length, width and height of each computer; the height is that of its tallest connector."""
MOUNTS: dict[str, tuple[tuple[float, float], ...]] = {
    "pi": ((-39.0, -24.5), (19.0, -24.5), (-39.0, 24.5), (19.0, 24.5)),
    "zero": ((-29.0, -11.5), (29.0, -11.5), (-29.0, 11.5), (29.0, 11.5)),
    "pico": ((-23.5, -5.7), (23.5, -5.7), (-23.5, 5.7), (23.5, 5.7)),
}
CARRIER = (120.0, 80.0)
COMPUTER_AT, CARRIER_AT, SPEAKER_AT = (-25.0, -38.0), (0.0, 32.0), (46.0, -38.0)
SPEAKER, SPEAKER_DEEP = 50.0, 22.0


def polar(radius: float, angle: float) -> Point:
    return radius * cos(radians(angle)), radius * sin(radians(angle))


@dataclass(frozen=True)
class Prism:
    """An upright body: a circle if `diameter` is set, else a rectangle turned by `angle`."""

    name: str
    x: float
    y: float
    bottom: float = 0.0
    top: float = 0.0
    diameter: float = 0.0
    length: float = 0.0
    width: float = 0.0
    angle: float = 0.0

    @cached_property
    def corners(self) -> tuple[Point, ...]:
        """The corners of a rectangle, or the centre of a circle."""
        if self.diameter:
            return ((self.x, self.y),)
        c, s = cos(radians(self.angle)), sin(radians(self.angle))
        half = ((1, 1), (-1, 1), (-1, -1), (1, -1))
        sides = [(u * self.length / 2, v * self.width / 2) for u, v in half]
        return tuple((self.x + u * c - v * s, self.y + u * s + v * c) for u, v in sides)

    @property
    def radius(self) -> float:
        return self.diameter / 2

    def near(self, other: "Prism", distance: float) -> bool:
        """Say whether the gap may be less than this; far quicker than to measure it."""
        mine, theirs = (hypot(p.length, p.width) / 2 + p.radius for p in (self, other))
        return hypot(self.x - other.x, self.y - other.y) < mine + theirs + distance

    def gap(self, other: "Prism") -> float:
        """Return the distance seen from above; negative if one is within the other."""
        return _apart(self.corners, other.corners) - self.radius - other.radius

    def beside(self, other: "Prism") -> bool:
        """Say whether there is a height at which both are."""
        return self.bottom < other.top and other.bottom < self.top


def _apart(one: tuple[Point, ...], two: tuple[Point, ...]) -> float:
    if (overlap := _overlap(one, two)) > 0:
        return -overlap
    return min(*(_to_edges(p, two) for p in one), *(_to_edges(p, one) for p in two))


def _overlap(one: tuple[Point, ...], two: tuple[Point, ...]) -> float:
    """Return how far two convex bodies would have to move apart; zero if they do not touch."""
    least = float("inf") if len(one) + len(two) > 2 else 0.0
    for corners in (one, two):
        for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True):
            if length := hypot(bx - ax, by - ay):
                u, v = (ay - by) / length, (bx - ax) / length
                mine, theirs = ([x * u + y * v for x, y in body] for body in (one, two))
                least = min(least, max(mine) - min(theirs), max(theirs) - min(mine))
    return max(0.0, least)


def _to_edges(point: Point, corners: tuple[Point, ...]) -> float:
    x, y = point
    best = float("inf")
    for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True):
        dx, dy = bx - ax, by - ay
        along = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy) if dx or dy else 0.0
        along = min(1.0, max(0.0, along))
        best = min(best, hypot(x - ax - along * dx, y - ay - along * dy))
    return best


def _angle(part: Prism) -> float:
    return degrees(atan2(part.y, part.x))


@dataclass(frozen=True)
class Hub:
    """A hub of certain settings and sizes; `across` is the distance of two opposite sides."""

    settings: HardwareSettings = field(default_factory=HardwareSettings)
    button: int = 30
    across: float = 310.0
    docks: bool = True
    computer: Computer = "pi"

    # Sizes

    @property
    def seats(self) -> int:
        return sum(name.startswith("seat-") for name in self.settings.buttons.pins)

    @property
    def lid_z(self) -> float:
        """The height of the lid's underside."""
        return FLOOR + UNDER_BUTTONS + BUTTON_DEPTH[self.button]

    @property
    def height(self) -> float:
        return self.lid_z + LID

    def outline(self, inset: float = 0.0) -> tuple[Point, ...]:
        """Return the corners of the octagon, counterclockwise."""
        radius = (self.across / 2 - inset) / cos(pi / 8)
        return tuple(polar(radius, 22.5 + 45 * side) for side in range(8))

    @property
    def button_radius(self) -> float:
        return self.across / 2 - BEZEL[self.button] / 2 - 12

    # Directions

    def seat_angle(self, seat: int) -> float:
        return 90 - (seat - 0.5) * 360 / self.seats

    def control_angle(self, control: str) -> float:
        """Return the direction of a control: each is between two seats, as far apart as can be."""
        place = ("whistle", "advance", "train", "undo").index(control)
        return 90 - round(place * self.seats / 4) * 360 / self.seats

    def angle(self, button: str) -> float:
        if button.startswith("seat-"):
            return self.seat_angle(int(button[5:]))
        return self.control_angle(button)

    def turn(self, part: Prism) -> float:
        """Return the direction of a part, counterclockwise from the left of the first seat."""
        return (_angle(part) - 91) % 360

    # Places in and on the lid

    @cached_property
    def buttons(self) -> tuple[Prism, ...]:
        """The bodies of the buttons, below the lid and through it."""
        return tuple(
            Prism(
                name,
                *polar(self.button_radius, self.angle(name)),
                self.lid_z - BUTTON_DEPTH[self.button],
                self.height,
                self.button,
            )
            for name in self.settings.buttons.pins
        )

    @cached_property
    def pixels(self) -> tuple[Prism, ...]:
        """The pixels in the order of the chain, each with its piece of strip."""
        found = {}
        for zone in self.settings.lights.zones:
            for number, (x, y, angle) in enumerate(self._zone(zone.name, zone.count)):
                found[zone.start + number] = Prism(
                    *(zone.name, x, y, self.lid_z - LIGHTS_DEPTH, self.lid_z),
                    length=PITCH,
                    width=STRIP,
                    angle=angle,
                )
        return tuple(found[number] for number in sorted(found))

    def _zone(self, name: str, count: int) -> Iterator[tuple[float, float, float]]:
        if name == "face":
            for number in range(count):
                half, cell = divmod(number, 15)
                x = (FACE_HALF if half else -FACE_HALF) + PITCH * (cell % 3 - 1)
                yield x, FACE_ROW * (2 - cell // 3), 0.0
            return
        if name == "ring":
            for number in range(count):
                angle = 90 - 360 / count * number
                yield *polar(RING, angle), angle + 90
            return
        radius = TRAIN if name == "train" else SEAT_LIGHTS
        angle = self.angle(name)
        # The chain goes clockwise; along the train's lights it comes back.
        way = -1 if name == "train" else 1
        for number in range(count):
            aside = way * PITCH * ((count - 1) / 2 - number)
            x, y = polar(radius, angle)
            dx, dy = polar(aside, angle + 90)
            yield x + dx, y + dy, angle + 90

    @cached_property
    def dock_places(self) -> tuple[Prism, ...]:
        """The docks: a recess for a marker on the lid, a reed switch below it."""
        if not self.docks:
            return ()
        aside = min(180 / self.seats, 22.0)
        return tuple(
            Prism(
                f"dock-{seat}",
                *polar(DOCK, self.seat_angle(seat) - aside),
                self.lid_z - 8,
                self.height,
                DOCK_WIDE,
            )
            for seat in range(1, self.seats + 1)
            if f"dock-{seat}" in self.settings.docks.lines
        )

    @cached_property
    def light_screws(self) -> tuple[Prism, ...]:
        """The screws from above that hold the lights and bridge the quarters of the lid."""
        first = self.control_angle("train") + 22.5
        return tuple(
            Prism(f"light screw {n + 1}", *polar(TRAIN, first + 45 * n), 0, 0, M3_HEAD)
            for n in range(8)
        )

    @cached_property
    def lid_screws(self) -> tuple[Prism, ...]:
        """The screws from above into the posts in the corners."""
        radius = (self.across / 2 - WALL - 4) / cos(pi / 8)
        return tuple(
            Prism(
                f"lid screw {n + 1}",
                *polar(radius, 22.5 + 45 * n),
                FLOOR,
                self.height,
                M3_HEAD,
            )
            for n in range(8)
        )

    # Places in the box

    @cached_property
    def tray_screws(self) -> tuple[Prism, ...]:
        """The screws from below that hold the tray and bridge the quarters of the floor."""
        places = ((84, 12), (75, 48), (15, 84), (-15, 84), (-75, 48), (-84, 12), (-84, -20))
        return tuple(
            Prism(f"tray screw {n + 1}", x, y, 0, FLOOR + TRAY_THICK, M3_HEAD)
            for n, (x, y) in enumerate((*places, (84, -20), (-24, -80), (24, -80)))
        )

    @cached_property
    def insides(self) -> tuple[Prism, ...]:
        """The parts on the tray and at the wall."""
        base = FLOOR + TRAY_THICK
        low = base + STANDOFF
        deck = low + 1.6
        length, width, tall = BOARDS[self.computer]
        x, y = COMPUTER_AT
        wall = -(self.across / 2 - WALL)
        found = [
            Prism("computer", x, y, low, deck + tall, length=length, width=width),
            Prism(
                "carrier board", *CARRIER_AT, low, deck + 20, length=CARRIER[0], width=CARRIER[1]
            ),
            Prism("loudspeaker", *SPEAKER_AT, base, base + SPEAKER_DEEP, SPEAKER),
            Prism("power jack", -24, wall + 11, 6, 20, length=14, width=22),
            Prism("power button", 24, wall + 11, 6, 20, length=14, width=22),
        ]
        if self.computer != "pico":
            plug = deck + 8.5 + 6 + BEND
            edge = y + width / 2 - 3.5
            found.append(Prism("ribbon cable", x, edge, deck + tall, plug, length=52, width=6))
        return tuple(found)

    @property
    def mounts(self) -> tuple[Point, ...]:
        """The holes of the computer and the carrier board in the tray."""
        x, y = COMPUTER_AT
        cx, cy = CARRIER_AT
        across, deep = CARRIER[0] / 2 - 3, CARRIER[1] / 2 - 3
        corners = [(cx + u * across, cy + v * deep) for u, v in product((-1, 1), (-1, 1))]
        return (*((x + u, y + v) for u, v in MOUNTS[self.computer]), *corners)

    @property
    def posts(self) -> tuple[Prism, ...]:
        """The posts in the corners of the box, for the lid's screws."""
        return tuple(
            Prism(f"post {n}", s.x, s.y, FLOOR, self.lid_z, 9.0)
            for n, s in enumerate(self.lid_screws, 1)
        )

    @cached_property
    def cut(self) -> float:
        """The direction of the first cut into quarters: as far from what is there as can be."""
        sockets = [p for p in self.insides if p.name.startswith("power")]
        there = [(h, h.radius) for h in (*self.buttons, *self.lid_screws)]
        there += [(socket, socket.length + 2) for socket in sockets]

        def room(angle: int) -> float:
            """Return the least distance to one of the four cuts."""
            return min(
                hypot(h.x, h.y) * abs(sin(radians((_angle(h) - angle + 45) % 90 - 45))) - wide
                for h, wide in there
            )

        return float(max(range(90), key=room))

    @property
    def flanges(self) -> tuple[Prism, ...]:
        """The pairs of tabs where the quarters of the box are bolted together."""
        found = []
        for angle in (self.cut + 90 * n for n in range(4)):
            turned = radians((angle + 22.5) % 45 - 22.5)
            x, y = polar((self.across / 2 - WALL) / cos(turned) - 6, angle)
            name = f"flange at {angle:g}°"
            found.append(Prism(name, x, y, FLOOR, 20, length=14, width=8, angle=angle))
        return tuple(found)

    def parts(self) -> tuple[Prism, ...]:
        """Return everything that takes up room inside the closed hub."""
        inside = (*self.buttons, *self.pixels, *self.dock_places, *self.insides)
        return (*inside, *self.posts, *self.flanges)
