"""A table's link to its hall: two threads that may wait for Redis, so that the hub never does.

One publishes the table's line, the other listens for orders and hands them to the hub's own
thread. Whatever goes wrong is one sentence on the page and another try later.
"""

import asyncio
import logging
import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from centerpiece.config import HallSettings
from centerpiece.hall.table import order_listener
from centerpiece.hall.table.carry_out import CarryOut
from centerpiece.hall.table.line_publisher import LinePublisher, apart, offset_of
from centerpiece.hall.table.line_source import LineSource
from centerpiece.hall.table.order_listener import OrderListener
from centerpiece.hall.table.workers import Workers
from centerpiece.hall.wire.hall_errors import HallError
from centerpiece.hall.wire.redis_connection import Redis, RedisError, connect, login, words
from centerpiece.hub.hub import Hub
from hal.ports import Report, Trouble

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    from centerpiece.web.pairing import Pairing

log = logging.getLogger("centerpiece.hall")

LIGHT_FIRST = 0.005
"""Seconds between a change and its line: the press that made it is shown at the table first, and
what belongs together is published together."""

Post = Callable[[Callable[[], None]], None]
"""Runs something in the hub's thread, soon."""


class LinkTroubles:
    """Troubles of the link, by subject; the page is told of every change."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._sentences: dict[str, str] = {}
        self._lock = threading.Lock()

    def set(self, subject: str, sentence: str) -> None:
        """Set what is wrong now; empty if nothing is. May be called from any thread."""
        with self._lock:
            if self._sentences.get(subject, "") == sentence:
                return
            self._sentences[subject] = sentence
            every = str(self)
        self._report(Trouble("hall", every))

    def __str__(self) -> str:
        every = list(dict.fromkeys(filter(None, self._sentences.values())))
        return " ".join([*every, "The table plays on."] if every else [])


class HallLink:
    """The link of a running hub."""

    def __init__(self, hub: Hub, settings: HallSettings, report: Report, post: Post) -> None:
        self._hub = hub
        self._settings = settings
        self._post = post
        self._troubles = LinkTroubles(report)
        self._workers = Workers(hub.clock, self._failed)
        self._changed = threading.Event()
        self._published = 0
        self.carry_out = CarryOut(hub, settings.id, self._set_alarm)
        self._source = LineSource(hub, self.carry_out, self._changed.set)
        self._alarm: threading.Timer | None = None

    def start(self) -> None:
        """Begin, unless the table has left its hall."""
        if not self._workers.running and not self.carry_out.memory.left:
            self._workers.start(publish=self._publish, listen=self._listen)

    def stop(self, wait: float = 0.2) -> None:
        """End both threads."""
        self._workers.stop(wait, self._changed.set)
        self._set_alarm()

    def leave(self) -> None:
        """Follow no hall any more. The line that was published last stays there."""
        self.stop()
        self.carry_out.leave()
        for subject in ("publish", "listen", "clash", "clock"):
            self._troubles.set(subject, "")

    def join(self) -> None:
        """Follow the hall again."""
        self.carry_out.join()
        self.start()

    def status(self) -> dict[str, Any]:
        """Return how the link is; `published` is the last event that is in the line."""
        return {
            "hall": self._settings.id,
            "following": self._workers.running,
            "published": self._published,
            "trouble": str(self._troubles),
        }

    def routes(self, phones: "Pairing") -> "list[Route]":
        """Return the addresses that the hub's own site has more: how the link is, and leaving.

        Leaving is for whoever may write at the table, like everything that changes something there.
        """
        from starlette.routing import Route

        from centerpiece.web.json_answers import answer

        async def status(request: "Request") -> "Response":
            return answer(self.status())

        async def leave(request: "Request") -> "Response":
            phones.check(request)
            await asyncio.to_thread(self.stop)
            self.leave()
            return answer(self.status())

        async def join(request: "Request") -> "Response":
            phones.check(request)
            self.join()
            return answer(self.status())

        return [
            Route("/api/hall", status, methods=["GET"]),
            Route("/api/hall/leave", leave, methods=["POST"]),
            Route("/api/hall/join", join, methods=["POST"]),
        ]

    # The two threads

    def _client(self) -> Redis:
        return connect(self._settings.url, **login(self._settings))

    def _publish(self, stopping: threading.Event) -> None:
        client, hub, source = self._client(), self._hub, self._source
        try:
            publisher = LinePublisher(client, self._settings.id, hub.table_id, hub.clock)
            while not stopping.is_set():
                self._changed.clear()
                publisher.begin(source.journal, source.seq)
                publisher.publish(source.line(publisher.offset))
                self._tell(publisher)
                self._changed.wait(publisher.pause())
                stopping.wait(LIGHT_FIRST)
        finally:
            client.close()

    def _tell(self, publisher: LinePublisher) -> None:
        self._published = publisher.seq
        far = apart(publisher.offset)
        clocks = f"This hub's clock is {far} the hall's. The hall's clock counts." if far else ""
        self._troubles.set("publish", "")
        self._troubles.set("clash", publisher.clash)
        self._troubles.set("clock", clocks)
        if publisher.offset != self.carry_out.offset:
            self._run_in_hub(partial(self.carry_out.set_offset, publisher.offset))

    def _listen(self, stopping: threading.Event) -> None:
        """The clocks are compared before the first order: whether it is news depends on them."""
        client, hub = self._client(), self._hub
        try:
            offset = offset_of(client, hub.clock)
            self._run_in_hub(partial(self.carry_out.set_offset, offset))
            memory = self.carry_out.memory
            listener = OrderListener(
                client, self._settings.id, memory.origin, memory.position, order_listener.LISTEN_FOR
            )
            while not stopping.is_set():
                for order in listener.step():
                    self._run_in_hub(partial(self.carry_out.take, order))
                self._troubles.set("listen", listener.unknown)
        finally:
            client.close()

    def _failed(self, name: str, error: Exception) -> None:
        if isinstance(error, RedisError | HallError | OSError):
            self._troubles.set(name, words(error, self._settings.url))
        else:
            log.error("thread=%s", name, exc_info=error)
            sentence = "The link to the hall has failed; see the log. Trying again."
            self._troubles.set(name, sentence)

    # In the hub's thread

    def _run_in_hub(self, work: Callable[[], None]) -> None:
        """Do something in the hub's thread, soon; then set the alarm for what is due next."""
        self._post(partial(self._do, work))

    def _do(self, work: Callable[[], None]) -> None:
        if self._workers.running:
            work()
            self._set_alarm()
            self._changed.set()

    def _set_alarm(self) -> None:
        """Wake the orders when something of them is due; forget the moment set before."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        due = self.carry_out.next_due() if self._workers.running else None
        if due is not None:
            self._alarm = threading.Timer(due, self._run_in_hub, (self.carry_out.wake,))
            self._alarm.daemon = True
            self._alarm.start()
