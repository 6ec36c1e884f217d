"""How loud a sound is to the ear, and how high it really peaks: ITU-R BS.1770 for one channel.

Pure functions over samples; nothing here makes or plays a sound.
Short cues are judged by their loudest moment (400 ms), because the gated average that suits a
programme of minutes says little about a knock.
"""

import math
from collections.abc import Sequence
from itertools import accumulate
from operator import mul
from typing import NamedTuple

SILENCE = -120.0
"""The loudness given to anything quieter than this, so that silence has a number too."""

_MOMENT = 0.4
_STEP = 0.01
_OFFSET = -0.691
_OVERSAMPLING = 4
_REACH = 6
"""Samples on either side that an interpolated one is made of."""


class Biquad(NamedTuple):
    """A second-order filter, its coefficients divided by the first of the feedback."""

    b0: float
    b1: float
    b2: float
    a1: float
    a2: float


def head_filter(rate: int) -> Biquad:
    """The first half of K-weighting: a head in the sound field hears treble 4 dB louder."""
    k = math.tan(math.pi * 1681.974450955533 / rate)
    q = 0.7071752369554196
    treble = 10 ** (3.999843853973347 / 20)
    middle = treble**0.4996667741545416
    a0 = 1 + k / q + k * k
    return Biquad(
        (treble + middle * k / q + k * k) / a0,
        2 * (k * k - treble) / a0,
        (treble - middle * k / q + k * k) / a0,
        2 * (k * k - 1) / a0,
        (1 - k / q + k * k) / a0,
    )


def bass_filter(rate: int) -> Biquad:
    """The second half of K-weighting: the ear hears little below 40 Hz."""
    k = math.tan(math.pi * 38.13547087602444 / rate)
    q = 0.5003270373238773
    a0 = 1 + k / q + k * k
    return Biquad(1.0, -2.0, 1.0, 2 * (k * k - 1) / a0, (1 - k / q + k * k) / a0)


def filtered(samples: Sequence[float], by: Biquad) -> list[float]:
    """The samples after a filter that starts at rest."""
    b0, b1, b2, a1, a2 = by
    out = []
    s1 = s2 = 0.0
    for x in samples:
        y = b0 * x + s1
        s1 = b1 * x - a1 * y + s2
        s2 = b2 * x - a2 * y
        out.append(y)
    return out


def loudest_moment(samples: Sequence[float], rate: int) -> float:
    """The mean square, K-weighted, of the loudest 400 ms; a shorter sound ends in silence."""
    heard = filtered(filtered(samples, head_filter(rate)), bass_filter(rate))
    energy = [0.0, *accumulate(x * x for x in heard)]
    window, step = round(_MOMENT * rate), round(_STEP * rate)
    starts = range(0, max(len(heard) - window, 0) + step, step)
    last = len(heard)
    return max(energy[min(s + window, last)] - energy[min(s, last)] for s in starts) / window


def loudness(samples: Sequence[float], rate: int, full_scale: float = 1.0) -> float:
    """The loudest moment in LKFS; a full-scale sine of 997 Hz has -3.01."""
    power = loudest_moment(samples, rate) / (full_scale * full_scale)
    return max(SILENCE, _OFFSET + 10 * math.log10(power)) if power > 0 else SILENCE


def power_at(level: float) -> float:
    """The mean square, K-weighted, of a sound of this loudness in LKFS."""
    return float(10 ** ((level - _OFFSET) / 10))


def true_peak(samples: Sequence[float]) -> float:
    """The highest magnitude between and on the samples, by fourfold oversampling."""
    silence = [0.0] * (_REACH + 1)
    padded = [*silence, *map(float, samples), *silence]
    height = list(map(abs, padded))
    peak = max(height)
    phases = [_interpolator(n / _OVERSAMPLING) for n in range(1, _OVERSAMPLING)]
    # A peak below a third of the rate stands beside a crest of at least half its height.
    crests = [
        i
        for i in range(1, len(height) - 1)
        if height[i] > peak / 2 and height[i - 1] <= height[i] >= height[i + 1]
    ]
    for i in crests:
        for first in (i - _REACH, i - _REACH + 1):
            around = padded[first : first + 2 * _REACH]
            for taps in phases:
                peak = max(peak, abs(sum(map(mul, taps, around))))
    return peak


def _interpolator(offset: float) -> list[float]:
    """Weights of the neighbours for the value `offset` of a sample after the middle one."""
    taps = []
    for n in range(2 * _REACH):
        x = n - (_REACH - 1) - offset
        taps.append(math.sin(math.pi * x) / (math.pi * x) * math.cos(math.pi * x / (2 * _REACH)))
    whole = sum(taps)
    return [tap / whole for tap in taps]
