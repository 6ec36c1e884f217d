"""Playing on with the intact rows of a file that is damaged or was overwritten."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import Hub
from centerpiece.storage.errors import CardDamage, JournalError, NotSaved
from centerpiece.storage.journal import Journal, JournalEntry
from centerpiece.storage.settings import JOURNAL_NAME, SettingKey, Settings
from centerpiece.table import commands as c
from centerpiece.table.events import SeatTaken
from centerpiece.table.undo import Ledger, Recorded
from sim.board import build
from sim.clock import VirtualClock
from tests.evenings import FOUR

RUBBISH = b"\xa5" * 1024
EVENTS = 1
"""The page, counted from 0, on which the table of events begins."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table.db"


def play(path: Path, rounds: int = 2) -> list[Ledger]:
    """Play an evening and close it; return the ledger after each event."""
    hub = Hub(GAMES, Journal(path, GAMES), build(clock=VirtualClock(at=1.8e9)))
    hub.do(c.OpenTable("mexican-train/classic", FOUR, starter=1))
    for _ in range(rounds):
        hub.do(c.GoOut(1))
        for seat in (2, 3, 4):
            hub.do(c.EnterScore(seat, 10 * seat))
        hub.do(c.NextRound())
    hub.journal.close()
    with closing(Journal(path, GAMES, read_only=True)) as journal:
        recorded = list(journal.read())
    ledgers = [Ledger.blank(GAMES)]
    for each in recorded:
        ledgers.append(ledgers[-1].apply(each))
    return ledgers


def forget_the_snapshot(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("DELETE FROM settings WHERE key = 'snapshot'")
        database.commit()


def hurt(path: Path, event: int) -> None:
    """Flip one bit of an event."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE events SET crc = crc + 1 WHERE seq = ?", (event,))
        database.commit()


def spoil(path: Path, page: int, content: bytes = RUBBISH) -> None:
    with path.open("r+b") as file:
        file.seek(page * 1024)
        file.write(content)


def kept(path: Path, word: str) -> list[Path]:
    """Return the files beside a journal, without logs."""
    found = path.parent.glob(f"{path.name}.{word}-*")
    return [each for each in found if not each.name.endswith("-wal")]


@given(share=st.floats(0, 1, exclude_max=True), with_snapshot=st.booleans())
def test_the_game_that_is_on_is_cut_back_to_its_last_whole_action(
    tmp_path_factory: pytest.TempPathFactory, share: float, with_snapshot: bool
) -> None:
    """For any flipped bit: no action is split, the damaged file is kept as it was, the next start
    reports nothing, and play goes on.
    """
    path = tmp_path_factory.mktemp("card") / "table.db"
    ledgers = play(path, rounds=1)
    if not with_snapshot:
        forget_the_snapshot(path)
    event = 1 + int(share * (len(ledgers) - 1))
    hurt(path, event)
    before = path.read_bytes()

    with closing(Journal(path, GAMES)) as journal:
        ledger = journal.recover(GAMES)
        told = journal.file.incident
    if told is None:  # a snapshot stands for all that is hurt
        assert with_snapshot
        assert ledgers[-1].table == ledger.table
        return
    assert ledger.seq < event
    assert ledgers[ledger.seq].table == ledger.table
    assert f"as it was at event {ledger.seq}" in str(told)
    assert [before] == [each.read_bytes() for each in kept(path, "damaged")]
    steps = {each.seq for each in ledgers[-1].past}
    assert ledger.seq + 1 in steps or ledger.seq == 0

    hub = Hub(GAMES, Journal(path, GAMES), build(clock=VirtualClock(at=1.8e9)))
    assert (None, ledger.table) == (hub.journal.file.incident, hub.table)
    hub.do(c.Undo() if ledger.seq else c.OpenTable("mexican-train/classic", FOUR))
    hub.journal.close()
    with closing(Journal(path, GAMES)) as journal:
        assert hub.seq == journal.recover(GAMES).seq


def test_damage_affects_no_earlier_evening(path: Path) -> None:
    """A lost page of tonight's game affects no earlier evening."""
    play(path)
    hub = Hub(GAMES, Journal(path, GAMES), build(clock=VirtualClock(at=1.8e9)))
    hub.do(c.FinishGame())
    hub.do(c.OpenTable("mexican-train/classic", FOUR, starter=1))
    begun = hub.seq
    for _ in range(60):
        hub.do(c.CallLastTile(1))
        hub.do(c.Undo())
    hub.journal.close()
    hurt(path, begun + 50)

    with closing(Journal(path, GAMES)) as journal:
        ledger = journal.recover(GAMES)
        assert begun <= ledger.seq < begun + 50
        assert list(range(1, ledger.seq + 1)) == [each.seq for each in journal.read()]


LANGUAGE: SettingKey[str] = SettingKey("language", str, "")


@pytest.mark.parametrize("how", ["rubbish", "zeros", "its name alone", "its schema alone"])
def test_a_lost_first_page_costs_nothing(path: Path, how: str) -> None:
    """It only points to the tables, which are in the same place in all our files: every event, name
    and setting is recovered, and the damaged file is kept.
    """
    ledgers = play(path)
    with closing(Journal(path, GAMES)) as journal:
        journal.keep([JournalEntry(settings={"language": b'"es"'})])
        name = Settings.of(journal)[JOURNAL_NAME]
    match how:
        case "rubbish":
            spoil(path, 0)
        case "zeros":
            spoil(path, 0, bytes(1024))
        case "its name alone":
            spoil(path, 0, bytes(16))
        case _:
            spoil(path, 0, path.read_bytes()[:100] + bytes(924))
    before = path.read_bytes()

    with closing(Journal(path, GAMES)) as journal:
        assert ledgers[-1].table == journal.recover(GAMES).table
        remembered = Settings.of(journal)
        assert "es" == remembered[LANGUAGE]
        assert name == remembered[JOURNAL_NAME]
        assert set(FOUR) == set(remembered.players())
        told = str(journal.file.incident)
    assert f"{ledgers[-1].seq} events could be saved from it" in told
    assert [before] == [each.read_bytes() for each in kept(path, "damaged")]


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_an_unreadable_file_is_replaced_and_reported(path: Path, share: float) -> None:
    """A new journal is started, or the game goes on if snapshot and later events are left; the
    damaged file is kept for anybody who can read it."""
    play(path)
    content = path.read_bytes()
    whole = int(len(content) * share) // 1024 * 1024
    path.write_bytes(bytes(len(content) - whole) + content[len(content) - whole :])

    hub = Hub(GAMES, Journal(path, GAMES), build(clock=VirtualClock(at=1.8e9)))
    assert "The card has damaged" in str(hub.journal.file.incident)
    hub.do(c.FinishGame() if share else c.OpenTable("mexican-train/classic", FOUR))
    hub.journal.close()
    assert 1 == len(kept(path, "damaged"))


@pytest.mark.parametrize("page", [0, 1])
def test_a_lost_page_that_points_to_all_others_costs_nothing(path: Path, page: int) -> None:
    """The pages below it are read one by one, also events that go on in other pages."""
    play(path)
    with closing(Journal(path, GAMES)) as journal:
        seq = journal.recover(GAMES).seq
        journal.append(
            Recorded(seq + n, 1.0, seq + n, SeatTaken(1, f"name {n} " * 300 * (n % 9 == 0)))
            for n in range(1, 200)
        )
        rows = list(journal.stored_rows())
    spoil(path, page)

    with closing(Journal(path, GAMES)) as journal:
        journal.recover(GAMES)
        assert rows == list(journal.stored_rows())
        assert page == 0 or "The card has damaged" in str(journal.file.incident)


def test_a_schema_that_is_no_text_is_damage(path: Path) -> None:
    """SQLite quotes it in a message that Python cannot read."""
    play(path)
    content = bytearray(path.read_bytes())
    at = content.index(b"CREATE TABLE settings")
    content[at : at + 12] = b"CREATE\xd4\xd4\xd4\xd4\xd4\xd4"
    path.write_bytes(content)

    with pytest.raises(JournalError):
        Journal(path, GAMES, read_only=True)
    with closing(Journal(path, GAMES)) as journal:
        assert journal.recover(GAMES).seq


def test_a_first_page_lost_in_a_power_cut_is_recovered_with_the_log(path: Path) -> None:
    """Rows that were not checkpointed yet are recovered from the log."""
    journal = Journal(path, GAMES)
    recorded = [Recorded(n, 1.0, n, SeatTaken(1, f"name {n}")) for n in range(1, 40)]
    for each in recorded:
        journal.append([each])
    other = path.parent / "cut" / "table.db"
    other.parent.mkdir()
    for file in path.parent.glob("table.db*"):
        shutil.copy(file, other.parent)
    journal.close()
    spoil(other, 0)

    with closing(Journal(other, GAMES)) as journal:
        assert recorded == list(journal.read())


def test_a_disk_without_room_for_it_changes_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused as damaged, and the file is as it was."""
    ledgers = play(path)
    forget_the_snapshot(path)
    hurt(path, ledgers[-1].seq)
    before = path.read_bytes()

    def full(*about: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", full)
    with closing(Journal(path, GAMES)) as journal, pytest.raises(CardDamage):
        journal.recover(GAMES)
    assert before == path.read_bytes()
    assert [] == kept(path, "damaged")


def page_of(path: Path, table: str) -> int:
    """Return the page, counted from 0, on which a table begins."""
    with closing(sqlite3.connect(path)) as database:
        query = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
        return int(database.execute(query, (table,)).fetchone()[0]) - 1


@pytest.mark.parametrize("table", ["settings", "players"])
def test_a_flipped_bit_in_a_page_of_settings_or_names_does_not_prevent_a_start(
    path: Path, tmp_path: Path, table: str
) -> None:
    """The damaged row counts as missing, and no event is lost."""
    ledgers = play(path)
    page, content = 8 * 1024 * page_of(path, table), path.read_bytes()
    for bit in (*range(96), *range(100, 8192, 83)):
        damaged = bytearray(content)
        damaged[(page + bit) // 8] ^= 1 << bit % 8
        copy = tmp_path / str(bit) / "table.db"
        copy.parent.mkdir()
        copy.write_bytes(damaged)
        hub = Hub(GAMES, Journal(copy, GAMES), build(clock=VirtualClock(at=1.8e9)))
        assert ledgers[-1].table == hub.table, bit
        hub.do(c.Rename(1, "Zoe"))
        hub.journal.close()


@pytest.mark.parametrize("table", ["settings", "players"])
def test_a_lost_page_of_settings_or_names_is_left_out_on_a_read_only_disk(
    path: Path, monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    """It cannot be repaired there, and the table can still be looked at."""
    ledgers = play(path)
    spoil(path, page_of(path, table))
    for module in ("opening", "database_file"):
        monkeypatch.setattr(f"centerpiece.storage.{module}.may_write", lambda path: False)

    with closing(Journal(path, GAMES)) as journal:
        assert ledgers[-1].table == journal.recover(GAMES).table
        Settings.of(journal)


def test_the_time_of_a_damaged_last_event_is_a_number(path: Path) -> None:
    with closing(Journal(path, GAMES)) as journal:
        journal.append([Recorded(1, 1.0, 1, SeatTaken(1, "Ann"))])
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA writable_schema = ON")
        database.execute("UPDATE sqlite_schema SET sql = replace(sql, 'at REAL NOT NULL', 'at')")
        database.commit()
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE events SET at = NULL")
        database.commit()

    with closing(Journal(path, GAMES, read_only=True)) as journal:
        assert 0.0 == journal.last_at()


# Under a running hub


def overwrite(path: Path, content: bytes) -> None:
    """Overwrite the content of the same file, as `cp` and `dd` do."""
    with path.open("r+b") as file:
        file.truncate()
        file.write(content)


@pytest.mark.parametrize(
    "what", ["zeros", "rubbish", "nothing", "an older copy", "another journal"]
)
def test_a_journal_that_is_overwritten_is_noticed_and_written_anew(
    path: Path, tmp_path: Path, what: str
) -> None:
    """All of tonight's game is there after a restart, and the overwriting content is kept."""
    play(path)
    older = path.read_bytes()
    hub = Hub(GAMES, Journal(path, GAMES), build(clock=VirtualClock(at=1.8e9)))
    hub.do(c.FinishGame())
    hub.do(c.OpenTable("mexican-train/classic", FOUR, starter=2))
    hub.do(c.CallLastTile(3))
    hub.journal.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    hub.do(c.CallLastTile(4))
    assert hub.journal.file.incident is None
    if what == "another journal":
        play(tmp_path / "other" / "table.db", rounds=9)
    match what:
        case "zeros":
            content = bytes(20 * 1024)
        case "rubbish":
            content = RUBBISH * 20
        case "nothing":
            content = b""
        case "an older copy":
            content = older
        case _:
            content = (tmp_path / "other" / "table.db").read_bytes()
    overwrite(path, content)

    hub.do(c.CallLastTile(1))
    told = str(hub.journal.file.incident)
    hub.journal.close()

    assert "was overwritten while the hub was running" in told
    assert [content] * bool(content) == [each.read_bytes() for each in kept(path, "overwritten")]
    with closing(Journal(path, GAMES)) as journal:
        assert hub.table == journal.recover(GAMES).table
        assert journal.file.incident is None


def test_a_checkpoint_by_another_program_is_no_incident(path: Path) -> None:
    """A SQLite tool opens the file and checkpoints the log."""
    hub = Hub(GAMES, Journal(path, GAMES), build(clock=VirtualClock(at=1.8e9)))
    hub.do(c.OpenTable("mexican-train/classic", FOUR))
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    assert hub.journal.file.touched()
    hub.journal.keep([])
    assert hub.journal.file.incident is None
    assert not hub.journal.file.touched()
    assert 1 == hub.journal.file.foreign_changes
    hub.do(c.CallLastTile(1))
    hub.journal.close()
    assert [] == kept(path, "overwritten")


@pytest.mark.parametrize("incident", ["deleted", "overwritten", "read-only"])
def test_a_file_that_cannot_be_opened_again_is_tried_with_the_next_write(
    path: Path, monkeypatch: pytest.MonkeyPatch, incident: str
) -> None:
    """All that was acknowledged is there once the disk takes it."""
    recorded = [Recorded(n, 1.0, n, SeatTaken(1, f"name {n}")) for n in (1, 2)]
    with closing(Journal(path, GAMES)) as journal:
        journal.append(recorded[:1])
    with monkeypatch.context() as patched:
        if incident == "read-only":
            patched.setattr("centerpiece.storage.database_file.may_write", lambda path: False)
        journal = Journal(path, GAMES)
        journal.recover(GAMES)
    match incident:
        case "deleted":
            path.unlink()
        case "overwritten":
            overwrite(path, bytes(20 * 1024))
        case _:
            assert journal.file.disk_read_only

    def refuse(path: Path, read_only: bool) -> sqlite3.Connection:
        raise JournalError("{path} cannot be used now", path=str(path))

    with monkeypatch.context() as patched:
        patched.setattr("centerpiece.storage.database_file.opened", refuse)
        for _ in range(2):
            with pytest.raises(NotSaved):
                journal.keep([])
    journal.keep([])
    journal.append(recorded[1:])
    journal.close()

    with closing(Journal(path, GAMES)) as journal:
        assert recorded == list(journal.read())


def test_a_file_that_is_deleted_while_it_cannot_be_opened_is_written_anew(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = [Recorded(n, 1.0, n, SeatTaken(1, f"name {n}")) for n in (1, 2)]
    journal = Journal(path, GAMES)
    journal.append(recorded[:1])
    path.unlink()

    def refuse(path: Path, read_only: bool) -> sqlite3.Connection:
        raise JournalError("{path} cannot be used now", path=str(path))

    with monkeypatch.context() as patched:
        patched.setattr("centerpiece.storage.database_file.opened", refuse)
        with pytest.raises(NotSaved):
            journal.keep([])
    path.unlink()
    journal.append(recorded[1:])
    assert recorded == list(journal.read())
    journal.close()


def test_a_snapshot_does_not_hide_that_the_file_was_overwritten(path: Path) -> None:
    """Its write would look like the last one to the file."""
    hub = Hub(GAMES, Journal(path, GAMES), build(clock=VirtualClock(at=1.8e9)))
    hub.do(c.OpenTable("mexican-train/classic", FOUR, starter=1))
    hub.journal.checkpoint()
    hub.journal.keep([JournalEntry(snapshot=hub.ledger)])
    content = bytes(path.stat().st_size)
    overwrite(path, content)
    hub.journal.keep_snapshot()
    hub.journal.checkpoint()

    hub.do(c.CallLastTile(1))
    assert "was overwritten" in str(hub.journal.file.incident)
    assert [content] == [each.read_bytes() for each in kept(path, "overwritten")]
    hub.journal.close()
    with closing(Journal(path, GAMES)) as journal:
        assert hub.table == journal.recover(GAMES).table
