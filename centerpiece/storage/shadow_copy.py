"""What the next start needs, known by heart in case the file is overwritten under a running hub:
the events since the last snapshot, that snapshot, and the journal's own name."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from centerpiece.storage.salvage import Remains, remains
from centerpiece.storage.schema import EVENTS, JOURNAL_ID, SETTING, Row, SettingRow


class ShadowCopy:
    """Rows that are in the file, if nobody else has written to it."""

    def __init__(self) -> None:
        self._events: dict[int, Row] = {}
        self._settings: dict[str, SettingRow] = {}

    def add(self, events: Iterable[Row] = (), settings: Iterable[SettingRow] = ()) -> None:
        """These are in the file now."""
        self._events.update((row[0], row) for row in events)
        self._settings.update((row[0], row) for row in settings)

    def forget(self, before: int) -> None:
        """A snapshot stands for the events before this one."""
        self._events = {seq: row for seq, row in self._events.items() if seq >= before}

    def are_in(self, path: Path) -> bool:
        """Whether another program would find all of them in the file."""
        try:
            with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as other:
                first = min(self._events, default=1)
                events = {row[0]: row for row in other.execute(EVENTS, (first - 1, -1))}
                settings = {
                    key: other.execute(SETTING, (key,)).fetchone() for key in self._settings
                }
        except sqlite3.Error:
            return False
        wanted = {key: row[1:] for key, row in self._settings.items()}
        return wanted == settings and self._events.items() <= events.items()

    def with_remains_of(self, path: Path) -> Remains:
        """All of them, and what is still ours in an overwritten file and its log.

        Nothing of a file that is another journal now.
        """
        found, own = remains(path), self._settings.get(JOURNAL_ID)
        if remains(path, log=False).settings.get(JOURNAL_ID, own) != own:
            found = Remains({}, {}, {})
        return Remains(found.events | self._events, found.settings | self._settings, found.players)
