"""One hub for each folder, until its process ends: the folder itself is locked.

No file has to be written for it, so it holds on a read-only disk too, and deleting files in the
folder does not let a second hub in.
"""

import fcntl
import os
from pathlib import Path


class Claim:
    """A folder that is ours until it is released."""

    def __init__(self, folder: Path) -> None:
        """BlockingIOError if somebody else has it."""
        self._handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BaseException:
            os.close(self._handle)
            raise

    def holds(self, folder: Path) -> bool:
        """Whether this is still the folder that is found under its name."""
        return os.path.samestat(os.fstat(self._handle), os.stat(folder))

    def release(self) -> None:
        """Let others have it. May be called twice."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def claimed(folder: Path) -> bool:
    """Whether a hub works in the folder at this moment."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:  # no hub has been here, or its folder is closed to us
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False
