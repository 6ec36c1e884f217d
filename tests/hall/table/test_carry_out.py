"""Orders of the hall, as tables carry them out and refuse them."""

from typing import Any

import fakeredis
from msgspec.structs import replace

from centerpiece.hall.server import desk_requests as ask
from centerpiece.hall.server import documents
from centerpiece.hall.wire import hall_keys
from centerpiece.hall.wire import hall_orders as orders
from centerpiece.hall.wire.table_line import SILENT_AFTER
from centerpiece.table import commands as c
from sim.clock import VirtualClock
from tests.hall.tables import HALL, HallRoom, HallTable, Rally

SIX = ("Ann", "Bob", "Cara", "Dan", "Eve", "Finn")
CARD = orders.HandCard("mexican-train/rally", 12)


def seat_everybody(rally: Rally) -> None:
    for n, table in enumerate(rally.tables, start=1):
        table.do(*(c.Join(f"{name} {n}", seat) for seat, name in enumerate(SIX, start=1)))


def start(rally: Rally, **how: Any) -> None:
    seat_everybody(rally)
    rally.ask(CARD)
    rally.ask(ask.StartRequest(**how))
    rally.wait(6)
    rally.settle()


def flags(rally: Rally) -> list[list[str]]:
    """Return what the hall says is wrong, table by table."""
    page = documents.document(rally.desk, rally.clock.at())
    return [[str(flag) for flag in row["flags"]] for row in page["tables"]]


def test_all_tables_start_at_the_same_moment(rally: Rally) -> None:
    seat_everybody(rally)
    rally.ask(CARD)
    rally.ask(ask.StartRequest(in_s=5))
    rally.wait(4.9)
    assert {"lobby"} == rally.phases()
    rally.wait(0.2)

    assert {"playing"} == rally.phases()
    assert [9, 9] == [table.hub.state()["engine"] for table in rally.tables]
    assert 1 == len({table.hub.table.started_at for table in rally.tables})


def test_warnings_sound_everywhere_at_the_same_moment(rally: Rally) -> None:
    """By the hall's clock, also at a table where the game began late."""
    start(rally, minutes=105)
    late = rally.tables[1]
    late.do(c.FinishGame(), c.OpenLobby())
    rally.wait(300)
    late.do(c.Start())
    for table in rally.tables:
        table.board.sound.played.clear()
    rally.wait(105 * 60 - 15 * 60 - 301 - 1)
    assert [[], []] == [table.board.sound.played for table in rally.tables]
    rally.wait(2)

    assert [["time"], ["time"]] == [table.board.sound.played for table in rally.tables]
    assert [15 * 60 - 1] * 2 == rally.clocks()


def test_a_hub_whose_clock_is_wrong_follows_the_halls(rally: Rally) -> None:
    table = rally.tables[0]
    table.clock = table.hub.clock = wrong = VirtualClock(at=rally.clock.at() - 3600)
    table.carry_out.set_offset(3600.0)
    start(rally, minutes=105)
    wrong.move(6)
    table.carry_out.wake()

    first, second = rally.clocks()
    assert abs(first - second) <= 1


def test_the_halls_clock_holds_whatever_a_tables_own_rules_say(rally: Rally) -> None:
    """Another limit, agreed on or undone, does not move it; a table past its own limit plays on."""
    start(rally, minutes=30)
    rally.ask(ask.ClockRequest(40))
    table = rally.tables[0]
    assert [2400, 2400] == rally.clocks()
    for change in (c.ChangeRule("time_limit_min", 60), c.Undo()):
        table.do(change)
        assert [2400, 2400] == rally.clocks()
    rally.wait(31 * 60)
    table.score_round(0, 1, 2, 3, 4, 5)
    assert "playing" == table.phase
    rally.wait(10 * 60)
    table.score_round(0, 1, 2, 3, 4, 5)
    assert "finished" == table.phase


def test_a_clock_that_the_hall_sets_is_seen_and_heard_without_a_press(rally: Rally) -> None:
    """Pages are updated, the hub asks to be woken, and the warning sounds."""
    start(rally, minutes=105)
    hub, sound = rally.tables[0].hub, rally.tables[0].board.sound
    sound.played.clear()
    hub.paint()
    shown: list[int] = []
    wakes: list[float | None] = []
    hub.on_news(lambda: shown.append(hub.state()["clock"]["remaining_s"]))
    hub.on_stale(lambda: wakes.append(hub.next_wake()))
    rally.ask(ask.ClockRequest(4))
    assert [240] == shown[-1:]
    assert wakes
    assert rally.clock.now() == hub.next_wake()
    hub.wake()

    assert ["time"] == sound.played
    assert "Five minutes are left." == hub.state()["notice"]


def test_the_last_round_ends_the_game_in_which_it_was_called(rally: Rally) -> None:
    """And no later game, at a table that was away meanwhile."""
    start(rally)
    playing, away = rally.tables
    playing.score_round(0, 9, 9, 9, 9, 9)
    rally.desk.do(orders.FinishRound())
    away.do(c.FinishGame(), c.OpenLobby())
    rally.clock.move(60)
    away.do(c.Start())
    rally.settle()
    assert 10 == away.hub.state()["rounds"]
    playing.score_round(0, 9, 9, 9, 9, 9)
    rally.settle()

    assert ("finished", 2) == (playing.phase, playing.hub.table.number)
    assert [] == flags(rally)[0]


def test_announcements_are_heard_where_they_are_meant(rally: Rally) -> None:
    """As words and as a sound; curly brackets are words like all others."""
    rally.settle()
    rally.ask(orders.Announce("Cake at {four}!", ("table-2",)))

    assert "Cake at {four}!" == rally.tables[1].hub.state()["notice"]
    assert "Cake" not in rally.tables[0].hub.state()["notice"]
    assert ["time"] == rally.tables[1].board.sound.played


def test_a_table_ignores_old_orders_and_those_of_another_hall(rally: Rally) -> None:
    """Nobody is started or told anything an hour later."""
    seat_everybody(rally)
    rally.desk.do(orders.Announce("Lunch!"))
    rally.desk.do(ask.StartRequest(in_s=0))
    other = HallRoom(rally.client, rally.clock, "other").desk
    rally.clock.move(3600)
    other.open("Another")
    other.do(orders.Announce("Not for you"))
    rally.settle()

    assert {"lobby"} == rally.phases()
    notice = rally.tables[0].hub.state()["notice"]
    assert "Lunch" not in notice
    assert "Not for you" not in notice


def test_one_card_reaches_every_table_in_its_lobby(rally: Rally) -> None:
    """A table in a game takes it after the game; one that agrees on other rules then is flagged."""
    first, second = rally.tables
    second.open(*SIX, rules="mexican-train/family")
    rally.ask(replace(CARD, changes={"double_blank": 25}, name="Club"))
    assert "Club" == first.hub.state()["rules"]
    assert "family" == second.hub.state()["rules"]
    second.do(c.FinishGame(), c.OpenLobby())
    rally.settle()
    assert "Club" == second.hub.state()["rules"]
    assert [[], []] == flags(rally)
    second.do(c.ChangeRule("double_blank", 50))
    rally.settle()

    assert [[], ["It plays by other rules than the rest of the hall."]] == flags(rally)


def test_the_three_lowest_move_on_and_people_marked_as_staying_stay(rally: Rally) -> None:
    """Everybody finds the new seats at the hub, and keeps the points."""
    start(rally)
    rally.ask(orders.FinishRound())
    for table in rally.tables:
        table.score_round(0, 10, 20, 30, 40, 50)
    rally.clock.move(600)
    rally.settle()
    rally.ask(ask.ChangeTablesRequest(staying=(("table-1", "Ann 1"),)))
    seated = [[seat.name for seat in table.hub.table.seats] for table in rally.tables]

    assert ["Ann 1", "Ann 2", "Bob 2", "Cara 2", "Eve 1", "Finn 1"] == seated[0]
    assert ["Bob 1", "Cara 1", "Dan 1", "Dan 2", "Eve 2", "Finn 2"] == seated[1]
    rally.ask(ask.StartRequest(in_s=0))
    for table in rally.tables:
        table.score_round(0, 1, 1, 1, 1, 1)
    rally.settle()
    totals = {p.name: p.total for p in rally.desk.leaderboard(fresh=True).people}
    assert (2, 12) == (rally.desk.log.game, len(totals))
    assert (10, 11, 1) == (totals["Bob 1"], totals["Bob 2"], totals["Ann 2"])


def test_a_late_arrival_gets_a_free_seat_and_the_highest_total(rally: Rally) -> None:
    start(rally)
    for table in rally.tables:
        table.do(c.Leave(6))
    rally.settle()
    rally.ask(ask.LateRequest("Zoe"))
    table = rally.tables[0]
    table.score_round(0, 5, 6, 7, 8)
    (zoe,) = [seat for seat in table.hub.state()["seats"] if seat["name"] == "Zoe"]

    assert (7, 8) == (zoe["seat"], zoe["total"])


def test_nobody_is_sent_to_a_table_that_is_silent(tmp_path: Any) -> None:
    """It is off, or has left the hall; what it played last does not hold up the others."""
    rally = Rally(tmp_path, fakeredis.FakeRedis(protocol=2), 3)
    start(rally)
    silent = rally.tables.pop()
    silent.do(c.Leave(6), c.Leave(5))
    silent.publish()
    rally.clock.move(SILENT_AFTER + 1)
    rally.settle()
    rally.ask(ask.LateRequest("Zoe"))
    for table in rally.tables:
        table.do(c.FinishGame())
    rally.settle()
    rally.ask(ask.ChangeTablesRequest())

    assert "Zoe" in [seat.name for seat in rally.tables[0].hub.table.seats]
    ((_, change),) = rally.desk.log.changes
    assert {"table-1", "table-2"} == {*change.seats}
    for table in (*rally.tables, silent):
        table.close()


def test_a_refused_order_is_shown_at_the_table_and_in_the_hall(rally: Rally) -> None:
    rally.tables[0].open("Ann", "Bob")
    rally.settle()
    rally.desk._give(orders.SeatLate("Ann", "table-1", 5))
    rally.tables[0].listen()
    rally.clock.move(20)
    rally.settle()

    assert "Ann is already at the table" in rally.tables[0].hub.state()["notice"]
    assert "Ann is already" in flags(rally)[0][-1]


def test_a_quiet_hall_is_quieter_and_a_table_that_leaves_is_as_before(rally: Rally) -> None:
    """Its volume and its clock are its own again."""
    start(rally, minutes=40)
    rally.ask(orders.Quiet(0.4, light_only_from="21:00"))
    table = rally.tables[0]
    quiet = table.hub.preferences
    assert (0.4, "21:00", "06:00") == (quiet.volume, quiet.quiet_from, quiet.quiet_until)
    assert [40 * 60 - 1] * 2 == rally.clocks()
    table.carry_out.leave()

    assert (1.0, None) == (table.hub.preferences.volume, table.hub.preferences.quiet_from)
    assert [105 * 60 - 1, 40 * 60 - 1] == rally.clocks()
    table.restart()
    assert table.carry_out.memory.left


def test_an_order_of_a_later_release_is_passed_over_with_a_sentence(rally: Rally) -> None:
    rally.client.xadd(hall_keys.orders(HALL), {"o": '{"type":"dance"}'}, id="1800000000500-0")
    rally.clock.move(1)
    rally.ask(orders.Announce("Still here"))

    assert "Still here" == rally.tables[0].hub.state()["notice"]
    assert "unknown to this version" in rally.tables[0].listener.unknown


# At least once, and nothing twice


class PowerCut(BaseException):
    """Ends the hub at once."""


def orders_of_a_day(now: float) -> list[orders.Order]:
    """Return one order of each kind, in a plausible sequence."""
    names = {seat: f"{name} 1" for seat, name in enumerate(SIX, start=1)}
    moved = names | {2: "Zoe"}
    to_play_off = [
        orders.Move(n, "table-9", "table-1", seat, n) for seat, n in ((1, "Q"), (2, "R"))
    ]
    return [
        orders.Open("Rally"),
        CARD,
        orders.Quiet(0.5, light_only_from="22:00"),
        orders.ChangeTables((), {"table-1": names}),
        orders.ChangeTables(
            (orders.Move("Bob 1", "table-1", "table-2", 2, "Bob"),), {"table-1": moved}
        ),
        orders.SeatLate("Late", "table-1", 7),
        orders.StartGame(1, now, 60),
        orders.SetClock(now + 1800),
        orders.FinishRound(),
        orders.Announce("Tea!"),
        orders.CallPlayOff(1, "table-1", tuple(to_play_off)),
        orders.SetClock(None),
    ]


class Day:
    """A table that carries out a day's orders, with a power cut at one write."""

    def __init__(self, folder: Any, cut_at: int, after: bool) -> None:
        self.clock = VirtualClock()
        self.client = fakeredis.FakeRedis(protocol=2)
        self._cut_at, self._after, self.writes, self._safe = cut_at, after, 0, False
        self.table = HallTable(folder, self.client, clock=self.clock)
        self._watch()
        for number, order in enumerate(orders_of_a_day(self.clock.at()), start=1):
            self._hear(number, order)
            if isinstance(order, orders.FinishRound):
                self._safe = True
                self.table.do(c.FinishGame())
                self._safe = False
        self.events = self.table.events()
        self.memory = self.table.carry_out.memory
        self.volume = self.table.hub.preferences.volume
        self._safe = True
        self.table.carry_out.leave()
        self.left_at = self.table.hub.preferences.volume
        self.table.close()

    def _watch(self) -> None:
        keep = self.table.journal.keep

        def kept(batch: Any) -> None:
            self.writes += not self._safe
            cut = self.writes == self._cut_at and not self._safe
            if not cut or self._after:
                keep(batch)
            if cut:
                raise PowerCut

        self.table.journal.keep = kept  # type: ignore[method-assign]

    def _hear(self, number: int, order: orders.Order) -> None:
        moment = round(self.clock.at() * 1000)
        self.client.xadd(hall_keys.orders(HALL), orders.packed(order), id=f"{moment}-{number}")
        for _ in range(2):
            try:
                self.table.listen()
                self.table.carry_out.wake()
                return
            except PowerCut:
                self.table.restart()
                self._watch()


def test_no_cut_loses_an_order_or_does_it_twice(tmp_path: Any) -> None:
    """Cut at every single write of the day, just before it and just after."""
    whole = Day(tmp_path / "whole", 0, after=False)
    tried = 0
    for after in (False, True):
        for cut_at in range(1, whole.writes + 1):
            day = Day(tmp_path / f"{cut_at}-{after}", cut_at, after)
            tried += 1
            assert whole.events == day.events, (cut_at, after)
            assert (whole.memory, whole.volume) == (day.memory, day.volume), (cut_at, after)
            assert 1.0 == day.left_at, (cut_at, after)

    assert 0.5 == whole.volume
    assert tried > 40


def test_what_the_disk_refuses_is_done_when_it_takes_it(tmp_path: Any) -> None:
    """Announced once, done once, however long it takes."""
    client = fakeredis.FakeRedis(protocol=2)
    table = HallTable(tmp_path, client)
    table.journal.database.execute("PRAGMA query_only = ON")
    for number, order in enumerate(orders_of_a_day(table.clock.at())[:6], start=1):
        moment = round(table.clock.at() * 1000)
        client.xadd(hall_keys.orders(HALL), orders.packed(order), id=f"{moment}-{number}")
    table.listen()
    for _ in range(3):
        due = table.carry_out.next_due()
        assert due is not None
        table.clock.move(due)
        table.carry_out.wake()
    assert [] == table.events()

    table.journal.database.execute("PRAGMA query_only = OFF")
    table.clock.move(6.0)
    table.hub.wake()
    table.carry_out.wake()
    before = table.events()
    seats = {seat.number: seat.name for seat in table.hub.table.seats}
    assert ("Zoe", "Late") == (seats[2], seats[7])
    assert 0.5 == table.hub.preferences.volume
    table.restart()
    table.listen()
    table.carry_out.wake()
    assert before == table.events()
    table.close()


def test_an_order_that_comes_again_is_known(tmp_path: Any) -> None:
    """The link may have failed between reading it and carrying it out."""
    table = HallTable(tmp_path, fakeredis.FakeRedis(protocol=2))
    late = orders.GivenOrder("1000-0", table.clock.at(), orders.SeatLate("Late", "table-1", 7))
    for _ in range(3):
        table.carry_out.take(late)

    assert 1 == len(table.events())
    assert "" == table.carry_out.note
    table.close()
