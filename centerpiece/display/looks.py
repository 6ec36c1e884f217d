"""The looks of a seat: a colour *and* a pattern each, so that no meaning rests on colour alone.

A seat's outer pixels are its train and the middle one is the person, each with a look of its own;
some looks take all of it. A look is painted for a moment and says when it will next be different;
what does not move asks for no timer. Nothing flashes more than twice a second.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import product
from typing import NamedTuple, TypeVar

from centerpiece.display.colours import (
    AMBER,
    BLUE,
    BRIGHT,
    DARK,
    DIM,
    GOLD,
    GREEN,
    SOFT_WHITE,
    SUITS,
    VIOLET,
    WARM,
    WHITE,
    Colour,
    brighter,
    mixed,
)

NEVER = float("inf")
BLINK = 0.5
PULSE = 0.25
SWEEP = 0.25
BREATH = 2.0
BREATH_STEPS = 30
SLOW_BREATH = 3.0

Part = TypeVar("Part")
Three = tuple[Colour, Colour, Colour]


class Painted(NamedTuple):
    """Pixels, and the time at which they will change by themselves."""

    pixels: bytes
    until: float


class Seen(NamedTuple):
    """What a zone shows: the look of its outer pixels, and that of the middle."""

    train: str
    person: str


def whole(look: str) -> Seen:
    """A look for all the pixels of a zone."""
    return Seen(look, look)


# How looks move: which step is shown now, and until when.

Pace = Callable[[float, float], tuple[int, float]]


def _steady(now: float, since: float) -> tuple[int, float]:
    return 0, NEVER


def _every(seconds: float, steps: int) -> Pace:
    def step(now: float, since: float) -> tuple[int, float]:
        count = int(now / seconds + 1e-9)
        return count % steps, (count + 1) * seconds

    return step


def in_turn(
    parts: Sequence[tuple[Part, float]], now: float, since: float = 0.0
) -> tuple[Part, float]:
    """Of parts with their lengths, one after the other and again: which is on, and until when."""
    gone = max(0.0, now - since) + 1e-6
    into = gone % sum(seconds for _, seconds in parts)
    ends = since + gone - into
    for part, seconds in parts:
        ends += seconds
        into -= seconds
        if into < 0:
            return part, ends
    return parts[0][0], ends


def _once(now: float, since: float) -> tuple[int, float]:
    """One breath when the round begins."""
    count = int((now - since) / BREATH * BREATH_STEPS + 1e-9)
    if count >= BREATH_STEPS:
        return 0, NEVER
    count = max(0, count)
    return count, since + (count + 1) * BREATH / BREATH_STEPS


_BLINKING = _every(BLINK, 2)
_PULSES = ((1, PULSE), (0, PULSE), (1, PULSE), (0, 1.0))
_BREATHING = _every(SLOW_BREATH / BREATH_STEPS, BREATH_STEPS)


def _pulsing(now: float, since: float) -> tuple[int, float]:
    """Two short pulses and a pause."""
    return in_turn(_PULSES, now)


def _breath(colour: Colour, step: int) -> Colour:
    """Down from full to less than half, and up again."""
    return mixed(colour, 1 - 0.6 * (1 - abs(2 * step / BREATH_STEPS - 1)) if step else 1.0)


def _plain(colour: Colour) -> Callable[[int], Three]:
    return lambda step: (colour, colour, colour)


def _on_and_off(*three: Colour) -> Callable[[int], Three]:
    return lambda step: (DARK, DARK, DARK) if step else three  # type: ignore[return-value]


def _sweeping(step: int) -> Three:
    return tuple(SUITS[1 + (step + pixel) % 15] for pixel in range(3))  # type: ignore[return-value]


class _Look(NamedTuple):
    pace: Pace
    three: Callable[[int], Three]
    steps: int = 1


_OFF = {"off": _Look(_steady, _plain(DARK))}
_TRAIN = {
    "closed": _Look(_steady, _plain(DARK)),
    "open": _Look(_steady, _plain(GREEN)),
    "double": _Look(_BLINKING, _on_and_off(WHITE, WHITE, WHITE), 2),
    "double-waits": _Look(_steady, _plain(SOFT_WHITE)),
}
_PERSON = {
    "plays": _Look(_steady, _plain(DIM)),
    "starter": _Look(_once, lambda step: (_breath(WARM, step),) * 3, BREATH_STEPS),
    "last-tile": _Look(_pulsing, lambda step: (GOLD if step else mixed(GOLD, 0.3),) * 3, 2),
    "skipped": _Look(_BLINKING, _on_and_off(VIOLET, VIOLET, VIOLET), 2),
    "out": _Look(_steady, _plain(BLUE)),
}
_ALL = {
    "asked": _Look(_BLINKING, _on_and_off(AMBER, DARK, AMBER), 2),
    "counting": _Look(_BREATHING, lambda step: (_breath(AMBER, step),) * 3, BREATH_STEPS),
    "uncounted": _Look(_steady, _plain(mixed(AMBER, 0.3))),
    "winner": _Look(_every(SWEEP, 15), _sweeping, 15),
    "place": _Look(_steady, _plain(BRIGHT)),
    "leader": _Look(_steady, _plain(GOLD)),
}
_CALLED_FOR = "uncounted, called for"
"""How `uncounted` looks while somebody tries to go on without the hand."""
_LOOKS = _OFF | _TRAIN | _PERSON | _ALL
LOOKS = tuple(_LOOKS)
"""Every look but the echo, which is the look of before, brighter."""
_LOOKS[_CALLED_FOR] = _Look(_BLINKING, _on_and_off(*_ALL["uncounted"].three(0)), 2)
TRAIN_LOOKS = frozenset(_TRAIN)
CALLED_FOR = whole(_CALLED_FOR)
STILL = frozenset(look for look in _LOOKS if _LOOKS[look].pace is _steady)
"""The looks that do not move."""
_URGENT = ("last-tile", "skipped", "out")
"""What a zone of a single pixel shows of the person, whatever the train looks like."""


@cache
def _pixels(seen: Seen, train_step: int, person_step: int, count: int, echo: bool) -> bytes:
    left, _, right = _LOOKS[seen.train].three(train_step)
    middle = _LOOKS[seen.person].three(person_step)[1]
    if count == 1:
        spread = bytes(middle if seen.person in _URGENT or left == DARK else left)
    else:
        spread = b"".join(bytes((left, middle, right)[at * 3 // count]) for at in range(count))
    return brighter(spread) if echo else spread


def paint(seen: Seen, count: int, now: float, since: float = 0.0, echo: bool = False) -> Painted:
    """A zone of `count` pixels with its looks; `since` is when the round began."""
    train_step, until = _LOOKS[seen.train].pace(now, since)
    person_step, moves = _LOOKS[seen.person].pace(now, since)
    return Painted(_pixels(seen, train_step, person_step, count, echo), min(until, moves))


def recognized(pixels: bytes) -> tuple[str, ...]:
    """Which looks a zone shows, going by its pixels alone: the eye of a script.

    The dark half of a blink is `closed` or `off` to this eye, so look again half a second later.
    """
    count = len(pixels) // 3
    for echo in (False, True):
        if looks := _by_pixels(count, echo).get(pixels):
            return ("echo",) if echo else looks
    return ()


@cache
def _by_pixels(count: int, echo: bool) -> dict[bytes, tuple[str, ...]]:
    """Every picture there is; where two are the same, the one that comes first in the tables."""
    found: dict[bytes, tuple[str, ...]] = {}
    for seen, names in _every_pair():
        train, person = _LOOKS[seen.train], _LOOKS[seen.person]
        steps = product(range(train.steps), range(person.steps))
        for train_step, person_step in steps:
            found.setdefault(_pixels(seen, train_step, person_step, count, echo), names)
    return found


def _every_pair() -> Iterator[tuple[Seen, tuple[str, ...]]]:
    yield from ((whole(look), (look,)) for look in (*_OFF, *_ALL, *_TRAIN))
    yield CALLED_FOR, ("uncounted",)
    yield from ((Seen(*names), names) for names in product(_TRAIN, _PERSON))
