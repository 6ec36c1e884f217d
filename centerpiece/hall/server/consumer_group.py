"""The hall's consumer group: what it has read of the streams, and what it owes an answer for.

An event is acknowledged once its effect is published, so what a process had read when it died is
pending, and whoever takes its tables over claims it.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from centerpiece.hall.wire import keys
from centerpiece.hall.wire.connection import Redis, ResponseError, code_of, is_cluster
from centerpiece.hall.wire.entries import seq_of, stream_id
from centerpiece.hall.wire.errors import HallError, Unreadable

AT_ONCE = 200
"""Events of one stream read at once."""


class Come(NamedTuple):
    """What has come in at a table, or what is wrong with its stream."""

    table: str
    entries: list[tuple[bytes, dict[bytes, bytes]]]
    wrong: HallError | None = None


class ConsumerGroup:
    """One process's part in the group of its hall."""

    def __init__(self, client: Redis, hall: str, name: str) -> None:
        self._client = client
        self._hall = hall
        self._name = name
        self._one_by_one = is_cluster(client)
        self._unacknowledged: dict[str, list[bytes]] = {}

    def read(self, tables: list[str]) -> Iterator[Come]:
        """What nobody in the group has read yet; from now on it is ours to acknowledge."""
        try:
            answer = self._answer(tables)
        except ResponseError:
            # Most likely a group is missing; if not, this tells what else is wrong, and where.
            unreadable = self._regroup(tables)
            yield from (Come(table, [], Unreadable(table)) for table in unreadable)
            tables = [table for table in tables if table not in unreadable]
            answer = self._answer(tables) if tables else []
        for key, entries in answer:
            table = keys.table_of(key)
            self._owe(table, [entry_id for entry_id, _ in entries])
            yield Come(table, entries)

    def _answer(self, tables: list[str]) -> list[Any]:
        if not self._one_by_one:
            wanted = {keys.stream(table): ">" for table in tables}
            return list(self._client.xreadgroup(self._hall, self._name, wanted, count=AT_ONCE))
        with self._client.pipeline(transaction=False) as pipe:
            for table in tables:
                pipe.xreadgroup(self._hall, self._name, {keys.stream(table): ">"}, count=AT_ONCE)
            return [stream for answer in pipe.execute() for stream in answer]

    def _regroup(self, tables: list[str]) -> set[str]:
        """Some stream is new, or Redis was wiped: make sure that every one has its group.

        Those that are no streams are told.
        """
        with self._client.pipeline(transaction=False) as pipe:
            for table in tables:
                pipe.xgroup_create(keys.stream(table), self._hall, id="0", mkstream=True)
            answers = pipe.execute(raise_on_error=False)
        unreadable = set()
        for table, answer in zip(tables, answers, strict=True):
            code = code_of(answer) if isinstance(answer, Exception) else ""
            if code == "WRONGTYPE":
                unreadable.add(table)
            elif isinstance(answer, Exception) and code != "BUSYGROUP":
                raise answer
        return unreadable

    def delivered(self, tables: list[str]) -> list[int]:
        """How far the group has read each stream, whoever of us it was."""
        with self._client.pipeline(transaction=False) as pipe:
            for table in tables:
                pipe.xinfo_groups(keys.stream(table))
            answers = pipe.execute(raise_on_error=False) if tables else []
        return [self._last_of(groups) for groups in answers]

    def _last_of(self, groups: Any) -> int:
        for group in groups if isinstance(groups, list) else []:
            if group["name"] == self._hall.encode():
                return seq_of(group["last-delivered-id"])
        return 0

    def claim(self, table: str, seq: int) -> None:
        """Take over what another process had read and not acknowledged; a new group begins here."""
        key = keys.stream(table)
        try:
            self._client.xgroup_create(key, self._hall, id=stream_id(seq), mkstream=True)
            return
        except ResponseError as error:
            if code_of(error) == "WRONGTYPE":
                raise Unreadable(table) from None
            if code_of(error) != "BUSYGROUP":
                raise
        start = "0-0"
        while claimed := self._client.xautoclaim(
            key, self._hall, self._name, 0, start_id=start, count=1000, justid=True
        ):
            self._owe(table, claimed)
            start = f"{seq_of(claimed[-1])}-1"

    def acknowledge(self, unpublished: set[str], most: int | None = None) -> None:
        """Let go of the events whose effect is published, those that wait longest first."""
        owed = [t for t, ids in self._unacknowledged.items() if ids and t not in unpublished]
        ready = owed[:most]
        with self._client.pipeline(transaction=False) as pipe:
            for table in ready:
                pipe.xack(keys.stream(table), self._hall, *self._unacknowledged[table])
            if ready:
                pipe.execute(raise_on_error=False)
        for table in ready:
            del self._unacknowledged[table]

    def owes(self, table: str) -> bool:
        """Whether something of a table is still to be acknowledged."""
        return table in self._unacknowledged

    def forget(self, table: str) -> None:
        """Leave what is owed to whoever takes the table over."""
        self._unacknowledged.pop(table, None)

    def _owe(self, table: str, ids: list[bytes]) -> None:
        self._unacknowledged.setdefault(table, []).extend(ids)
