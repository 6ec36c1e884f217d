"""Building blocks of the cues: curves, oscillators, struck bodies, noise, filters and a room.

A signal is a list of floats at `RATE`, without a defined level until the cue is finished.
Nothing here knows a cue. Noise comes from a seeded generator, never from the system, and the
arithmetic is plain double in a fixed order: platforms may differ in the last bit of a sine, a
billion times finer than the sixteen bits of the result.
"""

import math
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise

from hal.cues import RATE
from hal.cues.loudness import Biquad, filtered

Signal = list[float]

_TABLE = 2048


def count(seconds: float) -> int:
    """Return the number of samples in a duration."""
    return round(seconds * RATE)


def curve(*points: tuple[float, float]) -> Signal:
    """Return a value for each sample, along points of (second, value).

    The way from point to point is eased, so that no corner clicks.
    """
    out: Signal = []
    for (start, a), (end, b) in pairwise(points):
        n = count(end) - count(start)
        if a == b:
            out += [a] * n
        else:
            rise = b - a
            out += [a + rise * (u := i / n) * u * (3 - 2 * u) for i in range(n)]
    return out


def waver(pitch: Sequence[float], rate: float, depth: float, onset: float = 0.3) -> Signal:
    """Add a vibrato to `pitch`, which grows over the first `onset` seconds, as a player's does.

    `rate` is in Hz, and `depth` is the part of the pitch by which it rises and falls.
    """
    grown = curve((0.0, 0.0), (onset, depth))[: len(pitch)]
    depths = grown + [depth] * (len(pitch) - len(grown))
    sin, turn = math.sin, 2 * math.pi * rate / RATE
    return [f + f * d * sin(turn * i) for i, (f, d) in enumerate(zip(pitch, depths, strict=True))]


@cache
def wave(*partials: float) -> tuple[float, ...]:
    """Return one period of a timbre; `partials` are the levels of the first, second … partial.

    The first point is repeated at the end, for interpolation.
    """
    turn = [math.sin(2 * math.pi * i / _TABLE) for i in range(_TABLE)]
    return tuple(
        sum(a * turn[k * i % _TABLE] for k, a in enumerate(partials, 1)) for i in range(_TABLE + 1)
    )


def sing(shape: Sequence[float], pitch: Sequence[float], level: Sequence[float]) -> Signal:
    """Play a timbre at a pitch in Hz and a level, both given for each sample.

    `shape` is one period of it, as `wave` returns it.
    """
    step, phase, out = _TABLE / RATE, 0.0, []
    for f, a in zip(pitch, level, strict=True):
        i = int(phase)
        below = shape[i]
        out.append(a * (below + (shape[i + 1] - below) * (phase - i)))
        phase += f * step
        if phase >= _TABLE:
            phase -= _TABLE
    return out


def struck(
    pitch: float,
    seconds: float,
    partials: Iterable[tuple[float, float, float]],
    soft: float = 0.002,
) -> Signal:
    """Return the sound of a struck body that rings for `seconds`; `pitch` is in Hz.

    `partials` are (ratio to the pitch, level, seconds to decay to a third); `soft` is how many
    seconds the mallet touches.
    """
    n = count(seconds)
    out = [0.0] * n
    for ratio, level, ring in partials:
        turn = 2 * math.pi * pitch * ratio / RATE
        r = math.exp(-1 / (ring * RATE))
        forth, back = 2 * r * math.cos(turn), -r * r
        # Partials that set out from different places do not all peak at once.
        y1, y2 = level * math.sin(ratio * ratio), level * math.sin(ratio * ratio - turn) / r
        for i in range(n):
            out[i] += y1
            y1, y2 = forth * y1 + back * y2, y1
    touch = curve((0.0, 0.0), (soft, 1.0))
    return [a * x for a, x in zip(touch, out, strict=False)] + out[len(touch) :]


def noise(seconds: float, seed: int) -> Signal:
    """Return white noise between -1 and 1, the same for the same `seed`."""
    out, state = [], seed & 0xFFFFFFFF
    for _ in range(count(seconds)):
        state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
        out.append(state / 0x80000000 - 1.0)
    return out


def band(signal: Sequence[float], middle: float, q: float) -> Signal:
    """Band-pass filter with unity gain at `middle` (in Hz), narrower for a higher `q`."""
    turn = 2 * math.pi * middle / RATE
    alpha = math.sin(turn) / (2 * q)
    a0 = 1 + alpha
    b = alpha / a0
    return filtered(signal, Biquad(b, 0.0, -b, -2 * math.cos(turn) / a0, (1 - alpha) / a0))


def dull(signal: Iterable[float], above: float) -> Signal:
    """Low-pass filter with a gentle slope above the frequency `above`, in Hz."""
    keep = 1 - math.exp(-2 * math.pi * above / RATE)
    y, out = 0.0, []
    for x in signal:
        y += keep * (x - y)
        out.append(y)
    return out


def pressed(signal: Iterable[float], drive: float) -> Signal:
    """Soft clipping: fuller with more drive."""
    return [drive * x / (1 + drive * abs(x)) for x in signal]


def shaped(signal: Sequence[float], level: Sequence[float]) -> Signal:
    """Apply a level for each sample; ends with the shorter of both."""
    return [x * a for x, a in zip(signal, level, strict=False)]


def mix(*layers: tuple[float, float, Sequence[float]]) -> Signal:
    """Add up layers of (start in seconds, level, signal); the result ends with the last of them."""
    out = [0.0] * max(count(start) + len(layer) for start, _, layer in layers)
    for start, level, layer in layers:
        first = count(start)
        part = slice(first, first + len(layer))
        out[part] = [y + level * x for y, x in zip(out[part], layer, strict=True)]
    return out


def lasting(signal: Sequence[float], seconds: float) -> Signal:
    """Cut a signal to a length, or pad it with silence."""
    n = count(seconds)
    return [*signal[:n], *([0.0] * (n - len(signal)))]


_WALLS = ((0.0113, 0.19), (0.0191, -0.15), (0.0297, 0.12), (0.0433, -0.09), (0.0617, 0.07))


def in_a_room(signal: Sequence[float]) -> Signal:
    """Add the first reflections of a small room, each a little duller than the signal.

    The length stays the same: what would sound after the end is cut off.
    """
    reflected = dull(signal, 3500.0)
    (_, a), (_, b), (_, c), (_, d), (_, e) = _WALLS
    late = [[0.0] * count(seconds) + reflected for seconds, _ in _WALLS]
    return [
        x + a * v + b * w + c * y + d * z + e * q
        for x, v, w, y, z, q in zip(signal, *late, strict=False)
    ]


_VALLEY = (0.0437, 0.0531, 0.0617, 0.0743)


def far_away(signal: Sequence[float], echo: float = 0.76) -> Signal:
    """Place a signal across a valley: dull, with a long wash of echoes; the length stays the same.

    `echo` is the part of each echo that comes back once more.
    """
    source = dull(dull(signal, 1600.0), 2600.0)
    wash = [0.0] * len(source)
    for seconds in _VALLEY:
        line, at, soft = [0.0] * count(seconds), 0, 0.0
        for i, x in enumerate(source):
            y = line[at]
            soft += 0.45 * (y - soft)
            line[at] = x + echo * soft
            at = at + 1 if at + 1 < len(line) else 0
            wash[i] += y
    return [0.55 * x + 0.3 * y for x, y in zip(source, wash, strict=True)]


def faded(signal: Sequence[float], rise: float = 0.002, fall: float = 0.03) -> Signal:
    """Fade in over the first `rise` seconds, and out over the last `fall` seconds."""
    out = list(signal)
    for i, a in enumerate(curve((0.0, 0.0), (rise, 1.0))):
        out[i] *= a
    for i, a in enumerate(curve((0.0, 0.0), (fall, 1.0)), 1):
        out[-i] *= a
    return out
