"""Castle Rock: row and pile, the end, and the best result."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centerpiece.games.castle_rock.game import DrawTile, RemoveMiddle, RemoveThree
from centerpiece.rules.domino_sets import tiles_in
from centerpiece.table import commands as c
from tests.evenings import AT, LiveLedger, opened, order, refusal, seen, tried
from tests.games.lit import RING, lit, shows_digits


def alone(size: int = 9) -> LiveLedger:
    """Return a game that has just begun."""
    return opened(f"castle-rock/{'double-15' if size == 15 else 'classic'}", ("Ann",), size)


def played_to(left: int, size: int = 6) -> LiveLedger:
    """Return a game with an empty pile and so many tiles in the row."""
    ledger = alone(size)
    while seen(ledger)["pile"]:
        order(ledger, DrawTile())
    while seen(ledger)["row"] > left:
        order(ledger, RemoveMiddle(1))
    return ledger


@pytest.mark.parametrize(("size", "pile"), [(6, 25), (9, 52), (12, 88), (15, 133)])
def test_three_tiles_lie_in_the_row_and_the_rest_is_the_pile(size: int, pile: int) -> None:
    ledger = alone(size)

    assert (3, pile) == (seen(ledger)["row"], seen(ledger)["pile"])


@given(st.lists(st.sampled_from([DrawTile(), RemoveMiddle(1), RemoveThree(1)]), max_size=80))
def test_no_tile_is_lost_and_none_is_drawn_twice(commands: list[c.Command]) -> None:
    """Row, pile and removed tiles always make a whole set."""
    ledger = alone(6)
    for command in commands:
        before = seen(ledger)
        done = bool(tried(ledger, [command]))
        after = seen(ledger)
        gone = before["row"] + before["pile"] - after["row"] - after["pile"]
        removed = {DrawTile: 0, RemoveMiddle: 1, RemoveThree: 3}[type(command)]
        assert gone == (removed if done else 0)
        assert 0 <= after["pile"] < tiles_in(6)
        assert after["row"] > 0 or after["pile"] == 0


def test_an_empty_row_starts_anew_with_what_there_is() -> None:
    """With the last one or two tiles of the pile the game ends: nothing can be removed."""
    ledger = alone(6)
    while seen(ledger)["pile"] > 2:
        order(ledger, DrawTile())
    while seen(ledger)["row"] > 3:
        order(ledger, RemoveMiddle(1))
    order(ledger, RemoveThree(1))

    assert (2, 0) == (seen(ledger)["row"], seen(ledger)["pile"])
    assert "scoring" == seen(ledger)["phase"]


def test_fewer_than_three_and_no_pile_end_the_game_by_themselves() -> None:
    assert "scoring" == seen(played_to(2))["phase"]
    assert "playing" == seen(played_to(3))["phase"]


@pytest.mark.parametrize(("left", "winners"), [(3, []), (2, [1])])
def test_two_that_remain_win_by_the_double_15_sheet(left: int, winners: list[int]) -> None:
    """Three do not."""
    ledger = played_to(left, 15)
    if left > 2:
        order(ledger, c.Block())
    order(ledger, c.NextRound())

    assert winners == seen(ledger)["winners"]


def test_nothing_left_at_all_wins_by_the_classic_leaflet() -> None:
    ledger = played_to(3)
    order(ledger, RemoveThree(1), c.NextRound())

    assert ("finished", [1], 0) == tuple(seen(ledger)[k] for k in ("phase", "winners", "best"))


def test_the_best_result_outlasts_the_game_and_falls_only() -> None:
    """Each size of set has its own."""
    bests = []
    ledger = played_to(5)
    for left in (5, 7, 3):
        if bests:
            order(ledger, c.OpenLobby(), c.Start(), at=AT + 3600 * len(bests))
            while seen(ledger)["pile"]:
                order(ledger, DrawTile())
            while seen(ledger)["row"] > left:
                order(ledger, RemoveMiddle(1))
        order(ledger, c.Block(), c.NextRound())
        bests.append(seen(ledger)["best"])
    order(ledger, c.OpenLobby(), c.NextSet())

    assert [5, 5, 3] == bests
    assert seen(ledger)["best"] is None


def test_the_best_result_is_there_after_other_games() -> None:
    ledger = played_to(5)
    order(ledger, c.Block(), c.NextRound())
    order(ledger, c.OpenTable("muggins/classic", ("Ann", "Bob")), c.FinishGame())
    order(ledger, c.OpenTable("castle-rock/classic", ("Ann",), 6))

    assert 5 == seen(ledger)["best"]


def test_the_face_counts_the_pile_down_and_the_ring_with_it() -> None:
    """132 has more than two digits, so it scrolls."""
    ledger = alone(15)
    order(ledger, DrawTile())
    full = lit(ledger)
    assert shows_digits(ledger, 132)
    order(ledger, *[DrawTile()] * 100)

    assert shows_digits(ledger, 32)
    assert RING == full
    assert full // 4 == lit(ledger)


def test_a_removal_needs_three_tiles_in_the_row() -> None:
    ledger = alone()
    order(ledger, RemoveMiddle(1))

    for removal in (RemoveMiddle(1), RemoveThree(1)):
        assert str(refusal(ledger, removal)).startswith("You need three tiles in the row")
