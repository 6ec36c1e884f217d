"""The gestures for each happening, which are the panel map seen from the other side."""

from random import Random

import pytest

from centerpiece.games.registry import GAMES
from sim.dominoes import happenings as h
from sim.dominoes.castle_rock_tiles import MiddleTaken, ThreeTaken, TileLaid
from sim.dominoes.chickenfoot_tiles import FootLaid, ToeLaid
from sim.dominoes.mexican_train_tiles import (
    DoubleCovered,
    DoubleLeft,
    TrainLaid,
    TrainMarked,
    TrainUnmarked,
)
from sim.dominoes.super_15_tiles import DirectionReversed
from sim.people.games import reporter_of


def people(profile, players=4, engine=None):
    """Those who tell of a fresh round."""
    rules = GAMES.profile(profile)
    reporter = reporter_of(rules.game)
    return reporter(reporter.round.dealt(rules, rules.sets[0], players, Random(1), engine))


def pressed(reporter, *told):
    return [str(gesture) for gesture in reporter.step(told)]


TRAIN = ("mexican-train/classic", 4, 12)
FOOT = ("chickenfoot/family", 4, 9)
FIVES = ("muggins/classic", 4, None)
POWERS = ("super-15/double-15", 4, None)
ROCK = ("castle-rock/classic", 1, None)


@pytest.mark.parametrize(
    ("table", "told", "gestures"),
    [
        (TRAIN, [TrainMarked(1)], ["tap seat-2"]),
        (TRAIN, [TrainUnmarked(1)], ["tap seat-2"]),
        (TRAIN, [TrainLaid(0)], ["tap train"]),
        (TRAIN, [DoubleLeft(2)], ["double seat-3"]),
        (TRAIN, [DoubleCovered(None)], ["double train"]),
        (TRAIN, [h.Played(0, 5, 0), h.Drew(1, 7), h.Passed(1)], []),
        (FOOT, [ToeLaid(0, 2)], ["tap train"]),
        (FOOT, [FootLaid(0, 3)], ["hold train"]),
        (FIVES, [h.Scored(2, 15)], ["tap seat-3"] * 3),
        (FIVES, [h.Scored(2, 10), h.Stolen(2, 1, 10)], ["hold seat-2"] + ["tap seat-2"] * 2),
        (FIVES, [h.Scored(2, 10), h.Forgotten(2, 10)], []),
        (POWERS, [h.Played(2, 9, 0), DirectionReversed(False)], ["tap train"]),
        (POWERS, [h.Played(2, 9, 0), h.Drew(0, 1), h.Drew(1, 2)], ["double seat-3"]),
        (ROCK, [TileLaid(3)], ["tap train"]),
        (ROCK, [MiddleTaken(3)], ["tap seat-1"]),
        (ROCK, [ThreeTaken((3, 4, 5))], ["hold seat-1"]),
    ],
)
def test_happenings_are_told_as_the_panel_has_it(table, told, gestures):
    """One line for each that the hub can be told of."""
    assert gestures == pressed(people(*table), *told)


def test_a_last_tile_is_announced_by_holding_or_by_whistle_and_seat():
    """Both ways are in use, so both are tried."""
    reporter = people(*TRAIN)
    reporter.played.lone[:] = reporter.played.announced[:] = [True, True, False, False]

    assert ["hold seat-1", "tap whistle", "tap seat-2"] == pressed(
        reporter, h.Announced(0), h.Announced(1)
    )


def test_whoever_is_caught_is_told_of():
    """Hold whistle, then the seat."""
    reporter = people(*TRAIN)
    reporter.played.lone[3] = reporter.played.announced[3] = True

    assert ["hold whistle", "tap seat-4"] == pressed(reporter, h.Caught(3, "none"))


def test_one_tile_that_became_two_is_taken_back():
    """By the marker in Mexican Train, which is lifted and laid again if it is on already."""
    reporter = people(*TRAIN)
    reporter.known_last_tiles = {0, 2}

    assert ["tap seat-1", "tap seat-3", "tap seat-3"] == pressed(
        reporter, TrainMarked(0), h.HandRefilled(0), h.HandRefilled(2)
    )


def test_in_chickenfoot_who_is_caught_later_admits_having_drawn():
    """No button tells there that somebody has drawn, so the hub asks."""
    reporter = people(*FOOT)
    reporter.known_last_tiles, reporter.announced_seats = {0}, {0}
    reporter.played.lone[0] = reporter.played.announced[0] = True

    assert [] == pressed(reporter, h.HandRefilled(0))
    assert ["hold whistle", "tap seat-1", "tap seat-1"] == pressed(reporter, h.Caught(0, "none"))


def test_hands_are_dialled_as_the_hub_goes_round():
    """The double blank by its button; hands without pips, at the end, all at once."""
    reporter = people("mexican-train/family", 4, 12)
    reporter.played.out = [0]
    hands = [
        h.HandLeft(0, 0, 0, False, 0),
        h.HandLeft(1, 3, 23, False, 1),
        h.HandLeft(2, 2, 1, True, 0),
        h.HandLeft(3, 0, 0, False, 0),
    ]

    assert [
        *("tap seat-2", "tap seat-3", "tap advance"),
        *("tap seat-1", "tap train", "tap advance"),
        "hold train",
    ] == [str(gesture) for gesture in reporter.scores(hands)]


def test_a_partners_hand_is_left_alone():
    """The sheet does not count it when a round is won by going out."""
    reporter = people(*FIVES)
    reporter.played.out = [1]
    hands = [h.HandLeft(seat, 1, 2, False, 0) for seat in range(4)]

    assert ["tap seat-2", "tap advance"] * 2 == [str(g) for g in reporter.scores(hands)]


def test_equal_tiles_make_the_pips_count():
    """Only of those who are level: the hub asks for them."""
    reporter = people(*POWERS)
    reporter.played.blocked = True
    hands = [h.HandLeft(0, 2, 7, False, 0), h.HandLeft(1, 2, 3, False, 0)]
    hands += [h.HandLeft(2, 4, 9, False, 0), h.HandLeft(3, 3, 1, False, 0)]
    gestures = [str(gesture) for gesture in reporter.scores(hands)]

    assert ["tap seat-7", "tap advance", "tap seat-3", "tap advance"] == gestures[8:]


@pytest.mark.parametrize(
    ("profile", "number", "told"),
    [
        ("mexican-train/classic", 1, "tap advance"),
        ("mexican-train/classic", 2, None),
        ("mexican-train/rally", 1, "tap seat-1"),
        ("mexican-train/rally", 2, None),
        ("mexican-train/online", 2, "tap seat-1"),
    ],
)
def test_who_starts_is_answered_where_the_hub_asks(profile, number, told):
    """In the first round, and where the highest tile says it; as shown is one press as well."""
    reporter = people(profile, 4, 9)
    reporter.played.starter = 0

    assert ([told] if told else []) == [str(gesture) for gesture in reporter.opening(number)]
