"""The attack: a disk that is full, read-only or failing, now and then or for long.

    python -m tests.chaos.disks FOLDER SEED STEPS      (the child: an evening on such a disk)

Whatever the disk does, what the hub answered is there when it works again, in order, and nothing
else is; a command that could not be saved changes nothing; and the hub says that it cannot save.
"""

import ctypes
import errno
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from centerpiece.games.registry import GAMES
from centerpiece.hub.commit_queue import RETRY_SAVING
from centerpiece.hub.hub import Hub
from centerpiece.storage.errors import JournalError, NotSaved
from centerpiece.storage.journal import Journal
from centerpiece.table.commands import ChangeRule, Join, OpenTable, Redo, Rename, Undo
from centerpiece.text import Refused
from sim.board import build
from sim.clock import VirtualClock
from tests.chaos.power import HERE
from tests.chaos.result import Result

WRITES, SYNCS, CREATES, READS = 1, 2, 4, 8
OPEN = OpenTable("mexican-train/classic", ("Ann", "Bob", "Cara", "Dan"), 12)
KINDS: dict[str, tuple[int, int, int]] = {
    "full": (WRITES | CREATES, errno.ENOSPC, 1000),
    "nearly full": (WRITES | CREATES, errno.ENOSPC, 300),
    "read-only": (WRITES | SYNCS | CREATES, errno.EROFS, 1000),
    "failing": (WRITES | SYNCS | CREATES, errno.EIO, 300),
    "not syncing": (SYNCS, errno.EIO, 500),
    "unreadable": (READS, errno.EIO, 500),
    "over quota": (0, 0, 0),
}


class Evening:
    """A hub on a disk with injected faults, and the hub's answers."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.shim = ctypes.CDLL(None)
        self.luck = Random(seed)
        self.path = folder / "table.db"
        self.clock = VirtualClock()
        self.failures: list[str] = []
        self.answered: list[Any] = []
        self.unsaved = 0
        self.doubted: list[Any] = []
        self.hub = self._start()

    def _start(self) -> Hub:
        journal = Journal(self.path, GAMES)
        try:
            hub = Hub(GAMES, journal, build(clock=self.clock))
        except BaseException:
            journal.close()  # or its folder would stay claimed, as long as this process lives
            raise
        hub.on_recorded(self.answered.extend)
        return hub

    def disk(self, kind: str) -> None:
        """Let the disk fail in one way; with "well", let it work."""
        self.shim.chaos_fail(*KINDS.get(kind, (0, 0, 0)))
        limit = resource.RLIM_INFINITY
        if kind == "over quota":
            limit = self.luck.choice([0, 4096, self.path.stat().st_size + 3 * 4096])
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

    def step(self) -> None:
        """Send a command or a press, and check the answer."""
        before = (self.hub.seq, self.hub.table)
        command = self.luck.choice(
            [
                Undo(),
                Redo(),
                Join(f"Guest {self.luck.random()}"),
                OPEN,
                self._rename(),
                self._rule(),
            ]
        )
        try:
            self.hub.do(command)
        except Refused:
            pass
        except NotSaved:
            self.unsaved += 1
            if (self.hub.seq, self.hub.table) != before:
                self.failures.append(f"{command} was not saved, and yet the table has changed")
            if self.hub.state()["saved"]:
                self.failures.append(f"{command} was not saved, and the page does not say so")
        self.clock.move(self.luck.choice([0.1, RETRY_SAVING + 0.1]))
        self.hub.wake()

    def _rename(self) -> Any:
        return Rename(self.luck.randint(1, 4), f"Name {self.luck.random()}")

    def _rule(self) -> Any:
        return ChangeRule("time_limit_min", self.luck.choice([None, 60, 90]))

    def restart(self, kind: str) -> None:
        """Start while the disk fails, then when it works; neither may do harm."""
        self.hub.journal.close()
        self.disk(kind)
        with suppress(JournalError):  # a sentence that says what to do
            self._start().journal.close()
        self.disk("well")
        answered = [(r.seq, r.event) for r in self.answered]
        self.hub = self._start()
        found = [(r.seq, r.event) for r in self.hub.journal.read()]
        if found != answered:
            self.failures.append(
                f"{len(answered)} events were answered, {len(found)} found; {kind}"
            )
            self.answered[:] = list(self.hub.journal.read())

    def recovers(self) -> None:
        """Check that the hub saves again by itself once the disk works."""
        self.disk("well")
        self.clock.move(RETRY_SAVING + 0.1)
        self.hub.wake()
        if not self.hub.state()["saved"]:
            self.failures.append("the disk works again, and the page does not say so")
        try:
            self.hub.do(self._rename() if self.hub.table.seats else OPEN)
        except NotSaved as error:
            self.failures.append(f"the disk works again, and yet: {error}")
        except Refused:
            pass


def play(folder: Path, seed: int, steps: int) -> dict[str, Any]:
    """Play an evening in which the disk fails in every way, by turns."""
    evening = Evening(folder, seed)
    worst = 0.0
    for turn in range(steps):
        kind = evening.luck.choice([*KINDS, "well"])
        evening.disk(kind)
        began = time.perf_counter()
        for _ in range(evening.luck.randint(1, 12)):
            try:
                evening.step()
            except Exception as error:
                evening.failures.append(f"turn {turn}, {kind}: {error!r}")
        worst = max(worst, time.perf_counter() - began)
        evening.recovers()
        if evening.luck.random() < 0.3:
            try:
                evening.restart(kind)
            except Exception as error:
                evening.failures.append(f"turn {turn}, restart on a disk {kind}: {error!r}")
                evening.disk("well")
                evening.hub = evening._start()
    return {
        "failures": evening.failures[:20],
        "worst_s": worst,
        "unsaved": evening.unsaved,
        "faults": evening.shim.chaos_failed(),
    }


def build_failing(folder: Path) -> Path:
    library = folder / "failing.so"
    command = ["gcc", "-shared", "-fPIC", "-O2", "-o", library, HERE / "failing.c", "-ldl"]
    subprocess.run([*map(str, command)], check=True)
    return library


def fail_now_and_then(seed: int, steps: int) -> Result:
    """Play an evening with a failing disk in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="centerpiece-chaos-") as name:
        work = Path(name)
        environment = os.environ | {
            "LD_PRELOAD": str(build_failing(work)),
            "CHAOS_FOLDER": str(work / "live"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        arguments = ["-m", "tests.chaos.disks", str(work / "live"), str(seed), str(steps)]
        child = subprocess.run(
            [sys.executable, *arguments],
            env=environment,
            cwd=HERE.parent.parent,
            capture_output=True,
            text=True,
            timeout=900,
        )
    if child.returncode:
        return Result(steps, [f"seed {seed}: {child.stderr[-2000:]}"], 0.0)
    report = json.loads(child.stdout)
    failures = [f"seed {seed}: {failure}" for failure in report["failures"]]
    figures = f"{report['faults']} calls failed, {report['unsaved']} commands not saved"
    return Result(steps, failures, report["worst_s"], figures)


if __name__ == "__main__":
    import logging

    logging.disable()
    print(json.dumps(play(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))))
