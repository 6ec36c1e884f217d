"""Values derived from a table: computed at most once, kept on the table, gone with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from centerpiece.table.state import Table

if TYPE_CHECKING:
    from centerpiece.table.game import Game

Value = TypeVar("Value")
Compute = Callable[["Game", Table], Value]


def derived(compute: Compute[Value]) -> Compute[Value]:
    """Return `compute`, a pure function of game and table, with its results cached on the table."""
    return _cached(compute, lambda table: table.__dict__)


def derived_from_sheet(compute: Compute[Value]) -> Compute[Value]:
    """Return `compute` with its results cached; the tables after `in_play` events share them."""
    return _cached(compute, lambda table: table.sheet_cache)


def _cached(compute: Compute[Value], cache_of: Callable[[Table], dict[Any, Any]]) -> Compute[Value]:
    @wraps(compute)
    def cached(game: Game, table: Table) -> Value:
        cache = cache_of(table)
        if compute not in cache:
            cache[compute] = compute(game, table)
        value: Value = cache[compute]
        return value

    return cached
