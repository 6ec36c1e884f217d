"""How fast a hall is, against what the server and redis-py can do in the same run.

    python bench/hall.py [--tables 10000] [--seconds 20] [--played 60] [--json FILE]

Starts a redis-server of its own on the loopback and ends it. Three questions:
how fast a journal is forwarded, beside bare pipelined XADD of the same entries;
how far one hall process lags behind that many tables with one event a second each, and its memory;
how long a press takes with no hall, with Redis up, catching up, dead, and frozen.
Nothing here is a test: figures are printed, not asserted.
"""

import argparse
import contextlib
import gc
import json
import multiprocessing
import os
import random
import shutil
import signal
import socket
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from centerpiece.config import HallSettings
from centerpiece.games.mexican_train.game import ToggleMarker
from centerpiece.games.registry import GAMES
from centerpiece.hall.server.follow import Follower
from centerpiece.hall.server.process import EVERY
from centerpiece.hall.table.forward import Forwarder
from centerpiece.hall.table.link import Link
from centerpiece.hall.table.outbox import Outbox
from centerpiece.hall.wire import keys
from centerpiece.hall.wire.connection import connect
from centerpiece.hall.wire.entries import FIELD, Row, stream_id
from centerpiece.hub.hub import Hub
from centerpiece.storage.checksum import of_event
from centerpiece.storage.journal import Journal
from centerpiece.table import commands as c
from centerpiece.table.undo import Ledger
from sim.board import build

JOURNAL = "bench000bench000"


@contextlib.contextmanager
def redis_server(folder):
    """A server that keeps nothing, and its process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
    process = subprocess.Popen([*words, "--dir", str(folder)], stdout=subprocess.DEVNULL)
    client = connect(f"redis://127.0.0.1:{port}")
    for _ in range(500):
        with contextlib.suppress(Exception):
            client.ping()
            break
        time.sleep(0.01)
    try:
        yield f"redis://127.0.0.1:{port}", process
    finally:
        process.send_signal(signal.SIGCONT)
        process.terminate()
        process.wait(10)


def a_game(seed=1):
    """The events of a whole rally game at a table of six, as journal rows."""
    rng, ledger, rows = random.Random(seed), Ledger.blank(GAMES), []
    encode = Journal(":memory:", GAMES)._encode

    def do(command):
        nonlocal ledger
        for recorded in ledger.record(ledger.decide(command, 0.0), 0.0):
            ledger = ledger.apply(recorded)
            body = encode(recorded.event)
            rows.append((recorded.step, type(recorded.event).version, body))

    do(c.OpenTable("mexican-train/rally", ("Ann", "Bob", "Cara", "Dan", "Eve", "Finn")))
    while ledger.table.phase != "finished":
        for _ in range(rng.randrange(25, 45)):
            do(ToggleMarker(rng.randint(1, 6)))
        out = rng.randint(1, 6)
        do(c.GoOut(out))
        for seat in range(1, 7):
            if seat != out:
                do(c.EnterScore(seat, rng.randint(1, 60)))
        do(c.NextRound())
    return rows


# Forwarding


def forwarding(url, folder, count=20_000, rounds=3):
    """Events a second: bare pipelined XADD, and a journal forwarded; the best of some rounds."""
    game = a_game()
    path = folder / "forward.db"
    journal = Journal(path, GAMES)
    rows = [Row(n + 1, 1.8e9 + n, *game[n % len(game)]) for n in range(count)]
    journal.database.execute("BEGIN")
    checked = [(*row, of_event(*row)) for row in rows]
    journal.database.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)", checked)
    journal.database.execute("COMMIT")
    client = connect(url)
    bare, ours = 0.0, 0.0
    for _ in range(rounds):
        client.flushall()
        began = time.perf_counter()
        for start in range(0, count, 200):
            with client.pipeline(transaction=False) as pipe:
                for row in rows[start : start + 200]:
                    pipe.xadd("bare", {FIELD: row.packed(JOURNAL)}, id=stream_id(row.seq))
                pipe.execute()
        bare = max(bare, count / (time.perf_counter() - began))
        forwarder = Forwarder(client, "table-1", JOURNAL, Outbox(path))
        began = time.perf_counter()
        while forwarder.step().events:
            pass
        ours = max(ours, count / (time.perf_counter() - began))
    journal.close()
    return bare, ours


# Following


def feed(url, tables, played, seconds, ready, done):
    """Every table plays: `played` events at once, then one a second, evenly spread."""
    client, game = connect(url), a_game()
    names = [f"table-{n}" for n in range(tables)]

    def send(entries):
        with client.pipeline(transaction=False) as pipe:
            for name, seq in entries:
                row = Row(seq, time.time(), *game[(seq - 1) % len(game)])
                pipe.execute_command(
                    "XADD", keys.stream(name), stream_id(seq), FIELD, row.packed(JOURNAL)
                )
            pipe.execute()

    for start in range(0, tables, 50):
        send([(name, n + 1) for name in names[start : start + 50] for n in range(played)])
    for start in range(0, tables, 1000):
        client.sadd(keys.roster("bench"), *names[start : start + 1000])
    ready.set()
    done.wait()
    done.clear()
    slices = 50
    began = time.perf_counter()
    for tick in range(seconds * slices):
        second, part = divmod(tick, slices)
        send([(name, played + second + 1) for name in names[part::slices]])
        due = began + (tick + 1) / slices
        time.sleep(max(0.0, due - time.perf_counter()))
    ready.clear()
    late = time.perf_counter() - began - seconds
    print(f"  the feed was {late * 1000:.0f} ms late in the end")
    done.set()


def memory_mb():
    """What this process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def noting_lags(hall):
    """Have a follower note how late it takes each event in; the list that it notes them in."""
    lags, take = [], hall.reader._take

    def timed(followed, seq, body, **how):
        taken = take(followed, seq, body, **how)
        if not how:
            lags.append(time.time() - followed._at)
        return taken

    hall.reader._take = timed
    return lags


def follow(url, tables, played, seconds, answer):
    """One hall process, as `centerpiece hall` runs it."""
    gc.set_threshold(100_000, 20, 100)
    context = multiprocessing.get_context("spawn")
    ready, done = context.Event(), context.Event()
    feeder = context.Process(target=feed, args=(url, tables, played, seconds, ready, done))
    feeder.start()
    ready.wait()
    hall = Follower(connect(url), "bench", GAMES, "hall-1")
    lags = noting_lags(hall)
    began = time.perf_counter()
    hall.everything()
    taken_over = time.perf_counter() - began
    lags.clear()
    done.set()
    busy = time.process_time()
    began = time.perf_counter()
    while ready.is_set():
        tick = time.perf_counter()
        hall.step()
        time.sleep(max(0.0, EVERY - (time.perf_counter() - tick)))
    hall.step()
    busy = (time.process_time() - busy) / (time.perf_counter() - began)
    feeder.join()
    lags.sort()
    answer.put(
        {
            "events": len(lags),
            "p50": lags[len(lags) // 2],
            "p99": lags[int(len(lags) * 0.99)],
            "worst": lags[-1],
            "memory_mb": memory_mb(),
            "busy": busy,
            "taken_over_s": taken_over,
            "lines": len(hall.overview.lines),
        }
    )


def following(url, tables, played, seconds):
    """Run the hall in a process of its own, so that its memory is its own."""
    context = multiprocessing.get_context("spawn")
    answer = context.Queue()
    process = context.Process(target=follow, args=(url, tables, played, seconds, answer))
    process.start()
    found = answer.get()
    process.join()
    return found


# Pressing


def presses(folder, name, url=None, backlog=0, count=300):
    """Microseconds from a command to its light: median and 99th percentile.

    The journal lies in memory, where there is such a place: what the disk takes is the same for
    all and would drown the rest.
    """
    journal = Journal(folder / name / "table.db", GAMES)
    hub = Hub(GAMES, journal, build(), name)
    hub.do(c.OpenTable("mexican-train/rally", ("Ann", "Bob", "Cara", "Dan")))
    if backlog:
        journal.database.execute("PRAGMA synchronous=OFF")
        for n in range(backlog):
            hub.do(ToggleMarker(n % 4 + 1))
        journal.database.execute("PRAGMA synchronous=FULL")
    link = None
    if url is not None:
        link = Link(hub, HallSettings(url=url, id="press"), lambda trouble: None, lambda work: None)
        link.start()
    times = []
    for n in range(count):
        time.sleep(0.005)
        began = time.perf_counter()
        hub.do(ToggleMarker(n % 4 + 1))
        times.append(time.perf_counter() - began)
    if link is not None:
        link.stop()
    journal.close()
    times.sort()
    return statistics.median(times) * 1e6, times[int(count * 0.99)] * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=10_000)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--played", type=int, default=60, help="events before the clock starts")
    parser.add_argument("--only", choices=("forward", "follow", "press"))
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    found = {}
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    folder = Path(tempfile.mkdtemp(prefix="centerpiece-bench-", dir=memory))
    try:
        with redis_server(folder) as (url, process):
            if options.only in (None, "forward"):
                bare, ours = forwarding(url, folder)
                found["forward"] = {"bare": bare, "ours": ours, "ratio": ours / bare}
                print(f"bare pipelined XADD   {bare:10,.0f} events/s")
                print(f"a journal forwarded   {ours:10,.0f} events/s   {ours / bare:.2f} of it")
            if options.only in (None, "follow"):
                connect(url).flushall()
                print(f"{options.tables} tables, one event a second each, one hall process:")
                one = following(url, options.tables, options.played, options.seconds)
                found["follow"] = one
                print(
                    f"  lag p50 {one['p50'] * 1000:.0f} ms, p99 {one['p99'] * 1000:.0f} ms, "
                    f"worst {one['worst'] * 1000:.0f} ms over {one['events']:,} events"
                )
                print(f"  {one['memory_mb']:.0f} MB, {one['busy']:.0%} of a core")
                per_event = one["taken_over_s"] / max(1, options.tables * options.played)
                print(
                    f"  taken over in {one['taken_over_s']:.1f} s "
                    f"({per_event * 1e6:.0f} µs an event)"
                )
            if options.only in (None, "press"):
                connect(url).flushall()
                found["press"] = press_figures(url, folder, process)
    finally:
        shutil.rmtree(folder)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))


def press_figures(url, folder, process):
    """The same presses under five circumstances; the best of three rounds each."""
    cases = {
        "no hall": lambda n: presses(folder, f"none{n}"),
        "Redis up": lambda n: presses(folder, f"up{n}", url),
        "catching up": lambda n: presses(folder, f"late{n}", url, backlog=20_000),
        "Redis dead": lambda n: presses(folder, f"dead{n}", "redis://127.0.0.1:1"),
    }
    rounds = [{name: work(n) for name, work in cases.items()} for n in range(3)]
    process.send_signal(signal.SIGSTOP)
    for n, found in enumerate(rounds):
        found["Redis frozen"] = presses(folder, f"frozen{n}", url)
    process.send_signal(signal.SIGCONT)
    found = {name: min(each[name] for each in rounds) for name in rounds[0]}
    for name, (median, p99) in found.items():
        print(f"press, {name:14}{median:8.0f} µs   p99 {p99:8.0f} µs")
    return found


if __name__ == "__main__":
    main()
