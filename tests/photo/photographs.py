"""Photographs of dominoes, rendered: what the counting of pips is tried on.

A seed gives one photograph and the truth about it. Tiles lie on a table seen by a camera: their
faces and sides are projected, then light, shadow, glare, blur, noise and JPEG are laid over them.
Lengths on the table are in halves of a tile: a tile is 2 by 1.
"""

from __future__ import annotations

import io
import math
from dataclasses import dataclass, field, replace

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

Vector = np.ndarray

ROWS = {
    1: ["... .o. ..."],
    2: ["..o ... o..", "o.. ... ..o"],
    3: ["..o .o. o..", "o.. .o. ..o"],
    4: ["o.o ... o.o"],
    5: ["o.o .o. o.o"],
    6: ["o.o o.o o.o"],
    7: ["o.o ooo o.o"],
    8: ["ooo o.o ooo"],
    9: ["ooo ooo ooo"],
}
"""The pips of a half, row by row from its outer end to the middle of the tile."""

FOUR_ROWS = {
    10: ["ooo o.o o.o ooo"],
    11: ["ooo ... o.o .o. o.o ... ooo"],  # Ten with one more in the middle, between two rows.
    12: ["ooo ooo ooo ooo"],
}
FIVE_ROWS = {
    10: ["o.o o.o o.o o.o o.o"],
    11: ["o.o o.o ooo o.o o.o"],
    12: ["ooo ooo ... ooo ooo", "ooo o.o o.o o.o ooo"],
    13: ["ooo o.o ooo o.o ooo"],
    14: ["ooo ooo o.o ooo ooo"],
    15: ["ooo ooo ooo ooo ooo"],
}

LIGHT_SUITS = {
    1: (60, 145, 205), 2: (30, 130, 60), 3: (200, 40, 40), 4: (120, 75, 40), 5: (40, 70, 180),
    6: (222, 165, 15), 7: (155, 105, 185), 8: (20, 130, 130), 9: (110, 40, 130),
    10: (228, 115, 30), 11: (150, 20, 50), 12: (120, 120, 126), 13: (120, 175, 40),
    14: (228, 105, 145), 15: (25, 35, 95),
}  # fmt: skip

BODIES = {
    "ivory": (236, 226, 200), "white": (240, 240, 236), "bone": (222, 208, 176),
    "black": (32, 31, 34), "slate": (48, 54, 62), "walnut": (74, 46, 30),
    "red": (140, 28, 34), "green": (24, 84, 58), "blue": (28, 52, 108),
}  # fmt: skip
LIGHT = ("ivory", "white", "bone")

TABLES = ("oak", "pine", "walnut", "felt", "linen", "checks", "dots", "stripes", "plain", "stone")


@dataclass(frozen=True)
class Level:
    """The difficulty of a photograph: the maximum of each disturbance, all drawn at random."""

    tilt: float
    blur: float
    noise: float
    quality: tuple[int, int]
    touching: float
    glare: int
    shadow: float
    light: float
    cut: float
    tables: tuple[str, ...]
    contrast: float
    small: float = 0.0
    rows: float = 0.0
    backs: int = 0
    hands: float = 0.0
    shadows: int = 1
    warmth: float = 0.12


LEVELS = {
    "easy": Level(12, 0.7, 3, (88, 95), 0.0, 0, 0.0, 0.15, 0.0, (*TABLES[:4], "plain"), 70),
    "fair": Level(25, 1.1, 6, (78, 92), 0.4, 1, 0.3, 0.3, 0.1, TABLES, 45),
    "hard": Level(35, 1.6, 10, (60, 85), 0.7, 3, 0.6, 0.45, 0.25, TABLES, 28),
    "unkind": Level(
        30,
        1.3,
        8,
        (60, 88),
        0.7,
        2,
        0.5,
        0.45,
        0.15,
        TABLES,
        8,
        small=0.35,
        rows=0.35,
        backs=3,
        hands=0.4,
        shadows=2,
        warmth=0.35,
    ),
}


@dataclass(frozen=True)
class Placed:
    """A tile on the table: its halves, its middle, its angle."""

    halves: tuple[int, int] | None
    """None for a tile with its back up."""
    x: float
    y: float
    angle: float

    def corners(self, grow: float = 0.0) -> Vector:
        """From the first half's left corner round."""
        a, b = 1 + grow, 0.5 + grow
        local = np.array([(-a, -b), (a, -b), (a, b), (-a, b)])
        c, s = math.cos(self.angle), math.sin(self.angle)
        return local @ np.array([(c, s), (-s, c)]) + (self.x, self.y)


@dataclass
class Photograph:
    """A picture and its true contents."""

    image: Image.Image
    set: int
    level: str
    tiles: list[dict[str, object]] = field(default_factory=list)

    def truth(self) -> dict[str, object]:
        return {
            "set": self.set,
            "level": self.level,
            "width": self.image.width,
            "height": self.image.height,
            "tiles": self.tiles,
        }


def photograph(
    seed: int,
    size: int,
    level: str,
    count: int | None = None,
    width: int = 1600,
    *,
    numerals: bool = False,
) -> Photograph:
    """One hand of a double-`size` set; the same seed gives the same picture."""
    rng = np.random.default_rng(seed)
    trouble = LEVELS[level]
    width, height = (width, width * 3 // 4) if rng.random() < 0.7 else (width * 3 // 4, width)
    count = count or int(rng.integers(1, 16))
    look = replace(_Look.chosen(rng, size), numerals=numerals)
    hand = _drawn(rng, size, count)
    in_rows = trouble.rows and rng.random() < trouble.rows
    placed = _in_rows(rng, hand) if in_rows else _laid_out(rng, hand, trouble, width / height)
    backs = _backs(rng, placed, trouble)
    far = rng.uniform(1.4, 2.4) if trouble.small and rng.random() < trouble.small else 1.0
    camera = _Camera.over(rng, [*placed, *backs], trouble, width, height, far)
    picture = _table(rng, camera, look, trouble)
    for _ in range(trouble.shadows):
        _cast_shadows(rng, picture, [*placed, *backs], camera)
    for tile in sorted([*placed, *backs], key=lambda t: camera.depth(t.x, t.y), reverse=True):
        _put(rng, picture, tile, look, camera)
    if trouble.hands and rng.random() < trouble.hands:
        _hold(rng, picture, camera, placed)
    image = _developed(rng, picture, placed, camera, trouble)
    return Photograph(image, size, level, [_seen(tile, camera) for tile in placed])


def bare_table(seed: int, trouble: Level, width: int) -> Image.Image:
    """A table on which no tile lies."""
    rng = np.random.default_rng(seed)
    look = _Look.chosen(rng, 9)
    corners = [Placed((0, 0), x, y, 0.0) for x in (-4, 4) for y in (-3, 3)]
    camera = _Camera.over(rng, corners, trouble, width, width * 3 // 4)
    table = _table(rng, camera, look, trouble)
    return _developed(rng, table, corners, camera, replace(trouble, glare=0))


def _drawn(rng: np.random.Generator, size: int, count: int) -> list[tuple[int, int]]:
    every = [(a, b) for a in range(size + 1) for b in range(a, size + 1)]
    picked = [every[at] for at in rng.permutation(len(every))[:count]]
    return [(b, a) if rng.random() < 0.5 else (a, b) for a, b in picked]


def _seen(tile: Placed, camera: _Camera) -> dict[str, object]:
    corners = camera.project(tile.corners(), _Look.THICK)
    inside = (corners >= -2) & (corners <= (camera.width + 1, camera.height + 1))
    return {
        "halves": list(tile.halves or ()),
        "corners": np.round(corners, 1).tolist(),
        "cut": not bool(inside.all()),
    }


# How a set is printed


@dataclass(frozen=True)
class _Look:
    """One set: body, pips, where they lie, how large they are."""

    body: tuple[float, ...]
    side: tuple[float, ...]
    pips: dict[int, tuple[float, ...]]
    layouts: dict[int, str]
    radius: dict[int, float]
    spread: tuple[float, float]
    turned: bool
    bar: tuple[float, ...]
    bar_width: float
    spinner: bool
    corner: float
    marble: float
    numerals: bool = False

    THICK = 0.36

    @classmethod
    def chosen(cls, rng: np.random.Generator, size: int) -> _Look:
        name = str(rng.choice(list(BODIES), p=[0.2, 0.25, 0.1, 0.13, 0.07, 0.07, 0.06, 0.06, 0.06]))
        body = np.clip(np.array(BODIES[name]) + rng.normal(0, 5, 3), 8, 248)
        light = name in LIGHT
        large = size > 9
        coloured = rng.random() < (0.8 if large else 0.45) and name in (*LIGHT, "black")
        plain = (25, 24, 26) if light else (238, 234, 224)
        pips = {
            n: np.array(_lightened(LIGHT_SUITS[n], light) if coloured else plain)
            + rng.normal(0, 6, 3)
            for n in range(1, size + 1)
        }
        r = rng.uniform(0.058, 0.074) if large else rng.uniform(0.075, 0.105)
        shrink = rng.random() < 0.5 and size > 9
        radius = {n: r * (1.5 if shrink and n < 10 else 1) for n in range(1, size + 1)}
        base = np.array(plain if rng.random() < 0.6 else (176, 142, 72))
        back = body * rng.uniform(0.55, 0.9) if rng.random() < 0.7 else np.array((70.0, 45, 30))
        return cls(
            tuple(body), tuple(back), {n: tuple(c) for n, c in pips.items()},
            _layouts(rng, size), radius,
            (rng.uniform(0.25, 0.31),
             rng.uniform(0.31, 0.36) if large else rng.uniform(0.25, 0.31)),
            bool(large and rng.random() < 0.3), tuple(body * 0.35 + base * 0.65),
            rng.uniform(0.012, 0.03), bool(rng.random() < 0.3), rng.uniform(0.05, 0.13),
            float(rng.choice([0, 0, 4, 9])),
        )  # fmt: skip


def _lightened(colour: tuple[int, int, int], light: bool) -> tuple[float, ...]:
    return colour if light else tuple(90 + 0.65 * c for c in colour)


def _layouts(rng: np.random.Generator, size: int) -> dict[int, str]:
    """A set has one way to print a number: ten to twelve in four rows or in five."""
    four = size > 9 and rng.random() < 0.5
    table = {**ROWS, **FIVE_ROWS, **(FOUR_ROWS if four else {})}
    return {n: str(rng.choice(table[n])) for n in range(1, size + 1)}


def _places(look: _Look, number: int) -> list[tuple[float, float]]:
    """Along the tile and across it, from the middle of its half, in halves."""
    if not number:
        return []
    rows = look.layouts[number].split()
    across, along = look.spread
    if number < 10:
        along = min(along, across * 1.08)
    steps = [((row / (len(rows) - 1)) * 2 - 1) * along for row in range(len(rows))]
    spots = [
        (steps[row], (column - 1) * across)
        for row, dots in enumerate(rows)
        for column, dot in enumerate(dots)
        if dot == "o"
    ]
    return [(y, x) for x, y in spots] if look.turned and number >= 10 else spots


DOTS = 220
"""Pixels of a half in a face's drawing."""
EDGE = 6


def _face(rng: np.random.Generator, tile: Placed, look: _Look) -> tuple[Vector, Image.Image]:
    """The face of a tile and its shape, drawn large."""
    s = 2  # Drawn at twice the size, for smooth edges.
    w, h = 2 * DOTS + 2 * EDGE, DOTS + 2 * EDGE
    image = Image.new("RGB", (w * s, h * s), _rgb(look.body))
    draw = ImageDraw.Draw(image)
    middle = (w * s / 2, h * s / 2)
    if tile.halves:
        bar = look.bar_width * DOTS * s
        reach = 0.42 * DOTS * s
        draw.rectangle(
            (middle[0] - bar / 2, middle[1] - reach, middle[0] + bar / 2, middle[1] + reach),
            _rgb(look.bar),
        )
    for end, number in zip((-1, 1), tile.halves or (), strict=False):
        if look.numerals:
            colour = look.pips[max(number, 1)]
            _numeral(draw, middle[0] + end * 0.5 * DOTS * s, middle[1], number, colour)
            continue
        for along, across in _places(look, number):
            x = middle[0] + end * (0.5 - along) * DOTS * s
            y = middle[1] + across * DOTS * s
            _pip(draw, x, y, look.radius[number] * DOTS * s, look.pips[number])
    if look.spinner and tile.halves:
        r = 0.045 * DOTS * s
        box = (middle[0] - r, middle[1] - r, middle[0] + r, middle[1] + r)
        draw.ellipse(box, (188, 158, 92), (120, 96, 50), s)
    small = np.asarray(image.resize((w, h), Image.Resampling.BOX), dtype=np.float32)
    if look.marble:
        small = small + clouds(rng, w, h, 24)[..., None] * look.marble
    shape = Image.new("L", (w * s, h * s), 0)
    box = (EDGE * s, EDGE * s, (w - EDGE) * s - 1, (h - EDGE) * s - 1)
    ImageDraw.Draw(shape).rounded_rectangle(box, look.corner * DOTS * s, 255)
    shape = shape.resize((w, h), Image.Resampling.BOX)
    return _bevelled(small, shape), shape


def _rgb(colour: tuple[float, ...]) -> tuple[int, ...]:
    return tuple(int(np.clip(c, 0, 255)) for c in colour)


def _pip(
    draw: ImageDraw.ImageDraw, x: float, y: float, r: float, colour: tuple[float, ...]
) -> None:
    """A drilled and painted dimple: its upper rim is in shade."""
    draw.ellipse((x - r, y - r, x + r, y + r), _rgb(tuple(c * 0.8 for c in colour)))
    draw.ellipse((x - r * 0.92, y - r * 0.86, x + r * 0.92, y + r * 0.98), _rgb(colour))


def _numeral(
    draw: ImageDraw.ImageDraw, x: float, y: float, number: int, colour: tuple[float, ...]
) -> None:
    """A number as it is printed on sets for those who do not count pips."""
    font = ImageFont.load_default(DOTS)
    draw.text((x, y), str(number), _rgb(colour), font, anchor="mm")


def _bevelled(face: Vector, shape: Image.Image) -> Vector:
    """Edges are rounded: light from above left makes two brighter and two darker."""
    soft = np.asarray(shape.filter(ImageFilter.GaussianBlur(5)), dtype=np.float32) / 255
    gy, gx = np.gradient(soft)
    return face * (1 + np.clip((gx + gy) * 3.0, -0.3, 0.15)[..., None])


# Where the tiles lie


def _laid_out(
    rng: np.random.Generator, tiles: list[tuple[int, int]], trouble: Level, shape: float
) -> list[Placed]:
    """In groups that touch, or strewn over the table."""
    touching = rng.random() < trouble.touching
    room = 1.0 * math.sqrt(len(tiles)) + 0.7
    placed: list[Placed] = []
    waiting = list(tiles)
    while waiting:
        size = min(len(waiting), int(rng.integers(2, 5))) if touching else 1
        group = [waiting.pop() for _ in range(size)]
        for attempt in range(400):
            reach = room * (1 + attempt / 200)
            x, y = rng.uniform(-reach, reach) * shape**0.5, rng.uniform(-reach, reach) / shape**0.5
            angle = rng.uniform(0, 2 * math.pi)
            if len(placed) > 1 and rng.random() < 0.5:
                angle = placed[-1].angle + rng.normal(0, 0.06)
            together = _group(rng, group, x, y, angle)
            if not any(_overlap(a, b) for a in together for b in placed):
                placed += together
                break
    return placed


def _in_rows(rng: np.random.Generator, tiles: list[tuple[int, int]]) -> list[Placed]:
    """Laid beside each other in rows that touch, as for a photograph."""
    columns = int(rng.integers(3, 7))
    gap = rng.uniform(0.0, 0.04)
    turn = rng.uniform(0, 2 * math.pi)
    c, s = math.cos(turn), math.sin(turn)
    result = []
    for at, halves in enumerate(tiles):
        x = at % columns * (1 + gap) + rng.normal(0, 0.01)
        y = at // columns * (2 + gap) + rng.normal(0, 0.02)
        angle = turn + math.pi / 2 + rng.normal(0, 0.008)
        result.append(Placed(halves, x * c - y * s, x * s + y * c, angle))
    return result


def _backs(rng: np.random.Generator, placed: list[Placed], trouble: Level) -> list[Placed]:
    """Some tiles with their backs up, beside the hand."""
    if not trouble.backs:
        return []
    result: list[Placed] = []
    centre = (np.mean([tile.x for tile in placed]), np.mean([tile.y for tile in placed]))
    for _ in range(int(rng.integers(0, trouble.backs + 1))):
        for attempt in range(100):
            reach = 1.5 + attempt / 25
            x, y = rng.normal(centre[0], reach), rng.normal(centre[1], reach)
            tile = Placed(None, x, y, rng.uniform(0, 2 * math.pi))
            if not any(_overlap(tile, other) for other in [*placed, *result]):
                result.append(tile)
                break
    return result


def _hold(rng: np.random.Generator, picture: Vector, camera: _Camera, placed: list[Placed]) -> None:
    """Fingers that reach into the picture, beside the tiles."""
    w, h = camera.width, camera.height
    skin = np.array([(224, 178, 150), (186, 132, 98), (120, 78, 56)][int(rng.integers(3))], float)
    cover = Image.new("L", (w, h), 0)
    draw = ImageDraw.Draw(cover)
    breadth = 0.045 * w
    x, y = rng.uniform(0.1, 0.9) * w, float(rng.choice([0, h]))
    for finger in range(4):
        reach = rng.uniform(0.08, 0.16) * h * (1 if y == 0 else -1)
        left = x + finger * breadth * 1.15
        draw.line((left, y, left + reach * 0.2, y + reach), 255, int(breadth))
        tip = (left + reach * 0.2, y + reach)
        r = breadth / 2
        draw.ellipse((tip[0] - r, tip[1] - r, tip[0] + r, tip[1] + r), 255)
    tiles = Image.new("L", (w, h), 0)
    for tile in placed:
        corners = camera.project(tile.corners(0.1), _Look.THICK)
        ImageDraw.Draw(tiles).polygon([tuple(p) for p in corners], 255)
    soft = np.asarray(cover.filter(ImageFilter.GaussianBlur(2)), dtype=np.float32)
    free = 1 - np.asarray(tiles, dtype=np.float32) / 255
    share = (soft / 255 * free)[..., None]
    picture += (skin.astype(np.float32) - picture) * share


def _group(
    rng: np.random.Generator, tiles: list[tuple[int, int]], x: float, y: float, angle: float
) -> list[Placed]:
    """Side by side as in a hand, or end to end, with hardly any gap."""
    end_to_end = rng.random() < 0.3
    step = (2.0 if end_to_end else 1.0) + rng.uniform(0.0, 0.03)
    result = []
    for at, halves in enumerate(tiles):
        along, across = (at * step, 0.0) if end_to_end else (rng.normal(0, 0.05), at * step)
        c, s = math.cos(angle), math.sin(angle)
        result.append(Placed(halves, x + along * c - across * s, y + along * s + across * c, angle))
    return result


def _overlap(one: Placed, other: Placed) -> bool:
    """Tell whether two tiles are closer than a finger's breadth."""
    if math.hypot(one.x - other.x, one.y - other.y) > 2.6:
        return False
    a, b = one.corners(0.08), other.corners(0.08)
    for corners in (a, b):
        for side in corners - np.roll(corners, 1, axis=0):
            axis = (-side[1], side[0])
            if (a @ axis).max() < (b @ axis).min() or (b @ axis).max() < (a @ axis).min():
                return False
    return True


# The camera


@dataclass(frozen=True)
class _Camera:
    """A pinhole above the table."""

    matrix: Vector
    width: int
    height: int

    @classmethod
    def over(
        cls,
        rng: np.random.Generator,
        tiles: list[Placed],
        trouble: Level,
        width: int,
        height: int,
        far: float = 1.0,
    ) -> _Camera:
        tilt = math.radians(rng.uniform(0, trouble.tilt))
        turn = rng.uniform(0, 2 * math.pi)
        points = np.concatenate([tile.corners(0.15) for tile in tiles])
        centre = (points.min(axis=0) + points.max(axis=0)) / 2
        spread = max(float(np.ptp(points, axis=0).max()), 5.0)
        focal = rng.uniform(1.0, 1.3) * max(width, height)
        inside = rng.random() >= trouble.cut
        for nearness in np.linspace(2.6, 0.7, 60)[::-1]:
            camera = cls._at(centre, spread * nearness, tilt, turn, focal, width, height)
            seen = camera.project(points, 0.0)
            margin = 0.01 * width
            fits = (seen > margin).all() and (seen < (width - margin, height - margin)).all()
            if fits:
                break
        if far > 1:
            return cls._at(centre, spread * nearness * far, tilt, turn, focal, width, height)
        if not inside and len(tiles) > 2:
            return cls._at(centre, spread * nearness * 0.88, tilt, turn, focal, width, height)
        return camera

    @classmethod
    def _at(
        cls, centre: Vector, far: float, tilt: float, turn: float, focal: float, w: int, h: int
    ) -> _Camera:
        c, s = math.cos(turn), math.sin(turn)
        spin = np.array([(c, -s, 0), (s, c, 0), (0, 0, 1)])
        c, s = math.cos(tilt), math.sin(tilt)
        lean = np.array([(1, 0, 0), (0, c, -s), (0, s, c)])
        look = np.diag([1.0, 1.0, -1.0]) @ lean @ spin  # The camera looks down: depth grows.
        back = np.array([0, 0, far]) - look @ np.array([centre[0], centre[1], 0])
        inner = np.array([(focal, 0, w / 2), (0, focal, h / 2), (0, 0, 1)])
        return cls(inner @ np.column_stack([look, back]), w, h)

    def project(self, points: Vector, z: float) -> Vector:
        flat = np.column_stack([points, np.full(len(points), z), np.ones(len(points))])
        seen = flat @ self.matrix.T
        return seen[:, :2] / seen[:, 2:]

    def depth(self, x: float, y: float) -> float:
        return float(self.matrix[2] @ (x, y, 0, 1))

    def plane(self, z: float = 0.0) -> Vector:
        """From the picture's pixels to the plane at this height."""
        m = self.matrix
        return np.linalg.inv(np.column_stack([m[:, 0], m[:, 1], m[:, 3] + z * m[:, 2]]))


# What the tiles lie on


def clouds(rng: np.random.Generator, width: int, height: int, grain: float) -> Vector:
    """Soft noise of about -1 to 1, with spots of this many pixels."""
    w, h = max(2, round(width / grain) + 2), max(2, round(height / grain) + 2)
    small = Image.fromarray(rng.normal(0, 0.6, (h, w)).astype(np.float32))
    return np.asarray(small.resize((width, height), Image.Resampling.BICUBIC))


def _table(rng: np.random.Generator, camera: _Camera, look: _Look, trouble: Level) -> Vector:
    """The table without tiles, as far from the tiles' lightness as the level wants it."""
    kind = str(rng.choice(trouble.tables))
    first = _table_colour(rng, kind, look, trouble.contrast).astype(np.float32)
    back = camera.plane().astype(np.float32)
    ys, xs = np.mgrid[0 : camera.height, 0 : camera.width].astype(np.float32)
    scale = back[2, 0] * xs + back[2, 1] * ys + back[2, 2]
    x = (back[0, 0] * xs + back[0, 1] * ys + back[0, 2]) / scale
    y = (back[1, 0] * xs + back[1, 1] * ys + back[1, 2]) / scale
    turn = rng.uniform(0, math.pi)
    u, v = x * math.cos(turn) + y * math.sin(turn), y * math.cos(turn) - x * math.sin(turn)
    pattern = _pattern(rng, kind, u, v)
    second = (
        first * rng.uniform(0.72, 0.85) if kind in ("checks", "dots", "stripes") else first * 0.8
    )
    mixed = first + (second - first) * pattern[..., None]
    return np.asarray(mixed, dtype=np.float32)


def _table_colour(rng: np.random.Generator, kind: str, look: _Look, contrast: float) -> Vector:
    wood = {"oak": (168, 124, 78), "pine": (206, 166, 112), "walnut": (92, 60, 40)}
    lightness = np.array((0.3, 0.59, 0.11))
    for _ in range(200):
        colour = np.array(wood[kind], float) if kind in wood else rng.uniform(20, 235, 3)
        if kind == "felt":
            colour = np.array((22, 92, 54)) if rng.random() < 0.6 else np.array((96, 20, 34))
        if kind in ("linen", "stone"):
            colour = np.full(3, rng.uniform(60, 220)) + rng.normal(0, 10, 3)
        colour = np.clip(colour + rng.normal(0, 10, 3), 10, 245)
        if abs(float((colour * 0.9 - np.array(look.body)) @ lightness)) > contrast:
            return colour
        kind = kind if kind not in wood and kind != "felt" else str(rng.choice(list(wood)))
    return np.array((110.0, 80, 60)) if sum(look.body) > 380 else np.array((190.0, 170, 140))


def _pattern(rng: np.random.Generator, kind: str, u: Vector, v: Vector) -> Vector:
    """Return the share of the second colour for each pixel, 0 to 1."""
    height, width = u.shape
    if kind in ("oak", "pine", "walnut"):
        wave = clouds(rng, width, height, 220) * 0.5
        grain = np.sin((v + 0.15 * np.sin(u * 0.7 + wave)) * rng.uniform(9, 16) + wave * 3)
        boards = np.floor(v / 3.1) % 2 * 0.25
        return 0.35 + 0.3 * grain + boards + 0.15 * clouds(rng, width, height, 3)
    if kind in ("felt", "linen"):
        weave = np.sin(u * 60) * np.sin(v * 60) if kind == "linen" else 0
        return 0.4 + 0.25 * weave + 0.25 * clouds(rng, width, height, 2)
    step = rng.uniform(0.7, 2.2)
    if kind == "checks":
        return (np.sin(u * math.pi / step) > 0) * 0.5 + (np.sin(v * math.pi / step) > 0) * 0.5
    if kind == "stripes":
        return (np.sin(u * math.pi / step) > rng.uniform(-0.5, 0.5)) * 1.0
    if kind == "dots":
        near = np.hypot((u / step) % 1 - 0.5, (v / step) % 1 - 0.5)
        return (near < rng.uniform(0.1, 0.25)) * 1.0
    if kind == "stone":
        return 0.5 + 0.4 * clouds(rng, width, height, 40) + 0.25 * clouds(rng, width, height, 4)
    return 0.3 + 0.08 * clouds(rng, width, height, 90)


# Putting tiles down


def _cast_shadows(
    rng: np.random.Generator, picture: Vector, tiles: list[Placed], camera: _Camera
) -> None:
    angle, far = rng.uniform(0, 2 * math.pi), rng.uniform(0.03, 0.2)
    dark = Image.new("L", (camera.width, camera.height), 0)
    draw = ImageDraw.Draw(dark)
    for tile in tiles:
        moved = tile.corners(0.02) + far * np.array((math.cos(angle), math.sin(angle)))
        draw.polygon([tuple(p) for p in camera.project(moved, 0)], 255)
        draw.polygon([tuple(p) for p in camera.project(tile.corners(0.03), 0)], 255)
    soft = dark.filter(ImageFilter.GaussianBlur(rng.uniform(2, 7)))
    depth = rng.uniform(0.35, 0.6)
    picture *= 1 - depth * np.asarray(soft, dtype=np.float32)[..., None] / 255


def _put(
    rng: np.random.Generator, picture: Vector, tile: Placed, look: _Look, camera: _Camera
) -> None:
    """Its sides, then its face."""
    foot, top = camera.project(tile.corners(-0.01), 0), camera.project(tile.corners(), look.THICK)
    for at in range(4):
        after = (at + 1) % 4
        _side(picture, [foot[at], foot[after], top[after], top[at]], look, 0.55 + 0.12 * at)
    face, shape = _face(rng, tile, look)
    w, h = shape.size
    source = [(EDGE, EDGE), (w - EDGE, EDGE), (w - EDGE, h - EDGE), (EDGE, h - EDGE)]
    low = np.floor(top.min(axis=0) - 3).astype(int)
    high = np.ceil(top.max(axis=0) + 3).astype(int)
    low, high = np.maximum(low, 0), np.minimum(high, (camera.width, camera.height))
    if (high <= low).any():
        return
    to_face = _homography(top - low, np.array(source, float))
    box = tuple(int(n) for n in high - low)
    numbers = tuple((to_face / to_face[2, 2]).ravel()[:8])
    how = (Image.Transform.PERSPECTIVE, numbers, Image.Resampling.BICUBIC)
    mask = np.asarray(shape.transform(box, *how), dtype=np.float32)[..., None] / 255
    colour = Image.fromarray(np.clip(face, 0, 255).astype(np.uint8)).transform(box, *how)
    part = picture[low[1] : high[1], low[0] : high[0]]
    part += (np.asarray(colour, dtype=np.float32) - part) * mask


def _side(picture: Vector, corners: list[Vector], look: _Look, shade: float) -> None:
    points = np.array(corners)
    low = np.maximum(np.floor(points.min(axis=0)).astype(int) - 1, 0)
    high = np.minimum(np.ceil(points.max(axis=0)).astype(int) + 2, picture.shape[1::-1])
    if (high <= low).any():
        return
    w, h = (int(n) for n in high - low)
    mask = Image.new("L", (w * 2, h * 2), 0)
    ImageDraw.Draw(mask).polygon([tuple(p) for p in (points - low) * 2], 255)
    cover = np.asarray(mask.resize((w, h), Image.Resampling.BOX), dtype=np.float32)[..., None] / 255
    part = picture[low[1] : high[1], low[0] : high[0]]
    part += (np.array(look.side, dtype=np.float32) * shade - part) * cover


def _homography(source: Vector, target: Vector) -> Vector:
    rows = []
    for (x, y), (u, v) in zip(source, target, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y, -u])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y, -v])
    return np.linalg.svd(np.array(rows))[2][-1].reshape(3, 3)


# Light, lens, sensor


def _developed(
    rng: np.random.Generator, picture: Vector, tiles: list[Placed], camera: _Camera, trouble: Level
) -> Image.Image:
    height, width = picture.shape[:2]
    picture = picture * _light(rng, width, height, trouble)
    for _ in range(int(rng.integers(0, trouble.glare + 1))):
        picture += _glare(rng, tiles, camera)[..., None]
    scale = width / 1600 if width > height else height / 1600
    soft = Image.fromarray(np.clip(picture, 0, 255).astype(np.uint8))
    soft = soft.filter(ImageFilter.GaussianBlur(rng.uniform(0.3, trouble.blur) * scale))
    sharp = np.asarray(soft, dtype=np.float32)
    noise = rng.standard_normal(picture.shape, dtype=np.float32)
    grain = rng.uniform(1, trouble.noise) * (0.5 + 0.5 * np.sqrt(sharp / 255))
    noisy = np.clip(sharp + noise * grain, 0, 255).astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(noisy).save(file, "JPEG", quality=int(rng.integers(*trouble.quality)))
    return Image.open(file).convert("RGB")


def _light(rng: np.random.Generator, width: int, height: int, trouble: Level) -> Vector:
    """A lamp to one side, its colour, and the shadow of whoever takes the picture."""
    ys, xs = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j].astype(np.float32)
    angle = rng.uniform(0, 2 * math.pi)
    slope = rng.uniform(0, trouble.light)
    light = 1 + slope * (xs * math.cos(angle) + ys * math.sin(angle)) / 1.4
    light *= rng.uniform(0.75, 1.02)
    if rng.random() < trouble.shadow:
        angle, place = rng.uniform(0, 2 * math.pi), rng.uniform(-0.5, 0.5)
        edge = (xs * math.cos(angle) + ys * math.sin(angle) - place) * rng.uniform(4, 25)
        light *= 1 - rng.uniform(0.2, 0.45) / (1 + np.exp(-np.clip(edge, -30, 30)))
    warm = rng.uniform(-0.04, trouble.warmth)
    return light[..., None] * np.array([1 + warm, 1, 1 - 1.5 * warm], dtype=np.float32)


def _glare(rng: np.random.Generator, tiles: list[Placed], camera: _Camera) -> Vector:
    """A lamp mirrored in the tiles: a soft spot on some of them, and on nothing else."""
    tile = tiles[int(rng.integers(len(tiles)))]
    x, y = camera.project(np.array([(tile.x, tile.y)]), 0)[0] + rng.normal(0, 25, 2)
    ys, xs = np.mgrid[0 : camera.height, 0 : camera.width].astype(np.float32)
    angle = rng.uniform(0, math.pi)
    u = (xs - x) * math.cos(angle) + (ys - y) * math.sin(angle)
    v = (ys - y) * math.cos(angle) - (xs - x) * math.sin(angle)
    a, b = rng.uniform(0.02, 0.06) * camera.width, rng.uniform(0.015, 0.04) * camera.width
    spot = np.exp(-((u / a) ** 2 + (v / b) ** 2)) * rng.uniform(50, 130)
    where = Image.new("L", (camera.width, camera.height), 0)
    draw = ImageDraw.Draw(where)
    for each in tiles:
        draw.polygon([tuple(p) for p in camera.project(each.corners(), _Look.THICK)], 255)
    return spot * (np.asarray(where, dtype=np.float32) / 255)
