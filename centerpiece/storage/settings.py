"""What a hub remembers beside its games: names and settings. Same file, no history.

A row that has changed on the disk is as good as forgotten.
"""

import contextlib
import logging
import sqlite3
from collections.abc import Mapping
from typing import Any

import msgspec

from centerpiece.storage.checksum import of_player, of_setting
from centerpiece.storage.journal import Journal, not_saved

log = logging.getLogger("centerpiece.storage")

PHONES = "phones"
"""Under this name the phones are remembered that may write."""
_SETTING = "SELECT CAST(value AS BLOB), CAST(crc AS INTEGER) FROM settings WHERE key = ?"
_PLAYERS = """
SELECT CAST(name AS BLOB), CAST(seat AS INTEGER), CAST(seen AS REAL), CAST(crc AS INTEGER)
FROM players
"""


class Settings:
    """The small things in the journal's file."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def setting(self, key: str, default: Any = None) -> Any:
        """A remembered value."""
        for value, crc in self._read(_SETTING, key):
            with contextlib.suppress(msgspec.MsgspecError, UnicodeDecodeError):
                if crc == of_setting(key, value):
                    return msgspec.json.decode(value)
            log.error("setting=%s is damaged and left out", key)
        return default

    def set_setting(self, key: str, value: Any) -> None:
        """Remember a value."""
        encoded = msgspec.json.encode(value)
        self._write(
            "INSERT OR REPLACE INTO settings VALUES (?, ?, ?)",
            (key, encoded, of_setting(key, encoded)),
        )

    def remember_players(self, seats: Mapping[int, str], at: float) -> None:
        """Keep names for the next evening, with the seats they had: one write for all of them."""
        if not seats:
            return
        rows = [(name, seat, at, of_player(name, seat, at)) for seat, name in seats.items()]
        self._write(
            f"INSERT OR REPLACE INTO players VALUES {', '.join(['(?, ?, ?, ?)'] * len(rows))}",
            tuple(value for row in rows for value in row),
        )

    def players(self) -> list[str]:
        """Names that have played here, the latest first."""
        return self._names(_PLAYERS + "ORDER BY seen DESC, seat")

    def last_at_seat(self, seat: int) -> str | None:
        """Who sat there last."""
        names = self._names(_PLAYERS + "WHERE seat = ? ORDER BY seen DESC LIMIT 1", seat)
        return names[0] if names else None

    def _names(self, statement: str, *values: Any) -> list[str]:
        names = []
        for encoded, seat, seen, crc in self._read(statement, *values):
            if crc == of_player(name := encoded.decode(errors="replace"), seat, seen):
                names.append(name)
        return names

    def _read(self, statement: str, *values: Any) -> list[Any]:
        """Whoever asks cannot do what they wanted: to them it is as if it could not be saved."""
        try:
            return self._journal.database.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise not_saved(error) from error

    def _write(self, statement: str, values: tuple[Any, ...]) -> sqlite3.Cursor:
        self._journal.keep_place()
        try:
            return self._journal.database.execute(statement, values)
        except sqlite3.Error as error:
            raise not_saved(error) from error
