"""A press: how many a second against the peer, and what one takes against commit and hops.

    python -m bench.press [--quick] [--json FILE]

Rates are in the process's own time and of the best slice, since whatever else runs can only slow
one down; the peer saves nothing, so here nothing is saved either, and both take turns. A press on
the disk takes turns with its floors: a bare commit, and a bare hop from a thread to the loop.
"""

import sqlite3
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.measure import PEER, cpu, in_turn, main, peer, spread
from bench.rig import Rig, unsaved_hub
from centerpiece.display.render import Layout, Scene
from centerpiece.games.mexican_train.game import ToggleMarker
from centerpiece.games.registry import GAMES
from centerpiece.storage.journal import Journal
from hal.ports import Edge

TOGETHER = 20
"""Edges that wait while the disk takes ten milliseconds: a hand on the panel, chatter and all."""
SLICES = 10
PACE = 0.012


def decided_per_s() -> float:
    """Return how many presses a second are decided, booked and painted."""
    hub = unsaved_hub()
    board, ledger = hub.board, hub.ledger
    scene = Scene(GAMES, Layout(board.zones, board.lights.count))

    def presses() -> None:
        nonlocal ledger
        for _ in range(200):
            for recorded in ledger.record(ledger.decide(ToggleMarker(2), 0.0), 0.0):
                ledger = ledger.apply(recorded)
            board.lights.show(scene.render(ledger.table, hub.ui, hub.clock.now()).pixels)

    return 200 / min(cpu(presses) for _ in range(SLICES))


def edges_per_s(together: int = TOGETHER) -> float:
    """Return how many raw edges a second are heard and carried out; the last of some is painted."""
    hub = unsaved_hub()
    now = hub.clock.now

    def edges() -> None:
        for n in range(500):
            button = f"seat-{n % 4 + 1}"
            for edge, down in ((2 * n, True), (2 * n + 1, False)):
                hub.hear(Edge(button, down, now()))
                if edge % together == together - 1:
                    hub.paint()

    return 1000 / min(cpu(edges) for _ in range(SLICES))


def rates(quick: bool) -> dict[str, float]:
    """Return our rates and the peer's, measured in turn."""
    turns = {"decided": decided_per_s, "edges": edges_per_s}
    if PEER.exists():
        turns["peer"] = lambda: peer()["edges_per_s"]
    best = {name: max(found) for name, found in in_turn(2 if quick else 4, turns, 0).items()}
    found = {"decided_per_s": best["decided"], "edges_per_s": best["edges"]}
    if theirs := best.get("peer"):
        found |= {
            "peer_edges_per_s": theirs,
            "decided_of_peer": best["decided"] / (theirs / 2),
            "edges_of_peer": best["edges"] / theirs,
        }
    return found


def bare_database(folder: Path) -> sqlite3.Connection:
    """Open a table like the journal's in the same way, with nothing around it."""
    database = sqlite3.connect(folder / "bare.db", isolation_level=None, check_same_thread=False)
    database.execute("PRAGMA page_size=1024")
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=FULL")
    database.execute("CREATE TABLE t (seq INTEGER PRIMARY KEY, at REAL, body BLOB)")
    return database


def floors(rig: Rig, folder: Path) -> tuple[Callable[[], float], Callable[[], float]]:
    """Return two functions, each one measurement: a bare hop to the loop, a bare commit in it."""
    database, arrived, took = bare_database(folder), threading.Event(), [0.0]

    def hopped(start: float) -> None:
        took[0] = time.perf_counter() - start
        arrived.set()

    def committed(_: float) -> None:
        start = time.perf_counter()
        database.execute(
            "INSERT INTO t (at, body) VALUES (?, ?)", (0.0, b'{"type":"marker-placed","seat":2}')
        )
        took[0] = time.perf_counter() - start
        arrived.set()

    def once(function: Callable[[float], None]) -> float:
        time.sleep(PACE)
        arrived.clear()
        rig.loop.call_soon_threadsafe(function, time.perf_counter())
        arrived.wait(5.0)
        return took[0]

    return lambda: once(hopped), lambda: once(committed)


def on_the_disk(folder: Path, count: int) -> dict[str, Any]:
    """Return a press until its light, and its floors, in turn."""

    def finger(rig: Rig) -> dict[str, list[float]]:
        hop, commit = floors(rig, folder)

        def press() -> float:
            time.sleep(PACE)
            return rig.press(2, PACE).took

        return in_turn(count, {"hop": hop, "commit": commit, "press": press}, warm=10)

    times = Rig(Journal(folder / "table.db", GAMES)).run(finger)
    middle = {name: statistics.median(found) for name, found in times.items()}
    floor = middle["commit"] + 3 * middle["hop"]
    return {
        "of_floor": middle["press"] / floor,
        "hop_ms": middle["hop"] * 1e3,
        "commit_ms": middle["commit"] * 1e3,
        "press_ms": {name: took * 1e3 for name, took in spread(times["press"]).items()},
    }


def measure(quick: bool) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="centerpiece-bench-") as folder:
        return rates(quick) | on_the_disk(Path(folder), 60 if quick else 300)


if __name__ == "__main__":
    main(measure, __doc__)
