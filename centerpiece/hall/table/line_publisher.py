"""Publishing a table's line: the latest state only, when it changes and as a sign of life."""

import msgspec
from msgspec.structs import replace

from centerpiece import __version__
from centerpiece.hall.wire import hall_keys
from centerpiece.hall.wire.hall_errors import OlderJournal
from centerpiece.hall.wire.redis_connection import Redis, TimeOf, server_time
from centerpiece.hall.wire.table_line import CLASH_LASTS, TableLine, difference, read_line
from hal.ports import Clock

SIGN_OF_LIFE = 10.0
CHECK_EVERY = 30.0
"""Seconds between two looks at what else stands under the table's name, and at the hall's clock."""
LEAST_OFFSET = 0.05
"""A smaller change of the difference between two clocks is none."""
MOST_LINES = 50_000
"""Lines in the stream, about: a hall that reads on has read them long before they are dropped."""


def offset_of(client: Redis, clock: Clock, time_of: TimeOf = server_time) -> float:
    """Return what has to be added to the hub's clock to get the hall's."""
    before = clock.at()
    return time_of(client) - (before + clock.at()) / 2


class LinePublisher:
    """Publishes the line of one table. One step at a time; its thread may wait.

    Only the hub of a journal writes under the journal's name, and before it begins it looks for a
    line that is newer than its own: so an older line never replaces a newer one.
    """

    def __init__(
        self, client: Redis, hall: str, table: str, clock: Clock, time_of: TimeOf = server_time
    ) -> None:
        self._client = client
        self._key = hall_keys.line(hall, table)
        self._stream = hall_keys.lines(hall)
        self._table = table
        self._clock = clock
        self._time_of = time_of
        self._published: TableLine | None = None
        self._due = self._check_at = float("-inf")
        self.offset = 0.0
        self.seq = 0
        """The last event that is in the line as it is published."""
        self.clash = ""
        """Trouble with the table's name, as a sentence."""

    def begin(self, journal: str, seq: int) -> None:
        """Compare clocks, and look at what is known under the table's name, if it is time to."""
        now = self._clock.now()
        if now < self._check_at:
            return
        offset = offset_of(self._client, self._clock, self._time_of)
        if abs(offset - self.offset) > LEAST_OFFSET:
            self.offset = offset
        own = journal.encode()
        self._client.hsetnx(self._key, hall_keys.FIRST, own)
        known = self._client.hgetall(self._key)
        mine = read_line(known.get(own, b""))
        if mine is not None and mine.seq > seq:
            raise OlderJournal(
                "The hall knows {count} {count|event|events} of {table}, and not the ones in this "
                "journal: it was restored from an older copy. Have the organiser free the name.",
                count=mine.seq,
                table=self._table,
            )
        self.clash = self._clash_words(own, known)
        self._check_at = now + CHECK_EVERY

    def publish(self, line: TableLine) -> bool:
        """Publish a line if it is news, or time for a sign of life; return whether it was."""
        now = self._clock.now()
        unchanged = replace(line, seq=0) == self._published
        if unchanged and now < self._due:
            return False
        self._published = None
        document = msgspec.json.encode(
            replace(line, at=self._clock.at() + self.offset, release=__version__)
        )
        with self._client.pipeline(transaction=True) as pipe:
            announce(pipe, self._stream, self._key, line.table, line.journal, document)
            pipe.execute()
        self._published, self.seq = replace(line, seq=0), line.seq
        self._due = now + SIGN_OF_LIFE
        return True

    def pause(self) -> float:
        """Return the seconds until there is something to do without any news."""
        return max(0.0, min(self._due, self._check_at) - self._clock.now())

    def _clash_words(self, own: bytes, known: dict[bytes, bytes]) -> str:
        if known.get(hall_keys.FIRST, own) != own:
            return (
                f"The name {self._table} is in use by another hub. Give this one another name "
                "under [table] id, or have the organiser free the name."
            )
        others = (read_line(document) for journal, document in known.items() if journal != own)
        now = self._clock.at() + self.offset
        if any(other is not None and now - other.at < CLASH_LASTS for other in others):
            return f"Another hub is also called {self._table}. Give one of them another name."
        return ""


def announce(pipe: Redis, stream: str, key: str, table: str, journal: str, document: bytes) -> None:
    """Put a line into a transaction: for all who read on, and for those who begin later."""
    pipe.execute_command("XADD", stream, "MAXLEN", "~", MOST_LINES, "*", table, document)
    pipe.execute_command("HSET", key, journal, document)


def apart(offset: float) -> str:
    """Return how a hub's clock stands to the hall's, such as “12 s behind”; empty if they agree."""
    far = difference(offset)
    return far and f"{far} {'behind' if offset > 0 else 'ahead of'}"
