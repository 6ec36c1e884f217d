"""What is known of every table in the hall, whichever process follows it.

Each process publishes the lines of its own tables and reads those of the others; signs of life
and second hubs everybody reads from the tables themselves.
Pages look at it from their own threads: `lines`, `alive` and `clashes` are only ever replaced
entry by entry.
"""

from collections.abc import Iterable
from contextlib import suppress

import msgspec

from centerpiece.hall.server.followed_table import Line, read_line
from centerpiece.hall.wire import keys, signs_of_life
from centerpiece.hall.wire.connection import Redis, code_of, is_cluster
from centerpiece.text import NOT_JSON


class Overview:
    """The lines, signs of life and clashes of all tables."""

    def __init__(self, client: Redis, hall: str) -> None:
        self._client = client
        self._hall = hall
        self._one_by_one = is_cluster(client)
        self.lines: dict[str, Line] = {}
        self.alive: dict[str, signs_of_life.Alive] = {}
        self.clashes: dict[str, signs_of_life.Clash] = {}

    def publish(self, lines: Iterable[Line]) -> None:
        """Let the other processes know what has changed."""
        shares: dict[int, dict[str, bytes]] = {}
        for line in lines:
            self.lines[line.table] = line
            shares.setdefault(keys.share_of(line.table), {})[line.table] = msgspec.json.encode(line)
        with self._client.pipeline(transaction=False) as pipe:
            for share, mapping in shares.items():
                pipe.hset(keys.lines(self._hall, share), mapping=mapping)
            if shares:
                pipe.execute()

    def read_lines(self, shares: Iterable[int], roster: frozenset[str]) -> None:
        """What others have published."""
        for share in shares:
            published = self._client.hgetall(keys.lines(self._hall, share))
            for name, document in published.items():
                if (table := keys.name_of(name)) in roster:
                    with suppress(*NOT_JSON):
                        self.lines[table] = read_line(document)

    def read_signs(self, tables: list[str]) -> dict[str, signs_of_life.Alive]:
        """How the tables are by their own account, and whether a second hub has such a name."""
        found = {}
        for table, sign, clash in zip(tables, *self._signs(tables), strict=True):
            if (alive := signs_of_life.read(sign)) is not None:
                self.alive[table] = found[table] = alive
            if (second := signs_of_life.read_clash(clash)) is not None:
                self.clashes[table] = second
            else:
                self.clashes.pop(table, None)
        return found

    def _signs(self, tables: list[str]) -> tuple[list[bytes | None], list[bytes | None]]:
        with self._client.pipeline(transaction=False) as pipe:
            if self._one_by_one:
                for table in tables:
                    pipe.get(keys.alive(table))
                    pipe.get(keys.clash(table))
                both = [_text(answer) for answer in pipe.execute(raise_on_error=False)]
                return both[::2], both[1::2]
            pipe.mget([keys.alive(table) for table in tables])
            pipe.mget([keys.clash(table) for table in tables])
            signs, clashes = pipe.execute()
            return signs, clashes

    def forget(self, table: str) -> None:
        """It is not in the hall any more."""
        self.lines.pop(table, None)


def _text(answer: bytes | Exception | None) -> bytes | None:
    """Where something else lies there is no sign of life; a node that fails is another matter."""
    if isinstance(answer, Exception):
        if code_of(answer) != "WRONGTYPE":
            raise answer
        return None
    return answer
