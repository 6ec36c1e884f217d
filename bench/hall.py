"""How far a hall lags behind its tables, what that costs, and what a press pays for its hall.

    python -m bench.hall [--tables 10000] [--seconds 20] [--json FILE]

On a redis-server of its own, on the loopback. One process publishes the lines of so many tables,
one change a second each, as a table does; another is the hall. A line's lag ends on the board that
pages show.
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

NAMES = ("Ann", "Bob", "Cara", "Dan", "Eve", "Finn")


def hub_of_six(folder, name="table-1"):
    """Return a hub in the fourth round of a rally, its journal where the disk costs nothing."""
    hub = Hub(GAMES, Journal(folder / name / "table.db", GAMES), build(), name)
    hub.do(c.OpenTable("mexican-train/rally", NAMES))
    for _ in range(3):
        hub.do(c.GoOut(1))
        for seat in range(2, 7):
            hub.do(c.EnterScore(seat, 17 + seat))
        hub.do(c.NextRound())
    return hub


def feed(url, folder, tables, seconds, ready, ended):
    """Publish one change a second of every table, evenly spread."""
    client, line = connect(url), build_line("x", "x", hub_of_six(folder).ledger)

    def send(numbers, seq):
        with client.pipeline(transaction=False) as pipe:
            for number in numbers:
                name, journal = f"table-{number}", f"{number:032x}"
                found = replace(line, table=name, journal=journal, seq=seq, at=time.time())
                where = hall_keys.lines("bench"), hall_keys.line("bench", name)
                pipe.execute_command("MULTI")
                announce(pipe, *where, name, journal, encode(found))
                pipe.execute_command("EXEC")
            pipe.execute()

    send(range(tables), 1)
    ready.set()
    slices, began = 200, time.perf_counter() + 2.0
    for tick in range(seconds * slices):
        time.sleep(max(0.0, began + tick / slices - time.perf_counter()))
        second, part = divmod(tick, slices)
        send(range(part, tables, slices), second + 2)
    time.sleep(0.5)
    ended.set()


def listen(url, ready, ended, answer):
    """Be a hall, and note how late each line is on the board that pages show."""
    ready.wait()
    options = argparse.Namespace(redis=url, id="bench", title="Bench", cluster=False)
    options.password_file = options.ca = options.certificate = options.key = None
    lags, take = [], LineBoard.take

    def noted(board, line):
        taken = take(board, line)
        lags.append(time.time() - line.at)
        return taken

    LineBoard.take = noted
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
    feeder = context.Process(target=feed, args=(url, folder, tables, seconds, ready, ended))
    hall = context.Process(target=listen, args=(url, ready, ended, answer))
    feeder.start()
    hall.start()
    ready.wait()
    client = connect(url)
    client.config_resetstat()
    lags, busy, memory = answer.get()
    calls = {name: n["calls"] for name, n in client.info("commandstats").items()}
    feeder.join()
    hall.join()
    changes = tables * seconds
    wraps = calls.pop("cmdstat_multi", 0) + calls.pop("cmdstat_exec", 0)
    return {
        "changes": changes,
        "lines": len(lags),
        "p50_ms": lags[len(lags) // 2] * 1e3,
        "p99_ms": lags[int(len(lags) * 0.99)] * 1e3,
        "core": busy,
        "memory_mb": memory,
        "commands_a_change": sum(calls.values()) / changes,
        "multi_and_exec_a_change": wraps / changes,
    }


def presses(folder, name, url=None, count=400):
    """Return how long a press takes until it is written: median, 99th of 100, longest, in µs."""
    hub, link, times = hub_of_six(folder, name), None, []
    if url is not None:
        link = HallLink(hub, HallSettings(url=url, id="press"), lambda t: None, lambda work: None)
        link.start()
    for n in range(count):
        time.sleep(0.005)
        began = time.perf_counter()
        hub.do(ToggleMarker(n % 6 + 1))
        times.append((time.perf_counter() - began) * 1e6)
    if link is not None:
        link.stop()
    hub.journal.close()
    times.sort()
    return {"p50_us": times[count // 2], "p99_us": times[-count // 100], "longest_us": times[-1]}


def press(url, folder, process, rounds=3):
    """Return what a press costs by how Redis is; the rounds of all cases take turns."""
    where = {"none": None, "up": url, "dead": "redis://127.0.0.1:1", "frozen": url}
    found = {case: [] for case in where}
    for n in range(rounds):
        for case, address in where.items():
            process.send_signal(signal.SIGSTOP if case == "frozen" else signal.SIGCONT)
            found[case].append(presses(folder, f"{case}-{n}", address))
    process.send_signal(signal.SIGCONT)
    return {
        case: {key: min(r[key] for r in all_) for key in all_[0]} for case, all_ in found.items()
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=10_000)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=memory) as name, socket.socket() as probe:
        folder = Path(name)
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
        probe.close()
        words = ["redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", name]
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        time.sleep(1.0)
        try:
            url = f"redis://127.0.0.1:{port}"
            lags = lag(url, folder, options.tables, options.seconds)
            found = {"lag": lags, "press": press(url, folder, process)}
        finally:
            process.kill()
            process.wait(10)
    print(json.dumps(found, indent=1))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
