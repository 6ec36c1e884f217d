"""The shell around the hub: asyncio, threads' edges brought home, timers, systemd.

The loop's thread is the one that touches the hub: edges from a library's thread and commands from
a phone are carried out in it, one after the other. Edges that come while the hub is busy wait
together: each is carried out, and what they led to is painted once. Whenever the loop wakes up,
edges come before anything else that woke it; when no more of them wait, the hub thinks ahead of
the finger.
A timer is set only while something is due, so an idle hub does not tick.
"""

import asyncio
import logging
import os
import selectors
import signal
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import IO, Any

from centerpiece.hub.hub import Hub
from centerpiece.service.systemd import keep_watch, notify
from hal.ports import Edge, Trouble

log = logging.getLogger("centerpiece.service")


class Attentive(selectors.DefaultSelector):
    """What a loop waits with: whatever woke it, something else is done first."""

    def __init__(self, first: Callable[[], None]) -> None:
        super().__init__()
        self._first = first

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(timeout)
        self._first()
        return ready


class Service:
    """Runs a hub until it is told to stop."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self._loop: asyncio.AbstractEventLoop | None = None
        self._bell: IO[bytes] | None = None
        """Rung by whoever brings an edge; wakes the loop."""
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at: float | None = None
        self._edges: deque[Edge] = deque()
        self._called = False
        """Whether the bell has been rung for them, and not been heard yet."""
        self._stop = asyncio.Event()
        self.switched_off = False
        """Whether it was the buttons that ended it: then the machine is to be switched off."""

    def loop(self) -> asyncio.AbstractEventLoop:
        """A loop to run in that hears the buttons first. Any other does, too, but later."""
        return asyncio.SelectorEventLoop(Attentive(self.hear))

    async def run(
        self,
        *,
        ready: Callable[[], None] = lambda: None,
        pages: Callable[[], Coroutine[Any, Any, None]] | None = None,
    ) -> None:
        """Serve. `ready` is called when the hub takes its first press; `pages` follow after it."""
        self._loop = asyncio.get_running_loop()
        for signum in (signal.SIGINT, signal.SIGTERM):
            self._loop.add_signal_handler(signum, self.stop)
        self.hub.on_shutdown = self._switch_off
        self.hub.changed.append(self._rearm)
        with _bell() as (rings, self._bell):
            self._loop.add_reader(rings, self._rung, rings)
            try:
                await self._serve(ready, pages)
            finally:
                self._loop.remove_reader(rings)
                self.close()

    async def _serve(
        self, ready: Callable[[], None], pages: Callable[[], Coroutine[Any, Any, None]] | None
    ) -> None:
        self.hub.board.buttons.listen(self.edge)
        self._rearm()
        notify("READY=1")
        ready()
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
        """Let go of the devices and the file."""
        if self._timer is not None:
            self._timer.cancel()
        board = self.hub.board
        for device in (board.buttons, board.lights, board.sound):
            device.close()
        self._bell = None
        self._edges.clear()
        self.hub.journal.close()

    def edge(self, edge: Edge) -> None:
        """An edge, on whatever thread it comes. Never raises: that would silence the buttons."""
        try:
            bell = self._bell
            assert bell is not None
            self._edges.append(edge)
            if not self._called:
                self._called = True
                bell.write(b"!")
        except Exception:
            log.exception("edge=%r was lost", edge)

    def report(self, trouble: Trouble) -> None:
        """Trouble with a device, on whatever thread it comes."""
        if self._loop is None:
            self.hub.trouble(trouble)
        else:
            self._loop.call_soon_threadsafe(self.hub.trouble, trouble)

    def _rung(self, rings: IO[bytes]) -> None:
        rings.read(64)
        self._called = False
        self.hear()

    def hear(self) -> None:
        """Hear the edges that have come."""
        if not self._edges:
            return
        for more in range(len(self._edges) - 1, -1, -1):
            edge = self._edges.popleft()
            try:
                self.hub.hear(edge, more > 0)
            except Exception:
                log.exception("edge=%r could not be carried out", edge)
        self._think_ahead()

    def _wake(self) -> None:
        self._timer = None
        try:
            self.hub.wake()
        finally:
            self._think_ahead()

    def _think_ahead(self) -> None:
        """Nothing is to be done until something comes: be ready for it. Never raises."""
        try:
            try:
                if not self._edges:
                    self.hub.foresee()
            finally:
                self._rearm()
        except Exception:
            log.exception("what comes next could not be prepared")

    def _rearm(self) -> None:
        """Set the one timer to whatever the hub is waiting for."""
        assert self._loop is not None
        wanted = self.hub.next_wake()
        if self._timer is not None:
            if self._timer_at == wanted:
                return
            self._timer.cancel()
            self._timer = None
        self._timer_at = wanted
        if wanted is not None:
            delay = max(0.0, wanted - self.hub.clock.now())
            self._timer = self._loop.call_later(delay, self._wake)


@contextmanager
def _bell() -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """A pipe: where it is heard, and where it is rung. Neither ever waits."""
    ends = os.pipe()
    for end in ends:
        os.set_blocking(end, False)
    with open(ends[0], "rb", buffering=0) as heard, open(ends[1], "wb", buffering=0) as rung:
        yield heard, rung
