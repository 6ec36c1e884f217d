"""Power cuts: the possible contents of a disk at any point of a recording.

`recorder.c` writes down every write, sync, truncation, creation and removal below a folder.
From that, `Disk.cut` makes a folder as it may be found after a power cut at one point:
what was synced is there; of what was not, any part may be, in any order, torn within a write.
"""

import os
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

HERE = Path(__file__).parent
SECTOR = 512
"""What a disk writes whole; a longer write may be torn at any multiple of it."""


class Op(NamedTuple):
    """One recorded operation."""

    kind: str
    path: str
    offset: int
    data: bytes


def build_recorder(folder: Path) -> Path:
    """Compile the recorder."""
    library = folder / "recorder.so"
    command = ["gcc", "-shared", "-fPIC", "-O2", "-o", library, HERE / "recorder.c", "-ldl"]
    subprocess.run([*map(str, command), "-lpthread"], check=True)
    return library


def record(library: Path, folder: Path, arguments: list[str]) -> list[Op]:
    """Run a Python module and return its recorded operations in `folder`."""
    folder.mkdir(parents=True)
    trace = folder.with_suffix(".record")
    environment = os.environ | {
        "LD_PRELOAD": str(library),
        "CHAOS_FOLDER": str(folder),
        "CHAOS_RECORD": str(trace),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    subprocess.run(
        [sys.executable, "-m", *arguments],
        env=environment,
        check=True,
        cwd=HERE.parent.parent,
        timeout=120,
    )
    return list(_read(trace.read_bytes()))


def _read(trace: bytes) -> Iterator[Op]:
    at = 0
    while at < len(trace):
        kind, path_length, offset, length = struct.unpack_from("=cHQI", trace, at)
        at += 15
        path = trace[at : at + path_length].decode()
        at += path_length
        yield Op(kind.decode(), path, offset, trace[at : at + length])
        at += length


class _File:
    """A file: its synced content, and the operations since."""

    def __init__(self) -> None:
        self.synced = bytearray()
        self.pending: list[Op] = []

    def sync(self) -> None:
        for op in self.pending:
            _apply(self.synced, op)
        self.pending.clear()


def _apply(content: bytearray, op: Op) -> None:
    if op.kind == "t":
        size = op.offset
        del content[size:]
        content.extend(bytes(size - len(content)))
        return
    end = op.offset + len(op.data)
    if len(content) < end:
        content.extend(bytes(end - len(content)))
    content[op.offset : end] = op.data


class Disk:
    """A folder on a disk with a cache, fed with operations one by one.

    Names are as volatile as content: a file that was created, renamed or removed is so for good
    only once the folder has been synced. Changes of names keep their order, as they do in the
    journal of a file system.
    """

    def __init__(self) -> None:
        self._files: dict[str, _File] = {}
        self._names: dict[str, _File] = {}
        self._changes: list[dict[str, _File | None]] = []

    def feed(self, op: Op) -> None:
        if op.kind == "c":
            self._rename({op.path: _File()})
        elif op.kind == "u":
            self._rename({op.path: None})
        elif op.kind == "r":
            self._rename({op.path: None, op.data.decode(): self._files[op.path]})
        elif op.kind == "d":
            for change in self._changes:
                _renamed(self._names, change)
            self._changes.clear()
        elif op.kind == "s":
            self._files[op.path].sync()
        elif op.path in self._files:
            self._files[op.path].pending.append(op)

    def _rename(self, change: dict[str, _File | None]) -> None:
        _renamed(self._files, change)
        self._changes.append(change)

    def cut(self, folder: Path, luck: Random) -> None:
        """Write a folder as a power cut could leave it now."""
        names = dict(self._names)
        for change in self._changes[: luck.randint(0, len(self._changes))]:
            _renamed(names, change)
        folder.mkdir(parents=True)
        for path, file in names.items():
            (folder / path).write_bytes(self._survivor(file, luck))

    @staticmethod
    def _survivor(file: _File, luck: Random) -> bytes:
        content = bytearray(file.synced)
        fate = luck.random()
        pending = list(file.pending)
        if fate < 0.2:
            pending = []
        elif fate < 0.5:
            pending = pending[: luck.randint(0, len(pending))]
        elif fate < 0.8:
            pending = [op for op in pending if luck.random() < 0.5]
        for op in pending:
            _apply(content, _torn(op, luck) if luck.random() < 0.3 else op)
        return bytes(content)


def _renamed(names: dict[str, _File], change: dict[str, _File | None]) -> None:
    for path, file in change.items():
        if file is None:
            names.pop(path, None)
        else:
            names[path] = file


def _torn(op: Op, luck: Random) -> Op:
    """Return a write of which only some sectors, or only the beginning, reached the disk."""
    if op.kind != "w" or not op.data:
        return op
    if luck.random() < 0.5:
        return op._replace(data=op.data[: luck.randint(0, len(op.data))])
    first = SECTOR * luck.randint(0, len(op.data) // SECTOR)
    return op._replace(offset=op.offset + first, data=op.data[first:])
