"""The HTTP server of all pages: the hub's, the hall's and the Wi-Fi set-up's."""

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
    """The pages cannot be served at this address."""

    code = "port"


async def run(
    app: ASGIApp,
    listener: socket.socket,
    stopping: asyncio.Event | None = None,
    closing: Callable[[], None] = lambda: None,
    knows: Callable[[Scope], bool] = lambda scope: False,
) -> None:
    """Serve `app` on a duplicate of `listener` until `stopping` is set or the task is cancelled.

    Then `closing` is called, which ends open streams, and requests under way are ended. `knows`
    tells whether a request comes from a paired phone, which keeps its connection in a flood.
    `listener` is closed.
    """
    connections = Connections(app, knows, min(STRANGERS, _raise_file_limit() // 2))
    limited = ListeningSocket(listener.dup(), connections.make_room)
    server = _server(connections)
    try:
        with listener:
            await server.startup([limited])
            await (stopping or asyncio.Event()).wait()
    finally:
        closing()
        await server.shutdown([limited])
        await asyncio.gather(*server.server_state.tasks, return_exceptions=True)


def _server(app: ASGIApp) -> uvicorn.Server:
    """Return a server to be started and stopped by hand.

    Its own `serve` would take over the process's signals and poll ten times a second.
    """
    config = uvicorn.Config(
        app,
        http=Connection,
        lifespan="off",
        log_config=None,
        # uvicorn warns of each malformed request: a client could fill the log.
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


def _raise_file_limit() -> int:
    """Raise the process's limit on open files to its hard limit; return the limit in force.

    Half of it is for connections, the rest for the journal, the hall and the watchdog.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # a system may allow less than its hard limit
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    return soft if soft != resource.RLIM_INFINITY else 1 << 20


def stop_signal() -> asyncio.Event:
    """Return an event that SIGINT and SIGTERM set from now on, instead of ending the process."""
    stopping, loop = asyncio.Event(), asyncio.get_running_loop()
    for signum in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(signum, stopping.set)
    return stopping


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens at `host` and `port`; raise PortTaken, which says what to do."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=1024)
    except (OSError, OverflowError) as error:
        why = "a port is a number from 0 to 65535"
        if isinstance(error, OSError):
            why = _REASONS.get(error.errno or 0, error.strerror or str(error))
        raise PortTaken(
            "The pages cannot be served at {host} port {port}: {why}.",
            host=host,
            port=port,
            why=why,
        ) from None


_REASONS = {
    errno.EADDRINUSE: "another program is there. Stop it, or choose another port with --port",
    errno.EACCES: "that port is only for root. Choose one above 1023 with --port",
    socket.EAI_NONAME: "no machine has that name. Choose an address of this one with --host",
    errno.EADDRNOTAVAIL: "this machine has no such address. Choose one that it has with --host",
}
"""The reason by error number, and what to do."""


def address_of(host: str, port: int) -> str:
    """Return the URL to type on a phone for pages served at `host` and `port`.

    For a host that stands for every address, it has this machine's own in the network or, without a
    network, its name with `.local`.
    """
    if host in ("0.0.0.0", "::", ""):
        host = _own_address() or f"{socket.gethostname()}.local"
    if ":" in host:
        host = f"[{host}]"
    return f"http://{host}/" if port == 80 else f"http://{host}:{port}/"


def reaches_phones(address: str) -> bool:
    """Return whether other devices can open this address."""
    host = urlsplit(address).hostname or ""
    return not (host == "localhost" or host == "::1" or host.startswith("127."))


def _own_address() -> str | None:
    """Return this machine's address on the local network; None without a network.

    It connects UDP, which sends no packet.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            own = str(probe.getsockname()[0])
        except OSError:
            return None
    return None if own.startswith("127.") else own
