"""What people press when something happens: the panel map, from the other side."""

from random import Random

import pytest

from centerpiece.games.registry import BOOKS
from sim.dominoes import happenings as h
from sim.dominoes.match import new_round
from sim.people.reporting import telling


def people(profile, players=4, engine=None):
    """Those who tell of a fresh round."""
    rules = BOOKS.profile(profile)
    return telling(new_round(rules, rules.sets[0], players, Random(1), engine))


def pressed(teller, *told):
    return [str(gesture) for gesture in teller.step(told)]


TRAIN = ("mexican-train/classic", 4, 12)
FOOT = ("chickenfoot/family", 4, 9)
FIVES = ("muggins/classic", 4, None)
POWERS = ("super-15/double-15", 4, None)
ROCK = ("castle-rock/classic", 1, None)


@pytest.mark.parametrize(
    ("table", "told", "gestures"),
    [
        (TRAIN, [h.MarkerPlaced(1)], ["tap seat-2"]),
        (TRAIN, [h.MarkerRemoved(1)], ["tap seat-2"]),
        (TRAIN, [h.TrainStarted(0)], ["tap train"]),
        (TRAIN, [h.DoubleOpened(2)], ["double seat-3"]),
        (TRAIN, [h.DoubleSatisfied(None)], ["double train"]),
        (TRAIN, [h.Played(0, 5, 0), h.Drew(1, 7), h.Passed(1)], []),
        (FOOT, [h.ToePlayed(0, 2)], ["tap train"]),
        (FOOT, [h.FootOpened(0, 3)], ["hold train"]),
        (FIVES, [h.Scored(2, 15)], ["tap seat-3"] * 3),
        (FIVES, [h.Scored(2, 10), h.Stolen(2, 1, 10)], ["tap seat-3"] * 2 + ["hold seat-2"]),
        (FIVES, [h.Scored(2, 10), h.Forgotten(2, 10)], []),
        (POWERS, [h.Played(2, 9, 0), h.DirectionReversed(False)], ["tap seat-3", "tap train"]),
        (POWERS, [h.Played(2, 9, 0), h.Drew(0, 1), h.Drew(1, 2)], ["double seat-3"]),
        (ROCK, [h.TileDrawn(3)], ["tap train"]),
        (ROCK, [h.MiddleRemoved(3)], ["tap seat-1"]),
        (ROCK, [h.ThreeRemoved((3, 4, 5))], ["hold seat-1"]),
    ],
)
def test_happenings_are_told_as_the_panel_has_it(table, told, gestures):
    """One line for each that the hub can be told of."""
    assert gestures == pressed(people(*table), *told)


def test_a_last_tile_is_announced_by_holding_or_by_whistle_and_seat():
    """Both ways are in use, so both are tried."""
    teller = people(*TRAIN)
    teller.played.lone[:] = teller.played.announced[:] = [True, True, False, False]

    assert ["hold seat-1", "tap whistle", "tap seat-2"] == pressed(
        teller, h.Announced(0), h.Announced(1)
    )


def test_whoever_is_caught_is_told_of():
    """Hold whistle, then the seat."""
    teller = people(*TRAIN)
    teller.played.lone[3] = teller.played.announced[3] = True

    assert ["hold whistle", "tap seat-4"] == pressed(teller, h.Caught(3, "none"))


def test_one_tile_that_became_two_is_taken_back():
    """By the marker in Mexican Train, which is lifted and laid again if it is on already."""
    teller = people(*TRAIN)
    teller.gleaming = {0, 2}

    assert ["tap seat-1", "tap seat-3", "tap seat-3"] == pressed(
        teller, h.MarkerPlaced(0), h.LastTileGone(0), h.LastTileGone(2)
    )


def test_in_chickenfoot_it_is_taken_back_by_holding_again():
    """Nothing else tells there that somebody has drawn."""
    teller = people(*FOOT)
    teller.gleaming = {0}

    assert ["hold seat-1"] == pressed(teller, h.LastTileGone(0))


def test_hands_are_counted_in_tens_and_ones():
    """The double blank with its value; hands without pips by one tap for all."""
    teller = people("mexican-train/family", 4, 12)
    teller.played.out = [0]
    hands = [
        h.HandLeft(0, 0, 0, False, 0),
        h.HandLeft(1, 3, 23, False, 1),
        h.HandLeft(2, 2, 1, True, 0),
        h.HandLeft(3, 0, 0, False, 0),
    ]

    assert [
        *["hold seat-2"] * 2,
        *["tap seat-2"] * 3,
        *["hold seat-3"] * 5,
        "tap seat-3",
        "tap train",
    ] == [str(gesture) for gesture in teller.scores(hands)]


def test_a_partners_hand_is_left_alone():
    """The sheet does not count it when a round is won by going out."""
    teller = people(*FIVES)
    teller.played.out = [1]
    hands = [h.HandLeft(seat, 1, 2, False, 0) for seat in range(4)]

    assert ["tap seat-1"] * 2 + ["tap seat-3"] * 2 == [
        str(gesture) for gesture in teller.scores(hands)
    ]


def test_equal_tiles_make_the_pips_count():
    """Only of those who are level, after a tap that says so."""
    teller = people(*POWERS)
    teller.played.blocked = True
    hands = [h.HandLeft(0, 2, 7, False, 0), h.HandLeft(1, 2, 3, False, 0)]
    hands += [h.HandLeft(2, 4, 9, False, 0), h.HandLeft(3, 3, 1, False, 0)]
    gestures = [str(gesture) for gesture in teller.scores(hands)]

    assert ["tap train", *["tap seat-1"] * 7, *["tap seat-2"] * 3] == gestures[11:]


@pytest.mark.parametrize(
    ("profile", "number", "told"),
    [
        ("mexican-train/classic", 1, False),
        ("mexican-train/rally", 1, True),
        ("mexican-train/rally", 2, False),
        ("mexican-train/online", 2, True),
    ],
)
def test_the_starter_is_named_where_tiles_decide_it(profile, number, told):
    """The hub cannot know who drew the highest bone, or holds the highest tile."""
    teller = people(profile, 4, 9)
    gestures = [str(gesture) for gesture in teller.opening(number)]
    named = ["hold train+undo", f"tap seat-{teller.played.starter + 1}"]

    assert (named if told else []) == gestures
