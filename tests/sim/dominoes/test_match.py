"""Whole games: engines, starters, score sheets, winners."""

from random import Random

import msgspec
import pytest

from centerpiece.games.chickenfoot import rules as chickenfoot
from centerpiece.games.mexican_train import rules as mexican_train
from centerpiece.games.muggins import rules as muggins
from centerpiece.games.super_15 import rules as super_15
from sim.dominoes.dealing import CannotDeal
from sim.dominoes.match import Match
from sim.dominoes.paper_sheet import SheetLine
from sim.people.players import decisions, play_out, player
from tests.sim.dominoes.positions import KINDS, PROFILES


def match_of(rules, *table) -> Match:
    """A game of whatever the book is for."""
    return Match(KINDS[rules.game], rules, *table)


def write(match: Match, *lines) -> None:
    """Rounds that were played, by what each seat got."""
    for line in lines:
        match.sheet.begin()
        match.sheet.write(SheetLine(dict(enumerate(line))))


def play(match: Match, kind: str = "greedy") -> Match:
    """Play a whole game; points in play may end it in the middle of a round."""
    seated = [player(kind, Random(place)) for place in range(match.players)]
    while match.more():
        played = match.deal()
        for _ in decisions(played, seated, Random(1)):
            if match.reached(played):
                break
        match.count(played)
    match.sheet.close()
    return match


@pytest.mark.parametrize(
    ("rules", "size", "engines"),
    [
        (mexican_train.CLASSIC, 12, range(12, -1, -1)),
        (mexican_train.CLASSIC, 9, range(9, -1, -1)),
        (mexican_train.RALLY, 12, range(9, -1, -1)),
        (mexican_train.DOUBLE_15, 15, range(15, -1, -1)),
        (chickenfoot.FAMILY, 9, range(9, -1, -1)),
    ],
    ids=["13 rounds", "10 rounds", "from double 9", "16 rounds", "drawn"],
)
def test_the_engine_goes_down_and_the_start_goes_round(rules, size, engines):
    """One round for each double, each with the next starter clockwise."""
    match = match_of(rules, size, 4, Random(1))
    seen, starters = [], []
    while match.more():
        played = match.deal()
        seen.append(getattr(played, "engine", None) or getattr(played, "foot", None) or 0)
        starters.append((played.starter - match.first_starter) % 4)
        play_out(played, [player("greedy", Random(1))] * 4)
        match.count(played)

    assert list(engines) == seen
    assert [number % 4 for number in range(len(seen))] == starters


def test_at_a_rally_the_highest_bone_drawn_starts():
    """General rule 5: each player chooses one bone; any seat can have luck."""
    first = {match_of(mexican_train.RALLY, 12, 6, Random(seed)).first_starter for seed in range(60)}

    assert set(range(6)) == first


@pytest.mark.parametrize("rules", PROFILES, ids=lambda rules: rules.full_name)
def test_a_game_of_every_profile_has_a_winner(rules):
    """Whole games end, the sheet has a line for each round, and totals add up."""
    size = rules.sets[0]
    players = sorted(rules.hands[size])[-1]
    match = play(match_of(rules, size, players, Random(3)))
    rounds = len(rules.engines_for(size)) or rules.rounds

    assert match.sheet.winners()
    assert rounds in (None, len(match.sheet.lines))
    if not rules.team_of(0, players):
        lines = [line.scores for line in match.sheet.lines]
        assert [sum(line[s] for line in lines) for s in range(players)] == match.sheet.totals


def test_the_lowest_total_wins_and_a_tie_has_two_winners():
    """Muggins aside, few points are good."""
    match = match_of(mexican_train.CLASSIC, 9, 3, Random(1))
    write(match, [10, 0, 5], [0, 10, 9])
    match.sheet.close()

    assert ([10, 10, 14], [0, 1]) == (match.sheet.totals, match.sheet.winners())


def test_muggins_ends_when_a_team_reaches_its_points():
    """
    "The first player (or team) to score 250 points wins the game", partners together, and in
    the middle of a round.
    """
    match = play(match_of(muggins.CLASSIC, 6, 4, Random(2)))
    lines = [line.scores for line in match.sheet.lines[:-1]]
    before = [sum(line[s] + line[s + 2] for line in lines) for s in (0, 1)]
    totals = match.sheet.totals

    assert max(totals) >= 250 > max(before)
    assert totals[0] == totals[2]
    assert match.sheet.winners() in ([0, 2], [1, 3])


def test_points_in_play_end_the_game_at_once():
    """The first side at the limit has won, whatever the rest of the round would bring."""
    match = match_of(muggins.CLASSIC, 6, 2, Random(2))
    write(match, [245, 0])
    played = match.deal()
    played.points = [5, 0]

    assert True is match.reached(played)
    match.count(played)
    assert ([250, 0], False) == (match.sheet.totals, match.more())


def test_super_15_counts_rounds_won():
    """The first player out wins the round."""
    match = play(match_of(super_15.DOUBLE_15, 15, 4, Random(2)))

    assert 1 == sum(match.sheet.totals)
    assert [match.sheet.totals.index(1)] == match.sheet.winners()


def test_a_limit_of_points_ends_a_game_of_low_scores():
    """A house rule: the game ends when someone reaches the limit."""
    rules = msgspec.structs.replace(mexican_train.CLASSIC, points_limit=60)
    match = play(match_of(rules, 9, 4, Random(4)))

    assert max(match.sheet.totals) >= 60
    assert 10 > len(match.sheet.lines)


def test_a_round_in_progress_is_not_counted():
    """Counting waits for the end."""
    match = match_of(mexican_train.CLASSIC, 9, 4, Random(4))

    with pytest.raises(ValueError, match="not over"):
        match.count(match.deal())


def test_a_table_that_cannot_be_dealt_is_refused_before_anything_is_shuffled():
    """With the sets that would do."""
    with pytest.raises(CannotDeal, match="use a double-9 set"):
        match_of(mexican_train.CLASSIC, 12, 2, Random(4))
