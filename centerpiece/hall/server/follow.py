"""The hall's eyes: follows the streams of its share of the tables, as a consumer group.

    read by group ─▶ fold ─▶ publish the lines ─▶ acknowledge

An event is acknowledged once its effect is published, so what a process had read when it died is
pending, and whoever takes its tables over claims it. Streams are read a thousand at a time
without blocking, a few times a second: a blocking read of ten thousand streams would have to be
set up anew for every single event.
Runs in one thread; pages look at `lines`, `alive` and `clashes`, which are only ever replaced
entry by entry.
"""

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from centerpiece.hall.server import archive
from centerpiece.hall.server.followed_table import Followed, Line
from centerpiece.hall.server.shares import SILENT_AFTER, Shares
from centerpiece.hall.wire import keys, signs_of_life
from centerpiece.hall.wire.connection import Redis, ResponseError, is_cluster, server_time
from centerpiece.hall.wire.entries import FIELD, Events, read, seq_of, stream_id
from centerpiece.hall.wire.errors import Gap, HallError
from centerpiece.table.books import Books

log = logging.getLogger("centerpiece.hall")

PIECE = 1000
"""Streams read at once."""
AT_ONCE = 200
"""Events of one stream read at once."""
RENEW = 2.0
PUBLISH = 0.5
TIDY = 2.0
A_FEW, MANY = 200, 2500
"""Tables dealt with in one step, where the work for each is long, or short: nobody else waits."""
LOOK_AROUND = 3.0
VERIFY = 2 * SILENT_AFTER
NO_GROUP = ("NOGROUP", "requires the key to exist")
"""How servers say that a stream, or our group of it, is not there."""
BUILD_FOR = 0.2
"""Seconds that tables just taken over may keep the others waiting."""
TRY_AGAIN = 10.0
TRIM_AT = 1000
"""Events in a stream before its beginning is packed and trimmed."""

_line = msgspec.json.Decoder(Line).decode


class Follower:
    """One process's view of the hall."""

    def __init__(
        self,
        client: Redis,
        hall: str,
        books: Books,
        name: str,
        *,
        now: Callable[[], float] = time.monotonic,
        time_of: Callable[[Redis], float] = server_time,
        trim_at: int = TRIM_AT,
    ) -> None:
        self._client = client
        self.hall = hall
        self._books = books
        self._events = Events(books)
        self._now = now
        self._time_of = time_of
        self._trim_at = trim_at
        self._piece = 1 if is_cluster(client) else PIECE
        self.shares = Shares(client, hall, name)
        self.tables: dict[str, Followed] = {}
        self.lines: dict[str, Line] = {}
        self.alive: dict[str, signs_of_life.Alive] = {}
        self.clashes: dict[str, signs_of_life.Clash] = {}
        self._hall_time = self._renewed = 0.0
        self.roster: frozenset[str] = frozenset()
        self._waiting: list[str] = []
        self._changed: set[str] = set()
        self._acks: dict[str, list[bytes]] = {}
        self._taken_over: set[str] = set()
        self._leaving: list[str] = []
        self._look_twice_at = float("-inf")
        self._retry: dict[str, float] = {}
        self._due = dict.fromkeys(("renew", "publish", "tidy", "look"), float("-inf"))

    def step(self) -> int:
        """Do what is due; how many events were taken in."""
        self._let_go()
        if self._is_due("renew", RENEW):
            self.renew()
        self._build()
        taken = self.poll()
        if self._taken_over and self._now() >= self._look_twice_at:
            some = sorted(self._taken_over)[:A_FEW]
            self._taken_over -= set(some)
            self._verify([table for table in some if table in self.tables])
        if self._is_due("publish", PUBLISH):
            self.publish()
        self.acknowledge(most=MANY)
        if self._is_due("tidy", TIDY):
            self._tidy()
        if self._is_due("look", LOOK_AROUND):
            self.look_around()
        return taken

    def everything(self) -> None:
        """All of it at once, until nothing is left to do: for a start, and for tests."""
        self._let_go()
        self.renew()
        while self._waiting:
            self._build()
            if self._is_due("renew", RENEW):
                self.renew()
        while self.poll() or self._verify(list(self.tables)):
            pass
        self.publish()
        self.acknowledge()
        self.look_around()

    def close(self) -> None:
        """Leave the tables to the others."""
        self.publish()
        self.acknowledge()
        self.shares.withdraw()

    def hall_now(self) -> float:
        """The hall's clock."""
        return self._hall_time + self._now() - self._renewed

    # Whose tables

    def renew(self) -> None:
        """Show a sign of life, and see which tables there are and whose."""
        self._breathe(every=0.0)
        self.roster = frozenset(name.decode() for name in self._client.smembers(self._roster()))
        own = {table for table in self.roster if keys.share_of(table) in self.shares.own}
        for table in self.tables.keys() - own:
            self._drop(table)
        known = self.tables.keys() | set(self._waiting)
        self._waiting = [t for t in self._waiting if t in own] + sorted(own - known)
        for table in self.lines.keys() - self.roster:
            self.lines.pop(table, None)

    def _breathe(self, every: float = RENEW) -> None:
        """Show a sign of life, also in the middle of long work."""
        silent = self._now() - self._renewed
        if silent < every:
            return
        if silent > SILENT_AFTER:
            # Others have taken our tables for lost, and read on without us.
            self.tables.clear()
        self._hall_time, self._renewed = self._time_of(self._client), self._now()
        self.shares.renew(self._hall_time)

    def drop_soon(self, table: str) -> None:
        """Forget a table at the next step; may be called from any thread."""
        self._leaving.append(table)

    def _let_go(self) -> None:
        while self._leaving:
            table = self._leaving.pop()
            self._drop(table)
            self.lines.pop(table, None)

    def _drop(self, table: str) -> None:
        self.tables.pop(table, None)
        self._acks.pop(table, None)
        self._changed.discard(table)

    def _roster(self) -> str:
        return keys.roster(self.hall)

    # Reading

    def poll(self) -> int:
        """Read what has come in at all tables."""
        taken = 0
        for piece in _pieces(list(self.tables), PIECE):
            own = [table for table in piece if table in self.tables]
            taken += self._read(own) if own else 0
            self._breathe()
        return taken

    def _read(self, tables: list[str]) -> int:
        try:
            return self._read_all(tables)
        except BaseException:
            # An answer that was lost on its way is not given again: look where the group is.
            self._taken_over |= set(tables)
            raise

    def _read_all(self, tables: list[str]) -> int:
        try:
            answer = self._answer(tables)
        except ResponseError as error:
            if not any(words in str(error) for words in NO_GROUP):
                raise
            self._regroup(tables)
            answer = self._answer(tables)
        taken = 0
        for key, entries in answer:
            table = key.decode().removeprefix("table:")
            self._acks.setdefault(table, []).extend(entry_id for entry_id, _ in entries)
            taken += self._take_all(table, entries)
        return taken

    def _answer(self, tables: list[str]) -> list[Any]:
        group, me = self.hall, self.shares.name
        if self._piece > 1:
            wanted = {keys.stream(table): ">" for table in tables}
            return list(self._client.xreadgroup(group, me, wanted, count=AT_ONCE))
        with self._client.pipeline(transaction=False) as pipe:
            for table in tables:
                pipe.xreadgroup(group, me, {keys.stream(table): ">"}, count=AT_ONCE)
            return [stream for answer in pipe.execute() for stream in answer]

    def _take_all(self, table: str, entries: Iterable[Any]) -> int:
        taken = 0
        for entry_id, fields in entries:
            followed = self.tables[table]
            try:
                if self._take(followed, seq_of(entry_id), fields.get(FIELD)):
                    taken += 1
                    self._note(followed)
            except Gap as gap:
                log.info("table=%s %s", table, gap)
                if self._may_try(table):
                    self._rebuild(table)
            except HallError as error:
                self._mark(followed, str(error))
        return taken

    def _take(self, followed: Followed, seq: int, body: bytes | None, **how: bool) -> bool:
        entry = read(followed.table, seq, body)
        if followed.journal and entry.journal != followed.journal:
            raise Gap("{table} has another journal now.", table=followed.table)
        try:
            return followed.take(seq, entry, **how)
        except HallError:
            raise
        except Exception as error:
            raise HallError(
                "Event {seq} of {table} does not follow from the ones before ({error}). "
                "Free the name and let the table send it all again.",
                seq=seq,
                table=followed.table,
                error=type(error).__name__,
            ) from error

    def _note(self, followed: Followed) -> None:
        if followed.news:
            self._changed.add(followed.table)

    def _mark(self, followed: Followed, trouble: str) -> None:
        if followed.trouble != trouble:
            followed.trouble = trouble
            self._changed.add(followed.table)
            log.warning("table=%s trouble=%r", followed.table, trouble)

    def _may_try(self, table: str) -> bool:
        if self._now() < self._retry.get(table, float("-inf")):
            return False
        self._retry[table] = self._now() + TRY_AGAIN
        return True

    def _verify(self, tables: list[str]) -> int:
        """Read again where another process took an event that should have been ours; how many.

        While tables change hands two may read for the same group, and each gets only a part: then
        the group is further than we are.
        """
        with self._client.pipeline(transaction=False) as pipe:
            for table in tables:
                pipe.xinfo_groups(keys.stream(table))
            answers = pipe.execute(raise_on_error=False) if tables else []
        behind = 0
        for table, groups in zip(tables, answers, strict=True):
            followed = self.tables[table]
            if self._delivered(groups) > followed.seq and not followed.trouble:
                self._rebuild(table)
                self._claim(table)
                behind += 1
        return behind

    def _delivered(self, groups: Any) -> int:
        """How far our group has read a stream, whoever of us it was."""
        for group in groups if isinstance(groups, list) else []:
            if group["name"] == self.hall.encode():
                return seq_of(group["last-delivered-id"])
        return 0

    def _regroup(self, tables: list[str]) -> None:
        """Some stream is new, or Redis was wiped: make sure that every one has its group."""
        with self._client.pipeline(transaction=False) as pipe:
            for table in tables:
                pipe.xgroup_create(keys.stream(table), self.hall, id="0", mkstream=True)
            for answer in pipe.execute(raise_on_error=False):
                if isinstance(answer, Exception) and "BUSYGROUP" not in str(answer):
                    raise answer

    # Tables just taken over

    def _build(self) -> None:
        until = self._now() + BUILD_FOR
        while self._waiting:
            table = self._waiting.pop(0)
            self._rebuild(table)
            self._claim(table)
            self._taken_over.add(table)
            self._look_twice_at = self._now() + VERIFY
            self._breathe()
            if self._now() >= until:
                return

    def _rebuild(self, table: str) -> None:
        """Read a table's journal from the beginning."""
        followed = Followed(table, self._books, self._events)
        documents, followed.archived = archive.history(self._client, table)
        try:
            for document in documents:
                self._take(followed, document.seq, document.body, keep_all=True)
        except HallError as error:
            followed.trouble = str(error)
        followed.forget()
        self.tables[table] = followed
        self._changed.add(table)

    def _claim(self, table: str) -> None:
        """Take over what another process had read and not acknowledged."""
        key, seq = keys.stream(table), self.tables[table].seq
        try:
            self._client.xgroup_create(key, self.hall, id=stream_id(seq), mkstream=True)
            return
        except ResponseError as error:
            if "BUSYGROUP" not in str(error):
                raise
        start, mine = "0-0", self.shares.name
        while claimed := self._client.xautoclaim(
            key, self.hall, mine, 0, start_id=start, count=1000, justid=True
        ):
            self._acks.setdefault(table, []).extend(claimed)
            start = f"{seq_of(claimed[-1])}-1"

    # Publishing

    def publish(self) -> None:
        """Let the other processes know what has changed."""
        for piece in _pieces(sorted(self._changed), PIECE):
            self._publish(piece)
            self._changed -= set(piece)
            self._breathe()

    def _publish(self, tables: list[str]) -> None:
        shares: dict[int, dict[str, bytes]] = {}
        for table in tables:
            if table in self.tables:
                line = self.lines[table] = self.tables[table].line()
                shares.setdefault(keys.share_of(table), {})[table] = msgspec.json.encode(line)
        with self._client.pipeline(transaction=False) as pipe:
            for share, mapping in shares.items():
                pipe.hset(keys.lines(self.hall, share), mapping=mapping)
            if shares:
                pipe.execute()

    def acknowledge(self, most: int | None = None) -> None:
        """Let go of the events whose effect is published, those that wait longest first."""
        ready = [table for table, ids in self._acks.items() if ids and table not in self._changed]
        ready = ready[:most]
        with self._client.pipeline(transaction=False) as pipe:
            for table in ready:
                pipe.xack(keys.stream(table), self.hall, *self._acks[table])
            if ready:
                pipe.execute(raise_on_error=False)
        for table in ready:
            del self._acks[table]

    def _tidy(self) -> None:
        """Pack and trim one stream that has grown long."""
        for table, followed in self.tables.items():
            if followed.seq - followed.archived > self._trim_at and table not in self._acks:
                self.snapshot(table)
                return

    def snapshot(self, table: str) -> None:
        """Pack the beginning of a table's stream, now that all of it is taken in."""
        followed = self.tables[table]
        if not followed.trouble:
            last = archive.snapshot(self._client, table, followed.seq)
            followed.archived = max(followed.archived, last)

    # Everybody else

    def look_around(self) -> None:
        """Signs of life, and the lines of tables that others follow."""
        for piece in _pieces(sorted(self.roster), PIECE):
            self._look_at(piece)
            self._breathe()
        for share in set(range(keys.SHARES)) - self.shares.own:
            published = self._client.hgetall(keys.lines(self.hall, share))
            for table, document in published.items():
                if table.decode() in self.roster:
                    self.lines[table.decode()] = _line(document)

    def _look_at(self, tables: list[str]) -> None:
        with self._client.pipeline(transaction=False) as pipe:
            if self._piece > 1:
                pipe.mget([keys.alive(table) for table in tables])
                pipe.mget([keys.clash(table) for table in tables])
                signs, clashes = pipe.execute()
            else:
                for table in tables:
                    pipe.get(keys.alive(table))
                    pipe.get(keys.clash(table))
                both = pipe.execute()
                signs, clashes = both[::2], both[1::2]
        for table, sign, clash in zip(tables, signs, clashes, strict=True):
            if (read_sign := signs_of_life.read(sign)) is not None:
                self.alive[table] = read_sign
                followed = self.tables.get(table)
                if followed is not None and read_sign.sent > followed.seq:
                    self._taken_over.add(table)
            word = signs_of_life.read_clash(clash)
            if word is None:
                self.clashes.pop(table, None)
            else:
                self.clashes[table] = word

    def _is_due(self, what: str, every: float) -> bool:
        now = self._now()
        if now < self._due[what]:
            return False
        self._due[what] = now + every
        return True


def _pieces(names: list[str], size: int) -> Iterator[list[str]]:
    for start in range(0, len(names), size):
        yield names[start : start + size]
