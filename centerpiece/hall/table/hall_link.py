"""A table's link to its hall: two threads that may wait for Redis, so that the hub never does.

One publishes the table's line, the other reads orders and passes them to the hub's own thread.
A failure is a sentence on the page and is tried again later.
"""

import asyncio
import logging
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from centerpiece.config import HallSettings
from centerpiece.hall.table import order_listener
from centerpiece.hall.table.carry_out import CarryOut
from centerpiece.hall.table.line_publisher import LinePublisher, LineSource, offset_of
from centerpiece.hall.table.order_listener import OrderListener
from centerpiece.hall.wire.hall_errors import HallError
from centerpiece.hall.wire.redis_connection import Redis, RedisError, connect, login, words
from centerpiece.hall.wire.table_line import difference
from centerpiece.hub.hub import Hub
from centerpiece.web.json_answers import answer
from centerpiece.web.pairing import PhoneRegister
from hal.health import pauses
from hal.ports import Report, Trouble

log = logging.getLogger("centerpiece.hall")

LIGHT_FIRST = 0.005
"""Seconds from a change to its line, so that the press is shown at the table first and changes
that come together are published together."""
LONGEST_PAUSE = 30.0

Post = Callable[[Callable[[], None]], None]
"""Runs a function in the hub's thread, soon."""
Work = Callable[[Redis, threading.Event], None]
"""Runs in a thread of its own until the event is set, or until it fails."""


class HallLink:
    """The link of a running hub."""

    def __init__(self, hub: Hub, settings: HallSettings, report: Report, post: Post) -> None:
        self._hub = hub
        self._settings = settings
        self._report = report
        self._post = post
        self._troubles: dict[str, str] = {}
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []
        self._changed = threading.Event()
        self._published = 0
        self.carry_out = CarryOut(hub, settings.id, self._set_alarm)
        self._source = LineSource(hub, self.carry_out, self._changed.set)
        self._alarm: threading.Timer | None = None

    def start(self) -> None:
        """Start both threads, unless they run or the table has left its hall."""
        if self._threads or self.carry_out.memory.left:
            return
        self._stopping = stopping = threading.Event()
        works = {"publish": self._publish, "listen": self._listen}
        self._threads = [
            threading.Thread(
                target=self._repeat, args=(name, work, stopping), name=f"hall-{name}", daemon=True
            )
            for name, work in works.items()
        ]
        for thread in self._threads:
            thread.start()

    def stop(self, wait: float = 0.2) -> None:
        """Stop both threads; for each, wait `wait` seconds at most, as it may be stuck."""
        self._stopping.set()
        self._changed.set()
        threads, self._threads = self._threads, []
        for thread in threads:
            thread.join(wait)
        self._set_alarm()

    def leave(self) -> None:
        """Follow no hall any more. The last published line stays there."""
        self.stop()
        self.carry_out.leave()
        for subject in list(self._troubles):
            self._set_trouble(subject, "")

    def join(self) -> None:
        """Follow the hall again."""
        self.carry_out.join()
        self.start()

    def status(self) -> dict[str, Any]:
        """Return the state of the link; `published` is the last event in the published line."""
        return {
            "hall": self._settings.id,
            "following": bool(self._threads),
            "published": self._published,
            "trouble": self._trouble(),
        }

    def routes(self, phones: PhoneRegister) -> list[Route]:
        """Return the link's routes on the hub's site. Only paired phones may leave or join."""

        async def status(request: Request) -> Response:
            return answer(self.status())

        async def leave(request: Request) -> Response:
            phones.check(request)
            await asyncio.to_thread(self.stop)
            self.leave()
            return answer(self.status())

        async def join(request: Request) -> Response:
            phones.check(request)
            self.join()
            return answer(self.status())

        return [
            Route("/api/hall", status, methods=["GET"]),
            Route("/api/hall/leave", leave, methods=["POST"]),
            Route("/api/hall/join", join, methods=["POST"]),
        ]

    # The two threads

    def _publish(self, client: Redis, stopping: threading.Event) -> None:
        """Publish the line after each change, and as a sign of life, until told to stop."""
        publisher = LinePublisher(client, self._settings.id, self._source)
        while not stopping.is_set():
            self._changed.clear()
            publisher.step()
            self._on_published(publisher)
            self._changed.wait(publisher.pause())
            stopping.wait(LIGHT_FIRST)

    def _on_published(self, publisher: LinePublisher) -> None:
        """Clear or set the trouble that the publisher found; pass on its offset if it is new."""
        self._published, offset = publisher.seq, publisher.offset
        far = f"{difference(offset)} {'behind' if offset > 0 else 'ahead of'}"
        clocks = f"This hub's clock is {far} the hall's. The hall's clock counts."
        self._set_trouble("publish", "")
        self._set_trouble("clash", publisher.clash)
        self._set_trouble("clock", clocks if difference(offset) else "")
        if offset != self.carry_out.offset:
            self._run_in_hub(partial(self.carry_out.set_offset, offset))

    def _listen(self, client: Redis, stopping: threading.Event) -> None:
        """Read orders, and have the hub carry them out, until told to stop.

        The clocks are compared before, since the age of the first order depends on the offset.
        """
        offset = offset_of(client, self._hub.clock)
        self._run_in_hub(partial(self.carry_out.set_offset, offset))
        memory = self.carry_out.memory
        listener = OrderListener(
            client, self._settings.id, memory.origin, memory.position, order_listener.LISTEN_FOR
        )
        while not stopping.is_set():
            for order in listener.step():
                self._run_in_hub(partial(self.carry_out.take, order))
            self._set_trouble("listen", listener.unknown)

    def _repeat(self, name: str, work: Work, stopping: threading.Event) -> None:
        """Do the work, on a connection, until told to stop; after a failure, pause and begin again.

        Pauses grow, and are short again after work that went well for long. `name` is the thread's.
        """
        waits = uneven_pauses()
        while not stopping.is_set():
            began = self._hub.clock.now()
            try:
                with closing(connect(self._settings.url, **login(self._settings))) as client:
                    work(client, stopping)
            except Exception as error:
                if not stopping.is_set():
                    self._failed(name, error)
            if self._hub.clock.now() - began > LONGEST_PAUSE:
                waits = uneven_pauses()
            stopping.wait(next(waits))

    def _failed(self, name: str, error: Exception) -> None:
        """Set the trouble of the thread `name`, a sentence on its error; log an unexpected one."""
        if isinstance(error, RedisError | HallError | OSError):
            sentence = words(error, self._settings.url)
        else:
            log.error("thread=%s", name, exc_info=error)
            sentence = "The link to the hall has failed; see the log. Trying again."
        self._set_trouble(name, sentence)

    def _set_trouble(self, subject: str, sentence: str) -> None:
        """Set what is wrong with a subject, or with an empty sentence clear it; report a change.

        Any thread may call.
        """
        with self._lock:
            if self._troubles.get(subject, "") == sentence:
                return
            self._troubles[subject] = sentence
            message = self._trouble()
        self._report(Trouble("hall", message))

    def _trouble(self) -> str:
        sentences = list(dict.fromkeys(filter(None, self._troubles.values())))
        return " ".join([*sentences, "The table plays on."] if sentences else [])

    # In the hub's thread

    def _run_in_hub(self, work: Callable[[], None]) -> None:
        """Do some work in the hub's thread, soon; then set the alarm for what is due next.

        Nothing is done if the link was stopped meanwhile.
        """

        def run() -> None:
            if self._threads:
                work()
                self._set_alarm()
                self._changed.set()

        self._post(run)

    def _set_alarm(self) -> None:
        """Replace the alarm by one for when an order is due.

        There is none if no order waits, or once the link is stopped.
        """
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        due = self.carry_out.next_due() if self._threads else None
        if due is not None:
            self._alarm = threading.Timer(due, self._run_in_hub, (self.carry_out.wake,))
            self._alarm.daemon = True
            self._alarm.start()


def uneven_pauses() -> Iterator[float]:
    """Yield growing pauses with random jitter, so that tables do not all return at once."""
    return (pause * random.uniform(0.5, 1.5) for pause in pauses(most=LONGEST_PAUSE))
