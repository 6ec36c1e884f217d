"""The journal as an outbox: read in small pieces, over a connection of its own.

The file is in WAL mode, so reading never makes the hub's writing wait, and each piece is read to
its end at once, so that no reader keeps the file from being tidied up.
"""

import sqlite3
import struct
from pathlib import Path

from centerpiece.hall.wire.entries import Row
from centerpiece.hall.wire.errors import HallError
from centerpiece.storage.checksum import of_event
from centerpiece.storage.files import Identity, identity

_UNREADABLE = "The journal cannot be read for the hall: {why}."


HIGHEST = 2**63 - 1
"""A stream may claim to be further than any journal can be."""


class Outbox:
    """The rows of a journal's file. Made in one thread and used in one other."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._database: sqlite3.Connection | None = None
        self._file: Identity | None = None

    def rows(self, first: int, most: int) -> list[Row]:
        """Rows from a sequence number on, without a gap; one that is damaged is none."""
        try:
            found = self._open().execute(
                "SELECT seq, at, step, version, body, crc FROM events WHERE seq >= ? "
                "ORDER BY seq LIMIT ?",
                (min(first, HIGHEST), most),
            )
            rows = [Row(*row) for *row, crc in found.fetchall() if crc == of_event(*row)]
        except (sqlite3.Error, struct.error, TypeError) as error:
            self.close()
            raise HallError(_UNREADABLE, why=str(error)) from error
        for expected, row in enumerate(rows, start=first):
            if row.seq != expected:
                raise HallError(
                    "Event {seq} is missing in {file}; see the log.",
                    seq=expected,
                    file=str(self._path),
                )
        return rows

    def last(self) -> int:
        """The latest sequence number."""
        try:
            (seq,) = self._open().execute("SELECT coalesce(max(seq), 0) FROM events").fetchone()
        except sqlite3.Error as error:
            self.close()
            raise HallError(_UNREADABLE, why=str(error)) from error
        return int(seq)

    def close(self) -> None:
        """Let go of the file. May be called twice."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def _open(self) -> sqlite3.Connection:
        if self._database is not None and identity(self._path) != self._file:
            self.close()  # the hub has written its file anew
        if self._database is None:
            self._file = identity(self._path)
            address = f"{self._path.absolute().as_uri()}?mode=ro"
            self._database = sqlite3.connect(address, uri=True, check_same_thread=False)
        return self._database
