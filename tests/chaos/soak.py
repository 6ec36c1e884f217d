"""The attack: hours. Game after game, with thirty pages open; memory must stay flat.

    python -m tests.chaos.soak FOLDER SECONDS      (the child: a hub that plays by itself)

Six hours in virtual time, in one process; and in real time with the real service, whose pages are
open in another process. The curve of its memory is printed.
"""

import asyncio
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from centerpiece.config import Config
from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import Hub
from centerpiece.service.assemble import assemble
from centerpiece.storage.history import History
from centerpiece.storage.journal import Journal
from centerpiece.table.commands import (
    Command,
    EnterScore,
    GoOut,
    NextRound,
    OpenLobby,
    OpenTable,
    Redo,
    Undo,
)
from centerpiece.text import Refused
from hal.ports import Edge
from sim.board import build
from sim.clock import VirtualClock
from tests.chaos.load import _page, _pass
from tests.chaos.power import HERE
from tests.chaos.result import Result, resident
from tests.chaos.season import NAMES

PAGES = 30
HOUR = 3600.0
TAPS = 8
"""Taps in a round, besides the commands of its end."""
SAMPLES = 24
WARM = 900.0
FLAT = 1.05
"""The most by which the last third may exceed the one before."""


def evenings(luck: Random) -> Iterator[str | Command]:
    """Yield the buttons and commands of game after game."""
    while True:
        count = luck.randint(4, 6)
        yield OpenLobby()
        yield OpenTable("mexican-train/classic", tuple(luck.sample(NAMES, count)), 12, starter=1)
        for _ in range(13):
            for _ in range(TAPS):
                yield luck.choice([f"seat-{luck.randint(1, count)}", "train"])
            out = luck.randint(1, count)
            yield GoOut(out)
            yield from (
                EnterScore(seat, luck.randint(1, 80)) for seat in range(1, count + 1) if seat != out
            )
            if luck.random() < 0.2:
                yield Undo()
                yield Redo()
            yield NextRound()


def judged(sizes: list[int], seconds: float) -> list[str]:
    """Return the growth from the second third to the last; a short run is still warming up."""
    if seconds < WARM:
        return []
    third = len(sizes) // 3
    before, last = sizes[third:-third] or [1], sizes[-third:] or [0]
    grown = sum(last) / len(last) > FLAT * sum(before) / len(before)
    return [f"memory grew: {curve(sizes)}"] if grown else []


def curve(sizes: list[int]) -> str:
    """Return the memory in megabytes, evenly over the time."""
    step = max(1, len(sizes) // 12)
    return " ".join(f"{size / 2**20:.1f}" for size in sizes[::step]) + " MB"


def virtually(seed: int, seconds: float, every: float = 2.0) -> Result:
    """Play for some virtual seconds, and look at the history now and then."""
    luck, clock = Random(seed), VirtualClock()
    sizes: list[int] = []
    worst, actions = 0.0, 0
    with tempfile.TemporaryDirectory(prefix="centerpiece-chaos-") as name:
        journal = Journal(Path(name) / "table.db", GAMES)
        hub = Hub(GAMES, journal, build(clock=clock))
        hub.journal.database.execute("PRAGMA synchronous=OFF")  # durability has its own attack
        hub.on_news(lambda: msgspec.json.encode(hub.state()))
        hub.on_stale(hub.paint)
        history = History(journal, GAMES)
        playing, began_at = evenings(luck), clock.now()
        while (passed := clock.now() - began_at) < seconds:
            began = time.perf_counter()
            _act(hub, next(playing), lambda edge: hub.hear(edge), clock.now())
            worst = max(worst, time.perf_counter() - began)
            _pass(hub, clock, every)
            actions += 1
            if passed >= len(sizes) * seconds / SAMPLES:
                history.games()
                sizes.append(resident())
        figures = f"{hub.seq} events; {curve(sizes)}"
        hub.journal.close()
    return Result(actions, judged(sizes, seconds), worst, figures)


def _act(hub: Hub, what: str | Command, hear: Any, now: float) -> None:
    if isinstance(what, str):
        hear(Edge(what, True, now))
        hear(Edge(what, False, now + 0.05))
        return
    with contextlib.suppress(Refused):
        hub.order(what)


async def hub_that_plays(folder: Path, seconds: float) -> dict[str, Any]:
    """Run the real service; play five actions a second in its loop."""
    from centerpiece.web.site import serve

    config = msgspec.structs.replace(Config(), data=str(folder))
    service = assemble("sim", config)
    hub = service.hub
    sizes: list[int] = []

    async def play() -> None:
        await asyncio.to_thread(sys.stdin.readline)  # until all pages are open
        playing, began = evenings(Random(1)), time.monotonic()
        while (now := time.monotonic()) < began + seconds:
            _act(hub, next(playing), service.edge, now)
            if now > began + len(sizes) * seconds / (4 * SAMPLES):
                sizes.append(resident())
            await asyncio.sleep(0.2)  # the pace of the attack
        service.stop()

    async def pages() -> None:
        job = asyncio.create_task(play())

        def started(address: str, keeper: str | None) -> None:
            print(address, flush=True)

        await serve(hub, "127.0.0.1", 0, simulated=True, edge=service.edge, started=started)
        await job

    await service.run(pages=pages)
    return {"sizes": sizes, "seq": hub.seq}


async def _visitor(port: int) -> None:
    """Load the page and the history every ten seconds, over a new connection."""
    head = "HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    while True:
        for path in ("/", "/api/state", "/api/history", "/history"):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(f"GET {path} {head}".encode())
            await reader.read()
            writer.close()
        await asyncio.sleep(10.0)


async def _readers(port: int, seen: dict[str, int], go: Any) -> None:
    jobs = [asyncio.create_task(_page(port, seen, number)) for number in range(PAGES)]
    jobs.append(asyncio.create_task(_visitor(port)))
    while seen["told"] < PAGES and not any(job.done() for job in jobs):
        await asyncio.sleep(0.01)
    go()
    await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
    for job in jobs:
        job.cancel()
    await asyncio.gather(*jobs, return_exceptions=True)


def really(seconds: float) -> Result:
    """Keep a real hub playing for some seconds, with thirty pages open."""
    with tempfile.TemporaryDirectory(prefix="centerpiece-chaos-") as name:
        child = subprocess.Popen(
            [sys.executable, "-m", "tests.chaos.soak", name, str(seconds)],
            cwd=HERE.parent.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert child.stdin is not None
        assert child.stdout is not None
        started = child.stdin
        try:
            port = int(child.stdout.readline().rstrip("/\n").rpartition(":")[2])
            seen = dict.fromkeys(("stream", "told", "backwards"), 0)

            def go() -> None:
                started.write("go\n")
                started.flush()

            with contextlib.suppress(TimeoutError):
                asyncio.run(asyncio.wait_for(_readers(port, seen, go), seconds + 60))
            found = json.loads(child.stdout.read())
        finally:
            child.kill()
            child.wait()
    failures = judged(found["sizes"], seconds)
    figures = f"{found['seq']} events, {seen['told']} page updates; {curve(found['sizes'])}"
    return Result(found["seq"], failures, 0.0, figures)


if __name__ == "__main__":
    import logging

    logging.disable()
    print(json.dumps(asyncio.run(hub_that_plays(Path(sys.argv[1]), float(sys.argv[2])))))
