"""One hub for each journal: a lock beside the file, gone with the process that holds it."""

import fcntl
from pathlib import Path
from typing import IO


def claim(journal: Path) -> IO[str]:
    """Hold the journal until the lock is closed; BlockingIOError if somebody else does."""
    lock = open(lock_of(journal), "w")  # noqa: SIM115
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise
    return lock


def claimed(journal: Path) -> bool:
    """Whether a hub holds the journal at this moment."""
    try:
        with open(lock_of(journal)) as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # no hub has been here, or its folder is closed to us
        return False
    return False


def lock_of(journal: Path) -> Path:
    """Where the lock of a journal lies."""
    return journal.with_name(f"{journal.name}.lock")
