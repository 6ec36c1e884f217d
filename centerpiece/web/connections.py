"""Limits in front of the HTTP server: connections, their lifetime, and work per loop iteration.

uvicorn speaks HTTP. In front of it a listening socket accepts new connections a few at a time
(`ListeningSocket`), and each connection has a protocol that counts and forwards what arrives
(`Connection`). So network load cannot delay the buttons:

- Connections are limited in total and by address. When the total is reached, the address with the
  most connections loses the one idle for longest: a flood evicts its own connections first, and
  an address with one or two still gets in. Paired phones have a limit of their own. Behind one
  address there may be a hall full of phones: at its limit, a new one replaces an idle page.
- A connection without a request has `IDLE` seconds to send all headers of the next one; one that
  stops reading its answer has `STALLED`.
- Between two requests at most `LARGEST` bytes in `MOST_LINES` lines may arrive: parsing a long
  head costs the hub's time.
- Each loop iteration parses one received piece, paired phones first: a press waits for one
  request at most, however many there are.
"""

import asyncio
import socket
from collections import deque
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from h11 import ProtocolError
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from centerpiece.web.json_answers import HEADERS, failure
from centerpiece.web.request_guard import LARGEST_BODY, too_large

IDLE = 10
"""Seconds for the headers of a request, from the connection's start or the last answer."""
STALLED = 20.0
"""Seconds in which a client must read some of what is sent to it."""
LARGEST = 2 * LARGEST_BODY
"""Bytes of a request, half of them for its head; a browser's head needs an eighth of that."""
MOST_LINES = 256
STRANGERS = 512
"""Connections of unpaired clients."""
PER_ADDRESS = 256
"""Connections of one address."""
PAIRED = 128
"""Connections of paired phones, in addition to all others."""
CHECKED_AT_ONCE = 32
"""New connections looked at in one loop iteration; closing one over the limit costs little."""
ACCEPTED_AT_ONCE = 2
"""New connections accepted in one loop iteration."""
SEND_BUFFER = 65_536
"""Kernel send buffer in bytes; by default the kernel would keep megabytes for a slow reader."""


class ListeningSocket(socket.socket):
    """A listening socket that accepts a few connections per loop iteration.

    asyncio accepts until BlockingIOError. Raising it early makes asyncio continue in its next
    iteration. Connections over an address's limit are closed here, ahead of those behind them.
    """

    def __init__(self, listener: socket.socket, make_room: Callable[[str], bool]) -> None:
        """Take over the listening socket `listener`, which is detached.

        `make_room` is asked for each new connection whether its address may have it, and may drop
        another one for it.
        """
        super().__init__(fileno=listener.detach())
        self.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        self._make_room = make_room
        self._accepted = 0

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection that `make_room` allows; those that it does not are closed.

        Raise BlockingIOError when none is waiting, and after `ACCEPTED_AT_ONCE` accepted or
        `CHECKED_AT_ONCE` checked ones: asyncio then goes on in its next iteration.
        """
        for _ in range(CHECKED_AT_ONCE):
            if self._accepted == ACCEPTED_AT_ONCE:
                break
            link, address = super().accept()
            if self._make_room(address[0]):
                self._accepted += 1
                return link, address
            link.close()
        self._accepted = 0
        raise BlockingIOError


class ConnectionLimit:
    """A bounded set of connections, by address, each address's longest idle first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._count = 0
        self._connections: dict[str, dict[Connection, None]] = {}

    def count_of(self, address: str) -> int:
        """Return the number of connections of an address."""
        return len(self._connections.get(address, ()))

    def add(self, connection: "Connection") -> None:
        """Add a connection as the most recently used; beyond the limit, remove and drop one.

        That is the longest idle connection of the address that has the most; it may be the new one.
        """
        self._connections.setdefault(connection.address, {})[connection] = None
        self._count += 1
        if self._count > self._most:
            largest = max(self._connections, key=self.count_of)
            idlest = next(iter(self._connections[largest]))
            self.remove(idlest)
            idlest.drop()

    def drop_idle(self, address: str) -> bool:
        """Drop the longest idle connection of an address; False if none has been idle long enough.

        Long enough is `IDLE` seconds since its last request began.
        """
        idlest = next(iter(self._connections.get(address, ())), None)
        if idlest is None or idlest.idle_seconds() < IDLE:
            return False
        self.remove(idlest)
        idlest.drop()
        return True

    def remove(self, connection: "Connection") -> None:
        """Remove a connection without closing it; nothing happens if it is not there."""
        own = self._connections.get(connection.address, {})
        if connection in own:
            del own[connection]
            self._count -= 1
            if not own:
                del self._connections[connection.address]


class WorkQueue:
    """A queue that runs one callback per loop iteration, those added as `first` before others."""

    def __init__(self) -> None:
        self._first: deque[Callable[[], None]] = deque()
        self._others: deque[Callable[[], None]] = deque()
        self._scheduled = False

    def add(self, work: Callable[[], None], first: bool) -> None:
        """Queue a callback."""
        (self._first if first else self._others).append(work)
        self._schedule()

    def _schedule(self) -> None:
        if not self._scheduled and (self._first or self._others):
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self._run_next)

    def _run_next(self) -> None:
        self._scheduled = False
        work = (self._first or self._others).popleft()
        self._schedule()
        work()


class Connections:
    """All connections of a server; as its outer ASGI layer, notes each request's begin and end."""

    def __init__(
        self, app: ASGIApp, knows: Callable[[Scope], bool], strangers: int = STRANGERS
    ) -> None:
        """Wrap the application `app`; `knows` tells whether a request comes from a paired phone.

        `strangers` is the most connections of all unpaired clients together.
        """
        self._app = app
        self._knows = knows
        self.strangers = ConnectionLimit(strangers)
        self.paired = ConnectionLimit(PAIRED)
        self.queue = WorkQueue()

    def make_room(self, address: str) -> bool:
        """Return whether an address may hold one more connection, in place of an idle one if need
        be."""
        strangers = self.strangers
        return strangers.count_of(address) < PER_ADDRESS or strangers.drop_idle(address)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the application, and note its begin and end on its connection.

        If the request is cancelled because the hub stops, the connection is dropped without an
        answer.
        """
        connection: Connection = scope["state"].pop("connection")
        connection.begin(self._knows(scope))
        try:
            await self._app(scope, receive, send)
        except asyncio.CancelledError:
            # The hub stops: no answer is better than a wrong one.
            connection.drop()
            await asyncio.sleep(0)  # until uvicorn knows that nobody waits for an answer
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
        """Follow uvicorn's protocol interface; `config.app` must be the `Connections`."""
        # The state reaches `Connections` in each request's scope, and names its connection.
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
        """Counted since the last request began."""
        self._received = b""
        """Data in the work queue."""
        self._used_at = 0.0
        """When the connection was made, or its last request began."""
        self.address = ""
        self.paired = False

    # From the network

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._transport = transport
        self.address = str((transport.get_extra_info("peername") or ("",))[0])
        self._expect_request()
        self._http.connection_made(transport)
        self._limit.add(self)
        self._used_at = self._loop.time()

    def data_received(self, data: bytes) -> None:
        """Queue data for uvicorn, that of paired phones first.

        More than `LARGEST` bytes or `MOST_LINES` lines since the last request began are refused,
        and the connection closes.
        """
        self._bytes += len(data)
        self._lines += data.count(b"\n")
        if self._bytes > LARGEST or self._lines > MOST_LINES:
            self._refuse()
            return
        if not self._received:
            self._all.queue.add(self._take, self.paired)
        self._received += data

    def _take(self) -> None:
        """Pass the queued data on to uvicorn; drop the data if the connection is closing.

        The connection is dropped if the data is no HTTP after an answer has begun.
        """
        data, self._received = self._received, b""
        if self._transport.is_closing():
            return
        try:
            self._http.data_received(data)
        except ProtocolError:
            # A body that is no HTTP, after its answer has begun: nothing can be answered to it.
            self.drop()

    def _refuse(self) -> None:
        """Close; first answer that the request is too large, unless a request is under way."""
        if not self._requests:
            error = too_large()
            self._transport.write(_raw(failure(error.status, error.code, error.sentence, HEADERS)))
        self._transport.close()

    def pause_writing(self) -> None:
        self._stalled = self._loop.call_later(STALLED, self.drop)
        self._http.pause_writing()

    def resume_writing(self) -> None:
        self._cancel_stalled()
        self._http.resume_writing()

    def _cancel_stalled(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def connection_lost(self, exc: Exception | None) -> None:
        self._limit.remove(self)
        self._deadline.cancel()
        self._cancel_stalled()
        self._http.connection_lost(exc)

    def idle_seconds(self) -> float:
        """Return the time since the last request began."""
        return self._loop.time() - self._used_at

    def drop(self) -> None:
        """Close without flushing."""
        self._transport.abort()

    # From the pages

    def begin(self, paired: bool) -> None:
        """Note the begin of a request, which makes this the most recently used connection.

        `paired` says whether the request's sender is a paired phone: from now on the connection
        counts among the paired ones or the strangers. A connection that is closing changes no
        count.
        """
        self._requests += 1
        self._used_at = self._loop.time()
        self._deadline.cancel()
        self._bytes = self._lines = 0
        if not self._transport.is_closing():
            self._limit.remove(self)
            self.paired = paired
            self._limit = self._all.paired if paired else self._all.strangers
            self._limit.add(self)

    def end(self) -> None:
        """Note the end of an answer, which starts the idle timeout."""
        self._requests -= 1
        if not self._requests and not self._transport.is_closing():
            self._expect_request()

    def _expect_request(self) -> None:
        self._deadline = self._loop.call_later(IDLE, self._transport.close)


def _raw(response: Response) -> bytes:
    """Return an answer's bytes on the wire, with `connection: close`."""
    line = f"HTTP/1.1 {response.status_code} {HTTPStatus(response.status_code).phrase}\r\n".encode()
    headers = b"".join(b"%s: %s\r\n" % each for each in response.raw_headers)
    return b"%s%sconnection: close\r\n\r\n%s" % (line, headers, bytes(response.body))
