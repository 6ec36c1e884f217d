"""A table's link to its hall: two threads that may wait for Redis, so that the hub never does.

One forwards the journal and shows signs of life, the other listens for orders and hands them to
the hub's own thread. Whatever goes wrong is one sentence on the page and another try later.
"""

import logging
import random
import secrets
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from centerpiece import __version__
from centerpiece.config import HallSettings
from centerpiece.hall.table.carry_out import CarryOut
from centerpiece.hall.table.forward import Forwarder
from centerpiece.hall.table.outbox import Outbox
from centerpiece.hall.wire import keys, signs_of_life
from centerpiece.hall.wire.connection import Redis, RedisError, connect, server_time, words
from centerpiece.hall.wire.errors import HallError, IdTaken
from centerpiece.hall.wire.orders import Given, given
from centerpiece.hub.hub import Hub
from hal.ports import Clock, Report, Trouble

if TYPE_CHECKING:
    from starlette.routing import Route

    from centerpiece.web.pairing import Pairing

log = logging.getLogger("centerpiece.hall")

SIGN_OF_LIFE = 10.0
LISTEN_FOR = 2.0
CLASH_SHOWN_S = 60
LONGEST_PAUSE = 30.0
JOURNAL_SETTING = "journal-id"

Post = Callable[[Callable[[], None]], None]
"""Has something done in the hub's thread, soon."""


class Sender:
    """Forwards the journal and shows signs of life. One step at a time; its thread may wait."""

    def __init__(
        self,
        client: Redis,
        table: str,
        hall: str,
        journal: str,
        outbox: Outbox,
        clock: Clock,
        time_of: Callable[[Redis], float] | None = None,
    ) -> None:
        self._client = client
        self.table = table
        self.hall = hall
        self.journal = journal
        self._outbox = outbox
        self._clock = clock
        self._time_of = time_of or server_time
        self._forwarder = Forwarder(client, table, journal, outbox)
        self._due = 0.0
        self.sent = 0
        self.offset = 0.0
        self.note = ""
        self.clash = ""

    def step(self) -> bool:
        """Send what is missing; whether more may be waiting."""
        try:
            done = self._forwarder.step()
        except IdTaken:
            self._tell_of_clash()
            raise
        self.sent = done.seq
        if self._clock.now() >= self._due:
            self._show_life()
        return done.events > 0

    def _show_life(self) -> None:
        before = self._clock.at()
        hall_time = self._time_of(self._client)
        self.offset = hall_time - (before + self._clock.at()) / 2
        sign = signs_of_life.Alive(
            journal=self.journal,
            hall=self.hall,
            at=hall_time,
            seq=self._outbox.last(),
            sent=self.sent,
            offset=round(self.offset, 3),
            release=__version__,
            note=self.note,
        )
        with self._client.pipeline(transaction=False) as pipe:
            pipe.set(keys.alive(self.table), signs_of_life.packed(sign))
            pipe.sadd(keys.roster(self.hall), self.table)
            pipe.get(keys.clash(self.table))
            *_, clash = pipe.execute()
        self.clash = self._clash_words(signs_of_life.read_clash(clash))
        self._due = self._clock.now() + SIGN_OF_LIFE

    def _tell_of_clash(self) -> None:
        word = signs_of_life.Clash(self.journal, self._time_of(self._client))
        self._client.set(keys.clash(self.table), signs_of_life.packed(word), ex=CLASH_SHOWN_S)

    def _clash_words(self, clash: signs_of_life.Clash | None) -> str:
        if clash is None or clash.journal == self.journal:
            return ""
        return f"Another hub calls itself {self.table} too. It was refused; give it another name."


class Listener:
    """Reads the hall's orders. One step at a time; its thread may wait."""

    def __init__(self, client: Redis, hall: str, position: str, wait: float = LISTEN_FOR) -> None:
        self._client = client
        self._key = keys.orders(hall)
        self._block = round(wait * 1000) or None
        self.position = position
        self.unknown = ""
        self._checked = False

    def step(self) -> list[Given]:
        """The orders that have come since, waiting a while for one."""
        if not self._checked and self._is_new():
            self.position = "0-0"
        self._checked = True
        answer = self._client.xread({self._key: self.position}, count=100, block=self._block)
        found = []
        for entry_id, fields in answer[0][1] if answer else []:
            self.position = entry_id.decode()
            order = given(entry_id, fields)
            if order is None:
                self.unknown = "The hall says something this release does not know. Update it."
            else:
                found.append(order)
        return found

    def _is_new(self) -> bool:
        """Whether another Redis, with an earlier clock, has begun the hall's stream anew."""
        top = self._client.xrevrange(self._key, count=1)
        return bool(top) and _order_of(top[0][0].decode()) < _order_of(self.position)


class Status(NamedTuple):
    """What the page says about the link."""

    hall: str
    following: bool
    sent: int
    trouble: str


class Link:
    """The link of a running hub."""

    def __init__(self, hub: Hub, settings: HallSettings, report: Report, post: Post) -> None:
        self._hub = hub
        self._settings = settings
        self._report = report
        self._post = post
        self._said: dict[str, str] = {}
        self._telling = threading.Lock()
        self._news = threading.Event()
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []
        self._sender: Sender | None = None
        self._timer: threading.Timer | None = None
        self.carry_out = CarryOut(hub, settings.id)
        self._journal = journal_id(hub)
        hub.on_recorded(lambda recorded: self._news.set())

    def start(self) -> None:
        """Begin, unless the table has left its hall."""
        if self._threads or self.carry_out.memory.left:
            return
        self._stopping = threading.Event()
        for name, work in (("forward", self._forwarding), ("listen", self._listening)):
            thread = threading.Thread(
                target=self._run,
                args=(name, work, self._stopping),
                name=f"hall-{name}",
                daemon=True,
            )
            self._threads.append(thread)
            thread.start()

    def stop(self, wait: float = 0.2) -> None:
        """End both threads. They may be waiting for Redis; nobody waits long for them."""
        self._stopping.set()
        self._news.set()
        if self._timer is not None:
            self._timer.cancel()
        for thread in self._threads:
            thread.join(wait)
        self._threads = []

    def leave(self) -> None:
        """Follow no hall any more. What was sent stays there."""
        self.stop()
        self.carry_out.leave()
        self._say("forward", "")
        self._say("listen", "")

    def join(self) -> None:
        """Follow the hall again."""
        self.carry_out.join()
        self.start()

    def status(self) -> Status:
        """For the page."""
        sent = self._sender.sent if self._sender else 0
        return Status(self._settings.id, bool(self._threads), sent, self._trouble())

    def routes(self, phones: "Pairing") -> "list[Route]":
        """For the hub's own site: how the link is, and leaving the hall and joining it again."""
        from centerpiece.hall.table.routes import routes

        return routes(self, phones)

    # The two threads

    def _run(
        self, name: str, work: Callable[[threading.Event], None], stopping: threading.Event
    ) -> None:
        pauses = growing_pauses()
        while not stopping.is_set():
            began = self._hub.clock.now()
            try:
                work(stopping)
            except (RedisError, HallError, OSError) as error:
                if not stopping.is_set():
                    self._say(name, words(error, self._settings.url))
            except Exception:
                log.exception("thread=%s", name)
                self._say(name, "The link to the hall has failed; see the log. It is tried again.")
            if self._hub.clock.now() - began > LONGEST_PAUSE:
                pauses = growing_pauses()
            stopping.wait(next(pauses))

    def _client(self) -> Redis:
        s = self._settings
        return connect(
            s.url,
            password_file=s.password_file,
            ca=s.ca,
            certificate=s.certificate,
            key=s.key,
            cluster=s.cluster,
        )

    def _forwarding(self, stopping: threading.Event) -> None:
        path = self._hub.journal.path
        if not isinstance(path, Path):
            raise HallError("A table whose journal is in memory only cannot be in a hall.")
        outbox = Outbox(path)
        client = self._client()
        try:
            sender = self._sender = Sender(
                client,
                self._hub.table_id,
                self._settings.id,
                self._journal,
                outbox,
                self._hub.clock,
            )
            while not stopping.is_set():
                self._news.clear()
                sender.note = self.carry_out.note
                if not sender.step():
                    self._sent(sender)
                    self._news.wait(SIGN_OF_LIFE)
        finally:
            client.close()
            outbox.close()

    def _sent(self, sender: Sender) -> None:
        self._say("forward", "")
        self._say("clash", sender.clash)
        self._say("clock", signs_of_life.clock_words(sender.offset))
        if abs(sender.offset - self.carry_out.offset) > 0.05:
            self._post(lambda: self.carry_out.set_offset(sender.offset))

    def _listening(self, stopping: threading.Event) -> None:
        client = self._client()
        try:
            place = self.carry_out.memory.position
            listener = Listener(client, self._settings.id, place, LISTEN_FOR)
            while not stopping.is_set():
                for order in listener.step():
                    self._post(lambda order=order: self._take(order))  # type: ignore[misc]
                self._say("listen", listener.unknown)
        finally:
            client.close()

    # In the hub's thread

    def _take(self, order: Given) -> None:
        if not self.carry_out.memory.left:
            self.carry_out.take(order)
            self._arm()

    def _arm(self) -> None:
        due = self.carry_out.next_due()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if due is not None:
            self._timer = threading.Timer(due, lambda: self._post(self._wake))
            self._timer.daemon = True
            self._timer.start()

    def _wake(self) -> None:
        self.carry_out.wake()
        self._arm()

    # What the page says

    def _say(self, about: str, sentence: str) -> None:
        with self._telling:
            if self._said.get(about, "") == sentence:
                return
            self._said[about] = sentence
            said = self._trouble()
        self._report(Trouble("hall", said))

    def _trouble(self) -> str:
        said = list(dict.fromkeys(sentence for sentence in self._said.values() if sentence))
        return " ".join([*said, "The table plays on."] if said else [])


def journal_id(hub: Hub) -> str:
    """What tells this journal from every other; made once and kept in it."""
    known = hub.settings.setting(JOURNAL_SETTING)
    if isinstance(known, str):
        return known
    fresh = secrets.token_hex(8)
    hub.settings.set_setting(JOURNAL_SETTING, fresh)
    return fresh


def growing_pauses(longest: float = LONGEST_PAUSE) -> Iterator[float]:
    """Seconds between tries, uneven, so that many tables do not come back all at once."""
    pause = 0.5
    while True:
        yield pause * random.uniform(0.5, 1.5)
        pause = min(longest, pause * 2)


def _order_of(entry_id: str) -> tuple[int, int]:
    first, _, second = entry_id.partition("-")
    return int(first), int(second or 0)
