"""Hand-worked positions of Muggins, by the paragraphs of the leaflet."""

import pytest

from centerpiece.games.muggins.rules import CLASSIC
from sim.dominoes.happenings import Blocked, Drew, Forgotten, LastTilePlayed, Passed, Scored, Stolen
from sim.dominoes.round import IllegalMove
from tests.sim.dominoes.positions import goes_on, lay, may, numbered, position


def muggins(*hands: str, yard: str = "", **changes):
    """Two to four hands of a double-6 set."""
    return position(CLASSIC, list(hands), yard, **changes)


def scored(happenings) -> list[int]:
    """The points made, in order."""
    return [t.points for t in happenings if isinstance(t, Scored)]


def test_any_tile_opens():
    """ "How to Play": any domino, it need not be a double."""
    assert {"6-1@0", "4-4@0"} == may(muggins("6-1 4-4", "5-5 3-2"))


def test_a_tile_must_match_an_open_end():
    """ "How to Play": a matching end with one of the open ends."""
    played = muggins("6-1 4-4", "6-5 1-0 3-2")
    lay(played, "6-1@0")

    assert {"6-5@0", "1-0@1"} == may(played)


def test_who_has_none_draws_until_one_fits():
    """ "continues to draw until a playable tile is drawn, or until the boneyard is depleted"."""
    played = muggins("6-1 4-4", "3-2 5-5", yard="3-3 2-2 6-2 1-1")
    lay(played, "6-1@0")

    assert [Drew(1, numbered(name)) for name in ("3-3", "2-2", "6-2")] == goes_on(played)
    assert {"6-2@0"} == may(played)


def test_an_empty_boneyard_passes_the_turn():
    """Nothing fits and nothing is left to draw."""
    played = muggins("6-1 6-4", "3-2 5-5")
    lay(played, "6-1@0")

    assert [Passed(1)] == goes_on(played)


def test_open_ends_that_make_a_multiple_of_five_score_it():
    """ "Scoring with multiples of five during play": 6 + 4 = 10 scores 10, 6 + 3 = 9 nothing."""
    played = muggins("6-4 3-2", "4-3 5-5", yard="1-1")

    assert [10] == scored(lay(played, "6-4@0"))
    assert [] == scored(lay(played, "4-3@1"))
    assert [10, 0] == played.points


def test_a_double_at_an_end_counts_both_halves():
    """
    "Placing subsequent doubles": the pips on both ends are added. A lone double counts once
    through: 5-5 is 10; and with one side taken it still shows both halves.
    """
    played = muggins("5-5 4-2", "5-0 3-3", "5-2 1-1", yard="6-6")

    assert [10] == scored(lay(played, "5-5@0"))
    assert [10] == scored(lay(played, "5-0@0"))
    assert [] == scored(lay(played, "5-2@1"))


def test_the_spinner_takes_both_sides_first_and_then_both_ends():
    """ "Placing the first double": one domino to each side, then one to each end."""
    played = muggins("5-5 5-4 6-5", "5-0 5-1 3-3", "5-2 5-3 1-1")
    lay(played, "5-5@0", "5-0@0")

    assert {"5-2@1", "5-3@1"} == may(played)
    lay(played, "5-2@1")
    assert {"5-4@2", "5-4@3", "6-5@2", "6-5@3"} == may(played)


def test_the_ends_of_the_spinner_count_once_they_are_played_on():
    """Diagram 1: 6 + 0 + 4 + 5 = 15, with one end of the spinner still free."""
    played = muggins("5-5 5-4 6-5", "5-0 5-1 3-3", "5-2 5-3 1-1")

    assert [10, 10] == scored(lay(played, "5-5@0", "5-0@0"))
    assert [] == scored(lay(played, "5-2@1"))
    assert [] == scored(lay(played, "5-4@2"))
    assert [0, 2, 4, 5] == played.ends
    assert 6 == sum(played.showing)


def test_a_spinner_laid_on_the_line_has_one_side_taken():
    """The first double need not be the first tile."""
    played = muggins("6-4 4-1 3-2", "4-4 6-0 2-1", "4-3 5-4 6-6")
    lay(played, "6-4@0")

    assert [] == scored(lay(played, "4-4@1"))
    assert [6, 8] == played.showing
    lay(played, "4-3@1")
    assert [6, 3, 4, 4] == played.ends
    assert {"4-1@2", "4-1@3", "3-2@1"} == may(played)


def test_a_later_double_is_no_spinner():
    """ "All subsequent doubles are placed sideways", with one way on."""
    played = muggins("5-5 1-1 6-5", "5-0 5-1 3-3", "5-2 5-3 0-0")
    lay(played, "5-5@0", "5-1@0", "5-2@1", "1-1@0")

    assert [1, 2, 5, 5] == played.ends
    assert [2, 2, 0, 0] == played.showing


def test_forgotten_points_go_to_whoever_calls_muggins():
    """ "an opponent may call out “Muggins!” and steal the points"."""
    played = muggins("6-4 3-2", "4-3 5-5")
    lay(played, "6-4@0")
    played.steal(1)

    assert Stolen(0, 1, 10) == played.happenings[-1]
    assert [0, 10] == played.points
    with pytest.raises(IllegalMove, match="nothing to steal"):
        played.steal(1)


def test_nobody_steals_from_a_partner_or_from_oneself():
    """ "an *opponent* may call"."""
    played = muggins("6-4 3-2", "4-3 5-5", "1-1 2-1", "0-0 2-0")
    lay(played, "6-4@0")

    assert [False, True, False, True] == [played.may_steal(seat) for seat in range(4)]
    with pytest.raises(IllegalMove):
        played.steal(2)


def test_points_that_nobody_notices_are_nobodys():
    """Also where the book does not let anyone steal."""
    played = muggins("6-4 3-2", "4-3 5-5", stealing=False)
    lay(played, "6-4@0")
    assert False is played.may_steal(1)
    played.forget()

    assert Forgotten(0, 10) == played.happenings[-1]
    assert [0, 0] == played.points


def test_going_out_adds_the_opponents_pips_to_the_nearest_five():
    """ "In the case of dominoeing": 6-5 and 1-1 are 13 pips, so 15."""
    played = muggins("6-4", "6-5 1-1")

    assert LastTilePlayed(0, False) in lay(played, "6-4@0")
    assert ([10, 0], [15, 0]) == (played.points, played.score())


def test_a_partners_pips_are_not_counted():
    """ "in team play, the partner's sum is not added": 12 + 10 = 22 rounds to 20."""
    played = muggins("6-3", "6-6", "5-5 5-4", "6-4")
    lay(played, "6-3@0")

    assert [20, 0, 0, 0] == played.score()


def test_a_blocked_round_goes_to_the_lowest_sum():
    """ "In the case of blocking": the lowest sum adds the opponents' sums, 8 + 10 = 18, so 20."""
    played = muggins("2-1 3-1", "4-4", "6-4")
    played.ends, played.showing = [0, 0], [0, 0]
    played.laid = 1 << numbered("0-0")

    assert Blocked() in goes_on(played)
    assert [20, 0, 0] == played.score()


def test_a_blocked_round_with_equal_sums_is_nobodys():
    """*(silent)*."""
    played = muggins("6-1", "4-3")
    played.ends, played.showing = [0, 0], [0, 0]
    played.laid = 1 << numbered("0-0")
    goes_on(played)

    assert (True, [0, 0]) == (played.blocked, played.score())


def test_a_blocked_round_of_teams_compares_the_partners_together():
    """
    "the team with the combined lowest sum adds the opposing team's combined sum": 9 against 20.
    """
    played = muggins("6-3", "6-4", "0-0", "5-5")
    played.ends, played.showing = [2, 2], [2, 2]
    played.laid = 1 << numbered("2-2")
    goes_on(played)

    assert [0, 0, 20, 0] == played.score()
