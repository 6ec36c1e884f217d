"""People with phones, in a process of their own: open pages, or one request after the other.

python -m bench.readers PORT pages COUNT | ask PATH,...
"""

import asyncio
import contextlib
import signal
import subprocess
import sys
from collections.abc import Iterator

from bench.measure import ROOT

EVERY = 0.2
"""Seconds between two requests of one who asks."""


async def page(port: int, number: int) -> None:
    """Keep a page's event stream open. Every phone has an address: the hub counts by them."""
    address = (f"127.0.1.{number % 250 + 1}", 0)
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=address)
    writer.write(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    while await reader.read(65536):
        pass


async def ask(port: int, paths: list[str]) -> None:
    """Ask for all paths, again and again."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while True:
        for path in paths:
            writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            await reader.readexactly(int(head.split(b"content-length: ")[1].split(b"\r\n")[0]))
        await asyncio.sleep(EVERY)


async def work(port: int, what: str, of: str) -> None:
    if what == "ask":
        await ask(port, of.split(","))
    else:
        await asyncio.gather(*(page(port, number) for number in range(int(of))))


@contextlib.contextmanager
def readers(port: int, what: str, of: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Have them read meanwhile."""
    words = [sys.executable, "-m", "bench.readers", str(port), what, of]
    process = subprocess.Popen(words, cwd=ROOT)
    try:
        yield process
        if process.poll() is not None:
            raise RuntimeError(f"those who read ({what}) have ended")
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def going_on(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    """Let a process that was stopped go on for a while."""
    process.send_signal(signal.SIGCONT)
    try:
        yield
    finally:
        process.send_signal(signal.SIGSTOP)


if __name__ == "__main__":
    asyncio.run(work(int(sys.argv[1]), *sys.argv[2:]))
