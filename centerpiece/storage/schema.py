"""The schema of a journal file: tables, identification, SQL, and rows with their checksums."""

import secrets
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from struct import error as StructError

import msgspec

from centerpiece.storage.checksum import of_event, of_player, of_setting

APPLICATION = 0x63656E74
"""SQLite's application id of our files: "cent" in ASCII."""
SCHEMA = 1
"""The version of the schema."""
JOURNAL_ID = "journal-id"
"""The setting with the random name of a journal."""
PAGE = 1024
"""Bytes of a database page, a quarter of the usual size: every commit writes the whole page of an
event of some sixty bytes, so a small page is faster and spares the card."""

INSERT = "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)"
ADD = "INSERT OR IGNORE INTO events VALUES (?, ?, ?, ?, ?, ?)"
KEEP = "INSERT OR REPLACE INTO settings VALUES (?, ?, ?)"
NAME = "INSERT OR REPLACE INTO players VALUES (?, ?, ?, ?)"
MOST_NAMES = 1_000
FORGET_NAMES = f"""
DELETE FROM players WHERE name NOT IN
    (SELECT name FROM players ORDER BY seen DESC LIMIT {MOST_NAMES})
"""
# Cast, because a flipped bit may change a value's type or make it invalid text.
EVENTS = """
SELECT seq, CAST(at AS REAL), CAST(step AS INTEGER), CAST(version AS INTEGER),
    CAST(body AS BLOB), CAST(crc AS INTEGER)
FROM events WHERE seq > ? ORDER BY seq LIMIT ?
"""
# Coalesced, because it may also turn a value into NULL.
SETTINGS = """
SELECT coalesce(CAST(key AS BLOB), x''), coalesce(CAST(value AS BLOB), x''), CAST(crc AS INTEGER)
FROM settings
"""
SETTING = """
SELECT coalesce(CAST(value AS BLOB), x''), CAST(crc AS INTEGER) FROM settings WHERE key = ?
"""
PLAYERS = """
SELECT coalesce(CAST(name AS BLOB), x''), coalesce(CAST(seat AS INTEGER), 0),
    coalesce(CAST(seen AS REAL), 0.0), CAST(crc AS INTEGER)
FROM players
"""

Row = tuple[int, float, int, int, bytes, int]
"""An event as it is stored."""
SettingRow = tuple[str, bytes, int]
PlayerRow = tuple[str, int, float, int]

_CREATE = """
PRAGMA page_size = %d;
BEGIN;
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    step INTEGER NOT NULL,
    version INTEGER NOT NULL,
    body BLOB NOT NULL,
    crc INTEGER NOT NULL
);
CREATE TABLE settings (
    key TEXT PRIMARY KEY, value BLOB NOT NULL, crc INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE players (
    name TEXT PRIMARY KEY, seat INTEGER NOT NULL, seen REAL NOT NULL, crc INTEGER NOT NULL
) WITHOUT ROWID;
PRAGMA application_id = %d;
PRAGMA user_version = %d;
COMMIT;
""" % (PAGE, APPLICATION, SCHEMA)  # noqa: UP031


def empty(path: Path | str) -> sqlite3.Connection:
    """Create a file with empty tables and return the connection to it."""
    database = sqlite3.connect(path, isolation_level=None)
    try:
        begin(database)
    except BaseException:
        database.close()
        raise
    return database


def begin(database: sqlite3.Connection) -> None:
    """Create the tables and the journal's random name."""
    database.executescript(_CREATE)
    database.execute(KEEP, setting(JOURNAL_ID, msgspec.json.encode(secrets.token_hex(8))))


def setting(key: str, value: bytes) -> SettingRow:
    return key, value, of_setting(key, value)


def is_intact(row: Row) -> bool:
    """Return whether the checksum in an event's row is that of the row's other columns."""
    try:
        return row[5] == of_event(*row[:5])
    except (TypeError, StructError):
        return False


def intact_settings(rows: Iterable[tuple[bytes, bytes, int]]) -> Iterator[SettingRow]:
    """Yield those rows of the query `SETTINGS` whose checksum matches, with the key as text."""
    for encoded, value, crc in rows:
        key = encoded.decode(errors="replace")
        if crc == of_setting(key, value):
            yield key, value, crc


def intact_players(rows: Iterable[tuple[bytes, int, float, int]]) -> Iterator[PlayerRow]:
    """Yield those rows of the query `PLAYERS` whose checksum matches, with the name as text."""
    for encoded, seat, seen, crc in rows:
        name = encoded.decode(errors="replace")
        if crc == of_player(name, seat, seen):
            yield name, seat, seen, crc
