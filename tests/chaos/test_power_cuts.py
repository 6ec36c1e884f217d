"""Power cuts at any point of an evening, with any unsynced data lost."""

import shutil

import pytest

from tests.chaos.cuts import cut_everywhere

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


@needs_gcc
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long)])
def test_a_power_cut_takes_nothing_back_that_was_shown(seed):
    """
    After each of 250 cuts the journal opens and holds every event that a light, a sound or an
    answer had stood for, and no event that did not happen.
    """
    result = cut_everywhere(seed, steps=60, cuts=250)

    assert 250 == result.tries
    assert [] == result.failures


@needs_gcc
def test_the_attack_would_notice_a_journal_that_does_not_sync():
    """
    Without syncs, shown events are lost: the attack can fail.
    """
    assert cut_everywhere(3, 40, 200, "careless").failures
