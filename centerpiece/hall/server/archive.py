"""Retention: the beginning of a stream, packed, so that the stream itself can be trimmed.

A snapshot is the events themselves, not what they add up to: any later release can read them, an
undo may reach back into them, and nothing is ever lost by trimming. They shrink to a tenth.
Packing and trimming are one transaction, and a stream always keeps its last events, so that its
table still finds the place where it goes on.
"""

import zlib
from typing import NamedTuple

from centerpiece.hall.wire import keys
from centerpiece.hall.wire.connection import Redis, ResponseError, code_of
from centerpiece.hall.wire.entries import FIELD, seq_of, stream_id
from centerpiece.hall.wire.errors import Unreadable

KEPT = 50
"""Events that stay in the stream."""


class Document(NamedTuple):
    """An entry as it was sent."""

    seq: int
    body: bytes


def history(client: Redis, table: str, piece: int = 2000) -> tuple[list[Document], int]:
    """A table's whole journal, archive and stream; and the last event that is in the archive."""
    try:
        return _history(client, table, piece)
    except zlib.error:
        raise Unreadable(table) from None
    except ResponseError as error:
        if code_of(error) != "WRONGTYPE":
            raise
        raise Unreadable(table) from None


def _history(client: Redis, table: str, piece: int) -> tuple[list[Document], int]:
    found = _unpacked(client.hgetall(keys.archive(table)))
    archived = found[-1].seq if found else 0
    start = "-"
    while entries := client.xrange(keys.stream(table), min=start, count=piece):
        after = found[-1].seq if found else 0
        found += [
            Document(seq_of(entry_id), fields.get(FIELD, b""))
            for entry_id, fields in entries
            if seq_of(entry_id) > after
        ]
        if len(entries) < piece:
            break
        start = f"({entries[-1][0].decode()}"
    return found, archived


def snapshot(client: Redis, table: str, upto: int, kept: int = KEPT) -> int:
    """Pack what the hall has taken in and trim it; the last event packed, or 0 for none."""
    last = upto - kept
    if last < 1:
        return 0
    entries = client.xrange(keys.stream(table), max=stream_id(last))
    if not entries:
        return 0
    first = seq_of(entries[0][0])
    packed = zlib.compress(b"\n".join(fields.get(FIELD, b"") for _, fields in entries), 9)
    with client.pipeline(transaction=True) as both:
        both.hset(keys.archive(table), keys.packed(first, last), packed)
        both.xtrim(keys.stream(table), minid=stream_id(last + 1), approximate=False)
        both.execute()
    return last


def _unpacked(archive: dict[bytes, bytes]) -> list[Document]:
    found: list[Document] = []
    for first, _, name in keys.parts(archive):
        lines = zlib.decompress(archive[name]).split(b"\n")
        after = found[-1].seq if found else 0
        for seq, body in enumerate(lines, start=first):
            if seq > after:
                found.append(Document(seq, body))
    return found
