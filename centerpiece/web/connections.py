"""A guard in front of the HTTP server: who may connect, for how long, and whose turn it is.

uvicorn speaks HTTP; between it and the network stand a listening socket that takes new connections
a few at a time (`ListeningSocket`), and for each connection a protocol that counts and forwards
what arrives (`Connection`). The network never reaches the buttons:

- Connections are counted in all and by address. Nobody is turned away while there is room; when
  there is none, the address that holds the most loses the one that was quiet for longest. So a
  crowd of strangers pushes out strangers, of one address first its own, and whoever comes with one
  or two gets in. Connections of paired phones have a room of their own.
- A connection without a request has `IDLE` seconds for the next one's headers, all of them; one
  that does not read what it asked for has `STALLED`.
- From one request to the next there may be `LARGEST` bytes in `MOST_LINES` lines: to take a long
  head apart costs the hub's time.
- Of all that arrives, one piece is taken in each turn of the loop, the paired phones' first: a
  press waits for one request at most, however many there are.
"""

import asyncio
import socket
from collections import deque
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from centerpiece.web.json_answers import HEADERS, failure
from centerpiece.web.request_guard import LARGEST_BODY, too_large

IDLE = 10
"""Seconds for the headers of a request, from the connection's beginning or the last answer on."""
STALLED = 20.0
"""Seconds in which somebody must read something of what is sent to them."""
LARGEST = 2 * LARGEST_BODY
"""Bytes of a request: as much again for its head, of which a browser sends an eighth."""
MOST_LINES = 256
STRANGERS = 512
"""Connections in all, but for those of paired phones."""
PER_ADDRESS = 64
"""Connections of one address."""
PAIRED = 128
"""Connections of paired phones, beside all others."""
CHECKED_AT_ONCE = 32
"""New connections in one turn of the loop: to close one that has no room costs next to nothing."""
ACCEPTED_AT_ONCE = 2
"""Of those, how many are let in."""
SEND_BUFFER = 65_536
"""Bytes that the system keeps for somebody who does not read; by itself it would keep megabytes."""


class ListeningSocket(socket.socket):
    """A listening socket that lets connections in a few at a time.

    asyncio accepts until nothing more waits. It is told so early, and comes back in its next turn.
    Whoever holds too many is turned away at once, so that others need not wait behind them.
    """

    def __init__(self, listener: socket.socket, has_room: Callable[[str], bool]) -> None:
        """Take over a socket that listens already."""
        super().__init__(fileno=listener.detach())
        self.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        self._has_room = has_room
        self._accepted = 0

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection that may come in now."""
        for _ in range(CHECKED_AT_ONCE):
            if self._accepted == ACCEPTED_AT_ONCE:
                break
            link, address = super().accept()
            if self._has_room(address[0]):
                self._accepted += 1
                return link, address
            link.close()
        self._accepted = 0
        raise BlockingIOError


class ConnectionLimit:
    """So many connections, by address, those that were quiet for longest first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._count = 0
        self._held: dict[str, dict[Connection, None]] = {}

    def count_of(self, address: str) -> int:
        """Return how many connections an address holds."""
        return len(self._held.get(address, ()))

    def add(self, connection: "Connection") -> None:
        """Add one at the end; another may have to go for it."""
        self._held.setdefault(connection.address, {})[connection] = None
        self._count += 1
        if self._count > self._most:
            largest = max(self._held, key=self.count_of)
            quietest = next(iter(self._held[largest]))
            self.remove(quietest)
            quietest.drop()

    def remove(self, connection: "Connection") -> None:
        """Remove one, if it is there."""
        own = self._held.get(connection.address, {})
        if connection in own:
            del own[connection]
            self._count -= 1
            if not own:
                del self._held[connection.address]


class WorkQueue:
    """One piece of work in each turn of the loop, what is `first` before all else."""

    def __init__(self) -> None:
        self._first: deque[Callable[[], None]] = deque()
        self._others: deque[Callable[[], None]] = deque()
        self._called = False

    def add(self, work: Callable[[], None], first: bool) -> None:
        """Have something done in a turn of its own."""
        (self._first if first else self._others).append(work)
        self._call()

    def _call(self) -> None:
        if not self._called and (self._first or self._others):
            self._called = True
            asyncio.get_running_loop().call_soon(self._next)

    def _next(self) -> None:
        self._called = False
        work = (self._first or self._others).popleft()
        self._call()
        work()


class Connections:
    """All connections of a server; around its pages, it sees each request begin and end."""

    def __init__(
        self, app: ASGIApp, knows: Callable[[Scope], bool], strangers: int = STRANGERS
    ) -> None:
        """`knows` says whether a request comes from a paired phone."""
        self._app = app
        self._knows = knows
        self.strangers = ConnectionLimit(strangers)
        self.paired = ConnectionLimit(PAIRED)
        self.queue = WorkQueue()

    def has_room(self, address: str) -> bool:
        """Return whether an address may hold one more connection."""
        return self.strangers.count_of(address) < PER_ADDRESS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection: Connection = scope["state"].pop("connection")
        connection.begin(connection.paired or self._knows(scope))
        try:
            await self._app(scope, receive, send)
        finally:
            connection.end()


class Connection(asyncio.Protocol):
    """One connection, between the network and uvicorn's own protocol."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        """Called by uvicorn, as its own protocols are; `config.app` is the `Connections`."""
        # A request carries the state with it, and so leads back to its connection.
        state = app_state | {"connection": self}
        self._http = H11Protocol(config, server_state, state, _loop)
        self._loop = _loop or asyncio.get_running_loop()
        assert isinstance(config.app, Connections)
        self._all = config.app
        self._limit = self._all.strangers
        self._transport: asyncio.Transport
        self._deadline: asyncio.TimerHandle
        self._stalled: asyncio.TimerHandle | None = None
        self._requests = 0
        self._bytes = self._lines = 0
        """Since the last request began."""
        self._received = b""
        """Waits for its turn."""
        self.address = ""
        self.paired = False

    # From the network

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._transport = transport
        self.address = str((transport.get_extra_info("peername") or ("",))[0])
        self._expect_request()
        self._http.connection_made(transport)
        self._limit.add(self)

    def data_received(self, data: bytes) -> None:
        self._bytes += len(data)
        self._lines += data.count(b"\n")
        if self._bytes > LARGEST or self._lines > MOST_LINES:
            self._refuse()
            return
        if not self._received:
            self._all.queue.add(self._take, self.paired)
        self._received += data

    def _take(self) -> None:
        data, self._received = self._received, b""
        if not self._transport.is_closing():
            self._http.data_received(data)

    def _refuse(self) -> None:
        if not self._requests:
            error = too_large()
            self._transport.write(_raw(failure(error.status, error.code, error.sentence, HEADERS)))
        self._transport.close()

    def pause_writing(self) -> None:
        self._stalled = self._loop.call_later(STALLED, self.drop)
        self._http.pause_writing()

    def resume_writing(self) -> None:
        self._go_on()
        self._http.resume_writing()

    def _go_on(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def connection_lost(self, exc: Exception | None) -> None:
        self._limit.remove(self)
        self._deadline.cancel()
        self._go_on()
        self._http.connection_lost(exc)

    def drop(self) -> None:
        """End it, without waiting for anybody."""
        self._transport.abort()

    # From the pages

    def begin(self, paired: bool) -> None:
        """Note that a request is here in full: its connection is the last to go."""
        self._requests += 1
        self._deadline.cancel()
        self._bytes = self._lines = 0
        if not self._transport.is_closing():
            self._limit.remove(self)
            self.paired = paired
            self._limit = self._all.paired if paired else self._all.strangers
            self._limit.add(self)

    def end(self) -> None:
        """Note that a request is answered: the next one has its time."""
        self._requests -= 1
        if not self._requests and not self._transport.is_closing():
            self._expect_request()

    def _expect_request(self) -> None:
        self._deadline = self._loop.call_later(IDLE, self._transport.close)


def _raw(response: Response) -> bytes:
    """An answer as it goes over the wire, after which the connection ends."""
    line = f"HTTP/1.1 {response.status_code} {HTTPStatus(response.status_code).phrase}\r\n".encode()
    headers = b"".join(b"%s: %s\r\n" % each for each in response.raw_headers)
    return b"%s%sconnection: close\r\n\r\n%s" % (line, headers, bytes(response.body))
