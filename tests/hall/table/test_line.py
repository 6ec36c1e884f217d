"""A table's line: what it says, when it is published, and what that costs."""

import random
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import fakeredis
import msgspec
import pytest

from centerpiece.hall.table.line_publisher import SIGN_OF_LIFE
from centerpiece.hall.wire import hall_keys
from centerpiece.hall.wire.hall_orders import Announce
from centerpiece.hall.wire.table_line import read_line
from centerpiece.table import commands as c
from centerpiece.text import Refused
from sim.clock import VirtualClock
from tests.hall.tables import HallRoom, HallTable, assert_shows

STREAM = hall_keys.lines("rally")


@pytest.fixture
def table(seat_table: Any) -> Iterator[HallTable]:
    table = seat_table()
    table.open("Ann", "Bob", "Cara", rounds=3)
    return table


def started(table: HallTable) -> list[float]:
    return [game.started_at for game in table.line().games]


def test_a_line_says_what_the_score_sheet_says(table: HallTable) -> None:
    """Totals, places, rounds, and whose hands are missing."""
    table.score_round(0, 5, 9)
    table.do(c.GoOut(1), c.EnterScore(2, 7))
    line = table.line()
    (game,) = line.games

    assert ("scoring", 2, 3) == (line.phase, line.round, line.rounds)
    assert [(s["name"], s["total"], s["place"]) for s in table.hub.state()["seats"]] == [
        (person.name, person.total, person.place) for person in game.players
    ]
    assert [(2, (3,))] == [(each.round, each.seats) for each in game.missing]
    assert line == read_line(msgspec.json.encode(line))


def test_games_stay_in_the_line_and_what_is_undone_does_not(table: HallTable) -> None:
    """Across games, undo and power cuts: every game that was played, and no other."""
    begun = []
    for _ in range(3):
        for _ in range(3):
            table.score_round(0, 5, 9)
        begun.append(table.hub.table.started_at)
        table.clock.move(60)
        assert begun == started(table)
        table.do(c.OpenLobby())
        assert begun == started(table)
        table.do(c.Start(starter=1))
        table.restart()
        assert [*begun, table.hub.table.started_at] == started(table)
    while table.hub.table.started_at != begun[-1]:
        table.do(c.Undo())
    assert begun == started(table)
    assert [True] * 3 == [game.finished for game in table.line().games]


def test_times_are_the_halls_whatever_the_hubs_clock_says(table: HallTable) -> None:
    """Its clock was compared with the hall's."""
    (game,) = table.source.line(3600.0).games

    assert table.clock.at() + 3600.0 == game.started_at


def test_only_a_change_is_published_and_it_costs_two_commands(
    table: HallTable, server: Any
) -> None:
    """Presses that matter to nobody but the table are none; in between there are signs of life."""
    client = server.client()
    client.flushall()
    table.connect(client)
    table.publish()
    assert [False] * 3 == [(table.press(1), table.publish())[1] for _ in range(3)]
    client.config_resetstat()
    for _ in range(3):
        table.score_round(0, 4, 4)
    assert table.publish()
    calls = {name: n["calls"] for name, n in client.info("commandstats").items()}
    assert {"cmdstat_multi", "cmdstat_xadd", "cmdstat_hset", "cmdstat_exec"} == {
        name for name, count in calls.items() if count == 1 and "config" not in name
    } - {"cmdstat_client|setinfo"}
    assert not table.publish()
    table.clock.move(SIGN_OF_LIFE)
    assert table.publish()
    assert 3 == client.xlen(STREAM)


@pytest.mark.parametrize("seed", range(3))
def test_a_virtual_rally_is_shown_as_it_is(seat_table: Any, client: Any, seed: int) -> None:
    """Tables play, undo and correct; halls come, die and read on; Redis is wiped now and then."""
    rng = random.Random(seed)
    clock = VirtualClock()
    tables = [seat_table(f"table-{n}", clock=clock) for n in range(1, 5)]
    for table in tables:
        table.open("Ann", "Bob", "Cara")
    halls = [HallRoom(client, clock) for _ in range(2)]
    halls[0].desk.open("Rally")
    for _ in range(60):
        table = rng.choice(tables)
        if table.phase == "playing" and rng.random() < 0.6:
            table.play_round(rng)
        elif rng.random() < 0.5:
            with suppress(Refused):
                table.do(*[c.Undo()] * rng.randrange(4))
        elif table.phase == "finished":
            table.do(c.OpenLobby(), c.Start(starter=1))
        for each in rng.sample(tables, 2):
            each.publish()
        rng.choice(halls).read()
        if rng.random() < 0.1:
            halls[1] = HallRoom(client, clock)
        if rng.random() < 0.05:
            client.flushall()
    halls[0].desk.do(Announce("The end"))
    clock.move(SIGN_OF_LIFE)
    for table in tables:
        table.publish()
    for hall in (*halls, HallRoom(client, clock)):
        hall.read()
        assert_shows(hall, tables)
        assert halls[0].desk.log == hall.desk.log


def test_an_order_lost_in_a_failover_is_put_back_and_done_once(table: HallTable) -> None:
    """Also at a table that was unplugged meanwhile; another hall's orders are new ones."""
    client = fakeredis.FakeRedis(protocol=2)
    table.connect(client)
    room = HallRoom(client, table.clock)
    room.desk.open("Rally")
    for words in ("One", "Two"):
        table.clock.move(1)
        room.desk.do(Announce(words))
    table.listen()
    key = hall_keys.orders("rally")
    *kept, _ = client.xrange(key)
    client.delete(key)
    for entry_id, fields in kept:
        client.xadd(key, fields, id=entry_id)
    for _ in range(2):
        table.restart()
        table.listen()
        assert [] == table.board.sound.played
        room.desk.refresh()
    assert 3 == client.xlen(key)
    client.flushall()
    table.clock.move(1)
    other = HallRoom(client, table.clock)
    other.desk.open("Another")
    other.desk.do(Announce("New"))
    table.restart()
    table.listen()
    assert "New" == table.hub.state()["notice"]
