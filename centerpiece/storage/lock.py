"""A lock on a folder, held by one hub until its process ends.

The folder itself is locked. This needs no file, so it works on a read-only disk, and deleting files
in the folder does not let a second hub in.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ADDRESS = "address.txt"
"""The file in a locked folder that says where the hub's pages are."""


class Claim:
    """An exclusive lock on a folder."""

    def __init__(self, folder: Path) -> None:
        """Lock the folder; raise BlockingIOError at once if another process has locked it."""
        self._handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BaseException:
            os.close(self._handle)
            raise

    def holds(self, folder: Path) -> bool:
        """Return whether the locked folder still has this name."""
        return os.path.samestat(os.fstat(self._handle), os.stat(folder))

    def release(self) -> None:
        """Unlock the folder. May be called twice."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


@contextmanager
def address_noted(folder: Path, address: str) -> Iterator[None]:
    """Keep a note of `address`, that of the pages, in `folder` until the end.

    Whoever starts a second hub there is told this address. On a read-only disk there is no note.
    """
    note = folder / ADDRESS
    with suppress(OSError):  # a read-only disk has no notes
        note.write_text(address)
    try:
        yield
    finally:
        with suppress(OSError):
            note.unlink(missing_ok=True)


def noted_address(folder: Path) -> str:
    """Return the address of the hub in this folder; empty if none is known."""
    try:
        return (folder / ADDRESS).read_text()
    except OSError:
        return ""


def claimed(folder: Path) -> bool:
    """Return whether a hub has locked the folder; False if it is missing or may not be opened."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:  # the folder is missing, or closed to us
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False
