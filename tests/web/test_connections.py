"""Who may hold a connection, for how long, and whose turn it is: without a network, by hand."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from centerpiece.web import connections
from centerpiece.web.connections import (
    IDLE,
    LARGEST_HEAD,
    MOST_HEADERS,
    STALLED,
    Connection,
    Connections,
    Room,
    Turns,
)

ASK = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
KNOWN = b"GET / HTTP/1.1\r\nHost: localhost\r\nCookie: known\r\n\r\n"
ROOM = Room(strangers=4, each=3, known=2)


class Transport(asyncio.Transport):
    """A connection's other side, as far as it is noticed here."""

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


class House:
    """Connections of one server, and a loop whose time is passed by hand."""

    def __init__(self, room: Room = ROOM) -> None:
        self.loop = asyncio.new_event_loop()
        self.now = 0.0
        self.loop.time = lambda: self.now  # type: ignore[method-assign]
        self.all = Connections(room, lambda scope: (b"cookie", b"known") in scope["headers"])
        self.answering = asyncio.Event()
        self.asked: list[str] = []
        self._config = uvicorn.Config(
            self._app, interface="asgi3", timeout_keep_alive=IDLE, log_config=None
        )

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.asked.append(scope["client"][0])
        await self.answering.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    def comes(self, address: str = "10.0.0.1", says: bytes = b"") -> tuple[Connection, Transport]:
        transport = Transport(address)
        made = Connection(
            self.all,
            config=self._config,
            server_state=ServerState(),
            app_state={},
            _loop=self.loop,
        )
        made.connection_made(transport)
        if says:
            self.says(made, says)
        return made, transport

    def says(self, one: Connection, words: bytes) -> None:
        self.run(lambda: one.data_received(words))

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
def house() -> Any:
    house = House()
    yield house
    for task in asyncio.all_tasks(house.loop):
        task.cancel()
    house.run()
    house.loop.close()


def test_an_address_that_holds_too_many_has_no_room_for_more(house: House) -> None:
    """
    Others have, and so has this one when it lets one go.
    """
    held = [house.comes()[0] for _ in range(ROOM.each)]

    assert not house.all.has_room("10.0.0.1")
    assert house.all.has_room("10.0.0.2")
    held[0].connection_lost(None)
    assert house.all.has_room("10.0.0.1")


def test_when_all_is_full_the_largest_crowd_loses_who_was_quiet_for_longest(house: House) -> None:
    """
    Somebody who comes with one gets in; who has just asked for something stays.
    """
    first, at_first = house.comes()
    _, at_second = house.comes()
    house.comes()
    house.says(first, ASK)
    _, other = house.comes("10.0.0.2")
    _, newest = house.comes("10.0.0.3")

    assert ["", "dropped", "", ""] == [t.gone for t in (at_first, at_second, other, newest)]


def test_paired_phones_have_a_room_of_their_own(house: House) -> None:
    """
    No crowd of strangers reaches them; among too many of their own the quietest goes.
    """
    _, phone = house.comes("10.0.0.9", KNOWN)
    for number in range(20):
        house.comes(f"10.0.0.{number % 7 + 1}", ASK)

    assert "" == phone.gone
    house.comes("10.0.0.8", KNOWN)
    house.comes("10.0.0.8", KNOWN)
    assert "dropped" == phone.gone


@pytest.mark.parametrize("words", [[], [b"GET /"], [b"G", b"E", b"T", b" /", b" HT"]])
def test_headers_have_their_time_and_no_more(house: House, words: list[bytes]) -> None:
    """
    Each letter that drips in does not buy another ten seconds.
    """
    one, transport = house.comes()
    for letter in words:
        house.wait(IDLE / 6)
        house.says(one, letter)
    house.wait(IDLE - len(words) * IDLE / 6 - 0.1)
    assert "" == transport.gone
    house.wait(0.2)

    assert "closed" == transport.gone


def test_an_answer_may_take_longer_than_headers(house: House) -> None:
    """
    An open page is a request without end; after an answer the time begins anew.
    """
    _, transport = house.comes(says=ASK)
    house.wait(10 * IDLE)
    assert "" == transport.gone
    house.run(house.answering.set)
    house.wait(IDLE - 1)
    assert "" == transport.gone
    house.wait(2)

    assert b"200 OK" in transport.written
    assert "closed" == transport.gone


def test_who_does_not_read_is_dropped_after_a_while(house: House) -> None:
    """
    Who reads a little meanwhile is not.
    """
    slow, at_slow = house.comes(says=ASK)
    never, at_never = house.comes(says=ASK)
    for one in (slow, never):
        one.pause_writing()
    house.wait(STALLED / 2)
    slow.resume_writing()
    slow.pause_writing()
    house.wait(STALLED / 2 + 1)

    assert ["", "dropped"] == [at_slow.gone, at_never.gone]


def test_what_is_no_http_gets_an_error_like_all_others(house: House) -> None:
    """
    With its sentence and with the headers of every answer.
    """
    _, transport = house.comes(says=b"HELO hub\r\n\r\n")
    head, _, body = transport.written.decode().partition("\r\n\r\n")

    assert head.startswith("HTTP/1.1 400 Bad Request\r\n")
    assert "x-frame-options: DENY" in head
    assert "http" == json.loads(body)["error"]["code"]
    assert "closed" == transport.gone


def test_nothing_more_is_read_while_a_connection_waits_for_its_turn(house: House) -> None:
    """
    So what somebody sends without end stays with them.
    """
    one, transport = house.comes()

    async def burst() -> None:
        one.data_received(ASK * 3)
        assert not transport.reading

    house.loop.run_until_complete(burst())
    house.run()
    assert not transport.reading  # the second request waits for the first one's answer
    house.run(house.answering.set)
    assert transport.reading
    assert 3 == len(house.asked)


def test_each_turn_of_the_loop_has_one_piece_of_work_the_paired_first() -> None:
    """
    A press that comes in between waits for one, not for all.
    """
    done: list[str] = []

    async def doing() -> None:
        turns = Turns()
        for number in range(3):
            turns.wait(lambda number=number: done.append(f"stranger {number}"), first=False)  # type: ignore[misc]
        turns.wait(lambda: done.append("phone"), first=True)
        asyncio.get_running_loop().call_soon(done.append, "press")
        for _ in range(10):
            await asyncio.sleep(0)

    asyncio.run(doing())

    assert ["phone", "press", "stranger 0", "stranger 1", "stranger 2"] == done


def test_there_is_never_more_room_than_the_system_has_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """
    Half of them are left for the journal, the hall and the watchdog.
    """
    monkeypatch.setattr(connections.resource, "getrlimit", lambda which: (256, 4096))

    assert 128 == Room.here().strangers


def head(headers: int = 1, size: int = 0, end: bytes = b"\r\n") -> bytes:
    """A request with so many headers, and that much in the last of them."""
    lines = [b"GET / HTTP/1.1", *(b"x%d: y" % n for n in range(headers - 1)), b"Host: localhost"]
    return b"\r\n".join(lines) + b"\r\nCookie: " + b"z" * size + b"\r\n" + end


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (head(MOST_HEADERS - 1), b""),
        (head(size=LARGEST_HEAD // 2), b""),
        (head(MOST_HEADERS), b"431"),
        (head(10_000), b"431"),
        (head(size=LARGEST_HEAD), b"431"),
        (head(size=LARGEST_HEAD, end=b""), b"431"),
        (head(MOST_HEADERS + 1, end=b""), b"431"),
    ],
    ids=["many", "long", "too many", "ten thousand", "too long", "no end", "many without end"],
)
@pytest.mark.parametrize("piece", [1_000_000, 1000])
@pytest.mark.parametrize("before", [b"", ASK], ids=["first", "pipelined"])
def test_a_head_is_bounded_however_it_comes(
    house: House, words: bytes, status: bytes, piece: int, before: bytes
) -> None:
    """
    At once, piece by piece, or behind another: it is not even taken apart, and told why.
    """
    house.answering.set()
    one, transport = house.comes()
    words = before + words
    for start in range(0, len(words), piece):
        house.says(one, words[start : start + piece])

    answers = transport.written.split(b"HTTP/1.1 ")[1:]
    assert [b"200"] * (len(answers) - bool(status)) == [
        each[:3] for each in answers[: len(answers) - bool(status)]
    ]
    assert (bool(before) + 1, bool(status)) == (len(answers), bool(transport.gone))
    assert answers[-1].startswith(status or b"200")
