"""Undo in a game that does not end: its memory is bounded."""

import pytest

from centerpiece.games.mexican_train.game import ToggleMarker
from centerpiece.games.registry import GAMES
from centerpiece.storage.journal import Journal
from centerpiece.table import commands as c
from centerpiece.table.undo import MOST_STEPS
from centerpiece.text import Refused
from tests.evenings import FOUR, LiveLedger, opened, order


def test_an_endless_game_remembers_its_last_actions_and_no_more() -> None:
    """Undo goes back thousands of presses; earlier ones stay."""
    ledger = opened()
    for _ in range(3 * MOST_STEPS):
        order(ledger, ToggleMarker(2))
        assert len(ledger.past) <= MOST_STEPS
    undone = 0
    while ledger.past:
        order(ledger, c.Undo())
        undone += 1

    assert MOST_STEPS // 2 <= undone <= MOST_STEPS


def test_what_undo_remembers_is_the_same_after_a_power_cut() -> None:
    """The bound follows from the events alone, so recovery applies it alike."""
    ledger, journal = LiveLedger(), Journal(":memory:", GAMES)
    journal.append(order(ledger, c.OpenTable("mexican-train/classic", FOUR, 12)))
    journal.append(order(ledger, *[ToggleMarker(2)] * (MOST_STEPS + 10)))
    journal.append(order(ledger, c.Undo(), c.Undo(), c.Redo(), ToggleMarker(1), c.Undo()))

    recovered = journal.recover(GAMES)

    assert (ledger.table, ledger.past, ledger.future) == (
        recovered.table,
        recovered.past,
        recovered.future,
    )


def test_a_player_takes_back_their_own_hand_while_hands_are_counted() -> None:
    """Eve's hand, entered later, stays; redo brings one's own back."""
    ledger = opened()
    order(ledger, c.GoOut(1), c.EnterScore(2, pips=12), c.EnterScore(3, pips=34))
    assert {2: "Bob has 12 in round 1.", 3: "Cara has 34 in round 1."} == {
        seat: str(told) for seat, told in ledger.hands_told().items()
    }

    order(ledger, c.Undo(seat=2))

    assert "Undone: Bob has 12 in round 1." == str(ledger.notice())
    assert [3] == list(ledger.hands_told())
    assert "Bob has 12 in round 1." == str(ledger.redo_told())
    order(ledger, c.Redo())
    assert "Bob has 12 in round 1." == str(ledger.undo_told())


def test_own_hands_are_of_this_round_only() -> None:
    """Once the next round is dealt, undo has one meaning for everybody."""
    ledger = opened()
    order(ledger, c.GoOut(1), *(c.EnterScore(seat, pips=5) for seat in (2, 3, 4)), c.NextRound())

    assert {} == ledger.hands_told()
    with pytest.raises(Refused):
        order(ledger, c.Undo(seat=2))
