"""Shuffling and dealing."""

from random import Random

import msgspec
import pytest

from centerpiece.games.chickenfoot import rules as chickenfoot
from centerpiece.games.mexican_train import rules as mexican_train
from sim.dominoes.dealing import CannotDeal, deal
from sim.dominoes.happenings import Drew, EngineLaid
from sim.dominoes.tiles import BIT, DOUBLE, SET, named
from tests.sim.dominoes.positions import PROFILES, dealt

TABLES = [
    pytest.param(rules, size, players, id=f"{rules.full_name}-{size}-{players}")
    for rules in PROFILES
    for size in rules.sets
    for players in rules.hands[size]
]


@pytest.mark.parametrize(("rules", "size", "players"), TABLES)
def test_every_line_of_every_hand_table_can_be_dealt(rules, size, players):
    """Each seat gets the sheet's number of tiles, and no tile is dealt twice or lost."""
    engines = rules.engines_for(size)
    engine = engines[0] if engines else None
    played = dealt(rules, size, players, Random(1), engine)
    in_hands = [tiles.bit_count() for tiles in played.hands]
    drawn = sum(isinstance(each, Drew) for each in played.happenings)
    found = sum(isinstance(each, EngineLaid) for each in played.happenings)

    assert players * rules.hand(size, players) + drawn - found == sum(in_hands)
    assert SET[size].bit_count() == sum(in_hands) + len(played.yard) + (engine is not None)


def test_the_same_seed_deals_the_same_tiles():
    """A run can be replayed from its seed."""
    first, again, other = (
        deal(mexican_train.CLASSIC, 12, 4, Random(seed), engine=12) for seed in (5, 5, 6)
    )

    assert first == again
    assert first != other


def test_a_deal_that_the_sheet_does_not_have_is_refused_with_the_sets_that_would_do():
    """The classic table marks seven players with a double-9 set with an X."""
    with pytest.raises(CannotDeal, match="7 players with a double-9 set; use a double-12 set"):
        deal(mexican_train.CLASSIC, 9, 7, Random(1), engine=9)
    with pytest.raises(CannotDeal, match="change the players"):
        deal(mexican_train.CLASSIC, 9, 12, Random(1), engine=9)


def test_an_engine_that_is_placed_is_in_no_hand():
    """Classic: the engine lies in the centerpiece before the others are shuffled."""
    dealt = deal(mexican_train.CLASSIC, 9, 4, Random(2), engine=7)

    assert BIT[DOUBLE[7]] not in [BIT[tile] for tile in dealt.yard]
    assert not any(hand & BIT[DOUBLE[7]] for hand in dealt.hands)


@pytest.mark.parametrize("rules", [mexican_train.FAMILY, chickenfoot.FAMILY], ids=["train", "foot"])
@pytest.mark.parametrize("seed", range(12))
def test_the_family_draws_until_someone_has_the_double(rules, seed):
    """
    Family sheet, step 1 of both games: all draw simultaneously until it is drawn; whoever has it
    lays it, and so holds a tile less.
    """
    dealt = deal(rules, 9, 3, Random(seed), engine=9)
    *drawn, found = dealt.happenings
    counts = [hand.bit_count() for hand in dealt.hands]
    laps = -(-len(drawn) // 3)
    each_draws = rules.hand(9, 3)

    assert isinstance(found, EngineLaid)
    assert all(isinstance(each, Drew) for each in drawn)
    assert counts[found.seat] == each_draws + laps - 1
    assert not any(hand & named("9-9") for hand in dealt.hands)


def test_the_highest_double_held_can_be_the_engine():
    """A house rule: whoever holds the highest double starts the round with it."""
    house = msgspec.structs.replace(mexican_train.CLASSIC, engine_choice="highest-held")
    dealt = deal(house, 9, 4, Random(3), engine=9)
    left = [n for n in range(10) if any(hand & BIT[DOUBLE[n]] for hand in dealt.hands)]

    assert isinstance(dealt.happenings[-1], EngineLaid)
    assert all(number < dealt.engine for number in left)


def test_online_the_highest_tile_starts():
    """Web page: each round is started by the player with the highest sum of both ends of a tile."""
    dealt = deal(mexican_train.ONLINE, 12, 4, Random(4), engine=12)

    assert max(dealt.hands) == dealt.hands[dealt.starter]
