"""Tables for a spreadsheet, as CSV."""

import csv
import io
from collections.abc import Iterable

FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""Characters that make a spreadsheet take a text for a formula if it begins with one."""


def as_csv(rows: Iterable[Iterable[object]]) -> str:
    """Return rows as CSV; None is an empty cell, and no text becomes a formula."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(map(_harmless, row) for row in rows)
    return text.getvalue()


def _harmless(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULAS) else cell
