"""The hall's eyes: one process follows the streams of its share of the tables.

    read by group ─▶ fold ─▶ publish the lines ─▶ acknowledge

Here is what is done when, and to which tables; how is said in `shares` (whose they are),
`table_reader` and `consumer_group` (reading), `overview` (what all know) and `archive`.
Runs in one thread; others may look at `overview` and `shares`, and call `drop_soon`.
"""

import time
from collections.abc import Callable

from centerpiece.hall.server import archive
from centerpiece.hall.server.consumer_group import ConsumerGroup
from centerpiece.hall.server.followed_table import Followed
from centerpiece.hall.server.overview import Overview
from centerpiece.hall.server.shares import SILENT_AFTER, Shares
from centerpiece.hall.server.table_reader import TableReader, pieces
from centerpiece.hall.wire.connection import Redis, ResponseError, code_of, server_time
from centerpiece.hall.wire.errors import Unreadable
from centerpiece.table.game_set import GameSet

RENEW = 2.0
PUBLISH = 0.5
TIDY = 2.0
LOOK_AROUND = 3.0
MOST_ACKNOWLEDGED = 2500
"""Tables in one step: nobody else waits."""
BUILD_FOR = 0.2
"""Seconds that tables just taken over may keep the others waiting."""
TRIM_AT = 1000
"""Events in a stream before its beginning is packed and trimmed."""


class Follower:
    """One process's part in following the hall."""

    def __init__(
        self,
        client: Redis,
        hall: str,
        game_set: GameSet,
        name: str,
        *,
        now: Callable[[], float] = time.monotonic,
        time_of: Callable[[Redis], float] = server_time,
        trim_at: int = TRIM_AT,
    ) -> None:
        self._client = client
        self.hall = hall
        self._now = now
        self._trim_at = trim_at
        self.shares = Shares(client, hall, name, now, time_of)
        self.overview = Overview(client, hall)
        self._group = ConsumerGroup(client, hall, name)
        self.reader = TableReader(client, self._group, game_set, now, self._breathe)
        self._waiting: list[str] = []
        self._leaving: list[str] = []
        self._due = dict.fromkeys(("renew", "publish", "tidy", "look"), float("-inf"))

    @property
    def tables(self) -> dict[str, Followed]:
        """The tables that this process follows."""
        return self.reader.tables

    def step(self) -> int:
        """Do what is due; how many events were taken in."""
        self._let_go()
        if self._is_due("renew", RENEW):
            self.renew()
        self.build()
        taken = self.poll()
        self.reader.verify_some()
        if self._is_due("publish", PUBLISH):
            self.publish()
        self.acknowledge(most=MOST_ACKNOWLEDGED)
        if self._is_due("tidy", TIDY):
            self.tidy()
        if self._is_due("look", LOOK_AROUND):
            self.look_around()
        return taken

    def everything(self) -> None:
        """All of it at once, until nothing is left to do: for a start, and for tests."""
        self._let_go()
        self.renew()
        while self._waiting:
            self.build()
            if self._is_due("renew", RENEW):
                self.renew()
        while self.poll() or self.reader.verify(list(self.tables)):
            pass
        self.publish()
        self.acknowledge()
        self.look_around()

    def close(self) -> None:
        """Leave the tables to the others."""
        self.publish()
        self.acknowledge()
        self.shares.withdraw()

    # Whose tables

    def renew(self) -> None:
        """Show a sign of life, and see which tables there are and whose."""
        self._breathe(every=0.0)
        own = self.shares.read_roster()
        for table in self.tables.keys() - own:
            self.reader.drop(table)
        known = self.tables.keys() | set(self._waiting)
        self._waiting = [t for t in self._waiting if t in own] + sorted(own - known)
        for table in self.overview.lines.keys() - self.shares.roster:
            self.overview.forget(table)

    def _breathe(self, every: float = RENEW) -> None:
        """Show a sign of life, also in the middle of long work."""
        if self.shares.silence() > SILENT_AFTER:
            # Others have taken our tables for lost, and read on without us.
            self.tables.clear()
        if self.shares.silence() >= every:
            self.shares.renew()

    def drop_soon(self, table: str) -> None:
        """Forget a table at the next step; may be called from any thread."""
        self._leaving.append(table)

    def _let_go(self) -> None:
        while self._leaving:
            table = self._leaving.pop()
            self.reader.drop(table)
            self.overview.forget(table)

    # Reading

    def build(self) -> None:
        """Take over tables that have become ours, for a moment; the rest waits for the next."""
        until = self._now() + BUILD_FOR
        while self._waiting:
            self.reader.build(self._waiting.pop(0))
            if self._now() >= until:
                return

    def poll(self) -> int:
        """Read what has come in at all tables; how many events."""
        return self.reader.poll()

    # Publishing

    def publish(self) -> None:
        """Let the other processes know what has changed."""
        for piece in pieces(sorted(self.reader.changed)):
            self.overview.publish(self.reader.lines(piece))
            self.reader.published(piece)
            self._breathe()

    def acknowledge(self, most: int | None = None) -> None:
        """Let go of the events whose effect is published."""
        self._group.acknowledge(self.reader.changed, most)

    def tidy(self) -> None:
        """Pack and trim one stream that has grown long."""
        for table, followed in self.tables.items():
            long = followed.seq - followed.archived > self._trim_at and not followed.trouble
            if long and not self._group.owes(table):
                self.snapshot(table)
                return

    def snapshot(self, table: str) -> None:
        """Pack the beginning of a table's stream, now that all of it is taken in."""
        followed = self.tables[table]
        if followed.trouble:
            return
        try:
            followed.packed(archive.snapshot(self._client, table, followed.seq))
        except ResponseError as error:
            if code_of(error) != "WRONGTYPE":
                raise
            followed.mark(str(Unreadable(table)))

    # Everybody else

    def look_around(self) -> None:
        """Signs of life, and the lines of tables that others follow."""
        for piece in pieces(sorted(self.shares.roster)):
            for table, sign in self.overview.read_signs(piece).items():
                self.reader.doubt(table, sign.sent)
            self._breathe()
        self.overview.read_lines(self.shares.others(), self.shares.roster)

    def _is_due(self, what: str, every: float) -> bool:
        now = self._now()
        if now < self._due[what]:
            return False
        self._due[what] = now + every
        return True
