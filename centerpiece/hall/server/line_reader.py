"""Reading the tables' lines: first the last line of every table, then the stream of new ones.

Any number of processes read, each for itself and each everything. Redis stores nothing about them,
so any of them may be killed; after a restart, wipe or failover of Redis everything is read again.
"""

from collections.abc import Iterable, Mapping
from random import sample

from centerpiece.hall.server.line_board import LineBoard
from centerpiece.hall.wire import hall_keys
from centerpiece.hall.wire.hall_orders import entry_order
from centerpiece.hall.wire.redis_connection import Redis, ResponseError, server_time
from centerpiece.hall.wire.table_line import read_line

AT_ONCE = 500
MOST_UNSURE = 50
"""Hashes read in one step, so that other tables do not wait."""
LOOK_ROUND = 10
"""Every so often `tidy` looks for hashes of tables that have published no line."""
MOST_FIELDS = 16
"""Approximate limit of fields in a table's hash; a login could write a million."""
HUGE_BYTES, HUGE_FIELDS = 1_000_000, 2_000
"""A hash with more is deleted before it fills Redis; the bytes are those of `MOST_FIELDS`."""
MOST_LINES = 100_000
"""Approximate cap of the stream, whatever tables write."""
STREAM_BYTES = 200_000_000
"""The same in bytes, by the size of the lines read last."""
FUTURE = 3600.0
"""Seconds that an ID may be ahead of the clock of Redis, which may have been set back."""
SILENT = 15.0
"""Seconds without a line after which a table's hash is read; a table publishes every ten."""


class LineReader:
    """Keeps a board up to date, step by step; a step may block."""

    def __init__(self, client: Redis, hall: str, board: LineBoard, wait: float = 1.0) -> None:
        self._client = client
        self._hall = hall
        self._stream = hall_keys.lines(hall)
        self._board = board
        self._block = round(wait * 1000) or None
        self._position: bytes | None = None
        self._tidied = 0
        self._average = 1
        """Mean size of the lines of the last step in bytes."""

    def doubt(self) -> None:
        """Read everything again with the next step: this may be another Redis."""
        self._position = None

    def tidy(self, now: float) -> None:
        """Cap the stream, and repair what a hostile table can do to it; `now` is the hall's time.

        A table may choose the ID of its entry. After the highest one nobody could add a line, so a
        stream with an ID from the future is deleted. A table may also remove lines that nobody has
        read: they are still in the hashes, so those of silent tables are read.
        """
        most = min(MOST_LINES, STREAM_BYTES // self._average)
        self._client.xtrim(self._stream, maxlen=most, approximate=True)
        last = self._last_id()
        if last[0] / 1000 > server_time(self._client) + FUTURE:
            self._client.delete(self._stream)
            last = 0, 0
        if self._position is not None and entry_order(self._position) > last:
            self.doubt()
        lines = dict(self._board.lines)
        silent = [table for table, line in lines.items() if now - line.at > SILENT]
        # Any login may fill its own hash, so all are read in turn, with or without a line.
        self._tidied += 1
        others = set(lines) if self._tidied % LOOK_ROUND else self._tables() - set(lines)
        for tables in (silent, list(others)):
            self._board.unsure.update(sample(tables, min(len(tables), MOST_UNSURE)))

    def _last_id(self) -> tuple[int, int]:
        """Return the last ID that the stream has given, also if its entry is gone.

        Without a stream, it is 0, 0.
        """
        try:
            return entry_order(self._client.xinfo_stream(self._stream)["last-generated-id"])
        except ResponseError as error:
            if "no such key" not in str(error):
                raise
            return 0, 0

    def step(self) -> int:
        """Read new lines, at most `AT_ONCE`, after waiting a while for one; return their number.

        Also reads the hashes of some tables whose line is in doubt; the first step reads those of
        all.
        """
        if self._position is None:
            self._read_all()
        answer = self._client.xread(
            {self._stream: self._position}, count=AT_ONCE, block=self._block
        )
        entries = answer[0][1] if answer else []
        if entries:
            self._position = entries[-1][0]
            self._average = sum(_size(fields) for _, fields in entries) // len(entries) + 1
            self._take(entries)
        unsure = self._board.unsure
        self._read_hashes([unsure.pop() for _ in range(min(len(unsure), MOST_UNSURE))])
        if len(unsure) > AT_ONCE:
            unsure.clear()  # somebody floods the stream; real tables publish again
        return len(entries)

    def _take(self, entries: Iterable[tuple[bytes, dict[bytes, bytes]]]) -> None:
        """Store the lines of some entries; for any other entry, have its table's hash read.

        Such an entry is no line, one of another table, or one of an unknown journal.
        """
        take = self._board.take
        for _, fields in entries:
            for name, document in fields.items():
                line = read_line(document)
                if line is None or line.table.encode() != name or not take(line):
                    self._board.unsure |= {hall_keys.table_of(name)} - {""}

    def _read_all(self) -> None:
        """Read every table's hash, and go on with the stream from where it ended before.

        So nothing that is published meanwhile is missed.
        """
        top = self._client.xrevrange(self._stream, count=1)
        position = top[0][0] if top else b"0-0"
        names = sorted(self._tables())
        for start in range(0, len(names), AT_ONCE):
            self._read_hashes(names[start : start + AT_ONCE])
        self._position = position

    def _tables(self) -> set[str]:
        """Return all tables that have a hash; only logins that were handed out can make one."""
        pattern = hall_keys.line(self._hall, "*")
        tables = map(hall_keys.table_of, self._client.scan_iter(match=pattern, count=AT_ONCE))
        return {*tables} - {""}

    def _read_hashes(self, tables: list[str]) -> None:
        """Read the hashes of these tables and store their content.

        One with too many fields, or that cannot be read, is noted as unreadable; one that fills
        Redis is deleted, and its hub writes it anew.
        """
        if not tables:
            return
        with self._client.pipeline(transaction=False) as pipe:
            for table in tables:
                pipe.hscan(hall_keys.line(self._hall, table), count=MOST_FIELDS)
            answers = pipe.execute(raise_on_error=False)
        for table, answer in zip(tables, answers, strict=True):
            if isinstance(answer, Exception) or answer[0]:
                self._board.unreadable.add(table)
                if not isinstance(answer, Exception):
                    self._delete_if_huge(hall_keys.line(self._hall, table), answer[1])
            else:
                self._board.judge(table, answer[1])

    def _delete_if_huge(self, key: str, some: Mapping[bytes, bytes]) -> None:
        if _size(some) > HUGE_BYTES or self._client.hlen(key) > HUGE_FIELDS:
            self._client.delete(key)


def _size(fields: Mapping[bytes, bytes]) -> int:
    return sum(len(name) + len(document) for name, document in fields.items())
