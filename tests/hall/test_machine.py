"""Anything may happen, in any order, on a faked and on a real Redis side by side."""

import random
import tempfile
from pathlib import Path
from typing import Any

import fakeredis
import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from centerpiece.hall.server import archive
from centerpiece.hall.table.forward import Forwarder
from centerpiece.hall.wire import keys
from centerpiece.hall.wire.errors import HallError
from centerpiece.table import commands as c
from centerpiece.text import Refused
from sim.clock import VirtualClock
from tests.hall.servers import RealRedis, wiped
from tests.hall.tables import (
    HALL,
    HallTable,
    assert_stream_is_journal,
    close_all,
    follower,
    line_from_journal,
)

NAMES = ("table-1", "table-2")
tables = st.sampled_from(NAMES)
halls = st.sampled_from(["a", "b"])
SERVER: list[RealRedis] = []


class Side:
    """One Redis, what is sent to it and who follows it."""

    def __init__(self, client: Any, clock: VirtualClock) -> None:
        self.client = client
        self._clock = clock
        self._count = 0
        self.halls = {name: self._hall(name) for name in ("a", "b")}

    def _hall(self, name: str) -> Any:
        self._count += 1
        return follower(self.client, f"{name}-{self._count}", self._clock)

    def replace(self, name: str) -> None:
        """A process dies without a word, and another is started."""
        self.halls[name] = self._hall(name)

    def send(self, table: HallTable, most: int) -> Any:
        try:
            return Forwarder(self.client, table.name, table.id, table.outbox).step(most)
        except HallError as error:
            return type(error)

    def facts(self) -> Any:
        """What there is in Redis, and what the hall makes of it."""
        streams = {name: self.client.xrange(keys.stream(name)) for name in NAMES}
        return streams, [
            {name: followed.line() for name, followed in sorted(hall.tables.items())}
            for hall in self.halls.values()
        ]


class Machine(RuleBasedStateMachine):
    """Two tables, two hall processes, two kinds of Redis."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(prefix="centerpiece-hall-")
        self.clock = VirtualClock()
        fake = fakeredis.FakeRedis(protocol=2)
        self.sides = [Side(fake, self.clock), Side(wiped(SERVER[0]), self.clock)]
        root = Path(self.folder.name)
        self.tables = {name: HallTable(root, fake, name, self.clock) for name in NAMES}
        self.other = HallTable(root / "other", fake, NAMES[0], self.clock)
        for table in (*self.tables.values(), self.other):
            table.open("Ann", "Bob", "Cara", rounds=3)
        self._register()

    def _register(self) -> None:
        for side in self.sides:
            side.client.sadd(keys.roster(HALL), *NAMES)

    @rule(name=tables, count=st.integers(1, 30))
    def press(self, name: str, count: int) -> None:
        for _ in range(count):
            self._try(name, c.CallLastTile(1), c.Catch(2))
            self._try(name, c.Undo())

    @rule(name=tables, points=st.integers(1, 50))
    def play_round(self, name: str, points: int) -> None:
        self._try(name, c.GoOut(1), c.EnterScore(2, points), c.EnterScore(3, 7), c.NextRound())

    @rule(name=tables, points=st.integers(1, 50))
    def correct(self, name: str, points: int) -> None:
        self._try(name, c.CorrectScore(2, points, round=1))

    @rule(name=tables, count=st.integers(1, 40))
    def undo(self, name: str, count: int) -> None:
        self._try(name, *[c.Undo()] * count)

    @rule(name=tables, count=st.integers(1, 5))
    def redo(self, name: str, count: int) -> None:
        self._try(name, *[c.Redo()] * count)

    @rule(name=tables)
    def another_game(self, name: str) -> None:
        self._try(name, c.FinishGame(), c.OpenLobby(), c.Start())

    @rule(name=tables, most=st.integers(1, 40))
    def send(self, name: str, most: int) -> None:
        fake, real = (side.send(self.tables[name], most) for side in self.sides)
        assert fake == real

    @rule()
    def wipe(self) -> None:
        for side in self.sides:
            side.client.flushall()
        self._register()

    @rule(name=tables)
    def lose_a_stream(self, name: str) -> None:
        for side in self.sides:
            side.client.delete(keys.stream(name))

    @precondition(lambda self: self.sides[0].client.xlen(keys.stream(NAMES[0])))
    @rule()
    def try_a_name_that_is_taken(self) -> None:
        fake, real = (side.send(self.other, 10) for side in self.sides)
        assert fake == real
        assert isinstance(fake, type)

    @rule(name=halls)
    def follow(self, name: str) -> None:
        for side in self.sides:
            side.halls[name].renew()
            side.halls[name].build()
            side.halls[name].poll()

    @rule(name=halls)
    def publish(self, name: str) -> None:
        for side in self.sides:
            side.halls[name].publish()
            side.halls[name].acknowledge()

    @rule(name=halls)
    def die(self, name: str) -> None:
        for side in self.sides:
            side.replace(name)
        self.clock.move(15)

    @rule(name=tables, hall=halls)
    def pack(self, name: str, hall: str) -> None:
        for side in self.sides:
            if name in side.halls[hall].tables and name not in side.halls[hall].reader.changed:
                side.halls[hall].snapshot(name)

    @rule()
    def compare(self) -> None:
        fake, real = (side.facts() for side in self.sides)
        assert fake == real

    def _try(self, name: str, *commands: c.Command) -> None:
        for command in commands:
            try:
                self.tables[name].do(command)
            except Refused:
                return

    def teardown(self) -> None:
        try:
            self._settle()
        finally:
            close_all([*self.tables.values(), self.other])
            self.folder.cleanup()

    def _settle(self) -> None:
        """Everything heals: streams are journals, lines follow from them, nothing is pending."""
        for side in self.sides:
            for table in self.tables.values():
                while side.send(table, 500).events:
                    pass
                assert_stream_is_journal(side.client, table)
        self.clock.move(20)
        for side in self.sides:
            for _ in range(2):
                for hall in side.halls.values():
                    hall.everything()
            for name, table in self.tables.items():
                expected = line_from_journal(table)
                for hall in side.halls.values():
                    assert expected.results == hall.overview.lines[name].results
                    assert expected.seated == hall.overview.lines[name].seated
                assert 0 == side.client.xpending(keys.stream(name), HALL)["pending"]


def test_faked_and_real_redis_agree_and_every_stream_heals(server: RealRedis) -> None:
    """Whatever happened: no event twice, none missing, the same leaderboard from either."""
    SERVER[:] = [server]
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=20,
            stateful_step_count=20,
            deadline=None,
            phases=(Phase.explicit, Phase.reuse, Phase.generate),
        ),
    )


def test_an_undo_further_back_than_the_hall_remembers_is_read_again(
    seat_table: Any, client: Any
) -> None:
    """The short memory of a hall shows nowhere."""
    table, hall = seat_table(), follower(client)
    table.open("Ann", "Bob", "Cara")
    table.play_round(random.Random(1))
    table.press(60)
    table.send()
    hall.everything()
    table.do(*[c.Undo()] * 64)
    table.send()
    hall.everything()

    assert line_from_journal(table).seated == hall.overview.lines["table-1"].seated
    assert table.hub.seq == hall.tables["table-1"].seq


@pytest.mark.parametrize("kept", [1, 50])
def test_a_trimmed_stream_loses_nothing(seat_table: Any, client: Any, kept: int) -> None:
    """Trimming comes after packing, and the packed events are read where they are needed."""
    table, hall = seat_table(), follower(client)
    table.open("Ann", "Bob", "Cara")
    table.press(200)
    table.send()
    hall.everything()
    archive.snapshot(client, "table-1", hall.tables["table-1"].seq, kept)
    table.press(10)
    table.send()

    assert kept + 10 == client.xlen("table:table-1")
    assert_stream_is_journal(client, table)
    second = follower(client, "hall-b")
    second.everything()
    third = follower(client, "hall-c")
    third.everything()
    assert table.hub.seq in {
        process.tables["table-1"].seq for process in (second, third) if process.tables
    }


def test_only_what_was_published_is_trimmed(seat_table: Any, client: Any) -> None:
    """A stream is trimmed once it is long, and never past what the hall has taken in."""
    table, hall = seat_table(), follower(client, trim_at=100)
    table.open("Ann", "Bob", "Cara")
    table.press(150)
    table.send()
    hall.everything()
    hall.tidy()
    packed = hall.tables["table-1"].archived

    assert packed == table.hub.seq - 50
    assert 50 == client.xlen("table:table-1")
    assert_stream_is_journal(client, table)
