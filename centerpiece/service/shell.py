"""The asyncio service around a hub: calls from other threads, and one timer.

Only the loop's thread touches the hub: edges from a library's thread, the writer's reports and a
phone's commands are handled in it, one after the other. Edges that come while the hub is busy are
queued; all are handled, then the result is painted once. Queued edges are handled before any other
work, by their own time stamps, so that a late loop takes no tap for a hold.
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
from hal.ports import BUTTONS, DockLevel, Edge, Trouble

log = logging.getLogger("centerpiece.service")


class Service:
    """Runs a hub until it is stopped."""

    def __init__(self, hub: Hub, writer: Writer | None = None) -> None:
        self.hub = hub
        self._writer = writer
        self.switched_off = False
        """True if the buttons ended it, so that the machine should be switched off."""
        self._lock = Lock()
        """Held while another thread calls the loop, so that the loop cannot close meanwhile."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._early: list[Callable[[], None]] = []
        """Calls that came before the loop."""
        self._closed = False
        self._stop = asyncio.Event()
        self._edges: deque[Edge | DockLevel] = deque()
        """What buttons and docks have reported, in the order of arrival."""
        self._held: set[str] = set()
        """Buttons that have been down since the start."""
        self._edges_scheduled = False
        """True while `_handle_edges` is scheduled."""
        self._updating = False
        """True while `_update` is scheduled, or follows the present work."""
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at: float | None = None

    async def run(
        self,
        *,
        ready: Callable[[], None] = lambda: None,
        pages: Callable[[], Coroutine[Any, Any, None]] | None = None,
    ) -> None:
        """Serve until stopped by a signal or the buttons, then close everything.

        Call `ready` when the hub can take its first press, then run `pages`. When the pages end, so
        does the service; their error is raised.
        """
        loop = asyncio.get_running_loop()
        with self._lock:
            self._loop = loop
        for work in self._early:
            loop.call_soon(work)
        for signum in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(signum, self.stop)
        self.hub.on_shutdown(self._switch_off)
        self.hub.on_stale(self._schedule_update)
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
        """Take presses, then serve the pages, until stopped or until the pages end.

        `ready` is called when presses are taken, before the pages start. If the pages fail, their
        error is raised.
        """
        buttons = self.hub.board.buttons
        buttons.listen(self.edge)
        self.hub.board.docks.listen(self.edge)
        self._held = {button for button in BUTTONS if buttons.is_down(button)}
        self._tell_held()
        self._update()
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
        """End `run`; called by a signal handler or a button."""
        self._stop.set()

    def _switch_off(self) -> None:
        self.switched_off = True
        self.stop()

    def close(self) -> None:
        """Close the devices, and the journal after its present write."""
        if self._timer is not None:
            self._timer.cancel()
        self.hub.board.close()
        with self._lock:
            self._loop, self._closed = None, True
        self._edges.clear()
        (self._writer or self.hub.journal).close()

    # On any thread

    def edge(self, edge: Edge | DockLevel) -> None:
        """Queue an edge or a level; log one that comes while the service does not run.

        Never raises: an error would end the device's thread.
        """
        with self._lock:
            if self._loop is None:
                log.error("edge=%r was lost: the service does not run", edge)
                return
            self._edges.append(edge)
            if not self._edges_scheduled:
                self._edges_scheduled = True
                self._loop.call_soon_threadsafe(self._handle_edges)

    def call(self, work: Callable[[], None]) -> None:
        """Run `work` on the loop's thread, soon.

        Before `run`, it waits for the loop; after `close`, it is dropped.
        """
        with self._lock:
            if self._loop is not None:
                self._loop.call_soon_threadsafe(work)
            elif not self._closed:
                self._early.append(work)

    def wrote(self, error: NotSaved | None) -> None:
        """Pass the writer's report to the hub."""
        self.call(partial(self._written, error))

    def report(self, trouble: Trouble) -> None:
        """Pass a device's trouble to the hub."""
        self.call(partial(self.hub.trouble, trouble))

    # On the loop's thread

    def _handle_edges(self) -> None:
        self._edges_scheduled = False
        self._updating = True
        self._hear()
        self._update()

    def _hear(self) -> None:
        """Handle the queued edges, and those that come meanwhile; one that fails is only logged."""
        while self._edges:
            edge = self._edges.popleft()
            try:
                if isinstance(edge, DockLevel):
                    self.hub.hear_dock(edge)
                    continue
                if edge.button in self._held:
                    self._held.remove(edge.button)
                    self._tell_held()
                self.hub.hear(edge)
            except Exception:
                log.exception("edge=%r could not be carried out", edge)

    def _tell_held(self) -> None:
        """Report the buttons that have been down since the start, or that there are none any more.

        Nobody can have pressed them on purpose, so they do nothing until let go.
        """
        held = ", ".join(button for button in BUTTONS if button in self._held)
        words = (
            f"Pressed since the start: {held}. Let go, or look for a short between the wires."
            if held
            else ""
        )
        self.hub.trouble(Trouble("pressed buttons", words))

    def _wake(self) -> None:
        self._timer = None
        self._after_edges(self.hub.wake)

    def _written(self, error: NotSaved | None) -> None:
        self._after_edges(partial(self.hub.wrote, error))

    def _after_edges(self, work: Callable[[], None]) -> None:
        """Handle the queued edges, then do some work, then paint and set the timer."""
        self._updating = True
        self._hear()
        try:
            work()
        finally:
            self._update()

    def _schedule_update(self) -> None:
        """Have `_update` called soon, if it is not due; the caller may change the hub further."""
        if not self._updating and self._loop is not None:
            self._updating = True
            self._loop.call_soon(self._update)

    def _update(self) -> None:
        """Paint unless more edges wait, and set the timer to the hub's next wake.

        Nothing happens while the service does not run.
        """
        self._updating = False
        if self._loop is None:
            return
        try:
            if not self._edges:
                self.hub.paint()
        finally:
            self._set_timer(self._loop, self.hub.next_wake())

    def _set_timer(self, loop: asyncio.AbstractEventLoop, due: float | None) -> None:
        """Set the only timer to `due`, a time by the hub's clock; None ends it."""
        if self._timer is not None:
            if self._timer_at == due:
                return
            self._timer.cancel()
            self._timer = None
        self._timer_at = due
        if due is not None:
            delay = max(0.0, due - self.hub.clock.now())
            self._timer = loop.call_later(delay, self._wake)
