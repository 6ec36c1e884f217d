"""The start and the memory of a hub in a process of its own.

A hub takes its first press when it notifies systemd. Starts take turns with the peer's, which exits
as soon as its machine has started. Memory is that of the whole process, at idle and after an
evening with thirty open pages.
"""

import contextlib
import http.client
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from subprocess import DEVNULL
from typing import NamedTuple
from urllib.request import urlopen

import msgspec

from bench.measure import ENV, PEER, ROOT, memory_mb, peer
from bench.readers import readers
from bench.rig import commands_of_a_game

PATIENCE = 60.0
PAGES = 30
AT_REST = 1.5
"""Seconds after the start until everything is loaded."""


class Started(NamedTuple):
    """A running hub, and the seconds until it played and served."""

    pid: int
    port: int
    plays: float
    serves: float


@contextlib.contextmanager
def hub(folder: Path, before: Sequence[str] = ()) -> Iterator[Started]:
    """Run a hub with its files in a folder; `before` is put before its command."""
    folder.mkdir(exist_ok=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = [*before, sys.executable, "-m", "centerpiece", "run", "--port", str(port)]
    env = {**ENV, "NOTIFY_SOCKET": str(folder / "notify")}
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(env["NOTIFY_SOCKET"])
        systemd.settimeout(PATIENCE)
        start = time.perf_counter()
        process = subprocess.Popen(
            [*words, "--data", str(folder)], env=env, cwd=ROOT, stdout=DEVNULL, stderr=DEVNULL
        )
        try:
            assert systemd.recv(100) == b"READY=1"
            plays = time.perf_counter() - start
            while not served(port):
                time.sleep(0.002)
            yield Started(process.pid, port, plays, time.perf_counter() - start)
        finally:
            process.terminate()
            process.wait(PATIENCE)


def served(port: int) -> bool:
    with contextlib.suppress(OSError), urlopen(f"http://127.0.0.1:{port}/api/state"):
        return True
    return False


def starts(folder: Path, rounds: int) -> dict[str, float]:
    """Return medians in seconds, without the first of each, which warms the caches."""
    times: dict[str, list[float]] = {"plays": [], "serves": [], "peer": []}
    for n in range(rounds + 1):
        with hub(folder / f"start-{n}") as started:
            times["plays"].append(started.plays)
            times["serves"].append(started.serves)
        if PEER.exists():
            start = time.perf_counter()
            command = [str(PEER), str(ROOT / "bench" / "peer.py"), "ready"]
            subprocess.run(command, env=ENV, check=True, stdout=DEVNULL)
            times["peer"].append(time.perf_counter() - start)
    return {name: statistics.median(found[1:]) for name, found in times.items() if found}


def evening(port: int) -> None:
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    for command in commands_of_a_game():
        headers = {"Content-Type": "application/json"}
        link.request("POST", "/api/commands", msgspec.json.encode(command), headers)
        answer = link.getresponse()
        if answer.read() and answer.status != 200:
            raise RuntimeError(f"{command} was answered {answer.status}")


def memory(folder: Path) -> tuple[float, float]:
    """Return the memory of a hub at idle, and after an evening."""
    with hub(folder / "memory") as (pid, port, _, _):
        time.sleep(AT_REST)
        idle = memory_mb(pid)
        with readers(port, "pages", str(PAGES)):
            time.sleep(0.5)
            evening(port)
            return idle, memory_mb(pid)


def measure(quick: bool) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="centerpiece-bench-") as name:
        times = starts(Path(name), 2 if quick else 9)
        idle, after = memory(Path(name))
    ratios = {"memory_after_of_idle": after / idle}
    if PEER.exists():
        ratios |= {f"{what}_of_peer": times[what] / times["peer"] for what in ("plays", "serves")}
        ratios["memory_of_peer"] = idle / peer()["memory_mb"]
    return ratios
