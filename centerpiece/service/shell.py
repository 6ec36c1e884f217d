"""The shell around the hub: asyncio, threads' edges and reports brought home, one timer.

The loop's thread is the one that touches the hub: edges from a library's thread, the writer's
reports and commands from a phone are carried out in it, one after the other. Edges that come
while the hub is busy wait together: each is carried out, and what they led to is painted once.
Edges come first: whatever else the hub is called for, those that have come are heard before it,
by their own time stamps, so that a late loop takes no tap for a hold.
A timer is set only while something is due, so an idle hub does not tick.
"""

import asyncio
import logging
import signal
from collections import deque
from collections.abc import Callable, Coroutine
from functools import partial
from threading import Lock
from typing import Any

from centerpiece.hub.hub import Hub
from centerpiece.service.integrity_check import IntegrityCheck
from centerpiece.service.systemd import keep_watch, notify
from centerpiece.storage.errors import NotSaved
from centerpiece.storage.writer import Writer
from hal.ports import Edge, Trouble

log = logging.getLogger("centerpiece.service")


class Service:
    """Runs a hub until it is told to stop."""

    def __init__(self, hub: Hub, writer: Writer | None = None) -> None:
        self.hub = hub
        self._writer = writer
        self.switched_off = False
        """The buttons have ended it: the machine is to be switched off."""
        self._lock = Lock()
        """Held while a loop is called: none is closed before `close` has taken it away."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._early: list[Callable[[], None]] = []
        """Waits for the loop."""
        self._closed = False
        self._stop = asyncio.Event()
        self._edges: deque[Edge] = deque()
        self._called = False
        """The loop has been called for edges, and has not come yet."""
        self._settling = False
        """The hub's picture and the timer are about to be seen to."""
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at: float | None = None

    async def run(
        self,
        *,
        ready: Callable[[], None] = lambda: None,
        pages: Callable[[], Coroutine[Any, Any, None]] | None = None,
    ) -> None:
        """Serve. `ready` is called when the hub takes its first press; `pages` follow after it."""
        loop = asyncio.get_running_loop()
        with self._lock:
            self._loop = loop
        for work in self._early:
            loop.call_soon(work)
        for signum in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(signum, self.stop)
        self.hub.on_shutdown(self._switch_off)
        self.hub.on_stale(self._settle_soon)
        self.hub.before_orders(self._hear)
        if self._writer is not None:
            self._writer.listen(self.wrote)
        try:
            await self._serve(ready, pages)
        finally:
            self.close()

    async def _serve(
        self, ready: Callable[[], None], pages: Callable[[], Coroutine[Any, Any, None]] | None
    ) -> None:
        self.hub.board.buttons.listen(self.edge)
        self._settle()
        notify("READY=1")
        ready()
        integrity_check = IntegrityCheck(self.hub, self.report, self.call)
        integrity_check.start()
        tasks = [asyncio.create_task(keep_watch())]
        if pages is not None:
            tasks.append(asyncio.create_task(pages()))
        stopped = asyncio.create_task(self._stop.wait())
        try:
            await asyncio.wait([stopped, *tasks[1:]], return_when=asyncio.FIRST_COMPLETED)
            for task in tasks[1:]:
                if task.done() and not task.cancelled() and task.exception():
                    raise task.exception()  # type: ignore[misc]
        finally:
            notify("STOPPING=1")
            integrity_check.stop()
            stopped.cancel()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, stopped, return_exceptions=True)

    def stop(self) -> None:
        """End `run`; may be called from a signal or a button."""
        self._stop.set()

    def _switch_off(self) -> None:
        self.switched_off = True
        self.stop()

    def close(self) -> None:
        """Let go of the devices, and of the file once what is being written is written."""
        if self._timer is not None:
            self._timer.cancel()
        self.hub.board.close()
        with self._lock:
            self._loop, self._closed = None, True
        self._edges.clear()
        (self._writer or self.hub.journal).close()

    # On whatever thread

    def edge(self, edge: Edge) -> None:
        """Take an edge, on whatever thread it comes; a raised error would silence the buttons."""
        with self._lock:
            if self._loop is None:
                log.error("edge=%r was lost: the service does not run", edge)
                return
            self._edges.append(edge)
            if not self._called:
                self._called = True
                self._loop.call_soon_threadsafe(self._come)

    def call(self, work: Callable[[], None]) -> None:
        """Have something done in the loop's thread, from whatever thread.

        Before `run` it waits for the loop; after `close` nobody waits for it, and it is dropped.
        """
        with self._lock:
            if self._loop is not None:
                self._loop.call_soon_threadsafe(work)
            elif not self._closed:
                self._early.append(work)

    def wrote(self, error: NotSaved | None) -> None:
        """Take the writer's report, on whatever thread it comes."""
        self.call(partial(self._written, error))

    def report(self, trouble: Trouble) -> None:
        """Take trouble with a device, on whatever thread it comes."""
        self.call(partial(self.hub.trouble, trouble))

    # In the loop's thread

    def _come(self) -> None:
        self._called = False
        self._settling = True
        self._hear()
        self._settle()

    def _hear(self) -> None:
        """Hear the edges that have come, and those that come meanwhile."""
        while self._edges:
            edge = self._edges.popleft()
            try:
                self.hub.hear(edge)
            except Exception:
                log.exception("edge=%r could not be carried out", edge)

    def _wake(self) -> None:
        self._timer = None
        self._after_edges(self.hub.wake)

    def _written(self, error: NotSaved | None) -> None:
        self._after_edges(partial(self.hub.wrote, error))

    def _after_edges(self, work: Callable[[], None]) -> None:
        self._settling = True
        self._hear()
        try:
            work()
        finally:
            self._settle()

    def _settle_soon(self) -> None:
        """Whoever changed the hub may not be done yet."""
        if not self._settling and self._loop is not None:
            self._settling = True
            self._loop.call_soon(self._settle)

    def _settle(self) -> None:
        """Paint, unless more has come, and set the one timer to what the hub waits for."""
        self._settling = False
        if self._loop is None:
            return
        try:
            if not self._edges:
                self.hub.paint()
        finally:
            self._set_timer(self._loop, self.hub.next_wake())

    def _set_timer(self, loop: asyncio.AbstractEventLoop, wanted: float | None) -> None:
        if self._timer is not None:
            if self._timer_at == wanted:
                return
            self._timer.cancel()
            self._timer = None
        self._timer_at = wanted
        if wanted is not None:
            delay = max(0.0, wanted - self.hub.clock.now())
            self._timer = loop.call_later(delay, self._wake)
