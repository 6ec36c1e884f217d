"""How long a hub takes to know its table again, over the size of its journal.

    python -m bench.recovery [--quick] [--json FILE]

Once with the snapshot that the last game left, once without any, as after an update.
"""

import argparse
import json
import tempfile
import time
from itertools import islice
from pathlib import Path

from bench.spine import evening
from centerpiece.games.registry import GAMES
from centerpiece.storage.journal import Journal, JournalEntry
from centerpiece.table.events import GameStarted
from centerpiece.table.undo import Ledger

SIZES = (10, 1_000, 100_000, 1_000_000)
BATCH = 5000


def write(path, size):
    """A journal of that many events: whole games, one after the other, with their snapshots."""
    journal, ledger = Journal(path, GAMES), Ledger.blank(GAMES)
    journal.database.execute("PRAGMA synchronous=OFF")  # writing is not what is measured
    events = islice(evening(), size)
    steps = None
    while batch := list(islice(events, BATCH)):
        journal.append(batch)
        for recorded in batch:
            ledger = ledger.apply(recorded)
            if isinstance(recorded.event, GameStarted):
                steps = recorded.step
            elif steps == recorded.step:  # the first round, which ends the step of the start
                journal.keep([JournalEntry(snapshot=ledger)])
    journal.close()


def recover(path, rounds):
    times = []
    for _ in range(rounds):
        journal = Journal(path, GAMES)
        start = time.perf_counter()
        ledger = journal.recover(GAMES)
        times.append(time.perf_counter() - start)
        journal.close()
    return min(times), ledger.seq  # whatever else runs can only slow it down


def measure(quick):
    found = {}
    with tempfile.TemporaryDirectory(prefix="centerpiece-bench-") as name:
        for size in SIZES[:-1] if quick else SIZES:
            path = Path(name) / f"{size}.db"
            write(path, size)
            with_snapshot, seq = recover(path, 5)
            assert seq == size
            journal = Journal(path, GAMES)
            journal.database.execute("DELETE FROM settings WHERE key = 'snapshot'")
            journal.close()
            without, _ = recover(path, 3)
            found[str(size)] = {"with_s": with_snapshot, "without_s": without}
            path.unlink()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    found = measure(options.quick)
    for size, one in found.items():
        print(
            f"{int(size):>9,} events   {one['with_s'] * 1e3:9.2f} ms with a snapshot   "
            f"{one['without_s'] * 1e3:9.1f} ms without"
        )
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
