"""The attack: small files that become huge when restored.

Each is restored by the command itself, in a process whose memory is looked at. It must end in
bounds, and in words: the file is taken, or refused with a sentence and nothing has changed.
What a single row can do is tried in `tests/storage/test_backup.py`.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from centerpiece.storage.checksum import of_event
from centerpiece.storage.schema import INSERT, Row, empty
from centerpiece.storage.untrusted_file import LONGEST, MOST_MEMORY
from tests.chaos.result import Result

BARE = 128 * 1024 * 1024
"""Bytes that the program itself may take."""

FILES: dict[str, Callable[[int], bytes]] = {
    "rounds without end": lambda n: (
        b'{"type":"round-started","number":%d,"engine":1,"starter":null}' % n
    ),
    "seats without end": lambda n: b'{"type":"seat-taken","seat":%d,"name":"x"}' % n,
    "events without end": lambda n: b'{"type":"renamed","seat":1,"name":"x"}',
}


class Restored(NamedTuple):
    """Time and memory of a restore."""

    code: int
    said: str
    took_s: float
    memory: int


def swell(events: int, kinds: int = len(FILES)) -> Result:
    """Restore files whose events each make the table larger, or that never end."""
    failures: list[str] = []
    runs: dict[str, Restored] = {}
    with tempfile.TemporaryDirectory(prefix="centerpiece-chaos-") as name:
        for kind, body in list(FILES.items())[:kinds]:
            folder = Path(name) / kind
            folder.mkdir()
            _write(folder / "copy.db", events, body)
            runs[kind] = run = _restore(folder / "copy.db", folder / "data")
            failures += [f"{kind}: {wrong}" for wrong in _wrong(run, folder / "data/table.db")]
    figures = "; ".join(
        f"{kind}: {'taken' if run.code == 0 else 'refused'} with {run.memory / 1e6:.0f} MB"
        for kind, run in runs.items()
    )
    return Result(len(runs), failures, max(run.took_s for run in runs.values()), figures)


def _write(path: Path, events: int, body: Callable[[int], bytes]) -> None:
    def rows() -> Iterator[Row]:
        for seq in range(1, events + 1):
            row = (seq, 0.0, seq, 1, body(seq))
            yield (*row, of_event(*row))

    with closing(empty(path)) as database:
        database.execute("PRAGMA synchronous=OFF")
        database.execute("BEGIN")
        database.executemany(INSERT, rows())
        database.execute("COMMIT")


def _restore(copy: Path, data: Path) -> Restored:
    command = [sys.executable, "-m", "centerpiece", "restore", str(copy), "--data", str(data)]
    began = time.monotonic()
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=quiet, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return Restored(process.returncode, said, time.monotonic() - began, used.ru_maxrss * 1024)


def _wrong(run: Restored, own: Path) -> Iterator[str]:
    if run.code not in (0, 2) or "Traceback" in run.said:
        yield f"ended with {run.code}: {run.said[-200:]}"
    if (run.code == 0) != own.exists():
        yield f"ended with {run.code}, and the file is {'' if own.exists() else 'not '}there"
    if run.memory > BARE + MOST_MEMORY:
        yield f"took {run.memory / 1e6:.0f} MB"
    if run.took_s > 2 * LONGEST:
        yield f"slow: took {run.took_s:.0f} s"
