"""Reading the tables' lines: all last ones first, then the stream of new ones, as they come.

Any number of processes read, each for itself and each everything. Nothing is remembered in Redis,
so any of them may be killed, and a Redis that was restarted, wiped or replaced is read anew.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from centerpiece.hall.server.line_board import MOST_HUBS, LineBoard
from centerpiece.hall.wire import hall_keys
from centerpiece.hall.wire.redis_connection import Redis
from centerpiece.hall.wire.table_line import read_line

AT_ONCE = 500
MOST_UNSURE = 50
"""Tables in one step whose own keys are looked at: nobody else waits."""
WAIT = 1.0


class LineReader:
    """Keeps a board up to date. One step at a time; its thread may wait."""

    def __init__(
        self, client: Redis, hall: str, board: LineBoard, wait: Callable[[], float] = lambda: WAIT
    ) -> None:
        self._client = client
        self._hall = hall
        self._stream = hall_keys.lines(hall)
        self._board = board
        self._wait = wait
        self._position: bytes | None = None

    def doubt(self) -> None:
        """Read everything anew with the next step: this may be another Redis than before."""
        self._position = None

    def step(self) -> int:
        """Take in what has come, after waiting a while for it; return how many lines."""
        if self._position is None:
            self._read_all()
        block = round(self._wait() * 1000) or None
        answer = self._client.xread({self._stream: self._position}, count=AT_ONCE, block=block)
        entries = answer[0][1] if answer else []
        if entries:
            self._position = entries[-1][0]
            self._take(entries)
        unsure = self._board.unsure
        self._look_at([unsure.pop() for _ in range(min(len(unsure), MOST_UNSURE))])
        if len(unsure) > AT_ONCE:
            unsure.clear()  # whoever floods the stream; tables come again by themselves
        return len(entries)

    def _take(self, entries: Iterable[tuple[bytes, dict[bytes, bytes]]]) -> None:
        """Take entries in; note the tables in whose names something unknown was said."""
        take = self._board.take
        for _, fields in entries:
            for name, document in fields.items():
                line = read_line(document)
                if line is None or line.table.encode() != name or not take(line):
                    self._board.unsure |= {hall_keys.name_of(name)} - {""}

    def _read_all(self) -> None:
        """Read every table's last line. What comes meanwhile is in the stream."""
        top = self._client.xrevrange(self._stream, count=1)
        position = top[0][0] if top else b"0-0"
        pattern = hall_keys.line(self._hall, "*")
        names = map(hall_keys.table_of, self._client.scan_iter(match=pattern, count=AT_ONCE))
        for piece in pieces(sorted({*names} - {""})):
            self._look_at(piece)
        self._position = position

    def _look_at(self, tables: list[str]) -> None:
        """Read what stands under the tables' own names; one that is damaged stops no other."""
        counts = self._ask("HLEN", tables)
        sound = []
        for table, count in zip(tables, counts, strict=True):
            if isinstance(count, Exception) or count > MOST_HUBS + 1:
                self._board.fault(table)
            else:
                sound.append(table)
        for table, fields in zip(sound, self._ask("HGETALL", sound), strict=True):
            if isinstance(fields, Exception):
                self._board.fault(table)
                continue
            found = {name.decode(errors="replace"): document for name, document in fields.items()}
            first = found.pop(hall_keys.FIRST.decode(), b"").decode(errors="replace")
            self._board.judge(table, first, found)

    def _ask(self, command: str, tables: list[str]) -> list[Any]:
        if not tables:
            return []
        with self._client.pipeline(transaction=False) as pipe:
            for table in tables:
                pipe.execute_command(command, hall_keys.line(self._hall, table))
            answers: list[Any] = pipe.execute(raise_on_error=False)
        return answers


def pieces(names: list[str]) -> Iterator[list[str]]:
    """Yield the names in parts that are asked for at once."""
    for start in range(0, len(names), AT_ONCE):
        yield names[start : start + AT_ONCE]
