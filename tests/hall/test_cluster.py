"""Past one Redis: a small cluster on the loopback, every table on the node of its own name."""

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from centerpiece.games.registry import GAMES
from centerpiece.hall.server import requests
from centerpiece.hall.server.archive import snapshot
from centerpiece.hall.server.desk import Desk
from centerpiece.hall.wire import keys
from centerpiece.hall.wire.connection import connect, is_cluster, server_time
from sim.clock import VirtualClock
from tests.hall.servers import RealRedis, running
from tests.hall.tables import (
    HallTable,
    assert_stream_is_journal,
    close_all,
    follower,
    line_from_journal,
)
from tests.patience import TIMEOUT_S

NODES = 3
SLOTS = 16_384


def cluster_of(nodes: list[RealRedis]) -> None:
    """Give each node its slots, and make them known to each other."""
    each = SLOTS // NODES + 1
    for n, node in enumerate(nodes):
        first, last = n * each, min(SLOTS, (n + 1) * each) - 1
        client = node.client()
        client.execute_command("CLUSTER", "SET-CONFIG-EPOCH", n + 1)
        client.execute_command("CLUSTER", "ADDSLOTSRANGE", first, last)
        client.execute_command("CLUSTER", "MEET", "127.0.0.1", nodes[0].port)
    pause = threading.Event()
    for _ in range(round(TIMEOUT_S / 0.05)):
        known = [node.client().execute_command("CLUSTER", "INFO") for node in nodes]
        if all(_is_whole(info) for info in known):
            return
        pause.wait(0.05)
    raise AssertionError(f"the cluster did not come together: {known}")


def _is_whole(info: Any) -> bool:
    info = (
        info if isinstance(info, dict) else dict(line.split(":") for line in info.decode().split())
    )
    return info["cluster_state"] == "ok" and int(info["cluster_known_nodes"]) == NODES


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[RealRedis]]:
    folder = tmp_path_factory.mktemp("cluster")
    options = ("--cluster-enabled", "yes", "--cluster-node-timeout", "2000")
    with contextlib.ExitStack() as stack:
        nodes = [stack.enter_context(running(folder / str(n), *options)) for n in range(NODES)]
        cluster_of(nodes)
        yield nodes


def test_a_hall_on_a_cluster(cluster: list[RealRedis], tmp_path: Path) -> None:
    """Forwarding, following, orders, packing and freeing, all across three nodes."""
    client = connect(cluster[0].url, cluster=True)
    clock = VirtualClock()
    tables = [HallTable(tmp_path, client, f"table-{n}", clock) for n in range(1, 13)]
    hall = follower(client, clock=clock)
    desk = Desk(client, hall, GAMES, time_of=lambda _: clock.at(), now=clock.now)
    desk.open("A large rally")
    for n, table in enumerate(tables):
        table.open(f"Ann {n}", f"Bob {n}", f"Cara {n}")
        table.score_round(0, n + 1, 9)
        table.press(60)
        table.send()
    hall.everything()
    desk.do(requests.Announce("Welcome"))
    for table in tables:
        table.listen()
        assert "Welcome" == table.hub.state()["notice"]
    snapshot(client, "table-3", hall.tables["table-3"].seq)
    tables[2].press(1)
    tables[2].send()
    hall.everything()

    assert is_cluster(client)
    assert server_time(client) > 1e9
    for table in tables:
        assert_stream_is_journal(client, table)
        assert line_from_journal(table).results == hall.overview.lines[table.name].results
    assert 36 == len(desk.standings(fresh=True).people)
    held = [node.client().dbsize() for node in cluster]
    assert all(held), f"one node holds nothing: {held}"
    desk.do(requests.Free("table-1"))
    assert not client.exists(keys.stream("table-1"))
    close_all(tables)


def test_everything_about_a_table_lies_on_one_node(cluster: list[RealRedis]) -> None:
    """Transactions need it; the hash tag sees to it."""
    client = cluster[0].client()
    for n in range(1, 200):
        slots = {
            client.execute_command("CLUSTER", "KEYSLOT", key) for key in keys.of_table(f"table-{n}")
        }
        assert 1 == len(slots)
    own = {
        client.execute_command("CLUSTER", "KEYSLOT", key)
        for key in (keys.orders("rally"), keys.roster("rally"), keys.processes("rally"))
    }
    assert 1 == len(own)
