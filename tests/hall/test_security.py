"""TLS, logins, and the limits of a table's login."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from centerpiece.hall.server.line_reader import SILENT
from centerpiece.hall.table.line_publisher import SIGN_OF_LIFE
from centerpiece.hall.wire import hall_keys
from centerpiece.hall.wire.hall_orders import Announce, FreeName
from centerpiece.hall.wire.redis_connection import RedisError, connect, words
from tests.hall.servers import RealRedis, free_port, running
from tests.hall.tables import HallRoom, HallTable, assert_shows, same

pytestmark = pytest.mark.real_time("a real Redis, and threads that wait for it")

OWN, OTHER = (hall_keys.line("rally", f"table-{n}") for n in (1, 2))
DEPLOY = Path(__file__).parents[2] / "deploy" / "redis"


class Fortress:
    """A Redis as `deploy/redis` sets it up."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.ca = str(folder / "server.crt")
        self.server: RealRedis

    def client(self, user: str, **how: Any) -> Any:
        how = {"ca": self.ca, "password_file": str(self.folder / "passwords" / user)} | how
        return connect(f"rediss://{user}@127.0.0.1:{self.port}", **how)


def certify(folder: Path) -> None:
    """Make a self-signed certificate for the loopback."""
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


def test_a_table_with_its_own_login_can_do_all_it_needs(fortress: Fortress, tmp_path: Path) -> None:
    """Publish and listen, over TLS; a restart of Redis loses nothing."""
    table = HallTable(tmp_path, fortress.client("table-1"))
    hall = HallRoom(fortress.client("organiser"), table.clock)
    hall.desk.open("Rally")
    hall.desk.do(Announce("Welcome"))
    table.open("Ann", "Bob", "Cara")
    table.publish()
    table.listen()
    fortress.server.stop()
    fortress.server.start()
    hall.read()

    assert_shows(hall, [table])
    assert "Welcome" == table.hub.state()["notice"]
    hall.desk.do(FreeName("table-1"))
    assert set() == hall.board.tables()
    table.close()


HIGHEST_ID = "18446744073709551615-18446744073709551615"
LINES, ORDERS = hall_keys.lines("rally"), hall_keys.orders("rally")
FORBIDDEN = [
    ("HSET", OTHER, "x", "y"),
    ("HSETNX", OTHER, "first", "y"),
    ("HGETALL", OTHER),
    ("HSET", hall_keys.line("rally", "table-99"), "x", "y"),
    ("HSET", hall_keys.line("other", "table-1"), "x", "y"),
    ("HDEL", OWN, "x"),
    ("DEL", OWN),
    ("SET", OWN, "x"),
    ("EXPIRE", OWN, "1"),
    ("XADD", OWN, "*", "e", "x"),
    ("XADD", ORDERS, "*", "o", "x"),
    ("XADD", "anything", "*", "o", "x"),
    ("XREAD", "STREAMS", LINES, "0"),
    ("XREVRANGE", LINES, "+", "-"),
    ("XTRIM", LINES, "MAXLEN", "0"),
    ("XDEL", LINES, "1-0"),
    ("XINFO", "STREAM", LINES),
    ("DEL", LINES),
    ("HSET", LINES, "x", "y"),
    ("SET", "anything", "x"),
    ("KEYS", "*"),
    ("SCAN", "0"),
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
    """Nor can anybody who steals its password."""
    with pytest.raises(RedisError, match=r"permission|NOPERM"):
        fortress.client("table-1").execute_command(*command)


@pytest.mark.parametrize("entry", [(HIGHEST_ID,), ("MAXLEN", 0, "*"), ("MAXLEN", 0, HIGHEST_ID)])
def test_a_hostile_table_cannot_stop_the_lines_of_others(
    fortress: Fortress, tmp_path: Path, entry: tuple[str, ...]
) -> None:
    """It may use up the IDs of the stream or remove lines that two processes have not read."""
    fortress.client("organiser").delete(OWN, LINES)
    table = HallTable(tmp_path, fortress.client("table-1"))
    halls = [HallRoom(fortress.client("organiser"), table.clock) for _ in range(2)]
    table.open("Ann", "Bob", "Cara")
    table.publish()
    for hall in halls:
        hall.read()
    for _ in range(2):
        for _ in range(2):
            table.score_round(0, 5, 9)
            with suppress(RedisError):
                table.publish()
                fortress.client("table-2").execute_command("XADD", LINES, *entry, "x", "y")
        table.clock.move(SILENT + 1)
        for hall in halls:
            hall.reader.step()
        for hall in halls * 2:
            hall.read()
        for hall in halls:
            assert same(table.line()) == same(hall.lines["table-1"])
        for _ in range(2):
            table.clock.move(SIGN_OF_LIFE)
            assert table.publish()
            for hall in halls:
                hall.read()
                assert table.clock.at() == hall.lines["table-1"].at
    table.close()


def test_a_stolen_login_cannot_fill_redis(
    fortress: Fortress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither its own hash nor the stream: the hall deletes what is too much, names the table, and
    other tables play on.
    """
    monkeypatch.setattr("centerpiece.hall.server.line_reader.STREAM_BYTES", 3_000_000)
    organiser, thief = fortress.client("organiser"), fortress.client("table-2")
    organiser.delete(OWN, OTHER, LINES)
    table = HallTable(tmp_path, fortress.client("table-1"))
    hall = HallRoom(organiser, table.clock)
    table.open("Ann", "Bob", "Cara")
    table.publish()
    hall.read()
    for step in range(12):
        for number in range(30):
            thief.hset(OTHER, f"x{step}-{number}", b"x" * 300_000)
            thief.execute_command("XADD", LINES, "*", "table-2", b"x" * 300_000)
        hall.read()
    table.score_round(0, 5, 9)
    table.clock.move(SIGN_OF_LIFE)
    table.publish()
    hall.read()

    assert same(table.line()) == same(hall.lines["table-1"])
    assert {} == organiser.hscan(OTHER)[1]
    assert sum(len(fields.get(b"table-2", b"")) for _, fields in organiser.xrange(LINES)) < 2e7
    assert {"table-2"} == hall.board.unreadable
    assert hall.board.tables() == {"table-1", "table-2"}
    table.close()


@pytest.mark.parametrize("command", [("XADD", LINES, "*"), ("HSET", OTHER)])
def test_one_command_of_a_stolen_login_cannot_fill_redis(
    fortress: Fortress, command: tuple[str, ...]
) -> None:
    """A gigabyte in one entry would be read by every hall before it could be removed."""
    organiser = fortress.client("organiser")
    organiser.delete(OTHER, LINES)
    fields = [b"x" * 1_000_000 if place % 2 else f"f{place}" for place in range(300)]

    with pytest.raises(RedisError):
        fortress.client("table-2").execute_command(*command, *fields)

    assert [] == organiser.xrange(LINES)
    assert {} == organiser.hscan(OTHER)[1]


def test_a_login_needs_the_password_tls_and_a_trusted_certificate(
    fortress: Fortress, tmp_path: Path
) -> None:
    (tmp_path / "wrong").write_text("wrong")
    for user in ("table-1", "stranger", "default"):
        with pytest.raises(RedisError) as refused:
            fortress.client(user, password_file=str(tmp_path / "wrong")).ping()
        assert "refuses the login" in words(refused.value)
    with pytest.raises((RedisError, OSError), match="certificate"):
        fortress.client("table-1", ca=None).ping()
    with pytest.raises((RedisError, OSError)):
        connect(f"redis://127.0.0.1:{fortress.port}", answer_within=0.5).ping()


def test_the_example_file_is_what_the_script_writes(tmp_path: Path, fortress: Fortress) -> None:
    """Except for passwords; and nobody else can read the file."""

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
