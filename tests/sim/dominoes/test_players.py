"""Virtual people: their choice of tiles, and their care."""

from random import Random

import msgspec
import pytest

from centerpiece.games.castle_rock import rules as castle_rock
from centerpiece.games.chickenfoot import rules as chickenfoot
from centerpiece.games.mexican_train import rules as mexican_train
from centerpiece.games.muggins import rules as muggins
from sim.dominoes.happenings import Announced, Caught, Drew, Forgotten, LastTile, Scored, Stolen
from sim.dominoes.round import PlayTile, Sight
from sim.dominoes.tiles import named
from sim.people.players import CAREFUL, CARELESS, KINDS, Traits, decisions, play_out, player
from tests.sim.dominoes.positions import dealt, lay, may, numbered, position


def told_in(rules, size: int, kinds: list[str], seed: int, count: int = 40) -> list:
    """Everything that happened in some rounds with these people."""
    rng = Random(seed)
    seated = [player(kind, rng) for kind in kinds]
    happened = []
    for number in range(count):
        engines = rules.engines_for(size)
        engine = engines[number % len(engines)] if engines else None
        played = dealt(rules, size, len(kinds), rng, engine)
        for happenings in decisions(played, seated, rng):
            happened += happenings
    return happened


def test_a_player_sees_the_own_hand_and_the_layout_only():
    """Nothing of the others' tiles or of the yard is in sight."""
    assert ("seat", "hand", "options", "may_stop", "ends", "home", "row") == Sight.__struct_fields__


def test_greedy_plays_the_most_pips_and_at_home_if_it_can():
    """The heaviest tile, on the own train where there is a choice."""
    played = position(mexican_train.CLASSIC, ["9-4 9-6 8-7", "9-5 9-8"], engine=9, size=9)
    played.go_on()

    assert PlayTile(numbered("9-6"), 0) == KINDS["greedy"](Random(1)).choose(played.sight())


def test_builder_gives_an_extra_away_before_it_uses_its_train():
    """9-4 4-3 is its train, 9-8 an extra for the Mexican Train."""
    builder = player("builder", Random(1))
    played = position(
        mexican_train.CLASSIC, ["9-4 4-3 3-1 9-8 0-0", "9-5 9-7 6-6"], engine=9, size=9
    )
    played.go_on()
    first = builder.choose(played.sight())
    lay(played, "9-8@2", "9-5@1")
    played.go_on()

    assert PlayTile(numbered("9-8"), 2) == first
    assert PlayTile(numbered("9-4"), 0) == builder.choose(played.sight())


def test_builder_removes_what_leaves_the_shortest_row():
    """Removing the middle first would leave the row longer than removing all three."""
    played = position(castle_rock.CLASSIC, [""], "3-1 6-3 4-3", size=9)
    played.go_on()

    assert {"middle@1", "three@1"} == may(played)
    assert True is player("builder", Random(1)).choose(played.sight()).three


def test_builder_beats_greedy_and_greedy_beats_random():
    """Over many deals, planning is worth pips."""
    rng = Random(5)
    pips = {"builder": 0, "greedy": 0, "random": 0}
    for _ in range(300):
        order = rng.sample(sorted(pips), 3)
        played = dealt(mexican_train.CLASSIC, 9, 3, rng, engine=9)
        play_out(played, [player(kind, rng) for kind in order])
        for kind, score in zip(order, played.score(), strict=True):
            pips[kind] += score

    assert pips["builder"] < pips["greedy"] < pips["random"]


def test_careful_people_announce_every_last_tile_and_are_never_caught():
    """One announcement for each last tile."""
    happened = told_in(chickenfoot.FAMILY, 9, ["greedy"] * 4, seed=1)
    last, said, caught = (
        sum(isinstance(each, kind) for each in happened) for kind in (LastTile, Announced, Caught)
    )

    assert (0 < last, last, 0) == (True, said, caught)


def test_forgetful_people_are_sometimes_caught_and_draw():
    """The family's Chicken Little: each catch is followed by a drawn tile, while there are any."""
    happened = told_in(chickenfoot.FAMILY, 9, ["forgetful"] * 4, seed=1)
    caught = [place for place, each in enumerate(happened) if isinstance(each, Caught)]

    assert caught
    assert any(isinstance(happened[place + 1], Drew) for place in caught)


def test_nobody_is_caught_where_nothing_must_be_said():
    """At a rally knocking is a courtesy."""
    happened = told_in(mexican_train.RALLY, 12, ["forgetful"] * 4, seed=1, count=20)

    assert not [each for each in happened if isinstance(each, Caught)]


def test_an_announcement_counts_until_the_next_player_has_finished():
    """With that deadline, nobody is caught in the move that left one tile."""
    rules = msgspec.structs.replace(mexican_train.CLASSIC, last_tile_deadline="next-player")
    rng = Random(3)
    seated = [KINDS["greedy"](rng, Traits(announces=0.0, catches=1.0)) for _ in range(4)]
    caught = 0
    for _ in range(30):
        for happenings in decisions(dealt(rules, 9, 4, rng, engine=9), seated, rng):
            left_one = {t.seat for t in happenings if isinstance(t, LastTile)}
            now = {t.seat for t in happenings if isinstance(t, Caught)}
            caught += len(now)
            assert set() == left_one & now

    assert caught


def test_forgotten_points_are_stolen_or_lost():
    """Muggins with forgetful people."""
    happened = told_in(muggins.CLASSIC, 6, ["forgetful"] * 3, seed=1)
    made, stolen, lost = (
        sum(isinstance(each, kind) for each in happened) for kind in (Scored, Stolen, Forgotten)
    )

    assert stolen
    assert lost
    assert stolen + lost < made


def test_forgetful_is_careless_and_the_others_are_careful():
    """Traits are what whoever lets them play rolls dice against."""
    rng = Random(1)

    assert CARELESS == player("forgetful", rng).traits
    assert {CAREFUL} == {player(kind, rng).traits for kind in ("random", "greedy", "builder")}
    assert 0 < CARELESS.mispresses < 1
    assert 0 == CAREFUL.mispresses


def test_an_unknown_kind_of_player_is_refused_with_the_kinds_there_are():
    """Before anything runs."""
    with pytest.raises(ValueError, match="no player 'lucky'; the kinds are random, greedy"):
        player("lucky", Random(1))


def test_a_hand_of_one_choice_needs_no_plan():
    """A builder that may play one tile plays it."""
    sight = Sight(0, named("9-4 8-8"), [(0, named("9-4"))], False, [9, 9], 0)

    assert PlayTile(numbered("9-4"), 0) == player("builder", Random(1)).choose(sight)
