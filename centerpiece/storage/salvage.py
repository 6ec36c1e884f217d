"""What is still whole in a file that is hurt: every row whose checksum fits, and no other.

The hurt file is copied before it is looked at, and never changed. A first page that is lost is
replaced in the copy by that of an empty journal, which lies as ours do: all rows are found again.
"""

import os
import shutil
import sqlite3
import struct
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from centerpiece.storage.checksum import of_event, of_player, of_setting
from centerpiece.storage.files import log_of
from centerpiece.storage.schema import (
    EVENTS,
    INSERT,
    KEEP,
    NAME,
    PAGE,
    PLAYERS,
    SETTINGS,
    Row,
    SettingRow,
    empty,
)

MOST_MISSING = 1_000
"""After so many unreadable rows in a row the rest is not looked for."""
MAGIC = b"SQLite format 3\0"


def fits(row: Row) -> bool:
    """Whether a row is as it was written."""
    try:
        return row[5] == of_event(*row[:5])
    except (TypeError, struct.error):
        return False


class Remains(NamedTuple):
    """All rows of a file that are whole."""

    events: dict[int, Row]
    settings: dict[str, SettingRow]
    players: dict[str, tuple[str, int, float, int]]

    @classmethod
    def of(cls, database: sqlite3.Connection) -> "Remains":
        """What can be read of an open file; a table that cannot be read is an empty one."""
        events = {row[0]: row for row in _whole_events(database)}
        settings, players = {}, {}
        for encoded, value, crc in _as_far_as_it_goes(database, SETTINGS):
            key = encoded.decode(errors="replace")
            if crc == of_setting(key, value):
                settings[key] = (key, value, crc)
        for encoded, seat, seen, crc in _as_far_as_it_goes(database, PLAYERS):
            name = encoded.decode(errors="replace")
            if crc == of_player(name, seat, seen):
                players[name] = (name, seat, seen, crc)
        return cls(events, settings, players)

    def __bool__(self) -> bool:
        return any(self)

    def write(self, database: sqlite3.Connection) -> None:
        """All of it, into a new file."""
        database.execute("BEGIN")
        rows = (self.events[seq] for seq in sorted(self.events))
        database.executemany(INSERT, rows)
        database.executemany(KEEP, self.settings.values())
        database.executemany(NAME, self.players.values())
        database.execute("COMMIT")


def remains(path: Path, log: bool = True) -> Remains:
    """What is whole in a hurt file, and in its log."""
    with _copied(path, log) as copy:
        try:
            with closing(sqlite3.connect(copy)) as database:
                found = Remains.of(database)
        except sqlite3.Error:
            found = Remains({}, {}, {})
        if not found.events:
            # The copy is made again: SQLite may have thrown away a log that did not seem to fit.
            _copy(path, copy, log)
            _replace_first_page(copy)
            with closing(sqlite3.connect(copy)) as database:
                found = Remains.of(database)
        return found


def was_ours(path: Path) -> bool:
    """Whether a file that cannot be opened was a journal: something of ours is still in it, or
    nothing of anybody's, in pages of our size."""
    size = path.stat().st_size
    with path.open("rb") as file:
        foreign = file.read(len(MAGIC)) == MAGIC
    return bool(remains(path)) or (not foreign and size >= PAGE and size % PAGE == 0)


def _whole_events(database: sqlite3.Connection) -> Iterator[Row]:
    after = missing = 0
    while missing < MOST_MISSING:
        try:
            for row in database.execute(EVENTS, (after, -1)):
                after, missing = row[0], 0
                if fits(row):
                    yield row
            return
        except sqlite3.Error:
            after, missing = after + 1, missing + 1


def _as_far_as_it_goes(database: sqlite3.Connection, question: str) -> Iterator[Any]:
    try:
        yield from database.execute(question)
    except sqlite3.Error:
        return


@contextmanager
def _copied(path: Path, log: bool) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix=".salvage-", dir=path.parent) as folder:
        copy = Path(folder) / path.name
        _copy(path, copy, log)
        yield copy


def _copy(path: Path, copy: Path, log: bool) -> None:
    for place in (copy, log_of(copy), copy.with_name(f"{copy.name}-shm")):
        place.unlink(missing_ok=True)
    shutil.copyfile(path, copy)
    if log and log_of(path).exists():
        shutil.copyfile(log_of(path), log_of(copy))


def _replace_first_page(copy: Path) -> None:
    """The page of an empty journal, which says where the tables begin, told the file's size."""
    count = max(1, copy.stat().st_size // PAGE)
    with closing(empty(":memory:")) as fresh:
        told = bytearray(fresh.serialize()[:PAGE])
    told[18:20] = b"\2\2"  # written through a log
    told[28:32] = count.to_bytes(4, "big")
    told[32:40] = bytes(8)  # no page is known to be free
    with copy.open("r+b") as file:
        file.write(told)
        file.flush()
        os.fsync(file.fileno())
