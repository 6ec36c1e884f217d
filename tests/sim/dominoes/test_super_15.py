"""Hand-worked positions of Super 15, by the paragraphs of the double-15 leaflet."""

import pytest

from centerpiece.games.super_15.rules import DOUBLE_15
from sim.dominoes.happenings import Blocked, Drew, LastTilePlayed, Passed, TurnMissed
from sim.dominoes.round import IllegalMove, PlayTile
from sim.dominoes.super_15_tiles import DirectionReversed, SkipAssigned, SpellEnded, SpellStarted
from tests.sim.dominoes.positions import goes_on, lay, may, numbered, position


def fifteen(*hands: str, yard: str = "", **changes):
    """A round before its starting double."""
    return position(DOUBLE_15, list(hands), yard, **changes)


def begun(*hands: str, ends: list[int], yard: str = "", **changes):
    """A round with a starter of double 8 and these branches; a new one can be begun."""
    played = fifteen(*hands, yard=yard, **changes)
    played.first, played.ends, played.begun = 8, [*ends, 8], len(ends)
    played.laid = 1 << numbered("8-8")
    return played


class TestSuper15Starting:
    """ "Starting" and "Playing off the starting domino"."""

    def test_the_first_player_starts_with_any_double(self):
        """ "with any double in his/her hand", and only with a double."""
        assert {"6-6@0", "2-2@0"} == may(fifteen("6-6 2-2 9-1", "5-5 4-1"))

    def test_without_a_double_the_next_player_starts(self):
        """ "If the first player has no double, the next player, clockwise"."""
        played = fifteen("9-1 9-2", "7-1 7-2", "5-5 4-1")

        assert {"5-5@0"} == may(played)
        assert 2 == played.turn

    def test_when_nobody_has_a_double_all_draw_in_turn_until_one_comes(self):
        """ "play returns to the first player. Then, in turn, players draw one tile"."""
        played = fifteen("9-1 9-2", "7-1 7-2", yard="6-1 5-1 4-1 3-3 2-2")

        assert [Drew(0, numbered("6-1")), Drew(1, numbered("5-1"))] == goes_on(played)[:2]
        assert (1, {"3-3@0"}) == (played.turn, may(played))

    def test_six_branches_grow_from_the_starter(self):
        """ "Play can be made off the starter domino in six directions"."""
        played = begun("8-1 6-2", "9-1 9-2", ends=[6, 5, 5, 5, 5])

        assert {"8-1@5", "6-2@0"} == may(played)
        lay(played, "8-1@5")
        assert [6, 5, 5, 5, 5, 1] == played.ends


class TestSuper15Turns:
    """One tile a turn, and what to do without one."""

    def test_who_cannot_play_draws_two_and_plays_one_of_them(self):
        """ "draws two tiles and may play one of these drawn tiles before the turn is over"."""
        played = begun("9-1 9-2", "7-1 7-2", ends=[6], yard="2-1 6-5 4-1")

        assert [Drew(0, numbered("2-1")), Drew(0, numbered("6-5"))] == goes_on(played)
        assert {"6-5@0"} == may(played)

    def test_drawing_in_vain_ends_the_turn(self):
        """The same without luck."""
        played = begun("9-1 9-2", "7-1 6-2", ends=[6], yard="2-1 5-5 4-1")

        assert [Drew(0, numbered("2-1")), Drew(0, numbered("5-5")), Passed(0)] == goes_on(played)


class TestSuper15SpecialPlays:
    """ "Special plays"."""

    def test_a_play_that_leaves_a_15_makes_every_other_player_draw(self):
        """ "every other player must pick a tile from the bone pile immediately"."""
        played = begun("15-6 9-2", "7-1 6-2", "5-1 5-2", ends=[6], yard="2-1 4-4 4-1")
        happenings = lay(played, "15-6@0")

        assert [Drew(1, numbered("2-1")), Drew(2, numbered("4-4"))] == [
            t for t in happenings if isinstance(t, Drew)
        ]

    def test_a_15_that_is_covered_has_no_power(self):
        """It must be *left*: 15-6 on a 15 leaves a 6."""
        played = begun("15-6 9-2", "7-1 6-2", ends=[15], yard="2-1 4-4 4-1")

        assert not [t for t in lay(played, "15-6@0") if isinstance(t, Drew)]

    def test_a_play_that_leaves_a_14_lets_the_player_go_on(self):
        """ "that player can play again": or not."""
        played = begun("14-6 14-1 9-2", "7-1 6-2", ends=[6])
        lay(played, "14-6@0")

        assert (0, {"14-1@0", "stop"}) == (played.turn, may(played))
        lay(played, "stop")
        assert 1 == played.turn

    def test_after_a_14_nobody_has_to_draw(self):
        """Nothing fits: the turn is over."""
        played = begun("14-6 9-2 9-1", "14-2 7-2", ends=[6], yard="2-1 4-4")
        lay(played, "14-6@0")

        assert [] == goes_on(played)
        assert (1, 2) == (played.turn, len(played.yard))

    def test_doubles_go_on_their_number_or_on_any_13(self):
        """
        "Doubles can play on their matching number, or on any 13."
        """
        played = begun("5-5 7-7 9-2", "7-1 6-2", ends=[13, 5])

        assert {"5-5@0", "5-5@1", "7-7@0"} == may(played)
        lay(played, "7-7@0")
        assert 7 == played.ends[0]

    def test_a_3_reverses_the_direction_at_once(self):
        """ "Whenever a 3 is played", on either half."""
        played = begun("6-3 9-2", "7-1 6-2", "3-1 5-2", ends=[6])

        assert DirectionReversed(False) in lay(played, "6-3@0")
        assert 2 == played.turn
        assert DirectionReversed(True) in lay(played, "3-1@0")
        assert 0 == played.turn

    def test_with_two_players_nothing_is_reversed(self):
        """ "inapplicable when there are only two players"."""
        played = begun("6-3 9-2", "7-3 6-2", ends=[6])

        assert not [t for t in lay(played, "6-3@0") if isinstance(t, DirectionReversed)]

    def test_a_double_takes_the_next_players_turn(self):
        """
        "If a double is played, the next player loses a turn."
        """
        played = begun("6-6 9-2 9-1", "7-1 6-2", "6-1 5-2", ends=[6])
        happenings = lay(played, "6-6@0")

        assert [SkipAssigned(1), TurnMissed(1)] == happenings[-2:]
        assert 2 == played.turn

    def test_the_starter_and_13_13_skip_nobody(self):
        """
        "This does not apply to the starter double or the 13-13."
        """
        starter = fifteen("6-6 9-2", "7-1 6-2", "6-1 5-2")
        thirteen = begun("13-13 9-2", "13-1 6-2", "6-1 5-2", ends=[13])

        assert not [t for t in lay(starter, "6-6@0") if isinstance(t, SkipAssigned)]
        assert not [t for t in lay(thirteen, "13-13@0") if isinstance(t, SkipAssigned)]
        assert (1, 1) == (starter.turn, thirteen.turn)


class TestSuper15Spells:
    """A 13 and what breaks its spell."""

    def test_a_13_binds_the_next_player(self):
        """
        "must break the spell by playing immediately on that piece, with another 13, or with a
        double".
        """
        played = begun("13-6 9-2", "13-5 5-5 7-5 13-1 2-2 4-4", "6-1 5-2", ends=[6, 5, 4])

        assert SpellStarted(0) in lay(played, "13-6@0")
        assert True is played.spell
        assert {"13-5@0", "13-5@1", "13-1@0", "5-5@0", "5-5@1", "2-2@0", "4-4@0", "4-4@2"} == may(
            played
        )
        with pytest.raises(IllegalMove):
            played.play(PlayTile(numbered("7-5"), 1))

    def test_the_piece_itself_takes_any_tile_that_fits(self):
        """A 13 played with its other half open is a 13 all the same: 13-6 on a 13 shows a 6."""
        played = begun("13-6 9-2", "6-5 7-5", "6-1 5-2", ends=[13, 5])
        lay(played, "13-6@0")

        assert {"6-5@0"} == may(played)
        assert SpellEnded(1) in lay(played, "6-5@0")
        assert False is played.spell

    def test_who_cannot_break_it_draws_two_and_the_spell_goes_on(self):
        """
        "If unable, that player draws two tiles, and plays either if it can break the spell."
        """
        played = begun("13-6 9-2", "7-5 5-1", "6-1 5-2", ends=[6, 5], yard="2-1 4-1 3-3 0-0")
        lay(played, "13-6@0")
        happenings = goes_on(played)

        assert [Drew(1, numbered("2-1")), Drew(1, numbered("4-1")), Passed(1)] == happenings[:3]
        assert {"3-3@0", "0-0@0"} == may(played)
        assert (2, True) == (played.turn, played.spell)

    def test_the_caster_is_exempt_the_second_time_around(self):
        """
        "If turns continue a second time around, the player who cast the spell is exempt."
        """
        played = begun("13-6 5-4 9-2", "7-5 5-1", "6-1 5-2", ends=[6, 5])
        lay(played, "13-6@0")

        assert [Passed(1), Passed(2)] == goes_on(played)
        assert {"5-4@1"} == may(played)
        lay(played, "5-4@1")
        assert True is played.spell

    def test_a_plain_13_breaks_the_spell(self):
        """ "with another 13"."""
        played = begun("13-6 9-2", "13-5 7-5", "6-1 5-2", ends=[6, 5])
        lay(played, "13-6@0")
        happenings = lay(played, "13-5@1")

        assert SpellEnded(1) in happenings
        assert not [t for t in happenings if isinstance(t, SpellStarted)]

    def test_13_13_breaks_a_spell_and_casts_a_new_one(self):
        """
        "breaking the spell by playing 13-13 merely casts a new spell!"
        """
        played = begun("13-6 9-2", "13-13 7-5", "6-1 5-2", ends=[6, 5])
        lay(played, "13-6@0")
        happenings = lay(played, "13-13@0")

        assert [SpellEnded(1), SpellStarted(1)] == happenings[1:3]
        assert 1 == played.caster

    def test_a_double_that_breaks_a_spell_still_skips_the_next_player(self):
        """Both special plays apply."""
        played = begun("13-6 9-2", "2-2 7-5", "6-1 5-2", ends=[6, 5])
        lay(played, "13-6@0")

        assert [SpellEnded(1), SkipAssigned(2)] == lay(played, "2-2@0")[1:3]


class TestSuper15Winning:
    """ "Winning"."""

    def test_the_first_player_out_wins(self):
        """
        "The first player out of tiles is the winner."
        """
        played = begun("6-2", "7-1 6-4", ends=[6])

        assert LastTilePlayed(0, False) in lay(played, "6-2@0")
        assert ([0], [1, 0]) == (played.winners(), played.score())

    def test_blocked_the_fewest_tiles_win_then_the_lowest_pips(self):
        """ "the winner is the one with the fewest dominoes left", then the lowest point total."""
        played = begun("9-1 1-0", "9-2", "9-0", ends=[6])

        assert Blocked() in goes_on(played)
        assert ([2], [0, 0, 1]) == (played.winners(), played.score())

    def test_a_spell_that_nobody_can_break_blocks_only_when_its_caster_is_stuck_too(self):
        """ "no one is able to play": the caster is exempt, so the caster's tiles count as well."""
        free = begun("13-6 5-4 9-2", "7-5 5-1", ends=[6, 5])
        stuck = begun("13-6 9-4 9-2", "7-5 5-1", ends=[6, 5])
        lay(free, "13-6@0")
        lay(stuck, "13-6@0")

        assert (True, False) == (free.go_on(), stuck.go_on())


class TestSuper15HouseRules:
    """Each number's power can be left out."""

    def test_without_powers_a_tile_is_a_tile(self):
        """None for each of them."""
        nothing = dict.fromkeys(("everyone_draws_on", "again_on", "spell_on", "reverse_on"))
        played = begun(
            "15-13 14-6 3-1 9-2",
            "7-1 6-2",
            "6-1 5-2",
            ends=[15, 6, 3],
            yard="0-0 1-1",
            double_skips=False,
            **nothing,
        )
        happenings = [*lay(played, "15-13@0")]
        played.turn = 0
        happenings += lay(played, "14-6@1")
        played.turn = 0
        happenings += lay(played, "3-1@2")

        assert {"Played", "LastTile"} == {type(t).__name__ for t in happenings}
