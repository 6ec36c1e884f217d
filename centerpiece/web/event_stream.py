"""Server-sent events: each change is encoded once and sent to every open page.

A slow page gets the newest document when it is ready, and skips those in between.
Pages are woken a few per loop iteration, after the press that caused the change was answered, so
the next press waits for a few pages at most. After a pass over all pages comes a pause as long as
the pass: however many pages and changes there are, they take at most half of the hub's time.
"""

import asyncio
from collections.abc import Callable

from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

HEARTBEAT = 15.0
AT_ONCE = 8
"""Pages woken in one loop iteration."""
RETRY_MS = 1_000

_START = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


class Page:
    """One open page and its unsent events."""

    __slots__ = ("gone", "may_read", "pending", "woken")

    def __init__(self, may_read: Callable[[], bool]) -> None:
        self.may_read = may_read
        self.pending: dict[str, bytes] = {}
        """The newest unsent event of each kind."""
        self.woken = asyncio.Event()
        self.gone = False


class Stream:
    """An ASGI application that sends events to all open pages, and a greeting to each new one."""

    def __init__(self, greeting: Callable[[], bytes]) -> None:
        self._greeting = greeting
        self._pages: set[Page] = set()
        self._waiting: list[Page] = []
        self._changed = False
        self._pausing = False
        self._began = 0.0
        self._heartbeat: asyncio.TimerHandle | None = None
        self._closed = False

    @property
    def count(self) -> int:
        """The number of open pages."""
        return len(self._pages)

    def push(self, kind: str, event: bytes) -> None:
        """Send the encoded `event` to every open page; without pages, nothing happens.

        If a page has not got the last event of this `kind` yet, that one is replaced and never
        sent. Pages are woken later, not before this returns.
        """
        if not self._pages:
            return
        for page in self._pages:
            page.pending[kind] = event
        self._changed = True
        if not self._waiting and not self._pausing:
            self._begin_pass()

    def close(self) -> None:
        """End the streams of all pages; a stream opened later gets the greeting and ends."""
        self._closed = True
        if self._heartbeat is not None:
            self._heartbeat.cancel()
        for page in self._pages:
            page.gone = True
            page.woken.set()

    def end_refused(self) -> None:
        """End the streams of those pages whose `may_read` is False by now."""
        for page in self._pages:
            page.gone = page.gone or not page.may_read()
            if page.gone:
                page.woken.set()

    async def __call__(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        may_read: Callable[[], bool] = lambda: True,
    ) -> None:
        """Send the greeting to a new page, then events, until it leaves or the stream is closed.

        It ends too once `may_read` returns False, which is asked before each sending of events. A
        HEAD request gets the headers only; other methods than GET raise HTTPException 405.
        """
        if scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(405, headers={"Allow": "GET, HEAD"})
        await send({"type": "http.response.start", "status": 200, "headers": _START})
        if scope["method"] == "HEAD":
            return await send({"type": "http.response.body"})
        page = Page(may_read)
        disconnect = asyncio.ensure_future(_await_disconnect(receive, page))
        self._add(page)
        try:
            body = b"retry: %d\n\n" % RETRY_MS + self._greeting()
            while True:
                await send({"type": "http.response.body", "body": body, "more_body": True})
                await page.woken.wait()
                page.woken.clear()
                if page.gone or not may_read():
                    break
                body = b"".join(page.pending.values())
                page.pending.clear()
            await send({"type": "http.response.body"})
        finally:
            self._pages.discard(page)
            disconnect.cancel()

    def _add(self, page: Page) -> None:
        """Add a page, which ends after its greeting if the stream is closed; begin a heartbeat."""
        if self._closed:
            page.gone = True
            page.woken.set()
        self._pages.add(page)
        if self._heartbeat is None:
            loop = asyncio.get_running_loop()
            self._heartbeat = loop.call_later(HEARTBEAT, self.beat)

    def beat(self) -> None:
        """Send a heartbeat to all pages, so that both ends notice a dead connection; plan the next.

        It stops while there are no pages, and at the close. It is an event and not a comment,
        because browsers do not report comments to scripts.
        """
        self._heartbeat = None
        if self._pages and not self._closed:
            self.push("heartbeat", event(b"", "heartbeat"))
            loop = asyncio.get_running_loop()
            self._heartbeat = loop.call_later(HEARTBEAT, self.beat)

    def _begin_pass(self) -> None:
        """Begin to wake all pages; what is pushed meanwhile waits for the next pass."""
        loop = asyncio.get_running_loop()
        self._changed, self._waiting, self._began = False, list(self._pages), loop.time()
        loop.call_soon(self._wake_some)

    def _wake_some(self) -> None:
        """Wake the next `AT_ONCE` pages of this pass; the others follow in later iterations.

        After the last of them, pause as long as the pass took.
        """
        some, self._waiting = self._waiting[:AT_ONCE], self._waiting[AT_ONCE:]
        for page in some:
            page.woken.set()
        loop = asyncio.get_running_loop()
        if self._waiting:
            loop.call_soon(self._wake_some)
        else:
            self._pausing = True
            loop.call_later(loop.time() - self._began, self._end_pause)

    def _end_pause(self) -> None:
        """End the pause; begin a pass if something was pushed meanwhile."""
        self._pausing = False
        if self._changed and self._pages:
            self._begin_pass()


async def _await_disconnect(receive: Receive, page: Page) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    page.gone = True
    page.woken.set()


def event(body: bytes, kind: str = "", number: int | None = None) -> bytes:
    """Return one event as bytes on the wire, with `body` as its data.

    `kind` is its type for the page's script, by default "message"; `number` is its id, by which a
    page that reconnects tells what it has seen.
    """
    lines = [b"data: " + body, b"", b""]
    if kind:
        lines.insert(0, b"event: " + kind.encode())
    if number is not None:
        lines.insert(0, b"id: %d" % number)
    return b"\n".join(lines)
