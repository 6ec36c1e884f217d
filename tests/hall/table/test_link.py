"""The link of a running hub, on real threads and clocks."""

import queue
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from centerpiece.config import HallSettings
from centerpiece.games.registry import GAMES
from centerpiece.hall.server.desk_requests import StartRequest
from centerpiece.hall.table import line_publisher, order_listener
from centerpiece.hall.table.hall_link import HallLink, uneven_pauses
from centerpiece.hall.wire import hall_keys
from centerpiece.hall.wire.hall_orders import HandCard
from centerpiece.hall.wire.table_line import read_line
from centerpiece.hub.hub import Hub
from centerpiece.storage.journal import Journal
from centerpiece.storage.settings import JOURNAL_NAME
from centerpiece.table import commands as c
from hal.ports import Clock, Trouble
from hal.system_clock import SystemClock
from sim.board import build
from tests.hall.servers import RealRedis, until, wiped
from tests.hall.tables import HallRoom
from tests.patience import TIMEOUT_S

pytestmark = pytest.mark.real_time("a real Redis, and threads that wait for it")

KEY = hall_keys.line("rally", "table-1")


class Running:
    """A hub with its link; `wait_for` does the work of the hub's thread."""

    def __init__(
        self, folder: Path, url: str, name: str = "table-1", clock: Clock | None = None
    ) -> None:
        self._posted: queue.Queue[Callable[[], None]] = queue.Queue()
        self.troubles: list[str] = []
        self.journal = Journal(folder / name / "table.db", GAMES)
        self.hub = Hub(GAMES, self.journal, build(clock=clock), name)
        self.link = HallLink(self.hub, HallSettings(url=url), self._report, self._posted.put)
        self.link.start()

    def _report(self, trouble: Trouble) -> None:
        self._posted.put(lambda: self.troubles.append(trouble.message))

    def wait_for(self, what: Callable[[], bool]) -> None:
        while not what():
            self._posted.get(timeout=TIMEOUT_S)()

    def close(self) -> None:
        self.link.stop(TIMEOUT_S)
        self.journal.close()


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Running]]:
    monkeypatch.setattr(order_listener, "LISTEN_FOR", 0.2)
    made: list[Running] = []

    def start(url: str, folder: Path = tmp_path, **how: Any) -> Running:
        made.append(Running(folder, url, **how))
        return made[-1]

    yield start
    for each in made:
        each.close()


def published(client: Any, table: Running, seq: int | None = None) -> Callable[[], bool]:
    """Return a function that tells whether the table's line has come as far."""
    journal = table.hub.settings[JOURNAL_NAME]
    expected = table.hub.seq if seq is None else seq

    def arrived() -> bool:
        line = read_line(client.hget(KEY, journal) or b"")
        return line is not None and line.seq == expected

    return arrived


class WrongClock(SystemClock):
    """The real clock, set wrong; `now` may be moved on."""

    def __init__(self, ahead: float = 0.0) -> None:
        self.ahead = ahead
        self.later = 0.0

    def at(self) -> float:
        return super().at() + self.ahead

    def now(self) -> float:
        return super().now() + self.later


def seated(table: Running) -> Running:
    table.hub.do(c.Join("Ann", 1))
    table.hub.do(c.Join("Bob", 2))
    return table


def opened_desk(client: Any) -> Any:
    desk = HallRoom(client, SystemClock()).desk
    desk.open("Rally")
    desk.do(HandCard("mexican-train/rally", 12))
    return desk


@pytest.mark.parametrize("ahead", [0.0, -3600.0, 3600.0])
def test_a_start_is_carried_out_whatever_the_hubs_clock_says(
    run: Callable[..., Running], server: RealRedis, ahead: float
) -> None:
    """The clocks are compared before the first order, so no start is taken for an old one."""
    client = wiped(server)
    opened_desk(client).do(StartRequest(in_s=0.3))
    table = seated(run(server.url, clock=WrongClock(ahead)))

    table.wait_for(lambda: table.hub.table.phase == "playing")
    assert "rally" == table.hub.state()["rules"]


def test_a_start_heard_by_a_wrong_clock_is_waited_for_anew_once_it_is_known(
    run: Callable[..., Running], server: RealRedis
) -> None:
    """The hub's clock jumps back by an hour, and nobody waits an hour for the start."""
    client, clock = wiped(server), WrongClock()
    desk = opened_desk(client)
    table = seated(run(server.url, clock=clock))
    until(lambda: bool(client.exists(KEY)))
    clock.ahead = -3600.0
    desk.do(StartRequest(in_s=0.3))
    table.wait_for(lambda: table.link.carry_out.memory.start is not None)
    clock.later = line_publisher.CHECK_EVERY
    table.hub.do(c.Join("Cara", 3))

    table.wait_for(lambda: table.hub.table.phase == "playing")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("redis://127.0.0.1:1", "The hall does not answer at redis://127.0.0.1:1"),
        ("ftp://hall", "must be like redis://"),
    ],
)
def test_without_a_hall_there_is_a_sentence_and_the_table_plays_on(
    run: Callable[..., Running], url: str, said: str
) -> None:
    table = run(url)
    table.wait_for(lambda: bool(table.troubles))
    table.hub.do(c.OpenTable("mexican-train/rally", ("Ann", "Bob")))

    assert said in table.troubles[0]
    assert table.troubles[0].endswith("The table plays on.")


def test_the_second_hub_of_a_name_and_the_first_both_say_so(
    run: Callable[..., Running], server: RealRedis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = wiped(server)
    monkeypatch.setattr(line_publisher, "CHECK_EVERY", 0.05)
    first = run(server.url)
    first.hub.do(c.OpenTable("mexican-train/rally", ("Ann", "Bob")))
    until(published(client, first))
    second = run(server.url, tmp_path / "other")

    second.wait_for(lambda: any("in use by another hub" in t for t in second.troubles))
    first.wait_for(lambda: any("Another hub is also called" in t for t in first.troubles))


def test_a_table_can_leave_and_come_back(run: Callable[..., Running], server: RealRedis) -> None:
    """A change is published at once; changes made meanwhile, when the table is back."""
    client = wiped(server)
    table = run(server.url)
    table.hub.do(c.OpenTable("mexican-train/rally", ("Ann", "Bob")))
    until(published(client, table))
    assert [] == [trouble for trouble in table.troubles if trouble]
    table.link.leave()
    gone = table.hub.seq
    table.hub.do(c.GoOut(1))
    assert not table.link.status()["following"]
    assert published(client, table, gone)()
    table.link.join()

    until(published(client, table))


def test_two_journals_never_have_the_same_name(tmp_path: Path) -> None:
    names = []
    for folder in ("one", "one", "two"):
        journal = Journal(tmp_path / folder / "table.db", GAMES)
        names.append(Hub(GAMES, journal, build()).settings[JOURNAL_NAME])
        journal.close()

    assert names[0] == names[1] != names[2]


def test_pauses_grow_and_differ_from_table_to_table() -> None:
    """So ten thousand tables do not all come back at once."""
    one, other = uneven_pauses(), uneven_pauses()
    first = [next(one) for _ in range(12)]

    assert first != [next(other) for _ in range(12)]
    assert first[0] < first[-1] <= max(first) <= 45
