"""A rally: thirty tables of six, one clock, a tie for first place and its play-off."""

import random
from pathlib import Path
from typing import Any

from centerpiece.games.registry import GAMES
from centerpiece.hall.server import documents, requests
from centerpiece.hall.server.desk import Desk
from centerpiece.table import commands as c
from sim.clock import VirtualClock
from tests.hall.servers import RealRedis, wiped
from tests.hall.tables import (
    HallTable,
    assert_stream_is_journal,
    close_all,
    follower,
    line_from_journal,
)

TABLES, SEATS = 30, 6


class RallyDay:
    """Two hall processes, thirty hubs, a hundred and eighty people who press buttons."""

    def __init__(self, folder: Path, client: Any) -> None:
        self.clock = VirtualClock()
        self.rng = random.Random(30)
        self.halls = [follower(client, f"hall-{n}", self.clock) for n in range(2)]
        self.desk = Desk(
            client, self.halls[0], GAMES, time_of=lambda _: self.clock.at(), now=self.clock.now
        )
        self.desk.open("The spring rally")
        self.tables = [
            HallTable(folder, client, f"table-{n}", self.clock) for n in range(1, TABLES + 1)
        ]

    def settle(self) -> None:
        for table in self.tables:
            table.listen()
            table.carry_out.wake()
            table.send()
        for _ in range(2):
            for hall in self.halls:
                hall.everything()
        self.desk.refresh()

    def ask(self, request: requests.Request) -> None:
        self.desk.do(request)
        self.settle()

    def play_round(self) -> None:
        """Everybody ends the round, in about ten minutes; no total stays below thirty."""
        for table in self.tables:
            seats = [seat.number for seat in table.hub.table.players()]
            out = self.rng.choice(seats)
            table.do(c.GoOut(out))
            table.do(*(c.EnterScore(s, self.rng.randint(20, 90)) for s in seats if s != out))
        self.clock.move(600)

    def totals_from_journals(self) -> list[tuple[int, str]]:
        people = []
        for table in self.tables:
            people += [(p.total, p.name) for p in line_from_journal(table).results[0].players]
        return sorted(people)


def test_thirty_tables_a_tie_and_its_play_off(tmp_path: Path, server: RealRedis) -> None:
    """From the first seat to the printed result."""
    client = wiped(server)
    day = RallyDay(tmp_path, client)
    for n, table in enumerate(day.tables, start=1):
        table.do(*(c.Join(f"P{n}-{seat}", seat) for seat in range(1, SEATS + 1)))
    day.ask(requests.Card("mexican-train/rally", 12))
    day.ask(requests.Start(minutes=105, in_s=5))
    day.clock.move(5)
    day.settle()
    assert {"playing"} == {table.phase for table in day.tables}

    for _ in range(4):
        day.play_round()
        for table in day.tables:
            table.do(c.NextRound())
        day.settle()
    assert not day.desk.standings(fresh=True).final
    day.ask(requests.FinishRound())
    day.play_round()
    bring_about_a_tie(day)
    for table in day.tables:
        table.do(c.NextRound())
    day.settle()
    assert {"finished"} == {table.phase for table in day.tables}

    found = day.desk.standings(fresh=True)
    assert found.final
    assert TABLES * SEATS == len(found.people)
    assert day.totals_from_journals() == sorted((p.total, p.name) for p in found.people)
    ((place, tied),) = found.ties
    assert (1, {"P3-2", "P17-5"}) == (place, {person.name for person in tied})

    day.ask(requests.PlayOff(1, "table-8"))
    off = day.tables[7]
    assert ["P17-5", "P3-2"] == [seat.name for seat in off.hub.table.seats]
    assert all("Play-off for place 1" in t.hub.state()["notice"] for t in day.tables)
    off.do(c.Start())
    off.do(c.GoOut(1), c.EnterScore(2, 14), c.NextRound())
    day.settle()

    final = day.desk.standings(fresh=True)
    assert [(1, "P17-5"), (2, "P3-2")] == [(p.place, p.name) for p in final.people[:2]]
    assert ((), True) == (final.ties, final.final)
    sheet = documents.as_csv(final).splitlines()
    assert "place,name,table,total,games,rounds" == sheet[0]
    assert sheet[1].startswith("1,P17-5,table-17,")
    assert TABLES * SEATS + 1 == len(sheet)
    for table in day.tables:
        assert_stream_is_journal(client, table)
    assert day.halls[0].overview.lines == day.halls[1].overview.lines
    assert day.halls[0].tables.keys() | day.halls[1].tables.keys() == {
        table.name for table in day.tables
    }
    assert not day.halls[0].tables.keys() & day.halls[1].tables.keys()
    close_all(day.tables)


def bring_about_a_tie(day: RallyDay) -> None:
    """Two people at different tables had the lowest totals: the same, to the pip."""
    for table, seat in ((day.tables[2], 2), (day.tables[16], 5)):
        for played in table.hub.table.rounds:
            if played.out != seat:
                table.do(c.CorrectScore(seat, 0, confirm=True, round=played.number))
        totals = {s["seat"]: s["total"] for s in table.hub.state()["seats"]}
        assert 0 == totals[seat]


def test_a_dead_process_is_taken_over(tmp_path: Path, server: RealRedis) -> None:
    """What it had read and not acknowledged is claimed; nothing is read twice or lost."""
    client = wiped(server)
    clock = VirtualClock()
    tables = [HallTable(tmp_path, client, f"table-{n}", clock) for n in range(1, 9)]
    for table in tables:
        table.open("Ann", "Bob", "Cara")
        table.send()
    first, second = (follower(client, f"hall-{n}", clock) for n in range(2))
    for hall in (first, second, first, second):
        hall.everything()
    assert first.tables
    assert second.tables
    for table in tables:
        table.score_round(0, 4, 9)
        table.send()
    first.poll()  # read, and never acknowledged: it dies here
    pending = sum(client.xpending(f"table:{t.name}", "rally")["pending"] for t in tables)
    assert pending > 0
    clock.move(15)
    second.everything()

    assert {table.name for table in tables} == set(second.tables)
    assert 0 == sum(client.xpending(f"table:{t.name}", "rally")["pending"] for t in tables)
    for table in tables:
        assert line_from_journal(table).results == second.overview.lines[table.name].results
    close_all(tables)


def test_a_process_that_slept_reads_its_tables_anew(tmp_path: Path, server: RealRedis) -> None:
    """Others read on for the group meanwhile; it does not show old standings for ever."""
    client = wiped(server)
    clock = VirtualClock()
    table = HallTable(tmp_path, client, "table-1", clock)
    table.open("Ann", "Bob", "Cara")
    table.send()
    sleeper = follower(client, "hall-a", clock)
    sleeper.everything()
    clock.move(15)
    other = follower(client, "hall-b", clock)
    table.score_round(0, 4, 9)
    table.send()
    other.everything()
    other.shares.withdraw()
    clock.move(1)
    sleeper.everything()

    assert line_from_journal(table).results == sleeper.overview.lines["table-1"].results
    table.close()
