"""File operations that survive a power cut, and the identity of files beyond their names."""

import os
import shutil
import sqlite3
import time
from pathlib import Path

from centerpiece.storage.high_water_mark import MARK

LOGS = ("-wal", "-shm", MARK)
"""Suffixes of the files beside a database in use: SQLite's log, its index, and our mark."""

Identity = tuple[int, int]


def identity(path: Path) -> Identity | None:
    """Return the device and inode of a file; None if there is none, (0, 0) on any other error."""
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return (0, 0)
    return status.st_dev, status.st_ino


def stamp(path: Path) -> tuple[int, ...] | None:
    """Return size and times of a file, which change with every write; None if unreadable."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns


def has_content(path: Path) -> bool:
    try:
        return os.stat(path).st_size > 0
    except FileNotFoundError:
        return False


def may_write(path: Path) -> bool:
    """Return whether a file and its folder can be written."""
    existing = [path.parent, path] if path.exists() else [path.parent]
    return all(os.access(each, os.W_OK, effective_ids=True) for each in existing)


def log_of(path: Path) -> Path:
    """Return the path of SQLite's write-ahead log."""
    return path.with_name(f"{path.name}-wal")


def beside(path: Path, word: str) -> Path:
    """Return an unused path in the folder of `path`: its name, `word` and the present time.

    Nothing is created. If the name is taken, it gets a number.
    """
    stem = f"{path.name}.{word}-{time.strftime('%Y%m%d-%H%M%S')}"
    free, number = path.with_name(stem), 1
    while free.exists():
        number += 1
        free = path.with_name(f"{stem}-{number}")
    return free


def set_aside(path: Path, word: str) -> Path:
    """Copy a file and its log, byte by byte, beside the originals; return the copy's path.

    An empty or missing original is skipped. The copy's name has `word` and the time in it. On an
    OSError no copy is left.
    """
    kept = beside(path, word)
    parts = ((path, kept), (log_of(path), log_of(kept)))
    try:
        for part, place in parts:
            if has_content(part):
                shutil.copyfile(part, place)
                sync(place)
    except OSError:
        for _, place in parts:
            place.unlink(missing_ok=True)  # half a copy only takes room
        raise
    sync(path.parent)
    return kept


def set_log_aside(log: Path) -> None:
    """Rename the log of a file that was moved away: SQLite would apply it to the new file."""
    if log.exists():
        os.replace(log, Path(f"{log}.left"))


def copy_all(source: sqlite3.Connection, target: Path) -> None:
    """Copy the open database `source`, what is only in its log included, into the file `target`.

    The source may be written meanwhile. The copy is synced and has no log of its own.
    """
    copy = sqlite3.connect(target, isolation_level=None)
    try:
        source.backup(copy)
        # No separate log, which people would forget to copy to a memory stick.
        copy.execute("PRAGMA journal_mode=DELETE").fetchone()
    finally:
        copy.close()
    sync(target)


def sync(path: Path) -> None:
    """Flush a file, or the names in a folder, to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
