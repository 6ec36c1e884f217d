"""Hand-worked positions of Chickenfoot. A place is the number that a tile joins."""

import pytest

from centerpiece.games.chickenfoot.rules import CLASSIC, DOUBLE_15, FAMILY, ONLINE
from sim.dominoes.chickenfoot_tiles import FootLaid, ToeLaid
from sim.dominoes.happenings import (
    Blocked,
    Caught,
    Drew,
    HandLeft,
    LastTile,
    LastTilePlayed,
    Passed,
    Played,
)
from sim.dominoes.round import IllegalMove, PlayTile
from tests.sim.dominoes.positions import goes_on, lay, may, numbered, position


def foot(rules, *hands: str, yard: str = "", **changes):
    """A round from the double 9 (double 15 for that set)."""
    size = 15 if rules is DOUBLE_15 else 9
    return position(rules, list(hands), yard, engine=size, size=size, **changes)


def grown(rules, *hands: str, toes: str = "", yard: str = "", **changes):
    """The same with the first foot complete and these numbers showing."""
    played = foot(rules, *hands, yard=yard, **changes)
    played.missing = 0
    for number in toes.split():
        played.toes[int(number)] += 1
    return played


class TestChickenfootClassic:
    """The leaflet of the set with the sound centerpiece."""

    def test_the_next_six_plays_are_toes_of_the_first_double(self):
        """ "Forming the double Chickenfoot": nothing else, not even on a toe already there."""
        played = foot(CLASSIC, "9-1 9-2 9-3 1-0", "9-4 9-5 9-6 4-1")
        happenings = lay(played, "9-1@9", "9-4@9")

        assert {"9-2@9", "9-3@9"} == may(played)
        assert [ToeLaid(0, 5), ToeLaid(1, 4)] == [t for t in happenings if isinstance(t, ToeLaid)]
        lay(played, "9-2@9", "9-5@9", "9-3@9", "9-6@9")
        assert (0, {"1-0@1"}) == (played.missing, may(played))

    def test_a_player_without_the_suit_draws_a_single_tile_and_plays_it_at_once(self):
        """
        "If the player draws a tile with a 9 end, it is played at once."
        """
        played = foot(CLASSIC, "4-3 2-1", "9-4 9-5", yard="9-1")

        assert [Drew(0, numbered("9-1"))] == goes_on(played)
        assert {"9-1@9"} == may(played)

    def test_a_player_who_draws_in_vain_passes(self):
        """
        "… play must pass to the player to the left."
        """
        played = foot(CLASSIC, "4-3 2-1", "9-4 9-5", yard="3-2")

        assert [Drew(0, numbered("3-2")), Passed(0)] == goes_on(played)
        assert 1 == played.turn

    def test_after_the_foot_any_toe_takes_a_tile(self):
        """ "plays can be made on any of the 6 Chickentoes by matching tiles end to end"."""
        played = grown(CLASSIC, "6-4 5-3 8-8 1-0", "7-7 2-2", toes="6 5 5 3")

        assert {"6-4@6", "5-3@5", "5-3@3"} == may(played)
        lay(played, "5-3@5")
        assert (1, 2) == (played.toes[5], played.toes[3])

    def test_a_double_asks_for_three_toes_before_any_other_play(self):
        """ "Forming a Chickenfoot": the next three plays must be made on the double."""
        played = grown(CLASSIC, "6-6 6-1 5-4 2-1", "6-3 6-4 6-5 5-3 1-1", toes="6 5 5")

        assert [Played(0, numbered("6-6"), 6), FootLaid(0, 3)] == lay(played, "6-6@6")
        assert {"6-3@6", "6-4@6", "6-5@6"} == may(played)
        lay(played, "6-3@6", "6-1@6")
        assert {"6-4@6", "6-5@6"} == may(played)
        lay(played, "6-4@6")
        assert 0 == played.missing
        assert {"5-4@5", "5-4@4", "2-1@1"} == may(played)

    def test_a_foot_whose_suit_ran_out_blocks_the_round(self):
        """
        "must have all their Chickentoes before any other plays can be made": the boneyard is
        depleted and all players have passed.
        """
        played = grown(CLASSIC, "6-6 5-4 2-1", "5-3 1-1", toes="6 5 5")

        assert Blocked() in lay(played, "6-6@6")
        assert [12, 10] == played.score()

    def test_the_double_blank_adds_fifty(self):
        """ "50 points are added to a player's score for any player left holding the double-0"."""
        played = grown(CLASSIC, "6-1", "0-0 3-2", toes="6")

        assert LastTilePlayed(0, False) in lay(played, "6-1@6")
        assert [0, 55] == played.score()

    def test_going_out_on_a_double_needs_no_toes(self):
        """A round ends when a player has played his last tile."""
        played = grown(CLASSIC, "6-6", "6-3 6-2", toes="6")

        assert LastTilePlayed(0, True) in lay(played, "6-6@6")
        assert True is played.over


class TestChickenfootFamily:
    """The family's rule sheet, Chickenfoot steps 1 to 8."""

    def test_a_maltese_cross_has_four_toes(self):
        """The variation in brackets: four, to top, sides and bottom."""
        played = foot(FAMILY, "9-1 9-2 1-0", "9-4 9-5 4-2", first_toes=4)
        lay(played, "9-1@9", "9-4@9", "9-2@9", "9-5@9")

        assert {"1-0@1"} == may(played)

    def test_chicken_little_is_caught_and_draws_a_tile(self):
        """Step 6: tap before being called, or be asked to draw a tile."""
        played = foot(FAMILY, "9-1 4-3", "9-4 9-5", yard="8-8 7-7")

        assert LastTile(0) in lay(played, "9-1@9")
        played.catch(0)
        assert [Caught(0, "draw"), Drew(0, numbered("8-8"))] == played.happenings[-3:-1]
        assert 2 == played.hands[0].bit_count()

    def test_who_tapped_cannot_be_called(self):
        """Step 6."""
        played = foot(FAMILY, "9-1 4-3", "9-4 9-5", yard="8-8 7-7")
        lay(played, "9-1@9")
        played.announce(0)

        with pytest.raises(IllegalMove, match="announced"):
            played.catch(0)

    def test_the_double_blank_scores_twenty_five(self):
        """Step 7."""
        played = grown(FAMILY, "6-1", "0-0 3-0", toes="6")
        happenings = lay(played, "6-1@6")

        assert HandLeft(1, 2, 3, True, 1) in happenings
        assert [0, 28] == played.score()


class TestChickenfootOnline:
    """The web page."""

    @pytest.mark.parametrize(("players", "left"), [(2, 2), (3, 1)])
    def test_the_last_tiles_stay_in_the_yard(self, players, left):
        """
        "In a two player game, the last two dominoes are left"; with three or more, the last one.
        """
        hands = ["4-3 2-1", "9-4 9-5", "9-6 9-7"][:players]
        played = foot(ONLINE, *hands, yard="3-2 3-1 3-0"[: 4 * left - 1])

        assert [Passed(0)] == goes_on(played)
        assert left == len(played.yard)

    def test_the_round_is_blocked_with_tiles_that_nobody_may_draw(self):
        """ "if no one at the table is able to play a domino, the round is over"."""
        played = foot(ONLINE, "4-3 2-1", "8-4 8-5", yard="9-1 9-2")

        assert [Passed(0), Blocked()] == goes_on(played)[:2]

    def test_a_completed_foot_is_three_toes(self):
        """ "there must be three dominoes added to it in order to create a chicken foot"."""
        played = grown(ONLINE, "6-6 5-4", "6-3 5-3", toes="6 5")

        assert FootLaid(0, 3) in lay(played, "6-6@6")


class TestChickenfootDouble15:
    """The leaflet of the double-15 set."""

    def test_six_toes_then_any(self):
        """ "the next 6 plays must be made on that initial tile"."""
        played = foot(DOUBLE_15, "15-1 15-2 15-3 1-0", "15-4 15-5 15-6 4-1")
        lay(played, "15-1@15", "15-4@15", "15-2@15", "15-5@15", "15-3@15")

        assert {"15-6@15"} == may(played)
        lay(played, "15-6@15")
        assert {"1-0@1"} == may(played)

    def test_the_double_blank_adds_fifty(self):
        """ "50 points are added … for any player left holding the Double 0"."""
        played = grown(DOUBLE_15, "6-1", "0-0", toes="6")
        lay(played, "6-1@6")

        assert [0, 50] == played.score()


def test_a_tile_that_fits_no_toe_is_refused():
    """With the legal moves in the message."""
    played = grown(CLASSIC, "6-4 1-0", "7-7 2-2", toes="6")
    played.go_on()

    with pytest.raises(IllegalMove, match="on place 6: 6-4"):
        played.play(PlayTile(numbered("1-0"), 1))


def test_a_double_needs_a_toe():
    """A book without toes cannot be played."""
    with pytest.raises(ValueError, match="at least one toe"):
        foot(CLASSIC, "9-1", "9-2", later_toes=0)
