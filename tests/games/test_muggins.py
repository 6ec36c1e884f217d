"""Muggins: fives, overlooked points, teams, and the first at 250."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centerpiece.games.muggins.game import AddFive, CallMuggins, CorrectAwards, GiveAward
from centerpiece.table import commands as c
from tests.evenings import AT, FOUR, LiveLedger, opened, order, refusal, row, seat_of, seen
from tests.games.lit import shows_digits

TWO, THREE = FOUR[:2], FOUR[:3]


def game(players: tuple[str, ...], **changes: object) -> LiveLedger:
    """Return a game of Muggins that has just begun."""
    return opened("muggins/classic", players, **changes)


@pytest.mark.parametrize(
    ("pips", "points"), [(0, 0), (1, 0), (2, 0), (3, 5), (7, 5), (8, 10), (12, 10), (13, 15)]
)
def test_the_others_pips_are_rounded_to_the_nearest_five(pips: int, points: int) -> None:
    """Five is odd, so nothing lies exactly in the middle."""
    ledger = game(TWO)
    order(ledger, c.GoOut(1), c.EnterScore(2, pips, confirm=True))

    assert [points] == seat_of(ledger, 1)["scores"]


def test_pips_are_added_up_before_they_are_rounded() -> None:
    """Twice seven is fourteen, which rounds to fifteen; each seven alone would round to five."""
    ledger = game(THREE)
    order(ledger, c.GoOut(1), c.EnterScore(2, 7), c.EnterScore(3, 7))

    assert [15] == seat_of(ledger, 1)["scores"]


def test_a_partners_hand_is_not_asked_for_when_the_other_goes_out() -> None:
    ledger = game(FOUR)
    order(ledger, c.GoOut(1), c.EnterScore(2, 10), c.EnterScore(4, 10))
    without = row(ledger, "total")
    order(ledger, c.EnterScore(3, 30))

    assert [20, 0, 20, 0] == without == row(ledger, "total")
    assert [] == seen(ledger)["missing"]


def test_a_score_is_unknown_until_every_hand_that_counts_is_in() -> None:
    """It is null rather than zero, also for a winner who waits for another hand."""
    ledger = game(THREE)
    order(ledger, GiveAward(2, 10), c.GoOut(1), c.EnterScore(3, 9))

    assert [[None], [None], [0]] == row(ledger, "scores")
    assert [0, 10, 0] == row(ledger, "total")


@given(st.lists(st.integers(0, 30), min_size=3, max_size=3))
def test_a_blocked_round_pays_the_one_lowest_hand(pips: list[int]) -> None:
    """It scores what the others hold; if two share the lowest, nobody scores."""
    ledger = game(THREE)
    order(ledger, c.Block())
    order(ledger, *(c.EnterScore(n, p, confirm=True) for n, p in enumerate(pips, start=1)))
    expected = [0, 0, 0]
    if pips.count(min(pips)) == 1:
        others = sum(pips) - min(pips)
        expected[pips.index(min(pips))] = 5 * round(others / 5)

    assert expected == row(ledger, "total")


def test_presses_in_a_row_are_one_score_and_are_taken_together() -> None:
    """Three presses are fifteen points; after “Muggins!” all of them count as overlooked."""
    ledger = game(TWO)
    order(ledger, AddFive(2), CallMuggins(2))
    for press in range(3):
        order(ledger, AddFive(2), at=AT + press)

    assert shows_digits(ledger, 15)
    assert [False, True] == [award["taken"] for award in seen(ledger)["awards"]]
    assert [0, 20] == row(ledger, "total")


@given(st.lists(st.sampled_from([AddFive(1), AddFive(2), CallMuggins(1), CallMuggins(2)])))
def test_a_recorded_score_is_safe(commands: list[c.Command]) -> None:
    """No call takes away what was tapped on the own seat."""
    ledger = game(TWO)
    order(ledger, *commands)

    assert [5 * commands.count(AddFive(seat)) for seat in (1, 2)] == row(ledger, "total")


def test_a_clock_that_was_put_back_makes_two_scores() -> None:
    """The system time may jump during a game."""
    ledger = game(TWO)
    order(ledger, AddFive(1), at=AT)
    order(ledger, AddFive(1), at=AT - 3600)

    assert 2 == len(seen(ledger)["awards"])


def test_first_at_the_limit_wins_over_more_points_later() -> None:
    """Ann reaches 250 in play; Bob's points for going out do not overtake her."""
    ledger = game(TWO, points_limit=20)
    order(ledger, GiveAward(1, 20), c.GoOut(2), c.EnterScore(1, 42), c.NextRound())

    assert [20, 40] == row(ledger, "total")
    assert ([1], [1, 2]) == (seen(ledger)["winners"], row(ledger, "place"))


def test_overlooked_points_can_win_the_game_for_whoever_saw_them() -> None:
    ledger = game(TWO, points_limit=20)
    order(ledger, CallMuggins(2), GiveAward(2, 20), c.NextRound())

    assert ("finished", [2]) == (seen(ledger)["phase"], seen(ledger)["winners"])


def test_the_game_goes_on_below_the_limit() -> None:
    """And the starter rotates."""
    ledger = game(TWO)
    order(ledger, GiveAward(1, 45), c.GoOut(1), c.EnterScore(2, 20), c.NextRound())

    assert ("playing", 2, 2) == tuple(seen(ledger)[key] for key in ("phase", "round", "starter"))


def test_points_are_won_while_a_round_is_played() -> None:
    """Not in the lobby, after the game or in a game without awards."""
    ledger = game(TWO)
    order(ledger, c.FinishGame())
    train = opened("mexican-train/classic")

    assert "Points can only be won during a round." == str(refusal(ledger, GiveAward(1, 5)))
    assert "Mexican Train does not have that." == str(refusal(train, GiveAward(1, 5)))


def test_penalty_points_hurt_where_the_highest_total_wins() -> None:
    """They are subtracted."""
    ledger = game(TWO)
    order(ledger, c.Penalize(1, "points", 10), c.GoOut(1), c.EnterScore(2, 20))

    assert 10 == seat_of(ledger, 1)["total"]


def test_partners_whose_hands_are_equal_share_a_blocked_round_in_the_order_of_seats() -> None:
    """Not in the order of counting."""
    sheets = []
    for seats in ((1, 2, 3, 4), (3, 4, 1, 2)):
        ledger = opened("muggins/classic", FOUR)
        hands = {1: 19, 2: 2, 3: 13, 4: 2}
        order(ledger, c.Block(), *(c.EnterScore(seat, hands[seat]) for seat in seats))
        sheets.append(row(ledger, "scores"))

    assert [[[0], [30], [0], [0]]] * 2 == sheets


@given(
    st.lists(st.tuples(st.integers(1, 2), st.sampled_from([5, 10, 15])), max_size=6),
    st.integers(0, 12),
)
def test_corrected_points_are_as_said_and_leave_the_others_alone(
    awards: list[tuple[int, int]], fives: int
) -> None:
    """In whatever order they were made; undo restores all of them."""
    ledger = game(TWO)
    order(ledger, *(GiveAward(seat, points) for seat, points in awards), c.GoOut(1))
    before = seen(ledger)["in_play"]
    order(ledger, CorrectAwards(1, 1, 5 * fives))
    after = seen(ledger)["in_play"]

    assert (5 * fives, before[1]) == (after[0]["points"], after[1])
    if before != after:
        order(ledger, c.Undo())
    assert before == seen(ledger)["in_play"]
