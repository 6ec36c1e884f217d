"""Snapshots: recovery from one gives the same ledger as reading the journal from its start."""

import sys
from contextlib import closing
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from centerpiece.games.muggins.game import Muggins
from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import Hub
from centerpiece.storage import journal as journal_module
from centerpiece.storage import snapshot
from centerpiece.storage.journal import Journal, JournalEntry
from centerpiece.table import commands as c
from centerpiece.table.commands import Command
from centerpiece.table.events import GameStarted
from centerpiece.table.game_set import GameSet
from sim.board import build
from sim.clock import VirtualClock
from tests.evenings import FOUR, LiveLedger, ledger_facts, order, replayed, tried
from tests.strategies import evenings

GAME = (c.OpenTable("mexican-train/classic", FOUR), c.CallLastTile(2), c.GoOut(2))


def finish(ledger: LiveLedger) -> tuple[Command, ...]:
    """Return the commands that end a game whose first round is being scored."""
    return (*(c.EnterScore(seat, 10 + seat) for seat in (1, 3, 4)), c.FinishGame())


def two_games(hub: Hub) -> None:
    for command in (*GAME, *finish(hub.ledger), *GAME, c.Undo()):
        hub.do(command)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table.db"


def a_hub(path: Path) -> Hub:
    return Hub(GAMES, Journal(path, GAMES), build(clock=VirtualClock()))


def reads(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> tuple[LiveLedger, int]:
    """Recover a ledger; return it and the event after which reading to the end began."""
    began: list[int] = []
    stored_rows = journal.stored_rows

    def watched(after: int = 0, most: int = -1):  # type: ignore[no-untyped-def]
        if most < 0:
            began.append(after)
        return stored_rows(after, most)

    monkeypatch.setattr(journal, "stored_rows", watched)
    ledger = journal.recover(GAMES)
    return ledger, began[0]


@settings(max_examples=max(10, settings().max_examples // 2))
@given(evenings, evenings)
def test_going_on_from_a_snapshot_is_as_good_as_from_the_start(
    before: list[Command], after: list[Command]
) -> None:
    """Wherever one can be taken: the same table, undo, redo and last sentence."""
    live = LiveLedger()
    tried(live, before)
    kept = snapshot.packed(live)
    if kept is None:
        return
    found = snapshot.unpacked(kept, GAMES)
    assert found is not None
    resumed, last = LiveLedger(found[0]), found[1]

    assert ledger_facts(live) == ledger_facts(resumed)
    assert live.past[-1].events == last
    tried(live, after)
    tried(resumed, after)
    assert ledger_facts(live) == ledger_facts(resumed)


def test_the_start_of_a_game_spares_recovery_all_earlier_ones(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Events before the lobby are not read again; undo still reaches into the lobby."""
    hub = a_hub(path)
    two_games(hub)
    started = next(
        r.seq for r in reversed([*hub.journal.read()]) if isinstance(r.event, GameStarted)
    )
    live = ledger_facts(hub.ledger)
    hub.journal.close()
    journal = Journal(path, GAMES)
    ledger, began = reads(journal, monkeypatch)

    assert live == ledger_facts(ledger)
    assert live == ledger_facts(replayed(journal.read()))
    assert began >= started
    journal.close()


def test_the_end_of_a_game_spares_recovery_the_game(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = a_hub(path)
    for command in (*GAME, *finish(hub.ledger)):
        hub.do(command)
    live = ledger_facts(hub.ledger)
    hub.journal.close()
    with closing(Journal(path, GAMES)) as journal:
        ledger, began = reads(journal, monkeypatch)

    assert (live, hub.seq) == (ledger_facts(ledger), began)


def test_a_long_journal_is_not_read_again_because_of_a_new_release(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Recovery begins with the old release's snapshot, and writes its own."""
    hub = a_hub(path)
    two_games(hub)
    live = ledger_facts(hub.ledger)
    hub.journal.close()
    monkeypatch.setattr(journal_module, "LONG", 3)
    for program in (1, 2):
        monkeypatch.setattr(snapshot, "program", lambda game_set, mark=program: mark)
        with closing(Journal(path, GAMES)) as journal:
            ledger, began = reads(journal, monkeypatch)
        assert live == ledger_facts(ledger)
        assert began > 3


def test_a_long_journal_without_a_snapshot_is_read_as_a_whole_once(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Recovery then writes one."""
    hub = a_hub(path)
    two_games(hub)
    live = ledger_facts(hub.ledger)
    hub.journal.database.execute("DELETE FROM settings WHERE key = 'snapshot'")
    hub.journal.close()
    monkeypatch.setattr(journal_module, "LONG", 3)
    began = []
    for _ in range(2):
        with closing(Journal(path, GAMES)) as journal:
            ledger, first = reads(journal, monkeypatch)
        assert live == ledger_facts(ledger)
        began.append(first)

    assert began[0] == 0 < began[1]


def test_another_version_of_a_game_from_elsewhere_is_another_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its events may now give another table."""
    module = ModuleType("theirs")
    module.__file__ = str(tmp_path / "theirs.py")
    monkeypatch.setitem(sys.modules, "theirs", module)

    class Theirs(Muggins):
        __module__ = "theirs"

    marks = []
    for version in ("1", "2", "2"):
        Path(module.__file__).write_text(version)
        marks.append(snapshot.program(GameSet((Theirs(),))))

    assert marks[0] != marks[1] == marks[2]


@pytest.mark.parametrize("wrong", ["program", "event", "bytes", "shape"])
def test_a_snapshot_that_does_not_fit_is_ignored(
    path: Path, monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    """The whole journal is read if it is another program's, another journal's, or invalid."""
    hub = a_hub(path)
    two_games(hub)
    live = ledger_facts(hub.ledger)
    if wrong == "event":
        other = LiveLedger()
        order(other, c.OpenTable("mexican-train/classic", ("Zoe", "Yan", "Xi", "Wu")))
        hub.journal.keep([JournalEntry(snapshot=other.ledger)])
    elif wrong in ("bytes", "shape"):
        shape = b'{"program":%d,"mark":[]}' % snapshot.program(GAMES)
        nonsense = b"{" if wrong == "bytes" else shape
        hub.journal.database.execute(
            "UPDATE settings SET value = ? WHERE key = 'snapshot'", (nonsense,)
        )
    hub.journal.close()
    if wrong == "program":
        monkeypatch.setattr(snapshot, "program", lambda game_set: 1)
    journal = Journal(path, GAMES)
    ledger, began = reads(journal, monkeypatch)

    assert (live, 0) == (ledger_facts(ledger), began)
    journal.close()


def test_none_is_taken_while_steps_are_taken_back() -> None:
    """A snapshot does not contain the steps that redo would bring back."""
    ledger = LiveLedger()
    order(ledger, *GAME, c.Undo())

    assert snapshot.packed(ledger) is None


def test_none_is_taken_at_a_whistle_after_an_undo(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A whistle leaves the steps that redo would bring back."""
    hub = a_hub(path)
    for command in (*GAME, c.Undo(), c.BlowWhistle()):
        hub.do(command)
    monkeypatch.setattr(journal_module, "LONG", hub.seq)
    assert snapshot.packed(hub.ledger) is None
    hub.do(c.Redo())
    live = ledger_facts(hub.ledger)
    hub.journal.close()

    for _ in range(2):
        with closing(Journal(path, GAMES)) as journal:
            assert live == ledger_facts(journal.recover(GAMES))


def test_a_snapshot_that_events_do_not_follow_is_ignored(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All events are read instead, which speak for themselves."""
    ledger = LiveLedger()
    recorded = order(ledger, *GAME)
    undone = order(ledger, c.Undo(), c.BlowWhistle())
    wrong = replace(ledger.ledger, future=())
    with closing(Journal(path, GAMES)) as journal:
        journal.keep([JournalEntry((*recorded, *undone), snapshot=wrong)])
        journal.keep_snapshot()
        journal.append(order(ledger, c.Redo()))

    with closing(Journal(path, GAMES)) as journal:
        assert ledger_facts(ledger) == ledger_facts(journal.recover(GAMES))


def test_a_disk_that_takes_no_snapshot_does_not_stop_the_game(path: Path) -> None:
    """It only makes the next start slower."""
    hub = a_hub(path)
    hub.journal.database.execute(
        "CREATE TRIGGER no_room BEFORE INSERT ON settings BEGIN SELECT RAISE(FAIL, 'full'); END"
    )
    hub.do(GAME[0])

    assert "playing" == hub.table.phase
    assert [] == hub.journal.query("SELECT * FROM settings WHERE key = 'snapshot'")
    hub.journal.close()


def test_damage_before_the_snapshot_does_not_stop_a_start(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same holds for the first start of another release, which would read everything."""
    hub = a_hub(path)
    two_games(hub)
    live = ledger_facts(hub.ledger)
    hub.journal.database.execute("UPDATE events SET body = X'FF' WHERE seq = 2")
    hub.journal.close()
    monkeypatch.setattr(snapshot, "program", lambda game_set: 1)

    with closing(Journal(path, GAMES)) as journal:
        assert live == ledger_facts(journal.recover(GAMES))
