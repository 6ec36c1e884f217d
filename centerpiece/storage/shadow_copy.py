"""A copy in memory of the rows that the next start needs, in case the file is overwritten.

These are the events since the last snapshot, that snapshot, and the journal's random name.
"""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from centerpiece.storage.salvage import Remains, remains
from centerpiece.storage.schema import EVENTS, JOURNAL_ID, SETTING, Row, SettingRow


class ShadowCopy:
    """The rows that must be in the file."""

    def __init__(self) -> None:
        self._events: dict[int, Row] = {}
        self._settings: dict[str, SettingRow] = {}

    def add(self, events: Iterable[Row] = (), settings: Iterable[SettingRow] = ()) -> None:
        self._events.update((row[0], row) for row in events)
        self._settings.update((row[0], row) for row in settings)

    def forget(self, before: int) -> None:
        """Drop events that a snapshot replaces."""
        self._events = {seq: row for seq, row in self._events.items() if seq >= before}

    def is_in(self, path: Path) -> bool:
        """Return whether all rows of the copy are in the file, as a new connection sees it.

        False also if the file cannot be read.
        """
        try:
            with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as other:
                first = min(self._events, default=1)
                events = {row[0]: row for row in other.execute(EVENTS, (first - 1, -1))}
                settings = {
                    key: other.execute(SETTING, (key,)).fetchone() for key in self._settings
                }
        except sqlite3.Error:
            return False
        expected = {key: row[1:] for key, row in self._settings.items()}
        return expected == settings and self._events.items() <= events.items()

    def with_remains_of(self, path: Path) -> Remains:
        """Return the rows of the copy, added to the intact ones of an overwritten file and its log.

        The copy's rows win. If the file is another journal now, its rows are ignored.
        """
        rows, own = remains(path), self._settings.get(JOURNAL_ID)
        if remains(path, log=False).settings.get(JOURNAL_ID, own) != own:
            rows = Remains({}, {}, {})
        return Remains(rows.events | self._events, rows.settings | self._settings, rows.players)
