"""Reading an untrusted SQLite file within bounds: it may be made to grow huge or to never end.

Restoring copies rows into a file of ours. The tables must be exactly ours, time and memory are
limited, and all events are applied before the result is used. The limits are set before SQLite
reads anything of the file, even its list of tables.
"""

import resource
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec
from msgspec.structs import replace

from centerpiece.games.registry import GAMES
from centerpiece.storage.errors import BackupError, CorruptJournal, damaged, kind_of
from centerpiece.storage.files import log_of
from centerpiece.storage.high_water_mark import LAST_EVENT
from centerpiece.storage.journal import DOES_NOT_FOLLOW, SNAPSHOT, Damage, Journal
from centerpiece.storage.phones import PHONES
from centerpiece.storage.salvage import add_missing, readable, readable_events
from centerpiece.storage.schema import (
    ADD,
    APPLICATION,
    EVENTS,
    FORGET_NAMES,
    KEEP,
    NAME,
    PLAYERS,
    SCHEMA,
    SETTINGS,
    Row,
    empty,
    intact_players,
    intact_settings,
    is_intact,
    setting,
)
from centerpiece.storage.snapshot import packed
from centerpiece.table.events import GameStarted
from centerpiece.table.undo import Ledger
from centerpiece.text import Sentence

LONGEST = 150.0
"""Seconds for all of it: less than systemd gives a hub to start, which applies the events too."""
STEPS = 100_000
"""SQLite checks the time after this many of its own steps."""
MOST_MEMORY = 256 * 1024 * 1024
"""Bytes beyond what the program uses already; a small board has twice that in all."""
LARGEST_FILE = 256 * 1024 * 1024
"""Bytes including the log; two hundred evenings take three million."""
LARGEST_VALUE = 16 * 1024 * 1024
LARGEST_EVENT = 64 * 1024
"""Bytes; the longest event of a hub, a whole rule book, is a twentieth of that."""
MOST_ROWS = {"events": 2_000_000, "settings": 10_000, "players": 100_000}
"""Limited because a page may be referenced twice, so a small file can have very many rows."""
_TABLES = "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name IN (?, ?, ?)"
_NOT_RESTORED = ("", SNAPSHOT, LAST_EVENT)
"""Settings that are not restored, because a hub derives them itself."""


class Contents(msgspec.Struct, frozen=True):
    """The number of intact events in a file, and its damage."""

    events: int
    damage: tuple[Damage, ...] = ()

    def without(self, lost: Sentence) -> "Contents":
        """Add the events that are missing after all others to the damage."""
        missing = Damage(self.events + len(self.damage) + 1, lost)
        return replace(self, damage=(*self.damage, missing))


def take_rows(copy: Path, target: Path, phones: bool, named: Path | None = None) -> Contents:
    """Create the file `target` with the intact rows of the journal `copy`; return what it holds.

    Paired phones are left out unless `phones` is set. Raise BackupError if `copy` is no journal,
    exceeds a limit, or has events that do not fit each other. The error names the file `named`
    instead of `copy`, if given.
    """
    try:
        return _taken(copy, target, phones)
    except BackupError as error:
        if named is None:
            raise
        raise _refused(named, error.facts["why"]) from error


def _taken(copy: Path, target: Path, phones: bool) -> Contents:
    """Copy the rows and apply the events, all within the limits of size, time and memory.

    Return what the new file holds, with lost events and damaged names or settings as damage. Raise
    BackupError for a file that is refused.
    """
    if _size(copy) > LARGEST_FILE:
        raise _refused(copy, Sentence("it is larger than any journal"))
    until = time.monotonic() + LONGEST
    try:
        with _bounded_memory():
            lost, whole = _take(copy, target, phones, until)
            contents = _play_through(target, until)
    except CorruptJournal as error:
        raise _refused(copy, error.facts["how"]) from error
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise _refused(copy, error) from error
    except MemoryError:
        raise _refused(copy, Sentence("it takes more memory than a hub has")) from None
    if not whole:
        how = Sentence("some names or settings cannot be read")
        contents = replace(contents, damage=(*contents.damage, Damage(0, how)))
    return contents if lost is None else contents.without(lost)


def _take(copy: Path, target: Path, phones: bool, until: float) -> tuple[Sentence | None, bool]:
    """Copy the intact rows of `copy` into the new file `target`; give up at the time `until`.

    Return the acknowledged events that are missing, or None, and whether all names and settings of
    `copy` were intact, also those left out on purpose. Phones are left out unless `phones` is set.
    """
    with closing(empty(target)) as own:
        counts = _check_tables(copy, own, until)
        with closing(Journal(copy, GAMES, read_only=True)) as source:
            _bound(source.database, until)
            own.execute("BEGIN")
            seen: Counter[bool] = Counter()
            own.executemany(ADD, _events(copy, source, seen))
            lost = source.file.lost
            if lost is not None or counts.get("events") != seen[True] or not _whole(own):
                lost = add_missing(copy, own, lost, lambda database: _bound(database, until))
            skipped = _NOT_RESTORED if phones else (*_NOT_RESTORED, PHONES.name)
            settings = list(intact_settings(readable(source.database, SETTINGS)))
            own.executemany(KEEP, (row for row in settings if row[0] not in skipped))
            players = list(intact_players(readable(source.database, PLAYERS)))
            own.executemany(NAME, players)
            own.execute(FORGET_NAMES)
            own.execute("COMMIT")
    return lost, (len(settings), len(players)) == (counts["settings"], counts["players"])


def _whole(own: sqlite3.Connection) -> bool:
    """Return whether no event is missing before the last one."""
    count, last = own.execute("SELECT count(*), coalesce(max(seq), 0) FROM events").fetchone()
    return bool(count == last)


def _check_tables(copy: Path, own: sqlite3.Connection, until: float) -> dict[str, int | None]:
    """Refuse a file whose tables differ from those of `own`, an empty journal.

    Return the number of rows in each table, None for one with a damaged page. A file of another
    program or version gives an empty result; opening it as a journal refuses it.
    """
    with closing(sqlite3.connect(f"{copy.absolute().as_uri()}?mode=ro", uri=True)) as source:
        _bound(source, until)
        (program,) = source.execute("PRAGMA application_id").fetchone()
        (schema,) = source.execute("PRAGMA user_version").fetchone()
        if program != APPLICATION or schema > SCHEMA:
            return {}
        names = tuple(MOST_ROWS)
        if set(source.execute(_TABLES, names)) != set(own.execute(_TABLES, names)):
            raise _refused(copy, Sentence("its tables are not those of a journal"))
        return {name: _counted(copy, source, name, most) for name, most in MOST_ROWS.items()}


def _counted(copy: Path, source: sqlite3.Connection, table: str, most: int) -> int | None:
    """Return the number of rows in a table; None if one of its pages is damaged.

    Raise BackupError, which names the file `copy`, if there are more than `most`.
    """
    # A bare count(*) would visit every page before it checks the time.
    rows = f"SELECT count(*) FROM (SELECT 1 FROM {table} LIMIT {most + 1})"
    try:
        count = int(source.execute(rows).fetchone()[0])
    except sqlite3.DatabaseError as error:
        if kind_of(error) != sqlite3.SQLITE_CORRUPT:
            raise
        return None
    if count > most:
        raise _refused(copy, Sentence("it has more rows than any journal"))
    return count


def _events(copy: Path, source: Journal, seen: Counter[bool]) -> Iterator[Row]:
    """Yield the rows of intact events of `source`; count intact and damaged rows in `seen`.

    Raise BackupError, which names the file `copy`, for too many rows and for an intact one that is
    too long.
    """
    for row in readable_events(source.database):
        intact = is_intact(row)
        seen[intact] += 1
        if seen.total() > MOST_ROWS["events"]:
            raise _refused(copy, Sentence("it has more rows than any journal"))
        if not intact:
            continue
        if len(row[4]) > LARGEST_EVENT:
            raise _refused(copy, Sentence("event {seq} is too long", {"seq": row[0]}))
        yield row


def _play_through(target: Path, until: float) -> Contents:
    """Apply the events of the file `target` in order; return their number and the damage.

    A missing event is damage. An event that does not fit is damage after other damage, and skipped;
    without damage before it, the file is refused. A snapshot, which lets the hub start in spite of
    damage, is stored unless no game has begun since the last missing event.
    """
    ledger, count, damage, sure = Ledger.blank(GAMES), 0, list[Damage](), True
    with closing(Journal(target, GAMES, read_only=True)) as journal:
        _bound(journal.database, until)
        for row in journal.database.execute(EVENTS, (0, -1)):
            if row[0] != ledger.seq + 1:
                how = Sentence("event {seq} is missing", {"seq": ledger.seq + 1})
                damage.append(Damage(ledger.seq + 1, how))
                sure = False
            recorded = journal.recorded(row)
            try:
                ledger = ledger.apply(recorded)
            except DOES_NOT_FOLLOW as error:
                how = Sentence("event {seq} does not fit the events before it", {"seq": row[0]})
                if not damage:
                    raise damaged(target, how) from error
                damage.append(Damage(row[0], how))
                ledger = replace(ledger, seq=row[0])
            else:
                sure = sure or type(recorded.event) is GameStarted
            count += 1
        snapshot = packed(ledger) if sure else None
    if snapshot is not None:
        with closing(sqlite3.connect(target, isolation_level=None)) as own:
            own.execute(KEEP, setting(SNAPSHOT, snapshot))
    return Contents(count, tuple(damage))


def _bound(database: sqlite3.Connection, until: float) -> None:
    """Have SQLite give up at the time `until`, refuse huge values, and check damaged pages.

    `until` is monotonic; raise sqlite3.OperationalError if it has passed already.
    """
    if time.monotonic() > until:  # also if it is one of very many connections
        raise sqlite3.OperationalError("interrupted")
    database.set_progress_handler(lambda: time.monotonic() > until, STEPS)
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_VALUE)
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA cell_size_check = ON")


@contextmanager
def _bounded_memory() -> Iterator[None]:
    """Limit memory until the end: Python then raises MemoryError before the machine swaps.

    Nothing is done where a limit is set already, or on a system without /proc.
    """
    before, hard = resource.getrlimit(resource.RLIMIT_AS)
    present = Path("/proc/self/statm")
    if before != resource.RLIM_INFINITY or not present.exists():
        yield  # a limit is set already, or the system has none
        return
    used = int(present.read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MOST_MEMORY, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (before, hard))


def _size(copy: Path) -> int:
    return sum(part.stat().st_size for part in (copy, log_of(copy)) if part.exists())


def _refused(copy: Path, why: object) -> BackupError:
    return BackupError("{file} cannot be restored ({why}); use another copy", file=copy, why=why)
