"""Whole games by virtual people: the expected state equals the hub's.

A hub with a deliberate fault must be detected.
"""

from collections import Counter

import pytest
from msgspec.structs import replace

from centerpiece.display import render
from centerpiece.games.castle_rock.game import TileDrawn
from centerpiece.games.chickenfoot.game import ToePlayed
from centerpiece.games.mexican_train.game import MarkerRemoved, MexicanTrain
from centerpiece.games.muggins.game import Muggins
from centerpiece.games.registry import GAMES
from centerpiece.games.super_15.game import Reversed, SpellBroken
from centerpiece.hub.hub import Hub
from centerpiece.hub.output_settings import OutputSettings
from centerpiece.rules.rules import with_settings
from centerpiece.table import scoring, seating
from centerpiece.table.events import OutChanged, Penalized, RoundStarted, ScoreEntered
from centerpiece.table.state import TRAIN
from centerpiece.table.undo import Ledger
from sim.people.play import SimulatedGame, play_game
from sim.people.tables import Disagreement, Tables
from sim.people.tally import Tally

PROFILES = [profile for game in GAMES.games.values() for profile in game.profiles]
long = pytest.mark.long
EACH = (range(1, 6), pytest.param(range(6, 41), marks=long))
"""The games of each profile."""
INCIDENTAL = (6, pytest.param(12, marks=long))
"""The number of games of each profile with incidents."""


def tables_of(name, players=None, seed=1, **settings):
    """A table of four, or of as many as the game is for."""
    rules = GAMES.profile(name)
    if settings:
        rules = with_settings(rules, settings, name="house")
    dealt = rules.hands[rules.sets[0]]
    return Tables(rules, rules.sets[0], players or min(4, max(dealt)), seed=seed)


def first_disagreement(tables, games=30):
    """Return the message of the first game that fails, None if none does."""
    for game in range(1, games + 1):
        try:
            play_game(tables, game)
        except Disagreement as found:
            return game, found
    return None


@pytest.mark.parametrize("games", EACH)
@pytest.mark.parametrize("profile", [profile.full_name for profile in PROFILES])
def test_whole_games_of_each_profile_agree(profile, games):
    """Engine, starter, markers, doubles, toes, spells, last tiles, scores, winners: all of it."""
    tables, tally = tables_of(profile), Tally.of(tables_of(profile))
    for game in games:
        tally.add(play_game(tables, game))

    assert len(games) == tally.games
    assert tally.compared > 2 * tally.rounds
    assert tally.mispresses > 0


DEALS = [
    (profile, size, players)
    for profile in PROFILES
    for size in profile.sets
    for players in profile.hands[size]
]


def is_extreme(profile, size, players):
    """The fewest or the most who can play; tables in between are long."""
    return players in (min(profile.hands[size]), max(profile.hands[size]))


@pytest.mark.parametrize(
    ("profile", "size", "players"),
    [deal if is_extreme(*deal) else pytest.param(*deal, marks=long) for deal in DEALS],
    ids=lambda value: str(getattr(value, "full_name", value)),
)
def test_every_table_that_can_be_dealt_agrees(profile, size, players):
    """One game for every set and every number of players that the sheet has."""
    result = play_game(Tables(profile, size, players, seed=11), 1)

    assert players == len(result.totals)


@pytest.mark.parametrize("games", INCIDENTAL)
@pytest.mark.parametrize("profile", [profile.full_name for profile in PROFILES])
def test_whatever_else_befalls_a_table_the_books_agree(profile, games):
    """Late arrivals, people who leave, hands corrected or told later, the wrong seat out, an early
    end, “caught!” without reason: on the sheet of the table and of the hub alike."""
    tables = replace(tables_of(profile), incidents=0.3)
    counts = Counter()
    for game in range(1, games + 1):
        counts.update(play_game(tables, game).incident_counts)

    assert counts.total() > 0
    if tables.players > 1 and profile.startswith(("mexican", "chicken")):
        assert {"late arrivals", "hands corrected", "hands told later"} <= counts.keys()
        assert {"people who left", "other seats that went out"} <= counts.keys()
        assert {"slow digits", "phone and finger at once"} <= counts.keys()
        assert {"double presses by two people", "leaders who went home"} <= counts.keys()


@pytest.mark.parametrize("penalty", ["draw", "keep", "points", "skip"])
def test_forgotten_last_tiles_are_caught_and_booked(penalty):
    """Each penalty that a table may agree on; the forgetful see to it that there are some."""
    tables = replace(
        tables_of("mexican-train/classic", penalty=penalty), kinds=("forgetful", "greedy")
    )

    assert 0 < sum(play_game(tables, game).caught for game in range(1, 4))


@pytest.mark.parametrize(
    ("profile", "setting", "value"),
    [
        ("mexican-train/classic", "doubles_twice", True),
        ("mexican-train/classic", "blank_half", 5),
        ("mexican-train/family", "blocked_lowest_zero", True),
        ("mexican-train/classic", "out_on_double_doubles", True),
        ("mexican-train/rally", "marker_off", "choice"),
        ("mexican-train/double-15", "out_bonus", -10),
        ("chickenfoot/family", "first_toes", 4),
        ("muggins/classic", "teams_of_four", False),
        ("super-15/double-15", "rounds", 3),
    ],
)
def test_house_rules_agree_as_well(profile, setting, value):
    """Settings that change what is told or counted."""
    tables = tables_of(profile, **{setting: value})

    assert None is first_disagreement(tables, 4)


def test_the_same_seed_and_game_are_the_same_game():
    """Whatever was played before it."""
    tables = tables_of("mexican-train/classic")
    once = play_game(tables, 3)
    play_game(tables, 4)

    assert once == play_game(tables, 3)
    assert once != replace(play_game(replace(tables, seed=2), 3))


def test_every_kind_comes_to_every_seat():
    """So that a seat's luck is not taken for skill."""
    tables = tables_of("mexican-train/classic")
    seen = {(seat, kind) for game in range(60) for seat, kind in enumerate(tables.kinds_in(game))}

    assert len(tables.kinds) * tables.players == len(seen)


# -- faults -------------------------------------------------------------------------------------


def forget(patch, kind):
    """Break the hub: ignore a command."""
    patch.setattr(kind, "apply", lambda self, table: table)


def break_markers(patch):
    forget(patch, MarkerRemoved)


def break_open_doubles(patch):
    sound = MexicanTrain.signs

    def on_the_train(self, table):
        signs = sound(self, table)
        return signs._replace(doubles=tuple(w for w in signs.doubles if w == TRAIN))

    patch.setattr(MexicanTrain, "signs", on_the_train)


def break_toes(patch):
    forget(patch, ToePlayed)


def break_direction(patch):
    forget(patch, Reversed)


def break_spell(patch):
    forget(patch, SpellBroken)


def break_pile(patch):
    forget(patch, TileDrawn)


def break_stealing(patch):
    patch.setattr(Muggins, "won_in_play", lambda self, table: False)


def break_last_tiles(patch):
    patch.setattr(RoundStarted, "apply", _keeping_calls(RoundStarted.apply))
    forget(patch, Penalized)


def _keeping_calls(sound):
    def started(self, table):
        return replace(sound(self, table), calls=frozenset({1}))

    return started


def break_scores(patch):
    counted = scoring.counted
    patch.setattr(scoring, "counted", lambda rules, entry: counted(rules, entry) // 20 * 20)


def break_winner(patch):
    patch.setattr(scoring, "winners", lambda lines: [lines[0].seat.number])
    patch.setattr(scoring, "tied", lambda rules, lines: [])


def break_late_arrivals(patch):
    """Break the hub: fix the start of a late arrival instead of computing it from the sheet."""
    patch.setattr(scoring, "_carried", lambda known, table, late: 20)


def break_newcomers(patch):
    """Break the hub: who has just sat down is not at the table when the next one comes."""
    sound = seating.late_start

    def without_newcomers(game, table):
        began = tuple(seat for seat in table.seats if seat.since <= table.number)
        return sound(game, replace(table, seats=began))

    patch.setattr(seating, "late_start", without_newcomers)


def break_places(patch):
    """Break the hub: whoever goes home has no place."""
    patch.setattr(scoring, "_ranks", lambda table, seat, sheet: seat.until is None)


def break_whole_rounds(patch):
    """Break the hub: count an incomplete round for those who were counted."""
    sound = scoring.sheet

    def half(game, table):
        found = sound(game, table)
        return found._replace(counts=tuple(not played.among for played in table.rounds))

    patch.setattr(scoring, "sheet", half)


def break_corrections(patch):
    """Break the hub: a reported hand cannot be corrected."""
    sound = ScoreEntered.apply

    def first(self, table):
        return table if self.was is not None else sound(self, table)

    patch.setattr(ScoreEntered, "apply", first)


def break_out(patch):
    """Break the hub: the seat that went out cannot be corrected."""
    forget(patch, OutChanged)


def break_undo(patch):
    apply = Ledger.apply

    def half(self, recorded):
        after = apply(self, recorded)
        if type(recorded.event).__name__ != "Undone":
            return after
        return replace(after, table=replace(after.table, play=self.table.play))

    patch.setattr(Ledger, "apply", half)


def break_lights(patch):
    sound = render.looks

    def dark(*asked):
        return tuple(
            seen._replace(train="closed") if seen.train == "open" else seen
            for seen in sound(*asked)
        )

    patch.setattr(render, "looks", dark)


def break_sound(patch):
    play = OutputSettings.play
    patch.setattr(
        OutputSettings, "play", lambda self, cue: None if cue == "double" else play(self, cue)
    )


@pytest.mark.parametrize(
    ("fault", "profile", "words"),
    [
        (break_markers, "mexican-train/classic", ".marker: "),
        (break_open_doubles, "mexican-train/classic", ".open_double: "),
        (break_toes, "chickenfoot/classic", "toes"),
        (break_direction, "super-15/double-15", "direction"),
        (break_spell, "super-15/double-15", "spell"),
        (break_pile, "castle-rock/classic", "pile"),
        (break_stealing, "muggins/classic", "phase: "),
        (break_last_tiles, "chickenfoot/family", ".last_tile: "),
        (break_scores, "mexican-train/classic", ".scores: "),
        (break_winner, "mexican-train/rally", "winners"),
        (break_undo, "mexican-train/classic", "taking it back"),
        (break_lights, "mexican-train/classic", "light seat-"),
        (break_sound, "mexican-train/classic", "double was not heard"),
    ],
)
def test_a_hub_with_a_fault_is_found_out(fault, profile, words, monkeypatch):
    """The report has the seed, the game, the step, both sides, and the command to see it again."""
    fault(monkeypatch)
    game, found = first_disagreement(tables_of(profile))

    assert words in str(found)
    assert f"{profile}, seed 1, game {game}, round " in found.facts["where"]
    assert "step " in found.facts["where"]
    assert f"centerpiece simulate {profile} --replay 1:{game} " in found.facts["replay"]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (break_late_arrivals, ".total: "),
        (break_newcomers, ".total: "),
        (break_places, ".place: "),
        (break_whole_rounds, ".total: "),
        (break_corrections, ".total: "),
        (break_out, "out: "),
    ],
)
def test_incidents_find_faults_that_no_flawless_evening_shows(fault, words, monkeypatch):
    """And only with them: the same hub passes while nobody errs, comes or goes."""
    fault(monkeypatch)
    tables = tables_of("mexican-train/rally")

    assert None is first_disagreement(tables, 3)
    _, found = first_disagreement(replace(tables, incidents=0.8))
    assert words in str(found)
    assert "--incidents 0.8 " in found.facts["replay"]


def test_a_disagreement_is_the_same_when_it_is_played_again(monkeypatch):
    """Step by step, so that a fault can be looked at for as long as it takes."""
    break_toes(monkeypatch)
    tables = tables_of("chickenfoot/online")
    game, found = first_disagreement(tables)
    with pytest.raises(Disagreement) as again:
        play_game(tables, game)

    assert str(found) == str(again.value)


def test_both_sides_are_shown(monkeypatch):
    break_open_doubles(monkeypatch)
    _, found = first_disagreement(tables_of("mexican-train/classic"))

    lines = found.facts["found"].splitlines()
    assert any(line.endswith("the table has True, the hub False") for line in lines)


def test_the_replay_names_whatever_is_not_usual():
    """Set, players and kinds are part of what was played."""
    tables = Tables(GAMES.profile("chickenfoot/classic"), 12, 5, ("greedy",), seed=9)

    assert (
        "centerpiece simulate chickenfoot/classic --replay 9:4 --players 5 --set 12 "
        "--kinds greedy --transcript"
    ) == tables.replay(4)


def test_people_work_the_hub_by_its_buttons_only(monkeypatch):
    """No command reaches the hub that no button gave."""
    outside = []
    monkeypatch.setattr(Hub, "order", lambda hub, command, *rest: outside.append(command))
    for profile in PROFILES:
        SimulatedGame(tables_of(profile.full_name), 1).play()

    assert [] == outside
