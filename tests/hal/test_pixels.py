"""Gamma, white extraction and current limit."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.hardware_settings import IDLE_MILLIAMPS, LightSettings, Order
from hal.pixels import Limit, curve, levels
from hal.ports import Zone

PIXELS = 40
ZONES = (Zone("face", 0, 30), Zone("train", 30, 3), Zone("ring", 33, 7))
frames = st.binary(min_size=3 * PIXELS, max_size=3 * PIXELS)
brightnesses = st.floats(0.0, 1.0)


def settings(max_milliamps: float, order: Order = "GRB") -> LightSettings:
    made = LightSettings(zones=ZONES, max_milliamps=max_milliamps, order=order)
    return msgspec.structs.replace(made, max_milliamps=max(max_milliamps, made.least_milliamps()))


def milliamps(levels: bytes, settings: LightSettings) -> float:
    """Estimate the current of the chain at these levels."""
    lit = sum(levels) * settings.milliamps_per_channel / 255
    return settings.pixels * IDLE_MILLIAMPS + lit


@given(frames, brightnesses, st.floats(0.0, 3000.0), st.sampled_from(["GRB", "RGBW"]))
def test_no_frame_asks_for_more_than_the_supply_gives(
    frame: bytes, brightness: float, supply: float, order: Order
) -> None:
    hub = settings(supply, order)
    wanted = levels(frame, curve(2.2, brightness), len(order) == 4)
    given_ = Limit.of(hub).scaled(wanted)

    assert milliamps(given_, hub) <= hub.max_milliamps


@given(frames, st.floats(0.0, 3000.0))
def test_what_is_lit_stays_lit_under_the_limit(frame: bytes, supply: float) -> None:
    """A dim seat does not vanish because the face is bright, and nothing gets brighter."""
    wanted = levels(frame, curve(2.2, 1.0), False)
    got = Limit.of(settings(supply)).scaled(wanted)

    assert [level > 0 for level in wanted] == [level > 0 for level in got]
    assert all(less <= more for less, more in zip(got, wanted, strict=True))


@given(frames)
def test_a_frame_within_the_limit_is_left_alone(frame: bytes) -> None:
    assert frame == Limit.of(settings(1e6)).scaled(frame)


def test_a_frame_over_the_limit_uses_what_the_supply_gives() -> None:
    """Full white on a third of the current is as bright as the supply allows, not darker."""
    hub = settings(800)
    got = Limit.of(hub).scaled(b"\xff" * 3 * PIXELS)

    assert 0.97 * 800 <= milliamps(got, hub) <= 800


@given(brightnesses.filter(bool), st.floats(1.0, 4.0))
def test_a_curve_rises_from_dark_to_the_brightness(brightness: float, gamma: float) -> None:
    """No step goes back, nothing that is lit becomes dark."""
    table = curve(gamma, brightness)

    assert 256 == len(table)
    assert 0 == table[0]
    assert sorted(table) == list(table)
    assert 0 not in table[1:]
    assert max(1, round(255 * brightness)) == table[255]


def test_no_brightness_is_a_dark_curve() -> None:
    """Brightness 0.0 is off, not almost off."""
    assert bytes(256) == curve(2.2, 0.0)


def test_gamma_makes_half_look_like_half() -> None:
    """The eye sees half the brightness at about a fifth of the light."""
    assert 56 == curve(2.2, 1.0)[128]


@given(frames)
def test_white_takes_what_the_colours_have_in_common(frame: bytes) -> None:
    """The light is the same, and one channel of each pixel is left to the white diode."""
    got = levels(frame, bytes(range(256)), True)
    red, green, blue, white = (got[channel::4] for channel in range(4))

    for place in range(PIXELS):
        seen = bytes(c[place] + white[place] for c in (red, green, blue))
        assert frame[3 * place : 3 * place + 3] == seen
        assert 0 == min(red[place], green[place], blue[place])


@pytest.mark.parametrize("order", ["GRB", "GRBW"])
def test_a_dark_chain_draws_its_idle_current(order: str) -> None:
    """Each pixel's controller takes a milliampere even in the dark."""
    hub = settings(1000, order)

    assert PIXELS == milliamps(bytes(hub.channels * PIXELS), hub)
