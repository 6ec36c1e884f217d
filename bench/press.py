"""A press, from the edge on a library's thread to light and sound, and what it is made of.

    python -m bench.press [--quick] [--in-memory] [--json FILE]

Measured alone, with 50 open pages, with 40 readers that never rest, with a Redis that is dead, and
with the durable write left out; in turn with its floors (a bare commit, a bare hop to the loop),
so that whatever else the machine does falls on all alike. Nothing here is a test: figures are
printed, not asserted.
"""

import argparse
import asyncio
import contextlib
import json
import re
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

from bench.pages import Pages, Readers
from bench.spine import OPEN, PACE, bare_database, press_in_memory
from centerpiece.cli.run import GIVE_WAY
from centerpiece.display.render import Layout
from centerpiece.games.mexican_train.game import ToggleMarker
from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import TIMING, Hub
from centerpiece.service.shell import Service
from centerpiece.storage.journal import Journal
from centerpiece.storage.writer import ThreadWriter
from hal.ports import Edge
from sim.board import build

PAGES = 50
READERS = 40
TOGETHER = 20
"""Edges that wait while the disk takes ten milliseconds: a hand on the panel, chatter and all."""
NOBODY = "redis://127.0.0.1:1"
STAGES = ("hop", "gestures", "decide", "journal", "evolve", "paint", "the rest")


def spread(times):
    """Median, 90th and 99th of 100 and longest, in microseconds."""
    times = sorted(times)
    return {
        "p50_us": statistics.median(times) * 1e6,
        "p90_us": times[int(len(times) * 0.9)] * 1e6,
        "p99_us": times[int(len(times) * 0.99)] * 1e6,
        "max_us": times[-1] * 1e6,
    }


def prepared(path, kind=Journal):
    """A journal in which a game has begun."""
    journal = kind(path, GAMES)
    Hub(GAMES, journal, build()).do(OPEN)
    return journal


class Rig:
    """The whole service in this thread, a finger in another."""

    def __init__(self, path, board=None):
        self.board = board or build()
        self.layout = Layout(self.board.zones)
        never_double = TIMING._replace(double=0.0)  # the bench taps faster than people do
        journal = prepared(path)
        # Where nothing is saved, nobody else has to do it.
        writer = None if path == ":memory:" else ThreadWriter(journal)
        self.hub = Hub(GAMES, journal, self.board, timing=never_double, writer=writer)
        self.service = Service(self.hub, writer)
        self.sounded, self.heard = 0.0, threading.Event()
        self.board.sound.listeners.append(self._sound)
        self.shown_at, self.shown, self.zone, self.before = 0.0, threading.Event(), "seat-1", b""
        self.board.lights.watchers.append(self._show)

    def _show(self, frame):
        """Of the frames that come, the first with another look of the seat is waited for."""
        now = time.perf_counter()
        if not self.shown.is_set() and self._look(self.zone) != self.before:
            self.shown_at = now
            self.shown.set()

    def _look(self, zone):
        return self.layout.zone(self.board.lights.frame, zone)

    def _expect(self, zone):
        self.zone, self.before = zone, self._look(zone)
        self.shown.clear()

    def _sound(self, cue, volume):
        self.sounded = time.perf_counter()
        self.heard.set()

    def press(self, button="seat-2", before=lambda: None):
        """Let a seat's button go; seconds until the frame with its marker is handed over."""
        self.board.buttons.press(button)
        time.sleep(PACE)
        before()
        self._expect(button)
        self.started = time.perf_counter()
        self.board.buttons.release(button)
        if not self.shown.wait(5.0):
            raise RuntimeError("a press did not reach the lights")
        time.sleep(PACE)
        return self.shown_at - self.started

    def touch(self, button):
        """Push a seat's button down; seconds until the frame with its echo is handed over."""
        time.sleep(4 * PACE)  # until the echo of four touches ago is over
        self._expect(button)
        start = time.perf_counter()
        self.board.buttons.press(button)
        if not self.shown.wait(5.0):
            raise RuntimeError("a press did not echo")
        time.sleep(PACE)
        self.board.buttons.release(button)
        return self.shown_at - start

    def whistle(self):
        """Push the whistle; seconds until its cue is handed to the sound."""
        self.heard.clear()
        start = time.perf_counter()
        self.board.buttons.press("whistle")
        if not self.heard.wait(5.0):
            raise RuntimeError("a press did not reach the sound")
        time.sleep(PACE)
        self.board.buttons.release("whistle")
        time.sleep(PACE)
        return self.sounded - start

    def run(self, finger, guests=None):
        """Serve while `finger` presses on a thread of its own; what it found.

        With `guests`, who are told the port, the pages are served too.
        """
        return asyncio.run(self._run(finger, guests))

    async def _run(self, finger, guests):
        from centerpiece.web.site import serve

        sys.setswitchinterval(GIVE_WAY)  # as a hub that runs has it
        loop, port, ready = asyncio.get_running_loop(), [], threading.Event()

        def started(address, keeper):
            port.append(int(re.search(r":(\d+)/", address)[1]))
            ready.set()

        def work():
            try:
                ready.wait(20)
                time.sleep(2.5)  # the starter's breath is over
                with guests(port[0]) if guests else contextlib.nullcontext():
                    return finger(self, loop)
            finally:
                loop.call_soon_threadsafe(self.service.stop)

        def serving():
            return serve(self.hub, "127.0.0.1", 0, simulated=False, started=started)

        if not guests:
            ready.set()
        found = loop.run_in_executor(None, work)
        await self.service.run(pages=serving if guests else None)
        return await found


def floors(folder, loop):
    """Two functions, each one measurement: a bare hop to the loop, and a bare commit in it."""
    database, arrived, took = [], threading.Event(), [0.0]

    def hopped(start):
        took[0] = time.perf_counter() - start
        arrived.set()

    def committed(_):
        if not database:
            database.append(bare_database(folder))
        body = b'{"type":"marker-placed","seat":2}'
        start = time.perf_counter()
        database[0].execute("INSERT INTO t (at, body) VALUES (?, ?)", (0.0, body))
        took[0] = time.perf_counter() - start
        arrived.set()

    def once(function):
        time.sleep(PACE)
        arrived.clear()
        loop.call_soon_threadsafe(function, time.perf_counter())
        arrived.wait(5.0)
        return took[0]

    return lambda: once(hopped), lambda: once(committed)


def against_floors(folder, count):
    """Presses, in turn with a bare hop and a bare commit; then whistles."""

    def finger(rig, loop):
        hop, commit = floors(folder, loop)
        found = {"press": [], "hop": [], "commit": []}
        for _ in range(count):
            found["hop"].append(hop())
            found["commit"].append(commit())
            found["press"].append(rig.press())
        # Last: a whistle asks for a seat, and the next seat pressed would answer.
        found["sound"] = [rig.whistle() for _ in range(count)]
        return {name: times[5:] for name, times in found.items()}

    return Rig(folder / "alone.db").run(finger)


def only_presses(count):
    return lambda rig, loop: [rig.press() for _ in range(count)][5:]


def unsaved(count):
    """The durable write left out: the peer saves nothing, so here nothing is saved either."""
    rig = Rig(":memory:")
    rig.hub.journal.keep = lambda entries: None

    def finger(rig, loop):
        presses = [rig.press() for _ in range(count)][5:]
        time.sleep(0.1)  # the last press echoes no more
        return presses, [rig.touch(f"seat-{n % 4 + 1}") for n in range(count // 2)]

    return rig.run(finger)


def with_pages(folder, count):
    return Rig(folder / "pages.db").run(only_presses(count), lambda port: Pages(port, PAGES))


def with_readers(folder, count):
    """Echoes while strangers ask for one thing after the other, as fast as they are answered."""

    def finger(rig, loop):
        return [rig.touch(f"seat-{n % 4 + 1}") for n in range(count)]

    return Rig(folder / "readers.db").run(finger, lambda port: Readers(port, READERS))


def with_dead_redis(folder, count):
    from centerpiece.config import HallSettings
    from centerpiece.hall.table.link import Link

    rig = Rig(folder / "hall.db")
    link = Link(rig.hub, HallSettings(url=NOBODY, id="bench"), lambda t: None, lambda work: None)
    link.start()
    try:
        return rig.run(only_presses(count))
    finally:
        link.stop()


def stages(path, count):
    """Where the time of a press goes: medians, in microseconds."""
    rig = Rig(path)
    hub, spent, began = rig.hub, dict.fromkeys(STAGES, 0.0), [0.0]

    def watch(owner, method, stage):
        plain = getattr(owner, method)

        def timed(*arguments):
            start = time.perf_counter()
            try:
                return plain(*arguments)
            finally:
                if not rig.shown.is_set():
                    spent[stage] += time.perf_counter() - start

        setattr(owner, method, timed)

    watch(hub._gestures, "edge", "gestures")
    watch(hub._orders, "_events", "decide")
    watch(hub._orders, "_entered", "evolve")
    watch(hub.journal, "keep", "journal")
    watch(hub._scene, "paint", "paint")
    hear = hub.hear

    def heard(edge: Edge):
        began[0] = time.perf_counter()
        hear(edge)

    hub.hear = heard

    def finger(rig, loop):
        found = []
        for _ in range(count):
            total = rig.press(before=lambda: spent.update(dict.fromkeys(STAGES, 0.0)))
            one = spent | {"hop": began[0] - rig.started}
            found.append(one | {"the rest": max(0.0, total - sum(one.values()))})
        return found[5:]

    found = rig.run(finger)
    medians = {stage: statistics.median(one[stage] for one in found) * 1e6 for stage in STAGES}
    return {stage: took for stage, took in medians.items() if took}


def edges_per_s(count, together=1):
    """Raw edges through gestures, books and lights, in the process's own time, as the peer's.

    Of edges that come together every one is carried out, and the last is painted.
    """
    board = build()
    timing = TIMING._replace(double=0.0, settle=0.0)
    hub = Hub(GAMES, Journal(":memory:", GAMES), board, timing=timing)
    hub.do(OPEN)
    hub.journal.keep = lambda entries: None
    now, rates = hub.clock.now, []
    for _ in range(10):
        start = time.process_time()
        for n in range(count):
            button = f"seat-{n % 4 + 1}"
            for edge, down in ((2 * n, True), (2 * n + 1, False)):
                hub.hear(Edge(button, down, now()))
                if edge % together == together - 1:
                    hub.paint()
        rates.append(2 * count / (time.process_time() - start))
    return max(rates)  # whatever else runs can only slow a slice down


def commands_per_s(path, count):
    """Commands a second through the whole hub: decided, written, shown, told."""
    hub = Hub(GAMES, Journal(path, GAMES), build())
    hub.do(OPEN)
    start = time.perf_counter()
    for n in range(count):
        hub.do(ToggleMarker(n % 4 + 1))
        hub.paint()
    took = time.perf_counter() - start
    hub.journal.close()
    return count / took


def in_memory(quick):
    """Everything that the peer does too."""
    count, edges = (60, 200) if quick else (300, 1000)
    presses, echoes = unsaved(count)
    return {
        "to_light_in_memory": spread(presses),
        "to_echo": spread(echoes),
        "decided_per_s": max(press_in_memory(500)[1] for _ in range(10)),
        "edges_per_s": edges_per_s(edges),
        "edges_together_per_s": edges_per_s(edges, together=TOGETHER),
    }


def with_the_journal(quick):
    """And what it does not: nothing is shown that is not on the disk."""
    count = 60 if quick else 300
    with tempfile.TemporaryDirectory(prefix="centerpiece-bench-") as name:
        folder = Path(name)
        alone = against_floors(folder, count)
        found = {
            "hop_us": statistics.median(alone["hop"]) * 1e6,
            "commit_us": statistics.median(alone["commit"]) * 1e6,
            "to_light": spread(alone["press"]),
            "to_sound": spread(alone["sound"]),
            f"to_light_{PAGES}_pages": spread(with_pages(folder, count)),
            f"to_echo_{READERS}_readers": spread(with_readers(folder, count)),
            "stages_us": stages(folder / "stages.db", count),
            "commands_in_memory_per_s": commands_per_s(":memory:", 2000 if quick else 20_000),
            "commands_durable_per_s": commands_per_s(folder / "rate.db", count),
        }
        try:
            found["to_light_dead_redis"] = spread(with_dead_redis(folder, count))
        except ModuleNotFoundError as error:
            found["skipped"] = f"dead Redis: {error}"
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--in-memory", action="store_true", help="only what the peer does too")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    found = in_memory(options.quick)
    if not options.in_memory:
        found |= with_the_journal(options.quick)
    print(json.dumps(found, indent=1))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
