"""Forwarding: whatever the stream misses is sent, in batches, each at once or not at all.

Where to go on is asked of Redis itself before every batch, under `WATCH`: so it makes no
difference whether the last batch arrived, arrived in part, or was wiped with everything else.
Sending again cannot duplicate, since the ID is the event's own number; a gap cannot arise, since
a batch begins where the stream ends or is not taken.
The stream's last event must be the journal's own, byte for byte: otherwise another hub has this
table's name, or the journal is not the one it was.
A Redis that came back may have lost some of the middle, or the beginning: at the start and now and
then the events are counted. Where some are missing, nothing can be put between the others, so the
stream is begun anew.
"""

import logging
from typing import NamedTuple

from centerpiece.hall.table.outbox import Outbox
from centerpiece.hall.wire import keys
from centerpiece.hall.wire.connection import Redis, ResponseError, WatchError, code_of
from centerpiece.hall.wire.entries import FIELD, Row, read, seq_of, stream_id
from centerpiece.hall.wire.errors import IdTaken, LostEvents

log = logging.getLogger("centerpiece.hall")

BATCH = 200
"""Events a batch: few enough that preparing them delays a press by no more than a millisecond
or two, many enough to catch up fast."""


class Sent(NamedTuple):
    """How far the stream is after a step."""

    seq: int
    events: int
    """How many events this step sent."""


class Forwarder:
    """Brings one table's stream up to its journal. Used by one thread; never by the hub's."""

    def __init__(self, client: Redis, table: str, journal: str, outbox: Outbox) -> None:
        self._client = client
        self._table = table
        self._key = keys.stream(table)
        self._journal = journal
        self._outbox = outbox
        self._counted = False

    def step(self, most: int = BATCH) -> Sent:
        """Send the next batch; nothing was sent if `events` is 0."""
        try:
            return self._step(most)
        except ResponseError as error:
            if code_of(error) != "WRONGTYPE":
                raise
            return self._begin_anew("it is no stream")

    def doubt(self) -> None:
        """Count the stream's events with the next step."""
        self._counted = False

    def _step(self, most: int) -> Sent:
        with self._client.pipeline(transaction=True) as batch:
            batch.watch(self._key)
            top = batch.xrevrange(self._key, count=1)
            last = seq_of(top[0][0]) if top else 0
            rows = self._outbox.rows(max(last, 1), most + 1)
            if top:
                self._check(last, top[0][1].get(FIELD), rows[:1])
                rows = rows[1:]
            if top and not self._counted and (lost := self._lost(batch, last)):
                return self._begin_anew(f"{lost} of {last} events are missing")
            self._counted = True
            if not rows:
                return Sent(last, 0)
            batch.multi()
            for row in rows:
                batch.execute_command(
                    "XADD", self._key, stream_id(row.seq), FIELD, row.packed(self._journal)
                )
            try:
                batch.execute()
            except WatchError:
                return Sent(last, 0)
        return Sent(rows[-1].seq, len(rows))

    def _lost(self, redis: Redis, last: int) -> int:
        """How many of the events up to the last one are neither in the stream nor packed."""
        ((first, _),) = redis.xrange(self._key, count=1)
        packed = keys.last_packed(redis.hkeys(keys.archive(self._table)))
        return last - int(redis.xlen(self._key)) - min(packed, seq_of(first) - 1)

    def _begin_anew(self, why: str) -> Sent:
        log.warning("table=%s stream: %s; it is sent again", self._table, why)
        self._client.delete(self._key)
        return Sent(0, 1)

    def _check(self, last: int, document: bytes | None, own: list[Row]) -> None:
        """The stream's last event must be the journal's own."""
        if own and own[0].packed(self._journal) == document:
            return
        entry = read(self._table, last, document)
        if entry.journal != self._journal:
            raise IdTaken(
                "The name {table} is in use by another hub. Give this one another name "
                "under [table] id, or have the organiser free the name.",
                table=self._table,
            )
        raise LostEvents(
            "The hall knows {count} {count|event|events} of {table}, and not the ones in this "
            "journal: it was restored from an older copy. Have the organiser free the name.",
            count=last,
            table=self._table,
        )
