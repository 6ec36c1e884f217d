"""How fast the pages are, and how little they cost the table.

    python -m bench.pages [--quick] [--json FILE]

A press is an edge on a thread of its own, as a GPIO library delivers it. Pages are open event
streams in another process, as phones would be. Nothing here is a test: figures are printed.
"""

import argparse
import asyncio
import gzip
import json
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import Hub
from centerpiece.service.shell import Service
from centerpiece.storage.journal import Journal
from centerpiece.storage.writer import ThreadWriter
from centerpiece.table.commands import OpenTable
from centerpiece.web.site import serve
from centerpiece.web.static_files import STATIC, Assets
from sim.board import build

NAMES = ("Ann", "Bob", "Cara", "Dan")
PACE = 0.31
"""Seconds between two presses: longer than a double tap, so that every press is its own."""
TOUCH = 0.025
"""Seconds that a finger touches: what is shorter could be bounce, and waits."""
BLOCKS = 2
"""With and without pages by turns, so that whatever else the machine does falls on both."""
PRESSES = 30
WARM = 5
PATHS = (
    "/api/rulecard",
    "/api/openapi.json",
    "/",
    "/board",
    "/api/state",
    "/api/history",
    "/api/rules",
)
"""What readers ask for."""
ROOT = Path(__file__).resolve().parent.parent


def neighbour(number: int) -> str:
    """Every phone has an address of its own; the hub counts by them."""
    return f"127.0.1.{number % 250 + 1}"


async def ask(port: int, count: int) -> None:
    """Be `count` readers who ask for one thing after the other, as fast as they are answered."""

    async def reader(number: int) -> None:
        path = PATHS[number % len(PATHS)]
        reading, writer = await asyncio.open_connection(
            "127.0.0.1", port, local_addr=(neighbour(number), 0)
        )
        while True:
            writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            head = (await reading.readuntil(b"\r\n\r\n")).lower()
            await reading.readexactly(int(head.split(b"content-length: ")[1].split(b"\r\n")[0]))

    print(0, 0.0, flush=True)
    await asyncio.gather(*(reader(number) for number in range(count)))


async def listen(port: int, count: int) -> None:
    """Be `count` open pages; tell on stdout when all of them have seen a change."""
    seen = [0] * count
    news = asyncio.Event()

    async def page(number: int) -> None:
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", port, local_addr=(neighbour(number), 0)
        )
        writer.write(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        async for line in reader:
            if line.startswith(b"id: "):
                seen[number] = int(line[4:])
                news.set()

    pages = [asyncio.create_task(page(number)) for number in range(count)]
    told = 0
    while True:
        await news.wait()
        news.clear()
        if min(seen) > told:
            told = min(seen)
            # The monotonic clock is one for all processes of a machine.
            print(told, time.monotonic(), flush=True)
        if any(page.done() for page in pages):
            return


class Bench:
    """The real service in this process, pages in another."""

    def __init__(self, folder: str, presses: int) -> None:
        self.board = build()
        self.presses = presses
        journal = Journal(Path(folder) / "table.db", GAMES)
        Hub(GAMES, journal, build()).do(OpenTable("mexican-train/classic", NAMES, 12, starter=1))
        writer = ThreadWriter(journal)
        self.hub = Hub(GAMES, journal, self.board, writer=writer)
        self.service = Service(self.hub, writer)
        self.port = 0
        self.ready = threading.Event()
        self.shown = threading.Event()
        self.board.lights.watchers.append(self._show)
        self.before = 0
        self.let_go_at = self.shown_at = 0.0
        self.results: dict[str, object] = {}

    def run(self) -> dict[str, object]:
        """Serve in this thread while another presses and measures."""
        asyncio.run(self._serve())
        return self.results

    async def _serve(self) -> None:
        def started(address: str, keeper: str | None) -> None:
            self.port = int(re.search(r":(\d+)/", address)[1])  # type: ignore[index]
            self.ready.set()

        def pages():
            edge = self.service.edge
            return serve(self.hub, "127.0.0.1", 0, simulated=True, edge=edge, started=started)

        threading.Thread(target=self._measure, daemon=True).start()
        await self.service.run(pages=pages)

    def _measure(self) -> None:
        self.ready.wait(10)
        try:
            alone, crowded = [], []
            for _ in range(BLOCKS):
                alone += self._presses()
                with Pages(self.port, 200):
                    crowded += self._presses()
            with Pages(self.port, 50) as fifty:
                reached = self._reached(fifty)
            quiet = statistics.median(alone)
            self.results = {
                "press_alone_ms": 1e3 * quiet,
                "press_with_200_pages_ms": 1e3 * statistics.median(crowded),
                "slower_with_200_pages": statistics.median(crowded) / quiet,
                "reaches_50_pages_ms": 1e3 * statistics.median(reached),
                "reaches_50_pages_worst_ms": 1e3 * max(reached),
            }
        finally:
            self.service._loop.call_soon_threadsafe(self.service.stop)  # type: ignore[union-attr]

    def _show(self, frame: bytes) -> None:
        """The lights got a frame; the first one after the event is the one that is waited for."""
        if self.hub.seq > self.before and not self.shown.is_set():
            self.shown_at = time.monotonic()
            self.shown.set()

    def _press(self) -> float:
        """From the edge that lets a seat's button go to the frame with its marker."""
        self.board.buttons.press("seat-2")
        time.sleep(TOUCH)
        self.before = self.hub.seq
        self.shown.clear()
        self.let_go_at = time.monotonic()
        self.board.buttons.release("seat-2")
        if not self.shown.wait(5):
            raise RuntimeError("a press did not reach the lights")
        return self.shown_at - self.let_go_at

    def _presses(self) -> list[float]:
        times = []
        for _ in range(self.presses + WARM):
            times.append(self._press())
            time.sleep(PACE)
        return times[WARM:]

    def _reached(self, pages: "Pages") -> list[float]:
        times = []
        for _ in range(self.presses):
            self._press()
            times.append(pages.wait_for(self.hub.seq) - self.let_go_at)
            time.sleep(PACE)
        return times


class Pages:
    """A process full of open pages."""

    mode = "--listen"

    def __init__(self, port: int, count: int) -> None:
        command = [sys.executable, "-m", "bench.pages", self.mode, str(port), str(count)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)

    def __enter__(self) -> "Pages":
        self._line()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def wait_for(self, seq: int) -> float:
        """When the last page had seen that event."""
        while True:
            told, at = self._line()
            if told >= seq:
                return at

    def _line(self) -> tuple[int, float]:
        assert self._process.stdout is not None
        seq, at = self._process.stdout.readline().split()
        return int(seq), float(at)


class Readers(Pages):
    """A process full of readers."""

    mode = "--ask"


def first_page() -> dict[str, int]:
    """What a phone loads before the table can be used: as it lies here, and as it is sent."""
    html = Assets().page("phone", {"settings": {"language": "en"}, "seats": [], "notice": ""})
    files = set(re.findall(r'(?:href|src)="/static/([^"]+\.(?:css|js))"', html))
    files |= {"en.json", "icons.svg"}
    bodies = [html.encode(), *((STATIC / name).read_bytes() for name in sorted(files))]
    return {
        "first_page_bytes": sum(map(len, bodies)),
        "first_page_sent_bytes": sum(len(gzip.compress(body, 9)) for body in bodies),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--listen", nargs=2, type=int, help=argparse.SUPPRESS)
    parser.add_argument("--ask", nargs=2, type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.listen or options.ask:
        asyncio.run(listen(*options.listen) if options.listen else ask(*options.ask))
        return
    with tempfile.TemporaryDirectory() as folder:
        presses = PRESSES // 5 if options.quick else PRESSES
        results = {**Bench(folder, presses).run(), **first_page()}
    print(f"press → frame, no page open       {results['press_alone_ms']:8.2f} ms")
    print(f"press → frame, 200 pages open     {results['press_with_200_pages_ms']:8.2f} ms", end="")
    print(f"   × {results['slower_with_200_pages']:.2f} (at most 1.20)")
    print(
        f"press → 50 open pages, median     {results['reaches_50_pages_ms']:8.2f} ms (at most 100)"
    )
    print(f"press → 50 open pages, worst      {results['reaches_50_pages_worst_ms']:8.2f} ms")
    print(
        f"first page, as sent               {results['first_page_sent_bytes'] / 1000:8.1f} kB",
        end="",
    )
    print(f"  (at most 40; {results['first_page_bytes'] / 1000:.1f} kB unpacked)")
    if options.json:
        options.json.write_text(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
