"""Hand-worked positions of Mexican Train, by the sheet they come from.

Four hands unless said otherwise, so places 0 to 3 are the own trains and 4 is the Mexican Train.
"""

import pytest

from centerpiece.games.mexican_train.rules import CLASSIC, DOUBLE_15, FAMILY, ONLINE, RALLY
from sim.dominoes.happenings import (
    Announced,
    Blocked,
    Caught,
    Drew,
    HandLeft,
    HandRefilled,
    LastTile,
    LastTilePlayed,
    Passed,
    Played,
    TurnMissed,
)
from sim.dominoes.mexican_train_tiles import (
    DoubleCovered,
    DoubleLeft,
    TrainLaid,
    TrainMarked,
    TrainUnmarked,
)
from sim.dominoes.round import IllegalMove, PlayTile, Stop
from sim.dominoes.tiles import name_of
from tests.sim.dominoes.positions import goes_on, lay, may, numbered, position

REST = "7-6 6-5"
"""A hand that fits nowhere in these positions."""


def classic(*hands: str, yard: str = "", **changes):
    """A double-9 round of the classic leaflet, engine 9; missing hands are `REST`-like."""
    filled = [*hands, *["7-6 6-5", "8-7 7-5", "8-6 8-5"][: 4 - len(hands)]]
    return position(CLASSIC, filled, yard, engine=9, size=9, **changes)


class TestMexicanTrainClassic:
    """The leaflet of the set with the sound centerpiece."""

    def test_the_starter_starts_the_own_train_or_the_mexican_train(self):
        """ "Starting": with a tile that matches the engine there are two choices."""
        assert {"9-4@0", "9-4@4"} == may(classic("9-4 4-3"))

    def test_the_mexican_train_starts_once(self):
        """ "Starting": once started it is eligible for all; there is one."""
        played = classic("9-4 4-3", "9-5 4-2")

        assert [Played(0, numbered("9-4"), 4), TrainLaid(0), LastTile(0)] == lay(played, "9-4@4")
        assert {"9-5@1", "4-2@4"} == may(played)
        assert TrainLaid(1) not in lay(played, "4-2@4")

    def test_an_own_train_is_private_without_a_marker(self):
        """ "Play": eligible are the own train, the Mexican Train and marked trains, no other."""
        played = classic("9-4 4-3", "4-2 9-1")
        lay(played, "9-4@0")

        assert {"9-1@1", "9-1@4"} == may(played)

    def test_who_has_no_playable_tile_draws_one_and_plays_it_if_it_fits(self):
        """ "Play": draw a tile from the boneyard and play it if possible."""
        played = classic("4-3 2-1", yard="9-1 9-2")

        assert [Drew(0, numbered("9-1"))] == goes_on(played)
        assert {"9-1@0", "9-1@4"} == may(played)

    def test_who_still_cannot_play_puts_the_marker_on_and_others_may_come(self):
        """ "Unable to Play & The Marker": also where the train has not started."""
        played = classic("4-3 2-1", "9-5 9-8", yard="3-2")

        assert [Drew(0, numbered("3-2")), Passed(0), TrainMarked(0)] == goes_on(played)
        assert {"9-5@0", "9-5@1", "9-5@4", "9-8@0", "9-8@1", "9-8@4"} == may(played)

    def test_with_an_empty_boneyard_one_passes_and_marks(self):
        """ "Unable to Play & The Marker": no more tiles, no playable one: pass, then the marker."""
        assert [Passed(0), TrainMarked(0)] == goes_on(classic("4-3 2-1", "9-5 9-8"))

    def test_the_marker_stays_on_while_its_owner_plays_elsewhere(self):
        """*(silent)*: it comes off when the owner plays on the own train."""
        played = classic("9-4 9-3 5-2", "9-5 9-8 1-1")
        played.mark(0)
        away = lay(played, "9-4@4")
        lay(played, "9-5@1")
        played.turn = 0
        home = lay(played, "9-3@0")

        assert TrainUnmarked(0) not in away
        assert TrainUnmarked(0) in home

    def test_a_double_asks_for_one_more_tile_on_it_or_on_any_eligible_train(self):
        """ "Playing a Double"."""
        played = classic("5-5 5-1 9-2 4-3")
        played.ends[0] = 5
        lay(played, "5-5@0")

        assert {"5-1@0", "9-2@4"} == may(played)
        assert played.turn == 0

    def test_a_double_that_cannot_be_followed_brings_a_draw_then_the_marker(self):
        """ "Playing a Double": draw and play it if you can; if you can't, place your marker."""
        played = classic("5-5 4-3 2-1", yard="3-2")
        played.ends[0] = 5
        lay(played, "5-5@0")

        assert [Drew(0, numbered("3-2")), Passed(0), TrainMarked(0), DoubleLeft(0)] == goes_on(
            played
        )[:4]

    def test_an_open_double_makes_all_other_trains_ineligible_for_everyone(self):
        """
        "An Open Double": marked or unmarked, the own train too, until it is satisfied; whoever
        cannot after drawing puts the marker on.
        """
        played = classic("5-5 9-2 4-3", "9-8 5-4 1-0", "9-7 8-4", "9-6 5-2 2-1", yard="8-3 7-4")
        played.ends[0] = 5

        assert DoubleLeft(0) in lay(played, "5-5@0", "9-2@4")
        assert {"5-4@0"} == may(played)
        with pytest.raises(IllegalMove):
            played.play(PlayTile(numbered("9-8"), 1))
        assert [Played(1, numbered("5-4"), 0), DoubleCovered(0)] == lay(played, "5-4@0")
        assert {"9-7@2"} <= may(played)

    def test_who_cannot_satisfy_an_open_double_draws_and_marks(self):
        """ "An Open Double", fourth line."""
        played = classic("5-5 9-2 4-3", "9-8 1-0", "5-1 8-4", yard="8-3")
        played.ends[0] = 5
        lay(played, "5-5@0", "9-2@4")

        assert [Drew(1, numbered("8-3")), Passed(1), TrainMarked(1)] == goes_on(played)
        assert {"5-1@0"} == may(played)

    def test_two_doubles_need_a_third_tile_from_the_hand(self):
        """
        "Playing Two Doubles": on any two eligible trains, if a third tile from the hand goes onto
        one of the two.
        """
        with_a_third = classic("5-5 3-3 3-1 7-6")
        without = classic("5-5 3-3 9-1 7-6")
        for played in (with_a_third, without):
            played.ends[0], played.ends[4], played.started = 5, 3, 1
            lay(played, "5-5@0")

        assert {"3-3@4", "3-1@4"} == may(with_a_third)
        assert {"9-1@1"} & may(without) == set()
        assert "3-3@4" not in may(without)

    def test_the_third_tile_goes_on_one_of_the_two_and_the_other_stays_open(self):
        """ "Playing Two Doubles": the other double is left open and must be satisfied."""
        played = classic("5-5 3-3 3-1 9-6 4-2", "5-0 9-8")
        played.ends[0], played.ends[4], played.started = 5, 3, 1
        lay(played, "5-5@0", "3-3@4")

        assert {"3-1@4"} == may(played)
        assert DoubleLeft(0) in lay(played, "3-1@4")
        assert {"5-0@0"} == may(played)

    def test_a_drawn_tile_is_no_third_tile(self):
        """
        "Playing Two Doubles": "from your hand (without drawing)". After a draw only what was
        drawn may be played.
        """
        played = classic("5-5 3-3 7-6", yard="5-1")
        played.ends[0], played.ends[4], played.started = 5, 3, 1
        lay(played, "5-5@0")

        assert {"5-1@0"} == may(played)

    def test_going_out_on_a_double_ends_the_round(self):
        """ "Ending a Round": the last tile, even if it is a double; also the second of two."""
        one, two = classic("5-5"), classic("5-5 3-3")
        for played in (one, two):
            played.ends[0], played.ends[4], played.started = 5, 3, 1

        assert LastTilePlayed(0, True) in lay(one, "5-5@0")
        assert LastTilePlayed(0, True) in lay(two, "5-5@0", "3-3@4")
        assert (True, True) == (one.over, two.over)

    def test_one_tile_left_is_noticed_and_can_be_announced_once(self):
        """ "Ending a Round": with one tile left the others must be notified."""
        played = classic("9-4 4-3 2-1", yard="8-1")

        assert LastTile(0) not in lay(played, "9-4@0")
        played = classic("9-4 4-3")
        assert LastTile(0) in lay(played, "9-4@0")
        played.announce(0)
        assert Announced(0) == played.happenings[-1]
        with pytest.raises(IllegalMove, match="cannot be caught"):
            played.catch(0)
        with pytest.raises(IllegalMove, match="holds 2 tiles"):
            played.announce(1)

    def test_passing_all_round_is_not_blocked_while_a_new_marker_opens_a_way(self):
        """
        "Ending a Round": the boneyard is depleted and no one can play, *completely stalled*. Seat
        0 passes, then seat 1 passes and so opens a train that seat 0 can play on.
        """
        played = classic("4-3 8-1", "2-1 7-5", "8-7 6-5", "8-6 7-3", trains=0)
        played.ends = [9, 4, 9, 9]
        passed_all_round = [(Passed(seat), TrainMarked(seat)) for seat in range(4)]

        assert [happenings for both in passed_all_round for happenings in both] == goes_on(played)
        assert (0, {"4-3@1"}) == (played.turn, may(played))

    def test_the_round_is_blocked_as_soon_as_no_tile_fits_anywhere(self):
        """The same table with nothing that fits train 1 either."""
        played = classic("6-3 8-1", "2-1 7-5", "8-7 6-5", "8-6 7-3", trains=0)
        played.ends = [9, 4, 9, 9]
        happenings = goes_on(played)

        assert [Passed(0), TrainMarked(0), Blocked()] == happenings[:3]
        assert HandLeft(0, 2, 18, False, 0) == happenings[3]
        assert (True, True, [18, 15, 26, 24]) == (played.over, played.blocked, played.score())

    def test_a_mexican_train_that_can_still_start_keeps_the_round_going(self):
        """ "Starting": any player can start it during a turn; seat 2 holds a 9."""
        played = classic("6-3 8-1", "2-1 7-5", "9-7 6-5", "8-6 7-3")
        played.ends = [4, 4, 4, 4, 9]

        goes_on(played)
        assert (2, {"9-7@4"}) == (played.turn, may(played))

    def test_an_open_double_without_its_suit_blocks_the_round(self):
        """The leaflet has no end of the line: all other trains stay ineligible."""
        played = classic("5-5 9-2 4-3", "9-8 1-0", "9-1 8-4", "9-6 2-1")
        played.ends[0] = 5

        assert Blocked() in lay(played, "5-5@0", "9-2@4")

    def test_the_double_blank_counts_nothing(self):
        """*(silent)*: 0."""
        played = classic("9-1", "0-0 3-2")
        lay(played, "9-1@0")

        assert [0, 5, 24, 27] == played.score()


class TestMexicanTrainFamily:
    """The family's rule sheet, Mexican Train steps 1 to 7."""

    def family(self, *hands: str, yard: str = "", **changes):
        return position(FAMILY, list(hands), yard, engine=9, size=9, **changes)

    def test_the_marker_comes_off_when_its_owner_plays_anywhere(self):
        """Step 4: open "until he can play some where and remove the marker"."""
        played = self.family("9-4 4-3 2-1", REST)
        played.mark(0)

        assert TrainUnmarked(0) in lay(played, "9-4@2")

    def test_who_cannot_follow_the_own_double_passes_without_a_marker(self):
        """Step 4: "has to play another tile somewhere, or Draw and pass"."""
        played = self.family("5-5 4-3 2-1", "5-1 7-6", yard="3-2 8-8")
        played.ends[0] = 5
        lay(played, "5-5@0")
        happenings = goes_on(played)

        assert [Drew(0, numbered("3-2")), Passed(0), DoubleLeft(0)] == happenings
        assert {"5-1@0"} == may(played)

    def test_a_turn_has_one_double(self):
        """*(silent: no second one)*, even where a third tile would fit."""
        played = self.family("5-5 3-3 3-1 7-6", REST)
        played.ends[0], played.ends[2], played.started = 5, 3, 1
        lay(played, "5-5@0")

        assert {"3-1@2"} == may(played)

    def test_the_last_of_a_suit_is_the_end_of_the_line_and_blocks_nobody(self):
        """Steps 4 and 5: doubles have to be satisfied, except at the last of a suit."""
        played = position(FAMILY, ["2-2 6-4 3-3", "6-1 5-3 4-1"], engine=6, size=6)
        played.ends[0] = 2
        for other in (0, 1, 3, 4, 5, 6):
            played.laid |= 1 << numbered(f"2-{other}")
        happenings = lay(played, "2-2@0", "6-4@2")

        assert DoubleLeft(0) not in happenings
        assert {"6-1@1", "4-1@2"} == may(played)

    def test_a_double_is_done_with_when_its_last_tile_goes_elsewhere(self):
        """
        Steps 4 and 5 with two doubles open (a house rule): 4-2 on the double 4 was the last 2.
        """
        played = position(
            FAMILY, ["2-2 4-4 6-5 3-3", "6-1 5-3 4-2"], engine=6, size=6, doubles_a_turn="any"
        )
        played.ends[0], played.ends[2], played.started = 2, 4, 1
        played.mark(1)
        for other in (0, 1, 3, 5, 6):
            played.laid |= 1 << numbered(f"2-{other}")

        assert DoubleLeft(0) in lay(played, "2-2@0", "4-4@2", "6-5@1")
        assert [DoubleCovered(None), DoubleCovered(0)] == sorted(
            [t for t in lay(played, "4-2@2") if isinstance(t, DoubleCovered)],
            key=lambda happenings: happenings.seat is not None,
        )

    def test_a_double_whose_suit_is_still_about_must_be_satisfied(self):
        """One tile of the suit in a hand is enough."""
        played = position(FAMILY, ["2-2 6-4 3-3", "6-1 5-3 4-2"], engine=6, size=6)
        played.ends[0] = 2

        assert DoubleLeft(0) in lay(played, "2-2@0", "6-4@2")
        assert {"4-2@0"} == may(played)

    def test_the_double_blank_counts_fifty(self):
        """Step 6."""
        played = self.family("9-1", "0-0 3-2")
        happenings = lay(played, "9-1@0")

        assert [0, 55] == played.score()
        assert HandLeft(1, 2, 5, True, 0) in happenings


class TestMexicanTrainRally:
    """The rally's rules, The Play, 1 to 11."""

    def rally(self, *hands: str, yard: str = "", **changes):
        return position(RALLY, list(hands), yard, engine=9, **changes)

    def test_the_first_player_starts_either_train(self):
        """Rule 3."""
        assert {"9-4@0", "9-4@2"} == may(self.rally("9-4 4-3", REST))

    def test_each_double_asks_for_another_tile_doubles_as_well(self):
        """Rule 6: if the second is also a double, a third tile or a draw."""
        played = self.rally("5-5 3-3 12-11 7-6", "5-1 8-8", yard="3-1")
        played.ends[0], played.ends[2], played.started = 5, 3, 1
        lay(played, "5-5@0")

        assert {"3-3@2"} == may(played)
        lay(played, "3-3@2")
        assert [Drew(0, numbered("3-1"))] == goes_on(played)
        assert {"3-1@2"} == may(played)

    def test_only_the_last_double_played_must_be_satisfied(self):
        """Rule 7, last sentence: of two doubles left open, the first obliges nobody."""
        played = self.rally("5-5 3-3 9-6 7-6", "5-1 3-2 8-8")
        played.ends[:3], played.started = [5, 9, 3], 1
        played.mark(1)
        happenings = lay(played, "5-5@0", "3-3@2", "9-6@1")

        assert [DoubleLeft(None)] == [t for t in happenings if isinstance(t, DoubleLeft)]
        assert {"3-2@2"} == may(played)

    def test_a_first_double_stays_free_when_the_last_one_is_satisfied(self):
        """Rule 7: the last double played was satisfied, so there is no duty."""
        played = self.rally("5-5 3-3 3-6 7-6", "5-1 9-2 8-8")
        played.ends[0], played.ends[2], played.started = 5, 3, 1
        happenings = lay(played, "5-5@0", "3-3@2", "6-3@2")

        assert not [t for t in happenings if isinstance(t, DoubleLeft)]
        assert {"9-2@1"} == may(played)

    def test_the_duty_goes_from_player_to_player_even_into_a_private_train(self):
        """Rule 7: the next player, and then each in turn, must satisfy it."""
        played = self.rally("5-5 9-6 7-6", "9-1 8-8", "5-1 9-2", yard="8-7")
        played.ends[0] = 5
        lay(played, "5-5@0", "9-6@3")

        assert [Drew(1, numbered("8-7")), Passed(1), TrainMarked(1)] == goes_on(played)
        assert (2, {"5-1@0"}) == (played.turn, may(played))

    def test_a_double_played_to_go_out_need_not_be_satisfied(self):
        """Rule 8; and rule 10: a double blank counts as zero."""
        played = self.rally("5-5", "0-0 2-1")
        played.ends[0] = 5

        assert LastTilePlayed(0, True) in lay(played, "5-5@0")
        assert [0, 3] == played.score()


class TestMexicanTrainOnline:
    """The web page."""

    def online(self, *hands: str, yard: str = "", **changes):
        return position(ONLINE, list(hands), yard, engine=12, **changes)

    def test_the_first_turn_is_the_own_train_only_as_many_tiles_as_connect(self):
        """
        "In the first turn players can only play on their personal train", as many as make a
        valid sequence.
        """
        played = self.online("12-4 4-3 12-5 1-0", "12-6 2-1")

        assert {"12-4@0", "12-5@0"} == may(played)
        lay(played, "12-4@0")
        assert {"4-3@0", "stop"} == may(played)
        lay(played, "4-3@0")
        assert {"12-6@1"} == may(played)

    def test_a_player_may_stop_the_string(self):
        """
        "Players *can* play as many tiles as possible."
        """
        played = self.online("12-4 4-3 12-5", "12-6 2-1")
        lay(played, "12-4@0", "stop")

        assert (1, {"12-6@1"}) == (played.turn, may(played))

    def test_nobody_may_stop_before_the_first_tile(self):
        """
        "If players have a valid move on their turn, then they must play it."
        """
        played = self.online("12-4 4-3", "12-6 2-1")
        played.go_on()

        with pytest.raises(IllegalMove, match="Stop"):
            played.play(Stop())

    def test_a_double_in_the_string_must_be_followed(self):
        """
        "Whenever player plays a double on any train … he must play one additional tile."
        """
        played = self.online("12-4 4-4 4-3 1-0", "12-6 2-1")
        lay(played, "12-4@0", "4-4@0")

        assert {"4-3@0"} == may(played)

    def test_the_mexican_train_starts_from_the_second_turn(self):
        """ "can be started by any player from second turn onwards", and then a turn is one tile."""
        played = self.online("12-4 12-5 1-0", "12-6 5-1 9-8")
        lay(played, "12-4@0", "12-6@1")

        assert {"12-5@2"} == may(played)
        lay(played, "12-5@2")
        assert 1 == played.turn

    def test_no_train_to_start_brings_a_draw_and_a_marker(self):
        """ "If players can not play a valid tile in the first turn then they put a marker"."""
        played = self.online("4-3 1-0", "12-6 2-1", yard="9-9")

        assert [Drew(0, numbered("9-9")), Passed(0), TrainMarked(0)] == goes_on(played)
        assert {"12-6@1"} == may(played)

    def test_an_open_double_obliges_nobody(self):
        """*(silent: not)*."""
        played = self.online("5-5 4-3 2-1", "12-6 9-8")
        played.ends[0], played.first_turns, played.stringing = 5, 0, False
        played._offer_train()
        lay(played, "5-5@0")
        happenings = goes_on(played)

        assert [Passed(0), TrainMarked(0)] == happenings
        assert {"12-6@1", "12-6@2"} == may(played)

    def test_nothing_is_scored_for_going_out(self):
        """The one who plays out earns zero, the rest their pips."""
        played = self.online("12-4", "12-6 2-1")
        lay(played, "12-4@0")

        assert (True, [0, 21]) == (played.over, played.score())


class TestMexicanTrainDouble15:
    """The leaflet of the double-15 set."""

    def fifteen(self, *hands: str, yard: str = "", **changes):
        return position(DOUBLE_15, list(hands), yard, engine=15, **changes)

    def test_the_first_turn_is_a_string_on_the_own_train(self):
        """ "Players first turn": a domino or a string of dominoes, matching ends."""
        played = self.fifteen("15-4 4-3 3-2 15-9", "15-8 7-6")
        lay(played, "15-4@0", "4-3@0")

        assert {"3-2@0", "stop"} == may(played)

    def test_the_others_get_their_first_turn_when_someone_plays_out_on_it(self):
        """
        "Should this occur, other players get to play their first turn before the round ends."
        """
        played = self.fifteen("15-4 4-3", "15-8 8-2 7-6 6-5", "14-13 3-1")

        assert LastTilePlayed(0, False) in lay(played, "15-4@0", "4-3@0")
        assert (False, 1, {"15-8@1"}) == (played.over, played.turn, may(played))
        lay(played, "15-8@1", "8-2@1")
        happenings = goes_on(played)
        assert [Passed(2), TrainMarked(2)] == happenings[:2]
        assert (True, False, [0, 24, 31]) == (played.over, played.blocked, played.score())

    def test_a_round_that_someone_left_is_not_blocked(self):
        """The others' first turns come to an end, whatever they can play; also one tile each."""
        played = self.fifteen("15-4", "14-2 7-6", "14-13 3-1", first_turn="one")
        happenings = lay(played, "15-4@0") + goes_on(played)

        assert LastTilePlayed(0, False) in happenings
        assert Blocked() not in happenings
        assert (True, False) == (played.over, played.blocked)

    def test_two_players_may_play_out_on_their_first_turns(self):
        """Both count nothing."""
        played = self.fifteen("15-4", "15-8 8-2", "14-13 2-1")
        lay(played, "15-4@0", "15-8@1", "8-2@1")
        goes_on(played)

        assert ([0, 1], [0, 0, 30]) == (played.out, played.score())

    def test_playing_out_later_ends_the_round_at_once(self):
        """
        "A round ends when a player has played his last tile."
        """
        played = self.fifteen("15-4 15-3", "15-8 7-6")
        lay(played, "15-4@0", "15-8@1", "15-3@2")

        assert True is played.over

    def test_nobody_starts_the_mexican_train_on_a_first_turn(self):
        """ "The Mexican Train … may be started on any turn (except the first turn)"."""
        assert {"15-4@0"} == may(self.fifteen("15-4 9-3", "15-8 7-6"))

    def test_a_double_left_open_in_a_first_turn_binds_from_the_second_turn_on(self):
        """
        "No player may play on an opposing players train during the first turn"; after it, "all
        other trains become ineligible".
        """
        played = self.fifteen("15-4 4-4 9-8 9-7", "15-8 7-4 6-5")
        lay(played, "15-4@0", "4-4@0")
        happenings = goes_on(played)

        assert [Passed(0), TrainMarked(0), DoubleLeft(0)] == happenings
        assert {"15-8@1"} == may(played)
        lay(played, "15-8@1")
        assert {"7-4@0"} == may(played)


class TestMexicanTrainHouseRules:
    """Settings that change what may be played."""

    def test_there_may_be_no_mexican_train_or_several(self):
        """`trains`: each must start from the engine's number, one after the other."""
        assert {"9-4@0"} == may(classic("9-4 4-3", trains=0))
        two = classic("9-4 9-3 4-3", "9-5 9-6 4-2", trains=2)
        lay(two, "9-4@4")
        assert {"9-5@1", "9-5@5", "9-6@1", "9-6@5", "4-2@4"} == may(two)

    def test_only_the_owner_may_follow_an_open_double(self):
        """
        `double_followed_by`: the others wait, whatever they hold; on the Mexican Train anyone may.
        """
        played = classic(
            "5-5 9-2 5-3", "5-4 1-0", yard="8-4 8-3 7-4 4-0", double_followed_by="owner"
        )
        played.ends[0] = 5
        lay(played, "5-5@0", "9-2@4")
        happenings = goes_on(played)

        assert [TrainMarked(1), TrainMarked(2), TrainMarked(3)] == [
            t for t in happenings if isinstance(t, TrainMarked)
        ]
        assert (0, {"5-3@0"}) == (played.turn, may(played))

    def test_a_double_that_its_owner_can_never_follow_blocks_the_round(self):
        """The suit in another hand is no help."""
        played = classic("5-5 9-2 4-3", "5-4 1-0", double_followed_by="owner")
        played.ends[0] = 5

        assert Blocked() in lay(played, "5-5@0", "9-2@4")

    def test_an_owner_may_keep_the_marker_on(self):
        """`marker_off` = choice; elsewhere, or without a marker, there is nothing to keep."""
        played = classic("9-4 4-3 2-1", "9-5 9-6", marker_off="choice")
        played.mark(0)

        assert {"9-4@0", "9-4@0 keep", "9-4@4"} == may(played)
        played.play(PlayTile(numbered("9-4"), 0, keep_marker=True))
        assert True is played.marked[0]
        played.go_on()
        with pytest.raises(IllegalMove):
            played.play(PlayTile(numbered("9-5"), 1, keep_marker=True))

    def test_drawing_two_or_until_one_fits(self):
        """`draw`."""
        two = classic("4-3 2-1", yard="3-2 9-1 9-2", draw="two")
        until = classic("4-3 2-1", yard="3-2 3-1 9-1 9-2", draw="until-playable")

        assert [Drew(0, numbered("3-2")), Drew(0, numbered("9-1"))] == goes_on(two)
        assert ["3-2", "3-1", "9-1"] == [name_of(happenings.tile) for happenings in goes_on(until)]

    @pytest.mark.parametrize("penalty", ["none", "draw", "keep", "points", "skip"])
    def test_who_is_caught_pays_what_was_agreed(self, penalty):
        """
        "Penalties (Optional)": draw a tile, keep a drawn one, 50 points, or skip the next turn.
        """
        played = classic(
            "9-4 4-3", "9-5 9-6 1-0", "9-7 9-8 2-0", "9-0 9-1 2-1", yard="6-0 6-1", penalty=penalty
        )
        lay(played, "9-4@0")
        played.happenings.clear()
        played.catch(0)
        happenings = list(played.happenings)
        later = lay(played, "9-5@1", "9-7@2", "9-0@3")

        assert Caught(0, penalty) == happenings[0]
        assert (penalty == "draw") == (HandRefilled(0) in happenings)
        assert (2 if penalty == "draw" else 1) <= played.hands[0].bit_count()
        assert (50 if penalty == "points" else 0) == played.penalties[0]
        assert (penalty == "skip") == (TurnMissed(0) in later)

    def test_a_tile_that_must_be_kept_is_not_played(self):
        """`penalty` = keep: the next drawn tile stays in the hand, once."""
        played = classic("4-3", "9-5 9-6", yard="9-1 9-2")
        played.lone[0] = True
        played.keeps[0] = True

        assert [Drew(0, numbered("9-1")), Passed(0), TrainMarked(0), HandRefilled(0)] == goes_on(
            played
        )

    def test_scores_follow_the_book(self):
        """
        Doubles twice, blank halves, a bonus for going out, on a double everyone else pays twice.
        """
        changes = {
            "doubles_twice": True,
            "blank_half": 10,
            "double_blank": 25,
            "out_bonus": -5,
            "out_on_double_doubles": True,
        }
        played = classic("5-5", "4-4 3-0", "0-0", "2-1", **changes)
        played.ends[0] = 5
        happenings = lay(played, "5-5@0")

        assert HandLeft(1, 2, 19, False, 1) in happenings
        assert [-5, 2 * (16 + 3 + 10), 2 * 25, 2 * 3] == played.score()

    def test_in_a_blocked_round_the_lowest_hand_may_count_nothing(self):
        """`blocked_lowest_zero`."""
        played = classic("6-3", "2-1", "8-7", "8-6", trains=0, blocked_lowest_zero=True)
        played.ends = [9, 4, 9, 9]
        goes_on(played)

        assert [9, 0, 15, 14] == played.score()


class TestMexicanTrainEveryMoveIsChecked:
    """Nothing changes when a move is refused."""

    @pytest.mark.parametrize(
        "move",
        [
            PlayTile(numbered("4-3"), 0),
            PlayTile(numbered("9-4"), 1),
            PlayTile(numbered("9-5"), 0),
            PlayTile(numbered("9-4"), 9),
            PlayTile(numbered("9-4"), 0, keep_marker=True),
            Stop(),
        ],
        ids=["does not fit", "not theirs", "not held", "no such place", "no marker", "no stopping"],
    )
    def test_an_illegal_move_is_refused_with_the_legal_ones(self, move):
        """The message shows the move and what was allowed."""
        played = classic("9-4 4-3", "9-5 9-6")
        played.go_on()
        before = (list(played.hands), list(played.ends), played.turn, played.laid)

        with pytest.raises(IllegalMove, match="on place 0: 9-4"):
            played.play(move)
        assert before == (played.hands, played.ends, played.turn, played.laid)

    def test_nothing_is_played_after_the_end(self):
        """A finished round takes no more tiles."""
        played = classic("9-4", "9-5 9-6")
        lay(played, "9-4@0")

        with pytest.raises(IllegalMove):
            played.play(PlayTile(numbered("9-5"), 1))


def test_by_a_house_rule_the_own_train_comes_before_anything_else():
    """
    Before it has begun, a player plays nowhere else and satisfies no double; then as usual.
    """
    hands = ("9-4 4-3", "9-5 9-1", "4-2 9-6 6-4")
    played = classic(*hands, own_train_first=True)

    assert {"9-4@0"} == may(played)
    lay(played, "9-4@0")
    assert {"9-5@1", "9-1@1"} == may(played)
    lay(played, "9-5@1")
    assert {"9-6@2"} == may(played)
    lay(played, "9-6@2")
    assert {"4-3@0"} == may(played), "seat 3 has passed, and its train begins with a 9"


def test_a_train_from_the_second_turn_on_is_a_rule_of_its_own():
    """
    It holds where the first turn is a turn like any other, too.
    """
    hands = ["9-4 4-3", "7-6 6-5", "8-7 7-5", "8-6 8-5"]
    played = position(ONLINE, hands, engine=9, size=9, first_turn="one")

    assert {"9-4@0"} == may(played)
