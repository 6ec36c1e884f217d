"""Cues reach older ears through small loudspeakers, and are told apart in a loud room."""

from pathlib import Path

import numpy as np
import pytest

from hal.ports import CUES
from tests.hal.cues.hearing import document, figures, in_babble, recognized

CALLS = {
    "whistle": 2,
    "rooster": 4,
    "knock": 2,
    "round": 3,
    "double": 2,
    "chickie": 2,
    "refused": 2,
    "time": 2,
}
"""Cues that call for attention, and their pulses."""
DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize("cue", CUES)
def test_a_cue_lies_where_older_ears_hear_best(cue: str) -> None:
    """At least 60 % of its energy is between 400 and 2,000 Hz, in at least three partials."""
    found = figures(cue)

    assert found.clear >= 0.6
    assert found.partials >= 3


@pytest.mark.parametrize("cue", CALLS)
def test_a_call_comes_in_pulses(cue: str) -> None:
    assert CALLS[cue] == figures(cue).pulses


@pytest.mark.parametrize("cue", CUES)
def test_no_cue_is_taken_for_another_among_voices(cue: str) -> None:
    """Eight people talk as loudly as the cue; its notes and its rhythm still name it."""
    rng = np.random.default_rng(CUES.index(cue))

    assert [cue] * 4 == [recognized(in_babble(cue, rng)) for _ in range(4)]


@pytest.mark.long
@pytest.mark.parametrize("cue", CUES)
def test_no_cue_is_taken_for_another_among_many_voices(cue: str) -> None:
    rng = np.random.default_rng(100 + CUES.index(cue))

    assert [cue] * 50 == [recognized(in_babble(cue, rng)) for _ in range(50)]


def test_the_documented_figures_are_those_of_the_cues() -> None:
    assert document() == (DOCS / "cues.md").read_text("utf-8")
