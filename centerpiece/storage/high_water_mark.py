"""The high-water mark: the last event that was acknowledged, in a small file beside the journal.

SQLite takes a damaged frame of its log for the end of the log, and a log that is gone for an empty
one: without a second witness, nobody would miss the events in it.
The mark is written after each commit, which costs no flush, and synced while nothing waits. So it
is never ahead of what is on the disk; a kill leaves it exact, a power cut a second late. A mark
that is missing, damaged, or of another journal claims nothing.
"""

import os
from contextlib import suppress
from pathlib import Path
from struct import Struct
from zlib import crc32

MARK = "-mark"
_SEQ = Struct("<q")
_CRC = Struct("<I")


class HighWaterMark:
    """The mark of one journal, known by the journal's own name."""

    def __init__(self, path: Path, journal: bytes) -> None:
        self._path = path.with_name(path.name + MARK)
        self._journal = journal
        self._handle: int | None = None

    def read(self) -> int:
        """Return the last event that was acknowledged, as far as is known."""
        with suppress(OSError), self._path.open("rb") as file:
            content = file.read(_SEQ.size + _CRC.size + 1)
            seq = content[: _SEQ.size]
            if content[_SEQ.size :] == _CRC.pack(crc32(seq, crc32(self._journal))):
                return int(_SEQ.unpack(seq)[0])
        return 0

    def write(self, seq: int) -> None:
        """Events up to this one are on the disk. A mark that cannot be written is done without."""
        with suppress(OSError):
            if self._handle is None:
                self._handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
            content = _SEQ.pack(seq)
            os.pwrite(self._handle, content + _CRC.pack(crc32(content, crc32(self._journal))), 0)

    def sync(self) -> None:
        """Put it on the disk."""
        with suppress(OSError):
            if self._handle is not None:
                os.fsync(self._handle)

    def close(self) -> None:
        """Let go of the file. May be called twice."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
