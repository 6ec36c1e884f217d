"""Tables for a spreadsheet, as CSV."""

import csv
import io
import re
from collections.abc import Iterable

_SIGNS = "=+\\-@\uff1d\uff0b\uff0d\uff20"
"""What a formula begins with, in plain and in full width."""
_FORMULA = re.compile(rf'^(?=\s*[{_SIGNS}]|[\t\r])|(?<=[,;\t\r\n])(?=[\s"]*[{_SIGNS}])')
"""Places at which a spreadsheet could take a text for a formula: its beginning, and after each
character that separates cells in some country, whether it is quoted or not."""


def as_csv(rows: Iterable[Iterable[object]]) -> str:
    """Return rows as CSV; None is an empty cell, and no text becomes a formula."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(map(_harmless, row) for row in rows)
    return text.getvalue()


def _harmless(cell: object) -> object:
    return _FORMULA.sub("'", cell) if isinstance(cell, str) else cell
