"""A small cluster of three nodes on the loopback: a hall lies on one of them."""

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from centerpiece.hall.wire import hall_keys
from centerpiece.hall.wire.hall_orders import Announce, FreeName
from centerpiece.hall.wire.redis_connection import connect, server_time
from sim.clock import VirtualClock
from tests.hall.servers import RealRedis, running
from tests.hall.tables import HallRoom, HallTable, assert_shows, close_all
from tests.patience import TIMEOUT_S

pytestmark = pytest.mark.real_time("a real Redis, and threads that wait for it")

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
    """Lines, orders and freeing a name; two halls need not lie on one node."""
    client = connect(cluster[0].url, cluster=True)
    clock = VirtualClock()
    room = HallRoom(client, clock)
    room.desk.open("A large rally")
    tables = [HallTable(tmp_path, client, f"table-{n}", clock) for n in range(1, 13)]
    for n, table in enumerate(tables):
        table.open(f"Ann {n}", f"Bob {n}", f"Cara {n}")
        table.score_round(0, n + 1, 9)
        table.publish()
    room.read()
    room.desk.do(Announce("Welcome"))
    for table in tables:
        table.listen()
        assert "Welcome" == table.hub.state()["notice"]
    tables[2].score_round(0, 7, 8)
    tables[2].publish()
    room.read()

    assert server_time(client) > 1e9
    assert_shows(room, tables)
    newcomer = HallRoom(client, clock)
    newcomer.read()
    assert_shows(newcomer, tables)
    assert 36 == len(room.desk.leaderboard(fresh=True).people)
    room.desk.do(FreeName("table-1"))
    assert not client.exists(hall_keys.line("rally", "table-1"))
    close_all(tables)


def test_everything_about_a_hall_lies_on_one_node(cluster: list[RealRedis]) -> None:
    """Transactions need it; the hash tag sees to it."""
    client = cluster[0].client()
    keys = [
        hall_keys.orders("rally"),
        hall_keys.lines("rally"),
        *(hall_keys.line("rally", f"table-{n}") for n in range(1, 200)),
    ]

    assert 1 == len({client.execute_command("CLUSTER", "KEYSLOT", key) for key in keys})
