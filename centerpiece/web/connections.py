"""Who may hold a connection, and whose turn it is: the network never reaches the buttons.

Connections are counted in all and for each address. Nobody is turned away while there is room; when
there is none, the address that holds the most loses the one that was quiet for longest. So a crowd
of strangers pushes out strangers, of one address first its own, and whoever comes with one or two
gets in. Connections of paired phones have a room of their own.
A connection without a request has `IDLE` seconds for the next one's headers, all of them; one that
does not read what it asked for has `STALLED`. A head has `LARGEST_HEAD` bytes and `MOST_HEADERS`
lines at most, however it comes, and is not taken apart if it has more. New connections are taken a
few at a time, and of what they send one piece in each turn of the loop, the paired first: a press
waits for one request at most, however many there are.
"""

import asyncio
import logging
import resource
import socket
from collections import deque
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, NamedTuple

import h11
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from centerpiece.text import Sentence
from centerpiece.web.errors import HEADERS, failure

log = logging.getLogger("centerpiece.web")

IDLE = 10
"""Seconds for the headers of a request, from the connection's beginning or the last answer on."""
LARGEST_HEAD = 16_384
MOST_HEADERS = 64
"""What a browser sends is an eighth of it; to take a head apart costs the hub's time."""
STALLED = 20.0
"""Seconds in which somebody must read something of what is sent to them."""
LOOKED_AT = 32
"""New connections in one turn of the loop: to close one that has no room costs next to nothing."""
LET_IN = 2
"""Of those, how many are let in."""
MOST_WAITING = 64
REST_WITHOUT_FILES = 1.0
SEND_BUFFER = 65_536
"""Bytes that the system keeps for somebody who does not read; by itself it would keep megabytes."""


class Room(NamedTuple):
    """How many connections there may be."""

    strangers: int = 512
    each: int = 64
    """Of one address."""
    known: int = 128
    """Of paired phones, beside all others."""

    @classmethod
    def here(cls) -> "Room":
        """As much as the system gives us files for, and as many again for everything else."""
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return cls() if files < 0 else cls(strangers=min(cls().strangers, max(8, files // 2)))


def fits(head: bytes) -> bool:
    """Whether what has come of a head is, or may become, one that is taken apart."""
    end = head.find(b"\n\r\n", 0, LARGEST_HEAD)
    if end < 0:
        return len(head) < LARGEST_HEAD and head.count(b"\n") <= MOST_HEADERS
    return head.count(b"\n", 0, end) <= MOST_HEADERS


class Connections:
    """All that are open, by address, those that were quiet for longest first."""

    def __init__(self, room: Room, knows: Callable[[Scope], bool]) -> None:
        self._room = room
        self._knows = knows
        self._strangers: dict[str, dict[Connection, None]] = {}
        self._count = 0
        self._known: dict[Connection, None] = {}
        self.turns = Turns()

    def has_room(self, address: str) -> bool:
        """Whether somebody may hold one more. It costs nothing to be asked."""
        return len(self._strangers.get(address, ())) < self._room.each

    def enter(self, one: "Connection") -> None:
        """A new one is there; another may have to go for it."""
        self._strangers.setdefault(one.address, {})[one] = None
        self._count += 1
        if self._count > self._room.strangers:
            self._drop(max(self._strangers.values(), key=len))

    def asks(self, one: "Connection", scope: Scope) -> None:
        """It sends a request, and is the last to go. Now it can tell who it is."""
        if one in self._known or self._knows(scope):
            self.leave(one)
            self._known[one] = None
            one.known = True
            if len(self._known) > self._room.known:
                self._drop(self._known)
        elif (own := self._strangers.get(one.address)) and one in own:
            own[one] = own.pop(one)

    def leave(self, one: "Connection") -> None:
        """It is gone. May be called twice."""
        self._known.pop(one, None)
        own = self._strangers.get(one.address, {})
        if one in own:
            del own[one]
            self._count -= 1
            if not own:
                del self._strangers[one.address]

    def _drop(self, some: "dict[Connection, None]") -> None:
        one = next(iter(some))
        self.leave(one)
        one.drop()


class Turns:
    """One piece of work in each turn of the loop, what is `first` before all else."""

    def __init__(self) -> None:
        self._first: deque[Callable[[], None]] = deque()
        self._others: deque[Callable[[], None]] = deque()
        self._called = False

    def wait(self, work: Callable[[], None], first: bool) -> None:
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


class Connection(H11Protocol):
    """One connection, which is given its time and its turn."""

    def __init__(self, connections: Connections, **how: Any) -> None:
        super().__init__(**how)
        self._all = connections
        self._site = self.app
        self.app = self._answer
        self._waits = False
        self._stalled: asyncio.TimerHandle | None = None
        self.address = ""
        self.known = False
        """Whether it is a paired phone's."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        self._all.enter(self)
        # What ends a connection that is kept for another request ends one without a first, too.
        self.timeout_keep_alive_task = self.loop.call_later(IDLE, self.timeout_keep_alive_handler)

    def connection_lost(self, exc: Exception | None) -> None:
        self._all.leave(self)
        self._unset_keepalive_if_required()
        self._go_on()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self.flow.pause_reading()
        self.conn.receive_data(data)
        self.handle_events()

    def handle_events(self) -> None:
        """Read what has arrived, in a turn of its own."""
        if not self._waits:
            self._waits = True
            self._all.turns.wait(self._take, self.known)

    def _take(self) -> None:
        self._waits = False
        if self.transport.is_closing():
            return
        if self.conn.their_state is h11.IDLE and not fits(self.conn.trailing_data[0]):
            self._refuse(431, "head", Sentence("The head of the request is too long."))
            return
        self.flow.resume_reading()
        super().handle_events()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._all.asks(self, scope)
        await self._site(scope, receive, send)

    def send_400_response(self, msg: str) -> None:
        """What came was no HTTP: an error like all others."""
        self._refuse(400, "http", Sentence("That was no request that could be read."))

    def _refuse(self, status: int, code: str, words: Sentence) -> None:
        refusal = failure(status, code, words, HEADERS | {"Connection": "close"})
        head = "".join(f"{k.decode()}: {v.decode()}\r\n" for k, v in refusal.raw_headers)
        line = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n"
        self.transport.write(f"{line}{head}\r\n".encode() + refusal.body)
        self.transport.close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled = self.loop.call_later(STALLED, self.drop)

    def resume_writing(self) -> None:
        self._go_on()
        super().resume_writing()

    def _go_on(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def drop(self) -> None:
        """End it, without a word and without waiting for anybody."""
        self.transport.abort()


class Door:
    """Takes the new connections of a listening socket, until it is closed.

    Whoever holds too many is turned away at once, so that others need not stand in line behind
    them; the rest is let in a few at a time.
    """

    def __init__(
        self,
        listener: socket.socket,
        has_room: Callable[[str], bool],
        made: Callable[[], asyncio.Protocol],
    ) -> None:
        self._listener = listener
        self._has_room = has_room
        self._made = made
        self._loop = asyncio.get_running_loop()
        self._closed = False
        self._line: deque[socket.socket] = deque()
        self._coming: set[asyncio.Task[Any]] = set()
        listener.setblocking(False)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        self._open()

    def close(self) -> None:
        """Take no more."""
        self._loop.remove_reader(self._listener)
        self._closed = True
        while self._line:
            self._line.pop().close()

    def _open(self) -> None:
        if not self._closed:
            self._loop.add_reader(self._listener, self._look)

    def _look(self) -> None:
        begin = not self._line
        try:
            for _ in range(LOOKED_AT):
                link, (address, *_) = self._listener.accept()
                if self._has_room(address):
                    self._line.append(link)
                else:
                    link.close()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            pass
        except OSError as error:
            log.error("no connection can be taken: %s", error)
            self._loop.remove_reader(self._listener)
            self._loop.call_later(REST_WITHOUT_FILES, self._open)
        if len(self._line) > MOST_WAITING:
            self._loop.remove_reader(self._listener)
        if begin:
            self._let_in()

    def _let_in(self) -> None:
        for _ in range(min(LET_IN, len(self._line))):
            link = self._line.popleft()
            link.setblocking(False)
            coming = self._loop.create_task(self._loop.connect_accepted_socket(self._made, link))
            self._coming.add(coming)
            coming.add_done_callback(self._came)
        if self._line:
            self._loop.call_soon(self._let_in)
        else:
            self._open()

    def _came(self, coming: asyncio.Task[Any]) -> None:
        self._coming.discard(coming)
        if not coming.cancelled() and (error := coming.exception()) is not None:
            log.error("a connection could not be taken: %s", error)
