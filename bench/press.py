"""Presses a second against the peer, and the time of a press against its floors.

Rates are in processor time and of the best slice, since other programs only slow one down. The peer
saves nothing, so nothing is saved here. A press on the disk takes turns with its floors: a bare
commit, and a bare hop from a thread to the loop.
"""

import sqlite3
import statistics
import tempfile
import time
from pathlib import Path
from queue import Queue
from typing import Any

from bench.measure import PEER, cpu, in_turn, peer
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
    """Return the presses a second that are decided, booked and painted."""
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
    """Return the raw edges a second that are carried out; some are painted together."""
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
    """Return our rates and the peer's."""
    turns = {"decided": decided_per_s, "edges": edges_per_s}
    if PEER.exists():
        turns["peer"] = lambda: peer()["edges_per_s"]
    best = {name: max(found) for name, found in in_turn(2 if quick else 4, turns, 0).items()}
    if (theirs := best.get("peer")) is None:
        return {}
    ours = {"decided_of_peer": best["decided"] * 2, "edges_of_peer": best["edges"]}
    return {name: rate / theirs for name, rate in ours.items()}


def bare_database(folder: Path) -> sqlite3.Connection:
    """Open a bare table like the journal's, with the same settings."""
    database = sqlite3.connect(folder / "bare.db", isolation_level=None, check_same_thread=False)
    for kept in ("page_size=1024", "journal_mode=WAL", "synchronous=FULL"):
        database.execute(f"PRAGMA {kept}")
    database.execute("CREATE TABLE t (seq INTEGER PRIMARY KEY, at REAL, body BLOB)")
    return database


def on_the_disk(folder: Path, count: int) -> dict[str, Any]:
    """Return the time from a press to its light, and its floors."""
    database, arrived = bare_database(folder), Queue[float]()
    row = (0.0, b'{"type":"marker-placed","seat":2}')

    def finger(rig: Rig) -> dict[str, list[float]]:
        def hop() -> float:
            time.sleep(PACE)
            start = time.perf_counter()
            rig.loop.call_soon_threadsafe(lambda: arrived.put(time.perf_counter()))
            return arrived.get() - start

        def commit() -> float:
            time.sleep(PACE)
            start = time.perf_counter()
            database.execute("INSERT INTO t (at, body) VALUES (?, ?)", row)
            return time.perf_counter() - start

        def press() -> float:
            time.sleep(PACE)
            return rig.press(2, PACE).took

        return in_turn(count, {"hop": hop, "commit": commit, "press": press}, warm=10)

    times = Rig(Journal(folder / "table.db", GAMES)).run(finger)
    found = {name: statistics.median(took) for name, took in times.items()}
    floor = found["commit"] + 3 * found["hop"]
    return {"of_floor": found["press"] / floor} | {
        f"{name}_ms": 1e3 * took for name, took in found.items()
    }


def measure(quick: bool) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="centerpiece-bench-") as folder:
        return rates(quick) | on_the_disk(Path(folder), 60 if quick else 300)
