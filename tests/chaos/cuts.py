"""The attack: cut the power at every point of a recorded evening, start again, compare."""

import shutil
import tempfile
import time
from pathlib import Path
from random import Random

from centerpiece.games.registry import GAMES
from centerpiece.storage.errors import JournalError
from centerpiece.storage.journal import Journal
from tests.chaos.power import Disk, Op, build_recorder, record
from tests.chaos.result import Result
from tests.evenings import replayed, same


def cut_everywhere(seed: int, steps: int, cuts: int, *words: str) -> Result:
    """Record one evening and cut it at `cuts` points spread over the whole of it."""
    with tempfile.TemporaryDirectory(prefix="centerpiece-chaos-") as name:
        work = Path(name)
        library = build_recorder(work)
        ops = record(
            library,
            work / "live",
            ["tests.chaos.evening", str(work / "live"), str(seed), str(steps), *words],
        )
        whole = _events(work / "live" / "table.db")
        return _cut(ops, whole, work, seed, cuts)


def _cut(ops: list[Op], whole: list[bytes], work: Path, seed: int, cuts: int) -> Result:
    luck = Random(seed)
    chosen = _spread(len(ops), cuts, luck)
    failures: list[str] = []
    worst = 0.0
    tries = 0
    disk, shown = Disk(), 0
    for point, op in enumerate(ops):
        if op.path == "shown":
            if op.kind == "w":
                shown = max(shown, int(op.data))
        elif not op.path.endswith(("-shm", ".lock")):
            disk.feed(op)
        for _ in range(chosen.get(point, 0)):
            tries += 1
            folder = work / "cut"
            disk.cut(folder, luck)
            start = time.perf_counter()
            problem = _check(folder / "table.db", whole, shown)
            worst = max(worst, time.perf_counter() - start)
            if problem:
                failures.append(f"seed {seed}, cut {tries} after operation {point}: {problem}")
            shutil.rmtree(folder)
    return Result(tries, failures, worst)


def _spread(length: int, cuts: int, luck: Random) -> dict[int, int]:
    """Spread cuts over the operations: one after each, if there are enough."""
    chosen = dict.fromkeys(range(length), cuts // length)
    for point in luck.sample(range(length), cuts % length):
        chosen[point] += 1
    return chosen


def _check(path: Path, whole: list[bytes], shown: int) -> str | None:
    """Start from a cut; return what is missing of the shown events, or was never decided."""
    try:
        found = _events(path)
    except JournalError as error:
        return f"it does not start: {error}"
    if len(found) < shown:
        return f"{shown} events had been shown, {len(found)} are left"
    if found != whole[: len(found)]:
        return "the events are not those that happened"
    return None


def _events(path: Path) -> list[bytes]:
    journal = Journal(path, GAMES)
    try:
        # A short way to the table (a snapshot) must lead to where the long one does.
        if not same(journal.recover(GAMES), replayed(journal.read())):
            raise JournalError("the table is another than the events tell")
        return [
            body for (body,) in journal.database.execute("SELECT body FROM events ORDER BY seq")
        ]
    finally:
        journal.close()
