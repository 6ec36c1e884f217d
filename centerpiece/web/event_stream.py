"""Server-sent events: one document, encoded once for each change, to every page that is open.

A page that cannot keep up gets the newest document when it can, and never those in between.
Nothing is done for pages before the press that caused the change has been answered: they are
woken a few at a time from the loop, so that the next press need not wait for all of them. After
a round through all pages comes a rest as long as the round: pages never take more than half of
the hub's time, however many there are and however fast things change.
"""

import asyncio
from collections.abc import Callable

from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

HEARTBEAT = 15.0
AT_ONCE = 8
"""Pages that are woken in one turn of the loop."""
RETRY_MS = 1_000

_START = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


class Page:
    """One open page: what it has not been sent yet."""

    __slots__ = ("gone", "pending", "woken")

    def __init__(self) -> None:
        self.pending: dict[str, bytes] = {}
        """The newest event of each kind; a newer one takes the older one's place."""
        self.woken = asyncio.Event()
        self.gone = False


class Stream:
    """The pages that listen, and what to tell a new one. An ASGI application."""

    def __init__(self, greeting: Callable[[], bytes]) -> None:
        self._greeting = greeting
        self._pages: set[Page] = set()
        self._waiting: list[Page] = []
        self._news = False
        self._resting = False
        self._began = 0.0
        self._heartbeat: asyncio.TimerHandle | None = None
        self._closed = False

    @property
    def count(self) -> int:
        """The number of open pages."""
        return len(self._pages)

    def push(self, kind: str, event: bytes) -> None:
        """Send an event to every page, in place of an unsent one of the same kind."""
        if not self._pages:
            return
        for page in self._pages:
            page.pending[kind] = event
        self._news = True
        if not self._waiting and not self._resting:
            self._begin()

    def close(self) -> None:
        """End all streams; new ones end at once."""
        self._closed = True
        if self._heartbeat is not None:
            self._heartbeat.cancel()
        for page in self._pages:
            page.gone = True
            page.woken.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(405, headers={"Allow": "GET, HEAD"})
        await send({"type": "http.response.start", "status": 200, "headers": _START})
        if scope["method"] == "HEAD":
            return await send({"type": "http.response.body"})
        page = Page()
        leaving = asyncio.ensure_future(_left(receive, page))
        self._enter(page)
        try:
            greeting = b"retry: %d\n\n" % RETRY_MS + self._greeting()
            while True:
                await send({"type": "http.response.body", "body": greeting, "more_body": True})
                await page.woken.wait()
                page.woken.clear()
                if page.gone:
                    break
                greeting = b"".join(page.pending.values())
                page.pending.clear()
            await send({"type": "http.response.body"})
        finally:
            self._pages.discard(page)
            leaving.cancel()

    def _enter(self, page: Page) -> None:
        if self._closed:
            page.gone = True
            page.woken.set()
        self._pages.add(page)
        if self._heartbeat is None:
            loop = asyncio.get_running_loop()
            self._heartbeat = loop.call_later(HEARTBEAT, self.beat)

    def beat(self) -> None:
        """An event now and then, so that a dead connection is noticed by both ends.

        A comment would not do: browsers keep those to themselves.
        """
        self._heartbeat = None
        if self._pages and not self._closed:
            self.push("heartbeat", event(b"", "heartbeat"))
            loop = asyncio.get_running_loop()
            self._heartbeat = loop.call_later(HEARTBEAT, self.beat)

    def _begin(self) -> None:
        """A round through all pages; what is pushed meanwhile waits for the next one."""
        loop = asyncio.get_running_loop()
        self._news, self._waiting, self._began = False, list(self._pages), loop.time()
        loop.call_soon(self._wake_some)

    def _wake_some(self) -> None:
        some, self._waiting = self._waiting[:AT_ONCE], self._waiting[AT_ONCE:]
        for page in some:
            page.woken.set()
        loop = asyncio.get_running_loop()
        if self._waiting:
            loop.call_soon(self._wake_some)
        else:
            self._resting = True
            loop.call_later(loop.time() - self._began, self._rested)

    def _rested(self) -> None:
        self._resting = False
        if self._news and self._pages:
            self._begin()


async def _left(receive: Receive, page: Page) -> None:
    """Wait until the other end goes away."""
    while (await receive())["type"] != "http.disconnect":
        pass
    page.gone = True
    page.woken.set()


def event(body: bytes, kind: str = "", number: int | None = None) -> bytes:
    """One event as it goes over the wire."""
    lines = [b"data: " + body, b"", b""]
    if kind:
        lines.insert(0, b"event: " + kind.encode())
    if number is not None:
        lines.insert(0, b"id: %d" % number)
    return b"\n".join(lines)
