"""The attack: crowds of strangers who hold connections and send requests without end.

    python -m tests.chaos.crowds hub FOLDER            (a child: the hub, its buttons pressed)
    python -m tests.chaos.crowds NAME PORT COUNT       (a child: the strangers)

The hub runs in a process of its own with the 1,024 files that a service has without asking, and
is watched as systemd would: the parent holds its notify socket. Strangers come from addresses of
their own, one paired phone from another. During each crowd the button must echo, the phone that is
there must keep its page, a phone that comes must be answered, and signs of life must go on.
"""

import asyncio
import contextlib
import hashlib
import itertools
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from centerpiece.cli.run import GIVE_WAY
from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import Hub
from centerpiece.service import log_limit
from centerpiece.service.shell import Service
from centerpiece.storage.journal import Journal, JournalEntry
from centerpiece.table.commands import OpenTable
from hal.ports import Edge
from sim.board import build
from tests.chaos.power import HERE
from tests.chaos.result import Result, percentile
from tests.patience import TIMEOUT_S

PACE = 0.02
FILES = 1024
TOKEN = "a-phone-that-was-paired-long-before"
PHONE, STRANGER = "127.0.0.200", "127.0.0.2"
WATCHDOG = 0.5
ANSWER_WITHIN = 5.0
ECHO_WITHIN = 0.05
"""Generous: a machine that runs other things meanwhile is no slow hub."""
HELD = 1_011
"""As many as once stopped the hub."""


# The hub


async def hub_in_a_crowd(folder: Path) -> None:
    """Run the real service; press one button on a thread and wait for its echo."""
    from centerpiece.web.pairing import Phone
    from centerpiece.web.site import serve

    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))
    board = build()
    journal = Journal(folder / "table.db", GAMES)
    digest = hashlib.sha256(TOKEN.encode()).hexdigest()
    phone = Phone("1", "Ann's", digest, time.time(), time.time())
    known = {name: getattr(phone, name) for name in phone.__struct_fields__}
    journal.keep([JournalEntry(settings={"phones": msgspec.json.encode([known])})])
    hub = Hub(GAMES, journal, board)
    hub.do(OpenTable("mexican-train/classic", ("Ann", "Bob", "Cara", "Dan"), 12))
    service = Service(hub)
    shown = Shown()
    board.lights.watchers.append(shown)  # type: ignore[attr-defined]
    sys.setswitchinterval(GIVE_WAY)

    def press() -> None:
        times: list[float] = []
        seats = itertools.cycle(range(1, 11))
        for line in sys.stdin:
            if line == "told\n":
                print(json.dumps(times), flush=True)
                times.clear()
            else:
                times.append(_echo(service, shown, f"seat-{next(seats)}"))

    def started(address: str, keeper: str | None) -> None:
        print(address, flush=True)
        threading.Thread(target=press, daemon=True).start()

    async def pages() -> None:
        await serve(hub, "127.0.0.1", 0, simulated=False, started=started)

    await service.run(pages=pages)


class Shown:
    """The processor time at which the lights got each frame."""

    def __init__(self) -> None:
        self._at = 0.0
        self._there = threading.Event()

    def __call__(self, frame: bytes) -> None:
        if not self._there.is_set():
            self._at = time.process_time()
            self._there.set()

    def expect(self) -> None:
        """Wait for the next frame."""
        self._there.clear()

    def wait(self) -> float:
        self._there.wait(TIMEOUT_S)
        return self._at if self._there.is_set() else time.process_time()


def _echo(service: Service, shown: Shown, button: str) -> float:
    """Return the processor time from an edge to the frame that echoes it.

    So it makes no difference what else the machine does. The button is let go in peace.
    """
    shown.expect()
    began = time.process_time()
    service.edge(Edge(button, True, time.monotonic()))
    took = shown.wait() - began
    shown.expect()
    service.edge(Edge(button, False, time.monotonic()))
    shown.wait()
    return took


class Watched:
    """A hub in its own process, and its notifications to systemd."""

    def __init__(self, folder: Path) -> None:
        self._link = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._link.bind(str(folder / "notify"))
        self._signs = 0
        threading.Thread(target=self._listen, daemon=True).start()
        self._log = open(folder / "log", "wb")  # noqa: SIM115
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.chaos.crowds", "hub", str(folder)],
            cwd=HERE.parent.parent,
            env=os.environ
            | {
                "NOTIFY_SOCKET": str(folder / "notify"),
                "WATCHDOG_USEC": str(int(WATCHDOG * 2e6)),
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        self.port = int(self._line().rstrip("/\n").rpartition(":")[2])

    def _line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def press(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("press\n")
        self.process.stdin.flush()

    def echoes(self) -> list[float]:
        """Return the time of each echo since the last call."""
        assert self.process.stdin is not None
        self.process.stdin.write("told\n")
        self.process.stdin.flush()
        found: list[float] = json.loads(self._line())
        return found

    def signs_of_life(self) -> int:
        """Return the number of notifications since the last call."""
        count, self._signs = self._signs, 0
        return count

    def _listen(self) -> None:
        with contextlib.suppress(OSError):
            while said := self._link.recv(100):
                self._signs += said == b"WATCHDOG=1"

    def log_bytes(self) -> int:
        return os.fstat(self._log.fileno()).st_size

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self._link.shutdown(socket.SHUT_RDWR)
        self._link.close()
        self._log.close()


# The strangers


Crowd = Callable[[int, int], Coroutine[Any, Any, None]]
"""Is there until it is cancelled; told the port and how many."""


async def _connected(port: int, address: str, small: bool = False) -> socket.socket:
    link = socket.socket()
    link.setblocking(False)
    if small:
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    link.bind((address, 0))
    await asyncio.get_running_loop().sock_connect(link, ("127.0.0.1", port))
    return link


def _neighbour(number: int) -> str:
    """Return one of many loopback addresses."""
    return f"127.0.1.{number % 250 + 1}"


async def hold(port: int, count: int) -> None:
    """Hold silent connections from one address, and open closed ones again."""

    async def one() -> None:
        while True:
            with contextlib.suppress(OSError):
                link = await _connected(port, STRANGER)
                try:
                    await asyncio.get_running_loop().sock_recv(link, 1)
                finally:
                    link.close()
            await asyncio.sleep(0.2)

    await asyncio.gather(*(one() for _ in range(count)))


async def drip(port: int, count: int) -> None:
    """Send endless requests letter by letter, from many addresses."""

    async def one(number: int) -> None:
        loop = asyncio.get_running_loop()
        while True:
            with contextlib.suppress(OSError):
                link = await _connected(port, _neighbour(number))
                try:
                    await loop.sock_sendall(link, b"GET / HTTP/1.1\r\nX-Long: ")
                    while True:
                        await loop.sock_sendall(link, b"a")
                        await asyncio.sleep(0.2)
                finally:
                    link.close()
            await asyncio.sleep(0.2)

    await asyncio.gather(*(one(number) for number in range(count)))


async def never_read(port: int, count: int) -> None:
    """Hold pages open without reading."""

    async def one(number: int) -> None:
        loop = asyncio.get_running_loop()
        with contextlib.suppress(OSError):
            link = await _connected(port, _neighbour(number), small=True)
            try:
                await loop.sock_sendall(
                    link, b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
                )
                await asyncio.Event().wait()
            finally:
                link.close()

    await asyncio.gather(*(one(number) for number in range(count)))


async def storm(port: int, count: int) -> None:
    """Open and drop connections as fast as possible."""

    async def one() -> None:
        while True:
            with contextlib.suppress(OSError):
                (await _connected(port, STRANGER)).close()
            await asyncio.sleep(0)

    await asyncio.gather(*(one() for _ in range(count)))


PATHS = (
    "/api/rulecard",
    "/api/openapi.json",
    "/",
    "/board",
    "/api/state",
    "/api/history",
    "/api/rules",
    "/api/panel",
    "/api/rulecard?rules=chickenfoot/classic",
    "/static/es.json",
)


async def read(port: int, count: int) -> None:
    """Request one document after the other, in several connections."""

    async def one(number: int) -> None:
        path = PATHS[number % len(PATHS)]
        request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        while True:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                reader, writer = await asyncio.open_connection(
                    "127.0.0.1", port, local_addr=(_neighbour(number), 0)
                )
                try:
                    while True:
                        writer.write(request)
                        head = (await reader.readuntil(b"\r\n\r\n")).lower()
                        length = head.split(b"content-length: ")[1].split(b"\r\n")[0]
                        await reader.readexactly(int(length))
                finally:
                    writer.close()

    await asyncio.gather(*(one(number) for number in range(count)))


# The phone


class Seen(NamedTuple):
    """Delays and failures of a paired phone during a crowd."""

    answered: int
    waits: list[float]
    failures: list[str]


async def phone(port: int, seconds: float, press: Callable[[], None]) -> Seen:
    """Keep a page open, and write again and again by new connections."""
    loop = asyncio.get_running_loop()
    until, answered, waits, failures = loop.time() + seconds, 0, [], []
    cookie = f"Host: localhost\r\nCookie: centerpiece={TOKEN}\r\n"
    reader, writer = await _open(port)
    writer.write(f"GET /api/events HTTP/1.1\r\n{cookie}\r\n".encode())
    reading = asyncio.ensure_future(reader.read())
    while loop.time() < until:
        press()
        began = loop.time()
        try:
            async with asyncio.timeout(TIMEOUT_S):
                answered += await _write(port, cookie, answered % 4 + 1)
        except (OSError, TimeoutError, asyncio.IncompleteReadError) as error:
            failures.append(f"a paired phone was not answered: {error!r}")
        waits.append(loop.time() - began)
        await asyncio.sleep(PACE)
    if reading.done():
        failures.append("a paired phone lost its page")
    reading.cancel()
    writer.close()
    return Seen(answered, waits, failures)


async def _open(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", port, local_addr=(PHONE, 0), limit=1 << 24)


async def _write(port: int, cookie: str, seat: int) -> bool:
    reader, writer = await _open(port)
    try:
        body = json.dumps({"type": "toggle-marker", "seat": seat})
        writer.write(
            f"POST /api/commands HTTP/1.1\r\n{cookie}Content-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
        )
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200"):
            raise OSError(head[:20].decode())
        return True
    finally:
        writer.close()


CROWDS: dict[str, tuple[Crowd, int]] = {
    "idle": (hold, HELD),
    "slow headers": (drip, 500),
    "never reading": (never_read, 500),
    "storm": (storm, 20),
    "readers": (read, 40),
}


@contextlib.contextmanager
def strangers(name: str, port: int, count: int) -> Iterator[None]:
    """Run a crowd in a process of its own."""
    words = [sys.executable, "-m", "tests.chaos.crowds", name, str(port), str(count)]
    child = subprocess.Popen(words, cwd=HERE.parent.parent, stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    try:
        yield
    finally:
        child.kill()
        child.communicate()


def crowded(seconds: float, crowds: dict[str, tuple[Crowd, int]] = CROWDS) -> Result:
    """Run every crowd for some seconds, one after the other, at one hub."""
    with tempfile.TemporaryDirectory(prefix="centerpiece-chaos-") as name:
        hub = Watched(Path(name))
        try:
            return asyncio.run(_crowded(hub, seconds, crowds))
        finally:
            hub.close()


async def _crowded(hub: Watched, seconds: float, crowds: dict[str, tuple[Crowd, int]]) -> Result:
    failures, figures, tries = [], [], 0
    await phone(hub.port, 1.0, hub.press)
    alone = percentile(hub.echoes(), 0.9)
    worst = alone
    for name, (_, count) in crowds.items():
        before = hub.log_bytes()
        hub.signs_of_life()
        began = time.monotonic()
        with strangers(name, hub.port, count):
            seen = await phone(hub.port, seconds, hub.press)
            echoes = hub.echoes()
        lasted = time.monotonic() - began
        failures += [f"{name}: {failure}" for failure in seen.failures]
        if hub.signs_of_life() < lasted / WATCHDOG / 2 - 1:
            failures.append(f"{name}: slow: the watchdog would have bitten")
        if hub.log_bytes() - before > 10_000:
            failures.append(f"{name}: {hub.log_bytes() - before} bytes of log")
        if percentile(echoes, 0.9) > max(ECHO_WITHIN, 3 * alone):
            failures.append(f"{name}: slow: an echo took {percentile(echoes, 0.9) * 1e3:.0f} ms")
        if max(seen.waits) > ANSWER_WITHIN:
            failures.append(f"{name}: slow: a phone waited for {max(seen.waits):.0f} s")
        worst, tries = max(worst, *echoes), tries + len(echoes) + seen.answered
        echo, wait = percentile(echoes, 0.9) * 1e3, percentile(seen.waits, 0.9) * 1e3
        figures.append(f"{name} {echo:.1f} ms, phone {wait:.0f} ms")
    text = "; ".join(figures)
    return Result(tries, failures, worst, f"echo p90 alone {alone * 1e3:.1f} ms; {text}")


if __name__ == "__main__":
    if sys.argv[1] == "hub":
        log_limit.begin()
        asyncio.run(hub_in_a_crowd(Path(sys.argv[2])))
    else:
        print("here", flush=True)
        asyncio.run(CROWDS[sys.argv[1]][0](int(sys.argv[2]), int(sys.argv[3])))
