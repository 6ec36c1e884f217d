"""Files that must not be lost: copied as SQLite copies, named last, known by more than a name."""

import os
import shutil
import sqlite3
import time
from pathlib import Path

from centerpiece.storage.high_water_mark import MARK

LOGS = ("-wal", "-shm", MARK)
"""What lies beside a file that is in use: SQLite's log and its index, and our mark."""

Identity = tuple[int, int]


def identity(path: Path) -> Identity | None:
    """Which file has this name; None if none has. Whatever else is wrong, a write will tell."""
    try:
        found = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return (0, 0)
    return found.st_dev, found.st_ino


def stamp(path: Path) -> tuple[int, ...] | None:
    """What changes whenever somebody writes to a file; None if it is not there."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns


def has_content(path: Path) -> bool:
    """Whether there is anything in it."""
    try:
        return os.stat(path).st_size > 0
    except FileNotFoundError:
        return False


def may_write(path: Path) -> bool:
    """Whether a file and its folder can be written."""
    there = [path.parent, path] if path.exists() else [path.parent]
    return all(os.access(each, os.W_OK, effective_ids=True) for each in there)


def log_of(path: Path) -> Path:
    """Where SQLite writes first."""
    return path.with_name(f"{path.name}-wal")


def beside(path: Path, word: str) -> Path:
    """A name of today's that nothing has."""
    stem = f"{path.name}.{word}-{time.strftime('%Y%m%d-%H%M%S')}"
    found, number = path.with_name(stem), 1
    while found.exists():
        number += 1
        found = path.with_name(f"{stem}-{number}")
    return found


def set_aside(path: Path, word: str) -> Path:
    """Keep a file and its log under another name, byte by byte; which."""
    kept = beside(path, word)
    for part, place in ((path, kept), (log_of(path), log_of(kept))):
        if has_content(part):
            shutil.copyfile(part, place)
            sync(place)
    sync(path.parent)
    return kept


def set_log_aside(log: Path) -> None:
    """The log of a file that was moved away: SQLite would play it into the new one."""
    if log.exists():
        os.replace(log, Path(f"{log}.left"))


def copy_all(source: sqlite3.Connection, target: Path) -> None:
    """One file with everything, its log included; right even while somebody writes."""
    copy = sqlite3.connect(target, isolation_level=None)
    try:
        source.backup(copy)
        # One file, without a log beside it that would be forgotten on a memory stick.
        copy.execute("PRAGMA journal_mode=DELETE").fetchone()
    finally:
        copy.close()
    sync(target)


def sync(path: Path) -> None:
    """Put a file, or the names in a folder, on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
