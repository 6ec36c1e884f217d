"""Hand-worked rows of Castle Rock."""

import pytest

from centerpiece.games.castle_rock.rules import CLASSIC, DOUBLE_15
from sim.dominoes.castle_rock_tiles import MiddleTaken, RowLaid, ThreeTaken, TileLaid
from sim.dominoes.happenings import HandLeft
from sim.dominoes.round import IllegalMove, Remove
from tests.sim.dominoes.positions import goes_on, may, numbered, position


def row(rules, tiles: str, size: int = 9):
    """A game whose pile comes in this order; the first three make the row."""
    return position(rules, [""], tiles, size=size)


@pytest.mark.parametrize("rules", [CLASSIC, DOUBLE_15], ids=["classic", "double-15"])
class TestBothSheets:
    """The classic leaflet and the double-15 leaflet say the same, word by word."""

    def test_the_middle_goes_when_its_neighbours_share_a_number(self, rules):
        """ "Option 1": domino 1 and domino 3 match, domino 2 is removed."""
        played = row(rules, "3-1 6-5 4-3 9-9")

        assert {"middle@1"} == may(played)
        played.play(Remove(1))
        assert [numbered("3-1"), numbered("4-3")] == played.row
        assert MiddleTaken(numbered("6-5")) == played.happenings[-1]

    def test_three_go_when_all_share_a_number_or_only_the_middle(self, rules):
        """ "Option 2": all 3 can be removed; you may decide it is not the best strategy."""
        played = row(rules, "3-1 6-3 4-3 9-9")

        assert {"middle@1", "three@1"} == may(played)
        played.play(Remove(1, three=True))
        assert ThreeTaken((numbered("3-1"), numbered("6-3"), numbered("4-3"))) in played.happenings
        assert [numbered("9-9")] == played.row

    def test_three_neighbours_that_match_in_pairs_do_not_all_share(self, rules):
        """ "Option 2": a match between the ends of 3 dominoes: one number for all three."""
        assert {"middle@1"} == may(row(rules, "3-1 6-1 4-3 9-9"))

    def test_tiles_join_at_the_right_until_something_can_be_removed(self, rules):
        """ "Continue to draw dominoes … one at a time, always adding them to the right side"."""
        played = row(rules, "3-1 6-5 4-2 8-7 9-4 0-0")

        assert [TileLaid(numbered("8-7")), TileLaid(numbered("9-4"))] == goes_on(played)
        assert {"middle@3"} == may(played)

    def test_something_must_be_removed_when_it_can_be(self, rules):
        """ "you must always remove at least 1 domino when the opportunity arises": no drawing."""
        played = row(rules, "3-1 6-5 4-3 9-9")

        assert [] == goes_on(played)
        with pytest.raises(IllegalMove, match="not possible in the row 3-1 6-5 4-3"):
            played.play(Remove(1, three=True))

    def test_an_empty_row_starts_anew(self, rules):
        """ "Discarding all the dominoes": draw 3 tiles and start a new array."""
        played = row(rules, "3-1 6-3 4-3 9-9 8-8 7-7 6-6")
        played.go_on()
        played.play(Remove(1, three=True))

        assert [RowLaid(3), TileLaid(numbered("6-6"))] == goes_on(played)[:2]

    def test_the_game_ends_when_nothing_can_be_drawn_or_removed(self, rules):
        """ "End of Play"."""
        played = row(rules, "3-1 6-5 4-2")
        happenings = goes_on(played)

        assert [HandLeft(0, 3, 21, False, 0)] == happenings
        assert (True, False, [3]) == (played.over, played.won, played.score())


def test_two_tiles_left_win_by_the_double_15_sheet_only():
    """
    "The game is won if only two dominoes remain"; the classic leaflet has no such line, so
    there one removes as many as possible, at best all.
    """
    games = [row(rules, "3-1 6-5 4-3") for rules in (CLASSIC, DOUBLE_15)]
    for played in games:
        played.go_on()
        played.play(Remove(1))
        played.go_on()

    assert [False, True] == [played.won for played in games]
