"""The tables of one process, kept up by reading their streams; built from their journals first.

Streams are read a thousand at a time without blocking, a few times a second: a blocking read of
ten thousand streams would have to be set up anew for every single event.
"""

import logging
from collections.abc import Callable, Iterable, Iterator

from centerpiece.hall.server import archive
from centerpiece.hall.server.consumer_group import Come, ConsumerGroup
from centerpiece.hall.server.followed_table import Followed, Line
from centerpiece.hall.server.shares import SILENT_AFTER
from centerpiece.hall.wire.connection import Redis
from centerpiece.hall.wire.entries import FIELD, Events, read, seq_of
from centerpiece.hall.wire.errors import Gap, HallError, Unreadable
from centerpiece.table.game_set import GameSet

log = logging.getLogger("centerpiece.hall")

PIECE = 1000
"""Streams read at once."""
A_FEW = 200
"""Tables verified in one step: nobody else waits."""
VERIFY = 2 * SILENT_AFTER
TRY_AGAIN = 10.0


class TableReader:
    """Takes in what comes. `breathe` is called in the middle of long work."""

    def __init__(
        self,
        client: Redis,
        group: ConsumerGroup,
        game_set: GameSet,
        now: Callable[[], float],
        breathe: Callable[[], None],
    ) -> None:
        self._client = client
        self._group = group
        self._game_set = game_set
        self._events = Events(game_set)
        self._now = now
        self._breathe = breathe
        self.tables: dict[str, Followed] = {}
        self.changed: set[str] = set()
        """Tables whose line is not published as it is now."""
        self._doubtful: set[str] = set()
        self._verify_at = float("-inf")
        self._retry: dict[str, float] = {}
        self._alone: dict[str, float] = {}
        """Tables that cannot be read, and until when they are left alone."""

    def build(self, table: str) -> None:
        """Take a table over: read its journal from the beginning, claim what was pending.

        One that cannot be read is left alone for a while, and nobody else waits for it.
        """
        self._rebuild(table)
        try:
            self._group.claim(table, self.tables[table].seq)
        except Unreadable as error:
            self._leave_alone(table, error)
        self._doubtful.add(table)
        self._verify_at = self._now() + VERIFY
        self._breathe()

    def _leave_alone(self, table: str, error: HallError) -> None:
        self._alone[table] = self._now() + TRY_AGAIN
        self._mark(self.tables[table], error)

    def _mark(self, followed: Followed, error: HallError) -> None:
        if followed.mark(str(error)):
            self.changed.add(followed.table)
            log.warning("table=%s trouble=%r", followed.table, followed.trouble)

    def lines(self, tables: Iterable[str]) -> Iterator[Line]:
        """What is known of tables, each judged by itself."""
        return (self.tables[table].judged() for table in tables if table in self.tables)

    def drop(self, table: str) -> None:
        """Somebody else follows it, or nobody."""
        self.tables.pop(table, None)
        self._alone.pop(table, None)
        self.changed.discard(table)
        self._group.forget(table)

    def published(self, tables: list[str]) -> None:
        """Their lines are known to everybody as they are now."""
        self.changed.difference_update(tables)

    def poll(self) -> int:
        """Read what has come in at all tables; how many events were taken in."""
        taken, now = 0, self._now()
        for table in [table for table, until in self._alone.items() if now >= until]:
            del self._alone[table]
            self.build(table)
        for piece in pieces(list(self.tables)):
            own = [table for table in piece if table in self.tables and table not in self._alone]
            taken += self._read(own) if own else 0
            self._breathe()
        return taken

    def doubt(self, table: str, sent: int) -> None:
        """The table says how far it has sent: more than we know may have gone to another."""
        if table in self.tables and sent > self.tables[table].seq:
            self._doubtful.add(table)

    def verify_some(self) -> None:
        """Look twice at tables that changed hands a while ago, or where an answer was lost."""
        if self._doubtful and self._now() >= self._verify_at:
            some = sorted(self._doubtful)[:A_FEW]
            self._doubtful -= set(some)
            self.verify([table for table in some if table in self.tables])

    def verify(self, tables: list[str]) -> int:
        """Read again where another process took an event that should have been ours; how many.

        While tables change hands two may read for the same group, and each gets only a part: then
        the group is further than we are.
        """
        behind = 0
        for table, delivered in zip(tables, self._group.delivered(tables), strict=True):
            followed = self.tables[table]
            if delivered > followed.seq and not followed.trouble:
                self._rebuild(table)
                self._group.claim(table, self.tables[table].seq)
                behind += 1
        return behind

    def _read(self, tables: list[str]) -> int:
        try:
            return sum(self._take_all(come) for come in self._group.read(tables))
        except BaseException:
            # An answer that was lost on its way is not given again: look where the group is.
            self._doubtful |= set(tables)
            raise

    def _take_all(self, come: Come) -> int:
        taken, table = 0, come.table
        if come.wrong is not None:
            self._leave_alone(table, come.wrong)
        for entry_id, fields in come.entries:
            followed = self.tables[table]
            try:
                if self._take(followed, seq_of(entry_id), fields.get(FIELD)):
                    taken += 1
                    if followed.news:
                        self.changed.add(table)
            except Gap as gap:
                log.info("table=%s %s", table, gap)
                if self._may_try(table):
                    self._rebuild(table)
            except HallError as error:
                self._mark(followed, error)
        if taken and self.tables[table].trouble and self._may_try(table):
            # What was missing may have come: then all is well again.
            self._rebuild(table)
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

    def _may_try(self, table: str) -> bool:
        if self._now() < self._retry.get(table, float("-inf")):
            return False
        self._retry[table] = self._now() + TRY_AGAIN
        return True

    def _rebuild(self, table: str) -> None:
        """Read a table's journal from the beginning."""
        followed = Followed(table, self._game_set, self._events)
        try:
            documents, archived = archive.history(self._client, table)
            followed.packed(archived)
            for document in documents:
                self._take(followed, document.seq, document.body, keep_all=True)
        except HallError as error:
            followed.mark(str(error))
        followed.forget()
        self.tables[table] = followed
        self.changed.add(table)


def pieces(names: list[str]) -> Iterator[list[str]]:
    """Not more than a thousand at once."""
    for start in range(0, len(names), PIECE):
        yield names[start : start + PIECE]
