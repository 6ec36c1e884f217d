"""Names and settings of a hub as one immutable value.

It is read when the hub starts; each written entry then gives a new value. A row that is damaged on
the disk counts as missing.
"""

import logging
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import msgspec

from centerpiece.storage.errors import CardDamage
from centerpiece.storage.journal import Journal, JournalEntry
from centerpiece.storage.schema import (
    JOURNAL_ID,
    MOST_NAMES,
    PLAYERS,
    SETTINGS,
    intact_players,
    intact_settings,
)
from centerpiece.text import NOT_JSON

log = logging.getLogger("centerpiece.storage")

Value = TypeVar("Value")
Players = dict[str, tuple[int, float]]
"""Seat and time by name."""


class SettingKey(Generic[Value]):
    """A setting's name, type and default.

    Values must be immutable, because all readers share them.
    """

    def __init__(self, name: str, kind: Any, default: Value) -> None:
        self.name = name
        self.default = default
        self._kind = kind

    def read(self, value: bytes) -> Value:
        """Decode a stored value; return the default if it is no JSON or does not fit the type."""
        try:
            decoded: Value = msgspec.json.decode(value, type=self._kind, strict=False)
        except NOT_JSON:
            return self.default
        return decoded


JOURNAL_NAME: SettingKey[str] = SettingKey(JOURNAL_ID, str, "")
"""The random name of a journal."""


class Settings:
    """All settings and names after some entry."""

    def __init__(
        self, values: Mapping[str, bytes], players: Players, read: Mapping[str, Any] | None = None
    ) -> None:
        self._values = values
        self._players = players
        self._read = dict(read or {})
        """The values that are decoded already."""

    @classmethod
    def of(cls, journal: Journal) -> "Settings":
        """Read the settings of a journal; leave out damaged ones, and log that."""
        rows = _readable(journal, SETTINGS)
        values = {key: value for key, value, _ in intact_settings(rows)}
        if len(values) < len(rows):
            log.error("damaged_settings=%d left out", len(rows) - len(values))
        players = intact_players(_readable(journal, PLAYERS))
        return cls(values, {name: (seat, seen) for name, seat, seen, _ in players})

    def __getitem__(self, key: SettingKey[Value]) -> Value:
        """Return a setting's value, or its default if it is missing or no longer fits its type."""
        if key.name not in self._read:
            stored = self._values.get(key.name)
            self._read[key.name] = key.default if stored is None else key.read(stored)
        value: Value = self._read[key.name]
        return value

    def after(self, entry: JournalEntry) -> "Settings":
        """Return the settings and names after `entry`; of the names the latest `MOST_NAMES`.

        An entry without either returns this very object.
        """
        if not entry.settings and not entry.players:
            return self
        players = {name: (seat, seen) for name, seat, seen in entry.players}
        read = {name: value for name, value in self._read.items() if name not in entry.settings}
        names = self._players | players
        for name in sorted(names, key=lambda name: names[name][1])[:-MOST_NAMES]:
            del names[name]
        return Settings({**self._values, **entry.settings}, names, read)

    def players(self) -> list[str]:
        """Return the names that have played here, the latest first."""
        names = self._players
        return sorted(names, key=lambda name: (-names[name][1], names[name][0]))

    def last_at_seat(self, seat: int) -> str | None:
        """Return the name last used at a seat."""
        return next((name for name in self.players() if self._players[name][0] == seat), None)


def _readable(journal: Journal, statement: str) -> list[Any]:
    """Return the rows of a query; none, and a line in the log, if the table is damaged.

    Damage is met only on a disk that cannot be written, where the file cannot be repaired. Raise a
    JournalError if the disk cannot be read.
    """
    try:
        return journal.query(statement)
    except CardDamage as error:
        log.error("left out: %s", error)
        return []
