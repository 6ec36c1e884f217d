"""The lag of a hall behind its tables, and its cost. Presses with a hall are in `outliers`."""

import argparse
import multiprocessing
import os
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from msgspec.json import encode
from msgspec.structs import replace

from centerpiece.games.registry import GAMES
from centerpiece.hall.server.hall_process import HallProcess
from centerpiece.hall.server.line_board import LineBoard
from centerpiece.hall.table.build_line import build_line
from centerpiece.hall.table.line_publisher import announce
from centerpiece.hall.wire import hall_keys
from centerpiece.hall.wire.redis_connection import connect
from centerpiece.hub.hub import Hub
from centerpiece.storage.journal import Journal
from centerpiece.table import commands as c
from sim.board import build


def hub_of_six(folder, name="table-1"):
    """Return a hub in a rally, with its journal on a disk that costs nothing."""
    hub = Hub(GAMES, Journal(folder / name / "table.db", GAMES), build(), name)
    hub.do(c.OpenTable("mexican-train/rally", ("Ann", "Bob", "Cara", "Dan", "Eve", "Finn")))
    return hub


def feed(url, folder, tables, seconds, ready, ended):
    """Publish one change of every table a second, evenly spread."""
    client, line = connect(url), build_line("x", "x", hub_of_six(folder).ledger)

    def send(numbers, seq):
        with client.pipeline(transaction=False) as pipe:
            for name, journal in ((f"table-{n}", f"{n:032x}") for n in numbers):
                changed = replace(line, table=name, journal=journal, seq=seq, at=time.time())
                where = hall_keys.lines("bench"), hall_keys.line("bench", name)
                pipe.execute_command("MULTI")
                announce(pipe, *where, name, journal, encode(changed))
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
    """Run a hall, and note how late each line arrives on its board."""
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
    """Measure the lag, the hall's share of a core and memory, and the commands of Redis."""
    context = multiprocessing.get_context("spawn")
    ready, ended, answer = context.Event(), context.Event(), context.Queue()
    context.Process(target=feed, args=(url, folder, tables, seconds, ready, ended)).start()
    context.Process(target=listen, args=(url, ready, ended, answer)).start()
    ready.wait()
    connect(url).config_resetstat()
    lags, busy, memory_mb = answer.get()
    stats = connect(url).info("commandstats")
    for wrap in ("cmdstat_multi", "cmdstat_exec"):
        del stats[wrap]
    return {
        "p99_ms": lags[len(lags) * 99 // 100],
        "core": busy,
        "memory_mb": memory_mb,
        "commands_a_change": sum(each["calls"] for each in stats.values()) / tables / seconds,
    }


def measure(quick):
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = str(free.getsockname()[1])
        words = ["redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", name]
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        time.sleep(1.0)
        try:
            where = f"redis://127.0.0.1:{port}", Path(name)
            return lag(*where, 10_000, 5 if quick else 20)
        finally:
            process.kill()
