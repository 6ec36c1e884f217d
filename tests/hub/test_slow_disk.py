"""A hub whose writer finishes, fails and stalls at any moment shows only what is written."""

from typing import Any, Literal

from hypothesis import given
from hypothesis import strategies as st

from centerpiece.games.mexican_train.game import ToggleMarker
from centerpiece.games.registry import GAMES
from centerpiece.hub.commit_queue import LATE, RETRY_SAVING, Answer
from centerpiece.hub.hub import Hub
from centerpiece.storage.errors import NotSaved
from centerpiece.storage.journal import Journal, JournalEntry
from centerpiece.storage.settings import SettingKey
from centerpiece.storage.writer import Batch, WriterReport
from centerpiece.table import commands as c
from centerpiece.table.commands import Command
from centerpiece.table.events import Event
from centerpiece.text import Problem
from hal.ports import Edge
from sim.board import build
from sim.clock import VirtualClock
from tests.evenings import FOUR, ledger_facts, replayed
from tests.strategies import Move, evenings, moves

Mood = Literal["stalls", "finishes", "fails"]
OPEN = c.OpenTable("mexican-train/classic", FOUR, 12, starter=1)
OWN: SettingKey[str] = SettingKey("own", str, "")
FULL = NotSaved("Not saved: the disk is full. Nothing has changed.")


class MoodyWriter:
    """A writer that keeps its batch until the test decides about it."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.batch: Batch | None = None
        self.taken: list[Batch] = []
        self.report: WriterReport

    def listen(self, report: WriterReport) -> None:
        self.report = report

    def write(self, batch: Batch) -> None:
        assert self.batch is None, "one batch at a time"
        self.batch = batch
        self.taken.append(batch)

    def be(self, mood: Mood) -> None:
        if self.batch is None or mood == "stalls":
            return
        batch, self.batch = self.batch, None
        if mood == "fails":
            self.report(FULL)
            return
        self.journal.keep(batch)
        self.report(None)

    def close(self) -> None:
        self.journal.close()


class Table:
    """A hub in virtual time; without a writer it writes at once."""

    def __init__(self, moody: bool = True) -> None:
        self.clock = VirtualClock()
        self.board = build(clock=self.clock)
        self.journal = Journal(":memory:", GAMES)
        self.writer = MoodyWriter(self.journal)
        writer = self.writer if moody else None
        self.hub = Hub(GAMES, self.journal, self.board, writer=writer, lots=lambda: 7)
        self.writer.listen(self.hub.wrote)
        self.hub.on_stale(self.hub.paint)
        self.answers: list[tuple[float, Command, Answer]] = []

    def order(self, command: Command) -> None:
        at = self.clock.at()
        self.hub.order(command, lambda answer: self._answered(at, command, answer))

    def _answered(self, at: float, command: Command, answer: Answer) -> None:
        if not isinstance(answer, Problem):
            assert answer <= len([*self.journal.read()]), "answered before it was written"
        self.answers.append((at, command, answer))

    def wait(self, seconds: float) -> None:
        until = self.clock.now() + seconds
        while (wake := self.hub.next_wake()) is not None and wake <= until:
            self.clock.move(max(0.0, wake - self.clock.now()))
            self.hub.wake()
        self.clock.move(max(0.0, until - self.clock.now()))

    def finish(self) -> None:
        while self.writer.batch is not None:
            self.writer.be("finishes")

    def check(self) -> None:
        """Check that the public state is exactly what is on the disk."""
        assert ledger_facts(replayed(self.journal.read())) == ledger_facts(self.hub.ledger)

    def events(self) -> list[tuple[Event, float]]:
        return [(each.event, round(each.at, 3)) for each in self.journal.read()]

    def shown(self) -> dict[str, Any]:
        """Return the public state without what depends on the time of writing."""
        passing = ("clock", "turn_clock", "notice", "said")
        return {key: value for key, value in self.hub.state().items() if key not in passing}


moods: st.SearchStrategy[list[Mood]] = st.lists(
    st.sampled_from(["stalls", "stalls", "finishes", "finishes", "fails"]), min_size=1, max_size=9
)


@given(evenings, moods)
def test_orders_end_as_they_would_with_a_disk_that_never_stalls(
    asked: list[Command], found: list[Mood]
) -> None:
    """Refused orders leave no trace; all others are answered alike and in order."""
    table, plain = Table(), Table(moody=False)
    for turn, command in enumerate(asked):
        table.order(command)
        table.writer.be(found[turn % len(found)])
        table.check()
        table.wait(0.3)
        plain.wait(0.3)
    table.finish()
    table.check()

    assert len(asked) == len(table.answers)
    for at, command, answer in table.answers:
        if not isinstance(answer, NotSaved):
            plain.clock.set(at)
            plain.order(command)
            *_, (_, _, expected) = plain.answers
            assert str(expected) == str(answer)
    assert [event for event, _ in plain.events()] == [event for event, _ in table.events()]
    assert plain.hub.table == table.hub.table
    assert table.hub.decided.ledger is table.hub.ledger


@given(moves, moods.filter(lambda found: "finishes" in found))
def test_a_card_that_stalls_only_delays(found: list[Move], turns: list[Mood]) -> None:
    """The same presses lead to the same events and the same page, however late it is written."""
    table, plain = Table(), Table(moody=False)
    table.order(OPEN)
    table.finish()
    plain.order(OPEN)
    for turn, move in enumerate(found):
        for each in (table, plain):
            each.hub.hear(Edge(move.button, move.down, each.clock.now()))
            each.wait(move.wait)
        mood = turns[turn % len(turns)]
        table.writer.be("stalls" if mood == "fails" else mood)
        table.check()
    table.finish()
    for each in (table, plain):
        each.wait(90.0)
        table.finish()

    assert plain.events() == table.events()
    assert plain.shown() == table.shown()


def test_nothing_is_shown_played_or_answered_before_it_is_written() -> None:
    table = Table()
    table.order(OPEN)
    table.finish()
    table.wait(3.0)
    before, frame = table.shown(), table.board.lights.frame
    table.answers.clear()
    table.board.sound.played.clear()
    forwarded: list[int] = []
    table.hub.on_recorded(lambda recorded: forwarded.extend(each.seq for each in recorded))
    table.order(ToggleMarker(3))
    table.order(c.CallLastTile(2))
    table.order(c.CallLastTile(2))  # changes nothing, and says so no earlier
    table.order(c.Substitute(9, "Zoe"))  # refused, and says so no earlier

    assert (before, frame) == (table.shown(), table.board.lights.frame)
    assert ([], [], []) == (table.answers, forwarded, table.board.sound.played)
    table.finish()
    assert ["whistle"] == table.board.sound.played
    assert [True, True, True, False] == [isinstance(answer, int) for _, _, answer in table.answers]
    assert [table.hub.seq - 1, table.hub.seq] == forwarded
    assert frame != table.board.lights.frame


def test_waiting_changes_are_written_together() -> None:
    """The next batch is everything that came while the first was being written."""
    table = Table()
    table.order(OPEN)
    for seat in (1, 2, 3):
        table.order(c.CallLastTile(seat))
    table.hub.change(OWN, lambda known: "value")
    table.finish()

    assert [1, 4] == [len(batch) for batch in table.writer.taken]
    assert {1, 2, 3} == {seat["seat"] for seat in table.shown()["seats"] if seat["last_tile"]}


def test_the_start_of_a_game_is_one_write() -> None:
    """Its events, the names and the snapshot together."""
    table = Table()
    table.order(OPEN)
    (batch,) = table.writer.taken
    (entry,) = batch
    assert isinstance(entry, JournalEntry)

    assert (4, True) == (len(entry.players), entry.snapshot is not None)
    assert [] == table.hub.settings.players()
    table.finish()
    assert set(FOUR) == set(table.hub.settings.players())


def test_a_disk_that_refuses_takes_back_only_unseen_changes() -> None:
    """Every caller gets the error, the table is as it was shown, and the hub tries again."""
    table = Table()
    table.order(OPEN)
    table.finish()
    table.answers.clear()
    table.wait(3.0)
    before = table.hub.ledger
    for down in (True, False):
        table.hub.hear(Edge("seat-2", down, table.clock.now()))
        table.wait(0.05)
    table.order(c.CallLastTile(1))
    table.board.sound.played.clear()
    table.writer.be("fails")

    assert before is table.hub.ledger is table.hub.decided.ledger
    assert [FULL] == [answer for _, _, answer in table.answers]
    assert "refused" in table.board.sound.played
    assert FULL.sentence == table.hub.notice
    assert (False, False) == (table.shown()["saved"], table.shown()["saving"])
    table.wait(RETRY_SAVING + 0.1)
    assert [] == table.writer.batch, "it asks whether there is room again"
    table.writer.be("finishes")
    assert table.shown()["saved"]
    table.order(c.CallLastTile(1))
    table.finish()
    assert table.hub.seq == before.seq + 1


def test_the_disk_is_not_probed_while_the_writer_is_busy() -> None:
    """It does not ask to be woken for it again and again either."""
    table = Table()
    table.order(OPEN)
    table.finish()
    table.wait(3.0)
    table.hub.paint()
    table.order(c.CallLastTile(1))
    table.hub.doubt_the_disk()
    wakes: list[float | None] = []
    for _ in range(3):
        table.hub.wake()
        wakes.append(table.hub.next_wake())

    assert all(wake is None or wake > table.clock.now() for wake in wakes)
    table.finish()
    table.hub.wake()
    assert table.writer.batch is None, "what was written has shown that there is room"


def test_a_hub_that_is_still_saving_says_so_without_alarm() -> None:
    """From half a second on, until it has saved."""
    table = Table()
    table.order(OPEN)
    news: list[tuple[bool, bool]] = []
    table.hub.on_news(lambda: news.append((table.shown()["saved"], table.shown()["saving"])))
    table.wait(LATE - 0.01)
    assert [] == news
    table.wait(0.02)
    assert [(False, True)] == news
    table.finish()

    assert (True, False) == news[-1]


def refusing(table: Table) -> None:
    """Have the disk refuse whatever it is given, at once."""
    take = table.writer.write

    def refuse(batch: Batch) -> None:
        take(batch)
        table.writer.be("fails")

    table.writer.write = refuse  # type: ignore[method-assign]


def test_a_clock_that_jumps_is_not_saved_again_and_again() -> None:
    """
    A full disk is tried every few seconds, whatever else there is to remember.
    """
    table = Table()
    table.order(OPEN)
    table.finish()
    taken = len(table.writer.taken)
    refusing(table)
    table.order(c.CallLastTile(2))
    table.clock.set(table.clock.at() + 3600)
    table.wait(4 * RETRY_SAVING)

    assert len(table.writer.taken) - taken <= 6


def test_a_retry_that_loses_nothing_closes_no_question() -> None:
    """
    The disk stays full while somebody asks who went out.
    """
    table = Table()
    table.order(OPEN)
    table.finish()
    refusing(table)
    table.order(c.CallLastTile(1))
    table.wait(RETRY_SAVING - 0.5)
    for down in (True, False):
        table.hub.hear(Edge("advance", down, table.clock.now()))
        table.wait(0.1)
    assert "out" == table.hub.state()["asks"]["what"]
    table.wait(1.0)

    assert "out" == table.hub.state()["asks"]["what"]


def test_a_listener_that_orders_finds_the_hub_up_to_date() -> None:
    """
    The change that it orders is not overwritten by the change it was notified of.
    """
    table = Table(moody=False)
    table.order(OPEN)
    table.board.sound.listeners.append(
        lambda cue, volume: table.hub.open_pairing() if cue == "whistle" else None
    )
    table.order(c.CallLastTile(1))

    assert table.hub.pairing() is not None
