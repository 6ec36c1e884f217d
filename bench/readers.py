"""Phones, in a process of their own: open pages, or one request after the other.

python -m bench.readers PORT pages COUNT | ask PATH,...
"""

import contextlib
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection

from bench.measure import ROOT

EVERY = 0.2
"""Seconds between two rounds of requests."""
Process = subprocess.Popen[bytes]


def page(port: int, number: int) -> None:
    """Keep a page's event stream open, from an address of its own: the hub limits by address."""
    address = (f"127.0.1.{number % 250 + 1}", 0)
    link = HTTPConnection("127.0.0.1", port, source_address=address)
    link.request("GET", "/api/events")
    answer = link.getresponse()
    while answer.read1():
        pass


def ask(port: int, paths: list[str]) -> None:
    """Request all paths, again and again."""
    link = HTTPConnection("127.0.0.1", port)
    while True:
        for path in paths:
            link.request("GET", path)
            link.getresponse().read()
        time.sleep(EVERY)


@contextlib.contextmanager
def readers(port: int, what: str, of: str) -> Iterator[Process]:
    words = [sys.executable, "-m", "bench.readers", str(port), what, of]
    with subprocess.Popen(words, cwd=ROOT) as process:
        try:
            yield process
            if process.poll() is not None:
                raise RuntimeError(f"the process of phones ({what}) has ended")
        finally:
            process.kill()


@contextlib.contextmanager
def going_on(process: Process) -> Iterator[None]:
    """Continue a stopped process for a while."""
    process.send_signal(signal.SIGCONT)
    try:
        yield
    finally:
        process.send_signal(signal.SIGSTOP)


if __name__ == "__main__":
    port, (what, of) = int(sys.argv[1]), sys.argv[2:]
    if what == "ask":
        ask(port, of.split(","))
    for number in range(int(of)):
        threading.Thread(target=page, args=(port, number)).start()
