"""The looks of a seat: a colour *and* a pattern each, so that no meaning rests on colour alone.

A look is painted for a moment and says when it will next be different; what does not move asks
for no timer. Nothing flashes more than twice a second.
"""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from centerpiece.display.colours import (
    AMBER,
    BLUE,
    DARK,
    DIM,
    GOLD,
    GREEN,
    SUITS,
    WARM,
    WHITE,
    Colour,
    brighter,
    mixed,
)

NEVER = float("inf")
BLINK = 0.5
WALK = 0.4
SWEEP = 0.25
BREATH = 2.0
BREATH_STEPS = 30
ECHO = 0.08

Three = tuple[Colour, Colour, Colour]


class Painted(NamedTuple):
    """Pixels, and the time at which they will change by themselves."""

    pixels: bytes
    until: float


def _steady(now: float, since: float) -> tuple[int, float]:
    return 0, NEVER


def _every(seconds: float, steps: int) -> Callable[[float, float], tuple[int, float]]:
    def step(now: float, since: float) -> tuple[int, float]:
        count = int(now / seconds + 1e-9)
        return count % steps, (count + 1) * seconds

    return step


def _breath(now: float, since: float) -> tuple[int, float]:
    count = int((now - since) / BREATH * BREATH_STEPS + 1e-9)
    if count >= BREATH_STEPS:
        return 0, NEVER
    count = max(0, count)
    return count, since + (count + 1) * BREATH / BREATH_STEPS


def _breathing(step: int) -> Three:
    level = 1 - 0.6 * (1 - abs(2 * step / BREATH_STEPS - 1)) if step else 1.0
    return mixed(DIM, level), mixed(WARM, level), mixed(DIM, level)


def _sweeping(step: int) -> Three:
    return tuple(SUITS[1 + (step + pixel) % 15] for pixel in range(3))  # type: ignore[return-value]


def _walking(step: int) -> Three:
    at = (0, 1, 2, 1)[step]
    return tuple(GOLD if pixel == at else DARK for pixel in range(3))  # type: ignore[return-value]


_LOOKS: dict[str, tuple[Callable[[float, float], tuple[int, float]], Callable[[int], Three]]] = {
    "off": (_steady, lambda step: (DARK, DARK, DARK)),
    "closed": (_steady, lambda step: (DARK, DIM, DARK)),
    "starter": (_breath, _breathing),
    "open": (_steady, lambda step: (GREEN, GREEN, GREEN)),
    "double": (_every(BLINK, 2), lambda step: (DARK,) * 3 if step else (WHITE,) * 3),
    "last-tile": (_every(WALK, 4), _walking),
    "out": (_steady, lambda step: (BLUE, DARK, BLUE)),
    "winner": (_every(SWEEP, 15), _sweeping),
    "asked": (_every(BLINK, 2), lambda step: (DARK,) * 3 if step else (AMBER, DARK, AMBER)),
}
LOOKS = tuple(_LOOKS)
"""Every look but the echo, which is the look of before, brighter."""
STILL = tuple(look for look, (step, _) in _LOOKS.items() if step is _steady)
"""The looks that do not move."""
_MOVING = tuple(look for look in _LOOKS if look not in (*STILL, "starter"))


@cache
def _pixels(look: str, step: int, count: int, echo: bool) -> bytes:
    three = _LOOKS[look][1](step)
    spread = b"".join(bytes(three[pixel * 3 // count]) for pixel in range(count))
    return brighter(spread) if echo else spread


def paint(look: str, count: int, now: float, since: float = 0.0, echo: bool = False) -> Painted:
    """A look on a zone of `count` pixels; `since` is when the round began."""
    step, until = _LOOKS[look][0](now, since)
    return Painted(_pixels(look, step, count, echo), until)


def recognized(pixels: bytes, now: float) -> str | None:
    """Which look a zone shows at a moment, going by its pixels alone: the eye of a script.

    The dark half of a blink is `off` to this eye, so look again half a second later.
    """
    count = len(pixels) // 3
    for echo in (False, True):
        look = _unmistakable(count, echo).get(pixels)
        for moving in () if look else _MOVING:
            step, _ = _LOOKS[moving][0](now, 0.0)
            if _pixels(moving, step, count, echo) == pixels:
                look = moving
        if look:
            return "echo" if echo else look
    return None


@cache
def _unmistakable(count: int, echo: bool) -> dict[bytes, str]:
    """The looks that do not depend on the time of day; how far a breath is, nobody minds."""
    breath = {_pixels("starter", step, count, echo): "starter" for step in range(BREATH_STEPS)}
    return breath | {_pixels(look, 0, count, echo): look for look in reversed(STILL)}
