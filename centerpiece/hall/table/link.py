"""A table's link to its hall: two threads that may wait for Redis, so that the hub never does.

One forwards the journal and shows signs of life, the other listens for orders and hands them to
the hub's own thread. Whatever goes wrong is one sentence on the page and another try later.
"""

import logging
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from centerpiece.config import HallSettings
from centerpiece.hall.table import listener, sender
from centerpiece.hall.table.alarm import Alarm
from centerpiece.hall.table.carry_out import CarryOut
from centerpiece.hall.table.listener import Listener
from centerpiece.hall.table.outbox import Outbox
from centerpiece.hall.table.sender import Sender, offset_of
from centerpiece.hall.table.workers import Workers
from centerpiece.hall.wire.connection import Redis, RedisError, connect, login, words
from centerpiece.hall.wire.errors import HallError
from centerpiece.hall.wire.signs_of_life import apart
from centerpiece.hub.hub import Hub
from centerpiece.storage.settings import JOURNAL_NAME
from hal.ports import Report, Trouble

if TYPE_CHECKING:
    from starlette.routing import Route

    from centerpiece.web.pairing import Pairing

log = logging.getLogger("centerpiece.hall")

Post = Callable[[Callable[[], None]], None]
"""Has something done in the hub's thread, soon."""


class Status(NamedTuple):
    """What the page says about the link."""

    hall: str
    following: bool
    sent: int
    trouble: str


class Troubles:
    """What is wrong with the link, by subject; the page is told of every change."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._sentences: dict[str, str] = {}
        self._lock = threading.Lock()

    def set(self, subject: str, sentence: str) -> None:
        """What is wrong now; empty if nothing is. May be called from any thread."""
        with self._lock:
            if self._sentences.get(subject, "") == sentence:
                return
            self._sentences[subject] = sentence
            every = str(self)
        self._report(Trouble("hall", every))

    def __str__(self) -> str:
        every = list(dict.fromkeys(filter(None, self._sentences.values())))
        return " ".join([*every, "The table plays on."] if every else [])


class Link:
    """The link of a running hub."""

    def __init__(self, hub: Hub, settings: HallSettings, report: Report, post: Post) -> None:
        self._hub = hub
        self._settings = settings
        self._post = post
        self._troubles = Troubles(report)
        self._workers = Workers(hub.clock, self._failed)
        self._journaled = threading.Event()
        self._sender: Sender | None = None
        self.carry_out = CarryOut(hub, settings.id, self._set_alarm)
        self._alarm = Alarm(lambda: self._have_done(self.carry_out.wake))
        self._journal = journal_id(hub)
        hub.on_recorded(lambda recorded: self._journaled.set())

    def start(self) -> None:
        """Begin, unless the table has left its hall."""
        if not self._workers.running and not self.carry_out.memory.left:
            self._workers.start(forward=self._forward, listen=self._listen)

    def stop(self, wait: float = 0.2) -> None:
        """End both threads."""
        self._workers.stop(wait, self._journaled.set)
        self._alarm.set(None)

    def leave(self) -> None:
        """Follow no hall any more. What was sent stays there."""
        self.stop()
        self.carry_out.leave()
        self._troubles.set("forward", "")
        self._troubles.set("listen", "")

    def join(self) -> None:
        """Follow the hall again."""
        self.carry_out.join()
        self.start()

    def status(self) -> Status:
        """For the page."""
        sent = self._sender.sent if self._sender else 0
        return Status(self._settings.id, self._workers.running, sent, str(self._troubles))

    def routes(self, phones: "Pairing") -> "list[Route]":
        """For the hub's own site: how the link is, and leaving the hall and joining it again."""
        from centerpiece.hall.table.routes import routes

        return routes(self, phones)

    # The two threads

    def _client(self) -> Redis:
        return connect(self._settings.url, **login(self._settings))

    def _forward(self, stopping: threading.Event) -> None:
        path = self._hub.journal.path
        if not isinstance(path, Path):
            raise HallError("A table whose journal is in memory only cannot be in a hall.")
        outbox = Outbox(path)
        client = self._client()
        hub, hall = self._hub, self._settings.id
        try:
            sending = Sender(client, hub.table_id, hall, self._journal, outbox, hub.clock)
            self._sender = sending
            while not stopping.is_set():
                self._journaled.clear()
                if not sending.step(self.carry_out.note):
                    self._sent(sending)
                    self._journaled.wait(sender.SIGN_OF_LIFE)
        finally:
            client.close()
            outbox.close()

    def _sent(self, sending: Sender) -> None:
        far = apart(sending.offset)
        clocks = f"This hub's clock is {far} the hall's. The hall's clock counts." if far else ""
        self._troubles.set("forward", "")
        self._troubles.set("clash", sending.clash)
        self._troubles.set("clock", clocks)
        if abs(sending.offset - self.carry_out.offset) > 0.05:
            self._have_done(partial(self.carry_out.set_offset, sending.offset))

    def _listen(self, stopping: threading.Event) -> None:
        """The clocks are compared before the first order: whether it is news depends on them."""
        client = self._client()
        try:
            offset = offset_of(client, self._hub.clock)
            self._have_done(partial(self.carry_out.set_offset, offset))
            position = self.carry_out.memory.position
            listening = Listener(client, self._settings.id, position, listener.LISTEN_FOR)
            while not stopping.is_set():
                for order in listening.step():
                    self._have_done(partial(self.carry_out.take, order))
                self._troubles.set("listen", listening.unknown)
        finally:
            client.close()

    def _failed(self, name: str, error: Exception) -> None:
        if isinstance(error, RedisError | HallError | OSError):
            self._troubles.set(name, words(error, self._settings.url))
        else:
            log.error("thread=%s", name, exc_info=error)
            sentence = "The link to the hall has failed; see the log. It is tried again."
            self._troubles.set(name, sentence)

    # In the hub's thread

    def _have_done(self, work: Callable[[], None]) -> None:
        """In the hub's thread, soon; after it the alarm is set for what is due next."""
        self._post(partial(self._do, work))

    def _do(self, work: Callable[[], None]) -> None:
        if self._workers.running:
            work()
            self._set_alarm()

    def _set_alarm(self) -> None:
        self._alarm.set(self.carry_out.next_due() if self._workers.running else None)


def journal_id(hub: Hub) -> str:
    """What tells this journal from every other: it was born with it."""
    return hub.settings[JOURNAL_NAME]
