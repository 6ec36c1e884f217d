"""The newest line of a hub, and its publishing: after a change, and as a sign of life."""

from collections.abc import Callable, Sequence

import msgspec
from msgspec.structs import replace

from centerpiece import __version__
from centerpiece.hall.table.build_line import EARLIER_GAMES, build_line, with_previous
from centerpiece.hall.table.carry_out import GAME_OFFSETS, CarryOut
from centerpiece.hall.wire import hall_keys
from centerpiece.hall.wire.hall_errors import HallError
from centerpiece.hall.wire.redis_connection import Redis, TimeOf, server_time
from centerpiece.hall.wire.table_line import SILENT_AFTER, TableLine, read_line
from centerpiece.hub.hub import Hub
from centerpiece.storage.settings import JOURNAL_NAME
from centerpiece.table.events import GameStarted
from centerpiece.table.undo import Recorded
from hal.ports import Clock

SIGN_OF_LIFE = 10.0
CHECK_EVERY = 30.0
"""Seconds between two comparisons of clocks and of what other hubs write under the table's name."""
LEAST_OFFSET = 0.05
"""Smaller changes of the offset are measuring noise."""
MOST_LINES = 50_000
"""Approximate cap of the stream; running halls read lines long before they are dropped."""


class LineSource:
    """The line of a running hub, and its memory of games that undo does not reach."""

    def __init__(
        self, hub: Hub, carry_out: CarryOut, on_change: Callable[[], None] = lambda: None
    ) -> None:
        self.hub = hub
        self._carry_out = carry_out
        self._on_change = on_change
        self.journal = hub.settings[JOURNAL_NAME]
        hub.on_recorded(self._recorded)
        self._keep_previous()

    def line(self, offset: float) -> TableLine:
        """Return the newest line; `offset` is added to the hub's clock to get the hall's.

        Any thread may call: it is made of frozen values.
        """
        return build_line(
            self.hub.table_id,
            self.journal,
            self.hub.ledger,
            self.hub.settings[EARLIER_GAMES],
            offset=offset,
            offsets=self.hub.settings[GAME_OFFSETS],
            opened=self._carry_out.memory.opened,
            trouble=self._carry_out.note,
        )

    def _recorded(self, recorded: Sequence[Recorded]) -> None:
        if any(isinstance(each.event, GameStarted) for each in recorded):
            self._keep_previous()
        self._on_change()

    def _keep_previous(self) -> None:
        """Save the result of the game before this one, if undo still has it.

        Undo forgets it with the next start.
        """
        known = self.hub.settings[EARLIER_GAMES]
        games = with_previous(self.hub.ledger, known)
        if games != known:
            self.hub.change(EARLIER_GAMES, lambda _: games)


def offset_of(client: Redis, clock: Clock, time_of: TimeOf = server_time) -> float:
    """Return the seconds to add to the hub's clock to get the hall's."""
    before = clock.at()
    return time_of(client) - (before + clock.at()) / 2


class LinePublisher:
    """Publishes the line of one table, step by step; a step may block.

    Only the hub of a journal writes under the journal's name, and it first looks for a line newer
    than its own: so an older line never replaces a newer one.
    """

    def __init__(
        self, client: Redis, hall: str, source: LineSource, time_of: TimeOf = server_time
    ) -> None:
        self._client = client
        self._source = source
        self._table = source.hub.table_id
        self._key = hall_keys.line(hall, self._table)
        self._stream = hall_keys.lines(hall)
        self._clock = source.hub.clock
        self._time_of = time_of
        self._published: TableLine | None = None
        self._due = self._check_at = float("-inf")
        self.offset = 0.0
        self.seq = 0
        """Last event in the published line."""
        self.clash = ""
        """Sentence about another hub of the same name."""

    def step(self) -> bool:
        """Publish the line if it has changed or a sign of life is due; return False if not.

        Raise HallError if the hall knows later events than this journal has.
        """
        now = self._clock.now()
        if now >= self._check_at:
            self._check(now)
        line = self._source.line(self.offset)
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
        """Return the seconds until the next step is due without any change."""
        return max(0.0, min(self._due, self._check_at) - self._clock.now())

    def _check(self, now: float) -> None:
        """Compare clocks, and look for other hubs and newer lines under the table's name.

        Takes the name if it is free. Raise HallError if there is a newer line of this journal.
        """
        offset = offset_of(self._client, self._clock, self._time_of)
        if abs(offset - self.offset) > LEAST_OFFSET:
            self.offset = offset
        own = self._source.journal.encode()
        self._client.hsetnx(self._key, hall_keys.FIRST, own)
        fields = self._client.hgetall(self._key)
        known = read_line(fields.get(own, b""))
        if known is not None and known.seq > self._source.hub.seq:
            raise HallError(
                "The hall knows {count} {count|event|events} of {table}, and not the ones in this "
                "journal: it was restored from an older copy. Have the organiser free the name.",
                count=known.seq,
                table=self._table,
            )
        self.clash = self._clash_words(own, fields)
        self._check_at = now + CHECK_EVERY

    def _clash_words(self, own: bytes, fields: dict[bytes, bytes]) -> str:
        """Return a sentence about another hub of the same name; empty if there is none.

        `own` is this hub's journal, `fields` the table's hash. A hub that took the name first
        counts always, another one only if it was heard from lately.
        """
        if fields.get(hall_keys.FIRST, own) != own:
            return (
                f"The name {self._table} is in use by another hub. Give this one another name "
                "under [table] id, or have the organiser free the name."
            )
        others = (read_line(document) for journal, document in fields.items() if journal != own)
        now = self._clock.at() + self.offset
        if any(other is not None and now - other.at < SILENT_AFTER for other in others):
            return f"Another hub is also called {self._table}. Give one of them another name."
        return ""


def announce(pipe: Redis, stream: str, key: str, table: str, journal: str, document: bytes) -> None:
    """Add a table's line to the transaction `pipe`.

    It goes to the stream for running halls, and to the hash `key` for later ones.
    """
    pipe.execute_command("XADD", stream, "MAXLEN", "~", MOST_LINES, "*", table, document)
    pipe.execute_command("HSET", key, journal, document)
