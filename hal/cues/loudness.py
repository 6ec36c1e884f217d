"""Perceived loudness by ITU-R BS.1770, for one channel.

Pure functions over samples.
Short cues are measured at their loudest moment (400 ms), because the gated average that suits a
programme of minutes says little about a knock.
"""

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

_MOMENT = 0.4
_STEP = 0.01
OFFSET = -0.691
"""Compensates the gain of the two filters at 997 Hz."""


class Biquad(NamedTuple):
    """A second-order filter, its coefficients divided by the first of the feedback."""

    b0: float
    b1: float
    b2: float
    a1: float
    a2: float


def head_filter(rate: int) -> Biquad:
    """Return the first half of K-weighting: a head in the sound field hears treble 4 dB louder.

    `rate` is the number of samples a second.
    """
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
    """Filter `samples` with the filter `by`, starting at rest; the result has the same length."""
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
    """Return the K-weighted mean square of the loudest 400 ms; silence fills up shorter sounds.

    `samples` lie between -1 and 1, `rate` of them in a second.
    """
    weighted = filtered(filtered(samples, head_filter(rate)), bass_filter(rate))
    energy = [0.0, *accumulate(x * x for x in weighted)]
    window, step = round(_MOMENT * rate), round(_STEP * rate)
    starts = range(0, max(len(weighted) - window, 0) + step, step)
    last = len(weighted)
    return max(energy[min(s + window, last)] - energy[min(s, last)] for s in starts) / window


def power_at(level: float) -> float:
    """Return the K-weighted mean square of a loudness in LKFS."""
    return float(10 ** ((level - OFFSET) / 10))
