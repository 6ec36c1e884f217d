"""The shell around the hub: asyncio, threads' edges brought home, timers, systemd.

The loop is the queue and its thread the one consumer: edges from a library's thread and commands
from a phone are callbacks of the loop, carried out one after the other. Edges that come while the
hub is busy wait together: each is carried out, and what they led to is painted once.
A timer is set only while something is due, so an idle hub does not tick.
"""

import asyncio
import logging
import os
import signal
import socket
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any

from centerpiece.hub import Hub
from hal.ports import Edge, Trouble

log = logging.getLogger("centerpiece.service")


class Service:
    """Runs a hub until it is told to stop."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at: float | None = None
        self._edges: deque[Edge] = deque()
        self._called = False
        """Whether the loop has been asked to hear them."""
        self._stop = asyncio.Event()
        self.switched_off = False
        """Whether it was the buttons that ended it: then the machine is to be switched off."""

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
        self.hub.board.buttons.listen(self.edge)
        self._rearm()
        notify("READY=1")
        ready()
        tasks = [asyncio.create_task(_watchdog())]
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
            self.close()

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
        self.hub.journal.close()

    def edge(self, edge: Edge) -> None:
        """An edge, on whatever thread it comes. Never raises: that would silence the buttons."""
        try:
            assert self._loop is not None
            self._edges.append(edge)
            if not self._called:
                self._called = True
                self._loop.call_soon_threadsafe(self._hear)
        except Exception:
            self._edges.clear()
            self._called = False
            log.exception("edge=%r was lost", edge)

    def report(self, trouble: Trouble) -> None:
        """Trouble with a device, on whatever thread it comes."""
        if self._loop is None:
            self.hub.trouble(trouble)
        else:
            self._loop.call_soon_threadsafe(self.hub.trouble, trouble)

    def _hear(self) -> None:
        """Hear the edges that have come; who comes from now on has to call again."""
        self._called = False
        for more in range(len(self._edges) - 1, -1, -1):
            edge = self._edges.popleft()
            try:
                self.hub.hear(edge, more > 0)
            except Exception:
                log.exception("edge=%r could not be carried out", edge)
        self._rearm()

    def _wake(self) -> None:
        self._timer = None
        try:
            self.hub.wake()
        finally:
            self._rearm()

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


def notify(message: str) -> None:
    """Tell systemd, where it listens."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    if address.startswith("@"):
        address = "\0" + address[1:]
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as link:
            link.sendto(message.encode(), address)
    except OSError as error:
        log.warning("systemd could not be told %s: %s", message, error)


async def _watchdog() -> None:
    """Show signs of life at half the interval that systemd asks for."""
    interval = int(os.environ.get("WATCHDOG_USEC", "0")) / 1e6
    if interval <= 0 or os.environ.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return
    while True:
        notify("WATCHDOG=1")
        await asyncio.sleep(interval / 2)
