"""A card that stalls: what waits for it, and what does not.

    python -m bench.stalls [--quick] [--only press,table,gestures,phones] [--json FILE]

The whole service in this process, on a journal whose every write takes as long as a bad card's
sync. Fingers press on a thread of their own, phones ask over HTTP. Each figure is told with the
same one on a fast disk of the same run. Nothing here is a test: figures are printed.
"""

import argparse
import asyncio
import contextlib
import http.client
import json
import random
import re
import statistics
import tempfile
import threading
import time
from pathlib import Path

from bench.press import prepared
from bench.spine import bare_database
from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import TIMING, Hub
from centerpiece.service.shell import Service
from centerpiece.storage.journal import Journal
from centerpiece.storage.writer import ThreadWriter
from centerpiece.web.site import serve
from hal.ports import Edge
from sim.board import build

SETTINGS = {"fast": 0.0, "50 ms": 0.05, "300 ms": 0.3, "2 s": 2.0, "5 s now and then": 5.0}
SPORADIC = 20
"""One write in so many stalls, where it is only now and then."""
QUICK_HANDS = TIMING._replace(hold=0.08, double=0.0, settle=0.001, patience=0.005)
"""A thousand gestures take their time: these people are ten times as quick."""
WATCH_EVERY = 0.02


class SlowJournal(Journal):
    """Its disk takes its time."""

    stall, sporadic = 0.0, False
    luck = random.Random(1)
    writing = threading.Event()

    def keep(self, entries):
        if self.stall and (not self.sporadic or self.luck.random() < 1 / SPORADIC):
            self.writing.set()
            time.sleep(self.stall)
        super().keep(entries)
        self.writing.clear()


class Table:
    """The service on a slow disk, and everything that looks at it."""

    def __init__(self, folder, name, timing=TIMING):
        own = Path(tempfile.mkdtemp(dir=folder))
        self.journal = prepared(own / "table.db", SlowJournal)
        self.journal.stall, self.journal.sporadic = SETTINGS[name], "now and then" in name
        self.journal.writing.clear()
        writer = ThreadWriter(self.journal)
        self.board = build()
        self.hub = Hub(GAMES, self.journal, self.board, timing=timing, writer=writer)
        self.service = Service(self.hub, writer)
        self.gap, self.port = 0.0, 0
        self.cue, self.frame = threading.Event(), threading.Event()
        self.board.sound.listeners.append(lambda cue, volume: self.cue.set())
        self.board.lights.watchers.append(lambda frame: self.frame.set())

    def run(self, work):
        """Serve while `work` is done on a thread; what it found."""
        return asyncio.run(self._run(work))

    async def _run(self, work):
        loop, found, ready = asyncio.get_running_loop(), [], threading.Event()

        def started(address, keeper):
            self.port = int(re.search(r":(\d+)/", address)[1])
            ready.set()

        def worker():
            try:
                ready.wait(30)
                time.sleep(0.2)
                found.append(work(self))
            finally:
                loop.call_soon_threadsafe(self.service.stop)

        async def pages():
            watching = asyncio.create_task(self._watch())
            try:
                await serve(self.hub, "127.0.0.1", 0, simulated=True, started=started)
            finally:
                watching.cancel()

        thread = threading.Thread(target=worker)
        thread.start()
        await self.service.run(pages=pages)
        thread.join()
        return found[0]

    async def _watch(self):
        """What the watchdog would see."""
        last = time.monotonic()
        while True:
            await asyncio.sleep(WATCH_EVERY)
            now = time.monotonic()
            self.gap, last = max(self.gap, now - last), now

    def edge(self, button, down):
        """An edge, now; when that was."""
        now = time.monotonic()
        self.service.edge(Edge(button, down, now))
        return now

    def tap(self, button):
        self.edge(button, True)
        time.sleep(0.012)
        self.edge(button, False)

    def until(self, event, button):
        event.clear()
        began = time.perf_counter()
        self.edge(button, True)
        event.wait(20.0)
        took = time.perf_counter() - began
        time.sleep(0.03)
        self.edge(button, False)
        return took


def reflexes(count):
    """Seconds, each during a write that a tap has just begun."""

    def work(table):
        link = http.client.HTTPConnection("127.0.0.1", table.port, timeout=30)
        found = {"whistle": [], "echo": [], "state": [], "page": []}
        for turn in range(count + 2):
            table.tap("seat-1")
            time.sleep(0.01)
            one = {
                "whistle": table.until(table.cue, "whistle"),
                "echo": table.until(table.frame, f"seat-{turn % 6 + 5}"),
                "state": asked(link, "/api/state"),
                "page": asked(link, "/"),
            }
            time.sleep(0.35)  # the next tap is no double tap
            if turn >= 2:
                for name, took in one.items():
                    found[name].append(took)
        return found

    return work


def asked(link, path):
    began = time.perf_counter()
    link.request("GET", path)
    link.getresponse().read()
    return time.perf_counter() - began


def gestures(count):
    """Taps and holds in a row, and how many of them were heard as what they were."""

    def work(table):
        luck, meant = random.Random(2), []
        for _ in range(count):
            seat, held = luck.randint(1, 4), luck.random() < 0.2
            down = table.edge(f"seat-{seat}", True)
            time.sleep(0.1 if held else 0.008)
            up = table.edge(f"seat-{seat}", False)
            time.sleep(0.008)
            # By the stamps: a busy machine makes this finger slow, which is not the hub's fault.
            meant.append(("hold" if up - down >= QUICK_HANDS.hold else "tap", f"seat-{seat}"))
        return meant

    return work


def heard_right(folder, name, count):
    """How many of so many gestures were right, and the watchdog's longest wait."""
    table = Table(folder, name, QUICK_HANDS)
    heard, gesture = [], table.hub._presses._gesture

    def watched(button, kind, instead_of=None):
        heard.append((kind, button))
        return gesture(button, kind, instead_of)

    table.hub._presses._gesture = watched
    meant = table.run(gestures(count))
    return {"right": sum(map(tuple.__eq__, meant, heard)), "of": count, "gap_ms": table.gap * 1e3}


def phones(folder, seconds, crowd=20):
    """Commands a second of twenty phones at once, on a disk of 50 ms."""
    table = Table(folder, "50 ms")

    def one(until, done):
        link = http.client.HTTPConnection("127.0.0.1", table.port, timeout=30)
        while time.monotonic() < until:
            body = json.dumps({"type": "toggle-marker", "seat": random.randint(1, 4)})
            link.request("POST", "/api/commands", body, {"Content-Type": "application/json"})
            answer = link.getresponse()
            answer.read()
            done.append(answer.status)

    def work(table):
        done, until = [], time.monotonic() + seconds
        crowded = [threading.Thread(target=one, args=(until, done)) for _ in range(crowd)]
        for each in crowded:
            each.start()
        for each in crowded:
            each.join()
        return sum(status == 200 for status in done) / seconds

    return table.run(work)


def press_and_floors(folder, count):
    """A press on a good disk, by turns with a bare commit and a bare hop; medians in seconds."""
    table = Table(folder, "fast", TIMING._replace(double=0.0))
    found = {"press": [], "commit": [], "hop": []}
    database, shown = [], threading.Event()
    plain = table.hub._orders._show

    def show(done):
        plain(done)
        if done.entry.recorded:
            shown.set()

    table.hub._orders._show = show

    def work(table):
        loop = table.service._loop
        database.append(bare_database(folder))
        for _ in range(count + 5):
            for name, measure in (("hop", hop), ("commit", commit), ("press", press)):
                found[name].append(measure(loop))
                time.sleep(0.007)
        return {name: statistics.median(times[5:]) for name, times in found.items()}

    def hop(loop):
        arrived, began = threading.Event(), time.perf_counter()
        loop.call_soon_threadsafe(arrived.set)
        arrived.wait(5)
        return time.perf_counter() - began

    def commit(loop):
        began = time.perf_counter()
        database[0].execute(
            "INSERT INTO t (at, body) VALUES (?, ?)", (0.0, b'{"type":"marker-placed","seat":2}')
        )
        return time.perf_counter() - began

    def press(loop):
        table.edge("seat-2", True)
        time.sleep(0.025)
        shown.clear()
        table.frame.clear()
        began = time.perf_counter()
        table.edge("seat-2", False)
        shown.wait(5)
        table.frame.wait(5)
        took = time.perf_counter() - began
        time.sleep(0.09)
        return took

    return table.run(work)


def measure(quick, only):
    """All parts that are asked for."""
    found = {}
    with tempfile.TemporaryDirectory(prefix="centerpiece-bench-") as name:
        folder = Path(name)
        if "press" in only:
            took = press_and_floors(folder, 50 if quick else 300)
            floor = took["commit"] + 3 * took["hop"]
            found["press"] = {key: value * 1e6 for key, value in took.items()}
            found["press"]["of_floor"] = took["press"] / floor
        if "table" in only:
            found["table"] = {}
            for setting in SETTINGS:
                table = Table(folder, setting)
                times = table.run(reflexes(8 if quick else 40))
                found["table"][setting] = {
                    what: {"p50_ms": statistics.median(t) * 1e3, "max_ms": max(t) * 1e3}
                    for what, t in times.items()
                } | {"gap_ms": table.gap * 1e3}
        if "gestures" in only:
            count = 60 if quick else 1000
            found["gestures"] = {
                setting: heard_right(folder, setting, count) for setting in SETTINGS
            }
        if "phones" in only:
            found["phones_per_s"] = phones(folder, 2.0 if quick else 10.0)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="press,table,gestures,phones")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        found = measure(options.quick, options.only.split(","))
        print(json.dumps(found, indent=1))
        if options.json:
            options.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
