"""Acknowledged events are recovered or reported missing after damage to a killed hub's files."""

import errno
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import Hub
from centerpiece.storage.backup import contents, restore, save
from centerpiece.storage.errors import CardDamage
from centerpiece.storage.files import set_aside
from centerpiece.storage.journal import Journal
from centerpiece.storage.salvage import TABLE_LEAF
from centerpiece.storage.schema import PAGE
from centerpiece.table import commands as c
from centerpiece.table.events import SeatTaken
from centerpiece.table.undo import Ledger, Recorded
from sim.board import build
from sim.clock import VirtualClock
from tests.evenings import FOUR

MARK, LOG = "table.db-mark", "table.db-wal"
FOURTH_FRAME = 32 + 3 * 1048 + 524
"""The place of a byte in the page of the log's fourth frame."""


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Ledger]]:
    """Return a hub's folder as a kill leaves it, and its ledger after each event."""
    folder = tmp_path_factory.mktemp("killed")
    path = folder / "running" / "table.db"
    hub = Hub(GAMES, Journal(path, GAMES), build(clock=VirtualClock(at=1.8e9)))
    hub.do(c.OpenTable("mexican-train/classic", FOUR, starter=1))
    for _ in range(8):
        hub.do(c.GoOut(1))
        for seat in (2, 3, 4):
            hub.do(c.EnterScore(seat, 10 * seat))
        hub.do(c.NextRound())
    left = Path(shutil.copytree(path.parent, folder / "left", ignore=_index))
    ledgers = [Ledger.blank(GAMES)]
    for each in hub.journal.read():
        ledgers.append(ledgers[-1].apply(each))
    hub.journal.close()
    return left, ledgers


def _index(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name.endswith("-shm")]


def started(
    killed: tuple[Path, list[Ledger]], folder: Path, damage: Callable[[Path], object]
) -> tuple[int, str]:
    """Damage the files and start a hub; return the number of lost events and the message.

    The events that remain must be those that were played, and the second start reports nothing.
    """
    left, ledgers = killed
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(left, folder)
    damage(folder)
    path = folder / "table.db"
    with closing(Journal(path, GAMES)) as journal:
        ledger = journal.recover(GAMES)
        told = str(journal.file.incident or "")
    assert ledgers[ledger.seq].table == ledger.table
    with closing(Journal(path, GAMES)) as journal:
        assert (ledger.seq, None) == (journal.recover(GAMES).seq, journal.file.incident)
    return ledgers[-1].seq - ledger.seq, told


def flip(bit: int) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        content = bytearray((folder / LOG).read_bytes())
        content[bit // 8 % len(content)] ^= 1 << bit % 8
        (folder / LOG).write_bytes(content)

    return damage


def remove(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


@given(share=st.floats(0, 1, exclude_max=True))
@settings(max_examples=20)
def test_a_flipped_bit_in_the_log_takes_nothing(
    killed: tuple[Path, list[Ledger]], tmp_path_factory: pytest.TempPathFactory, share: float
) -> None:
    """SQLite takes it for the end of the log; here it is found and corrected."""
    folder = tmp_path_factory.getbasetemp() / "flipped"
    bits = 8 * (killed[0] / LOG).stat().st_size

    gone, told = started(killed, folder, flip(int(share * bits)))

    assert 0 == gone, told


@given(start=st.floats(0, 1, exclude_max=True), size=st.integers(1, 2048))
@settings(max_examples=20)
def test_a_lost_part_of_the_log_is_reported(
    killed: tuple[Path, list[Ledger]],
    tmp_path_factory: pytest.TempPathFactory,
    start: float,
    size: int,
) -> None:
    """No event that remains is wrong, and the loss is reported."""
    folder = tmp_path_factory.getbasetemp() / "lost"

    def damage(folder: Path) -> None:
        content = bytearray((folder / LOG).read_bytes())
        place = int(start * len(content))
        content[place : place + size] = b"\xa5" * len(content[place : place + size])
        (folder / LOG).write_bytes(content)

    gone, told = started(killed, folder, damage)

    assert not gone or "missing" in told


@pytest.mark.parametrize("bit", range(4))
@pytest.mark.parametrize("events", [7, 9, 11])
def test_a_page_that_says_it_has_fewer_events_is_reported(
    tmp_path: Path, events: int, bit: int
) -> None:
    """Also in a file at rest, which has no mark, and in a backup; SQLite believes the page."""
    path, copy = tmp_path / "table.db", tmp_path / "copy.db"
    hub = Hub(GAMES, Journal(path, GAMES), build(clock=VirtualClock(at=1.8e9)))
    hub.do(c.OpenTable("mexican-train/classic", FOUR, starter=1))
    content = b"\0"
    while not (at := _last_page(content)) or content[at + 4] != events:
        hub.do(c.Rename(1, f"Ann {hub.seq}"))
        save(path, copy, force=True)
        content = copy.read_bytes()
    played = hub.seq
    hub.journal.close()

    for file in (path, copy):
        content = bytearray(file.read_bytes())
        content[_last_page(content) + 4] ^= 1 << bit
        file.write_bytes(content)
    taken, _ = restore(copy, tmp_path / "restored" / "table.db")
    with closing(Journal(path, GAMES)) as journal:
        assert journal.recover(GAMES).seq == played or journal.file.incident
    with closing(Journal(tmp_path / "restored" / "table.db", GAMES)) as journal:
        assert journal.recover(GAMES).seq == played or taken.damage


def _last_page(content: bytes) -> int:
    """Return the place of the page with the last events; 0 if there is only one."""
    places = range(PAGE, len(content), PAGE)
    return max((at for at in places if content[at] == TABLE_LEAF), default=0)


@pytest.mark.parametrize("byte", range(32))
def test_a_flipped_bit_in_the_logs_header_takes_nothing(
    killed: tuple[Path, list[Ledger]], tmp_path: Path, byte: int
) -> None:
    """SQLite takes a log with a damaged header for an empty one."""
    gone, told = started(killed, tmp_path / "flipped", flip(8 * byte + 3))

    assert 0 == gone, told


def test_a_deleted_log_is_reported_and_the_file_kept(
    killed: tuple[Path, list[Ledger]], tmp_path: Path
) -> None:
    """Events that only the log held are lost; reading alone reports it too."""
    folder = tmp_path / "deleted"
    shutil.copytree(killed[0], folder)
    remove(LOG)(folder)
    assert "were missing" in str(contents(folder / "table.db").damage[-1].how)
    with (
        closing(Journal(folder / "table.db", GAMES, read_only=True)) as journal,
        pytest.raises(CardDamage, match="were missing"),
    ):
        journal.recover(GAMES)

    gone, told = started(killed, folder, remove(LOG))

    assert (killed[1][-1].seq, True) == (gone, "were missing" in told)
    assert 1 == len(list(folder.glob("table.db.damaged-*")))


@pytest.mark.parametrize("content", [None, b"", b"\0", b"\xff" * 12, b"\0" * 500])
def test_a_damaged_or_missing_mark_counts_as_zero(
    killed: tuple[Path, list[Ledger]], tmp_path: Path, content: bytes | None
) -> None:
    """It does not prevent a start."""

    def damage(folder: Path) -> None:
        if content is None:
            remove(MARK)(folder)
        else:
            (folder / MARK).write_bytes(content)

    assert (0, "") == started(killed, tmp_path / "mark", damage)


def test_a_mark_without_its_journal_is_reported_once(
    killed: tuple[Path, list[Ledger]], tmp_path: Path
) -> None:
    """File and log are gone, and the hub was killed: a new journal begins, but not in silence."""

    def damage(folder: Path) -> None:
        remove("table.db")(folder)
        remove(LOG)(folder)

    gone, told = started(killed, tmp_path / "gone", damage)

    assert (killed[1][-1].seq, True) == (gone, "0 events could be saved" in told)


def test_the_end_of_a_journal_without_its_beginning_begins_anew(
    killed: tuple[Path, list[Ledger]], tmp_path: Path
) -> None:
    """The rows in the log follow from nothing."""
    with closing(Journal(killed[0] / "table.db", GAMES, read_only=True)) as journal:
        played = list(journal.read())
    running = Journal(tmp_path / "running" / "table.db", GAMES)
    running.append(played[:40])
    running.checkpoint()
    running.append(played[40:])
    path = shutil.copytree(tmp_path / "running", tmp_path / "left", ignore=_index) / "table.db"
    running.close()
    path.unlink()

    with closing(Journal(path, GAMES)) as journal:
        assert 0 == journal.recover(GAMES).seq
        assert "is missing, although" in str(journal.file.incident)


def test_the_mark_of_another_journal_counts_as_zero(
    killed: tuple[Path, list[Ledger]], tmp_path: Path
) -> None:
    """Somebody has moved files."""
    path = tmp_path / "table.db"
    Journal(path, GAMES).close()
    shutil.copy(killed[0] / MARK, tmp_path)

    with closing(Journal(path, GAMES)) as journal:
        assert (0, None) == (journal.recover(GAMES).seq, journal.file.incident)


def test_an_older_file_in_its_place_is_reported_once(
    killed: tuple[Path, list[Ledger]], tmp_path: Path
) -> None:
    """A mark that is ahead does not prevent a start."""
    folder = tmp_path / "older"
    shutil.copytree(killed[0], folder)
    remove(LOG)(folder)
    hub = Hub(GAMES, Journal(folder / "table.db", GAMES), build(clock=VirtualClock(at=1.8e9)))
    assert "were missing" in str(hub.journal.file.incident)
    hub.do(c.OpenTable("mexican-train/classic", FOUR, starter=1))
    hub.journal.close()

    with closing(Journal(folder / "table.db", GAMES)) as journal:
        assert (hub.seq, None) == (journal.recover(GAMES).seq, journal.file.incident)


def test_a_backup_has_what_the_log_still_holds_after_a_flipped_bit(
    killed: tuple[Path, list[Ledger]], tmp_path: Path
) -> None:
    """So has a restored file, since both count as proof that all is there."""
    folder = Path(shutil.copytree(killed[0], tmp_path / "flipped"))
    flip(8 * FOURTH_FRAME)(folder)
    seqs = list(range(1, killed[1][-1].seq + 1))

    saved = save(folder / "table.db", tmp_path / "copy.db")
    restored, _ = restore(folder / "table.db", tmp_path / "other" / "table.db")

    for file, found in ((tmp_path / "copy.db", saved), (tmp_path / "other/table.db", restored)):
        assert (len(seqs), ()) == (found.events, found.damage)
        with closing(Journal(file, GAMES, read_only=True)) as journal:
            assert seqs == [each.seq for each in journal.read()]


def test_a_backup_reports_what_the_log_has_lost(
    killed: tuple[Path, list[Ledger]], tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(killed[0], tmp_path / "lost"))
    log = folder / LOG
    log.write_bytes(log.read_bytes()[:FOURTH_FRAME])

    saved = save(folder / "table.db", tmp_path / "copy.db")
    restored, _ = restore(folder / "table.db", tmp_path / "other" / "table.db")

    for found in (saved, restored):
        assert found.events < killed[1][-1].seq
        assert found.events + 1 == found.damage[-1].seq
        assert f"to {killed[1][-1].seq} were missing" in str(found.damage[-1].how)


def test_reading_alone_leaves_the_mark_for_the_hub(
    killed: tuple[Path, list[Ledger]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a disk that may not be written, SQLite makes no log to read."""
    folder = Path(shutil.copytree(killed[0], tmp_path / "deleted"))
    remove(LOG)(folder)
    with monkeypatch.context() as patched:
        patched.setattr("centerpiece.storage.opening.may_write", lambda path: False)
        with closing(Journal(folder / "table.db", GAMES, read_only=True)):
            pass

    with closing(Journal(folder / "table.db", GAMES)) as journal:
        assert "were missing" in str(journal.file.incident)


def test_a_disk_that_is_read_only_by_now_lets_a_journal_be_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mark stays, and the lock is released."""
    path = tmp_path / "table.db"
    journal = Journal(path, GAMES)
    journal.append([Recorded(1, 1.0, 1, SeatTaken(1, "Ann"))])

    def refuse(file: Path, missing_ok: bool = False) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", refuse)
        journal.close()

    assert path.with_name(MARK).exists()
    with closing(Journal(path, GAMES)) as again:
        assert (None, [1]) == (again.file.incident, [each.seq for each in again.read()])


def no_room(*about: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_events_of_a_damaged_log_are_added_to_a_file_that_cannot_be_replaced(
    killed: tuple[Path, list[Ledger]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no room for another, and the next start finds all events."""
    folder = Path(shutil.copytree(killed[0], tmp_path / "flipped"))
    flip(8 * FOURTH_FRAME)(folder)
    with monkeypatch.context() as patched:
        patched.setattr("centerpiece.storage.database_file.set_aside", no_room)
        for told in (True, False):
            with closing(Journal(folder / "table.db", GAMES)) as journal:
                assert killed[1][-1].table == journal.recover(GAMES).table
                assert told == (journal.file.incident is not None)
                assert journal.file.in_place()


def test_a_copy_that_finds_no_room_is_removed(
    killed: tuple[Path, list[Ledger]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise every start would leave another half."""
    folder = Path(shutil.copytree(killed[0], tmp_path / "full"))
    monkeypatch.setattr("centerpiece.storage.files.sync", no_room)

    with pytest.raises(OSError, match="No space left"):
        set_aside(folder / "table.db", "damaged")
    assert [] == list(folder.glob("*.damaged-*"))


def test_a_power_cut_in_the_middle_of_a_repair_is_reported(
    killed: tuple[Path, list[Ledger]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log is gone then, and the new file has not its name yet."""
    folder = Path(shutil.copytree(killed[0], tmp_path / "flipped"))
    flip(8 * FOURTH_FRAME)(folder)

    def cut(*about: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("centerpiece.storage.database_file.os.replace", cut)
        with pytest.raises(KeyboardInterrupt):
            Journal(folder / "table.db", GAMES)

    with closing(Journal(folder / "table.db", GAMES)) as journal:
        assert "were missing" in str(journal.file.incident)


def test_a_file_cut_to_nothing_is_recovered_from_its_log(
    killed: tuple[Path, list[Ledger]], tmp_path: Path
) -> None:
    """It is not taken for a new one; reading alone reports it too."""
    folder = Path(shutil.copytree(killed[0], tmp_path / "empty"))
    (folder / "table.db").write_bytes(b"")
    with pytest.raises(CardDamage, match="it is empty"):
        Journal(folder / "table.db", GAMES, read_only=True)

    gone, told = started(killed, folder, lambda folder: (folder / "table.db").write_bytes(b""))

    assert (0, True) == (gone, "events could be saved from it" in told)
