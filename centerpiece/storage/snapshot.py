"""Snapshots for a quicker recovery: a table with its undo steps at the start or end of a game.

The journal stays the only source. A snapshot names the program that made it and its last events;
one that does not fit exactly is ignored, and the journal is read from its start.
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
"""The packages that determine the table after an event."""


def packed(ledger: Ledger) -> bytes | None:
    """Encode a ledger as a snapshot.

    None if it cannot be resumed from here: before its first step, and right after an undo or redo.
    """
    bookmark = ledger.bookmark()
    if bookmark is None:
        return None
    return msgspec.json.encode({"program": program(ledger.game_set), "mark": bookmark})


def unpacked(
    snapshot: bytes, game_set: GameSet, of_any_program: bool = False
) -> tuple[Ledger, tuple[Event, ...]] | None:
    """Decode a snapshot to its ledger and the events of its last step; None if it is invalid.

    Also None if another program wrote it, unless `of_any_program` is set.
    """
    try:
        document = msgspec.json.decode(snapshot)
        if document["program"] != program(game_set) and not of_any_program:
            return None
        bookmark = _bookmark(document["mark"], game_set)
        return Ledger.resumed(game_set, bookmark), bookmark.steps[-1][1]
    except (*NOT_JSON, LookupError, TypeError, ValueError):
        return None


def _bookmark(document: dict[str, Any], game_set: GameSet) -> Bookmark:
    table = game_set.read_table(document["table"])
    event: Any = game_set.any_event
    kind = tuple[tuple[int, tuple[event, ...]], ...]
    return Bookmark(document["seq"], table, msgspec.convert(document["steps"], kind, str_keys=True))


@cache
def program(game_set: GameSet) -> int:
    """Return a checksum of the code that applies events, other packages' games included.

    A snapshot of another program is not trusted: the same events may give another table.
    """
    package = Path(__file__).parents[1]
    checksum = 0
    for path in (*(package / name for name in _PURE), *_other_packages(game_set)):
        for source in sorted(path.glob("**/*.py")) if path.is_dir() else [path]:
            checksum = crc32(source.read_bytes(), checksum)
    return checksum


def _other_packages(game_set: GameSet) -> Iterator[Path]:
    """Yield the folder, or single file, of each other package that brings a game."""
    packages = {type(game).__module__.partition(".")[0] for game in game_set.games.values()}
    for package in sorted(packages - {__name__.partition(".")[0]}):
        module = sys.modules[package]
        yield from map(Path, getattr(module, "__path__", [module.__file__]))
