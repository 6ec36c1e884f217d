"""A shortcut for recovery: the table and what can be undone, as they were when a game began.

The journal stays the only truth. A snapshot says which program made it and which events were its
last; one that does not fit in every respect is ignored, and the journal is read from its start.
Where the bytes are kept is the journal's business.
"""

import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import msgspec

from centerpiece.table.events import Event
from centerpiece.table.game_set import GameSet
from centerpiece.table.undo import Bookmark, Ledger
from centerpiece.text import NOT_JSON

_PURE = ("games", "rules", "table")
"""The packages that decide what a table is after an event."""


def packed(ledger: Ledger) -> bytes | None:
    """The ledger as bytes; None at a moment that a snapshot does not cover."""
    mark = ledger.bookmark()
    if mark is None:
        return None
    return msgspec.json.encode({"program": program(ledger.game_set), "mark": mark})


def unpacked(
    snapshot: bytes, game_set: GameSet, of_any_program: bool = False
) -> tuple[Ledger, tuple[Event, ...]] | None:
    """The ledger and its last events; None if another program wrote it, or it makes no sense."""
    try:
        document = msgspec.json.decode(snapshot)
        if document["program"] != program(game_set) and not of_any_program:
            return None
        mark = _mark(document["mark"], game_set)
        return Ledger.resumed(game_set, mark), mark.steps[-1][1]
    except (*NOT_JSON, LookupError, TypeError, ValueError):
        return None


def _mark(document: dict[str, Any], game_set: GameSet) -> Bookmark:
    table = game_set.read_table(document["table"])
    event: Any = game_set.any_event
    kind = tuple[tuple[int, tuple[event, ...]], ...]
    return Bookmark(document["seq"], table, msgspec.convert(document["steps"], kind, str_keys=True))


@cache
def program(game_set: GameSet) -> int:
    """A fingerprint of the code: with other code the same events may make another table."""
    house = Path(__file__).parents[1]
    mark = 0
    for place in (*(house / package for package in _PURE), *_elsewhere(game_set)):
        for source in sorted(place.glob("**/*.py")) if place.is_dir() else [place]:
            mark = crc32(source.read_bytes(), mark)
    return mark


def _elsewhere(game_set: GameSet) -> Iterator[Path]:
    """Where the code of other packages is that bring a game: folders, or single files."""
    packages = {type(game).__module__.partition(".")[0] for game in game_set.games.values()}
    for package in sorted(packages - {__name__.partition(".")[0]}):
        module = sys.modules[package]
        yield from map(Path, getattr(module, "__path__", [module.__file__]))
