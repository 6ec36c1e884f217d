"""TLS, one user for each table, and what such a user cannot do."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from centerpiece.games.registry import GAMES
from centerpiece.hall.server import requests
from centerpiece.hall.server.desk import Desk
from centerpiece.hall.server.follow import Follower
from centerpiece.hall.wire import keys
from centerpiece.hall.wire.connection import RedisError, connect, words
from tests.hall.servers import RealRedis, free_port, running
from tests.hall.tables import HallTable, assert_stream_is_journal

DEPLOY = Path(__file__).parents[2] / "deploy" / "redis"


class Fortress:
    """A Redis as `deploy/redis` sets it up, on a port of the loopback."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.ca = str(folder / "server.crt")
        self.server: RealRedis

    def client(self, user: str, **how: Any) -> Any:
        how = {"ca": self.ca, "password_file": str(self.folder / "passwords" / user)} | how
        return connect(f"rediss://{user}@127.0.0.1:{self.port}", **how)


def certify(folder: Path) -> None:
    """A certificate for the loopback that vouches for itself."""
    kind = (
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=hall"
    )
    where = f"-keyout {folder}/server.key -out {folder}/server.crt"
    words = f"openssl {kind} -addext subjectAltName=IP:127.0.0.1 {where}".split()
    subprocess.run(words, check=True, capture_output=True)


@pytest.fixture(scope="module")
def fortress(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fortress]:
    folder = tmp_path_factory.mktemp("fortress")
    fortress = Fortress(folder)
    certify(folder)
    subprocess.run(
        [sys.executable, str(DEPLOY / "make-users"), "--out", str(folder), "--count", "2"],
        check=True,
    )
    config = (
        (DEPLOY / "redis.conf")
        .read_text()
        .replace("tls-port 6379", f"tls-port {fortress.port}")
        .replace("/etc/redis/tls/ca.crt", fortress.ca)
        .replace("/etc/redis/tls", str(folder))
        .replace("/etc/redis", str(folder))
        .replace("/var/lib/redis", str(folder))
        .replace("maxclients 25000", "maxclients 100")
    )
    (folder / "redis.conf").write_text(config)
    with running(folder, config=folder / "redis.conf") as fortress.server:
        yield fortress


@pytest.fixture
def table(tmp_path: Path, fortress: Fortress) -> Iterator[HallTable]:
    table = HallTable(tmp_path, fortress.client("table-1"), "table-1")
    fortress.client("organiser").delete(*keys.of_table("table-1"))
    yield table
    table.close()


def test_a_table_with_its_own_login_can_do_all_it_needs(
    table: HallTable, fortress: Fortress
) -> None:
    """Forward, show signs of life and listen, over TLS."""
    organiser = fortress.client("organiser")
    hall = Follower(organiser, "rally", GAMES, "a", time_of=lambda _: table.clock.at())
    desk = Desk(organiser, hall, GAMES, time_of=lambda _: table.clock.at())
    desk.open("Rally")
    desk.do(requests.Announce("Welcome"))
    table.open("Ann", "Bob", "Cara")
    table.send()
    table.listen()
    hall.everything()
    hall.snapshot("table-1")
    hall.close()

    assert_stream_is_journal(organiser, table)
    assert "Welcome" == table.hub.state()["notice"]
    assert {"Ann", "Bob", "Cara"} == {p.name for p in hall.overview.lines["table-1"].seated}
    desk.do(requests.Free("table-1"))
    assert not organiser.exists(keys.stream("table-1"))


def test_a_redis_that_is_restarted_has_lost_nothing(table: HallTable, fortress: Fortress) -> None:
    """It reads its own file by the rights of a user whom nobody can be."""
    table.open("Ann", "Bob", "Cara")
    table.press(20)
    table.send()
    fortress.server.stop()
    fortress.server.start()

    assert_stream_is_journal(fortress.client("organiser"), table)


def test_a_table_fills_what_its_stream_has_lost(table: HallTable, fortress: Fortress) -> None:
    """With its own login, by itself; the middle, the beginning, or all of it."""
    organiser = fortress.client("organiser")
    table.open("Ann", "Bob", "Cara")
    table.press(20)
    table.send()
    for lost in (["9-0", "10-0"], ["1-0"]):
        organiser.xdel(keys.stream("table-1"), *lost)
        table.connect(fortress.client("table-1"))
        table.send()
        assert_stream_is_journal(organiser, table)
    organiser.delete(keys.stream("table-1"))
    organiser.hset(keys.stream("table-1"), "x", "y")
    table.send()
    assert_stream_is_journal(organiser, table)


FORBIDDEN = [
    ("XADD", "table:table-2", "*", "e", "x"),
    ("XADD", "hall:rally", "*", "o", "x"),
    ("XREAD", "STREAMS", "table:table-2", "0"),
    ("XREVRANGE", "table:table-2", "+", "-"),
    ("DEL", "table:table-2"),
    ("DEL", "{table:table-1}:archive"),
    ("SET", "table:table-1", "x"),
    ("SET", "{table:table-1}:archive", "x"),
    ("XTRIM", "table:table-1", "MAXLEN", "0"),
    ("SET", "{table:table-2}:alive", "x"),
    ("SET", "anything", "x"),
    ("SREM", "{hall:rally}:tables", "table-2"),
    ("SMEMBERS", "{hall:rally}:tables"),
    ("SADD", "table:table-1", "x"),
    ("KEYS", "*"),
    ("FLUSHALL",),
    ("CONFIG", "GET", "*"),
    ("CLIENT", "LIST"),
    ("CLIENT", "KILL", "ID", "1"),
    ("CLIENT", "PAUSE", "1000"),
    ("ACL", "LIST"),
    ("EVAL", "return 1", "0"),
    ("PUBLISH", "x", "y"),
    ("SHUTDOWN",),
]


@pytest.mark.parametrize("command", FORBIDDEN, ids=" ".join)
def test_a_table_can_do_nothing_else(fortress: Fortress, command: tuple[str, ...]) -> None:
    """Nor can whoever steals its password."""
    with pytest.raises(RedisError, match=r"permission|NOPERM"):
        fortress.client("table-1").execute_command(*command)


def test_a_wrong_password_is_a_sentence(fortress: Fortress, tmp_path: Path) -> None:
    """As are none at all and somebody nobody knows."""
    (tmp_path / "wrong").write_text("wrong")
    for user in ("table-1", "stranger", "default"):
        with pytest.raises(RedisError) as refused:
            fortress.client(user, password_file=str(tmp_path / "wrong")).ping()
        assert "refuses the login" in words(refused.value)


def test_a_server_that_nobody_vouches_for_is_not_trusted(fortress: Fortress) -> None:
    """No journal is sent to somebody who only claims to be the hall."""
    with pytest.raises((RedisError, OSError), match="certificate"):
        fortress.client("table-1", ca=None).ping()


def test_without_tls_nothing_answers(fortress: Fortress) -> None:
    """The plain port is closed."""
    with pytest.raises((RedisError, OSError)):
        connect(f"redis://127.0.0.1:{fortress.port}", answer_within=0.5).ping()


def test_the_example_file_is_what_the_script_writes(tmp_path: Path, fortress: Fortress) -> None:
    """Passwords apart; and nobody else can read what it writes."""

    def without_passwords(text: str) -> list[str]:
        return [
            " ".join(word for word in line.split() if not word.startswith("#"))
            for line in text.splitlines()
        ]

    written = fortress.folder / "users.acl"
    assert without_passwords((DEPLOY / "users.acl").read_text()) == without_passwords(
        written.read_text()
    )
    assert 0o600 == written.stat().st_mode & 0o777
