"""Every shared command and event is handled."""

from centerpiece.table import commands as c
from centerpiece.table import decide
from centerpiece.table import events as e
from centerpiece.table.undo import LEDGER_EVENTS


def test_somebody_decides_about_every_order_that_all_games_share() -> None:
    """Each exactly once; only undo and redo belong to the ledger."""
    decided = [*decide.BY_TABLE, *decide.BY_GAME, *decide.BY_GAME_SET]

    assert {*c.SHARED} - {c.Undo, c.Redo} == set(decided)
    assert len(set(decided)) == len(decided)


def test_every_event_that_all_games_share_has_an_effect() -> None:
    """Except events about other events, and those that are only announced."""
    without_effect = {event for event in e.SHARED if event.apply is e.Event.apply}

    assert LEDGER_EVENTS | {e.RulesAgreed, e.WinnersChanged} == without_effect
