"""The looks of a seat: each a colour *and* a pattern, so that no meaning rests on colour alone.

A seat's outer pixels show its train and the middle one its person; some looks take the whole seat.
Painting a look also returns when it next changes; a look that does not move needs no timer. Nothing
flashes more than twice a second.
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
    """Pixels, and the time at which they next change."""

    pixels: bytes
    until: float


class Seen(NamedTuple):
    """The looks of a zone: of its outer pixels, and of its middle one."""

    train: str
    person: str


def whole(look: str) -> Seen:
    """Return a look for all pixels of a zone."""
    return Seen(look, look)


Pace = Callable[[float, float], tuple[int, float]]
"""A function from now and the round's start to an animation step and its end."""


def _steady(now: float, since: float) -> tuple[int, float]:
    return 0, NEVER


def _repeating(seconds: float, steps: int) -> Pace:
    """Return a pace of so many steps, repeated for ever, each for so many seconds."""

    def step(now: float, since: float) -> tuple[int, float]:
        count = int(now / seconds + 1e-9)
        return count % steps, (count + 1) * seconds

    return step


def in_turn(
    parts: Sequence[tuple[Part, float]], now: float, since: float = 0.0
) -> tuple[Part, float]:
    """Return the part that is shown at the time `now`, and the time at which it ends.

    The parts take turns, again and again, each for its seconds; the first began at `since`.
    """
    elapsed = max(0.0, now - since) + 1e-6
    rest = elapsed % sum(seconds for _, seconds in parts)
    ends = since + elapsed - rest
    for part, seconds in parts:
        ends += seconds
        rest -= seconds
        if rest < 0:
            return part, ends
    return parts[0][0], ends


def _once(now: float, since: float) -> tuple[int, float]:
    """Return the step at `now` of the single breath of a round that began at `since`, and its end.

    After the breath, the step is 0 for ever.
    """
    count = int((now - since) / BREATH * BREATH_STEPS + 1e-9)
    if count >= BREATH_STEPS:
        return 0, NEVER
    count = max(0, count)
    return count, since + (count + 1) * BREATH / BREATH_STEPS


_BLINKING = _repeating(BLINK, 2)
_PULSES = ((1, PULSE), (0, PULSE), (1, PULSE), (0, 1.0))
_BREATHING = _repeating(SLOW_BREATH / BREATH_STEPS, BREATH_STEPS)


def _pulsing(now: float, since: float) -> tuple[int, float]:
    """Return the step at `now` of two pulses and a pause, and the step's end."""
    return in_turn(_PULSES, now)


def _breath(colour: Colour, step: int) -> Colour:
    """Return the colour at a step of a breath: from full brightness to less than half and back."""
    return mixed(colour, 1 - 0.6 * (1 - abs(2 * step / BREATH_STEPS - 1)) if step else 1.0)


def _plain(colour: Colour) -> Callable[[int], Three]:
    return lambda step: (colour, colour, colour)


def _on_and_off(*three: Colour) -> Callable[[int], Three]:
    return lambda step: (DARK, DARK, DARK) if step else three  # type: ignore[return-value]


def _left_and_right(colour: Colour) -> Callable[[int], Three]:
    return lambda step: (DARK, DARK, colour) if step else (colour, DARK, DARK)


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
    "misplaced": _Look(_BLINKING, _left_and_right(GREEN), 2),
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
    "winner": _Look(_repeating(SWEEP, 15), _sweeping, 15),
    "place": _Look(_steady, _plain(BRIGHT)),
    "leader": _Look(_steady, _plain(GOLD)),
}
_CALLED_FOR = "uncounted, called for"
"""The look `uncounted` while somebody tries to go on without the hand."""
_LOOKS = _OFF | _TRAIN | _PERSON | _ALL
LOOKS = tuple(_LOOKS)
"""All looks except the echo, which brightens the present look."""
_LOOKS[_CALLED_FOR] = _Look(_BLINKING, _on_and_off(*_ALL["uncounted"].three(0)), 2)
TRAIN_LOOKS = frozenset(_TRAIN)
CALLED_FOR = whole(_CALLED_FOR)
STILL = frozenset(look for look in _LOOKS if _LOOKS[look].pace is _steady)
_URGENT = ("last-tile", "skipped", "out")
"""The looks of a person that a zone of a single pixel shows instead of the train's."""


@cache
def _pixels(seen: Seen, train_step: int, person_step: int, count: int, echo: bool) -> bytes:
    """Return the `count` pixels of a zone: the train outside, the person in the middle.

    A single pixel shows the person if that is urgent or the train is dark. With `echo`, all are
    brighter.
    """
    left, _, right = _LOOKS[seen.train].three(train_step)
    middle = _LOOKS[seen.person].three(person_step)[1]
    if count == 1:
        spread = bytes(middle if seen.person in _URGENT or left == DARK else left)
    else:
        spread = b"".join(bytes((left, middle, right)[at * 3 // count]) for at in range(count))
    return brighter(spread) if echo else spread


def paint(seen: Seen, count: int, now: float, since: float = 0.0, echo: bool = False) -> Painted:
    """Return a zone of `count` pixels, painted for the time `now`.

    `since` is when the round began; with `echo`, the zone is brighter.
    """
    train_step, until = _LOOKS[seen.train].pace(now, since)
    person_step, moves = _LOOKS[seen.person].pace(now, since)
    return Painted(_pixels(seen, train_step, person_step, count, echo), min(until, moves))


def recognized(pixels: bytes) -> tuple[str, ...]:
    """Return the names of the looks that a zone shows, judged by its pixels alone.

    Empty if there are none. The dark half of a blink is recognized as `closed` or `off`, so call
    again half a second later. An echo is `echo` alone.
    """
    count = len(pixels) // 3
    for echo in (False, True):
        if looks := _by_pixels(count, echo).get(pixels):
            return ("echo",) if echo else looks
    return ()


@cache
def _by_pixels(count: int, echo: bool) -> dict[bytes, tuple[str, ...]]:
    """Return the names of the looks by the pixels of a zone of `count`, at every step.

    If two looks have the same pixels, it is the one that comes first in the tables.
    """
    looks: dict[bytes, tuple[str, ...]] = {}
    for seen, names in _all_pairs():
        train, person = _LOOKS[seen.train], _LOOKS[seen.person]
        steps = product(range(train.steps), range(person.steps))
        for train_step, person_step in steps:
            looks.setdefault(_pixels(seen, train_step, person_step, count, echo), names)
    return looks


def _all_pairs() -> Iterator[tuple[Seen, tuple[str, ...]]]:
    yield from ((whole(look), (look,)) for look in (*_OFF, *_ALL, *_TRAIN))
    yield CALLED_FOR, ("uncounted",)
    yield from ((Seen(*names), names) for names in product(_TRAIN, _PERSON))
