"""What an evening writes to the card: 13 rounds of Mexican Train, eight players.

    python bench/card.py [--folder DIR] [--json FILE]

Counted by the kernel (`write_bytes` in /proc/self/io: pages sent towards the disk by this process)
and, independently, by the sizes of the journal's own files. The folder must be on a real disk.
Nothing here is a test: figures are printed, not asserted.
"""

import argparse
import json
import tempfile
from pathlib import Path

from centerpiece.games.mexican_train.game import ToggleMarker
from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import Hub
from centerpiece.storage.journal import Journal
from centerpiece.table.commands import EnterScore, GoOut, NextRound, OpenTable
from sim.board import build
from sim.clock import VirtualClock

NAMES = ("Ann", "Bob", "Cara", "Dan", "Eve", "Fay", "Gus", "Hal")
PRESSES = 60
"""Markers put out and taken in again, in one round; a lively one."""
ENDURANCE = 16e9 * 300
"""Bytes: a 16 GB card of the cheap kind, each cell written 300 times."""


def written() -> int:
    """Bytes that this process has sent towards the disk."""
    lines = Path("/proc/self/io").read_text().splitlines()
    return int(dict(line.split(": ") for line in lines)["write_bytes"])


def evening(hub: Hub) -> int:
    """Play it; how many things people did."""
    done = 0

    def do(command: object) -> None:
        nonlocal done
        hub.do(command)  # type: ignore[arg-type]
        done += 1

    do(OpenTable("mexican-train/classic", NAMES, 12))
    for number in range(13):
        for press in range(PRESSES):
            do(ToggleMarker(press % 8 + 1))
        out = number % 8 + 1
        do(GoOut(out))
        for seat in range(1, 9):
            if seat != out:
                do(EnterScore(seat, seat * 7))
        do(NextRound())
    return done


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--folder", type=Path, help="on the disk to measure; default: a new one")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path = Path(folder) / "table.db"
        hub = Hub(GAMES, Journal(path, GAMES), build(clock=VirtualClock()))
        before = written()
        done = evening(hub)
        events = hub.seq
        log = path.with_name("table.db-wal").stat().st_size
        hub.journal.close()
        sent = written() - before
        kept = path.stat().st_size
    figures = {
        "things done": done,
        "events": events,
        "bytes sent to the disk": sent,
        "bytes for each event": round(sent / events),
        "bytes kept": kept,
        "largest log": log,
        "evenings in a cheap card's life": round(ENDURANCE / sent) if sent else None,
    }
    for name, value in figures.items():
        print(f"{name:34}{value:>16,}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
