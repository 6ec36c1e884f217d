"""The attack: load. Two hundred pages, phones and all buttons without pause.

    python -m tests.chaos.load FOLDER SECONDS      (the child: the hub, its buttons hammered)

In real time the hub runs in a process of its own, as it does at a table; pages and phones are
here. The time of a press is from its edge on a thread to the end of everything that it caused:
journaled, lights shown. In virtual time the same goes ten times as long, without a network.
"""

import asyncio
import contextlib
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import Hub
from centerpiece.service.shell import Service
from centerpiece.storage.journal import Journal
from centerpiece.table.commands import ChangeRule, Command, OpenTable, Redo, Rename, Undo
from centerpiece.text import Refused
from hal.ports import BUTTONS, Edge
from sim.board import build
from sim.clock import VirtualClock
from tests.chaos.power import HERE
from tests.chaos.result import Result, percentile, resident
from tests.chaos.wild import grown, size_range

OPEN = OpenTable("mexican-train/classic", ("Ann", "Bob", "Cara", "Dan"), 12)
PRESSES = 40
"""Presses a second, all buttons together: three a second for each."""
COMMANDS = 50
PAGES = 200
HEAD = "HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def _something(luck: Random) -> Command:
    return luck.choice(
        [
            Rename(luck.randint(1, 4), f"Name {luck.randint(1, 999)}"),
            Undo(),
            Redo(),
            ChangeRule("time_limit_min", luck.choice([None, 60, 90])),
        ]
    )


# In virtual time


def virtually(seed: int, seconds: float) -> Result:
    """Use buttons and phones for some virtual seconds, with a page that gets every change."""
    luck = Random(seed)
    failures: list[str] = []
    times: list[float] = []
    answered = 0
    with tempfile.TemporaryDirectory(prefix="centerpiece-chaos-") as name:
        path = Path(name) / "table.db"
        clock = VirtualClock()
        hub = Hub(GAMES, Journal(path, GAMES), build(clock=clock))
        hub.on_news(lambda: msgspec.json.encode(hub.state()))
        hub.do(OPEN)
        sizes = [resident()]
        ticks = round(seconds * COMMANDS)
        for tick in range(ticks):
            if luck.random() < PRESSES / COMMANDS:
                times += _pressed(hub, clock, luck)
            with contextlib.suppress(Refused):
                answered = hub.do(_something(luck))
            _pass(hub, clock, 1 / COMMANDS)
            if tick % (ticks // 20) == 0:
                sizes.append(resident())
        live = hub.table
        hub.journal.close()
        journal = Journal(path, GAMES)
        ledger = journal.recover(GAMES)
        if ledger.table != live or ledger.seq < answered:
            failures.append(f"seed {seed}: {ledger.seq} events are left of {answered}")
        journal.close()
    failures += grown(sizes, 1.5)
    figures = f"p99 {percentile(times, 0.99) * 1e3:.1f} ms, {answered} events, {size_range(sizes)}"
    return Result(len(times) + ticks, failures, max(times), figures)


def _pressed(hub: Hub, clock: VirtualClock, luck: Random) -> list[float]:
    times = []
    button = luck.choice([b for b in BUTTONS if b != "advance"])
    for down in (True, False):
        began = time.perf_counter()
        hub.hear(Edge(button, down, clock.now()))
        times.append(time.perf_counter() - began)
        _pass(hub, clock, 0.006)
    return times


def _pass(hub: Hub, clock: VirtualClock, seconds: float) -> None:
    until = clock.now() + seconds
    while (wake := hub.next_wake()) is not None and wake <= until:
        clock.move(max(0.0, wake - clock.now()))
        hub.wake()
    clock.move(max(0.0, until - clock.now()))


# In real time: the hub


async def hub_under_load(folder: Path, seconds: float) -> dict[str, Any]:
    """Run the real service; press its buttons on a thread, as a GPIO library does."""
    from centerpiece.web.site import serve

    board = build()
    hub = Hub(GAMES, Journal(folder / "table.db", GAMES), board)
    hub.do(OPEN)
    service = Service(hub)
    times: list[float] = []
    sizes: list[int] = []
    hear = hub.hear

    def timed(edge: Edge) -> None:
        hear(edge)
        times.append(time.monotonic() - edge.now)

    hub.hear = timed  # type: ignore[method-assign]
    stop = threading.Event()
    loop = asyncio.get_running_loop()

    def press() -> None:
        sys.stdin.readline()  # until all pages are open
        loop.call_soon_threadsafe(loop.call_later, seconds, service.stop)
        luck = Random(1)
        while not stop.wait(1 / PRESSES):  # the pace of the attack
            button = luck.choice([b for b in BUTTONS if b not in ("advance", "undo")])
            service.edge(Edge(button, True, time.monotonic()))
            stop.wait(0.008)
            service.edge(Edge(button, False, time.monotonic()))
            if len(times) % 100 < 2:
                sizes.append(resident())

    def started(address: str, keeper: str | None) -> None:
        print(address, flush=True)
        threading.Thread(target=press, daemon=True).start()

    async def pages() -> None:
        await serve(hub, "127.0.0.1", 0, simulated=True, started=started)

    await service.run(pages=pages)
    stop.set()
    return {"times": times, "sizes": sizes, "seq": hub.seq}


# In real time: everybody else


async def _page(port: int, seen: dict[str, int], number: int) -> None:
    own = (f"127.0.1.{number % 250 + 1}", 0)
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=own, limit=1 << 20)
    writer.write(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    last = 0
    async for line in reader:
        if line.startswith(b"id: "):
            number = int(line[4:])
            seen["backwards"] += number < last
            last = number
            seen["stream"] = max(seen["stream"], number)
            seen["told"] += 1


async def _phone(port: int, every: float, seen: dict[str, int], waits: list[float]) -> None:
    luck = Random(port)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while True:
        body = msgspec.json.encode(_something(luck)).decode()
        writer.write(
            f"POST /api/commands {HEAD}Content-Length: {len(body.encode())}\r\n\r\n{body}".encode()
        )
        began = time.monotonic()
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        answer = json.loads(await reader.readexactly(length))
        waits.append(time.monotonic() - began)
        seen["commands"] += 1
        seen["crashed"] += head.startswith(b"HTTP/1.1 5")
        seen["answered"] = max(seen["answered"], answer.get("seq", 0))
        await asyncio.sleep(max(0.0, every - waits[-1]))


async def _everybody(
    port: int, pages: int, seen: dict[str, int], waits: list[float], go: Callable[[], None]
) -> None:
    phones = 10
    jobs = [asyncio.create_task(_page(port, seen, number)) for number in range(pages)]
    while seen["told"] < pages and not any(job.done() for job in jobs):
        await asyncio.sleep(0.01)
    go()
    jobs += [
        asyncio.create_task(_phone(port, phones / COMMANDS, seen, waits)) for _ in range(phones)
    ]
    await asyncio.gather(*jobs, return_exceptions=True)


def really(seconds: float, pages: int = PAGES) -> Result:
    """Put a hub under load for some seconds."""
    with tempfile.TemporaryDirectory(prefix="centerpiece-chaos-") as name:
        child = subprocess.Popen(
            [sys.executable, "-m", "tests.chaos.load", name, str(seconds)],
            cwd=HERE.parent.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            port = int(child.stdout.readline().rstrip("/\n").rpartition(":")[2])
            seen = dict.fromkeys(
                ("stream", "told", "backwards", "commands", "crashed", "answered"), 0
            )
            waits: list[float] = []
            started = child.stdin

            def go() -> None:
                started.write("go\n")
                started.flush()

            everybody = _everybody(port, pages, seen, waits, go)
            with contextlib.suppress(TimeoutError):
                asyncio.run(asyncio.wait_for(everybody, seconds + 60))
            found = json.loads(child.stdout.read())
        finally:
            child.kill()
            child.wait()
        return _judged(Path(name) / "table.db", found, seen, waits, seconds)


def _judged(
    path: Path, found: dict[str, Any], seen: dict[str, int], waits: list[float], seconds: float
) -> Result:
    failures = []
    journal = Journal(path, GAMES)
    left = journal.recover(GAMES).seq
    journal.close()
    if left < max(seen["stream"], seen["answered"]):
        failures.append(f"{seen} were shown, {left} are left")
    if seen["backwards"] or seen["crashed"]:
        failures.append(f"{seen['backwards']} went backwards, {seen['crashed']} crashed")
    if seen["commands"] < COMMANDS * seconds / 2:
        failures.append(f"only {seen['commands']} commands were answered in {seconds:.0f} s")
    failures += grown(found["sizes"], 1.5)
    times = found["times"]
    figures = (
        f"press p50 {percentile(times, 0.5) * 1e3:.1f} ms, p99 {percentile(times, 0.99) * 1e3:.1f} "
        f"ms; command p99 {percentile(waits, 0.99) * 1e3:.0f} ms; {seen['told']} page updates; "
        f"{left} events; {size_range(found['sizes'])}"
    )
    return Result(len(times) // 2 + seen["commands"], failures, max(times), figures)


if __name__ == "__main__":
    import logging

    logging.disable()
    print(json.dumps(asyncio.run(hub_under_load(Path(sys.argv[1]), float(sys.argv[2])))))
