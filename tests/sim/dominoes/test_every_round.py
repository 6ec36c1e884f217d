"""Invariants of every round of every profile, also under house rules."""

from random import Random
from typing import NamedTuple

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from centerpiece.games.mexican_train.rules import CLASSIC, MexicanTrainRules
from sim.dominoes.chickenfoot_tiles import ChickenfootTiles
from sim.dominoes.happenings import Drew, Played
from sim.dominoes.mexican_train_tiles import MexicanTrainTiles
from sim.dominoes.muggins_tiles import MugginsTiles
from sim.dominoes.round import IllegalMove, PlayTile, TileRound
from sim.dominoes.tiles import BIT, HIGH, LOW, SET, SUIT, each
from sim.people.players import KINDS, decisions, player
from tests.sim.dominoes.positions import PROFILES, dealt, numbered

BY_NAME = {rules.full_name: rules for rules in PROFILES}

tables = st.sampled_from(sorted(BY_NAME)).flatmap(
    lambda name: st.tuples(
        st.just(BY_NAME[name]),
        st.sampled_from(
            [(size, n) for size in BY_NAME[name].sets for n in BY_NAME[name].hands[size]]
        ),
    )
)

house_rules = st.fixed_dictionaries(
    {},
    optional={
        "first_turn": st.sampled_from(["one", "own-train"]),
        "own_train_first": st.booleans(),
        "trains": st.integers(0, 3),
        "train_starts": st.sampled_from(["any-turn", "second-turn"]),
        "marker_off": st.sampled_from(["own-train", "anywhere", "choice"]),
        "open_double": st.sampled_from(["everyone", "next-player", "nobody"]),
        "double_followed_by": st.sampled_from(["anyone", "owner"]),
        "double_unanswered": st.sampled_from(["marker", "pass"]),
        "doubles_a_turn": st.sampled_from(["one", "third-from-hand", "any"]),
        "end_of_line": st.booleans(),
        "everyone_starts": st.booleans(),
        "draw": st.sampled_from(["one", "two", "until-playable", "none"]),
        "engine_found": st.sampled_from(["drawn", "placed"]),
        "engine_choice": st.sampled_from(["list", "fixed", "highest-held"]),
        "last_tile": st.sampled_from(["must", "courtesy", "optional"]),
        "last_tile_deadline": st.sampled_from(["caught", "next-player"]),
        "penalty": st.sampled_from(["none", "draw", "keep", "points", "skip"]),
        "penalty_tiles": st.integers(1, 3),
    },
)


def begin(rules, size: int, players: int, seed: int) -> TileRound:
    """A round as a table would deal it."""
    engines = rules.engines_for(size)
    rng = Random(seed)
    engine = rng.choice(engines) if engines else None
    return dealt(rules, size, players, rng, engine, starter=seed % players)


def people(kind: str, count: int, seed: int):
    """So many players of one kind."""
    return [player(kind, Random(seed + place)) for place in range(count)]


def tiles_of(played: TileRound) -> list[int]:
    """Every tile, wherever it lies, once for each place it lies in."""
    found = [tile for hand in played.hands for tile in each(hand)]
    return sorted([*found, *played.yard, *each(played.laid)])


class Position(NamedTuple):
    """The visible table before a move."""

    hands: list[int]
    ends: list[int]
    open: list[int]
    """Places that must be played on before any other."""
    shut: set[int]
    """Places where only their owner may play; for a game without trains, nobody."""
    bare: frozenset[int] = frozenset()
    """Seats that must begin their own train before anything else."""


def layout_of(played: TileRound) -> Position:
    """A round as it lies there."""
    hands, ends, duty, shut = list(played.hands), list(played.ends), [], set()
    match played:
        case MexicanTrainTiles():
            duty = list(played.open)
            shut = {seat for seat in range(played.players) if not played.marked[seat]} - {*duty}
        case ChickenfootTiles():
            duty = [played.foot] if played.missing else []
            shut = set() if duty else {n for n, toes in enumerate(played.toes) if not toes}
        case MugginsTiles(sides_free=free, spinner=spinner):
            shut = {2, 3} if free or spinner is None else set()
    return Position(hands, ends, duty, shut)


def objection(rules, before: Position, seat: int, tile: int, place: int) -> str | None:
    """Return the objection to a played tile, without using options and turns."""
    halves, owner = (LOW[tile], HIGH[tile]), rules.game == "mexican-train" and place == seat
    if not before.hands[seat] >> tile & 1:
        return f"seat {seat} does not hold {halves}"
    if not before.ends:
        return None if rules.game == "muggins" or halves[0] == halves[1] else "no double first"
    end = before.ends[place]
    power = rules.game == "super-15" and end == rules.spell_on and halves[0] == halves[1]
    if end not in halves and not power:
        return f"{halves} does not fit on a {end} at {place}"
    if place in before.shut and not owner:
        return f"seat {seat} may not play at {place}"
    if seat in before.bare and not owner:
        return f"seat {seat} played at {place} before the own train"
    string = owner and (rules.first_turn == "own-train" or seat in before.bare)
    if before.open and place not in before.open and not string:
        return f"seat {seat} played at {place} with {before.open} to be played on"
    return None


def watched(played: TileRound, kind: str, seed: int) -> list[str]:
    """Play a round to its end, counting tiles at every step; what was wrong with it."""
    # What was drawn for the engine is in the hands already.
    played.happenings.clear()
    whole, found = sorted(each(SET[played.size])), []
    before = layout_of(played)
    first = getattr(played.rules, "own_train_first", False)
    bare = set(range(played.players)) if first else set()
    for happenings in decisions(played, people(kind, played.players, seed), Random(seed)):
        assert whole == tiles_of(played)
        for happening in happenings:
            if isinstance(happening, Drew):
                before.hands[happening.seat] |= BIT[happening.tile]
            elif isinstance(happening, Played):
                seat, tile, place = happening.seat, happening.tile, happening.place
                found.append(
                    objection(
                        played.rules, before._replace(bare=frozenset(bare)), seat, tile, place
                    )
                )
                bare.discard(place)
        before = layout_of(played)
    return [why for why in found if why]


@settings(max_examples=150, deadline=None)
@given(tables, st.sampled_from(sorted(KINDS)), st.integers(0, 2**32))
def test_tiles_are_conserved_and_nobody_plays_an_illegal_tile(table, kind, seed):
    """
    In every profile every tile is in exactly one place at every step, each that is laid came from
    the player's hand and fits where it may be laid, and the round ends.
    """
    rules, (size, players) = table
    played = begin(rules, size, players, seed)

    assert [] == watched(played, kind, seed)
    assert True is played.over
    if rules.game != "castle-rock":
        assert bool(played.out) != played.blocked


@settings(max_examples=200, deadline=None)
@given(house_rules, st.sampled_from(["random", "greedy", "forgetful"]), st.integers(0, 2**32))
def test_a_round_ends_under_any_house_rules(changes, kind, seed):
    """
    Whatever a table agrees on, tiles are conserved and somebody is out or the round is blocked.
    """
    rules = msgspec.structs.replace(CLASSIC, **changes)
    played = begin(rules, 9, 2 + seed % 5, seed)

    assert [] == watched(played, kind, seed)
    assert True is played.over
    assert bool(played.out) != played.blocked


def anyone_plays_in_two_turns_round(played: MexicanTrainTiles) -> bool:
    """Let everybody pass twice, putting markers on as they do, and see whether a tile fits.

    Who begins makes no difference: after the first time round all markers are on.
    """
    rules: MexicanTrainRules = played.rules
    marked = list(played.marked)
    duty = list(played.open)
    for further in range(2 * played.players):
        seat = (played.turn + further) % played.players
        hand = [(LOW[tile], HIGH[tile]) for tile in each(played.hands[seat])]
        if rules.own_train_first and not played.begun[seat]:
            places = [seat]
        elif duty:
            mine = rules.double_followed_by == "anyone"
            places = [p for p in duty if mine or p == seat or p >= played.players]
        else:
            trains = min(played.started + 1, rules.trains)
            places = [p for p in range(played.players) if p == seat or marked[p]]
            places += range(played.players, played.players + trains)
        if any(played.ends[place] in tile for place in places for tile in hand):
            return True
        marked[seat] = True
    return False


@settings(max_examples=300, deadline=None)
@given(house_rules, st.integers(0, 2**32))
def test_a_blocked_mexican_train_is_blocked_exactly(changes, seed):
    """
    With nothing to draw, the round is over if and only if nobody would play in two more turns
    round, in which all the markers come on: neither a turn too early nor one too late.
    """
    rules = msgspec.structs.replace(CLASSIC, **changes)
    played = begin(rules, 9, 2 + seed % 5, seed)
    chooser = player("random", Random(seed))
    while played.go_on():
        played.play(chooser.choose(played.sight()))
        turn_is_over = not played.fresh and not played.may_stop
        if turn_is_over and not (played.yard or played.out or played.stringing):
            assert anyone_plays_in_two_turns_round(played) != played.over


@settings(max_examples=100, deadline=None)
@given(tables, st.integers(0, 2**32))
def test_a_blocked_round_leaves_nothing_that_could_be_played(table, seed):
    """
    In the games without markers: nothing to draw, and no hand has a tile that would be offered.
    """
    rules, (size, players) = table
    played = begin(rules, size, players, seed)
    chooser = player("random", Random(seed))
    while played.go_on():
        played.play(chooser.choose(played.sight()))
    if played.blocked and rules.game == "chickenfoot":
        showing = [played.foot] if played.missing else [n for n, c in enumerate(played.toes) if c]
        assert not any(hand & SUIT[number] for hand in played.hands for number in showing)
        assert len(played.yard) <= rules.stays_undrawn(players)
    if played.blocked and rules.game == "muggins":
        assert not any(hand & SUIT[end] for hand in played.hands for end in played.ends)
        assert [] == played.yard


@settings(max_examples=100, deadline=None)
@given(tables.filter(lambda table: table[0].game != "castle-rock"), st.integers(0, 2**32))
def test_every_move_that_is_not_offered_is_refused(table, seed):
    """
    At every decision each tile of the set at each place is either among the moves or illegal,
    and refusing changes nothing.
    """
    rules, (size, players) = table
    played = begin(rules, size, players, seed)
    rng = Random(seed)
    for _ in range(6):
        if not played.go_on():
            break
        legal = played.moves()
        for _ in range(30):
            move = PlayTile(rng.randrange(136), rng.randrange(max(len(played.ends), 1) + 1))
            if move not in legal:
                before = (
                    list(played.hands),
                    list(played.ends),
                    played.turn,
                    len(played.happenings),
                )
                with pytest.raises(IllegalMove):
                    played.play(move)
                assert before == (played.hands, played.ends, played.turn, len(played.happenings))
        played.play(rng.choice(legal))


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("rules", PROFILES, ids=lambda rules: rules.full_name)
def test_the_same_seed_plays_the_same_round(rules, kind):
    """A run can be replayed from its seed, happening by happening."""
    size = rules.sets[0]
    players = max(rules.hands[size])
    first, again = (
        list(decisions(begin(rules, size, players, 11), people(kind, players, 3), Random(5)))
        for _ in range(2)
    )

    assert first == again
    assert any(first)


def test_a_tile_belongs_to_one_hand():
    """The count of tiles would notice a copied one."""
    played = begin(CLASSIC, 9, 4, 1)
    played.hands[0] |= BIT[played.yard[0]]

    assert len(tiles_of(played)) == SET[9].bit_count() + 1


def test_what_is_wrong_with_a_tile_is_noticed():
    """
    A tile of another hand, one that does not fit, a train that is somebody else's, a double that
    waits.
    """
    tile = numbered("9-4")
    before = Position([BIT[tile], 0], [9, 3, 4], [], {1})

    assert None is objection(CLASSIC, before, 0, tile, 0)
    assert "hold" in objection(CLASSIC, before, 1, tile, 0)
    assert "fit" in objection(CLASSIC, before, 0, tile, 1)
    assert "may not" in objection(CLASSIC, before._replace(shut={2}), 0, tile, 2)
    assert "to be played on" in objection(CLASSIC, before._replace(open=[2]), 0, tile, 0)


def test_a_round_that_opens_all_trains_is_found_out():
    """The people play where the round lets them; whoever watches knows better."""
    played = begin(CLASSIC, 9, 4, 1)
    played.public += [1, 2, 3]

    assert any("may not play" in why for why in watched(played, "random", 1))
