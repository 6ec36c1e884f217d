"""Reference pictures of the hub's looks and faces, drawn from the bytes sent to the chain.

    python -m tests.pictures docs/

Each picture is painted, sent through the NeoPixel adapter, captured on the wire, decoded and drawn.
A test compares the committed pictures with those of the present code.
"""

import sys
from collections.abc import Iterator
from math import ceil
from pathlib import Path

import pytest

from centerpiece.display import face
from centerpiece.display.colours import SUITS, WARM
from centerpiece.display.looks import CALLED_FOR, LOOKS, TRAIN_LOOKS, Seen, paint, whole
from centerpiece.panel.parade import scrolling_time
from hal.chain_lights import ChainLights
from hal.hardware_settings import LightSettings
from hal.pi.neopixel_lights import opener
from hal.ports import default_zones
from tests.strips import Wire, neopixel_wire

MOMENTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25)
PEOPLE = ("plays", "starter", "last-tile", "skipped", "out")
DOT, GAP = 9, 22
ON_THE_TABLE = "#2b2118"


class Camera:
    """A chain of lights on a captured wire, which returns what it shows."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._wire: Wire = neopixel_wire(patch, "GRB")
        zones = default_zones()
        settings = LightSettings(zones=zones, gamma=1.0, brightness=1.0, max_milliamps=1e6)
        self._lights = ChainLights(settings, lambda trouble: None, opener(settings, "ws281x"))

    def shot(self, pixels: bytes) -> bytes:
        """Return the pixels as they were sent for the beginning of the chain."""
        frame = pixels.ljust(3 * self._lights.count, b"\0")
        self._lights.show(frame)
        self._wire.wait_for(lambda frames: frames[-1:] == [frame])
        return self._wire.frames()[-1][: len(pixels)]

    def close(self) -> None:
        self._lights.close()


def looks_picture(camera: Camera) -> str:
    """Draw every look in a row, a quarter of a second apart, with its echo at the end."""
    rows = []
    for row, (title, shown) in enumerate(_seats()):
        top = 30 + row * 40
        rows.append(f'<text x="12" y="{top + 5}">{title}</text>')
        shots = [paint(shown, 3, now, 0.0).pixels for now in MOMENTS]
        shots.append(paint(shown, 3, 0.0, 0.0, echo=True).pixels)
        for column, pixels in enumerate(shots):
            seen = camera.shot(pixels)
            for n in range(3):
                rows.append(_dot(190 + column * 84 + n * GAP, top, seen[3 * n : 3 * n + 3]))
    titles = [*(f"{now:g} s" for now in MOMENTS), "echo"]
    heads = [f'<text x="{184 + c * 84}" y="12">{title}</text>' for c, title in enumerate(titles)]
    return _svg(790, top + 30, [*heads, *rows])


def _seats() -> Iterator[tuple[str, Seen]]:
    """Yield trains beside a player, people beside a closed train, and looks of all pixels."""
    for look in LOOKS:
        if look in TRAIN_LOOKS:
            yield look, Seen(look, "plays")
        else:
            yield look, Seen("closed", look) if look in PEOPLE else whole(look)
    yield "uncounted, called for", CALLED_FOR
    yield "open, last-tile", Seen("open", "last-tile")
    yield "double, starter", Seen("double", "starter")


def faces_picture(camera: Camera) -> str:
    """Draw each engine as pips and as digits, then 112 scrolling, and a typed number."""
    long, hand = "112", "47"
    passing, now = [], 0.0
    while now < scrolling_time(len(long)):
        painted = face.number(long, WARM, now)
        passing.append(painted.pixels)
        now = painted.until
    blinking = [face.typed(hand, WARM, now, 0.0).pixels for now in (0.0, 0.5)]
    shots = [
        *(face.pips(number, colour) for number, colour in enumerate(SUITS)),
        *(face.digits(str(number), WARM) for number in range(len(SUITS))),
        *passing,
        face.digits("", WARM),
        *blinking,
        face.refused(face.pips(12, SUITS[12])),
    ]
    drawn = []
    for place, pixels in enumerate(shots):
        row, column = divmod(place, 8)
        drawn += _face(20 + column * 165, 24 + row * 130, camera.shot(pixels))
    return _svg(1340, 24 + 130 * ceil(len(shots) / 8), drawn)


def _face(left: int, top: int, pixels: bytes) -> Iterator[str]:
    for n in range(2 * face.HALF):
        half, place = divmod(n, face.HALF)
        row, column = divmod(place, 3)
        x = left + half * 74 + column * GAP
        yield _dot(x, top + row * GAP, pixels[3 * n : 3 * n + 3])


def _dot(x: int, y: int, pixel: bytes) -> str:
    return f'<circle cx="{x}" cy="{y}" r="{DOT}" fill="#{pixel.hex()}"/>'


def _svg(width: int, height: int, parts: list[str]) -> str:
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            'font-family="sans-serif" font-size="13" fill="#e8d9c0">',
            f'<rect width="{width}" height="{height}" fill="{ON_THE_TABLE}"/>',
            *parts,
            "</svg>\n",
        ]
    )


def drawn() -> dict[str, str]:
    """Return all pictures by file name."""
    with pytest.MonkeyPatch.context() as patch:
        camera = Camera(patch)
        try:
            return {"looks.svg": looks_picture(camera), "faces.svg": faces_picture(camera)}
        finally:
            camera.close()


if __name__ == "__main__":
    for name, picture in drawn().items():
        (Path(sys.argv[1]) / name).write_text(picture, encoding="utf-8")
        print(name)
