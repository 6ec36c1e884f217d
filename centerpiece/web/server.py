"""Listening and serving, for whatever pages: those of a hub, of a hall, of the Wi-Fi's set-up."""

import asyncio
import errno
import resource
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import urlsplit

import uvicorn
from starlette.types import ASGIApp, Scope

from centerpiece.text import Problem
from centerpiece.web.connections import (
    IDLE,
    LARGEST,
    STRANGERS,
    Connection,
    Connections,
    ListeningSocket,
)


class PortTaken(Problem, OSError):
    """The pages cannot be served where they were asked for."""

    code = "port"


async def run(
    app: ASGIApp,
    listener: socket.socket,
    stopping: asyncio.Event | None = None,
    closing: Callable[[], None] = lambda: None,
    knows: Callable[[Scope], bool] = lambda scope: False,
) -> None:
    """Serve until `stopping` is set, or until cancelled; `closing` ends what would go on.

    `knows` says whether a request comes from somebody whose place nobody else may take.
    """
    connections = Connections(app, knows, min(STRANGERS, _raised_file_limit() // 2))
    door = ListeningSocket(listener.dup(), connections.has_room)
    server = _server(connections)
    try:
        with listener:
            await server.startup([door])
            await (stopping or asyncio.Event()).wait()
    finally:
        closing()
        await server.shutdown([door])


def _server(app: ASGIApp) -> uvicorn.Server:
    """A server that is started and stopped by hand.

    Its `serve` would take the process's signals, and look ten times a second whether to stop.
    """
    config = uvicorn.Config(
        app,
        http=Connection,
        lifespan="off",
        log_config=None,
        # Of a request that cannot be read the one who sent it is told; a log would only grow.
        log_level="error",
        access_log=False,
        ws="none",
        timeout_keep_alive=IDLE,
        h11_max_incomplete_event_size=LARGEST,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=1,
    )
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    return server


def _raised_file_limit() -> int:
    """Raise the limit on open files to the hard one, and return it; half of it is for connections.

    The other half is left for the journal, the hall and the watchdog.
    """
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # a system may have a lower limit than it tells
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        now = most
    return now if now != resource.RLIM_INFINITY else 1 << 20


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
        return socket.create_server((host, port), family=family, backlog=1024)
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
"""The obstacle, and what to do about it."""


def address_of(host: str, port: int) -> str:
    """The address to type on a phone."""
    if host in ("0.0.0.0", "::", ""):
        host = _own_address() or f"{socket.gethostname()}.local"
    if ":" in host:
        host = f"[{host}]"
    return f"http://{host}/" if port == 80 else f"http://{host}:{port}/"


def reaches_phones(address: str) -> bool:
    """Return whether another device can open this address."""
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
