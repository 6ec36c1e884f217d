"""A shortcut for recovery: the table and what can be undone, as they were when a game began.

The journal stays the only truth. A snapshot says which program made it and which events were its
last; one that does not fit in every respect is ignored, and the journal is read from its start.
Where the bytes are kept is the journal's business.
"""

from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import msgspec

from centerpiece.table.books import Books
from centerpiece.table.events import Event
from centerpiece.table.undo import Bookmark, Ledger

_PURE = ("games", "rules", "table")
"""The packages that decide what a table is after an event."""


def packed(ledger: Ledger) -> bytes | None:
    """The ledger as bytes; None at a moment that a snapshot does not cover."""
    mark = ledger.bookmark()
    return None if mark is None else msgspec.json.encode({"program": program(), "mark": mark})


def unpacked(snapshot: bytes, books: Books) -> tuple[Ledger, tuple[Event, ...]] | None:
    """The ledger and its last events; None if another program wrote it, or it makes no sense."""
    try:
        document = msgspec.json.decode(snapshot)
        if document["program"] != program():
            return None
        mark = _mark(document["mark"], books)
        return Ledger.resumed(books, mark), mark.steps[-1][1]
    except (msgspec.MsgspecError, LookupError, TypeError, ValueError):
        return None


def _mark(document: dict[str, Any], books: Books) -> Bookmark:
    table = books.read_table(document["table"])
    event: Any = books.any_event
    kind = tuple[tuple[int, tuple[event, ...]], ...]
    return Bookmark(document["seq"], table, msgspec.convert(document["steps"], kind, str_keys=True))


@cache
def program() -> int:
    """A fingerprint of the code: with other code the same events may make another table."""
    mark = 0
    for package in _PURE:
        for source in sorted((Path(__file__).parents[1] / package).glob("**/*.py")):
            mark = crc32(source.read_bytes(), mark)
    return mark
