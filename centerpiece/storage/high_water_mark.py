"""The high-water mark: the last acknowledged event, in a small file beside the journal.

SQLite takes a damaged frame for the end of its log, and a missing log for an empty one; without
this second record, nobody would notice that events are lost.
The mark is written after each commit without a flush, and synced while the writer is idle. So it is
never ahead of the disk; it is exact after a kill, and up to a second late after a power cut. A mark
that is missing, damaged, or of another journal counts as 0.

A file at rest has no mark: it holds the number of its last event itself, in another page than the
events, because SQLite believes a page that says that it has fewer rows.
"""

import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from struct import Struct
from zlib import crc32

from centerpiece.storage.checksum import of_setting
from centerpiece.storage.schema import KEEP, SETTING, setting

MARK = "-mark"
LAST_EVENT = "last-event"
"""The setting with the number of the last event."""
_SEQ = Struct("<q")
_CRC = Struct("<I")


class HighWaterMark:
    """The mark of one journal; its checksum includes the journal's random name."""

    def __init__(self, path: Path, journal: bytes) -> None:
        self._path = path.with_name(path.name + MARK)
        self._journal = journal
        self._handle: int | None = None

    def read(self) -> int:
        """Return the number of the last acknowledged event.

        0 if the mark is missing, damaged, unreadable, or of another journal.
        """
        with suppress(OSError), self._path.open("rb") as file:
            content = file.read(_SEQ.size + _CRC.size + 1)
            seq = content[: _SEQ.size]
            if content[_SEQ.size :] == _CRC.pack(crc32(seq, crc32(self._journal))):
                return int(_SEQ.unpack(seq)[0])
        return 0

    def write(self, seq: int) -> None:
        """Note that all events up to number `seq` are on the disk, without a flush.

        If the mark cannot be written, nothing is raised, and it stays behind.
        """
        with suppress(OSError):
            if self._handle is None:
                self._handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
            content = _SEQ.pack(seq)
            os.pwrite(self._handle, content + _CRC.pack(crc32(content, crc32(self._journal))), 0)

    def sync(self) -> None:
        """Flush the mark to the disk."""
        with suppress(OSError):
            if self._handle is not None:
                os.fsync(self._handle)

    def close(self) -> None:
        """Close the file. May be called twice."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def note_last_event(database: sqlite3.Connection, seq: int) -> None:
    """Write the number of the last event into a file that is put to rest."""
    if noted_last_event(database) != seq:
        database.execute(KEEP, setting(LAST_EVENT, b"%d" % seq))


def noted_last_event(database: sqlite3.Connection) -> int:
    """Return the number in the file; 0 if it is unknown."""
    content, crc = database.execute(SETTING, (LAST_EVENT,)).fetchone() or (b"", 0)
    return int(content) if content.isdigit() and crc == of_setting(LAST_EVENT, content) else 0
