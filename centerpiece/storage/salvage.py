"""Recovering the intact rows of a damaged journal file, those whose checksum matches.

Only a copy is read; the damaged file is never changed. The write-ahead log is applied to the copy
past damaged frames, where SQLite would stop. A lost first page is replaced in the copy by that of
an empty journal: all our files have the same layout, so its pointers to the tables are right.
Pages that no other page points to any more are read one by one.
"""

import os
import shutil
import sqlite3
import struct
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from centerpiece.storage.errors import kind_of
from centerpiece.storage.files import log_of
from centerpiece.storage.schema import (
    ADD,
    EVENTS,
    INSERT,
    KEEP,
    NAME,
    PAGE,
    PLAYERS,
    SETTINGS,
    PlayerRow,
    Row,
    SettingRow,
    empty,
    intact_players,
    intact_settings,
    is_intact,
)
from centerpiece.text import Sentence

MOST_MISSING = 20_000
"""Unreadable rows in succession after which reading stops; a page that points to others may hide
some thousand."""
MAGIC = b"SQLite format 3\0"
LOG_HEADER = 32
FRAME = 24 + PAGE
"""Bytes of a log frame: page number, number of pages in the file if it ends a commit, the log's
salts, a checksum over all frames so far, and the page."""
MOST_MENDED = 4
"""Damaged frames in which a flipped bit is searched; each takes a second on a slow core."""
LARGEST_LOG = 4 * 1024 * 1024
"""Bytes of a log that is searched for a backup; a hub's has a sixteenth of that."""
TABLE_LEAF = 0x0D
"""The first byte of a page that holds table rows; for events, this is any page but the first."""
MOST_CELLS = PAGE // 24
"""More events than fit a page; one that says that it has more is damaged, or made to take time."""
_FRAME_WORDS = struct.Struct(f"<{(8 + PAGE) // 4}I").unpack
_CHECKSUM = struct.Struct(">2I")


class Remains(NamedTuple):
    """All intact rows of a file."""

    events: dict[int, Row]
    settings: dict[str, SettingRow]
    players: dict[str, PlayerRow]

    @classmethod
    def of(cls, database: sqlite3.Connection) -> "Remains":
        """Read the intact rows of an open file; settings and names only up to the first error."""
        settings = intact_settings(readable(database, SETTINGS))
        players = intact_players(readable(database, PLAYERS))
        return cls(
            {row[0]: row for row in _intact_events(database)},
            {row[0]: row for row in settings},
            {row[0]: row for row in players},
        )

    def __bool__(self) -> bool:
        return any(self)

    def up_to_a_whole_action(self, sure: int, acknowledged: int) -> "Remains":
        """Return the rows without the last action, if events lost after it may belong to it.

        Events are lost if the last one's number is below `acknowledged`. Events up to number `sure`
        stay in any case.
        """
        last = self.events.get(max(self.events, default=0))
        if last is None or last[0] >= acknowledged:
            return self
        events = {seq: row for seq, row in self.events.items() if seq <= sure or row[2] != last[2]}
        return self._replace(events=events)

    def write(self, database: sqlite3.Connection) -> None:
        """Write all rows to a database with empty tables, in one transaction."""
        database.execute("BEGIN")
        rows = (self.events[seq] for seq in sorted(self.events))
        database.executemany(INSERT, rows)
        database.executemany(KEEP, self.settings.values())
        database.executemany(NAME, self.players.values())
        database.execute("COMMIT")


def remains(
    path: Path, log: bool = True, bound: Callable[[sqlite3.Connection], None] | None = None
) -> Remains:
    """Return the intact rows of a damaged file and, unless `log` is False, of its log.

    A copy is read; the file itself is not changed. `bound` is called with each connection before
    anything is read through it, to limit it. Raise OSError if there is no room for the copy.
    """

    def rows_of(copy: Path) -> Remains:
        with closing(sqlite3.connect(copy)) as database:
            if bound is not None:
                bound(database)
            return Remains.of(database)

    with _folder_beside(path) as copy:
        frames = _copy(path, copy, log)
        try:
            rows = rows_of(copy)
        except (sqlite3.Error, UnicodeDecodeError):
            rows = Remains({}, {}, {})
        if not rows.events:
            _replace_first_page(copy)
            rows = rows_of(copy)
        # A damaged interior page hides the pages below it, so read them by themselves.
        found = {row[0]: row for row in (*_events_in(frames), *_events_by_page(copy, bound))}
        return rows._replace(events=rows.events | found)


def add_missing(
    path: Path,
    target: sqlite3.Connection,
    lost: Sentence | None,
    bound: Callable[[sqlite3.Connection], None] | None = None,
) -> Sentence | None:
    """Add the intact events of the file `path` and its log that the copy `target` lacks.

    `lost` has the first and last number of the acknowledged events that are missing; return those
    still missing afterwards, None if none are. `lost` is returned unchanged, and nothing added, if
    the log is huge or there is no room to look at the file. `bound` limits each connection before
    it reads.
    """
    try:
        if log_of(path).exists() and log_of(path).stat().st_size > LARGEST_LOG:
            return lost
        intact = remains(path, bound=bound)
    except OSError:  # no room to look at it
        return lost
    first, last = 0, 0
    if lost is not None:
        first, last = int(str(lost.facts["first"])), int(str(lost.facts["last"]))
        intact = intact.up_to_a_whole_action(first - 1, last)
    target.executemany(ADD, [intact.events[seq] for seq in sorted(intact.events)])
    if lost is None:
        return None
    known = max((first - 1, *intact.events))
    return None if known >= last else replace(lost, facts={"first": known + 1, "last": last})


def was_ours(path: Path) -> bool:
    """Return whether a file that cannot be opened was a journal: it holds intact rows of ours, or
    it has whole pages and not the header of another SQLite file."""
    size = path.stat().st_size
    with path.open("rb") as file:
        foreign = file.read(len(MAGIC)) == MAGIC
    return bool(remains(path)) or (not foreign and size >= PAGE and size % PAGE == 0)


def _intact_events(database: sqlite3.Connection, most: int = MOST_MISSING) -> Iterator[Row]:
    return filter(is_intact, readable_events(database, most))


def readable_events(database: sqlite3.Connection, most: int = MOST_MISSING) -> Iterator[Row]:
    """Yield the events of all pages that can be read, in ascending order, intact or not.

    Stop after `most` unreadable events in succession. Raise sqlite3.Error only when the time set
    for the connection is up.
    """
    after = missing = 0
    while missing < most:
        try:
            for row in database.execute(EVENTS, (after, -1)):
                if row[0] <= after:
                    raise sqlite3.DatabaseError("the rows are not in order")
                after, missing = row[0], 0
                yield row
            return
        except sqlite3.Error as error:
            if kind_of(error) == sqlite3.SQLITE_INTERRUPT:
                raise
            after, missing = _next(database, after), missing + 1


def _next(database: sqlite3.Connection, after: int) -> int:
    """Return the number of the event that follows `after`; `after` + 1 if SQLite cannot tell."""
    with suppress(sqlite3.Error):
        found = database.execute("SELECT min(seq) FROM events WHERE seq > ?", (after,)).fetchone()
        return max(after + 1, found[0] or 0)
    return after + 1


def readable(database: sqlite3.Connection, query: str) -> Iterator[Any]:
    """Yield the rows of a query, and end silently at the first error."""
    try:
        yield from database.execute(query)
    except sqlite3.Error:
        return


@contextmanager
def _folder_beside(path: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix=".salvage-", dir=path.parent) as folder:
        yield Path(folder) / path.name


def _copy(path: Path, copy: Path, log: bool) -> list[bytes]:
    """Copy `path` to `copy` and apply its log there; return the log's intact, committed frames.

    Without `log`, or if there is none, the result is empty. A missing file gives an empty copy, as
    a log may be left without its file.
    """
    if path.exists():
        shutil.copyfile(path, copy)
    else:
        copy.touch()
    frames = []
    if log and log_of(path).exists():
        frames = list(_intact_frames(log_of(path).read_bytes()))
    while frames and not any(frames[-1][4:8]):
        frames.pop()  # not committed
    if frames:
        _apply(frames, copy)
    return frames


def _apply(frames: list[bytes], copy: Path) -> None:
    """Write the pages of `frames` into the file `copy`, and make its first page agree with them.

    Frames with a page number far beyond the file are skipped.
    """
    pages = copy.stat().st_size // PAGE + len(frames)
    with copy.open("r+b") as file:
        for frame in frames:
            number = int.from_bytes(frame[:4], "big")
            if 0 < number <= pages:
                file.seek((number - 1) * PAGE)
                file.write(frame[24:])
        # The first page may be older than the others: set its page count, and make its version
        # field equal to its change counter.
        size = file.seek(0, os.SEEK_END) // PAGE
        file.seek(24)
        changes = file.read(4)
        file.seek(28)
        file.write(size.to_bytes(4, "big"))
        file.seek(92)
        file.write(changes)


def _events_in(frames: list[bytes]) -> Iterator[Row]:
    """Yield the intact events of all table pages in `frames`, each read by itself.

    Each page is put into an empty journal in memory as its only page of events.
    """
    with closing(empty(":memory:")) as fresh:
        journal = fresh.serialize()
    for page in dict.fromkeys(frame[24:] for frame in frames if frame[24] == TABLE_LEAF):
        with closing(sqlite3.connect(":memory:")) as database:
            database.deserialize(journal[:PAGE] + page + journal[2 * PAGE :])
            yield from _intact_events(database)


def _events_by_page(
    copy: Path, bound: Callable[[sqlite3.Connection], None] | None
) -> Iterator[Row]:
    """Yield the intact events of each page of `copy`, moved to where the table begins.

    Long events go on in other pages, which stay where they are. `bound`, if given, limits each
    connection before it reads. The copy is useless afterwards.
    """
    _replace_first_page(copy)
    address = f"{copy.absolute().as_uri()}?immutable=1"
    with copy.open("r+b", buffering=0) as file:
        for at in range(PAGE, copy.stat().st_size - PAGE + 1, PAGE):
            page = os.pread(file.fileno(), PAGE, at)
            if page[0] != TABLE_LEAF or int.from_bytes(page[3:5], "big") > MOST_CELLS:
                continue
            os.pwrite(file.fileno(), page, PAGE)
            with closing(sqlite3.connect(address, uri=True)) as database:
                if bound is not None:
                    bound(database)
                yield from _intact_events(database, MOST_CELLS)


def _intact_frames(log: bytes) -> Iterator[bytes]:
    """Yield the frames of a log whose checksum matches, with single flipped bits corrected.

    Each checksum continues the one before it, which is stored as well, so a damaged frame does not
    invalidate the next. Frames with other salts are left over from before the log's last restart.
    """
    places = range(LOG_HEADER, len(log) - FRAME + 1, FRAME)
    salts = Counter([log[16:24], *(log[at + 8 : at + 16] for at in places[:2])])
    salt = max(salts, key=lambda each: salts[each])
    before, mended = [log[24:LOG_HEADER]], 0
    for at in places:
        frame = log[at : at + FRAME]
        if (_number(frame[8:16]) ^ _number(salt)).bit_count() > 1:
            continue
        expected = [_checksum(each, frame) for each in before]
        if frame[16:24] in expected:
            yield frame
            expected = []
        elif mended < MOST_MENDED:
            mended += 1
            yield from _mended(before[0], frame)
        # If the flipped bit is in this frame's stored checksum, the next continues the right one.
        before = [frame[16:24], *expected]


def _mended(before: bytes, frame: bytes) -> Iterator[bytes]:
    """Yield `frame` with one bit flipped, for each bit that makes its checksum match; often none.

    `before` is the checksum of the frame before it. If there are several, the checksums of the rows
    show which one is right.
    """
    number = _number(frame)
    for bit in range(8 * FRAME):
        tried = (number ^ 1 << bit).to_bytes(FRAME, "big")
        if tried[16:24] == _checksum(before, tried):
            yield tried


def _number(content: bytes) -> int:
    return int.from_bytes(content, "big")


def _checksum(before: bytes, frame: bytes) -> bytes:
    """Return a frame's checksum as SQLite does; `before` is that of the frame before it."""
    one, two = _CHECKSUM.unpack(before)
    words = _FRAME_WORDS(frame[:8] + frame[24:])
    for first, second in zip(words[::2], words[1::2], strict=True):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return _CHECKSUM.pack(one, two)


def _replace_first_page(copy: Path) -> None:
    """Overwrite the first page of a file with that of an empty journal of the same size."""
    count = max(1, copy.stat().st_size // PAGE)
    with closing(empty(":memory:")) as fresh:
        page = bytearray(fresh.serialize()[:PAGE])
    page[18:20] = b"\2\2"  # WAL mode
    page[28:32] = count.to_bytes(4, "big")
    page[32:40] = bytes(8)  # no free pages
    with copy.open("r+b") as file:
        file.write(page)
        file.flush()
        os.fsync(file.fileno())
