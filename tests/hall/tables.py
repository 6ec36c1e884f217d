"""Tables and halls for the tests, in virtual time."""

import random
from collections.abc import Iterable
from math import inf
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
    """A hub and its link to a hall, driven step by step."""

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
        self.journal.database.execute("PRAGMA synchronous=OFF")  # no test pulls the plug here
        self.board: SimBoard = build(clock=self.clock)
        self.hub = Hub(GAMES, self.journal, self.board, name)
        self.carry_out = CarryOut(self.hub, hall)
        self.source = LineSource(self.hub, self.carry_out)
        self.hall = hall
        self.connect(client)

    def connect(self, client: Any) -> None:
        self.client = client
        self.publisher = LinePublisher(
            client, self.hall, self.source, time_of=lambda _: self.clock.at()
        )
        self.reconnect()

    def reconnect(self) -> None:
        """Read orders with a new listener, as after every error."""
        memory = self.carry_out.memory
        self.listener = OrderListener(
            self.client, self.hall, memory.origin, memory.position, wait=0
        )

    def publish(self) -> bool:
        return self.publisher.step()

    def line(self) -> TableLine:
        return self.source.line(self.publisher.offset)

    def listen(self) -> None:
        while orders := self.listener.step():
            for order in orders:
                self.carry_out.take(order)

    def do(self, *commands: c.Command) -> None:
        for command in commands:
            self.hub.do(command)

    def open(self, *names: str, rules: str = "mexican-train/rally", **changes: Any) -> None:
        self.do(c.OpenTable(rules, names, changes=changes))

    def press(self, count: int) -> None:
        """Press buttons that change nothing in the line."""
        for n in range(count):
            self.do(ToggleMarker(n % len(self.hub.table.players()) + 1))

    def play_round(self, rng: random.Random, most: int = 60) -> None:
        """Toggle markers, let somebody go out, and count the other hands."""
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
        """Return the journal's events as written."""
        rows = self.journal.database.execute("SELECT body FROM events ORDER BY seq")
        return [body for (body,) in rows]

    def restart(self) -> None:
        """Begin again with nothing but the file, as after a power cut."""
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
    """One process of a hall."""

    def __init__(self, client: Any, clock: Clock | None = None, hall: str = HALL) -> None:
        clock = clock or VirtualClock()
        self.client = client
        self.board = LineBoard()
        self.reader = LineReader(client, hall, self.board, wait=0.0)
        self.desk = Desk(
            client, hall, self.board, GAMES, time_of=lambda _: clock.at(), now=clock.now
        )

    def read(self) -> None:
        """Read all orders and lines."""
        self.desk.refresh()
        self.reader.tidy(self.desk.hall_now())
        while self.reader.step():
            pass

    @property
    def lines(self) -> dict[str, TableLine]:
        return self.board.lines


def same(line: TableLine) -> Any:
    """Return the content of a line, without what differs each time it is published."""
    return [
        getattr(line, name)
        for name in line.__struct_fields__
        if name not in ("at", "seq", "release")
    ]


def assert_shows(room: HallRoom, tables: Iterable[HallTable]) -> None:
    """Compare a hall's lines with its tables."""
    tables = list(tables)
    assert {table.name for table in tables} == room.board.tables()
    for table in tables:
        assert same(table.line()) == same(room.lines[table.name])


class Rally:
    """Halls and tables on one virtual clock."""

    def __init__(
        self, folder: Path, client: Any, count: int = 2, title: str = "Rally", halls: int = 1
    ) -> None:
        self.clock = VirtualClock()
        self.client = client
        self.halls = [HallRoom(client, self.clock) for _ in range(halls)]
        self.hall = self.halls[0]
        self.desk = self.hall.desk
        self.desk.open(title)
        self.tables = [
            HallTable(folder, client, f"table-{n}", self.clock) for n in range(1, count + 1)
        ]

    def settle(self) -> None:
        """Let every order be carried out and every line be read."""
        for table in self.tables:
            table.listen()
            table.carry_out.wake()
            table.publish()
        for hall in self.halls:
            hall.read()

    def ask(self, request: Any) -> None:
        self.desk.do(request)
        self.settle()

    def wait(self, seconds: float) -> None:
        """Let time pass, waking everything when it is due."""
        until = self.clock.now() + seconds
        while (due := self._next_due()) <= until:
            self.clock.move(max(0.0, due - self.clock.now()))
            for table in self.tables:
                table.carry_out.wake()
                table.hub.wake()
        self.clock.move(max(0.0, until - self.clock.now()))

    def _next_due(self) -> float:
        orders = [table.carry_out.next_due() for table in self.tables]
        dues = [self.clock.now() + left for left in orders if left is not None]
        wakes = [table.hub.next_wake() for table in self.tables]
        return min([*dues, *(wake for wake in wakes if wake is not None)], default=inf)

    def clocks(self) -> list[int]:
        """Return the seconds that each table's own page shows."""
        return [table.hub.state()["clock"]["remaining_s"] for table in self.tables]

    def phases(self) -> set[str]:
        return {table.phase for table in self.tables}

    def close(self) -> None:
        close_all(self.tables)


def close_all(tables: Iterable[HallTable]) -> None:
    for table in tables:
        table.close()
