"""Limits on connections, without a network: the loop's time is moved by hand."""

import asyncio
import json
import resource
import socket
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from typing import Any

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from centerpiece.web import connections, server
from centerpiece.web.connections import (
    ACCEPTED_AT_ONCE,
    IDLE,
    LARGEST,
    MOST_LINES,
    STALLED,
    Connection,
    Connections,
    ListeningSocket,
    WorkQueue,
)

ASK = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
KNOWN = b"GET / HTTP/1.1\r\nHost: localhost\r\nCookie: known\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"


class Transport(asyncio.Transport):
    """A connection's transport that records what is written and how it ends."""

    def __init__(self, address: str) -> None:
        super().__init__({"peername": (address, 50_000), "sockname": ("127.0.0.1", 80)})
        self.written = b""
        self.reading = True
        self.gone = ""

    def write(self, data: Any) -> None:
        self.written += data

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True

    def is_closing(self) -> bool:
        return bool(self.gone)

    def close(self) -> None:
        self.gone = self.gone or "closed"

    def abort(self) -> None:
        self.gone = self.gone or "dropped"


class FakeServer:
    """A server's connections, and a loop whose time is moved by hand."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.now = 0.0
        self.loop.time = lambda: self.now  # type: ignore[method-assign]
        self.all = Connections(
            self._app, lambda scope: (b"cookie", b"known") in scope["headers"], strangers=4
        )
        self.answering = asyncio.Event()
        self.requests: list[str] = []
        self._config = uvicorn.Config(
            self.all,
            timeout_keep_alive=IDLE,
            log_config=None,
            h11_max_incomplete_event_size=LARGEST,
        )

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.requests.append(scope["client"][0])
        if scope["method"] == "POST":
            while (await receive()).get("more_body"):
                pass
        await self.answering.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    def connect(self, address: str = "10.0.0.1", data: bytes = b"") -> tuple[Connection, Transport]:
        transport = Transport(address)
        made = Connection(self._config, ServerState(), {}, self.loop)
        made.connection_made(transport)
        if data:
            self.receive(made, data)
        return made, transport

    def receive(self, one: Connection, data: bytes) -> None:
        self.run(lambda: one.data_received(data))

    def run(self, work: Callable[[], None] = lambda: None) -> None:
        async def some() -> None:
            work()
            for _ in range(20):
                await asyncio.sleep(0)

        self.loop.run_until_complete(some())

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.run()


@pytest.fixture
def fake() -> Any:
    fake = FakeServer()
    yield fake
    for task in asyncio.all_tasks(fake.loop):
        task.cancel()
    fake.run()
    fake.loop.close()


def test_an_address_that_holds_too_many_has_no_room_for_more(
    fake: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other addresses are not affected, and closing one makes room."""
    monkeypatch.setattr(connections, "PER_ADDRESS", 3)
    held = [fake.connect()[0] for _ in range(3)]

    assert not fake.all.make_room("10.0.0.1")
    assert fake.all.make_room("10.0.0.2")
    held[0].connection_lost(None)
    assert fake.all.make_room("10.0.0.1")


def test_idle_pages_lock_nobody_out_who_shares_their_address(
    fake: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hall full of phones behind one router: the page that was idle for longest makes room."""
    monkeypatch.setattr(connections, "PER_ADDRESS", 3)
    pages = [fake.connect(data=ASK) for _ in range(3)]
    fake.wait(IDLE - 1)
    assert not fake.all.make_room("10.0.0.1"), "a storm of connections does not replace itself"
    fake.wait(1)

    assert fake.all.make_room("10.0.0.1")
    fake.connect("10.0.0.1")
    assert ["dropped", "", ""] == [transport.gone for _, transport in pages]
    assert fake.all.make_room("10.0.0.1")
    assert ["dropped", "dropped", ""] == [transport.gone for _, transport in pages]


def test_when_all_is_full_the_largest_crowd_loses_who_was_quiet_for_longest(
    fake: FakeServer,
) -> None:
    """An address with one connection gets in, and a recent request counts as activity."""
    first, at_first = fake.connect()
    _, at_second = fake.connect()
    fake.connect()
    fake.receive(first, ASK)
    _, other = fake.connect("10.0.0.2")
    _, newest = fake.connect("10.0.0.3")

    assert ["", "dropped", "", ""] == [t.gone for t in (at_first, at_second, other, newest)]


def test_paired_phones_have_a_room_of_their_own(fake: FakeServer) -> None:
    """Unpaired clients cannot evict them; among too many paired ones the longest idle goes."""
    fake.all.paired = connections.ConnectionLimit(2)
    _, phone = fake.connect("10.0.0.9", KNOWN)
    for number in range(20):
        fake.connect(f"10.0.0.{number % 7 + 1}", ASK)

    assert "" == phone.gone
    fake.connect("10.0.0.8", KNOWN)
    fake.connect("10.0.0.7", KNOWN)
    assert "dropped" == phone.gone


def test_a_connection_that_is_lost_while_its_request_begins_leaves_nothing(
    fake: FakeServer,
) -> None:
    """Its place is free again, and no timer is left."""
    one, transport = fake.connect()

    async def lost() -> None:
        one.data_received(ASK)
        await asyncio.sleep(0)
        transport.abort()
        one.connection_lost(None)

    fake.loop.run_until_complete(lost())
    fake.answering.set()
    fake.run()

    assert 0 == fake.all.strangers.count_of("10.0.0.1")
    assert ["10.0.0.1"] == fake.requests


@pytest.mark.parametrize("words", [[], [b"GET /"], [b"G", b"E", b"T", b" /", b" HT"]])
def test_headers_have_their_time_and_no_more(fake: FakeServer, words: list[bytes]) -> None:
    """Slowly sent headers do not extend the timeout."""
    one, transport = fake.connect()
    for letter in words:
        fake.wait(IDLE / 6)
        fake.receive(one, letter)
    fake.wait(IDLE - len(words) * IDLE / 6 - 0.1)
    assert "" == transport.gone
    fake.wait(0.2)

    assert "closed" == transport.gone


def test_an_answer_may_take_longer_than_headers(fake: FakeServer) -> None:
    """An event stream is an endless answer; the timeout restarts after an answer's end."""
    _, transport = fake.connect(data=ASK)
    fake.wait(10 * IDLE)
    assert "" == transport.gone
    fake.run(fake.answering.set)
    fake.wait(IDLE - 1)
    assert "" == transport.gone
    fake.wait(2)

    assert b"200 OK" in transport.written
    assert "closed" == transport.gone


def test_who_does_not_read_is_dropped_after_a_while(fake: FakeServer) -> None:
    """A client that reads a little stays."""
    slow, at_slow = fake.connect(data=ASK)
    never, at_never = fake.connect(data=ASK)
    for one in (slow, never):
        one.pause_writing()
    fake.wait(STALLED / 2)
    slow.resume_writing()
    slow.pause_writing()
    fake.wait(STALLED / 2 + 1)

    assert ["", "dropped"] == [at_slow.gone, at_never.gone]


def test_what_is_no_http_is_refused(fake: FakeServer) -> None:
    _, transport = fake.connect(data=b"HELO hub\r\n\r\n")

    assert transport.written.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert "closed" == transport.gone
    assert [] == fake.requests


def test_a_malformed_body_behind_an_open_answer_ends_the_connection(fake: FakeServer) -> None:
    """Nothing can be answered to it any more; an error in the log for each would fill it."""

    async def stream(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"data", "more_body": True})
        await fake.answering.wait()

    fake.all._app = stream
    head = b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    connection, transport = fake.connect(data=head)
    assert transport.written.startswith(b"HTTP/1.1 200")
    fake.receive(connection, b"ZZZ\r\n")

    assert "dropped" == transport.gone


def test_requests_that_come_together_are_answered_one_after_the_other(fake: FakeServer) -> None:
    """Pipelined requests wait for the answer to the one before."""
    _, transport = fake.connect(data=ASK * 3)
    assert 1 == len(fake.requests)
    fake.answering.set()
    fake.run()

    assert 3 == len(fake.requests)
    assert 3 == transport.written.count(b"200 OK")
    fake.wait(IDLE - 1)
    assert "" == transport.gone


def test_each_turn_of_the_loop_has_one_piece_of_work_the_paired_first() -> None:
    """A press in between waits for one piece, not for all."""
    done: list[str] = []

    async def doing() -> None:
        queue = WorkQueue()
        for number in range(3):
            queue.add(lambda number=number: done.append(f"stranger {number}"), first=False)  # type: ignore[misc]
        queue.add(lambda: done.append("phone"), first=True)
        asyncio.get_running_loop().call_soon(done.append, "press")
        for _ in range(10):
            await asyncio.sleep(0)

    asyncio.run(doing())

    assert ["phone", "press", "stranger 0", "stranger 1", "stranger 2"] == done


def test_a_server_has_all_files_that_the_system_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The soft limit is raised to the hard one; if that is refused, it stays."""
    limits: list[Any] = []
    monkeypatch.setattr(resource, "getrlimit", lambda which: (256, 4096))
    monkeypatch.setattr(resource, "setrlimit", lambda which, limit: limits.append(limit))
    assert 4096 == server._raise_file_limit()

    def refused(which: int, limit: Any) -> None:
        raise ValueError("not allowed to raise maximum limit")

    monkeypatch.setattr(resource, "setrlimit", refused)
    assert 256 == server._raise_file_limit()
    assert [(4096, 4096)] == limits


def test_new_connections_are_let_in_a_few_at_a_time() -> None:
    """Connections over the limit are closed without delaying others."""
    crowd = 5
    full = crowd * ACCEPTED_AT_ONCE
    with socket.create_server(("127.0.0.1", 0)) as plain, ExitStack() as opened:
        address = plain.getsockname()
        door = opened.enter_context(closing(ListeningSocket(plain.dup(), lambda who: let())))
        door.setblocking(False)
        for _ in range(full):
            opened.enter_context(socket.create_connection(address))
        room = iter([False] * crowd + [True] * full)

        def let() -> bool:
            return next(room)

        turns = []
        for _ in range(crowd + 1):
            turns.append(0)
            with suppress(BlockingIOError):
                while True:
                    opened.enter_context(closing(door.accept()[0]))
                    turns[-1] += 1

    assert [ACCEPTED_AT_ONCE, ACCEPTED_AT_ONCE, 1] == turns[:3]
    assert sum(turns) == full - crowd


def test_a_connection_that_is_let_in_answers_at_once() -> None:
    """asyncio sets TCP_NODELAY only on sockets whose protocol is TCP."""
    with server.listen("127.0.0.1", 0) as plain:
        door = ListeningSocket(plain.dup(), lambda who: True)
        with closing(door), socket.create_connection(plain.getsockname()):
            link, _ = door.accept()
            with link:
                assert socket.IPPROTO_TCP == link.proto


def head(lines: int = 3, size: int = 0, end: bytes = b"\r\n") -> bytes:
    """Make a request with so many lines, and a cookie of so many bytes."""
    first = [b"GET / HTTP/1.1", *(b"x%d: y" % n for n in range(lines - 4)), b"Host: localhost"]
    return b"\r\n".join(first) + b"\r\nCookie: " + b"z" * size + b"\r\n" + end


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (head(MOST_LINES - 10), b"200"),
        (head(size=LARGEST // 2), b"200"),
        (POST % (LARGEST // 2) + b"x" * (LARGEST // 2), b"200"),
        (head(MOST_LINES + 1), b"413"),
        (head(10_000), b"413"),
        (head(size=LARGEST), b"413"),
        (head(size=LARGEST, end=b""), b"413"),
        (head(MOST_LINES + 2, end=b""), b"413"),
    ],
    ids=["many", "long", "body", "too many", "thousands", "too long", "no end", "many, no end"],
)
@pytest.mark.parametrize("piece", [1_000_000, 1000])
@pytest.mark.parametrize("before", [b"", ASK], ids=["first", "second"])
def test_a_request_is_bounded_however_it_comes(
    fake: FakeServer, words: bytes, status: bytes, piece: int, before: bytes
) -> None:
    """At once, in pieces or pipelined: it is not parsed; a first request gets an error."""
    fake.answering.set()
    one, transport = fake.connect(data=before)
    for start in range(0, len(words), piece):
        if not transport.gone:
            fake.receive(one, words[start : start + piece])

    answers = transport.written.split(b"HTTP/1.1 ")[1:]
    assert [b"200"] * bool(before) + [status] == [answer[:3] for answer in answers]
    assert (status != b"200") == bool(transport.gone)
    if transport.gone:
        top, _, body = answers[-1].partition(b"\r\n\r\n")
        assert b"x-frame-options: DENY" in top
        assert "too-large" == json.loads(body)["error"]["code"]


def test_what_is_sent_behind_a_request_is_bounded_too(fake: FakeServer) -> None:
    """During an endless answer, such as an event stream, nothing is buffered without limit."""
    one, transport = fake.connect(data=ASK)
    for _ in range(LARGEST // 1000):
        fake.receive(one, b"x" * 1000)
    assert "" == transport.gone
    fake.receive(one, b"x" * 1000)

    assert "closed" == transport.gone
    assert b"" == transport.written
