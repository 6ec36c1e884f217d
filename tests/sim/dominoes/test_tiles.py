"""Tiles as numbers, hands as bit sets."""

import pytest

from centerpiece.rules.domino_sets import pips_in, tiles_in
from sim.dominoes.tiles import BIT, DOUBLES, HIGH, LOW, PIPS, SET, SUIT, each, named, names_of, pips


@pytest.mark.parametrize(
    ("size", "tiles", "dots"), [(6, 28, 168), (9, 55, 495), (12, 91, 1092), (15, 136, 2040)]
)
def test_a_set_has_the_known_number_of_tiles_and_pips(size, tiles, dots):
    """28, 55, 91, 136 tiles and 168, 495, 1,092, 2,040 pips, and the rule books count the same."""
    assert (tiles, dots) == (SET[size].bit_count(), pips(SET[size]))
    assert (tiles, dots) == (tiles_in(size), pips_in(size))


def test_the_highest_bit_of_a_hand_is_its_heaviest_tile():
    """Tiles are numbered by their pips."""
    assert sorted(PIPS) == list(PIPS)
    assert "9-8 7-7 3-0" == names_of(named("0-3 7-7 8-9"))


def test_a_suit_is_every_tile_with_that_number():
    """`hand & SUIT[n]` fits on an n and leaves open its pips less n."""
    for number, suit in enumerate(SUIT):
        assert {t for t in range(136) if number in (LOW[t], HIGH[t])} == set(each(suit))
    assert 16 == DOUBLES.bit_count()
    assert all(LOW[t] == HIGH[t] for t in each(DOUBLES))


def test_names_read_back():
    """A hand written down and read again is the same hand."""
    assert SET[12] == named(names_of(SET[12]))
    assert 0 == named("")
    assert BIT[0] == named("0-0")
