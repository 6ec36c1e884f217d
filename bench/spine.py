"""How fast the spine is, as ratios to floors measured in the same run.

    python -m bench.spine [--json FILE]

Floors: one bare durable SQLite commit, one bare hop from a thread to the loop, and
`python -c "import asyncio"`. Nothing here is a test: figures are printed, not asserted.
"""

import argparse
import asyncio
import json
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from bench.living import ENV, READY, ROOT
from centerpiece.games.mexican_train.game import ToggleMarker
from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import TIMING, Hub
from centerpiece.service.shell import Service
from centerpiece.storage.journal import Journal
from centerpiece.table.commands import (
    EnterScore,
    GoOut,
    NextRound,
    OpenLobby,
    OpenTable,
)
from centerpiece.table.undo import Ledger, Recorded
from sim.board import build
from sim.clock import VirtualClock

NAMES = ("Ann", "Bob", "Cara", "Dan")
PACE = 0.025
"""Seconds between two things measured; longer than a contact takes to settle."""
OPEN = OpenTable("mexican-train/classic", NAMES, 12)


def median_us(times: list[float]) -> float:
    return statistics.median(times) * 1e6


def timed(function, count):
    times = []
    for _ in range(count):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return times


def press_in_memory(count=5000):
    """decide + evolve + render of one press, the journal left out."""
    clock = VirtualClock()
    hub = Hub(GAMES, Journal(":memory:", GAMES), build(clock=clock))
    hub.do(OPEN)
    ledger = hub.ledger

    def press():
        nonlocal ledger
        events = ledger.decide(ToggleMarker(2), 0.0)
        for recorded in ledger.record(events, 0.0):
            hub._orders._written = ledger = ledger.apply(recorded)
        hub.paint()

    press()
    times = timed(press, count)
    return median_us(times), 1e6 / median_us(times)


class WatchedLights:
    """The simulated chain, noting when a frame arrives."""

    def __init__(self, lights):
        self.lights = lights
        self.count = lights.count
        self.shown_at = 0.0
        self.arrived = threading.Event()

    def show(self, frame):
        if frame != self.lights.frame:
            self.shown_at = time.perf_counter()
            self.lights.show(frame)
            self.arrived.set()

    def set_brightness(self, brightness):
        pass

    def close(self):
        pass


def bare_database(folder):
    """A table like the journal's, opened the same way, with nothing around it."""
    database = sqlite3.connect(folder / "bare.db", isolation_level=None)
    database.execute("PRAGMA page_size=1024")
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=FULL")
    database.execute("CREATE TABLE t (seq INTEGER PRIMARY KEY, at REAL, body BLOB)")
    return database


async def press_against_floors(folder, count=300):
    """A tap let go on another thread → the frame of its effect handed to the lights.

    The floors are measured in turn with the presses, at the same pace and from the same thread,
    so that whatever else the machine does falls on all of them alike.
    """
    loop = asyncio.get_running_loop()
    database = bare_database(folder)
    body = b'{"type":"marker-placed","seat":2}'
    board = build()
    lights = WatchedLights(board.lights)
    board = board._replace(lights=lights)
    never_double = TIMING._replace(double=0.0)  # the bench taps faster than people do
    hub = Hub(GAMES, Journal(folder / "press.db", GAMES), board, timing=never_double)
    hub.do(OPEN)
    service = Service(hub)
    running = asyncio.create_task(service.run())
    await asyncio.sleep(0.05)
    hops, commits, presses = [], [], []
    arrived = threading.Event()

    def hop(start):
        hops.append(time.perf_counter() - start)
        arrived.set()

    def commit():
        start = time.perf_counter()
        database.execute("INSERT INTO t (at, body) VALUES (?, ?)", (0.0, body))
        commits.append(time.perf_counter() - start)
        arrived.set()

    def in_loop(function, *arguments):
        time.sleep(PACE)
        arrived.clear()
        loop.call_soon_threadsafe(
            function, *arguments, *([time.perf_counter()] * (function is hop))
        )
        arrived.wait(1.0)

    def thread():
        for n in range(count):
            in_loop(hop)
            in_loop(commit)
            button = f"seat-{n % 4 + 1}"
            board.buttons.press(button)
            time.sleep(PACE)
            lights.arrived.clear()
            start = time.perf_counter()
            board.buttons.release(button)
            if lights.arrived.wait(1.0):
                presses.append(lights.shown_at - start)

    worker = threading.Thread(target=thread)
    worker.start()
    while worker.is_alive():
        await asyncio.sleep(0.5)
    service.stop()
    await running
    database.close()
    return median_us(hops), median_us(commits), median_us(presses)


def starts(rounds=9):
    """Wall time of `import asyncio`, and of a hub up to its first press, each in a new process."""
    floor, ours = [], []
    with tempfile.TemporaryDirectory() as folder:
        for n in range(rounds + 1):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", "import asyncio"], check=True, env=ENV)
            floor_took = time.perf_counter() - start
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", READY, str(ROOT), folder], check=True, env=ENV)
            ours_took = time.perf_counter() - start
            if n:  # the first pair warms the caches
                floor.append(floor_took)
                ours.append(ours_took)
    return statistics.median(floor), statistics.median(ours)


def evening():
    """Whole games of four on one ledger, as events without end."""
    ledger = Ledger.blank(GAMES)

    def happen(command):
        nonlocal ledger
        events = ledger.decide(command, 1_800_000_000.0)
        recorded = ledger.record(events, 1_800_000_000.0)
        for each in recorded:
            ledger = ledger.apply(each)
        yield from recorded

    while True:
        yield from happen(OPEN)
        for number in range(13):
            for press in range(60):
                yield from happen(ToggleMarker(press % 4 + 1))
            yield from happen(GoOut(number % 4 + 1))
            for seat in range(1, 5):
                if seat != number % 4 + 1:
                    yield from happen(EnterScore(seat, seat * 7))
            yield from happen(NextRound())
        yield from happen(OpenLobby())


def recovery(folder, count=100_000):
    """Reading a journal of many evenings back."""
    journal = Journal(folder / "long.db", GAMES)
    batch: list[Recorded] = []
    for recorded in evening():
        batch.append(recorded)
        if len(batch) == 5000:
            journal.append(batch)
            batch.clear()
        if recorded.seq >= count:
            break
    journal.append(batch)
    journal.close()
    journal = Journal(folder / "long.db", GAMES)
    start = time.perf_counter()
    ledger = journal.recover(GAMES)
    took = time.perf_counter() - start
    assert ledger.seq >= count
    journal.close()
    return took


async def idle(folder, seconds=5.0):
    """CPU time and wake-ups of a hub in play that nobody touches."""
    hub = Hub(GAMES, Journal(folder / "idle.db", GAMES), build())
    hub.do(OPEN)
    service = Service(hub)
    running = asyncio.create_task(service.run())
    await asyncio.sleep(2.5)  # the starter's breath is over
    before = resource.getrusage(resource.RUSAGE_SELF)
    await asyncio.sleep(seconds)
    after = resource.getrusage(resource.RUSAGE_SELF)
    service.stop()
    await running
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used / seconds, (after.ru_nvcsw - before.ru_nvcsw) / seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    results = {}
    with tempfile.TemporaryDirectory(prefix="centerpiece-bench-") as name:
        folder = Path(name)
        press, rate = press_in_memory()
        results["press_us"], results["commands_per_s"] = press, rate
        print(f"decide + evolve + render   {press:9.1f} µs   (at most 50)")
        print(f"commands in memory         {rate:9.0f} /s   (at least 20,000)")
        hop, commit, pressed = asyncio.run(press_against_floors(folder))
        results |= {"commit_us": commit, "hop_us": hop, "press_to_frame_us": pressed}
        results["press_to_frame_ratio"] = pressed / (commit + hop)
        print(f"bare commit                {commit:9.1f} µs")
        print(f"bare thread-to-loop hop    {hop:9.1f} µs")
        print(
            f"press to frame             {pressed:9.1f} µs   "
            f"= {pressed / (commit + hop):.2f} × the two floors (at most 1.25)"
        )
        asyncio_s, start_s = starts()
        results["asyncio_s"], results["start_s"] = asyncio_s, start_s
        results["start_ratio"] = start_s / asyncio_s
        print(
            f"start to first press       {start_s * 1e3:9.1f} ms   "
            f"= {start_s / asyncio_s:.2f} × import asyncio (at most 3)"
        )
        results["recovery_s"] = recovery(folder)
        print(f"recovery of 100,000 events {results['recovery_s'] * 1e3:9.1f} ms   (under 1,000)")
        results["idle_cpu"], results["idle_wakeups"] = asyncio.run(idle(folder))
        print(
            f"idle                       {results['idle_cpu'] * 100:9.3f} %    "
            f"(under 0.1), {results['idle_wakeups']:.1f} wake-ups a second"
        )
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
