"""Real servers for the tests, on free ports of the loopback, and a link that can be cut."""

import contextlib
import shutil
import signal
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
    """Call a function until its result is true; return that."""
    pause = threading.Event()
    for _ in range(round(TIMEOUT_S / 0.02)):
        with contextlib.suppress(httpx.HTTPError, RedisError, HallError, OSError):
            if result := look():
                return result
        pause.wait(0.02)
    raise AssertionError("it did not come about")


CLUSTER_BUS = 10_000
"""Offset of a cluster node's second port."""


def free_port() -> int:
    """Return a free port whose cluster bus port is free too."""
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
            self._command = ["redis-server", str(config), "--bind", "127.0.0.1", *options]
        self._process: subprocess.Popen[str] | None = None
        self.start()

    def start(self) -> None:
        """Start, and wait until it is ready."""
        process = self._process = subprocess.Popen(
            self._command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert process.stdout is not None
        said = []
        for line in process.stdout:
            said.append(line)
            if "Ready to accept connections" in line or "Sentinel ID is" in line:
                break
        else:
            raise RuntimeError("redis-server did not start:\n" + "".join(said))
        threading.Thread(target=process.stdout.read, daemon=True).start()

    def stop(self, signal_number: int = signal.SIGTERM) -> None:
        if self._process is not None:
            self._process.send_signal(signal_number)
            self._process.wait(TIMEOUT_S)
            self._process = None

    def kill(self) -> None:
        self.stop(signal.SIGKILL)

    def client(self, **options: Any) -> Any:
        return connect(self.url, **options)


WHOLE = 1 << 60


class Proxy:
    """A link to Redis that can be cut in the middle of a command."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://127.0.0.1:{self._listener.getsockname()[1]}"
        self.budget = WHOLE
        """Bytes that still get through to Redis before the link breaks."""
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self.budget = 0
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            try:
                if self.budget <= 0:
                    raise ConnectionError
                far = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                near.close()
                continue
            for source, sink in ((near, far), (far, near)):
                counted = source is near
                threading.Thread(
                    target=self._pump, args=(source, sink, counted), daemon=True
                ).start()

    def _pump(self, source: socket.socket, sink: socket.socket, counted: bool) -> None:
        """Pass bytes on until one end closes or the budget is spent; then close both."""
        with contextlib.suppress(OSError):
            while (data := source.recv(65536)) and self.budget > 0:
                if counted:
                    data, self.budget = data[: self.budget], max(0, self.budget - len(data))
                sink.sendall(data)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


@contextlib.contextmanager
def running(folder: Path, *options: str, **how: Any) -> Iterator[RealRedis]:
    server = RealRedis(folder, *options, **how)
    try:
        yield server
    finally:
        server.stop()


def wiped(server: RealRedis) -> redis.Redis:
    """Empty a Redis; return a client of it."""
    client = server.client()
    client.flushall()
    return client
