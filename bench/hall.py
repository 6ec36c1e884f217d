"""How far a hall lags behind its tables, what that costs, and what a press pays for its hall.

python -m bench.hall [--tables 10000] [--seconds 20] [--json FILE]
"""

import argparse
import json
import multiprocessing
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from msgspec.json import encode
from msgspec.structs import replace

from centerpiece.config import HallSettings
from centerpiece.games.mexican_train.game import ToggleMarker
from centerpiece.games.registry import GAMES
from centerpiece.hall.server.hall_process import HallProcess
from centerpiece.hall.server.line_board import LineBoard
from centerpiece.hall.table.build_line import build_line
from centerpiece.hall.table.hall_link import HallLink
from centerpiece.hall.table.line_publisher import announce
from centerpiece.hall.wire import hall_keys
from centerpiece.hall.wire.redis_connection import connect
from centerpiece.hub.hub import Hub
from centerpiece.storage.journal import Journal
from centerpiece.table import commands as c
from sim.board import build


def hub_of_six(folder, name="table-1"):
    """Return a hub in a rally, its journal where the disk costs nothing."""
    hub = Hub(GAMES, Journal(folder / name / "table.db", GAMES), build(), name)
    hub.do(c.OpenTable("mexican-train/rally", ("Ann", "Bob", "Cara", "Dan", "Eve", "Finn")))
    return hub


def feed(url, folder, tables, seconds, ready, ended):
    """Publish one change a second of every table, evenly spread."""
    client, line = connect(url), build_line("x", "x", hub_of_six(folder).ledger)

    def send(numbers, seq):
        with client.pipeline(transaction=False) as pipe:
            for name, journal in ((f"table-{n}", f"{n:032x}") for n in numbers):
                found = replace(line, table=name, journal=journal, seq=seq, at=time.time())
                where = hall_keys.lines("bench"), hall_keys.line("bench", name)
                pipe.execute_command("MULTI")
                announce(pipe, *where, name, journal, encode(found))
                pipe.execute_command("EXEC")
            pipe.execute()

    send(range(tables), 1)
    ready.set()
    began = time.perf_counter() + 2.0
    for tick in range(seconds * 200):
        time.sleep(max(0.0, began + tick / 200 - time.perf_counter()))
        send(range(tick % 200, tables, 200), tick // 200 + 2)
    time.sleep(0.5)
    ended.set()


def listen(url, ready, ended, answer):
    """Be a hall, and note how late each line is on the board that pages show."""
    ready.wait()
    nothing = dict.fromkeys(("password_file", "ca", "certificate", "key", "cluster"))
    options = argparse.Namespace(redis=url, id="bench", title="Bench", **nothing)
    lags, take = [], LineBoard.take
    LineBoard.take = lambda *of: (take(*of), lags.append((time.time() - of[1].at) * 1e3))[0]
    hall = HallProcess(options, "token for the bench")
    threading.Thread(target=hall.read, daemon=True).start()
    time.sleep(1.5)  # all last lines are read; the changes have not begun
    lags.clear()
    busy, began = time.process_time(), time.perf_counter()
    ended.wait()
    busy = (time.process_time() - busy) / (time.perf_counter() - began)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    answer.put((sorted(lags), busy, pages * os.sysconf("SC_PAGE_SIZE") / 1e6))


def lag(url, folder, tables, seconds):
    """Return how late lines are, what the hall takes, and what Redis does for a change."""
    context = multiprocessing.get_context("spawn")
    ready, ended, answer = context.Event(), context.Event(), context.Queue()
    context.Process(target=feed, args=(url, folder, tables, seconds, ready, ended)).start()
    context.Process(target=listen, args=(url, ready, ended, answer)).start()
    ready.wait()
    connect(url).config_resetstat()
    lags, busy, memory_mb = answer.get()
    stats = connect(url).info("commandstats")
    wraps = stats.pop("cmdstat_multi")["calls"] + stats.pop("cmdstat_exec")["calls"]
    return {
        "p50_ms": lags[len(lags) // 2],
        "p99_ms": lags[len(lags) * 99 // 100],
        "core": busy,
        "memory_mb": memory_mb,
        "commands_a_change": sum(each["calls"] for each in stats.values()) / tables / seconds,
        "multi_and_exec_a_change": wraps / tables / seconds,
    }


FIGURES = ("p50_us", "p99_us", "longest_us")


def presses(folder, name, url):
    """Return how long a press takes until it is written: median, 99th of 100, longest, in µs."""
    hub, times = hub_of_six(folder, name), []
    link = HallLink(hub, HallSettings(url=url, id="press"), lambda _: None, lambda _: None)
    if url:
        link.start()
    for n in range(400):
        time.sleep(0.005)
        began = time.perf_counter()
        hub.do(ToggleMarker(n % 6 + 1))
        times.append((time.perf_counter() - began) * 1e6)
    link.stop()
    times.sort()
    return times[200], times[-4], times[-1]


def press(url, folder, process):
    """Return what a press costs by how Redis is; the cases take turns, the best of three counts."""
    where = {"none": "", "up": url, "dead": "redis://127.0.0.1:1", "frozen": url}
    found = {case: [] for case in where}
    for case, address in [*where.items()] * 3:
        process.send_signal(signal.SIGSTOP if case == "frozen" else signal.SIGCONT)
        found[case].append(presses(folder, f"{case}-{len(found[case])}", address))
    best = ((case, map(min, zip(*those, strict=True))) for case, those in found.items())
    return {
        case: dict(zip(("p50_us", "p99_us", "longest_us"), of, strict=True)) for case, of in best
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=10_000)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = str(free.getsockname()[1])
        words = ["redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", name]
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        time.sleep(1.0)
        try:
            where = f"redis://127.0.0.1:{port}", Path(name)
            found = {"lag": lag(*where, options.tables, options.seconds)}
            found["press"] = press(*where, process)
        finally:
            process.kill()
    text = json.dumps(found, indent=1)
    options.json.write_text(text) if options.json else print(text)


if __name__ == "__main__":
    main()
