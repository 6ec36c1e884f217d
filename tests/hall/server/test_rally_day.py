"""A rally: thirty tables of six, one clock, a tie for first place and its play-off."""

import random
from pathlib import Path
from typing import Any

import pytest

from centerpiece.hall.server import desk_requests as ask
from centerpiece.hall.server import documents
from centerpiece.hall.wire.hall_orders import FinishRound, HandCard
from centerpiece.table import commands as c
from tests.hall.tables import Rally, assert_shows

pytestmark = pytest.mark.real_time("a real Redis, and threads that wait for it")

TABLES, SEATS = 30, 6
RNG = random.Random(30)


def play_round(rally: Rally) -> None:
    """Count a round everywhere, in about ten minutes; no total stays below twenty."""
    for table in rally.tables:
        seats = [seat.number for seat in table.hub.table.players()]
        out = RNG.choice(seats)
        table.do(c.GoOut(out))
        table.do(*(c.EnterScore(s, RNG.randint(20, 90)) for s in seats if s != out))
    rally.clock.move(600)


def next_round(rally: Rally) -> None:
    for table in rally.tables:
        table.do(c.NextRound())
    rally.settle()


def bring_about_a_tie(rally: Rally) -> None:
    """Correct two people at different tables to a total of 0."""
    for table, seat in ((rally.tables[2], 2), (rally.tables[16], 5)):
        for played in table.hub.table.rounds:
            if played.out != seat:
                table.do(c.CorrectScore(seat, 0, confirm=True, round=played.number))
        totals = {s["seat"]: s["total"] for s in table.hub.state()["seats"]}
        assert 0 == totals[seat]


def test_thirty_tables_a_tie_and_its_play_off(tmp_path: Path, client: Any) -> None:
    """From the first seat to the printed result, in two processes of the hall."""
    rally = Rally(tmp_path, client, TABLES, halls=2)
    for n, table in enumerate(rally.tables, start=1):
        table.do(*(c.Join(f"P{n}-{seat}", seat) for seat in range(1, SEATS + 1)))
    rally.ask(HandCard("mexican-train/rally", 12))
    rally.ask(ask.StartRequest(minutes=105, in_s=5))
    rally.clock.move(5)
    rally.settle()
    assert {"playing"} == rally.phases()

    for _ in range(4):
        play_round(rally)
        next_round(rally)
    assert not rally.desk.leaderboard(fresh=True).final
    rally.ask(FinishRound())
    play_round(rally)
    bring_about_a_tie(rally)
    next_round(rally)
    assert {"finished"} == rally.phases()

    leaderboard = rally.desk.leaderboard(fresh=True)
    seats = [seat for table in rally.tables for seat in table.hub.state()["seats"]]
    assert leaderboard.final
    assert TABLES * SEATS == len(leaderboard.people)
    assert sorted((seat["total"], seat["name"]) for seat in seats) == sorted(
        (person.total, person.name) for person in leaderboard.people
    )
    ((place, tied),) = leaderboard.ties
    assert (1, {"P3-2", "P17-5"}) == (place, {person.name for person in tied})

    rally.ask(ask.PlayOffRequest(1, "table-8"))
    off = rally.tables[7]
    assert ["P17-5", "P3-2"] == [seat.name for seat in off.hub.table.seats]
    call = "Play-off for place 1 at table-8: P17-5 and P3-2."
    assert {call} == {table.hub.state()["notice"] for table in rally.tables}
    off.do(c.Start())
    off.do(c.GoOut(1), c.EnterScore(2, 14), c.NextRound())
    rally.settle()

    final = rally.desk.leaderboard(fresh=True)
    assert [(1, "P17-5"), (2, "P3-2")] == [(p.place, p.name) for p in final.people[:2]]
    assert ((), True) == (final.ties, final.final)
    sheet = documents.as_csv(final).splitlines()
    assert "place,name,table,total,games,rounds" == sheet[0]
    assert sheet[1].startswith("1,P17-5,table-17,")
    assert TABLES * SEATS + 1 == len(sheet)
    for hall in rally.halls:
        assert_shows(hall, rally.tables)
    rally.close()
