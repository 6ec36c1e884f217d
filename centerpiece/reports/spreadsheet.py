"""Tables for a spreadsheet, as CSV."""

import csv
import io
from collections.abc import Iterable

FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""What a text must not begin with, or a spreadsheet takes it for something to calculate."""


def as_csv(rows: Iterable[Iterable[object]]) -> str:
    """One line a row; None is an empty cell, and a name is a name whatever it looks like."""
    written = io.StringIO()
    csv.writer(written, lineterminator="\r\n").writerows(map(_harmless, row) for row in rows)
    return written.getvalue()


def _harmless(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULAS) else cell
