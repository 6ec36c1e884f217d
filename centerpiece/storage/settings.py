"""What a hub remembers beside its games: names and settings, as one immutable value.

It is read when the hub starts; from then on a new value follows from each entry that is written.
A row that is damaged on the disk counts as missing.
"""

import logging
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import msgspec

from centerpiece.storage.checksum import of_player, of_setting
from centerpiece.storage.journal import Journal, JournalEntry
from centerpiece.storage.schema import JOURNAL_ID, MOST_NAMES, PLAYERS, SETTINGS
from centerpiece.text import NOT_JSON

log = logging.getLogger("centerpiece.storage")

Value = TypeVar("Value")
Players = dict[str, tuple[int, float]]
"""Names, with the seat and when it was."""


class SettingKey(Generic[Value]):
    """A setting: the name it is kept under, its type, and what it is until it is set.

    Values must be immutable: whoever reads one shares it with everybody else.
    """

    def __init__(self, name: str, kind: Any, default: Value) -> None:
        self.name = name
        self.default = default
        self._kind = kind

    def read(self, value: bytes) -> Value:
        """Decode a value; what does not fit any more is the default."""
        try:
            found: Value = msgspec.json.decode(value, type=self._kind, strict=False)
        except NOT_JSON:
            return self.default
        return found


JOURNAL_NAME: SettingKey[str] = SettingKey(JOURNAL_ID, str, "")
"""What tells a journal from every other."""


class Settings:
    """All settings and names, as they are after some entry."""

    def __init__(
        self, values: Mapping[str, bytes], players: Players, read: Mapping[str, Any] | None = None
    ) -> None:
        self._values = values
        self._players = players
        self._read = dict(read or {})
        """Values that were decoded already."""

    @classmethod
    def of(cls, journal: Journal) -> "Settings":
        """Read the settings of a journal."""
        return cls(_values(journal), _players(journal))

    def __getitem__(self, key: SettingKey[Value]) -> Value:
        if key.name not in self._read:
            kept = self._values.get(key.name)
            self._read[key.name] = key.default if kept is None else key.read(kept)
        value: Value = self._read[key.name]
        return value

    def after(self, entry: JournalEntry) -> "Settings":
        """Return the settings after an entry."""
        if not entry.settings and not entry.players:
            return self
        players = {name: (seat, seen) for name, seat, seen in entry.players}
        read = {name: value for name, value in self._read.items() if name not in entry.settings}
        known = self._players | players
        for name in sorted(known, key=lambda name: known[name][1])[:-MOST_NAMES]:
            del known[name]
        return Settings({**self._values, **entry.settings}, known, read)

    def players(self) -> list[str]:
        """Return the names that have played here, the latest first."""
        known = self._players
        return sorted(known, key=lambda name: (-known[name][1], known[name][0]))

    def last_at_seat(self, seat: int) -> str | None:
        """Return who sat at a seat last."""
        return next((name for name in self.players() if self._players[name][0] == seat), None)


def _values(journal: Journal) -> dict[str, bytes]:
    values = {}
    for encoded, value, crc in journal.ask(SETTINGS):
        key = encoded.decode(errors="replace")
        if crc == of_setting(key, value):
            values[key] = value
        else:
            log.error("setting=%s is damaged and left out", key)
    return values


def _players(journal: Journal) -> Players:
    players = {}
    for encoded, seat, seen, crc in journal.ask(PLAYERS):
        if crc == of_player(name := encoded.decode(errors="replace"), seat, seen):
            players[name] = (seat, seen)
    return players
