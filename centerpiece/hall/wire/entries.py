"""A journal's row as an entry of a stream, and back.

The entry's ID is the event's own sequence number. Its one field is a JSON document that anyone
can read with `XRANGE`; the event in it is the journal's own bytes, untouched, so that forwarding
costs no decoding, and `journal` says which file it came from.
"""

from typing import NamedTuple

import msgspec

from centerpiece.hall.wire.errors import OtherVersion
from centerpiece.storage.upgrades import EventReader, MissingGame, NewerEvent, UnreadableEvent
from centerpiece.table.game_set import GameSet
from centerpiece.table.undo import Recorded
from centerpiece.text import NOT_JSON

FORMAT = 1
FIELD = b"e"


class Row(NamedTuple):
    """An event as it lies in the journal."""

    seq: int
    at: float
    step: int
    version: int
    body: bytes

    def packed(self, journal: str) -> bytes:
        """The entry's document."""
        return b'{"format":%d,"journal":"%b","at":%b,"step":%d,"version":%d,"event":%b}' % (
            FORMAT,
            journal.encode(),
            repr(self.at).encode(),
            self.step,
            self.version,
            self.body,
        )


class Entry(msgspec.Struct, frozen=True):
    """The entry's document, read."""

    format: int
    journal: str
    at: float
    step: int
    version: int
    event: msgspec.Raw


def stream_id(seq: int) -> str:
    """The ID of an event's entry."""
    return f"{seq}-0"


def seq_of(entry_id: bytes) -> int:
    """The sequence number in an ID."""
    return int(entry_id.partition(b"-")[0])


_decode = msgspec.json.Decoder(Entry).decode


def read(table: str, seq: int, document: bytes | None) -> Entry:
    """An entry's document; OtherVersion if it is not one of ours."""
    try:
        entry = _decode(document or b"")
    except NOT_JSON:
        raise OtherVersion(
            "Event {seq} of {table} cannot be read: something else has written to its stream. "
            "Free the name on the hall's page; the table will send its journal again.",
            seq=seq,
            table=table,
        ) from None
    if entry.format != FORMAT:
        raise OtherVersion(
            "{table} sends its journal in format {theirs}; this hall reads {ours}. "
            "Update whichever is older.",
            table=table,
            theirs=entry.format,
            ours=FORMAT,
        )
    return entry


class Events:
    """Turns entries into recorded events, older versions brought up to date."""

    def __init__(self, game_set: GameSet) -> None:
        self._reader = EventReader(game_set)

    def recorded(self, table: str, seq: int, entry: Entry) -> Recorded:
        """The event in its place."""
        try:
            event = self._reader.read(entry.version, entry.event)
        except MissingGame as missing:
            raise OtherVersion(
                "Event {seq} of {table} is about the game “{game}”, which this hall does not know. "
                "Install the package that brings it; nothing is lost.",
                seq=seq,
                table=table,
                game=str(missing),
            ) from None
        except (NewerEvent, UnreadableEvent):
            raise OtherVersion(
                "Event {seq} of {table} was written by a newer release than this hall's. "
                "Update the hall; nothing is lost.",
                seq=seq,
                table=table,
            ) from None
        return Recorded(seq, entry.at, entry.step, event)
