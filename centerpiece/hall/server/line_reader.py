"""Reading the tables' lines: all last ones first, then the stream of new ones, as they come.

Any number of processes read, each for itself and each everything. Nothing is remembered in Redis,
so any of them may be killed, and a Redis that was restarted, wiped or replaced is read anew.
"""

from collections.abc import Callable, Iterable, Iterator

from centerpiece.hall.server.line_board import LineBoard
from centerpiece.hall.wire import hall_keys
from centerpiece.hall.wire.redis_connection import Redis
from centerpiece.hall.wire.table_line import read_line

AT_ONCE = 500
MOST_UNSURE = 50
"""Tables in one step whose own keys are looked at: nobody else waits."""
MOST_FIELDS = 16
"""Fields under one table's name, about: few hubs have the same, and nobody reads a million."""
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
        if not tables:
            return
        with self._client.pipeline(transaction=False) as pipe:
            for table in tables:
                pipe.hscan(hall_keys.line(self._hall, table), count=MOST_FIELDS)
            answers = pipe.execute(raise_on_error=False)
        for table, answer in zip(tables, answers, strict=True):
            if isinstance(answer, Exception) or answer[0]:
                self._board.fault(table)
            else:
                self._board.judge(table, answer[1])


def pieces(names: list[str]) -> Iterator[list[str]]:
    """Yield the names in parts that are asked for at once."""
    for start in range(0, len(names), AT_ONCE):
        yield names[start : start + AT_ONCE]
