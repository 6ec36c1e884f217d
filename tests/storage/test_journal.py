"""The journal: acknowledged events stay on the disk, and failures are reported."""

import asyncio
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import settings

from centerpiece.games.registry import GAMES
from centerpiece.hub.commit_queue import RETRY_SAVING
from centerpiece.hub.hub import Hub
from centerpiece.storage.checksum import of_event
from centerpiece.storage.errors import (
    CardDamage,
    CorruptJournal,
    ForeignFile,
    JournalBusy,
    JournalError,
    NewerJournal,
    NotSaved,
    UnknownGame,
)
from centerpiece.storage.journal import Damage, Journal, JournalEntry
from centerpiece.storage.lock import address_noted
from centerpiece.storage.phones import PHONES
from centerpiece.storage.schema import APPLICATION, SCHEMA
from centerpiece.storage.settings import Settings
from centerpiece.storage.upgrades import UPGRADES
from centerpiece.table import commands as c
from centerpiece.table.events import Event, RoundStarted, SeatTaken
from centerpiece.table.undo import Recorded
from centerpiece.web.past_games import PastGames
from sim.board import build
from sim.clock import VirtualClock
from tests.evenings import AT, FOUR, LiveLedger, ledger_facts, order, replayed, seen
from tests.patience import TIMEOUT_S

EVENING = (
    c.OpenTable("mexican-train/classic", FOUR),
    c.CallLastTile(2),
    c.GoOut(2),
    c.EnterScore(1, 31),
    c.Undo(),
    c.EnterScore(1, 13),
    c.Join("Eve"),
    c.NextRound(uncounted=True),
)


def an_evening() -> tuple[LiveLedger, list[Recorded]]:
    ledger = LiveLedger()
    return ledger, order(ledger, *EVENING)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table.db"


def written(path: Path, recorded: list[Recorded]) -> None:
    """Write a journal file with these events and close it."""
    journal = Journal(path, GAMES)
    for each in recorded:
        journal.append([each])
    journal.close()


def pulled_plug(path: Path, to: Path) -> Path:
    """Copy the disk as it is at this moment, for another hub."""
    to.mkdir(parents=True, exist_ok=True)
    for file in path.parent.glob(path.name + "*"):
        shutil.copy(file, to)
    return to / path.name


def bytes_of(path: Path) -> dict[str, bytes]:
    """Return the contents of a journal and the files beside it."""
    return {
        file.name: file.read_bytes()
        for file in path.parent.glob(path.name + "*")
        if not file.name.endswith("-shm") and file.stat().st_size
    }


def forge(path: Path, statement: str, sealed: bool = True) -> None:
    """Change a file as another program would; `sealed` also corrects the checksums."""
    with closing(sqlite3.connect(path)) as database:
        database.execute(statement)
        if sealed:
            database.create_function("crc", 5, of_event)
            database.execute(
                "UPDATE events SET body = CAST(body AS BLOB), "
                "crc = crc(seq, at, step, version, CAST(body AS BLOB))"
            )
        database.commit()


def events_in(path: Path) -> list[Recorded]:
    journal = Journal(path, GAMES)
    try:
        return list(journal.read())
    finally:
        journal.close()


# Durability


def test_a_commit_is_on_the_disk_when_append_returns(path: Path) -> None:
    """WAL with a full sync guarantees it."""
    journal = Journal(path, GAMES)
    pragmas = {
        name: journal.database.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous", "application_id", "user_version")
    }
    journal.close()

    assert {
        "journal_mode": "wal",
        "synchronous": 2,
        "application_id": APPLICATION,
        "user_version": SCHEMA,
    } == pragmas


def test_the_plug_may_be_pulled_after_any_event(path: Path, tmp_path: Path) -> None:
    """Each copy of the disk, taken while the first hub runs, holds the events so far."""
    ledger, recorded = an_evening()
    journal = Journal(path, GAMES)
    for length, each in enumerate(recorded, start=1):
        journal.append([each])
        disk = pulled_plug(path, tmp_path / f"cut-{length}")
        assert recorded[:length] == events_in(disk)
    journal.close()

    assert ledger_facts(ledger) == ledger_facts(Journal(path, GAMES).recover(GAMES))


def test_an_action_of_several_events_is_written_atomically(path: Path) -> None:
    _, recorded = an_evening()
    journal = Journal(path, GAMES)
    journal.append(recorded[:2])

    with pytest.raises(NotSaved):
        journal.append([*recorded[2:5], recorded[0]])

    assert recorded[:2] == list(journal.read())
    journal.append(recorded[2:5])
    assert recorded[:5] == list(journal.read())
    journal.close()


CHILD = """
import sys
from centerpiece.games.registry import GAMES
from centerpiece.storage.lock import address_noted
from centerpiece.storage.journal import Journal
from centerpiece.table.events import SeatTaken
from centerpiece.table.undo import Recorded

journal = Journal(sys.argv[1], GAMES)
for seq in range(1, 100_000):
    journal.append([Recorded(seq, 1.0, seq, SeatTaken(1, f"name {seq}"))])
    print(seq, flush=True)
"""


@pytest.mark.real_time("a process that is killed while it writes")
def test_nothing_that_was_acknowledged_is_lost_when_the_process_is_killed(path: Path) -> None:
    """After `kill -9` during writes, all events for which `append` returned are there, in order."""
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    try:
        acknowledged = [int(child.stdout.readline()) for _ in range(25)]
    finally:
        child.send_signal(signal.SIGKILL)
        rest = child.stdout.read()
        child.stdout.close()
        child.wait(timeout=TIMEOUT_S)
    acknowledged += [int(line) for line in rest.split("\n")[:-1]]
    found = events_in(path)

    assert acknowledged == list(range(1, len(acknowledged) + 1))
    assert len(acknowledged) <= len(found) <= len(acknowledged) + 1
    assert [f"name {n}" for n in range(1, len(found) + 1)] == [
        r.event.name for r in found if isinstance(r.event, SeatTaken)
    ]


def test_a_log_torn_at_any_byte_of_its_last_frame_is_the_prefix(path: Path, tmp_path: Path) -> None:
    """A half-written frame counts as not written; nothing else is affected."""
    _, recorded = an_evening()
    journal = Journal(path, GAMES)
    journal.append(recorded[:-1])
    before = path.with_name("table.db-wal").stat().st_size
    journal.append(recorded[-1:])
    log = pulled_plug(path, tmp_path / "whole").with_name("table.db-wal").read_bytes()
    journal.close()
    assert before < len(log)

    torn = tmp_path / "torn"
    every = 1 if settings().max_examples > 100 else 97
    for length in sorted({*range(before, len(log), every), before + 1, len(log) - 1, len(log)}):
        shutil.rmtree(torn, ignore_errors=True)
        shutil.copytree(tmp_path / "whole", torn)
        (torn / "table.db-shm").unlink(missing_ok=True)
        (torn / "table.db-wal").write_bytes(log[:length])
        expected = recorded if length == len(log) else recorded[:-1]
        assert expected == events_in(torn / "table.db"), length


def test_a_flipped_bit_in_the_last_frame_is_not_taken_for_an_event(
    path: Path, tmp_path: Path
) -> None:
    """A damaged write counts as not written."""
    _, recorded = an_evening()
    journal = Journal(path, GAMES)
    journal.append(recorded[:-1])
    before = path.with_name("table.db-wal").stat().st_size
    journal.append(recorded[-1:])
    disk = pulled_plug(path, tmp_path / "cut")
    journal.close()
    disk.with_name("table.db-shm").unlink()
    log = bytearray(disk.with_name("table.db-wal").read_bytes())
    log[before + 500] ^= 0x10
    disk.with_name("table.db-wal").write_bytes(log)
    disk.with_name("table.db-mark").unlink()  # the plug was pulled before it was acknowledged

    assert recorded[:-1] == events_in(disk)


def test_a_plug_pulled_while_the_file_was_first_made_does_not_matter(path: Path) -> None:
    """The next start ignores any half-written file and makes a complete one."""
    for leftover in ("", ".new", ".new-journal", ".new-wal"):
        path.with_name(path.name + leftover).write_bytes(b"" if not leftover else b"half")
    _, recorded = an_evening()

    written(path, recorded)

    assert recorded == events_in(path)
    assert ["table.db"] == sorted(file.name for file in path.parent.iterdir())


def test_a_file_that_is_missing_beside_its_log_is_reported_and_recovered(path: Path) -> None:
    """Deleted after a kill. The log is kept, and reading alone begins no new journal."""
    _, recorded = an_evening()
    journal = Journal(path, GAMES)
    journal.append(recorded)
    disk = pulled_plug(path, path.parent / "cut")
    journal.close()
    disk.unlink()
    with pytest.raises(CardDamage, match="it is missing"):
        Journal(disk, GAMES, read_only=True)

    with closing(Journal(disk, GAMES)) as found:
        assert recorded == list(found.read())
        assert f"is missing, although a hub was using it. {len(recorded)} events" in str(
            found.file.incident
        )
    assert 1 == len(list(disk.parent.glob("table.db.damaged-*-wal")))
    with closing(Journal(disk, GAMES)) as again:
        assert None is again.file.incident


# Recovery


def test_recovery_rebuilds_the_table_and_its_undo_history(path: Path) -> None:
    ledger, recorded = an_evening()
    written(path, recorded)
    recovered = LiveLedger(Journal(path, GAMES).recover(GAMES))

    assert ledger_facts(ledger) == ledger_facts(recovered)
    order(ledger, c.Undo(), c.Undo(), c.Redo())
    order(recovered, c.Undo(), c.Undo(), c.Redo())
    assert ledger_facts(ledger) == ledger_facts(recovered)


def test_reading_can_begin_after_any_event(path: Path) -> None:
    _, recorded = an_evening()
    written(path, recorded)
    journal = Journal(path, GAMES, read_only=True)

    assert recorded[3:] == list(journal.read(after=3))
    assert [] == list(journal.read(after=len(recorded)))
    journal.close()


def test_in_memory_it_is_the_same_and_leaves_nothing(tmp_path: Path) -> None:
    """No file and no lock; two journals can exist at a time."""
    before = set(Path.cwd().iterdir())
    _, recorded = an_evening()
    one, other = Journal(":memory:", GAMES), Journal(":memory:", GAMES)
    one.append(recorded)

    assert recorded == list(one.read())
    assert [] == list(other.read())
    one.close()
    one.close()
    other.close()
    assert before == set(Path.cwd().iterdir())


# Files that are not what they should be


def refused(path: Path, kind: type[JournalError], read_only: bool = False) -> str:
    """Check that opening and reading raise this error and leave every byte as it was."""
    before = bytes_of(path)
    with pytest.raises(kind) as caught, closing(Journal(path, GAMES, read_only)) as journal:
        journal.recover(GAMES)
    assert before == bytes_of(path)
    assert kind is type(caught.value)
    return str(caught.value)


def test_a_text_file_is_refused_and_not_overwritten(path: Path) -> None:
    path.write_text("milk, eggs, dominoes\n" * 10)

    told = refused(path, ForeignFile)
    assert "is not a journal" in told
    assert "--data" in told


def test_another_programs_database_is_refused_and_not_overwritten(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE recipes (name)")
        database.commit()

    assert "belongs to another program" in refused(path, ForeignFile)


def test_a_newer_file_is_refused_and_says_what_to_do(path: Path) -> None:
    """An old program must not write a format it does not know."""
    written(path, an_evening()[1])
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"PRAGMA user_version = {SCHEMA + 1}")

    told = refused(path, NewerJournal)
    assert f"format {SCHEMA + 1}, this one knows {SCHEMA}" in told
    assert "Update the program" in told


def test_an_event_of_a_newer_version_is_refused(path: Path) -> None:
    written(path, an_evening()[1])
    forge(path, "UPDATE events SET version = 99 WHERE seq = 3")

    assert "event 3 was written by a newer version" in refused(path, NewerJournal)


def test_an_event_of_an_unknown_kind_is_one_of_a_newer_version(path: Path) -> None:
    """The file is not damaged, so the message must not advise to move it away."""
    written(path, an_evening()[1])
    forge(path, """UPDATE events SET body = '{"type":"tea-served"}' WHERE seq = 3""")

    assert "event 3 was written by a newer version" in refused(path, NewerJournal)


def test_a_game_that_is_not_installed_is_named(path: Path) -> None:
    """Its package was removed, or the card came from another hub; nothing is damaged."""
    written(path, an_evening()[1])
    agreed = """'{"type":"rules-agreed","rules":{"game":"bergen","name":"classic"},"size":6}'"""
    forge(path, f"UPDATE events SET body = {agreed} WHERE seq = 3")

    assert "event 3 is about the game “bergen”, which is not" in refused(path, UnknownGame)


@pytest.mark.parametrize(
    ("statement", "how"),
    [
        ("UPDATE events SET body = 'nonsense' WHERE seq = 2", "event 2 cannot be read"),
        ('UPDATE events SET body = \'{"type":"seat-taken"}\' WHERE seq = 2', "event 2 cannot"),
        ("UPDATE events SET body = '[1]' WHERE seq = 2", "event 2 cannot be read"),
        ("UPDATE events SET body = X'7B2274FF' WHERE seq = 2", "event 2 cannot be read"),
        (
            """UPDATE events SET body = X'7B2274797065223A22FF227D' WHERE seq = 2""",
            "event 2 cannot be read",
        ),
        ('UPDATE events SET body = \'{"type":"undone"}\' WHERE seq = 1', "event 1 does not fit"),
    ],
)
def test_an_inconsistent_journal_is_refused_and_kept(path: Path, statement: str, how: str) -> None:
    """Its rows are intact, so a program is to blame, and another version may read them."""
    written(path, an_evening()[1])
    forge(path, statement)

    told = refused(path, CorruptJournal)
    assert how in told
    assert "It has not been changed. Restore a backup, or move the file away" in told


def test_every_flipped_bit_of_an_event_is_noticed(path: Path) -> None:
    """A bit of its content or checksum affects no other row."""
    _, recorded = an_evening()
    written(path, recorded)
    whole = bytearray(path.read_bytes())
    body = msgspec.json.encode(recorded[4].event)
    (at,) = (n for n in range(len(whole)) if whole.startswith(body, n))
    # Before its body lie number, time, step and version; after it the checksum.
    bits = range((at - 16) * 8, (at + len(body) + 4) * 8)
    every = 1 if settings().max_examples > 100 else 7
    for bit in bits[::every]:
        whole[bit // 8] ^= 1 << bit % 8
        path.write_bytes(whole)
        whole[bit // 8] ^= 1 << bit % 8
        with closing(Journal(path, GAMES, read_only=True)) as journal:
            found = list(journal.scan())
        assert any(isinstance(each, Damage) for each in found), bit
        assert all(isinstance(each, Damage) or each in recorded for each in found), bit
        if bit >= at * 8:
            assert [*recorded[:4], *recorded[5:]] == [*found[:4], *found[5:]], bit


def test_a_lost_page_affects_no_other(path: Path) -> None:
    """Cards lose pages rather than bits; later events are still read."""
    many = [Recorded(n, AT, n, SeatTaken(1, f"name {n}")) for n in range(1, 200)]
    written(path, many)
    content = bytearray(path.read_bytes())
    (at,) = (n for n in range(len(content)) if content.startswith(b'"name 100"', n))
    page = at // 1024 * 1024
    content[page : page + 1024] = b"\xa5" * 1024
    path.write_bytes(content)

    with closing(Journal(path, GAMES, read_only=True)) as journal:
        found = list(journal.scan())

    lost = [each.seq for each in found if isinstance(each, Damage)]
    assert 100 in lost
    assert len(lost) < 25
    assert [each for each in many if each.seq not in lost] == [
        each for each in found if isinstance(each, Recorded)
    ]


def test_a_damaged_setting_falls_back_to_its_default(path: Path) -> None:
    """A flipped bit must not give access or change a setting."""
    journal = Journal(path, GAMES)
    journal.keep(
        [JournalEntry(settings={"phones": b'["a"]'}, players=(("Ann", 1, AT), ("Bob", 2, AT)))]
    )
    journal.database.execute("UPDATE settings SET value = '[\"b\"]'")
    journal.database.execute("UPDATE players SET name = X'FF' WHERE seat = 1")
    remembered = Settings.of(journal)

    assert () == remembered[PHONES]
    assert ["Bob"] == remembered.players()
    assert None is remembered.last_at_seat(1)
    journal.close()


def test_reading_reports_damage_and_changes_nothing(path: Path) -> None:
    """With a page overwritten, the table of events cannot be read."""
    written(path, an_evening()[1])
    content = bytearray(path.read_bytes())
    content[1024:2048] = b"\xa5" * 1024
    path.write_bytes(content)

    assert "is damaged" in refused(path, CardDamage, read_only=True)


def test_a_folder_in_its_place_is_refused(path: Path) -> None:
    path.mkdir()

    with pytest.raises(JournalError, match="cannot be used now"):
        Journal(path, GAMES)


def test_an_impossible_path_is_refused(tmp_path: Path) -> None:
    """A file where a folder should be."""
    (tmp_path / "file").write_text("")

    with pytest.raises(JournalError, match=r"cannot be created: .* choose another place"):
        Journal(tmp_path / "file" / "table.db", GAMES)


def test_looking_at_a_journal_that_is_not_there_makes_none(path: Path) -> None:
    """Reading only never writes."""
    with pytest.raises(JournalError, match="no game has been played yet"):
        Journal(path, GAMES, read_only=True)

    assert not path.exists()


# Sharing


def test_two_services_cannot_write_to_one_file(path: Path) -> None:
    """The second is refused until the first has closed, and told where its pages are."""
    first = Journal(path, GAMES)
    with pytest.raises(JournalBusy, match=r"another centerpiece\. Stop"):
        Journal(path, GAMES)
    with (
        address_noted(path.parent, "http://10.0.0.5/"),
        pytest.raises(JournalBusy, match=r"another centerpiece, http://10\.0\.0\.5/\. Stop"),
    ):
        Journal(path, GAMES)
    first.close()

    Journal(path, GAMES).close()


def test_a_second_hub_does_not_start_where_files_were_deleted(path: Path) -> None:
    """The folder is locked, not a file in it."""
    first = Journal(path, GAMES)
    for file in path.parent.iterdir():
        file.unlink()

    with pytest.raises(JournalBusy, match="in use by another centerpiece"):
        Journal(path, GAMES)
    first.close()


@pytest.mark.parametrize("what", ["file", "log", "all files", "folder", "moved"])
def test_a_file_that_is_taken_away_is_written_anew(tmp_path: Path, what: str) -> None:
    """Earlier and later events are all there after a restart."""
    path = tmp_path / "data" / "table.db"
    _, recorded = an_evening()
    journal = Journal(path, GAMES)
    journal.append(recorded[:5])
    match what:
        case "file":
            path.unlink()
        case "log":
            path.with_name("table.db-wal").unlink()
        case "all files":
            for file in path.parent.iterdir():
                file.unlink()
        case "folder":
            shutil.rmtree(path.parent)
        case "moved":
            path.rename(tmp_path / "elsewhere.db")

    journal.keep([])
    told = str(journal.file.incident)
    journal.append(recorded[5:])
    disk = pulled_plug(path, tmp_path / "cut")
    journal.close()

    assert f"{path} was removed while the hub was running. It has been written a" in told
    assert recorded == events_in(disk)
    assert recorded == events_in(path)


def test_a_file_that_took_the_journals_place_is_left_alone(path: Path, tmp_path: Path) -> None:
    """The hub writes its events beside it, and the old file's log is applied to neither."""
    _, recorded = an_evening()
    other = tmp_path / "other" / "table.db"
    written(other, recorded[:2])
    journal = Journal(path, GAMES)
    journal.append(recorded[:5])
    other.replace(path)

    journal.append(recorded[5:])
    told = journal.file.incident
    assert told is not None
    journal.close()

    assert "was replaced while the hub was running" in str(told)
    assert recorded[:2] == events_in(path)
    assert recorded == events_in(path.with_name(told.facts["place"]))


def test_what_cannot_be_written_anew_is_not_saved(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No event is acknowledged that is only in a deleted file."""
    journal = Journal(path, GAMES)
    journal.append(an_evening()[1][:2])
    path.unlink()
    monkeypatch.setattr(os, "replace", partial(_fail, OSError(28, "No space left on device")))

    with pytest.raises(NotSaved, match="was removed and could not be written again: "):
        journal.append(an_evening()[1][2:3])
    with pytest.raises(NotSaved):
        journal.keep([])
    monkeypatch.undo()
    journal.keep([])
    journal.append(an_evening()[1][2:])
    journal.close()
    assert an_evening()[1] == events_in(path)


def _fail(error: Exception, *arguments: object) -> None:
    raise error


LOOKS_ON = """
import sqlite3, sys
database = sqlite3.connect(sys.argv[1])
print(database.execute("SELECT count(*) FROM events").fetchone())
database.close()
"""


def test_another_reader_does_not_remove_the_log(path: Path, tmp_path: Path) -> None:
    """The same holds after the hub's own process has read past games."""
    _, recorded = an_evening()
    journal = Journal(path, GAMES)
    journal.append(recorded[:5])
    Journal(path, GAMES, read_only=True).close()
    subprocess.run([sys.executable, "-c", LOOKS_ON, str(path)], check=True, timeout=TIMEOUT_S)
    journal.append(recorded[5:])
    disk = pulled_plug(path, tmp_path / "cut")
    journal.close()

    assert recorded == events_in(disk)


def test_others_may_read_while_one_writes(path: Path) -> None:
    """Past games can be read during this one."""
    _, recorded = an_evening()
    writer = Journal(path, GAMES)
    writer.append(recorded[:4])
    reader = Journal(path, GAMES, read_only=True)

    assert recorded[:4] == list(reader.read())
    writer.append(recorded[4:])
    assert recorded == list(reader.read())
    with pytest.raises(NotSaved, match="read-only"):
        reader.append(recorded[:1])
    reader.close()
    writer.close()


def test_a_file_that_somebody_else_has_locked_is_not_called_damaged(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A backup program may hold the lock for a moment; the file is intact."""
    written(path, an_evening()[1])
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA locking_mode = EXCLUSIVE")
        database.execute("BEGIN EXCLUSIVE")
        database.execute("DELETE FROM settings")
        monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, timeout=0.0))
        with pytest.raises(JournalError, match=r"cannot be used now: .* unharmed") as caught:
            Journal(path, GAMES).recover(GAMES)
        database.execute("ROLLBACK")

    assert not isinstance(caught.value, CorruptJournal)


# Upgrades


class _Upgraded(RoundStarted, frozen=True, tag="round-started"):
    """The same event with one more field, as a later release might have it."""

    weather: str = "unknown"
    version = 2


def test_an_older_event_is_brought_up_to_date_on_reading(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stored row stays as it is; the reader gets today's format."""
    started = RoundStarted(2, 11, 2)
    written(path, [Recorded(1, 1.0, 1, started)])
    before = bytes_of(path)

    def with_weather(document: dict[str, Any]) -> dict[str, Any]:
        return {**document, "weather": "fair"}

    kinds: tuple[type[Event], ...] = tuple(
        _Upgraded if kind is RoundStarted else kind for kind in GAMES.events
    )
    monkeypatch.setattr(GAMES, "events", kinds)
    monkeypatch.setitem(UPGRADES, "round-started", {1: with_weather})
    journal = Journal(path, GAMES, read_only=True)
    (found,) = journal.read()
    journal.close()

    assert _Upgraded(2, 11, 2, weather="fair") == found.event
    assert before == bytes_of(path)


def test_an_older_event_without_an_upgrade_is_an_error(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing upgrade is an error."""
    written(path, [Recorded(1, 1.0, 1, RoundStarted(1, 12, 1))])
    kinds = tuple(_Upgraded if kind is RoundStarted else kind for kind in GAMES.events)
    monkeypatch.setattr(GAMES, "events", kinds)

    assert "event 1 cannot be read" in refused(path, CorruptJournal, read_only=True)


def test_every_event_kind_survives_the_bytes() -> None:
    """Each kind has its own tag and a version."""
    names = [str(kind.__struct_config__.tag) for kind in GAMES.events]

    assert len(set(names)) == len(names)
    assert all(type(kind.version) is int and kind.version >= 1 for kind in GAMES.events)
    assert all(msgspec.json.schema(kind) for kind in GAMES.events)


# A disk that is full, or may not be written to


@contextmanager
def no_room(path: Path) -> Iterator[None]:
    """Limit files to the log's present size, which acts like a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    size = path.with_name(path.name + "-wal").stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_stops_commands_and_room_lets_play_go_on(path: Path) -> None:
    """Nothing changes that was not saved, the page says so, and no restart is needed."""
    clock = VirtualClock()
    journal = Journal(path, GAMES)
    hub = Hub(GAMES, journal, build(clock=clock))
    hub.do(c.OpenTable("mexican-train/classic", FOUR))
    before = hub.state()
    frames = len(hub.board.lights.frames)  # type: ignore[attr-defined]

    with no_room(path):
        with pytest.raises(NotSaved, match=r"Not saved: the disk .*\. Nothing has changed\."):
            hub.do(c.CallLastTile(2))
        assert {**before, "saved": False} == hub.state()
        assert frames == len(hub.board.lights.frames)  # type: ignore[attr-defined]
        assert (hub.next_wake() or 0.0) <= clock.now() + RETRY_SAVING
        clock.move(RETRY_SAVING)
        hub.wake()
        assert hub.state()["saved"] is False
    clock.move(RETRY_SAVING)
    hub.wake()

    assert hub.state()["saved"] is True
    hub.do(c.CallLastTile(2))
    assert hub.state()["seats"][1]["last_tile"] is True
    journal.close()
    assert ledger_facts(hub.ledger) == ledger_facts(replayed(events_in(path)))


def test_the_next_command_uses_new_room_at_once(path: Path) -> None:
    """The next press is tried like any other."""
    journal = Journal(path, GAMES)
    hub = Hub(GAMES, journal, build(clock=VirtualClock()))
    hub.do(c.ToggleSeat(1))
    with no_room(path), pytest.raises(NotSaved):
        hub.do(c.ToggleSeat(2))
    hub.do(c.ToggleSeat(2))

    assert (True, [1, 2]) == (
        hub.state()["saved"],
        [seat["seat"] for seat in hub.state()["seats"]],
    )
    journal.close()


def test_a_press_on_a_full_disk_is_refused_by_light_and_sound(path: Path) -> None:
    clock = VirtualClock()
    journal = Journal(path, GAMES)
    board = build(clock=clock)
    hub = Hub(GAMES, journal, board)
    hub.on_stale(hub.paint)
    board.buttons.listen(hub.hear)
    for seat, room in (("seat-1", nullcontext()), ("seat-2", no_room(path))):
        board.buttons.press(seat)
        clock.move(0.1)
        hub.wake()
        with room:
            board.buttons.release(seat)
        clock.move(1.0)
        hub.wake()

    assert ["join", "refused"] == board.sound.played
    assert "Not saved" in hub.state()["notice"]
    assert [1] == [seat["seat"] for seat in hub.state()["seats"]]
    journal.close()


def test_a_full_database_says_that_the_disk_is_full(path: Path) -> None:
    _, recorded = an_evening()
    journal = Journal(path, GAMES)
    (pages,) = journal.database.execute("PRAGMA page_count").fetchone()
    journal.database.execute(f"PRAGMA max_page_count = {pages}")
    big = Recorded(1, 1.0, 1, SeatTaken(1, "x" * 100_000))

    with pytest.raises(NotSaved, match="the disk is full; make room and try again"):
        journal.append([big])
    assert [] == list(journal.read())
    journal.database.execute("PRAGMA max_page_count = 1000000")
    journal.append(recorded)
    assert recorded == list(journal.read())
    journal.close()


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Make a folder read-only, even for root."""
    for file in folder.iterdir():
        file.chmod(0o444)
    folder.chmod(0o555)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o755)
        for file in folder.iterdir():
            file.chmod(0o644)


@pytest.mark.parametrize("looked_back", [False, True], ids=["", "history looked at"])
@pytest.mark.parametrize("ended", ["closed", "killed", "plug pulled"])
def test_on_a_read_only_disk_the_table_can_be_looked_at(ended: str, looked_back: bool) -> None:
    """Commands are refused with the reason, and work once the disk can be written.

    After a power cut the log has no index, and the disk takes none. Somebody who presses again and
    again does not put off the hub's own tries.
    """
    clock = VirtualClock()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        path = Path(folder) / "disk" / "table.db"
        ledger, recorded = an_evening()
        first = Journal(path, GAMES)
        first.append(recorded)
        if ended != "closed":
            path = pulled_plug(path, Path(folder) / "cut")
        if ended == "plug pulled":
            path.with_name("table.db-shm").unlink()
        first.close()
        with read_only(path.parent):
            journal = Journal(path, GAMES)
            hub = Hub(GAMES, journal, build(clock=clock))
            with pytest.raises(NotSaved, match="Not saved: the disk is read-only"):
                hub.do(c.Undo())
            clock.move(RETRY_SAVING)
            hub.wake()
            assert ledger_facts(ledger) == ledger_facts(hub.ledger)
            assert hub.state()["saved"] is False
            past = PastGames(hub)
            if looked_back:
                assert 1 == asyncio.run(past.query(len))
        for _ in range(int(RETRY_SAVING)):
            with suppress(NotSaved):
                hub.order(c.BlowWhistle())
            clock.move(1.0)
            hub.wake()
        assert hub.state()["saved"] is True
        recorded = list(journal.read())
        hub.do(c.Undo())
        journal.close()
        assert len(recorded) + 1 == len(events_in(path))
        past.close()


def test_the_lights_after_a_failed_write_show_what_is_on_the_disk(path: Path) -> None:
    """No light shows anything that a power cut could take back."""
    journal = Journal(path, GAMES)
    hub = Hub(GAMES, journal, build(clock=VirtualClock()))
    hub.do(c.OpenTable("mexican-train/classic", FOUR))
    with no_room(path), pytest.raises(NotSaved):
        hub.do(c.Block())
    journal.close()

    assert seen(hub.ledger) == seen(replayed(events_in(path)))
