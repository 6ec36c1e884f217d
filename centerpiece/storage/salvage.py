"""What is still whole in a file that is hurt: every row whose checksum fits, and no other.

The hurt file is copied before it is looked at, and never changed. Its log is played into the copy
past damaged frames, where SQLite would stop. A first page that is lost is replaced in the copy by
that of an empty journal, which lies as ours do: all rows are found again.
"""

import os
import shutil
import sqlite3
import struct
import tempfile
from collections import Counter
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
LOG_HEADER = 32
FRAME = 24 + PAGE
"""Bytes of a frame of the log: its page's number, the file's pages if it ends a commit, the log's
salts, a checksum over all frames so far, and the page."""
MOST_MENDED = 4
"""Damaged frames in which a flipped bit is looked for; it takes a second on a slow core."""
TABLE_LEAF = 0x0D
"""The first byte of a page with rows of events, which our files have from their second page on."""
_FRAME_WORDS = struct.Struct(f"<{(8 + PAGE) // 4}I").unpack
_CHECKSUM = struct.Struct(">2I")


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

    def up_to_a_whole_action(self, sure: int, acknowledged: int) -> "Remains":
        """Leave out an action after the event that is sure, if a part of it may be missing."""
        last = self.events.get(max(self.events, default=0))
        if last is None or last[0] >= acknowledged:
            return self
        events = {seq: row for seq, row in self.events.items() if seq <= sure or row[2] != last[2]}
        return self._replace(events=events)

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
    with _folder_beside(path) as copy:
        frames = _copy(path, copy, log)
        try:
            with closing(sqlite3.connect(copy)) as database:
                found = Remains.of(database)
        except sqlite3.Error:
            found = Remains({}, {}, {})
        if not found.events:
            _replace_first_page(copy)
            with closing(sqlite3.connect(copy)) as database:
                found = Remains.of(database)
        # A page that says where others are may be the one that is damaged.
        return found._replace(events=found.events | {row[0]: row for row in _rows_in(frames)})


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
def _folder_beside(path: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix=".salvage-", dir=path.parent) as folder:
        yield Path(folder) / path.name


def _copy(path: Path, copy: Path, log: bool) -> list[bytes]:
    """Copy a file, and write what its log holds into the copy; the frames of the log."""
    shutil.copyfile(path, copy)
    frames = []
    if log and log_of(path).exists():
        frames = list(_whole_frames(log_of(path).read_bytes()))
    while frames and not any(frames[-1][4:8]):
        frames.pop()  # no commit ended it
    if frames:
        _play(frames, copy)
    return frames


def _play(frames: list[bytes], copy: Path) -> None:
    pages = copy.stat().st_size // PAGE + len(frames)
    with copy.open("r+b") as file:
        for frame in frames:
            number = int.from_bytes(frame[:4], "big")
            if 0 < number <= pages:
                file.seek((number - 1) * PAGE)
                file.write(frame[24:])
        # The first page may be of an older commit than the others.
        size = file.seek(0, os.SEEK_END) // PAGE
        file.seek(24)
        changes = file.read(4)
        file.seek(28)
        file.write(size.to_bytes(4, "big"))
        file.seek(92)
        file.write(changes)


def _rows_in(frames: list[bytes]) -> Iterator[Row]:
    """All events on pages of a log, each page looked at by itself."""
    with closing(empty(":memory:")) as fresh:
        told = fresh.serialize()
    for page in dict.fromkeys(frame[24:] for frame in frames if frame[24] == TABLE_LEAF):
        with closing(sqlite3.connect(":memory:")) as database:
            database.deserialize(told[:PAGE] + page + told[2 * PAGE :])
            yield from _whole_events(database)


def _whole_frames(log: bytes) -> Iterator[bytes]:
    """The frames that are as they were written.

    Each checksum goes on from the one before it, so every frame can be judged by itself, and a
    single flipped bit be found. Frames with other salts are left from an earlier time.
    """
    places = range(LOG_HEADER, len(log) - FRAME + 1, FRAME)
    salts = Counter([log[16:24], *(log[at + 8 : at + 16] for at in places[:2])])
    salt = max(salts, key=lambda each: salts[each])
    before, mended = [log[24:LOG_HEADER]], 0
    for at in places:
        frame = log[at : at + FRAME]
        if (_number(frame[8:16]) ^ _number(salt)).bit_count() > 1:
            continue
        right = [_checksum(each, frame) for each in before]
        if frame[16:24] in right:
            yield frame
            right = []
        elif mended < MOST_MENDED:
            mended += 1
            yield from _mended(before[0], frame)
        # The flipped bit may be in the frame's own checksum, from which the next one goes on.
        before = [frame[16:24], *right]


def _mended(before: bytes, frame: bytes) -> Iterator[bytes]:
    """The frame with one bit turned back, in each way that makes it fit. There may be several:
    the rows on it tell which is the right one."""
    number = _number(frame)
    for bit in range(8 * FRAME):
        tried = (number ^ 1 << bit).to_bytes(FRAME, "big")
        if tried[16:24] == _checksum(before, tried):
            yield tried


def _number(some: bytes) -> int:
    return int.from_bytes(some, "big")


def _checksum(before: bytes, frame: bytes) -> bytes:
    one, two = _CHECKSUM.unpack(before)
    words = _FRAME_WORDS(frame[:8] + frame[24:])
    for first, second in zip(words[::2], words[1::2], strict=True):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return _CHECKSUM.pack(one, two)


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
