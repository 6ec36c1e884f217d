"""The integrity check: a file that is gone, and damage that nobody has read yet."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import Hub
from centerpiece.service.integrity_check import REST, ROWS, IntegrityCheck
from centerpiece.storage.journal import Journal
from centerpiece.table import commands as c
from hal.ports import Trouble
from sim.board import build
from sim.clock import VirtualClock
from tests.evenings import FOUR


class Rig:
    """A hub with an evening behind it, and its integrity check, called by hand."""

    def __init__(self, path: Path) -> None:
        self.told: list[Trouble] = []
        self.hub = Hub(GAMES, Journal(path, GAMES), build(clock=VirtualClock(at=1.8e9)))
        self.hub.do(c.OpenTable("mexican-train/classic", FOUR))
        self.integrity_check = IntegrityCheck(self.hub, self.told.append, self._call)

    def _call(self, wish: object) -> None:
        assert wish == self.hub.doubt_the_disk
        self.hub.doubt_the_disk()
        self.hub.wake()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table.db"


def test_a_file_that_is_gone_is_noticed_without_a_press(path: Path) -> None:
    """It is written anew, the page says so, and the disk is not probed again and again."""
    rig = Rig(path)
    path.unlink()

    rig.integrity_check.look(1.0)
    rig.integrity_check.look(2.0)

    assert "was removed while the hub was running" in rig.told[-1].message
    assert rig.hub.state()["saved"] is True
    asked = rig.hub.journal.database.total_changes
    rig.hub.board.clock.move(60.0)  # type: ignore[attr-defined]
    rig.hub.wake()
    assert asked == rig.hub.journal.database.total_changes
    rig.hub.journal.close()
    with closing(Journal(path, GAMES)) as journal:
        assert rig.hub.seq == journal.recover(GAMES).seq


def test_a_file_that_is_overwritten_is_noticed_without_a_press(path: Path) -> None:
    """The same file with other content; all events are then read again."""
    rig = Rig(path)
    rig.integrity_check.look(1.0)
    rig.integrity_check.look(2.0)
    rig.hub.journal.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    rig.hub.do(c.CallLastTile(1))
    with path.open("r+b") as file:
        file.write(bytes(path.stat().st_size))

    rig.integrity_check.look(3.0)
    rig.integrity_check.look(4.0)

    assert "was overwritten while the hub was running" in rig.told[-1].message
    assert 2 == rig.told.count(Trouble("games", ""))
    assert rig.hub.state()["saved"] is True
    rig.hub.journal.close()
    with closing(Journal(path, GAMES)) as journal:
        assert rig.hub.table == journal.recover(GAMES).table


def test_damage_is_reported_with_its_evening(path: Path) -> None:
    """A few events in each check, wherever the damage is; all are read again another day."""
    rig = Rig(path)
    for _ in range(ROWS):
        rig.hub.do(c.CallLastTile(2))
        rig.hub.do(c.Undo())
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE events SET at = at + 1 WHERE seq = ?", (ROWS + 50,))
        database.commit()

    rig.integrity_check.look(1.0)
    assert [] == rig.told
    rig.integrity_check.look(2.0)
    rig.integrity_check.look(3.0)

    day = "2027-01-15 (1)"
    assert f"Damaged on the card: what was played on {day}." in rig.told[-1].message
    count = len(rig.told)
    rig.integrity_check.look(4.0)
    assert count == len(rig.told)
    rig.integrity_check.look(REST + 10.0)
    rig.integrity_check.look(REST + 11.0)
    assert count < len(rig.told)
    rig.hub.do(c.CallLastTile(3))
    rig.hub.journal.close()


def test_a_whole_journal_is_no_trouble(path: Path) -> None:
    """An empty message is not shown."""
    rig = Rig(path)

    rig.integrity_check.look(1.0)

    assert [Trouble("games", "")] == rig.told
    rig.hub.journal.close()
