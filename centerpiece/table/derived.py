"""Values derived from a table: computed at most once, kept on the table, gone with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, TypeVar

from centerpiece.table.state import Table

if TYPE_CHECKING:
    from centerpiece.table.game import Game

Value = TypeVar("Value")


def derived(compute: Callable[[Game, Table], Value]) -> Callable[[Game, Table], Value]:
    """Keep the result of a pure function of a game and its table on the table."""
    key = f"{compute.__module__}.{compute.__qualname__}"

    @wraps(compute)
    def kept(game: Game, table: Table) -> Value:
        known = table.__dict__
        if key not in known:
            known[key] = compute(game, table)
        value: Value = known[key]
        return value

    return kept
