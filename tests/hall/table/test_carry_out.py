"""What the hall says, the tables do; what they cannot do, they say."""

from collections.abc import Iterator
from typing import Any

import fakeredis
import pytest

from centerpiece.hall.server import desk_requests as ask
from centerpiece.hall.server import documents
from centerpiece.hall.wire import hall_keys
from centerpiece.hall.wire import hall_orders as orders
from centerpiece.table import commands as c
from centerpiece.text import Refused
from sim.clock import VirtualClock
from tests.hall.tables import HALL, HallRoom, HallTable, close_all

SIX = ("Ann", "Bob", "Cara", "Dan", "Eve", "Finn")


class Room:
    """A hall and some tables, all on one virtual clock."""

    def __init__(self, folder: Any, client: Any, count: int = 2) -> None:
        self.clock = VirtualClock()
        self.client = client
        self.hall = HallRoom(client, self.clock)
        self.desk = self.hall.desk
        self.desk.open("Test rally")
        self.tables = [
            HallTable(folder, client, f"table-{n}", self.clock) for n in range(1, count + 1)
        ]

    def settle(self) -> None:
        """Everything that was said is heard, everything that was done is seen."""
        for table in self.tables:
            table.listen()
            table.carry_out.wake()
            table.publish()
        self.hall.read()

    def ask(self, request: Any) -> None:
        self.desk.do(request)
        self.settle()

    def wait(self, seconds: float) -> None:
        """Time passes, and everybody wakes when they want to."""
        until = self.clock.now() + seconds
        while (due := self._next_due()) is not None and due <= until:
            self.clock.move(max(0.0, due - self.clock.now()))
            for table in self.tables:
                table.carry_out.wake()
                table.hub.wake()
        self.clock.move(max(0.0, until - self.clock.now()))

    def _next_due(self) -> float | None:
        dues = [table.hub.next_wake() for table in self.tables]
        for table in self.tables:
            if (left := table.carry_out.next_due()) is not None:
                dues.append(self.clock.now() + left)
        known = [due for due in dues if due is not None]
        return min(known) if known else None

    def seat_everybody(self) -> None:
        for n, table in enumerate(self.tables, start=1):
            for seat, name in enumerate(SIX, start=1):
                table.do(c.Join(f"{name} {n}", seat))

    def rows(self) -> dict[str, Any]:
        page = documents.document(self.desk, self.clock.at())
        return {row["table"]: row for row in page["tables"]}


@pytest.fixture
def room(tmp_path: Any, client: Any) -> Iterator[Room]:
    room = Room(tmp_path, client)
    yield room
    close_all(room.tables)


def start(room: Room, **how: Any) -> None:
    room.seat_everybody()
    room.ask(orders.HandCard("mexican-train/rally", 12))
    room.ask(ask.StartRequest(**how))
    room.wait(6)
    room.settle()


def test_all_tables_start_at_the_same_moment(room: Room) -> None:
    """Not before, and none without its rules."""
    room.seat_everybody()
    room.ask(orders.HandCard("mexican-train/rally", 12))
    room.ask(ask.StartRequest(in_s=5))
    assert ["lobby", "lobby"] == [table.phase for table in room.tables]
    room.wait(4.9)
    assert ["lobby", "lobby"] == [table.phase for table in room.tables]
    room.wait(0.2)

    assert ["playing", "playing"] == [table.phase for table in room.tables]
    assert [9, 9] == [table.hub.state()["engine"] for table in room.tables]
    begun = {table.hub.table.started_at for table in room.tables}
    assert 1 == len(begun)


def test_warnings_sound_everywhere_at_the_same_moment(room: Room) -> None:
    """By the hall's clock, also where the hub's own is wrong or the game began late."""
    room.tables[1].carry_out.set_offset(0.0)
    start(room, minutes=105)
    room.tables[1].do(c.FinishGame(), c.OpenLobby())
    room.wait(300)
    room.tables[1].do(c.Start())
    for table in room.tables:
        table.board.sound.played.clear()
    room.wait(105 * 60 - 15 * 60 - 301 - 1)
    assert [[], []] == [table.board.sound.played for table in room.tables]
    room.wait(2)

    assert [["time"], ["time"]] == [table.board.sound.played for table in room.tables]
    clocks = [table.hub.state()["clock"]["remaining_s"] for table in room.tables]
    assert clocks[0] == clocks[1] == 15 * 60 - 1


def test_a_hub_whose_clock_is_wrong_follows_the_halls(room: Room) -> None:
    """Its offset was measured; nothing on its page shows the difference."""
    table = room.tables[0]
    table.clock = wrong = VirtualClock(at=room.clock.at() - 3600)
    table.hub.clock = wrong
    table.carry_out.set_offset(3600.0)
    start(room, minutes=105)
    wrong.move(6)
    table.carry_out.wake()

    left = [each.hub.state()["clock"]["remaining_s"] for each in room.tables]
    assert abs(left[0] - left[1]) <= 1


def test_the_clock_can_be_set_anew(room: Room) -> None:
    """And a table that had run out of time by itself plays on."""
    start(room, minutes=30)
    room.ask(ask.ClockRequest(40))

    assert {2400} == {table.hub.state()["clock"]["remaining_s"] for table in room.tables}
    room.wait(31 * 60)
    table = room.tables[0]
    table.score_round(0, 1, 2, 3, 4, 5)
    assert "playing" == table.phase
    room.wait(10 * 60)
    table.score_round(0, 1, 2, 3, 4, 5)
    assert "finished" == table.phase


def test_a_clock_that_the_hall_sets_is_seen_and_heard_without_a_press(room: Room) -> None:
    """The order alone: pages are told, the hub asks to be woken, and the warning sounds."""
    start(room, minutes=105)
    hub, sound = room.tables[0].hub, room.tables[0].board.sound
    sound.played.clear()
    hub.paint()
    shown: list[int] = []
    wakes: list[float | None] = []
    hub.on_news(lambda: shown.append(hub.state()["clock"]["remaining_s"]))
    hub.on_stale(lambda: wakes.append(hub.next_wake()))
    room.ask(ask.ClockRequest(4))
    assert [240] == shown[-1:]
    assert wakes
    assert room.clock.now() == hub.next_wake()
    hub.wake()

    assert ["time"] == sound.played
    assert "Five minutes are left." == hub.state()["notice"]


def test_another_limit_in_the_tables_rules_does_not_move_the_halls_clock(room: Room) -> None:
    """Neither when it is agreed on nor when that is taken back."""
    start(room, minutes=105)
    for change in (c.ChangeRule("time_limit_min", 60), c.Undo()):
        room.tables[1].do(change)
        clocks = [table.hub.state()["clock"]["remaining_s"] for table in room.tables]
        assert clocks[0] == clocks[1]


def test_the_round_in_play_is_the_last_once_the_hall_says_so(room: Room) -> None:
    """The game ends after it, and the journal says why."""
    start(room)
    room.tables[0].score_round(0, 9, 9, 9, 9, 9)
    room.ask(orders.FinishRound())
    for table in room.tables:
        table.score_round(0, 9, 9, 9, 9, 9)

    assert ["finished", "finished"] == [table.phase for table in room.tables]
    assert [2, 1] == [table.hub.table.number for table in room.tables]
    room.settle()
    assert [[], []] == [row["flags"] for row in room.rows().values()]


def test_the_last_round_is_not_called_for_a_later_game(room: Room) -> None:
    """A table that was away hears it when it has begun another game."""
    start(room)
    room.desk.do(orders.FinishRound())
    table = room.tables[0]
    table.do(c.FinishGame(), c.OpenLobby())
    room.clock.move(60)
    table.do(c.Start())
    table.listen()

    assert 10 == table.hub.state()["rounds"]


def test_announcements_are_heard_where_they_are_meant(room: Room) -> None:
    """As words and as a sound; curly brackets are words like all others."""
    room.settle()
    room.ask(orders.Announce("Cake at {four}!", ("table-2",)))

    assert "Cake at {four}!" == room.tables[1].hub.state()["notice"]
    assert "Cake" not in room.tables[0].hub.state()["notice"]
    assert ["time"] == room.tables[1].board.sound.played


def test_old_news_is_no_news(room: Room) -> None:
    """A table that comes back after an hour is not started and told nothing of the past."""
    room.seat_everybody()
    room.desk.do(orders.Announce("Lunch!"))
    room.desk.do(ask.StartRequest(in_s=0))
    room.clock.move(3600)
    room.settle()

    assert ["lobby", "lobby"] == [table.phase for table in room.tables]
    assert "Lunch" not in room.tables[0].hub.state()["notice"]


def test_orders_are_obeyed_once_also_across_a_power_cut(room: Room) -> None:
    """The place in the stream is kept."""
    room.ask(orders.Announce("Once!"))
    table = room.tables[0]
    table.restart()
    table.listen()

    assert [] == table.board.sound.played


def test_a_table_that_plays_by_other_rules_is_shown(room: Room) -> None:
    """As soon as it agrees on something else; the others are not."""
    start(room)
    room.tables[1].do(c.ChangeRule("double_blank", 50))
    room.settle()
    rows = room.rows()

    assert [] == rows["table-1"]["flags"]
    assert ["It plays by other rules than the rest of the hall."] == [
        str(f) for f in rows["table-2"]["flags"]
    ]


def test_one_card_reaches_every_table_in_its_lobby(room: Room) -> None:
    """A table in a game takes it when the game is over."""
    room.tables[1].open(*SIX, rules="mexican-train/family")
    room.ask(orders.HandCard("mexican-train/rally", 12, {"double_blank": 25}, "Club"))
    assert "Club" == room.tables[0].hub.state()["rules"]
    assert "family" == room.tables[1].hub.state()["rules"]
    room.tables[1].do(c.FinishGame(), c.OpenLobby())
    room.settle()

    assert "Club" == room.tables[1].hub.state()["rules"]


def test_a_card_that_cannot_be_played_is_refused_at_the_desk(room: Room) -> None:
    """Before any table hears of it."""
    with pytest.raises(Refused, match="double-6"):
        room.desk.do(orders.HandCard("mexican-train/rally", 6))
    with pytest.raises(Refused, match="no setting"):
        room.desk.do(orders.HandCard("mexican-train/rally", 12, {"nonsense": 1}))

    assert None is room.desk.log.card


def test_a_tie_is_called_to_a_table_and_played_off(room: Room) -> None:
    """Names, table and new seats; the rules are the hall's, for one round."""
    start(room)
    room.ask(orders.FinishRound())
    for table in room.tables:
        table.score_round(0, 9, 9, 9, 9, 9)
    room.settle()
    room.ask(ask.PlayOffRequest(1))
    table = room.tables[0]

    assert (
        "Play-off for place 1 at table-1: Ann 1 and Ann 2." == room.tables[1].hub.state()["notice"]
    )
    assert ["Ann 1", "Ann 2"] == [seat.name for seat in table.hub.table.seats]
    table.do(c.Start())
    table.score_round(8, 0)
    room.settle()
    found = room.desk.leaderboard(fresh=True)
    assert [(1, "Ann 2"), (2, "Ann 1")] == [(p.place, p.name) for p in found.people[:2]]
    assert () == found.ties


def test_no_play_off_without_a_tie(room: Room) -> None:
    """Nor before every table is done."""
    start(room)
    with pytest.raises(Refused, match="Nobody shares place 1"):
        room.desk.do(ask.PlayOffRequest(1))


def test_the_three_lowest_move_on_and_who_stays_seated_stays(room: Room) -> None:
    """Everybody finds the new seats at the hub."""
    start(room)
    room.ask(orders.FinishRound())
    for table in room.tables:
        table.score_round(0, 10, 20, 30, 40, 50)
    room.clock.move(600)
    room.settle()
    room.ask(ask.ChangeTablesRequest(staying=(("table-1", "Ann 1"),)))
    seated = [[seat.name for seat in t.hub.table.seats] for t in room.tables]

    assert ["Ann 1", "Ann 2", "Bob 2", "Cara 2", "Eve 1", "Finn 1"] == seated[0]
    assert ["Bob 1", "Cara 1", "Dan 1", "Dan 2", "Eve 2", "Finn 2"] == seated[1]
    room.ask(ask.StartRequest(in_s=0))
    for table in room.tables:
        table.score_round(0, 1, 1, 1, 1, 1)
    room.settle()
    totals = {p.name: p.total for p in room.desk.leaderboard(fresh=True).people}
    assert (2, 12) == (room.desk.log.game, len(totals))
    assert (10, 11, 1) == (totals["Bob 1"], totals["Bob 2"], totals["Ann 2"])


def test_tables_are_not_changed_while_one_plays(room: Room) -> None:
    """The desk says which."""
    start(room)
    with pytest.raises(Refused, match="Not every table is done: table-1 and table-2"):
        room.desk.do(ask.ChangeTablesRequest())


def test_a_late_arrival_gets_a_free_seat_and_the_highest_total(room: Room) -> None:
    """At the next round, as the rules of the rally say."""
    start(room)
    for table in room.tables:
        table.do(c.Leave(6))
    room.settle()
    room.ask(ask.LateRequest("Zoe"))
    table = room.tables[0]
    table.score_round(0, 5, 6, 7, 8)
    (zoe,) = [seat for seat in table.hub.state()["seats"] if seat["name"] == "Zoe"]

    assert (7, 8) == (zoe["seat"], zoe["total"])


def test_what_cannot_be_done_is_told_to_the_hall(room: Room) -> None:
    """The page of the table and the page of the hall say why."""
    room.tables[0].open("Ann", "Bob")
    room.settle()
    room.desk._give(orders.SeatLate("Ann", "table-1", 5))
    room.tables[0].listen()
    room.clock.move(20)
    room.settle()

    assert "Ann is already at the table" in room.tables[0].hub.state()["notice"]
    assert "Ann is already" in str(room.rows()["table-1"]["flags"][-1])


def test_a_quiet_hall_is_quieter(room: Room) -> None:
    """And silent after the hour that was set."""
    room.ask(orders.Quiet(0.4, light_only_from="21:00"))
    table = room.tables[0]

    assert (0.4, "21:00", "06:00") == (
        table.hub.preferences.volume,
        table.hub.preferences.quiet_from,
        table.hub.preferences.quiet_until,
    )


def test_a_table_that_leaves_is_as_it_was_and_obeys_no_more(room: Room) -> None:
    """Volume and clock are the table's own again."""
    start(room, minutes=40)
    room.ask(orders.Quiet(0.4))
    table = room.tables[0]
    assert 40 * 60 - 1 == table.hub.state()["clock"]["remaining_s"]
    table.carry_out.leave()

    assert (1.0, 105 * 60 - 1) == (
        table.hub.preferences.volume,
        table.hub.state()["clock"]["remaining_s"],
    )
    table.restart()
    assert table.carry_out.memory.left


def test_a_table_follows_only_the_hall_it_was_told_to(room: Room) -> None:
    """Another hall on the same Redis says what it likes."""
    other = HallRoom(room.client, room.clock, "other").desk
    other.open("Another")
    other.do(orders.Announce("Not for you"))
    room.settle()

    assert "Not for you" not in room.tables[0].hub.state()["notice"]


def test_an_order_of_a_later_release_is_passed_over_with_a_sentence(room: Room) -> None:
    """The ones after it are still obeyed."""
    room.client.xadd(hall_keys.orders(HALL), {"o": '{"type":"dance"}'}, id="1800000000500-0")
    room.clock.move(1)
    room.ask(orders.Announce("Still here"))

    assert "Still here" == room.tables[0].hub.state()["notice"]
    assert "unknown to this version" in room.tables[0].listener.unknown


# At least once, and nothing twice


class PowerCut(BaseException):
    """Nothing of this process is left."""


def orders_of_a_day(now: float) -> list[orders.Order]:
    """One of each kind, in an order that makes sense."""
    names = {seat: f"{name} 1" for seat, name in enumerate(SIX, start=1)}
    moved = names | {2: "Zoe"}
    to_play_off = [
        orders.Move(n, "table-9", "table-1", seat, n) for seat, n in ((1, "Q"), (2, "R"))
    ]
    return [
        orders.Open("Rally"),
        orders.HandCard("mexican-train/rally", 12),
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
    """A table that hears a day's orders while its power may be cut at any write."""

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
    """At every single write of the day, just before it and just after."""
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
    """Told once, done once, however long it takes; nothing is lost meanwhile."""
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
    """The link may have failed between hearing it and doing it."""
    table = HallTable(tmp_path, fakeredis.FakeRedis(protocol=2))
    late = orders.Given("1000-0", table.clock.at(), orders.SeatLate("Late", "table-1", 7))
    for _ in range(3):
        table.carry_out.take(late)

    assert 1 == len(table.events())
    assert "" == table.carry_out.note
    table.close()
