"""A table's line: its content, and when it is published."""

import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from centerpiece.hall.table.line_publisher import SIGN_OF_LIFE
from centerpiece.hall.wire import hall_keys
from centerpiece.hall.wire.hall_orders import Announce
from centerpiece.hall.wire.table_line import difference, read_line
from centerpiece.table import commands as c
from centerpiece.text import Refused
from tests.hall.tables import HallRoom, HallTable, Rally, assert_shows

STREAM = hall_keys.lines("rally")


@pytest.fixture
def table(tmp_path: Path, client: Any) -> Iterator[HallTable]:
    table = HallTable(tmp_path, client)
    table.open("Ann", "Bob", "Cara", rounds=3)
    yield table
    table.close()


def started(table: HallTable) -> list[float]:
    return [game.started_at for game in table.line().games]


def test_a_line_says_what_the_score_sheet_says(table: HallTable) -> None:
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
    """Across games, undo and power cuts."""
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
    (game,) = table.source.line(3600.0).games

    assert table.clock.at() + 3600.0 == game.started_at
    assert ["", "12 s", "3 min 20 s"] == [difference(offset) for offset in (0.5, 12.0, -200.0)]


@pytest.mark.parametrize("compared", [True, False])
def test_a_clock_that_is_set_moves_no_game(table: HallTable, compared: bool) -> None:
    """Set in a game, before or after it was compared, or hours behind after a power cut."""
    start = table.clock.at()
    table.carry_out._save(opened=start)
    if compared:
        table.carry_out.set_offset(0.0)
    for number, hours in enumerate((2, -3, 4, 5)):
        if number > 1:
            table.restart()
        table.clock.set(start - hours * 3600)
        table.hub.wake()
        table.carry_out.set_offset(hours * 3600.0)
        assert [start] == [game.started_at for game in table.source.line(hours * 3600.0).games]


def test_only_a_change_is_published_and_it_costs_two_commands(
    table: HallTable, server: Any
) -> None:
    """Presses that do not change the line publish nothing; now and then a sign of life does."""
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
def test_a_virtual_rally_is_shown_as_it_is(tmp_path: Path, client: Any, seed: int) -> None:
    """Tables play, undo and correct; halls begin and end; Redis is wiped now and then."""
    rng = random.Random(seed)
    rally = Rally(tmp_path, client, 4, halls=2)
    tables, halls = rally.tables, rally.halls
    for table in tables:
        table.open("Ann", "Bob", "Cara")
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
            halls[1] = HallRoom(client, rally.clock)
        if rng.random() < 0.05:
            client.flushall()
    halls[0].desk.do(Announce("The end"))
    rally.clock.move(SIGN_OF_LIFE)
    for table in tables:
        table.publish()
    for hall in (*halls, HallRoom(client, rally.clock)):
        hall.read()
        assert_shows(hall, tables)
        assert halls[0].desk.log == hall.desk.log
    rally.close()


def test_orders_of_another_hall_are_new_ones(table: HallTable) -> None:
    """Redis was wiped and another hall opened; the table's position there means nothing."""
    for words in ("Old", "New"):
        room = HallRoom(table.client, table.clock)
        table.clock.move(1)
        room.desk.open("Rally")
        room.desk.do(Announce(words))
        table.restart()
        table.listen()
        assert words == table.hub.state()["notice"]
        table.client.flushall()
