"""Backups: made while people play, checked, and never in the way of what is there."""

import os
import sqlite3

import pytest

from centerpiece.__main__ import main
from centerpiece.games.registry import BOOKS
from centerpiece.hub.hub import Hub
from centerpiece.storage.backup import BackupError, check, restore, save
from centerpiece.storage.journal import Journal, JournalError
from centerpiece.table.commands import OpenTable
from sim.board import build
from sim.clock import VirtualClock

OPEN = OpenTable("mexican-train/classic", ("Ann", "Bob", "Cara", "Dan"), 12)


def play(path):
    """A hub with a game begun, still running."""
    hub = Hub(BOOKS, Journal(path, BOOKS), build(clock=VirtualClock()))
    hub.do(OPEN)
    return hub


@pytest.fixture
def own(tmp_path):
    return tmp_path / "data/table.db"


@pytest.fixture
def played(own):
    """A table's file with a game in it, and no hub that uses it."""
    play(own).journal.close()
    return own


def seats(path):
    journal = Journal(path, BOOKS, read_only=True)
    try:
        return [seat.name for seat in journal.recover(BOOKS).table.seats]
    finally:
        journal.close()


def test_a_copy_is_made_while_the_hub_plays(own, tmp_path):
    """All that was on the disk is in it, in one file."""
    hub = play(own)
    try:
        count = save(own, tmp_path / "copy.db")
        assert hub.seq == count
    finally:
        hub.journal.close()

    assert ["Ann", "Bob", "Cara", "Dan"] == seats(tmp_path / "copy.db")
    assert ["copy.db", "data"] == sorted(path.name for path in tmp_path.iterdir())


def test_a_copy_does_not_replace_a_file_unless_told_to(played, tmp_path):
    """An older backup, or somebody's thesis."""
    other = tmp_path / "copy.db"
    other.write_text("thesis")

    with pytest.raises(BackupError, match=r"is already there; .* --force"):
        save(played, other)
    assert "thesis" == other.read_text()
    save(played, other, force=True)
    assert ["Ann", "Bob", "Cara", "Dan"] == seats(other)


def test_the_tables_own_file_is_no_backup_of_itself(played):
    """Even with --force."""
    with pytest.raises(BackupError, match="own file"):
        save(played, played, force=True)
    assert ["Ann", "Bob", "Cara", "Dan"] == seats(played)


def test_a_copy_that_cannot_be_written_leaves_nothing(played, tmp_path):
    """A folder that is not there."""
    with pytest.raises((BackupError, JournalError)):
        save(played, tmp_path / "nowhere/copy.db")
    assert ["data"] == [path.name for path in tmp_path.iterdir()]


def test_nothing_played_is_nothing_to_copy(own, tmp_path):
    """A sentence, and no empty file that looks like a backup."""
    with pytest.raises(JournalError, match="no table has been played yet"):
        save(own, tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()


def test_a_restored_copy_is_the_table(played, tmp_path):
    """On another hub that has not played yet."""
    save(played, tmp_path / "copy.db")
    other = tmp_path / "other/table.db"

    count, kept = restore(tmp_path / "copy.db", other)

    assert (check(played), None) == (count, kept)
    hub = Hub(BOOKS, Journal(other, BOOKS), build(clock=VirtualClock()))
    assert ["Ann", "Bob", "Cara", "Dan"] == [seat.name for seat in hub.table.seats]
    hub.journal.close()


def test_games_that_are_there_are_kept_beside_the_restored_ones(played, tmp_path):
    """Only with --force, and even then nothing is lost."""
    copy = tmp_path / "copy.db"
    other = Journal(copy, BOOKS)
    other.database.execute("PRAGMA journal_mode=DELETE")
    other.close()

    with pytest.raises(BackupError, match="holds games already; restore with --force"):
        restore(copy, played)
    count, kept = restore(copy, played, force=True)

    assert 0 == count
    assert [] == seats(played)
    assert ["Ann", "Bob", "Cara", "Dan"] == seats(kept)


def test_a_log_of_the_old_file_does_not_get_into_the_new_one(played, tmp_path):
    """A hub that was killed leaves a log; it goes aside with its own file."""
    save(played, tmp_path / "copy.db")
    played.write_bytes(b"SQLite format 3\0 but damaged")
    log = played.with_name("table.db-wal")
    log.write_bytes(b"pages of another file")

    _, kept = restore(tmp_path / "copy.db", played, force=True)

    assert ["Ann", "Bob", "Cara", "Dan"] == seats(played)
    assert b"pages of another file" == kept.with_name(f"{kept.name}-wal").read_bytes()


def test_a_hub_that_plays_is_not_robbed_of_its_file(own, tmp_path):
    """The sentence says how to stop it."""
    hub = play(own)
    try:
        save(own, tmp_path / "copy.db")
        with pytest.raises(BackupError, match="in use; stop the hub first"):
            restore(tmp_path / "copy.db", own, force=True)
    finally:
        hub.journal.close()
    assert ["Ann", "Bob", "Cara", "Dan"] == seats(own)


@pytest.mark.parametrize("damage", ["cut", "flipped", "foreign", "event missing"])
def test_a_damaged_copy_is_refused_and_changes_nothing(played, tmp_path, damage):
    """It is read from end to end before anything is touched."""
    copy = tmp_path / "copy.db"
    save(played, copy)
    content = bytearray(copy.read_bytes())
    match damage:
        case "cut":
            copy.write_bytes(content[: len(content) // 2])
        case "flipped":
            content[4096:4200] = bytes(104)
            copy.write_bytes(content)
        case "foreign":
            copy.write_text("a letter")
        case "event missing":
            with sqlite3.connect(copy) as database:
                database.execute("DELETE FROM events WHERE seq = 1")
    before = played.read_bytes()

    with pytest.raises((BackupError, JournalError)):
        restore(copy, played, force=True)
    assert before == played.read_bytes()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_what_root_restores_belongs_to_the_service(played, tmp_path):
    """Or the hub could not write its own file."""
    save(played, tmp_path / "copy.db")
    other = tmp_path / "other/table.db"
    other.parent.mkdir()
    os.chown(other.parent, 4321, 4321)

    restore(tmp_path / "copy.db", other)

    assert {4321} == {path.stat().st_uid for path in other.parent.iterdir()}


def test_the_commands_say_what_they_did(played, tmp_path, capsys):
    """And where, and in a sentence if they could not."""
    copy, data = str(tmp_path / "copy.db"), ("--data", str(played.parent))

    assert 0 == main(["backup", copy, *data])
    assert f"{copy}: {check(tmp_path / 'copy.db')} events saved.\n" == capsys.readouterr().out
    assert 2 == main(["restore", copy, *data])
    assert f"centerpiece: {played} holds games already" in capsys.readouterr().err
    assert 0 == main(["restore", copy, "--data", str(tmp_path / "other")])
    assert f"{check(tmp_path / 'copy.db')} events restored.\n" == capsys.readouterr().out
