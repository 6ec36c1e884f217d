"""What a hub remembers beside its games: names and settings. Same file, no history."""

import sqlite3
from collections.abc import Mapping
from typing import Any

import msgspec

from centerpiece.storage.journal import Journal, not_saved


class Settings:
    """The small things in the journal's file."""

    def __init__(self, journal: Journal) -> None:
        self._database = journal.database

    def setting(self, key: str, default: Any = None) -> Any:
        """A remembered value."""
        rows = self._read("SELECT value FROM settings WHERE key = ?", key)
        return msgspec.json.decode(rows[0][0]) if rows else default

    def set_setting(self, key: str, value: Any) -> None:
        """Remember a value."""
        self._write(
            "INSERT INTO settings VALUES (?, ?) "
            "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (key, msgspec.json.encode(value)),
        )

    def remember_players(self, seats: Mapping[int, str], at: float) -> None:
        """Keep names for the next evening, with the seats they had: one write for all of them."""
        if not seats:
            return
        rows = [value for seat, name in seats.items() for value in (name, seat, at)]
        self._write(
            f"INSERT INTO players VALUES {', '.join(['(?, ?, ?)'] * len(seats))} "
            "ON CONFLICT (name) DO UPDATE SET seat = excluded.seat, seen = excluded.seen",
            tuple(rows),
        )

    def players(self) -> list[str]:
        """Names that have played here, the latest first."""
        rows = self._read("SELECT name FROM players ORDER BY seen DESC, seat")
        return [name for (name,) in rows]

    def last_at_seat(self, seat: int) -> str | None:
        """Who sat there last."""
        rows = self._read(
            "SELECT name FROM players WHERE seat = ? ORDER BY seen DESC LIMIT 1", seat
        )
        return str(rows[0][0]) if rows else None

    def _read(self, statement: str, *values: Any) -> list[Any]:
        """Whoever asks cannot do what they wanted: to them it is as if it could not be saved."""
        try:
            return self._database.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise not_saved(error) from error

    def _write(self, statement: str, values: tuple[Any, ...]) -> sqlite3.Cursor:
        try:
            return self._database.execute(statement, values)
        except sqlite3.Error as error:
            raise not_saved(error) from error
