"""A real Redis is hurt in every way we could think of; afterwards nothing is missing."""

import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis.exceptions import ConnectionError as ConnectionLost

from centerpiece.hall.server import rally
from centerpiece.hall.table.forward import Forwarder
from centerpiece.hall.wire.connection import RedisError, ResponseError, connect, words
from centerpiece.hall.wire.errors import HallError
from centerpiece.hall.wire.orders import Given, Open
from sim.clock import VirtualClock
from tests.hall.servers import Proxy, RealRedis, running
from tests.hall.tables import (
    HallTable,
    assert_stream_is_journal,
    close_all,
    follower,
    line_from_journal,
)
from tests.patience import TIMEOUT_S

IMPATIENT = {"answer_within": 0.15, "connect_within": 0.15}
BOOK = rally.entered(rally.Book(), Given("1-0", 1_800_000_000.0, Open()))


class Ward:
    """A Redis to be hurt, a link to be cut, some tables and a hall."""

    def __init__(self, folder: Path, server: RealRedis, count: int = 3) -> None:
        self.server = server
        self.proxy = Proxy(server.port)
        self.clock = VirtualClock()
        self.rng = random.Random(7)
        self.admin = server.client()
        self.hall = follower(connect(self.proxy.url, **IMPATIENT), clock=self.clock)
        self.tables = [
            HallTable(folder, connect(self.proxy.url, **IMPATIENT), f"table-{n}", self.clock)
            for n in range(1, count + 1)
        ]
        for n, table in enumerate(self.tables):
            table.open(*(f"{name} {n}" for name in ("Ann", "Bob", "Cara", "Dan")), rounds=8)

    def play(self, rounds: int = 1) -> None:
        for table in self.tables:
            for _ in range(rounds):
                if table.phase == "playing":
                    table.play_round(self.rng)
                    table.press(10) if table.phase == "playing" else None

    def suffer(self) -> list[str]:
        """Try to send and to follow; what was said about it."""
        said = []
        for work in (*(table.send for table in self.tables), self.hall.everything):
            try:
                work()
            except (RedisError, HallError, OSError) as error:
                said.append(words(error))
        return said

    def recover(self) -> None:
        """Go on until nobody complains, and see that all is as it should be."""
        self._until_well()
        self.clock.move(30)
        self._until_well()
        self._until_well()
        expected = {table.name: line_from_journal(table) for table in self.tables}
        lines = self.hall.overview.lines
        for table in self.tables:
            assert_stream_is_journal(self.admin, table)
            assert expected[table.name].results == lines[table.name].results
        assert rally.standings(BOOK, expected, {}) == rally.standings(BOOK, lines, {})

    def _until_well(self) -> None:
        said = [""]
        for _ in range(100):
            said = self.suffer()
            if not said:
                return
        raise AssertionError(said)

    def close(self) -> None:
        close_all(self.tables)
        self.proxy.close()


@pytest.fixture
def ward(tmp_path: Path) -> Iterator[Ward]:
    with running(tmp_path / "redis", durable=True) as server:
        ward = Ward(tmp_path, server)
        yield ward
        ward.close()


def test_killed_and_restarted_in_the_middle_of_a_batch(ward: Ward) -> None:
    """Half a batch on the wire, no Redis, a Redis again: nothing twice, nothing missing."""
    ward.play()
    ward.proxy.cut_after(3000)
    assert ward.suffer()
    ward.server.kill()
    ward.play()
    assert all("does not answer" in said for said in ward.suffer())
    ward.server.start()
    ward.proxy.heal()

    ward.recover()


def test_killed_without_having_saved_anything(tmp_path: Path) -> None:
    """A Redis that comes back empty is filled from the start."""
    with running(tmp_path / "redis") as server:
        ward = Ward(tmp_path, server)
        ward.play()
        ward.suffer()
        server.kill()
        server.start()
        ward.play()

        ward.recover()
        ward.close()


def test_paused(ward: Ward) -> None:
    """Nobody waits for long; what was asked while it was paused does no harm when it wakes."""
    ward.play()
    ward.admin.client_pause(400, all=True)
    said = ward.suffer()

    assert said
    assert all("takes too long" in sentence for sentence in said)
    ward.play()
    ward.recover()


def test_read_only(ward: Ward) -> None:
    """A primary that has become a replica says so, and nothing is lost until it is one again."""
    ward.play()
    ward.suffer()
    ward.admin.replicaof("127.0.0.1", "1")
    ward.play()
    assert any("read-only replica" in said for said in ward.suffer())
    ward.admin.replicaof("NO", "ONE")

    ward.recover()


def test_without_its_replicas(ward: Ward) -> None:
    """A primary that refuses to write alone."""
    ward.play()
    ward.admin.config_set("min-replicas-to-write", 1)
    assert any("misses its replicas" in said for said in ward.suffer())
    ward.admin.config_set("min-replicas-to-write", 0)

    ward.recover()


def test_out_of_memory(ward: Ward) -> None:
    """A full Redis takes whole batches or none."""
    ward.play()
    ward.suffer()
    ward.admin.config_set("maxmemory", "1mb")
    ward.play(2)
    assert any("is full" in said for said in ward.suffer())
    ward.admin.config_set("maxmemory", 0)

    ward.recover()


def test_wiped_while_everybody_is_connected(ward: Ward) -> None:
    """Three times, at different moments."""
    for _ in range(3):
        ward.play()
        ward.suffer()
        ward.admin.flushall()
        ward.play()
    ward.recover()


def test_a_table_whose_login_is_taken_away(ward: Ward) -> None:
    """Refused is a sentence too; the table sends on once it may."""
    ward.play()
    ward.admin.acl_setuser("default", enabled=True, nopass=True, commands=["+@all", "-xadd"])
    assert any("does not allow" in said for said in ward.suffer())
    ward.admin.acl_setuser("default", enabled=True, nopass=True, commands=["+@all"])

    ward.recover()


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.integers(1, 6000), min_size=1, max_size=3))
def test_cut_at_any_byte(ward: Ward, cuts: list[int]) -> None:
    """Wherever the link breaks, the stream is whole or shorter, and then whole again."""
    for cut in cuts:
        for table in ward.tables:
            if table.phase != "playing":
                table.open("Ann", "Bob", "Cara", "Dan", rounds=8)
        ward.play()
        ward.proxy.cut_after(cut)
        ward.suffer()
        ward.proxy.heal()
    ward.recover()


def test_cut_and_healed_at_random_under_load(ward: Ward) -> None:
    """Tables send from threads of their own while the link comes and goes."""
    done = threading.Event()
    sent = threading.Semaphore(0)

    def forward(table: HallTable) -> None:
        while not done.is_set():
            try:
                table.sender.step()
            except (RedisError, HallError, OSError):
                done.wait(0.002)
            sent.release()

    threads = [threading.Thread(target=forward, args=(table,)) for table in ward.tables]
    for thread in threads:
        thread.start()
    try:
        for n in range(40):
            ward.play() if n % 6 == 0 else None
            for _ in range(ward.rng.randrange(1, 8)):
                assert sent.acquire(timeout=TIMEOUT_S)
            if n % 2:
                ward.proxy.cut_after(ward.rng.randrange(1, 5000))
            else:
                ward.proxy.heal()
    finally:
        done.set()
        for thread in threads:
            thread.join(TIMEOUT_S)
        ward.proxy.heal()

    ward.recover()


class LosesAnswers:
    """A client whose next answer to a group's read is lost on its way."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.losing = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def xreadgroup(self, *words: Any, **how: Any) -> Any:
        answer = self._client.xreadgroup(*words, **how)
        if self.losing:
            self.losing = False
            raise ConnectionLost("the answer was lost")
        return answer


def test_a_hall_that_loses_an_answer_notices_by_itself(ward: Ward) -> None:
    """It is not given again, and no later event may ever show the gap."""
    client = LosesAnswers(ward.admin)
    hall = follower(client, clock=ward.clock)
    ward.suffer()
    ward.clock.move(30)
    for _ in range(10):
        hall.step()
        ward.clock.move(4)
    hall.step()
    ward.play()
    for table in ward.tables:
        while Forwarder(ward.admin, table.name, table.id, table.outbox).step().events:
            pass
    client.losing = True
    with pytest.raises(RedisError):
        hall.step()
    for _ in range(100):
        ward.clock.move(0.25)
        hall.step()

    for table in ward.tables:
        assert line_from_journal(table).results == hall.overview.lines[table.name].results
        assert 0 == ward.admin.xpending(f"table:{table.name}", "rally")["pending"]


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
        ("secret://127.0.0.1:1", "address must be like"),
    ],
)
def test_a_wrong_address_is_a_sentence_without_the_password(url: str, said: str) -> None:
    """What is wrong, and never the password, wherever it stands."""
    try:
        connect(url, connect_within=0.2).ping()
    except (RedisError, HallError, OSError) as error:
        told = words(error, url)
    else:
        told = ""

    assert said in told
    assert "secret" not in told


def test_a_server_that_repeats_what_it_was_sent_is_not_quoted() -> None:
    """Something that is no Redis may answer a login with its password."""
    answer = ResponseError("unknown command `AUTH`, with args beginning with: `ann` `secret`")

    assert "secret" not in words(answer, "redis://hall.local")


def test_events_that_make_no_sense_stop_one_table_not_the_hall(ward: Ward) -> None:
    """A hub gone mad is shown as such; the others are followed on."""
    ward.play()
    ward.suffer()
    mad = ward.tables[0]
    last = mad.rows()[-1]
    nonsense = last._replace(
        seq=last.seq + 1, body=b'{"type":"score-entered","round":99,"seat":1,"entry":{"pips":1}}'
    )
    ward.admin.xadd("table:table-1", {"e": nonsense.packed(mad.id)}, id=f"{nonsense.seq}-0")
    ward.tables[1].press(3)
    ward.tables[1].send()
    ward.hall.everything()

    assert "does not follow from the ones before" in ward.hall.overview.lines["table-1"].trouble
    assert ward.tables[1].hub.seq == ward.hall.tables["table-2"].seq
