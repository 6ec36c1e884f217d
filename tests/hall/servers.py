"""Real servers for the tests: a Redis that can be hurt, and a link that can be cut.

All on free ports of the loopback; whatever is started is ended.
"""

import contextlib
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import redis

from centerpiece.hall.wire.hall_errors import HallError
from centerpiece.hall.wire.redis_connection import RedisError, connect
from tests.patience import TIMEOUT_S


def until(look: Callable[[], Any]) -> Any:
    """Ask until there is an answer, letting others work in between."""
    pause = threading.Event()
    for _ in range(round(TIMEOUT_S / 0.02)):
        with contextlib.suppress(httpx.HTTPError, RedisError, HallError, OSError):
            if found := look():
                return found
        pause.wait(0.02)
    raise AssertionError("it did not come about")


READY = "Ready to accept connections"


CLUSTER_BUS = 10_000
"""How far above its own port a node of a cluster talks to the others."""


def free_port() -> int:
    """A port that nobody uses, with room for a cluster's bus above it."""
    while True:
        with socket.socket() as probe, socket.socket() as bus:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
            try:
                bus.bind(("127.0.0.1", port + CLUSTER_BUS))
            except (OSError, OverflowError):
                continue
            return port


class RealRedis:
    """A redis-server of our own."""

    def __init__(
        self,
        folder: Path,
        *options: str,
        durable: bool = False,
        config: Path | None = None,
        port: int | None = None,
        sentinel: bool = False,
    ) -> None:
        if shutil.which("redis-server") is None:
            raise RuntimeError("these tests need a redis-server: apt-get install redis-server")
        self.port = port or free_port()
        self.url = f"redis://127.0.0.1:{self.port}"
        folder.mkdir(parents=True, exist_ok=True)
        keeps = ["--appendonly", "yes", "--appendfsync", "always"] if durable else []
        self._command = [
            "redis-server",
            *("--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(folder)),
            *("--save", "", "--logfile", "", *keeps, *options),
        ]
        if config is not None:
            self._command = ["redis-server", str(config), "--bind", "127.0.0.1"]
        if sentinel:
            self._command.append("--sentinel")
        self._ready = "Sentinel ID is" if sentinel else READY
        self._process: subprocess.Popen[str] | None = None
        self.start()

    def start(self) -> None:
        """Start, and wait until it takes connections."""
        process = self._process = subprocess.Popen(
            self._command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert process.stdout is not None
        said = []
        for line in process.stdout:
            said.append(line)
            if self._ready in line:
                break
        else:
            raise RuntimeError("redis-server did not start:\n" + "".join(said))
        threading.Thread(target=process.stdout.read, daemon=True).start()

    def kill(self) -> None:
        """As a pulled plug would."""
        self._end("kill")

    def stop(self) -> None:
        self._end("terminate")

    def _end(self, how: str) -> None:
        if self._process is not None:
            getattr(self._process, how)()
            self._process.wait(TIMEOUT_S)
            self._process = None

    def client(self, **options: Any) -> Any:
        return connect(self.url, **options)


class Proxy:
    """A link between a table and Redis that can be cut in the middle of a word."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.url = f"redis://127.0.0.1:{self.port}"
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._whole = True
        self.budget: int | None = None
        """Bytes that still get through towards Redis before the link breaks; None: all."""
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Nothing gets through any more."""
        with self._lock:
            self._whole = False
            for end in self._open:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
            self._open.clear()

    def cut_after(self, count: int) -> None:
        """So many bytes get through, then nothing."""
        self.budget = count

    def heal(self) -> None:
        self.budget = None
        self._whole = True

    def close(self) -> None:
        self.cut()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                if not self._whole:
                    near.close()
                    continue
                try:
                    far = socket.create_connection(("127.0.0.1", self._target))
                except OSError:
                    near.close()
                    continue
                self._open |= {near, far}
            for source, sink, counted in ((near, far, True), (far, near, False)):
                threading.Thread(
                    target=self._pump, args=(source, sink, counted), daemon=True
                ).start()

    def _pump(self, source: socket.socket, sink: socket.socket, counted: bool) -> None:
        try:
            while data := source.recv(65536):
                if counted and self.budget is not None:
                    data, self.budget = data[: self.budget], max(0, self.budget - len(data))
                    if self.budget == 0:
                        sink.sendall(data)
                        self.cut()
                        return
                sink.sendall(data)
        except OSError:
            pass
        finally:
            for end in (source, sink):
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
                end.close()
                with self._lock:
                    self._open.discard(end)


@contextlib.contextmanager
def running(folder: Path, *options: str, **how: Any) -> Iterator[RealRedis]:
    """A Redis for a while."""
    server = RealRedis(folder, *options, **how)
    try:
        yield server
    finally:
        server.stop()


def wiped(server: RealRedis) -> redis.Redis:
    """A client of a Redis with nothing in it."""
    client = server.client()
    client.flushall()
    return client
