"""Super 15: turns as far as the hub is told, spells, and the winner of a blocked round."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centerpiece.games.super_15.game import (
    OthersDraw,
    Reverse,
    SkipNext,
    Super15,
    TakeTurn,
    ToggleSpell,
)
from centerpiece.table import commands as c
from tests.evenings import AT, FOUR, LiveLedger, opened, order, refusal, row, seen
from tests.games.lit import RING, brightest, lit

THREE = FOUR[:3]
GAME = Super15()


def game(players: tuple[str, ...] = FOUR, **changes: object) -> LiveLedger:
    """Return a game of Super 15 that has just begun."""
    return opened("super-15/double-15", players, **{"turns_told": True, **changes})


def place(seat: int) -> int:
    """Return a seat's place on the ring."""
    return (seat - 1) * RING // 10


def test_the_first_turn_is_the_starters() -> None:
    """Until a turn is told; naming another starter moves it."""
    ledger = game()
    first = seen(ledger)["turn"]
    order(ledger, c.DesignateStarter(3))

    assert (1, 3) == (first, seen(ledger)["turn"])


def test_the_ring_points_from_whose_turn_it_is_to_who_is_next() -> None:
    """In the direction of play, past seats that lose a turn."""
    ledger = game()
    order(ledger, TakeTurn(2))
    heads = [brightest(ledger)]
    order(ledger, SkipNext())
    heads.append(brightest(ledger))
    order(ledger, Reverse())
    heads.append(brightest(ledger))
    order(ledger, c.Block())

    assert [place(3), place(4), place(1)] == heads
    assert 0 == lit(ledger)


@pytest.mark.parametrize(
    ("turn", "reverse", "lost"), [(1, False, 2), (4, False, 1), (1, True, 4), (3, True, 2)]
)
def test_the_next_player_in_the_direction_of_play_loses_a_turn(
    turn: int, reverse: bool, lost: int
) -> None:
    """Also from the last seat to the first."""
    ledger = game()
    order(ledger, TakeTurn(turn), *([Reverse()] if reverse else []), SkipNext())

    assert [seat == lost for seat in range(1, 5)] == row(ledger, "skipped")


def test_a_lost_turn_is_over_when_play_has_passed_it() -> None:
    """Others that are still to come stay."""
    ledger = game()
    order(ledger, c.Penalize(1, "skip"), TakeTurn(2), SkipNext(), TakeTurn(4))

    assert [True, False, False, False] == row(ledger, "skipped")


def test_a_turn_timer_starts_anew_with_the_turn_that_is_told() -> None:
    """Turns told with advance and turns told by a seat both count."""
    ledger = game(turn_limit_s=30)
    order(ledger, c.PassTurn(), at=AT)
    order(ledger, TakeTurn(4), at=AT + 20)

    assert 4 == seen(ledger)["turn"]
    assert {"remaining_s": 25} == seen(ledger, AT + 25)["turn_clock"]


def test_two_doubles_in_one_turn_skip_two_players() -> None:
    """A 14 gives another turn, and that may be a double again."""
    ledger = game()
    order(ledger, TakeTurn(1), SkipNext(), TakeTurn(1), SkipNext())

    assert [False, True, True, False] == row(ledger, "skipped")


def test_of_two_players_one_may_play_double_after_double() -> None:
    """The other's turns are lost as soon as the first plays again."""
    ledger = game(FOUR[:2])
    order(ledger, TakeTurn(1), SkipNext(), SkipNext())
    twice = row(ledger, "skipped")
    order(ledger, TakeTurn(1))

    assert [False, True] == twice
    assert [False, False] == row(ledger, "skipped")
    assert "It is Ann's turn." == seen(ledger)["notice"]


def test_a_fifteen_takes_back_the_last_tiles_of_all_others() -> None:
    """They have drawn, so they hold two."""
    ledger = game()
    order(ledger, c.CallLastTile(1), c.CallLastTile(3), OthersDraw(3))

    assert [False, False, True, False] == row(ledger, "last_tile")
    assert 3 == seen(ledger)["turn"]


def test_the_spell_remembers_who_cast_it() -> None:
    """That player is exempt, however the turn moves on."""
    ledger = game()
    order(ledger, TakeTurn(3), ToggleSpell(), TakeTurn(4), TakeTurn(1))

    assert (True, 3) == (seen(ledger)["spell"], seen(ledger)["caster"])
    order(ledger, ToggleSpell())
    assert (False, None) == (seen(ledger)["spell"], seen(ledger)["caster"])


def test_a_new_round_has_neither_spell_nor_direction_of_the_old() -> None:
    ledger = game(rounds=2)
    order(ledger, Reverse(), ToggleSpell(), TakeTurn(3), SkipNext(), c.GoOut(2), c.NextRound())
    page = seen(ledger)

    assert ("clockwise", False, None) == (page["direction"], page["spell"], page["turn"])
    assert [False] * 4 == row(ledger, "skipped")
    assert [0, 1, 0, 0] == row(ledger, "total")


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 9)), min_size=3, max_size=3))
def test_a_blocked_round_is_won_by_fewest_tiles_then_lowest_pips(
    left: list[tuple[int, int]],
) -> None:
    """Equal in both, they share it; hands from a phone and from the buttons agree."""
    phone, buttons = game(THREE), game(THREE)
    for ledger in (phone, buttons):
        order(ledger, c.Block())
    for seat, (tiles, pips) in enumerate(left, start=1):
        order(phone, c.EnterScore(seat, pips, tiles=tiles))
    while uncounted := GAME.uncounted_seats(buttons.table):
        known = buttons.table.rounds[-1].entries
        tiles, pips = left[uncounted[0] - 1]
        number = pips if uncounted[0] in known else tiles
        order(
            buttons,
            GAME.dialled(buttons.table, buttons.table.rounds[-1], uncounted[0], number, False),
        )
    order(phone, c.NextRound())
    order(buttons, c.NextRound())
    expected = [seat for seat, held in enumerate(left, start=1) if held == min(left)]

    assert expected == seen(phone)["winners"] == seen(buttons)["winners"]


def test_without_any_tiles_counted_the_lowest_pips_win() -> None:
    """The table has counted pips only."""
    ledger = game(THREE)
    order(ledger, c.Block(), *(c.EnterScore(n, 10 - n) for n in (1, 2, 3)), c.NextRound())

    assert [3] == seen(ledger)["winners"]


def test_equal_tiles_are_asked_back_before_the_round_is_closed() -> None:
    """The pips decide then, and they are not known yet."""
    ledger = game(THREE)
    order(ledger, c.Block(), *(c.EnterScore(n, tiles=t) for n, t in ((1, 1), (2, 1), (3, 2))))

    assert "Ann and Bob have the same number of tiles: count their pips." == str(
        refusal(ledger, c.NextRound())
    )
    order(ledger, c.CorrectScore(2, 1, tiles=1, round=1), c.NextRound())
    assert [1] == seen(ledger)["winners"]


def test_a_table_may_count_points_instead_of_rounds() -> None:
    """Then hands are scored as in other games."""
    ledger = game(THREE, wins="lowest", rounds=2)
    order(ledger, c.GoOut(1), c.EnterScore(2, 12), c.EnterScore(3, 30))

    assert [0, 12, 30] == row(ledger, "total")
