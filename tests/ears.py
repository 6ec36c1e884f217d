"""Measurements of sounds for tests: loudness and true peak (ITU-R BS.1770)."""

import math
from collections.abc import Sequence
from operator import mul

from hal.cues.loudness import OFFSET, loudest_moment

SILENCE = -120.0
"""The loudness of anything quieter, so that silence has a number too."""

_OVERSAMPLING = 4
_REACH = 6
"""Samples on either side that an interpolated one is computed from."""


def loudness(samples: Sequence[float], rate: int, full_scale: float = 1.0) -> float:
    """Return the loudest moment in LKFS; a full-scale sine of 997 Hz has -3.01."""
    power = loudest_moment(samples, rate) / (full_scale * full_scale)
    return max(SILENCE, OFFSET + 10 * math.log10(power)) if power > 0 else SILENCE


def true_peak(samples: Sequence[float]) -> float:
    """Return the highest magnitude between and on the samples, by fourfold oversampling."""
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
    """Return the neighbours' weights for the value `offset` of a sample after the middle."""
    taps = []
    for n in range(2 * _REACH):
        x = n - (_REACH - 1) - offset
        taps.append(math.sin(math.pi * x) / (math.pi * x) * math.cos(math.pi * x / (2 * _REACH)))
    whole = sum(taps)
    return [tap / whole for tap in taps]
