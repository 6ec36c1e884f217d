"""A hall on a cluster of three nodes; all its keys lie on one of them."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from centerpiece.hall.wire import hall_keys
from centerpiece.hall.wire.hall_orders import Announce, FreeName
from centerpiece.hall.wire.redis_connection import connect, server_time
from tests.hall.servers import RealRedis, running, until
from tests.hall.tables import HallRoom, Rally, assert_shows

pytestmark = pytest.mark.real_time("a real Redis, and threads that wait for it")

NODES = 3
SLOTS = 16_384


def cluster_of(nodes: list[RealRedis]) -> None:
    """Join the nodes, each with its share of the slots."""
    each = SLOTS // NODES + 1
    for n, node in enumerate(nodes):
        first, last = n * each, min(SLOTS, (n + 1) * each) - 1
        client = node.client()
        client.execute_command("CLUSTER", "SET-CONFIG-EPOCH", n + 1)
        client.execute_command("CLUSTER", "ADDSLOTSRANGE", first, last)
        client.execute_command("CLUSTER", "MEET", "127.0.0.1", nodes[0].port)
    until(lambda: all(_is_whole(node.client()) for node in nodes))


def _is_whole(client: Any) -> bool:
    info = client.execute_command("CLUSTER", "INFO")
    if not isinstance(info, dict):
        info = dict(line.split(":") for line in info.decode().split())
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
    """Lines, orders and freeing a name."""
    client = connect(cluster[0].url, cluster=True)
    rally = Rally(tmp_path, client, 12)
    room, tables = rally.hall, rally.tables
    for n, table in enumerate(tables):
        table.open(f"Ann {n}", f"Bob {n}", f"Cara {n}")
        table.score_round(0, n + 1, 9)
    rally.settle()
    room.desk.do(Announce("Welcome"))
    for table in tables:
        table.listen()
        assert "Welcome" == table.hub.state()["notice"]
    tables[2].score_round(0, 7, 8)
    tables[2].publish()
    room.read()

    assert server_time(client) > 1e9
    assert_shows(room, tables)
    newcomer = HallRoom(client, rally.clock)
    newcomer.read()
    assert_shows(newcomer, tables)
    assert 36 == len(room.desk.leaderboard(fresh=True).people)
    room.desk.do(FreeName("table-1"))
    assert not client.exists(hall_keys.line("rally", "table-1"))
    rally.close()


def test_everything_about_a_hall_lies_on_one_node(cluster: list[RealRedis]) -> None:
    """By their hash tag; transactions need it."""
    client = cluster[0].client()
    keys = [
        hall_keys.orders("rally"),
        hall_keys.lines("rally"),
        *(hall_keys.line("rally", f"table-{n}") for n in range(1, 200)),
    ]

    assert 1 == len({client.execute_command("CLUSTER", "KEYSLOT", key) for key in keys})
