"""The measure of loudness agrees with ITU-R BS.1770 where that gives numbers."""

import math

import pytest

from hal.cues.loudness import bass_filter, head_filter, power_at
from tests.ears import SILENCE, loudness, true_peak


def sine(frequency: float, seconds: float, rate: int, phase: float = 0.0) -> list[float]:
    turn = 2 * math.pi * frequency / rate
    return [math.sin(turn * n + phase) for n in range(round(seconds * rate))]


@pytest.mark.parametrize("rate", [44_100, 48_000])
def test_a_full_scale_sine_of_997_hz_has_the_loudness_of_the_standard(rate):
    """One channel at full scale reads -3.01 LKFS, at either sampling rate."""
    assert pytest.approx(-3.01, abs=0.01) == loudness(sine(997, 1.0, rate), rate)


def test_the_filters_at_48_khz_are_those_of_the_standard():
    """Tables 1 and 2 of BS.1770 print the coefficients for 48 kHz."""
    head = (1.53512485958697, -2.69169618940638, 1.19839281085285)
    assert pytest.approx((*head, -1.69065929318241, 0.73248077421585)) == head_filter(48_000)
    assert pytest.approx((1, -2, 1, -1.99004745483398, 0.99007225036621)) == bass_filter(48_000)


def test_integers_are_measured_by_their_own_full_scale():
    """Sixteen-bit samples read the same as the floats they stand for."""
    tone = sine(997, 0.5, 44_100)
    whole = [round(32767 * x) for x in tone]

    assert pytest.approx(loudness(tone, 44_100), abs=0.01) == loudness(whole, 44_100, 32768)


def test_the_loudest_moment_counts_wherever_it_is():
    """Silence around a sound does not make it quieter, and half the level is 6 dB less."""
    tone = sine(997, 0.5, 44_100)
    quiet = [0.0] * 30_000
    alone = loudness(tone, 44_100)

    assert pytest.approx(alone, abs=0.02) == loudness([*quiet, *tone, *quiet], 44_100)
    assert pytest.approx(alone - 6.02, abs=0.01) == loudness([x / 2 for x in tone], 44_100)


def test_a_sound_shorter_than_a_moment_is_heard_as_less():
    """A quarter of the 400 ms carries a quarter of the power: 6 dB."""
    short, full = sine(997, 0.1, 44_100), sine(997, 0.4, 44_100)

    assert pytest.approx(loudness(full, 44_100) - 6.02, abs=0.1) == loudness(short, 44_100)


def test_silence_has_a_loudness_too():
    """Nothing to measure is no error."""
    assert SILENCE == loudness([0.0] * 50_000, 44_100)
    assert SILENCE == loudness([], 44_100)


def test_power_is_the_loudness_turned_back():
    """A level in LKFS, made into power and measured, is that level again."""
    assert pytest.approx(-23.0) == -0.691 + 10 * math.log10(power_at(-23.0))


def test_the_true_peak_sees_between_the_samples():
    """A sine sampled only beside its crests still peaks at one."""
    tone = sine(11_025, 0.05, 44_100, phase=math.pi / 4)
    swell = [x * math.sin(math.pi * n / len(tone)) for n, x in enumerate(tone)]

    assert max(map(abs, swell)) < 0.708
    assert pytest.approx(1.0, abs=0.01) == true_peak(swell)


def test_the_true_peak_is_never_below_the_highest_sample():
    """A lone sample, and none at all, have their peak."""
    assert true_peak([0.0] * 20 + [0.5] + [0.0] * 20) >= 0.5
    assert true_peak([]) == 0.0
