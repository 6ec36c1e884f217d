"""Undo in a game that does not end: its memory is bounded."""

from centerpiece.games.mexican_train.game import ToggleMarker
from centerpiece.games.registry import GAMES
from centerpiece.storage.journal import Journal
from centerpiece.table import commands as c
from centerpiece.table.undo import MOST_STEPS
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
