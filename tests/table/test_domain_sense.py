"""Conclusions that a table draws by itself from the rules of dominoes."""

import pytest

from centerpiece.games.mexican_train.game import StartTrain, ToggleDouble, ToggleMarker
from centerpiece.table import commands as c
from centerpiece.table.state import TRAIN
from tests.evenings import FOUR, opened, order, refusal, row, scored, seat_of, seen

# Last tiles, markers, doubles


def test_a_marker_ends_the_seats_last_tile_call() -> None:
    """A player who could not play has drawn, and holds two tiles again."""
    ledger = opened()
    order(ledger, c.CallLastTile(2), c.CallLastTile(3), ToggleMarker(2))

    assert [False, False, True, False] == row(ledger, "last_tile")


def test_taking_the_marker_off_does_not_bring_the_call_back() -> None:
    ledger = opened()
    order(ledger, c.CallLastTile(2), ToggleMarker(2), ToggleMarker(2))

    assert [False] * 4 == row(ledger, "last_tile")
    order(ledger, c.CallLastTile(2))
    assert seat_of(ledger, 2)["last_tile"] is True


@pytest.mark.parametrize(("kind", "left"), [("draw", False), ("keep", False), ("skip", True)])
def test_a_penalty_in_tiles_ends_a_call_and_others_do_not(kind: str, left: bool) -> None:
    ledger = opened()
    order(ledger, c.CallLastTile(2), c.Penalize(2, kind))  # type: ignore[arg-type]

    assert left == seat_of(ledger, 2)["last_tile"]


def test_going_out_needs_no_satisfied_double() -> None:
    """Neither one's own nor another; afterwards open doubles oblige nobody."""
    ledger = opened()
    order(ledger, ToggleDouble(3), ToggleDouble(TRAIN), c.GoOut(1, on_double=True))

    assert ("scoring", 1) == (seen(ledger)["phase"], seen(ledger)["out"])
    assert [False] * 4 == row(ledger, "open_double")
    order(ledger, c.Undo())
    assert [False, False, True, False] == row(ledger, "open_double")
    assert {"started": True, "open_double": True} == seen(ledger)["train"]


def test_a_double_on_the_mexican_train_has_started_it() -> None:
    """It also stays started once the double is satisfied."""
    ledger = opened()
    order(ledger, ToggleDouble(TRAIN), ToggleDouble(TRAIN))

    assert {"started": True, "open_double": False} == seen(ledger)["train"]


def test_a_new_round_begins_with_a_bare_table() -> None:
    """Only lost turns are carried over."""
    ledger = opened(penalty="skip")
    order(
        ledger,
        ToggleMarker(1),
        ToggleDouble(2),
        StartTrain(),
        c.CallLastTile(3),
        c.Catch(4),
        c.GoOut(3),
        c.CountRest(),
        c.NextRound(),
    )
    state = seen(ledger)

    assert {"started": False, "open_double": False} == state["train"]
    for key in ("marker", "open_double", "last_tile"):
        assert [False] * 4 == row(ledger, key)
    assert [False, False, False, True] == row(ledger, "skipped")


def test_a_call_counts_until_the_round_ends() -> None:
    ledger = opened()
    order(ledger, c.CallLastTile(2), c.GoOut(2))

    assert [False] * 4 == row(ledger, "last_tile")


def test_nobody_is_caught_who_announced() -> None:
    """The accuser is asked if a tile was drawn since; without an answer nobody pays."""
    ledger = opened(penalty="points")
    order(ledger, c.CallLastTile(2), ToggleMarker(2))

    question = refusal(ledger, c.Catch(2))
    assert ("drawn", [2], 2) == tuple(question.facts[key] for key in ("what", "seats", "about"))
    order(ledger, c.Catch(2, drawn=False))
    assert [] == seen(ledger)["penalties"]
    order(ledger, c.Catch(2, drawn=True))
    assert [2] == [penalty["seat"] for penalty in seen(ledger)["penalties"]]


# Rounds


def test_scores_may_be_missing_and_follow_later() -> None:
    """The public state names the seats; a missing score is null and counts nothing."""
    ledger = opened()
    order(ledger, c.GoOut(1), c.EnterScore(2, 10))
    question = refusal(ledger, c.NextRound())
    assert ("asks", "uncounted", [3, 4]) == (
        question.code,
        question.facts["what"],
        question.facts["seats"],
    )
    order(ledger, c.NextRound(uncounted=True), c.GoOut(2), c.EnterScore(1, 5))
    order(ledger, c.NextRound(uncounted=True))

    assert [
        {"round": 1, "seats": [3, 4]},
        {"round": 2, "seats": [3, 4]},
    ] == seen(ledger)["missing"]
    assert [[0, 5], [10, 0], [None, None], [None, None]] == row(ledger, "scores")
    order(ledger, c.CorrectScore(3, 7, round=1), c.CorrectScore(4, 8, round=1))
    assert [{"round": 2, "seats": [3, 4]}] == seen(ledger)["missing"]


def test_a_round_of_which_no_hand_is_counted_is_not_left() -> None:
    """Not even with `uncounted`."""
    ledger = opened()
    order(ledger, c.GoOut(1))

    assert "Bob, Cara and Dan" in str(refusal(ledger, c.NextRound(uncounted=True)))


def test_scores_can_follow_after_the_game() -> None:
    """Only then there are winners."""
    ledger = opened(rounds=1)
    order(ledger, c.Block(), c.FinishGame())
    assert ("finished", []) == (seen(ledger)["phase"], seen(ledger)["winners"])
    order(ledger, *(c.CorrectScore(n, 40 - n, round=1) for n in (1, 2, 3, 4)))

    assert [4] == seen(ledger)["winners"]


def test_a_real_zero_is_not_a_missing_score() -> None:
    """The seat that went out has 0 at once; the others have null until they are counted."""
    ledger = opened()
    order(ledger, c.GoOut(3))

    assert [[None], [None], [0], [None]] == row(ledger, "scores")


def test_the_starter_moves_on_clockwise_over_empty_seats_and_past_those_who_left() -> None:
    """It moves on from the last starter, even after that player left."""
    ledger = opened(starter=3)
    order(ledger, c.GoOut(1), c.CountRest(), c.NextRound())
    assert 4 == seen(ledger)["starter"]
    order(ledger, c.Leave(4), c.GoOut(1), c.CountRest(), c.NextRound())
    assert 1 == seen(ledger)["starter"]
    order(ledger, c.DesignateStarter(2), c.GoOut(1), c.CountRest(), c.NextRound())

    assert 3 == seen(ledger)["starter"]


def test_said_again_it_is_another_who_went_out_or_nobody() -> None:
    """While hands are counted; a round ends in one way, and the counted hands stay."""
    ledger = opened()
    order(ledger, c.Block(), c.EnterScore(3, 12))
    order(ledger, c.GoOut(1))
    assert [] == order(ledger, c.GoOut(1))
    assert [[0], [None], [12], [None]] == row(ledger, "scores")
    order(ledger, c.Block())

    assert (None, True) == (seen(ledger)["out"], seen(ledger)["blocked"])
    assert [[None], [None], [12], [None]] == row(ledger, "scores")


# Doubtful scores


def test_more_pips_than_the_set_holds_must_be_confirmed() -> None:
    """1,092 pips in a double-12 set, less the 24 on the engine."""
    ledger = opened()
    order(ledger, c.GoOut(1))
    refused = refusal(ledger, c.EnterScore(2, 1069))
    assert ("confirm", True) == (refused.code, "1068" in str(refused))
    order(ledger, c.EnterScore(2, 1069, confirm=True))

    assert [1069] == seat_of(ledger, 2)["scores"]


def test_all_hands_together_hold_no_more_than_the_set() -> None:
    ledger = opened()
    order(ledger, c.GoOut(1), c.EnterScore(2, 600))

    assert "confirm" == refusal(ledger, c.EnterScore(3, 600)).code
    order(ledger, c.EnterScore(3, 468))


def test_two_zeros_must_be_confirmed_and_so_must_none() -> None:
    """Exactly one player goes out."""
    ledger = opened()
    order(ledger, c.GoOut(1))
    assert "confirm" == refusal(ledger, c.EnterScore(2, 0)).code
    assert "confirm" == refusal(ledger, c.CorrectScore(1, 5, round=1)).code
    order(ledger, c.EnterScore(2, 0, confirm=True))

    assert [[0], [0], [None], [None]] == row(ledger, "scores")


def test_a_hand_of_nothing_but_the_double_blank_is_no_zero() -> None:
    """It holds a tile, even if that counts nothing."""
    ledger = opened()
    order(ledger, c.GoOut(1), c.EnterScore(2, 0, double_blank=True))

    assert [[0], [0], [None], [None]] == row(ledger, "scores")


def test_a_hand_told_by_its_tiles_is_counted_by_the_table() -> None:
    """Pips, the double blank, blank halves and doubles are computed, and the tiles kept."""
    ledger = opened(double_blank=50, blank_half=10, doubles_twice=True)
    order(ledger, c.GoOut(1), c.EnterScore(2, hand=((5, 0), (0, 0), (3, 3), (12, 4))))

    assert 5 + 10 + 50 + 12 + 16 == seat_of(ledger, 2)["scores"][0]
    tiles = [[0, 0], [0, 5], [3, 3], [4, 12]]
    assert [{"round": 1, "seat": 2, "tiles": tiles}] == seen(ledger)["hands"]


@pytest.mark.parametrize(
    ("tile", "words"),
    [
        ((5, 2), "Bob already has the 2-5."),
        ((12, 12), "The 12-12 is in the middle, so nobody has it."),
        ((13, 1), "There is no 1-13 in a double-12 set."),
        ((4, 3), "There is only one 3-4."),
    ],
)
def test_a_tile_is_in_one_place(tile: tuple[int, int], words: str) -> None:
    """Refused if it is in another hand, in the middle, not in the set, or given twice."""
    ledger = opened()
    order(ledger, c.GoOut(1), c.EnterScore(2, hand=((2, 5),)))

    assert words == str(refusal(ledger, c.EnterScore(3, hand=((3, 4), tile))))


def test_a_score_that_is_there_is_changed_only_when_confirmed() -> None:
    """Two phones do not overwrite each other; the same score again changes nothing."""
    ledger = opened()
    order(ledger, c.GoOut(1), c.EnterScore(2, 10))
    assert "confirm" == refusal(ledger, c.EnterScore(2, 12)).code
    assert [] == order(ledger, c.EnterScore(2, 10))
    order(ledger, c.EnterScore(2, 12, confirm=True))

    assert [{"round": 1, "seat": 2, "was": 10, "now": 12}] == seen(ledger)["corrections"]


# Comings and goings


def test_a_late_arrival_comes_in_with_the_highest_total() -> None:
    """Fixed when they sit down; they have a place from the next round on."""
    ledger = opened()
    scored(ledger, 1, s2=10, s3=30, s4=20)
    order(ledger, c.Join("Eve"))
    assert (None, [30], False) == tuple(
        seat_of(ledger, 5)[key] for key in ("place", "scores", "plays")
    )
    order(ledger, c.Leave(3), c.CorrectScore(4, 25, round=1), c.NextRound())

    assert ([30], 30, 4) == tuple(seat_of(ledger, 5)[k] for k in ("scores", "total", "place"))


@pytest.mark.parametrize(("late", "carried"), [("highest", 30), ("average", 15), ("zero", 0)])
def test_what_a_late_arrival_carries_is_a_setting(late: str, carried: int) -> None:
    """The highest, the average, or nothing."""
    ledger = opened(late_score=late)
    scored(ledger, 1, s2=10, s3=30, s4=20)
    order(ledger, c.Join("Eve"), c.NextRound())

    assert carried == seat_of(ledger, 5)["total"]


def test_who_joined_for_a_round_that_was_not_played_has_not_won() -> None:
    """Having no total is not the lowest total."""
    ledger = opened(rounds=2)
    order(ledger, c.Join("Eve"))
    scored(ledger, 1, s2=10, s3=30, s4=20)
    order(ledger, c.FinishGame())

    assert [1] == seen(ledger)["winners"]
    assert [1, 2, 4, 3, None] == row(ledger, "place")


def test_a_late_arrival_takes_the_next_free_seat_or_the_one_that_was_asked_for() -> None:
    """Clockwise after the last, then any free one."""
    ledger = opened()
    order(ledger, c.Join("Eve", 9), c.Join("Finn"))
    assert "Seat 9 is not free" in str(refusal(ledger, c.Join("Gus", 9)))
    order(ledger, c.Join("Gus"))

    assert [1, 2, 3, 4, 5, 9, 10] == row(ledger, "seat")


def test_a_table_that_cannot_be_dealt_takes_nobody_in() -> None:
    """The classic rules deal a double-12 set to at most eight."""
    ledger = opened(players=tuple("ABCDEFGH"))

    assert "2 to 8 players" in str(refusal(ledger, c.Join("Ida")))


def test_who_leaves_stays_in_the_record_and_out_of_the_game() -> None:
    """They keep their place until a round is counted that they did not play."""
    ledger = opened()
    scored(ledger, 1, s2=10, s3=30, s4=20)
    order(ledger, c.NextRound(), ToggleMarker(2), ToggleDouble(2), c.CallLastTile(2), c.Leave(2))
    gone = seat_of(ledger, 2)

    assert ([10], 10, 2, True) == tuple(gone[k] for k in ("scores", "total", "place", "left"))
    assert [False] * 3 == [gone[key] for key in ("marker", "open_double", "last_tile")]
    assert "does not play" in str(refusal(ledger, ToggleMarker(2)))
    order(ledger, c.GoOut(1), c.EnterScore(3, 1), c.EnterScore(4, 2))
    assert [] == seen(ledger)["missing"]
    assert [1, None, 3, 2] == row(ledger, "place")


def test_two_are_needed_to_play_on() -> None:
    """The refusal suggests ending the game."""
    ledger = opened(size=9, players=FOUR[:2])

    assert "cannot go on without" in str(refusal(ledger, c.Leave(1)))
    order(ledger, c.FinishGame())


def test_who_left_while_scores_were_counted_still_has_to_be_counted() -> None:
    ledger = opened()
    order(ledger, c.GoOut(1), c.Leave(3))

    assert [{"round": 1, "seats": [2, 3, 4]}] == seen(ledger)["missing"]
    order(ledger, *(c.EnterScore(seat, 9) for seat in (2, 3, 4)), c.NextRound())
    assert 9 == seat_of(ledger, 3)["total"]
    assert seat_of(ledger, 3)["plays"] is False


# Standings


def test_equal_totals_share_a_place_and_the_next_is_left_out() -> None:
    """1, 2, 2, 4."""
    ledger = opened()
    scored(ledger, 1, s2=10, s3=10, s4=20)

    assert [1, 2, 2, 4] == row(ledger, "place")


def test_there_are_no_places_before_anything_is_scored() -> None:
    assert [None] * 4 == row(opened(), "place")


@pytest.mark.parametrize(
    ("prizes", "pips", "winners", "tie"),
    [
        (1, (0, 0, 20, 30), [1, 2], [1, 2]),
        (1, (0, 20, 20, 30), [1], []),
        (2, (0, 20, 20, 30), [1], [2, 3]),
        (2, (0, 20, 30, 30), [1], []),
        (2, (0, 0, 20, 20), [1, 2], [1, 2]),
        (1, (5, 5, 5, 5), [1, 2, 3, 4], [1, 2, 3, 4]),
    ],
)
def test_a_tie_is_a_shared_place_among_the_prizes(
    prizes: int, pips: tuple[int, ...], winners: list[int], tie: list[int]
) -> None:
    """Everybody in first place has won; the number of prizes decides who must play off."""
    ledger = opened(rounds=1, prizes=prizes)
    order(ledger, c.Block())
    order(ledger, *(c.EnterScore(n, p, confirm=True) for n, p in enumerate(pips, start=1)))
    order(ledger, c.NextRound())

    assert (winners, tie) == (seen(ledger)["winners"], seen(ledger)["tie"])


def test_a_correction_moves_totals_places_and_winners() -> None:
    """Of any round, at any time; and it can be undone."""
    ledger = opened(rounds=2)
    scored(ledger, 1, s2=10, s3=30, s4=20)
    order(ledger, c.NextRound())
    scored(ledger, 2, s1=15, s3=3, s4=4)
    order(ledger, c.NextRound())
    assert [2] == seen(ledger)["winners"]
    order(ledger, c.CorrectScore(2, 100, round=1))
    assert ([1], [15, 100, 33, 24]) == (seen(ledger)["winners"], row(ledger, "total"))
    order(ledger, c.Undo())

    assert [2] == seen(ledger)["winners"]


def test_penalties_in_points_are_in_the_round_they_were_given_in() -> None:
    """Also for a hand that is counted only later."""
    ledger = opened(penalty="points", penalty_points=25)
    order(ledger, c.Catch(2), c.GoOut(1))
    assert [None] == seat_of(ledger, 2)["scores"]
    order(ledger, c.EnterScore(2, 5), c.Penalize(1, "points", 10))

    assert [[10], [30], [None], [None]] == row(ledger, "scores")


def test_hidden_bones_are_the_rounds_highest_and_more_before_penalties() -> None:
    """Known when all shown hands are; several hidden hands get the same."""
    ledger = opened("mexican-train/rally")
    order(ledger, c.Penalize(2, "points", 100), c.GoOut(1), c.EnterScore(3, hidden=True))
    order(ledger, c.EnterScore(2, 20))
    assert [[0], [120], [None], [None]] == row(ledger, "scores")
    order(ledger, c.EnterScore(4, hidden=True))

    assert [[0], [120], [30], [30]] == row(ledger, "scores")


# Undo


@pytest.mark.parametrize(
    "command",
    [
        ToggleMarker(2),
        ToggleDouble(2),
        ToggleDouble(TRAIN),
        StartTrain(),
        c.CallLastTile(2),
        c.Catch(2),
        c.Penalize(2, "points", 5),
        c.DesignateStarter(3),
        c.Join("Eve"),
        c.Leave(2),
        c.Rename(2, "Bobby"),
        c.ChangeRule("double_blank", 25),
        c.GoOut(2),
        c.Block(),
        c.FinishGame(),
    ],
    ids=lambda command: type(command).__name__,
)
def test_everything_that_can_be_done_in_a_round_can_be_undone(command: c.Command) -> None:
    """Redo brings back the table after it."""
    ledger = opened(penalty="points")
    before = ledger.table
    order(ledger, command)
    after = ledger.table
    order(ledger, c.Undo())
    assert before == ledger.table != after
    order(ledger, c.Redo())

    assert after == ledger.table


def test_undo_reaches_over_the_end_of_the_game_into_the_first_round() -> None:
    """The notice says what was undone."""
    ledger = opened(rounds=1)
    scored(ledger, 1, s2=10, s3=30, s4=20)
    order(ledger, c.NextRound())
    order(ledger, *[c.Undo()] * 5)

    assert "playing" == seen(ledger)["phase"]
    assert "Undone: Ann went out." == seen(ledger)["notice"]
    order(ledger, c.Undo())
    assert ("lobby", []) == (seen(ledger)["phase"], seen(ledger)["seats"])
    assert "There is nothing to undo." == str(refusal(ledger, c.Undo()))
    order(ledger, *[c.Redo()] * 6)
    assert "finished" == seen(ledger)["phase"]


def test_a_new_action_ends_what_could_be_done_again() -> None:
    ledger = opened()
    order(ledger, ToggleMarker(1), c.Undo(), ToggleMarker(2))

    assert "There is nothing to redo." == str(refusal(ledger, c.Redo()))


def test_undo_reaches_back_into_the_game_before_and_no_further() -> None:
    """A game that was ended can be taken up, however the new one was opened."""
    for opening in (
        (c.OpenLobby(), c.Start()),
        (c.OpenTable("mexican-train/classic", FOUR),),
        (c.Rematch(rematch=True),),
    ):
        ledger = opened(rounds=1)
        order(ledger, c.Block(), c.FinishGame())
        first = ledger.table
        order(ledger, c.OpenLobby(), c.Start(), ToggleMarker(2), c.FinishGame())
        finished = ledger.table
        order(ledger, *opening)
        order(ledger, *[c.Undo()] * len(opening))
        assert finished == ledger.table

        order(ledger, *[c.Undo()] * 4)
        assert first == ledger.table
        assert "There is nothing to undo." == str(refusal(ledger, c.Undo()))
