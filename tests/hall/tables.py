"""Tables for the tests of a hall: a hub in virtual time, and simple people who play at it."""

import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from centerpiece.games.mexican_train.game import ToggleMarker
from centerpiece.games.registry import GAMES
from centerpiece.hall.server.desk import Desk
from centerpiece.hall.server.line_board import LineBoard
from centerpiece.hall.server.line_reader import LineReader
from centerpiece.hall.table.carry_out import CarryOut
from centerpiece.hall.table.line_publisher import LinePublisher, LineSource
from centerpiece.hall.table.order_listener import OrderListener
from centerpiece.hall.wire.table_line import TableLine
from centerpiece.hub.hub import Hub
from centerpiece.storage.journal import Journal
from centerpiece.table import commands as c
from hal.ports import Clock
from sim.board import SimBoard, build
from sim.clock import VirtualClock

HALL = "rally"


class HallTable:
    """A hub, and what links it to a hall, driven step by step."""

    def __init__(
        self,
        folder: Path,
        client: Any,
        name: str = "table-1",
        clock: VirtualClock | None = None,
        hall: str = HALL,
    ) -> None:
        self.name = name
        self.clock = clock or VirtualClock()
        self.path = folder / name / "table.db"
        self.client = client
        self.journal = Journal(self.path, GAMES)
        self.journal.database.execute("PRAGMA synchronous=OFF")  # no test here pulls the plug
        self.board: SimBoard = build(clock=self.clock)
        self.hub = Hub(GAMES, self.journal, self.board, name)
        self.carry_out = CarryOut(self.hub, hall)
        self.source = LineSource(self.hub, self.carry_out)
        self.hall = hall
        self.connect(client)

    def connect(self, client: Any) -> None:
        """Use another client from now on."""
        self.client = client
        self.publisher = LinePublisher(
            client, self.hall, self.source, time_of=lambda _: self.clock.at()
        )
        self.reconnect()

    def reconnect(self) -> None:
        """Begin to listen anew, as after every error."""
        memory = self.carry_out.memory
        self.listener = OrderListener(
            self.client, self.hall, memory.origin, memory.position, wait=0
        )

    def publish(self) -> bool:
        """Publish what is new."""
        return self.publisher.step()

    def line(self) -> TableLine:
        """The newest line."""
        return self.source.line(self.publisher.offset)

    def listen(self) -> None:
        """Hear and obey everything."""
        while orders := self.listener.step():
            for order in orders:
                self.carry_out.take(order)

    def do(self, *commands: c.Command) -> None:
        for command in commands:
            self.hub.do(command)

    def open(self, *names: str, rules: str = "mexican-train/rally", **changes: Any) -> None:
        self.do(c.OpenTable(rules, names, changes=changes))

    def press(self, count: int) -> None:
        """Presses that matter to nobody but the table."""
        for n in range(count):
            self.do(ToggleMarker(n % len(self.hub.table.players()) + 1))

    def play_round(self, rng: random.Random, most: int = 60) -> None:
        """Markers, somebody goes out, the others count."""
        seats = [seat.number for seat in self.hub.table.players()]
        self.press(rng.randrange(4))
        out = rng.choice(seats)
        points = [0 if seat == out else rng.randint(1, most) for seat in seats]
        self.score_round(*points)

    def score_round(self, *points: int) -> None:
        """End the round with these points, clockwise; the first zero goes out."""
        seats = [seat.number for seat in self.hub.table.players()]
        self.do(c.GoOut(seats[points.index(0)]))
        for seat, pips in zip(seats, points, strict=True):
            if pips:
                self.do(c.EnterScore(seat, pips))
        self.do(c.NextRound())

    def events(self) -> list[bytes]:
        """The journal's events, as they lie on the disk."""
        found = self.journal.database.execute("SELECT body FROM events ORDER BY seq")
        return [body for (body,) in found]

    def restart(self) -> None:
        """Pulled plug and back: only the file is left."""
        self.close()
        self.__init__(  # type: ignore[misc]
            self.path.parent.parent, self.client, self.name, self.clock, self.hall
        )

    def close(self) -> None:
        self.journal.close()

    @property
    def phase(self) -> str:
        return str(self.hub.table.phase)


class HallRoom:
    """One process of a hall, in virtual time."""

    def __init__(self, client: Any, clock: Clock | None = None, hall: str = HALL) -> None:
        clock = clock or VirtualClock()
        self.client = client
        self.board = LineBoard()
        self.reader = LineReader(client, hall, self.board, wait=0.0)
        self.desk = Desk(
            client, hall, self.board, GAMES, time_of=lambda _: clock.at(), now=clock.now
        )

    def read(self) -> None:
        """Read the orders of other processes, and every line there is."""
        self.desk.refresh()
        while self.reader.step():
            pass

    @property
    def lines(self) -> dict[str, TableLine]:
        return self.board.lines


def same(line: TableLine) -> Any:
    """A line without the moment at which it was published."""
    return [
        getattr(line, name)
        for name in line.__struct_fields__
        if name not in ("at", "seq", "release")
    ]


def assert_shows(room: HallRoom, tables: Iterable[HallTable]) -> None:
    """The hall shows what the tables say, no more and no less."""
    tables = list(tables)
    assert {table.name for table in tables} == room.board.tables()
    for table in tables:
        assert same(table.line()) == same(room.lines[table.name])


def close_all(tables: Iterable[HallTable]) -> None:
    for table in tables:
        table.close()
