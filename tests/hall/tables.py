"""Tables for the tests of a hall: a hub in virtual time, and simple people who play at it."""

import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from centerpiece.games.mexican_train.game import ToggleMarker
from centerpiece.games.registry import GAMES
from centerpiece.hall.server import archive
from centerpiece.hall.server.follow import Follower
from centerpiece.hall.server.followed_table import Followed
from centerpiece.hall.table.carry_out import CarryOut
from centerpiece.hall.table.link import journal_id
from centerpiece.hall.table.listener import Listener
from centerpiece.hall.table.outbox import Outbox
from centerpiece.hall.table.sender import Sender
from centerpiece.hall.wire.entries import Events, Row, read
from centerpiece.hub.hub import Hub
from centerpiece.storage.journal import Journal
from centerpiece.table import commands as c
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
        self.outbox = Outbox(self.path)
        self.carry_out = CarryOut(self.hub, hall)
        self.hall = hall
        self.id = journal_id(self.hub)
        self.connect(client)

    def connect(self, client: Any) -> None:
        """Use another client from now on."""
        self.client = client
        self.sender = Sender(
            client,
            self.name,
            self.hall,
            self.id,
            self.outbox,
            self.clock,
            time_of=lambda _: self.clock.at(),
        )
        self.listener = Listener(client, self.hall, self.carry_out.memory.position, wait=0)

    def send(self) -> None:
        """Forward everything."""
        while self.sender.step(self.carry_out.note):
            pass

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
        for _ in range(rng.randrange(4)):
            self.do(ToggleMarker(rng.choice(seats)))
        out = rng.choice(seats)
        self.do(c.GoOut(out))
        for seat in seats:
            if seat != out:
                self.do(c.EnterScore(seat, rng.randint(1, most)))
        self.do(c.NextRound())

    def score_round(self, *points: int) -> None:
        """End the round with these points, clockwise; the first zero goes out."""
        seats = [seat.number for seat in self.hub.table.players()]
        self.do(c.GoOut(seats[points.index(0)]))
        for seat, pips in zip(seats, points, strict=True):
            if pips:
                self.do(c.EnterScore(seat, pips))
        self.do(c.NextRound())

    def rows(self) -> list[Row]:
        return Outbox(self.path).rows(1, 1_000_000)

    def restart(self) -> None:
        """Pulled plug and back: only the file is left."""
        self.close()
        self.__init__(  # type: ignore[misc]
            self.path.parent.parent, self.client, self.name, self.clock, self.hall
        )

    def close(self) -> None:
        self.outbox.close()
        self.journal.close()

    @property
    def phase(self) -> str:
        return str(self.hub.table.phase)


def follower(
    client: Any, name: str = "hall-a", clock: VirtualClock | None = None, **how: Any
) -> Any:
    """A hall process in virtual time."""
    clock = clock or VirtualClock()
    return Follower(client, HALL, GAMES, name, now=clock.now, time_of=lambda _: clock.at(), **how)


def assert_stream_is_journal(client: Any, table: HallTable) -> None:
    """Every event of the journal is in the stream (or its archive), once, in order."""
    documents, _ = archive.history(client, table.name)
    expected = [(row.seq, row.packed(table.id)) for row in table.rows()]
    assert expected == [(document.seq, document.body) for document in documents]


def line_from_journal(table: HallTable) -> Any:
    """The hall's line as it follows from the journal alone."""
    followed = Followed(table.name, GAMES, Events(GAMES))
    for row in table.rows():
        followed.take(row.seq, read(table.name, row.seq, row.packed(table.id)), keep_all=True)
    return followed.line()


def close_all(tables: Iterable[HallTable]) -> None:
    for table in tables:
        table.close()
