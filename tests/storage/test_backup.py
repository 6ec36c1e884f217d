"""Backups: made while people play, checked, and never over an existing file."""

import contextlib
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

import pytest

from centerpiece.__main__ import main
from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import Hub
from centerpiece.storage import untrusted_file
from centerpiece.storage.backup import contents, restore, save
from centerpiece.storage.checksum import of_event, of_player, of_setting
from centerpiece.storage.errors import BackupError, JournalError
from centerpiece.storage.journal import Journal, JournalEntry
from centerpiece.storage.phones import PHONES, Phone
from centerpiece.storage.salvage import TABLE_LEAF
from centerpiece.storage.schema import INSERT, KEEP, MOST_NAMES, NAME, PAGE, empty, setting
from centerpiece.storage.settings import Settings
from centerpiece.storage.untrusted_file import LARGEST_EVENT, LARGEST_FILE, MOST_ROWS
from centerpiece.table.commands import FinishGame, OpenTable
from centerpiece.table.events import SeatTaken
from centerpiece.table.undo import Recorded
from sim.board import build
from sim.clock import VirtualClock
from tests.patience import TIMEOUT_S

OPEN = OpenTable("mexican-train/classic", ("Ann", "Bob", "Cara", "Dan"), 12)


def play(path):
    """Return a running hub with a game begun."""
    hub = Hub(GAMES, Journal(path, GAMES), build(clock=VirtualClock()))
    hub.do(OPEN)
    return hub


@pytest.fixture
def own(tmp_path):
    return tmp_path / "data/table.db"


@pytest.fixture
def played(own):
    """Write a table's file with a game in it; no hub uses it."""
    play(own).journal.close()
    return own


def seats(path):
    journal = Journal(path, GAMES, read_only=True)
    try:
        return [seat.name for seat in journal.recover(GAMES).table.seats]
    finally:
        journal.close()


def test_a_copy_is_made_while_the_hub_plays(own, tmp_path):
    """All that was on the disk is in one file."""
    hub = play(own)
    try:
        assert hub.seq == save(own, tmp_path / "copy.db").events
    finally:
        hub.journal.close()

    assert ["Ann", "Bob", "Cara", "Dan"] == seats(tmp_path / "copy.db")
    assert ["copy.db", "data"] == sorted(path.name for path in tmp_path.iterdir())


def test_a_copy_does_not_replace_a_file_unless_told_to(played, tmp_path):
    """The file may be an older backup, or somebody's thesis."""
    other = tmp_path / "copy.db"
    other.write_text("thesis")

    with pytest.raises(BackupError, match=r"is already there; .* --force"):
        save(played, other)
    assert "thesis" == other.read_text()
    save(played, other, force=True)
    assert ["Ann", "Bob", "Cara", "Dan"] == seats(other)


def test_the_tables_own_file_is_no_backup_of_itself(played):
    """The same holds with --force."""
    with pytest.raises(BackupError, match="own file"):
        save(played, played, force=True)
    assert ["Ann", "Bob", "Cara", "Dan"] == seats(played)


def test_a_copy_that_cannot_be_written_leaves_nothing(played, tmp_path):
    """The folder does not exist."""
    with pytest.raises((BackupError, JournalError)):
        save(played, tmp_path / "nowhere/copy.db")
    assert ["data"] == [path.name for path in tmp_path.iterdir()]


def test_nothing_played_is_nothing_to_copy(own, tmp_path):
    """It is refused with a sentence, and leaves no empty file that looks like a backup."""
    with pytest.raises(JournalError, match="no game has been played yet"):
        save(own, tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()


def test_a_restored_copy_is_the_table(played, tmp_path):
    """On another hub that has not played yet."""
    save(played, tmp_path / "copy.db")
    other = tmp_path / "other/table.db"

    found, kept = restore(tmp_path / "copy.db", other)

    assert (contents(played), None) == (found, kept)
    hub = Hub(GAMES, Journal(other, GAMES), build(clock=VirtualClock()))
    assert ["Ann", "Bob", "Cara", "Dan"] == [seat.name for seat in hub.table.seats]
    hub.journal.close()


def test_games_that_are_there_are_kept_beside_the_restored_ones(played, tmp_path):
    """Restoring needs --force, and even then nothing is lost."""
    copy = tmp_path / "copy.db"
    other = Journal(copy, GAMES)
    other.database.execute("PRAGMA journal_mode=DELETE")
    other.close()

    with pytest.raises(BackupError, match="holds games already; restore with --force"):
        restore(copy, played)
    found, kept = restore(copy, played, force=True)

    assert 0 == found.events
    assert [] == seats(played)
    assert ["Ann", "Bob", "Cara", "Dan"] == seats(kept)


def test_a_log_of_the_old_file_does_not_get_into_the_new_one(played, tmp_path):
    """A killed hub leaves a log; it is set aside with its own file."""
    save(played, tmp_path / "copy.db")
    played.write_bytes(b"SQLite format 3\0 but damaged")
    log = played.with_name("table.db-wal")
    log.write_bytes(b"pages of another file")

    _, kept = restore(tmp_path / "copy.db", played, force=True)

    assert ["Ann", "Bob", "Cara", "Dan"] == seats(played)
    assert b"pages of another file" == kept.with_name(f"{kept.name}-wal").read_bytes()
    assert [] == [path.name for path in played.parent.glob("table.db-*")]


def test_a_running_hubs_file_is_not_replaced(own, tmp_path):
    """The error says how to stop the hub."""
    hub = play(own)
    try:
        save(own, tmp_path / "copy.db")
        with pytest.raises(BackupError, match="in use; stop the hub first"):
            restore(tmp_path / "copy.db", own, force=True)
    finally:
        hub.journal.close()
    assert ["Ann", "Bob", "Cara", "Dan"] == seats(own)


KILLED = """
import os, signal, sys
from centerpiece.games.registry import GAMES
from centerpiece.storage.journal import Journal
from centerpiece.table.events import SeatTaken
from centerpiece.table.undo import Recorded

journal = Journal(sys.argv[1], GAMES)
for seq in range(1, 127):
    journal.append([Recorded(seq, 1.0, seq, SeatTaken(1 + seq % 9, f"name {seq}"))])
os.kill(os.getpid(), signal.SIGKILL)
"""


def killed(path):
    """Return the files of a killed hub: most events are still in the log."""
    path.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False, timeout=TIMEOUT_S)
    assert -signal.SIGKILL == done.returncode
    assert path.with_name(f"{path.name}-wal").stat().st_size > path.stat().st_size
    return path


def test_a_killed_hubs_files_are_a_copy_like_any_other(own, tmp_path):
    """The log beside the file is read with it."""
    found, _ = restore(killed(tmp_path / "stick/table.db"), own)

    assert (126, 126) == (found.events, contents(own).events)


def test_the_files_of_a_killed_hub_are_kept_with_their_log(played, tmp_path):
    """The log that was not checkpointed is merged into the one file that is kept."""
    save(played, tmp_path / "copy.db")

    _, kept = restore(tmp_path / "copy.db", killed(tmp_path / "other/table.db"), force=True)

    assert 126 == contents(kept).events
    assert ["Ann", "Bob", "Cara", "Dan"] == seats(tmp_path / "other/table.db")
    names = sorted(path.name for path in (tmp_path / "other").iterdir())
    assert ["table.db", kept.name] == names


def test_a_log_without_its_file_is_not_played_into_the_restored_one(played, tmp_path):
    """Somebody deleted the file but not its log."""
    save(played, tmp_path / "copy.db")
    other = killed(tmp_path / "other/table.db")
    other.unlink()

    restore(tmp_path / "copy.db", other)

    assert contents(played).events == contents(other).events


def test_restoring_takes_rows_and_nothing_else(played, tmp_path):
    """No trigger, view, foreign table, phone or forged snapshot is restored."""
    copy, other = tmp_path / "copy.db", tmp_path / "other/table.db"
    save(played, copy)
    with sqlite3.connect(copy) as database:
        database.executescript(
            """
            CREATE TABLE strange (x);
            CREATE VIEW view AS SELECT 1;
            CREATE TRIGGER phones AFTER INSERT ON events BEGIN DELETE FROM settings; END;
            """
        )
        for key, value in (("phones", b'[{"id": "evil"}]'), ("volume", b"3"), ("snapshot", b"{}")):
            row = (key, value, of_setting(key, value))
            database.execute("INSERT OR REPLACE INTO settings VALUES (?, ?, ?)", row)

    restore(copy, other)

    with sqlite3.connect(other) as database:
        names = {name for (name,) in database.execute("SELECT name FROM sqlite_schema")}
        assert {"events", "settings", "players"} == {n for n in names if "auto" not in n}
        keys = {key for (key,) in database.execute("SELECT key FROM settings")}
        assert ("volume" in keys, "phones" in keys) == (True, False)
        found = database.execute("SELECT value FROM settings WHERE key = 'snapshot'").fetchone()
        assert found is None or found[0] != b"{}"
    assert ["Ann", "Bob", "Cara", "Dan"] == seats(other)


PHONE = Phone("1", "Ann", "0" * 64, 0.0, 0.0)


def test_paired_phones_come_back_only_when_asked_for(own, tmp_path):
    """A copy that somebody else made must not give access."""
    hub = play(own)
    hub.change(PHONES, lambda known: (PHONE,))
    save(own, tmp_path / "copy.db")
    hub.journal.close()

    for asked, found in ((False, ()), (True, (PHONE,))):
        other = tmp_path / f"{asked}/table.db"
        restore(tmp_path / "copy.db", other, phones=asked)
        journal = Journal(other, GAMES)
        assert found == Settings.of(journal)[PHONES]
        journal.close()


def put_instead_of_events(sql):
    def hurt(copy):
        with sqlite3.connect(copy) as database:
            database.execute("DROP TABLE events")
            database.execute(sql)

    return hurt


def put_event(body):
    def hurt(copy):
        row = (1, 0.0, 1, 1, body)
        with sqlite3.connect(copy) as database:
            database.execute(INSERT, (*row, of_event(*row)))

    return hurt


def put_names(copy):
    with sqlite3.connect(copy) as database:
        rows = [(f"Ann {n}", 1, 0.0, of_player(f"Ann {n}", 1, 0.0)) for n in range(99)]
        database.executemany(NAME, rows)


def name_a_page_again_and_again(copy):
    """Reference one leaf of twelve rows three million times, where SQLite checks no time."""
    with sqlite3.connect(copy) as database:
        database.executemany(INSERT, [(n, 0.0, n, 1, b"", 0) for n in range(-12, 0)])
        (root,) = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'events'")
    content = bytearray(copy.read_bytes())
    place, child, many = (root[0] - 1) * PAGE, len(content) // PAGE + 1, 140
    content += content[place : place + PAGE]
    for _ in range(3):
        cell = child.to_bytes(4, "big") + b"\0"
        start = PAGE - many * len(cell)
        pointers = b"".join((start + n * 5).to_bytes(2, "big") for n in range(many))
        page = b"\5\0\0" + many.to_bytes(2, "big") + start.to_bytes(2, "big") + b"\0"
        content += ((page + cell[:4] + pointers).ljust(start, b"\0")) + cell * many
        child += 1
    content[place : place + PAGE] = content[-PAGE:]
    content[28:32] = (len(content) // PAGE).to_bytes(4, "big")
    copy.write_bytes(content)


MADE_TO_HURT = {
    "a view without end": (
        put_instead_of_events(
            "CREATE VIEW events AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"
            " SELECT x AS seq, 0.0 AS at, x AS step, 1 AS version, x AS body, 1 AS crc FROM n"
        ),
        "its tables are not those of a journal",
    ),
    "a column without measure": (
        put_instead_of_events(
            "CREATE TABLE events (seq INTEGER PRIMARY KEY, at, step, version, "
            "body AS (zeroblob(1000000000)), crc)"
        ),
        "its tables are not those of a journal",
    ),
    "brackets without end": (put_event(b"[" * 9_999), "event 1 cannot be read"),
    "an event without measure": (put_event(bytes(LARGEST_EVENT + 1)), "event 1 is too long"),
    "names without end": (put_names, "it has more rows than any journal"),
    "one page for millions": (name_a_page_again_and_again, "it has more rows than any journal"),
    "a hole for content": (
        lambda copy: os.truncate(copy, LARGEST_FILE + 1),
        "it is larger than any journal",
    ),
}


@pytest.mark.parametrize(("hurt", "why"), MADE_TO_HURT.values(), ids=MADE_TO_HURT)
def test_a_file_made_to_hurt_is_refused_at_once(own, tmp_path, hurt, why, monkeypatch):
    """Its tables and numbers of rows are checked before any value is read."""
    monkeypatch.setattr(untrusted_file, "MOST_ROWS", dict(MOST_ROWS, events=999, players=50))
    copy = tmp_path / "copy.db"
    empty(copy).close()
    hurt(copy)

    with pytest.raises(BackupError, match=re.escape(f"cannot be restored ({why}); use another")):
        restore(copy, own)
    assert not own.exists()


def test_reading_a_file_ends(played, tmp_path, monkeypatch):
    """A time limit holds for any file."""
    save(played, tmp_path / "copy.db")
    monkeypatch.setattr(untrusted_file, "LONGEST", -1.0)
    monkeypatch.setattr(untrusted_file, "STEPS", 1)

    with pytest.raises(BackupError, match="interrupted"):
        restore(tmp_path / "copy.db", tmp_path / "other/table.db")


def test_a_hub_starts_with_settings_made_to_hurt(own, tmp_path):
    """Deeply nested settings fall back to their defaults."""
    copy = tmp_path / "copy.db"
    with contextlib.closing(empty(copy)) as database:
        for key in ("preferences", "phones", "clock-jumps"):
            database.execute(KEEP, setting(key, b"[" * 9_999))

    restore(copy, own, phones=True)

    play(own).journal.close()


def test_a_damaged_evening_does_not_keep_the_others_from_being_copied(played, tmp_path, capsys):
    """The backup is an exact copy, and its damage is reported."""
    with sqlite3.connect(played) as database:
        database.execute("UPDATE events SET body = X'FF' WHERE seq = 3")
    whole = contents(played).events

    assert 0 == main(["backup", str(tmp_path / "copy.db"), "--data", str(played.parent)])

    said = capsys.readouterr().out
    assert f"{whole} events saved.\n1 event cannot be read, here or in the copy: event 3" in said
    assert [3] == [each.seq for each in contents(tmp_path / "copy.db").damage]


@pytest.mark.parametrize("damage", ["cut", "foreign"])
def test_a_damaged_copy_is_refused_and_changes_nothing(played, tmp_path, damage):
    """It is read from end to end before anything is changed."""
    copy = tmp_path / "copy.db"
    save(played, copy)
    content = bytearray(copy.read_bytes())
    match damage:
        case "cut":
            copy.write_bytes(content[: len(content) // 2])
        case "foreign":
            copy.write_text("a letter")
    before = played.read_bytes()

    with pytest.raises((BackupError, JournalError)):
        restore(copy, played, force=True)
    assert before == played.read_bytes()


@pytest.mark.parametrize("table", ["events", "settings", "players"])
def test_a_lost_page_costs_its_rows_and_no_others(own, tmp_path, table):
    """Of the events it is one that points to others, which hides more than a thousand."""
    count = 6_000
    with contextlib.closing(Journal(own, GAMES)) as journal:
        journal.append(
            Recorded(n, 1.0, n, SeatTaken(1 + n % 9, "Ann")) for n in range(1, count + 1)
        )
        roots = dict(journal.query("SELECT name, rootpage FROM sqlite_schema"))
    content, page = bytearray(own.read_bytes()), roots[table]
    if table == "events":
        place = (page - 1) * PAGE
        first = place + int.from_bytes(content[place + 12 : place + 14], "big")
        page = int.from_bytes(content[first : first + 4], "big")
    content[(page - 1) * PAGE : page * PAGE] = b"\xa5" * PAGE
    own.write_bytes(content)

    saved = save(own, tmp_path / "copy.db")
    restored, _ = restore(tmp_path / "copy.db", tmp_path / "other/table.db")

    assert (table != "events") == len(restored.damage) == len(saved.damage)
    assert count == restored.events
    assert saved.events == restored.events == contents(tmp_path / "other/table.db").events


@pytest.mark.parametrize("seed", range(12))
def test_a_flipped_bit_in_the_events_refuses_no_backup(own, tmp_path, seed):
    """Each event is restored or named as missing, and backup says the same as restore."""
    with contextlib.closing(Journal(own, GAMES)) as journal:
        journal.append(Recorded(n, 1.0, n, SeatTaken(1 + n % 9, "Ann")) for n in range(1, 400))
    content, luck = bytearray(own.read_bytes()), Random(seed)
    pages = [at for at in range(PAGE, len(content), PAGE) if content[at] in (0x05, TABLE_LEAF)]
    bit = 8 * luck.choice(pages) + luck.randrange(8 * (PAGE if seed % 2 else 80))
    content[bit // 8] ^= 1 << bit % 8
    own.write_bytes(content)

    saved = save(own, tmp_path / "copy.db")
    restored, _ = restore(tmp_path / "copy.db", tmp_path / "other/table.db")

    assert saved == restored
    assert restored.events == 399 or restored.damage


def test_any_backup_can_be_restored(own, tmp_path, capsys):
    """With ten thousand names and a damaged past evening: it is named, the rest is restored."""
    hub = play(own)
    hub.do(FinishGame())
    hub.do(OPEN)
    seq = hub.seq
    hub.journal.close()
    with sqlite3.connect(own) as database:
        database.execute("UPDATE events SET crc = crc + 1 WHERE seq = 2")
        rows = [(f"Ann {n}", 1, 0.0, of_player(f"Ann {n}", 1, 0.0)) for n in range(10_001)]
        database.executemany(NAME, rows)
    data = ("--data", str(tmp_path / "other"))

    save(own, tmp_path / "copy.db")
    assert 0 == main(["restore", str(tmp_path / "copy.db"), *data])

    assert "Not restored: event 2 is missing" in capsys.readouterr().out
    with contextlib.closing(Journal(tmp_path / "other/table.db", GAMES)) as journal:
        assert (seq, hub.table) == ((ledger := journal.recover(GAMES)).seq, ledger.table)
        assert journal.file.incident is None
        assert MOST_NAMES == len(Settings.of(journal).players())


def test_the_number_of_names_is_bounded(own):
    """The latest names stay."""
    with contextlib.closing(Journal(own, GAMES)) as journal:
        settings = Settings.of(journal)
        for start in (0, MOST_NAMES):
            names = tuple((f"Ann {n}", 1, float(n)) for n in range(start, start + MOST_NAMES))
            journal.keep([JournalEntry(players=names)])
            settings = settings.after(JournalEntry(players=names))
        assert settings.players() == Settings.of(journal).players()
        assert (MOST_NAMES, f"Ann {2 * MOST_NAMES - 1}") == (
            len(settings.players()),
            settings.players()[0],
        )


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")


@pytest.fixture
def service_folder():
    """A folder of another user, which that user can reach."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        folder = Path(name) / "data"
        folder.mkdir(0o700)
        os.chown(folder, 4321, 4321)
        yield folder


@needs_root
def test_root_leaves_files_that_belong_to_the_service(played, tmp_path, service_folder):
    """The hub could not write its own file otherwise; the copy may be readable for root only."""
    copy = tmp_path / "copy.db"
    save(played, copy)
    copy.chmod(0o600)

    restored, _ = restore(copy, service_folder / "table.db")
    restore(copy, service_folder / "table.db", force=True)
    again = save(service_folder / "table.db", tmp_path / "again.db")

    assert restored == again
    assert {4321} == {path.stat().st_uid for path in service_folder.iterdir()}
    assert (0, 0) == ((tmp_path / "again.db").stat().st_uid, os.geteuid())


@needs_root
@pytest.mark.parametrize("end", ["", "-wal", "-shm", "-mark", ".new"])
def test_root_follows_no_link_that_the_service_has_planted(played, tmp_path, service_folder, end):
    """No file of root's is read, written or given away, whichever command root runs."""
    copy, victim = tmp_path / "copy.db", service_folder.parent / "victim"
    save(played, copy)
    shutil.copy(copy, victim)
    victim.chmod(0o600)
    before = victim.read_bytes()
    restore(copy, service_folder / "table.db")
    planted = service_folder / f"table.db{end}"
    planted.unlink(missing_ok=True)
    planted.symlink_to(victim)

    for command in (
        ("backup", str(tmp_path / "other.db")),
        ("restore", str(copy), "--force"),
        ("history",),
        ("phones", "forget"),
    ):
        with contextlib.suppress(Exception):
            main([*command, "--data", str(service_folder)])
        if not planted.is_symlink():
            planted.unlink(missing_ok=True)
            planted.symlink_to(victim)

    status = victim.stat()
    assert (0, 0, 0o600, before) == (
        status.st_uid,
        status.st_gid,
        status.st_mode & 0o777,
        victim.read_bytes(),
    )
    assert 0 == os.geteuid()


def test_the_commands_say_what_they_did(played, tmp_path, capsys):
    """On failure they print the reason in a sentence."""
    copy, data = str(tmp_path / "copy.db"), ("--data", str(played.parent))

    assert 0 == main(["backup", copy, *data])
    count = contents(tmp_path / "copy.db").events
    assert f"{copy}: {count} events saved.\n" == capsys.readouterr().out
    assert 2 == main(["restore", copy, *data])
    assert f"centerpiece: {played} holds games already" in capsys.readouterr().err
    assert 0 == main(["restore", copy, "--data", str(tmp_path / "other")])
    assert f"{count} events restored.\n" == capsys.readouterr().out
