"""The file of a journal: its tables, the marks it is known by, how rows are written and read.

Every new file of ours is made here, whether it is born, salvaged or restored.
"""

import secrets
import sqlite3
from pathlib import Path

import msgspec

from centerpiece.storage.checksum import of_setting

APPLICATION = 0x63656E74
"""Marks a SQLite file as ours: "cent" in ASCII."""
SCHEMA = 1
"""The format of the file."""
JOURNAL_ID = "journal-id"
"""A setting that every journal is born with: what tells it from every other."""
PAGE = 1024
"""Bytes of a page of our files, which are small: an event is some sixty bytes, and every commit
writes the page it stands on, so a quarter of the usual size is written sooner and spares a card."""

INSERT = "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)"
KEEP = "INSERT OR REPLACE INTO settings VALUES (?, ?, ?)"
NAME = "INSERT OR REPLACE INTO players VALUES (?, ?, ?, ?)"
MOST_NAMES = 1_000
FORGET_NAMES = f"""
DELETE FROM players WHERE name NOT IN
    (SELECT name FROM players ORDER BY seen DESC LIMIT {MOST_NAMES})
"""
# Cast, because a flipped bit may make a value one of another kind, or no text.
EVENTS = """
SELECT seq, CAST(at AS REAL), CAST(step AS INTEGER), CAST(version AS INTEGER),
    CAST(body AS BLOB), CAST(crc AS INTEGER)
FROM events WHERE seq > ? ORDER BY seq LIMIT ?
"""
SETTINGS = "SELECT CAST(key AS BLOB), CAST(value AS BLOB), CAST(crc AS INTEGER) FROM settings"
SETTING = "SELECT CAST(value AS BLOB), CAST(crc AS INTEGER) FROM settings WHERE key = ?"
PLAYERS = """
SELECT CAST(name AS BLOB), CAST(seat AS INTEGER), CAST(seen AS REAL), CAST(crc AS INTEGER)
FROM players
"""

Row = tuple[int, float, int, int, bytes, int]
"""An event as it lies in the file."""
SettingRow = tuple[str, bytes, int]

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
    """A new file of ours without anything in it, open."""
    database = sqlite3.connect(path, isolation_level=None)
    try:
        begin(database)
    except BaseException:
        database.close()
        raise
    return database


def begin(database: sqlite3.Connection) -> None:
    """An empty journal, and what it will be known by."""
    database.executescript(_CREATE)
    database.execute(KEEP, setting(JOURNAL_ID, msgspec.json.encode(secrets.token_hex(8))))


def setting(key: str, value: bytes) -> SettingRow:
    """A setting as it is written down."""
    return key, value, of_setting(key, value)
