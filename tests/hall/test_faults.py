"""A real Redis is killed, wiped, cut off and misconfigured; afterwards nothing is missing."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from centerpiece.hall.wire.hall_errors import HallError
from centerpiece.hall.wire.redis_connection import RedisError, ResponseError, connect, words
from tests.hall.servers import WHOLE, Proxy, RealRedis, running
from tests.hall.tables import HallRoom, Rally, assert_shows

pytestmark = pytest.mark.real_time("a real Redis, and threads that wait for it")

Hurt = Callable[[Any], Any]
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


def test_killed_and_restarted_in_the_middle_of_a_line(ward: Ward) -> None:
    """The newest line arrives, and no order is lost."""
    ward.play()
    ward.proxy.budget = 700
    assert ward.suffer()
    ward.server.kill()
    ward.play()
    assert all("does not answer" in said for said in ward.suffer())
    ward.server.start()
    ward.proxy.budget = WHOLE

    ward.recover()


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


ALL = {"enabled": True, "nopass": True}
HURTS: dict[str, tuple[Hurt, Hurt, str]] = {
    "paused": (lambda r: r.client_pause(400, all=True), lambda r: None, "takes too long"),
    "a replica": (
        lambda r: r.replicaof("127.0.0.1", "1"),
        lambda r: r.replicaof("NO", "ONE"),
        "read-only replica",
    ),
    "alone": (
        lambda r: r.config_set("min-replicas-to-write", 1),
        lambda r: r.config_set("min-replicas-to-write", 0),
        "misses its replicas",
    ),
    "full": (
        lambda r: r.config_set("maxmemory", "1mb"),
        lambda r: r.config_set("maxmemory", 0),
        "is full",
    ),
    "closed": (
        lambda r: r.acl_setuser("default", commands=["+@all", "-xadd"], **ALL),
        lambda r: r.acl_setuser("default", commands=["+@all"], **ALL),
        "does not allow",
    ),
}


@pytest.mark.parametrize(("hurt", "heal", "said"), HURTS.values(), ids=HURTS)
def test_a_redis_that_refuses(ward: Ward, hurt: Hurt, heal: Hurt, said: str) -> None:
    """The reason is a sentence, nothing blocks for long, and it recovers by itself."""
    ward.play()
    ward.suffer()
    hurt(ward.admin)
    ward.play()
    assert any(said in each for each in ward.suffer())
    heal(ward.admin)

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
