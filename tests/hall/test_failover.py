"""A primary dies; a real Sentinel promotes its replica, and tables and hall go on there."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from centerpiece.hall.wire.hall_orders import Announce, SeatLate
from centerpiece.hall.wire.redis_connection import RedisError, connect, words
from centerpiece.table import commands as c
from tests.hall.servers import RealRedis, free_port, running, until
from tests.hall.tables import HallRoom, HallTable, Rally, assert_shows

pytestmark = pytest.mark.real_time("a real Redis, and threads that wait for it")

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
    lost, heard = tables[0].carry_out.memory.position, tables[0].events()
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
    tables[0].listen()
    assert lost == tables[0].carry_out.memory.position
    assert heard == tables[0].events()[: len(heard)]
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
