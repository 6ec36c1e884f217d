"""Listening and serving, for whatever pages: those of a hub, of a hall, of the Wi-Fi's set-up."""

import asyncio
import errno
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import uvicorn
from starlette.types import ASGIApp, Scope

from centerpiece.text import Problem
from centerpiece.web.connections import IDLE, Connection, Connections, Door, Room


class PortTaken(Problem, OSError):
    """The pages cannot be served where they were asked for."""

    code = "port"


Knows = Callable[[Scope], bool]
"""Whether a request comes from somebody whose place nobody else may take."""


class _Server(uvicorn.Server):
    """A server that leaves signals to others, and does not tick while nothing happens."""

    def __init__(self, app: ASGIApp, stopping: asyncio.Event, knows: Knows) -> None:
        config = uvicorn.Config(
            app,
            lifespan="off",
            log_config=None,
            # Of a request that cannot be read the one who sent it is told; a log would only grow.
            log_level="error",
            access_log=False,
            ws="none",
            timeout_keep_alive=IDLE,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=1,
        )
        super().__init__(config)
        self._stopping = stopping
        self._connections = Connections(Room.here(), knows)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self.servers = []
        has_room = self._connections.has_room
        self._doors = [Door(each, has_room, self._connection) for each in sockets or []]
        self.started = True

    def _connection(self) -> Connection:
        return Connection(
            self._connections,
            config=self.config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
        )

    async def main_loop(self) -> None:
        await self.on_tick(0)
        await self._stopping.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for door in self._doors:
            door.close()
        await super().shutdown(sockets)


async def run(
    app: ASGIApp,
    listener: socket.socket,
    stopping: asyncio.Event | None = None,
    closing: Callable[[], None] = lambda: None,
    knows: Knows = lambda scope: False,
) -> None:
    """Serve until `stopping` is set, or until cancelled; `closing` ends what would go on."""
    stopping = stopping or asyncio.Event()
    running = asyncio.create_task(_Server(app, stopping, knows).serve(sockets=[listener]))
    try:
        await asyncio.shield(running)
    finally:
        closing()
        stopping.set()
        await running


def stop_signal() -> asyncio.Event:
    """Set when somebody ends this process."""
    stopping, loop = asyncio.Event(), asyncio.get_running_loop()
    for signum in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(signum, stopping.set)
    return stopping


def listen(host: str, port: int) -> socket.socket:
    """A socket for the pages, or an error that says what to do."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=1024)
        # An answer leaves at once: asyncio only sees to that for sockets that name their protocol.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    except (OSError, OverflowError) as error:
        why = "a port is a number from 0 to 65535"
        if isinstance(error, OSError):
            why = _WHY.get(error.errno or 0, error.strerror or str(error))
        raise PortTaken(
            "The pages cannot be served at {host} port {port}: {why}.",
            host=host,
            port=port,
            why=why,
        ) from None


_WHY = {
    errno.EADDRINUSE: "another program is there. Stop it, or choose another port with --port",
    errno.EACCES: "that port is only for root. Choose one above 1023 with --port",
    socket.EAI_NONAME: "no machine has that name. Choose an address of this one with --host",
    errno.EADDRNOTAVAIL: "this machine has no such address. Choose one that it has with --host",
}
"""What is in the way, and what to do about it."""


def address_of(host: str, port: int) -> str:
    """The address to type on a phone."""
    if host in ("0.0.0.0", "::", ""):
        host = _own_address() or f"{socket.gethostname()}.local"
    if ":" in host:
        host = f"[{host}]"
    return f"http://{host}/" if port == 80 else f"http://{host}:{port}/"


def reaches_phones(address: str) -> bool:
    """Whether another device can open this address."""
    host = urlsplit(address).hostname or ""
    return not (host == "localhost" or host == "::1" or host.startswith("127."))


def _own_address() -> str | None:
    """This machine's address on the local network; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            own = str(probe.getsockname()[0])
        except OSError:
            return None
    return None if own.startswith("127.") else own
