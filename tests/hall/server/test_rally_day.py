"""A rally: thirty tables of six, one clock, a tie for first place and its play-off."""

import random
from pathlib import Path
from typing import Any

import pytest

from centerpiece.hall.server import desk_requests as ask
from centerpiece.hall.server import documents
from centerpiece.hall.wire.hall_orders import FinishRound, HandCard
from centerpiece.table import commands as c
from sim.clock import VirtualClock
from tests.hall.tables import HallRoom, HallTable, assert_shows, close_all

pytestmark = pytest.mark.real_time("a real Redis, and threads that wait for it")

TABLES, SEATS = 30, 6


class RallyDay:
    """Two hall processes, thirty hubs, a hundred and eighty people who press buttons."""

    def __init__(self, folder: Path, client: Any) -> None:
        self.clock = VirtualClock()
        self.rng = random.Random(30)
        self.halls = [HallRoom(client, self.clock) for _ in range(2)]
        self.desk = self.halls[0].desk
        self.desk.open("The spring rally")
        self.tables = [
            HallTable(folder, client, f"table-{n}", self.clock) for n in range(1, TABLES + 1)
        ]

    def settle(self) -> None:
        for table in self.tables:
            table.listen()
            table.carry_out.wake()
            table.publish()
        for hall in self.halls:
            hall.read()

    def ask(self, request: Any) -> None:
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

    def totals(self) -> list[tuple[int, str]]:
        """What the hubs themselves show."""
        seats = [seat for table in self.tables for seat in table.hub.state()["seats"]]
        return sorted((seat["total"], seat["name"]) for seat in seats)


def test_thirty_tables_a_tie_and_its_play_off(tmp_path: Path, client: Any) -> None:
    """From the first seat to the printed result."""
    day = RallyDay(tmp_path, client)
    for n, table in enumerate(day.tables, start=1):
        table.do(*(c.Join(f"P{n}-{seat}", seat) for seat in range(1, SEATS + 1)))
    day.ask(HandCard("mexican-train/rally", 12))
    day.ask(ask.StartRequest(minutes=105, in_s=5))
    day.clock.move(5)
    day.settle()
    assert {"playing"} == {table.phase for table in day.tables}

    for _ in range(4):
        day.play_round()
        for table in day.tables:
            table.do(c.NextRound())
        day.settle()
    assert not day.desk.leaderboard(fresh=True).final
    day.ask(FinishRound())
    day.play_round()
    bring_about_a_tie(day)
    for table in day.tables:
        table.do(c.NextRound())
    day.settle()
    assert {"finished"} == {table.phase for table in day.tables}

    found = day.desk.leaderboard(fresh=True)
    assert found.final
    assert TABLES * SEATS == len(found.people)
    assert day.totals() == sorted((p.total, p.name) for p in found.people)
    ((place, tied),) = found.ties
    assert (1, {"P3-2", "P17-5"}) == (place, {person.name for person in tied})

    day.ask(ask.PlayOffRequest(1, "table-8"))
    off = day.tables[7]
    assert ["P17-5", "P3-2"] == [seat.name for seat in off.hub.table.seats]
    assert all("Play-off for place 1" in t.hub.state()["notice"] for t in day.tables)
    off.do(c.Start())
    off.do(c.GoOut(1), c.EnterScore(2, 14), c.NextRound())
    day.settle()

    final = day.desk.leaderboard(fresh=True)
    assert [(1, "P17-5"), (2, "P3-2")] == [(p.place, p.name) for p in final.people[:2]]
    assert ((), True) == (final.ties, final.final)
    sheet = documents.as_csv(final).splitlines()
    assert "place,name,table,total,games,rounds" == sheet[0]
    assert sheet[1].startswith("1,P17-5,table-17,")
    assert TABLES * SEATS + 1 == len(sheet)
    for hall in day.halls:
        assert_shows(hall, day.tables)
    close_all(day.tables)


def bring_about_a_tie(day: RallyDay) -> None:
    """Two people at different tables had the lowest totals: the same, to the pip."""
    for table, seat in ((day.tables[2], 2), (day.tables[16], 5)):
        for played in table.hub.table.rounds:
            if played.out != seat:
                table.do(c.CorrectScore(seat, 0, confirm=True, round=played.number))
        totals = {s["seat"]: s["total"] for s in table.hub.state()["seats"]}
        assert 0 == totals[seat]
