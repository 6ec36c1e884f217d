"""The attack: one damage to the files of a killed hub, of every kind, at random places.

    python -m tests.chaos.flips FILE CHECKPOINT      (the child: an evening that ends with a kill)

What was acknowledged is there afterwards, or the hub says that it is not. A single flipped bit in
the log takes nothing.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import Hub
from centerpiece.storage.journal import Journal
from centerpiece.table import commands as c
from sim.board import build
from sim.clock import VirtualClock
from tests.chaos.power import HERE
from tests.chaos.result import Result

ROUNDS = 12
CHECKPOINTS = (ROUNDS, 3, 8)
"""The rounds after which the log is moved into the file, each in an evening of its own."""
FILE, LOG, MARK = "table.db", "table.db-wal", "table.db-mark"


def damage(seed: int, flips: int) -> Result:
    """Damage the files of some killed hubs; each damage is made to a fresh copy."""
    luck = Random(seed)
    tally: Counter[str] = Counter()
    failures: list[str] = []
    worst, tries, most = 0.0, 0, 0
    with tempfile.TemporaryDirectory(prefix="centerpiece-chaos-") as name:
        for checkpoint in CHECKPOINTS:
            left = Path(name) / f"killed-{checkpoint}"
            played = _killed(left, checkpoint)
            for what, hurt in _damages(luck, flips):
                folder = Path(name) / "damaged"
                shutil.copytree(left, folder)
                hurt(folder)
                began = time.perf_counter()
                with closing(Journal(folder / FILE, GAMES)) as journal:
                    gone = played - journal.recover(GAMES).seq
                    told = journal.file.incident is not None
                worst, tries = max(worst, time.perf_counter() - began), tries + 1
                shutil.rmtree(folder)
                tally["told" if told else "whole"] += 1
                if what == "bit of the log":
                    most = max(most, gone)
                if gone and not told:
                    failures.append(f"seed {seed}, {what}: {gone} of {played} events are missing")
    if most:
        failures.append(f"seed {seed}: a bit in the log took {most} events")
    figures = f"{tally['whole']} whole, {tally['told']} told; a bit of the log takes {most} events"
    return Result(tries, failures, worst, figures)


def _damages(luck: Random, flips: int) -> list[tuple[str, Callable[[Path], object]]]:
    def flip(name: str) -> Callable[[Path], object]:
        return lambda folder: _flip(folder / name, luck)

    return [
        *[("bit of the log", flip(LOG))] * flips,
        *[("bit of the file", flip(FILE))] * (flips // 2),
        *[("bit of the mark", flip(MARK))] * (flips // 4),
        ("no log", lambda folder: (folder / LOG).unlink()),
        ("no file", lambda folder: (folder / FILE).unlink()),
        ("no mark", lambda folder: (folder / MARK).unlink()),
        ("only the mark", lambda folder: [(folder / each).unlink() for each in (FILE, LOG)]),
        (
            "half a log",
            lambda folder: os.truncate(folder / LOG, (folder / LOG).stat().st_size // 2),
        ),
        ("an empty log", lambda folder: os.truncate(folder / LOG, 0)),
        ("an empty file", lambda folder: os.truncate(folder / FILE, 0)),
    ]


def _flip(path: Path, luck: Random) -> None:
    content = bytearray(path.read_bytes())
    bit = luck.randrange(8 * len(content))
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


def _killed(folder: Path, checkpoint: int) -> int:
    """Play an evening that ends with a kill; return the number of acknowledged events."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.chaos.flips", folder / FILE, str(checkpoint)],
        cwd=HERE.parent.parent,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    (folder / f"{FILE}-shm").unlink(missing_ok=True)  # as after a power cut
    return int(done.stdout)


def play(path: Path, checkpoint: int) -> None:
    hub = Hub(GAMES, Journal(path, GAMES), build(clock=VirtualClock(at=1.8e9)))
    hub.do(c.OpenTable("mexican-train/classic", ("Ann", "Bob", "Cara", "Dan"), 12, starter=1))
    for number in range(ROUNDS):
        hub.do(c.GoOut(1))
        for seat in (2, 3, 4):
            hub.do(c.EnterScore(seat, 10 * seat))
        for name in range(ROUNDS):
            hub.do(c.Rename(1, f"Ann {number} {name}"))
        if number == checkpoint:
            hub.journal.checkpoint()
        hub.do(c.NextRound())
    print(hub.seq, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    play(Path(sys.argv[1]), int(sys.argv[2]))
