"""A file from anybody, read in bounds: it may be small and made to become huge, or to never end.

Restoring takes rows out of it, into a file of ours. Its tables must be ours to the letter; it may
take so much time and memory, and no more; and what it tells is played through before it counts.
SQLite is given the bounds before it reads a word of the file, its list of tables included.
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
from centerpiece.storage.checksum import of_player, of_setting
from centerpiece.storage.errors import BackupError, CorruptJournal, damaged
from centerpiece.storage.files import log_of
from centerpiece.storage.journal import DOES_NOT_FOLLOW, SNAPSHOT, Damage, Journal
from centerpiece.storage.phones import PHONES
from centerpiece.storage.salvage import fits
from centerpiece.storage.schema import (
    APPLICATION,
    EVENTS,
    FORGET_NAMES,
    INSERT,
    KEEP,
    NAME,
    PLAYERS,
    SCHEMA,
    SETTINGS,
    Row,
    SettingRow,
    empty,
    setting,
)
from centerpiece.storage.snapshot import packed
from centerpiece.table.events import GameStarted
from centerpiece.table.undo import Ledger
from centerpiece.text import Sentence

LONGEST = 150.0
"""Seconds for all of it: less than systemd gives a hub to start, which plays it through as well."""
STEPS = 100_000
"""How often SQLite looks at the clock, in its own steps."""
MOST_MEMORY = 256 * 1024 * 1024
"""Bytes beside what the program has already: a small board has twice that in all."""
LARGEST_FILE = 256 * 1024 * 1024
"""Bytes with its log; two hundred evenings take three million."""
LARGEST_VALUE = 16 * 1024 * 1024
LARGEST_EVENT = 64 * 1024
"""Bytes; the longest that a hub writes, a whole rule book, is a twentieth of that."""
MOST_ROWS = {"events": 2_000_000, "settings": 10_000, "players": 100_000}
"""A page may be named twice, so the size of a file says little about how many rows it shows."""
_TABLES = "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name IN (?, ?, ?)"
_STAYS = ("", SNAPSHOT)
"""What a hub works out for itself."""


class Contents(msgspec.Struct, frozen=True):
    """What was found in a file that was read from its first event to its last."""

    events: int
    """How many are whole."""
    damage: tuple[Damage, ...] = ()


def take_rows(copy: Path, target: Path, phones: bool) -> Contents:
    """A new file with the rows of another that are whole; how many, and what is not."""
    if _size(copy) > LARGEST_FILE:
        raise _refused(copy, Sentence("it is larger than any journal"))
    until = time.monotonic() + LONGEST
    try:
        with _bounded_memory():
            _take(copy, target, phones, until)
            found = _play_through(target, until)
    except CorruptJournal as error:
        raise _refused(copy, error.facts["how"]) from error
    except sqlite3.Error as error:
        raise _refused(copy, error) from error
    except MemoryError:
        raise _refused(copy, Sentence("it takes more memory than a hub has")) from None
    return found


def _take(copy: Path, target: Path, phones: bool, until: float) -> None:
    with closing(empty(target)) as own:
        wanted = _judged(copy, own, until)
        with closing(Journal(copy, GAMES, read_only=True)) as source:
            _bound(source.database, until)
            own.execute("BEGIN")
            seen: Counter[bool] = Counter()
            own.executemany(INSERT, _events(copy, source, seen))
            own.executemany(KEEP, _settings(source.database, phones))
            own.executemany(NAME, _players(source.database))
            own.execute(FORGET_NAMES)
            own.execute("COMMIT")
    if sum(seen.values()) != wanted:
        raise _refused(copy, Sentence("not all of it could be copied"))


def _judged(copy: Path, own: sqlite3.Connection, until: float) -> int:
    """How many events are in a file whose tables are ours: a view, or a column that is computed,
    is none. A file of another program or format is not judged here; the journal refuses it."""
    with closing(sqlite3.connect(f"{copy.absolute().as_uri()}?mode=ro", uri=True)) as source:
        _bound(source, until)
        (program,) = source.execute("PRAGMA application_id").fetchone()
        (schema,) = source.execute("PRAGMA user_version").fetchone()
        if program != APPLICATION or schema > SCHEMA:
            return 0
        found = [set(each.execute(_TABLES, tuple(MOST_ROWS))) for each in (source, own)]
        if found[0] != found[1]:
            raise _refused(copy, Sentence("its tables are not those of a journal"))
        counts = {name: _counted(copy, source, name, most) for name, most in MOST_ROWS.items()}
        return counts["events"]


def _counted(copy: Path, source: sqlite3.Connection, table: str, most: int) -> int:
    # A bare count(*) would visit every page before it looks at the clock.
    rows = f"SELECT count(*) FROM (SELECT 1 FROM {table} LIMIT {most + 1})"
    count = int(source.execute(rows).fetchone()[0])
    if count > most:
        raise _refused(copy, Sentence("it has more rows than any journal"))
    return count


def _events(copy: Path, source: Journal, seen: Counter[bool]) -> Iterator[Row]:
    """The rows that are whole; all are counted."""
    for row in source.database.execute(EVENTS, (0, -1)):
        seen[fits(row)] += 1
        if not fits(row):
            continue
        if len(row[4]) > LARGEST_EVENT:
            raise _refused(copy, Sentence("event {seq} is too long", {"seq": row[0]}))
        yield row


def _settings(source: sqlite3.Connection, phones: bool) -> Iterator[SettingRow]:
    for encoded, value, crc in source.execute(SETTINGS):
        key = encoded.decode(errors="replace")
        if crc == of_setting(key, value) and key not in _STAYS and (phones or key != PHONES.name):
            yield key, value, crc


def _players(source: sqlite3.Connection) -> Iterator[tuple[str, int, float, int]]:
    for encoded, seat, seen, crc in source.execute(PLAYERS):
        if crc == of_player(name := encoded.decode(errors="replace"), seat, seen):
            yield name, seat, seen, crc


def _play_through(target: Path, until: float) -> Contents:
    """Fold all events, those after damage as far as they follow. What makes no sense although
    nothing is missing before it is refused.

    Where a game began after the damage, a snapshot lets the hub start with all that is whole.
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
            sure = sure or type(recorded.event) is GameStarted
            count += 1
        snapshot = packed(ledger) if sure else None
    if snapshot is not None:
        with closing(sqlite3.connect(target, isolation_level=None)) as own:
            own.execute(KEEP, setting(SNAPSHOT, snapshot))
    return Contents(count, tuple(damage))


def _bound(database: sqlite3.Connection, until: float) -> None:
    database.set_progress_handler(lambda: time.monotonic() > until, STEPS)
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_VALUE)
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA cell_size_check = ON")


@contextmanager
def _bounded_memory() -> Iterator[None]:
    """MemoryError, rather than a machine that stands still."""
    before, hard = resource.getrlimit(resource.RLIMIT_AS)
    present = Path("/proc/self/statm")
    if before != resource.RLIM_INFINITY or not present.exists():
        yield  # somebody has chosen a bound, or the system has none
        return
    taken = int(present.read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + MOST_MEMORY, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (before, hard))


def _size(copy: Path) -> int:
    return sum(part.stat().st_size for part in (copy, log_of(copy)) if part.exists())


def _refused(copy: Path, why: object) -> BackupError:
    return BackupError("{file} cannot be restored ({why}); use another copy", file=copy, why=why)
