"""A real Redis is killed, wiped, cut off and misconfigured; afterwards nothing is missing."""

import contextlib
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from centerpiece.hall.wire import hall_keys
from centerpiece.hall.wire.hall_errors import HallError
from centerpiece.hall.wire.hall_orders import Announce, FreeName, SeatLate
from centerpiece.hall.wire.redis_connection import (
    RedisError,
    ResponseError,
    connect,
    server_time,
    words,
)
from centerpiece.table import commands as c
from tests.hall.servers import WHOLE, Proxy, RealRedis, free_port, running, until
from tests.hall.tables import HallRoom, HallTable, Rally, assert_shows

pytestmark = pytest.mark.real_time("a real Redis, and threads that wait for it")

IMPATIENT = {"answer_within": 0.15, "connect_within": 0.15}


class Ward(Rally):
    """A hall and three tables behind a link that can be cut."""

    def __init__(self, folder: Path, server: RealRedis) -> None:
        self.server = server
        self.proxy = Proxy(server.port)
        super().__init__(folder, connect(self.proxy.url, **IMPATIENT), 3)
        self.rng = random.Random(7)
        self.admin = server.client()
        for n, table in enumerate(self.tables):
            table.open(*(f"{name} {n}" for name in ("Ann", "Bob", "Cara", "Dan")), rounds=8)

    def play(self) -> None:
        for table in self.tables:
            if table.phase == "playing":
                table.play_round(self.rng)
                table.press(10) if table.phase == "playing" else None

    def suffer(self) -> list[str]:
        """Try to publish and to read; return the errors as sentences."""
        said = []
        for work in (*(table.publish for table in self.tables), self.hall.read):
            try:
                work()
            except (RedisError, HallError, OSError) as error:
                said.append(words(error))
                self.hall.reader.doubt()
        return said

    def recover(self) -> None:
        """Go on until there are no errors; then compare, also in a hall that starts now."""
        for _ in range(100):
            self.clock.move(11)
            if not (said := self.suffer()):
                break
        else:
            raise AssertionError(said)
        newcomer = HallRoom(self.admin, self.clock)
        newcomer.read()
        for hall in (self.hall, newcomer):
            assert_shows(hall, self.tables)
        assert self.hall.desk.log == newcomer.desk.log
        assert 1 == self.admin.xlen("{hall:rally}:orders")

    def close(self) -> None:
        super().close()
        self.proxy.close()


@pytest.fixture
def ward(tmp_path: Path) -> Iterator[Ward]:
    with running(tmp_path / "redis", durable=True) as server:
        ward = Ward(tmp_path, server)
        yield ward
        ward.close()


def test_killed_or_wiped_with_nothing_saved(tmp_path: Path) -> None:
    """Tables publish again, and the hall appends its orders again."""
    with running(tmp_path / "redis") as server:
        ward = Ward(tmp_path, server)
        for lose in (ward.admin.flushall, server.kill):
            ward.play()
            ward.suffer()
            lose()
            server.start() if lose == server.kill else None
            ward.play()
            ward.recover()
        ward.close()


HURTS = {
    "CLIENT PAUSE 400 ALL": ("PING", "takes too long"),
    "REPLICAOF 127.0.0.1 1": ("REPLICAOF NO ONE", "read-only replica"),
    "CONFIG SET min-replicas-to-write 1": ("CONFIG SET min-replicas-to-write 0", "its replicas"),
    "CONFIG SET maxmemory 1mb": ("CONFIG SET maxmemory 0", "is full"),
    "ACL SETUSER default -xadd": ("ACL SETUSER default +xadd", "does not allow"),
}


@pytest.mark.parametrize("hurt", HURTS)
def test_a_redis_that_refuses(ward: Ward, hurt: str) -> None:
    """The reason is a sentence, nothing blocks for long, and it recovers by itself."""
    ward.play()
    ward.suffer()
    heal, said = HURTS[hurt]
    ward.admin.execute_command(*hurt.split())
    ward.play()
    assert any(said in each for each in ward.suffer())
    ward.admin.execute_command(*heal.split())

    ward.recover()


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.integers(1, 6000), min_size=1, max_size=3))
def test_cut_at_any_byte(ward: Ward, cuts: list[int]) -> None:
    """The hall shows the older line or the newer, and in the end the newer."""
    for cut in cuts:
        for table in ward.tables:
            if table.phase != "playing":
                table.open("Ann", "Bob", "Cara", "Dan", rounds=8)
        ward.play()
        ward.proxy.budget = cut
        ward.suffer()
        ward.proxy.budget = WHOLE
    ward.recover()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://hall.local", "The hall's address must be like redis://"),
        ("nonsense", "The hall's address must be like redis://"),
        ("redis://127.0.0.1:1", "does not answer at redis://127.0.0.1:1"),
        ("redis://ann:secret@127.0.0.1:1", "does not answer at redis://127.0.0.1:1"),
        ("redis://127.0.0.1:1?password=secret", "does not answer at redis://127.0.0.1:1."),
        ("redis://127.0.0.1:1/0?password=x@secret", "does not answer at …"),
        ("redis://:secret/word@127.0.0.1:1", "address must be like"),
        ("redis://:se/secret@127.0.0.1:1", "address must be like"),
        ("redis://ann:12/secret@127.0.0.1:1", "at …"),
        ("redis://ann:a?secret@127.0.0.1:1", "address must be like"),
        ("redis://ann:a#secret@127.0.0.1:1", "address must be like"),
        ("redis://secret?x@127.0.0.1:1", "…"),
        ("redis://ann:x@secret@127.0.0.1:1", "does not answer at …"),
        ("redis://127.0.0.1:secret", "address must be like"),
        ("redis+sentinel://127.0.0.1:1,127.0.0.1:2/hall", "127.0.0.1:1,127.0.0.1:2/hall"),
        ("redis+sentinel://ann:secret@127.0.0.1:1/hall", "address must be like"),
        ("secret://127.0.0.1:1", "address must be like"),
    ],
)
def test_a_wrong_address_is_a_sentence_without_the_password(url: str, said: str) -> None:
    with pytest.raises((RedisError, HallError, OSError)) as wrong:
        connect(url, connect_within=0.2).ping()

    assert said in words(wrong.value, url)
    assert "secret" not in words(wrong.value, url)


def test_a_server_that_repeats_what_it_was_sent_is_not_quoted() -> None:
    """A server that is not Redis may answer a login with the password in it."""
    answer = ResponseError("unknown command `AUTH`, with args beginning with: `ann` `secret`")

    assert "secret" not in words(answer, "redis://hall.local")


# A primary and its replica, and a cluster

NAME = "hall-redis"


class Guarded(NamedTuple):
    primary: RealRedis
    replica: RealRedis
    url: str
    """The address by way of the Sentinel."""


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Guarded]:
    with (
        running(tmp_path / "one") as primary,
        running(tmp_path / "two", "--replicaof", f"127.0.0.1 {primary.port}") as replica,
    ):
        until(lambda: replica.client().info("replication")["master_link_status"] == "up")
        port = free_port()
        config = tmp_path / "sentinel.conf"
        config.write_text(
            f"port {port}\nbind 127.0.0.1\ndir {tmp_path}\n"
            f"sentinel monitor {NAME} 127.0.0.1 {primary.port} 1\n"
            f"sentinel down-after-milliseconds {NAME} 300\n"
            f"sentinel failover-timeout {NAME} 2000\n"
        )
        with running(tmp_path, "--sentinel", config=config, port=port) as sentinel:
            until(lambda: sentinel.client().sentinel_slaves(NAME))
            url = f"redis+sentinel://127.0.0.1:{sentinel.port}/{NAME}"
            yield Guarded(primary, replica, url)


def test_the_replica_takes_over(guarded: Guarded, tmp_path: Path) -> None:
    """Lines are published again, lost orders are appended again, none is carried out twice."""
    impatient = {"answer_within": 0.5, "connect_within": 0.5}
    rally = Rally(tmp_path, connect(guarded.url, **impatient))
    room, tables = rally.hall, rally.tables
    for table in tables:
        table.open("Ann", "Bob")
    rally.settle()
    until(lambda: guarded.replica.client().dbsize() == guarded.primary.client().dbsize())
    guarded.replica.client().replicaof("NO", "ONE")  # what comes now is lost with the primary
    room.desk._give(SeatLate("Late", "table-1", 7))
    for table in tables:
        table.listen()
        table.do(c.GoOut(1), c.EnterScore(2, 44))
        table.publish()
    room.read()
    shown = dict(room.lines)
    guarded.replica.client().replicaof("127.0.0.1", guarded.primary.port + 1)
    guarded.primary.kill()

    tables[0].do(c.CorrectScore(2, 45, round=1))
    with pytest.raises((RedisError, OSError)) as away:
        tables[0].publish()
    assert "does not answer" in words(away.value) or "too long" in words(away.value)
    assert shown == room.lines
    until(lambda: all(publish_again(table) for table in tables))
    room.reader.doubt()
    until(lambda: room.read() is None)
    assert_shows(room, tables)
    newcomer = HallRoom(connect(guarded.url), rally.clock)
    newcomer.read()
    assert_shows(newcomer, tables)
    tables[0].restart()
    room.desk.do(Announce("Still here"))
    for table in tables:
        table.reconnect()
        table.listen()
        assert "Still here" == table.hub.state()["notice"]
    assert 1 == sum(b"Late" in event for event in tables[0].events())
    rally.close()


def publish_again(table: HallTable) -> bool:
    table.clock.move(31.0)
    table.publish()
    return True


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
    """Lines, orders and freeing a name, all on one node: a transaction needs that."""
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
    keys = [*client.scan_iter(match="{hall:rally}:*"), hall_keys.lines("other-table")]
    slots = {cluster[0].client().execute_command("CLUSTER", "KEYSLOT", key) for key in keys}
    assert (15, 2) == (len(keys), len(slots))
    room.desk.do(FreeName("table-1"))
    assert not client.exists(hall_keys.line("rally", "table-1"))
    rally.close()
