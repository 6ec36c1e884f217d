"""Preferences: volume, brightness and quiet hours at each time of day."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centerpiece.hub.preferences import QUIET_LASTS, STEPS, Preferences
from sim.hands import chord, hold, tap
from sim.script import Stage

NOON = time.mktime((2027, 3, 1, 12, 0, 0, 0, 0, -1))
NIGHT = Preferences(quiet_from="22:00", quiet_until="08:00", brightness=0.8, quiet_brightness=0.5)
times_of_day = st.builds("{:02}:{:02}".format, st.integers(0, 23), st.integers(0, 59))


def test_quiet_hours_are_silent_and_dim():
    assert (1.0, 0.8) == (NIGHT.volume_at(NOON), NIGHT.brightness_at(NOON))
    midnight = NOON + 12 * 3600
    assert (0.0, 0.4) == (NIGHT.volume_at(midnight), NIGHT.brightness_at(midnight))


@given(times_of_day, times_of_day, st.integers(0, 3 * 86400))
def test_the_next_change_is_the_next_beginning_or_end(begin, end, later):
    """Nothing changes before the returned time, so one timer is enough."""
    preferences = Preferences(quiet_from=begin, quiet_until=end)
    at = NOON + later
    change = preferences.next_change(at)

    assert 0 < change - at <= 86400
    assert time.strftime("%H:%M:%S", time.localtime(change)) in (f"{begin}:00", f"{end}:00")
    assert preferences.quiet_at(change - 1) == preferences.quiet_at(at)


def test_without_quiet_hours_nothing_is_due():
    assert Preferences().next_change(NOON) is None


def test_loudness_goes_down_in_steps_to_silence_and_round_again():
    preferences, heard = Preferences(), []
    for _ in range(len(STEPS) + 1):
        preferences = preferences.next_volume()
        heard.append(preferences.volume_at(NOON))

    assert [*STEPS[1:], 0.0, 1.0] == heard


@pytest.fixture
def stage(tmp_path):
    stage = Stage(tmp_path)
    yield stage
    stage.stop()


def test_the_whistle_held_in_the_lobby_sets_the_volume(stage):
    """The hub shows the volume and remembers it."""
    stage.do(hold("whistle"))
    assert STEPS[1] == stage.board.sound.volume
    stage.restart()
    stage.do(tap("whistle"))
    assert STEPS[1] == stage.board.sound.volume


def test_whistle_and_undo_make_it_quiet_and_dim_every_day_from_now_on(stage):
    """The same two buttons end quiet hours."""
    stage.do(chord("whistle", "undo"))
    assert 0.4 == stage.board.lights.brightness
    stage.do(tap("whistle"))
    assert 0.0 == stage.board.sound.volume
    stage.do(chord("whistle", "undo"))
    assert 1.0 == stage.board.lights.brightness


def test_the_lights_brighten_and_dim_by_themselves(stage):
    """No press is needed when quiet hours end or begin again."""
    stage.do(chord("whistle", "undo"))
    stage.wait(QUIET_LASTS - 120)
    assert 0.4 == stage.board.lights.brightness
    stage.wait(240)
    assert 1.0 == stage.board.lights.brightness
    stage.wait(24 * 3600 - QUIET_LASTS)
    assert 0.4 == stage.board.lights.brightness
