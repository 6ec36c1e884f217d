"""Cached values stay true after in-play events."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import fields, replace

from centerpiece.games.registry import GAMES
from centerpiece.table.commands import Command
from centerpiece.table.scoring import all_missing, sheet, standings
from centerpiece.table.state import Table
from tests.evenings import LiveLedger, tried
from tests.strategies import evenings, wild_commands

PLAYED = {
    *("play", "calls", "announced", "whistles"),
    *("skipped", "turn", "turn_at", "direction"),
}
"""The fields that an in-play event may change."""
SETTLED = [field.name for field in fields(Table) if field.name not in PLAYED]


def settled(table: Table) -> list[Any]:
    return [getattr(table, name) for name in SETTLED]


@given(evenings, st.lists(wild_commands, max_size=20))
def test_an_in_play_event_changes_only_what_is_being_played(
    commands: list[Command], wild: list[Command]
) -> None:
    """So seats, rules, rounds and scores stay the same."""
    ledger, table = LiveLedger(), GAMES.new_table()
    for recorded in tried(ledger, [*commands, *wild]):
        if hasattr(recorded.event, "step") or type(recorded.event).__name__ in ("Undone", "Redone"):
            return
        after = GAMES.evolve(table, recorded.event)
        if recorded.event.in_play:
            assert all(a is b for a, b in zip(settled(table), settled(after), strict=True))
        table = after


@given(evenings)
def test_what_is_kept_is_what_would_be_worked_out_anew(commands: list[Command]) -> None:
    """Also after undo, corrections and changes of players."""
    ledger = LiveLedger()
    for command in commands:
        tried(ledger, [command])
        table = ledger.table
        game, fresh = GAMES.game_of(table), replace(table)
        for compute in (sheet, standings, all_missing):
            assert compute(game, fresh) == compute(game, table)
        assert fresh.players() == table.players()
