"""One contract for both writers: a batch is one transaction, in order, and reported."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from centerpiece.games.registry import GAMES
from centerpiece.storage.errors import NotSaved
from centerpiece.storage.journal import Journal, JournalEntry
from centerpiece.storage.writer import DirectWriter, ThreadWriter, Writer
from centerpiece.table.events import SeatTaken
from centerpiece.table.undo import Recorded
from tests.patience import TIMEOUT_S

pytestmark = pytest.mark.real_time("a thread that writes")


def entry(seq: int, **settings: bytes) -> JournalEntry:
    return JournalEntry((Recorded(seq, 1.0, seq, SeatTaken(seq, f"Name {seq}")),), settings)


class Rig:
    """A writer, and its reports."""

    def __init__(self, path: Path, kind: Callable[[Journal], Writer]) -> None:
        self.path = path
        self.journal = Journal(path, GAMES)
        self.writer = kind(self.journal)
        self.reports: SimpleQueue[NotSaved | None] = SimpleQueue()

    def told(self) -> NotSaved | None:
        return self.reports.get(timeout=TIMEOUT_S)

    def kept(self) -> tuple[list[int], list[str]]:
        """Return the stored events, and the tests' own settings."""
        journal = Journal(self.path, GAMES, read_only=True)
        try:
            settings = journal.query("SELECT key FROM settings WHERE key LIKE 'own%' ORDER BY key")
            return [each.seq for each in journal.read()], [key for (key,) in settings]
        finally:
            journal.close()


@pytest.fixture(params=[DirectWriter, ThreadWriter])
def rig(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Rig]:
    rig = Rig(tmp_path / "table.db", request.param)
    yield rig
    rig.writer.close()


def test_a_batch_is_on_the_disk_when_it_is_reported(rig: Rig) -> None:
    """Events of several orders and their settings in one transaction."""
    rig.writer.listen(rig.reports.put)
    rig.writer.write(
        [entry(1), JournalEntry(settings={"own-1": b"1"}), entry(2, **{"own-2": b"2"})]
    )

    assert rig.told() is None
    assert ([1, 2], ["own-1", "own-2"]) == rig.kept()


def test_a_batch_waits_until_somebody_listens(rig: Rig) -> None:
    rig.writer.write([entry(1)])
    assert ([], []) == rig.kept()
    rig.writer.listen(rig.reports.put)

    assert rig.told() is None
    assert ([1], []) == rig.kept()


def test_a_batch_is_atomic_and_the_next_one_is_tried(rig: Rig) -> None:
    """All of a batch is refused if the disk refuses part of it."""
    rig.writer.listen(rig.reports.put)
    rig.writer.write([entry(1), entry(2, own=b"1"), entry(1)])
    assert "Not saved" in str(rig.told())
    assert ([], []) == rig.kept()
    rig.writer.write([entry(1)])

    assert rig.told() is None
    assert ([1], []) == rig.kept()


def test_an_empty_batch_probes_the_disk(rig: Rig) -> None:
    """It writes and deletes one row."""
    rig.writer.listen(rig.reports.put)
    for refuses in (True, False):
        rig.journal.database.execute(f"PRAGMA query_only = {refuses}")
        rig.writer.write([])
        assert refuses == (rig.told() is not None)

    assert ([], []) == rig.kept()


def test_a_bug_does_not_stop_the_writer(rig: Rig) -> None:
    """The error is reported, and the next batch is written."""
    rig.writer.listen(rig.reports.put)
    rig.writer.write([JournalEntry(settings={"own": object()})])  # type: ignore[dict-item]
    assert "Not saved" in str(rig.told())
    rig.writer.write([entry(1)])

    assert rig.told() is None


def test_close_releases_the_journal_after_the_last_batch(rig: Rig) -> None:
    """Another hub may open it at once."""
    rig.writer.listen(rig.reports.put)
    rig.writer.write([entry(1)])
    rig.writer.close()
    rig.writer.close()
    again = Journal(rig.path, GAMES)

    assert [1] == [each.seq for each in again.read()]
    again.close()


def test_only_an_idle_writer_makes_a_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log keeps its size from the first write on; an idle writer moves it into the file."""
    rested: SimpleQueue[None] = SimpleQueue()
    monkeypatch.setattr("centerpiece.storage.writer.REST", 0.01)
    rig = Rig(tmp_path / "table.db", ThreadWriter)
    checkpoint = rig.journal.checkpoint

    def noted() -> None:
        checkpoint()
        rested.put(None)

    monkeypatch.setattr(rig.journal, "checkpoint", noted)
    rig.writer.listen(rig.reports.put)
    rested.get(timeout=TIMEOUT_S)
    log, sizes = rig.path.with_name("table.db-wal"), []
    for seq in (1, 2):
        rig.writer.write([entry(seq)])
        assert rig.told() is None
        rested.get(timeout=TIMEOUT_S)
        sizes.append(log.stat().st_size)

    assert sizes[0] == sizes[1] > 200_000
    file = tmp_path / "alone.db"
    file.write_bytes(rig.path.read_bytes())
    with closing(Journal(file, GAMES, read_only=True)) as alone:
        assert [1, 2] == [each.seq for each in alone.read()]
    rig.writer.close()


@pytest.mark.parametrize("seam", ["stat", "checkpoint"])
def test_an_error_while_idle_does_not_stop_the_writer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seam: str
) -> None:
    """A card that refuses to report the log's size, or any bug; the next batch is written."""
    rested: SimpleQueue[None] = SimpleQueue()
    monkeypatch.setattr("centerpiece.storage.writer.REST", 0.01)
    rig = Rig(tmp_path / "table.db", ThreadWriter)
    stat = os.stat

    def no_stat(path: Any, *args: Any, **options: Any) -> os.stat_result:
        if str(path).endswith("-wal"):
            rested.put(None)
            raise OSError(errno.EIO, "Input/output error")
        return stat(path, *args, **options)

    def no_checkpoint() -> None:
        rested.put(None)
        raise RuntimeError("a bug")

    with monkeypatch.context() as failing:
        if seam == "stat":
            failing.setattr(os, "stat", no_stat)
        else:
            failing.setattr(rig.journal, "checkpoint", no_checkpoint)
        rig.writer.listen(rig.reports.put)
        rested.get(timeout=TIMEOUT_S)
    rig.writer.write([entry(1)])

    assert rig.told() is None
    rig.writer.close()


def test_sqlite_makes_no_checkpoint_by_itself(tmp_path: Path) -> None:
    """Only `checkpoint` moves the log into the file, however long it is."""
    rig = Rig(tmp_path / "table.db", DirectWriter)
    rig.writer.listen(rig.reports.put)
    before = rig.path.read_bytes()
    for seq in range(1, 700):
        rig.writer.write([entry(seq)])

    assert before == rig.path.read_bytes()
    rig.journal.checkpoint()
    assert before != rig.path.read_bytes()
    rig.writer.close()
