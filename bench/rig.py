"""The whole service, with the real writer, around a simulated board; and what is pressed there.

The service runs in this thread. A finger on a thread of its own presses, as a GPIO library would.
"""

import asyncio
import gc
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import inf
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from centerpiece.cli.run import GIVE_WAY
from centerpiece.games.mexican_train.game import ToggleMarker
from centerpiece.games.registry import GAMES
from centerpiece.hub.gestures import Timing
from centerpiece.hub.hub import TIMING, Hub
from centerpiece.service.shell import Service
from centerpiece.storage.journal import Journal
from centerpiece.storage.writer import ThreadWriter
from centerpiece.table.commands import Command, EnterScore, GoOut, NextRound, OpenTable
from centerpiece.table.events import Event
from centerpiece.table.undo import Ledger, Recorded
from hal.ports import Edge, Frame
from sim.board import SimBoard, build
from sim.clock import VirtualClock
from sim.lights import SimLights

OPEN = OpenTable("mexican-train/classic", ("Ann", "Bob", "Cara", "Dan"), 12, starter=1)
HASTE = TIMING._replace(double=0.0, settle=0.0)
"""A bench taps faster than people do, and its contacts do not bounce."""
BREATH = 2.5
"""Seconds after a start; the starter's light no longer breathes, and the pages are loaded."""
SETTLED = 1.0
"""Seconds after the last edge, in which whatever it led to is done."""
T = TypeVar("T")


def unsaved_hub() -> Hub:
    """Return a hub in play that saves nothing, as the peer does."""
    journal = Journal(":memory:", GAMES)
    journal.keep = lambda entries: None  # type: ignore[method-assign]
    hub = Hub(GAMES, journal, build(), timing=HASTE)
    hub.do(OPEN)
    return hub


STAGES = {
    "hop": "heard",
    "gestures": "decide",
    "decide": "handed",
    "wait for writer": "writing",
    "commit": "written",
    "hop back": "back",
    "paint": "shown",
}
"""What a press goes through, each with the stamp at its end."""


class Press(NamedTuple):
    """The seconds of one press, from letting go to its light."""

    took: float
    ours: float
    """Outside the commit, while this process was at work; the rest is the machine's."""
    stages: dict[str, float]


class Rig:
    """A service that plays on the disk, and says where a press spent its time."""

    def __init__(self, journal: Journal, board: SimBoard | None = None, timing: Timing = HASTE):
        self.board = board or build()
        self.journal = journal
        self.writer = ThreadWriter(journal)
        before = Hub(GAMES, journal, build())
        if before.table.phase == "lobby":
            before.do(OPEN)
        self.hub = Hub(GAMES, journal, self.board, timing=timing, writer=self.writer)
        self.service = Service(self.hub, self.writer)
        self.port = 0
        self._at: dict[str, float] = {}
        self._seq = inf
        self._shown = threading.Event()
        self._stamp(self.hub, "hear", "heard")
        self._stamp(Ledger, "decide", "decide")
        self._stamp(self.writer, "write", "handed")
        self._stamp(self.journal, "keep", "writing", "written")
        self._stamp(self.hub, "wrote", "back")
        if isinstance(self.board.lights, SimLights):
            self.board.lights.watchers.append(self._show)

    def _stamp(self, owner: Any, method: str, before: str, after: str = "") -> None:
        """Note when a method is called, and when it has returned."""
        plain, at = getattr(owner, method), self._at

        def stamped(*arguments: Any) -> Any:
            at[before] = time.perf_counter()
            found = plain(*arguments)
            if after:
                at[after] = time.perf_counter()
            return found

        setattr(owner, method, stamped)

    def _show(self, frame: Frame) -> None:
        if self.hub.seq > self._seq:
            self._at["shown"] = time.perf_counter()
            self._seq = inf
            self._shown.set()

    def press(self, seat: int, rest: float = 0.0) -> Press:
        """Tap a seat, and rest a while before it is let go; return the way to its light."""
        button, at = f"seat-{seat}", self._at
        self.board.buttons.press(button)
        time.sleep(rest)
        self._shown.clear()
        self._seq = self.hub.seq
        work, let_go = time.process_time(), time.perf_counter()
        self.board.buttons.release(button)
        if not self._shown.wait(20.0):
            raise RuntimeError("a press did not reach the lights")
        work = time.process_time() - work
        stamps = [let_go, *(at[stamp] for stamp in STAGES.values())]
        stages = {
            stage: after - before
            for stage, before, after in zip(STAGES, stamps, stamps[1:], strict=False)
        }
        took = at["shown"] - let_go
        return Press(took, min(took - stages["commit"], work), stages)

    def run(self, finger: Callable[["Rig"], T], pages: bool = False) -> T:
        """Serve while `finger` presses on a thread of its own; return its result."""
        return asyncio.run(self._run(finger, pages))

    async def _run(self, finger: Callable[["Rig"], T], pages: bool) -> T:
        from centerpiece.web.site import serve

        gc.freeze()  # as a hub that runs has done, with both
        sys.setswitchinterval(GIVE_WAY)
        self.loop, ready = asyncio.get_running_loop(), threading.Event()

        def started(address: str, keeper: str | None) -> None:
            self.port = urlsplit(address).port
            ready.set()

        def work() -> T:
            try:
                if pages:
                    ready.wait(30)
                time.sleep(BREATH)
                return finger(self)
            finally:
                self.loop.call_soon_threadsafe(self.service.stop)

        serving = partial(serve, self.hub, "127.0.0.1", 0, simulated=False, started=started)
        found = self.loop.run_in_executor(None, work)
        await self.service.run(pages=serving if pages else None)
        return await found


def told(rounds: int = 13, presses: int = 60) -> Iterator[Command]:
    """Yield what four people tell a hub in a game, or in its first rounds."""
    yield OPEN
    for number in range(rounds):
        for press in range(presses):
            yield ToggleMarker(press % 4 + 1)
        out = number % 4 + 1
        yield GoOut(out)
        for seat in range(1, 5):
            if seat != out:
                yield EnterScore(seat, seat * 7)
        yield NextRound()


def meant(edges: Sequence[Edge], timing: Timing = TIMING) -> list[tuple[float, Event]]:
    """Return the events that edges lead to in virtual time, on a disk that never stalls.

    Each with the seconds after the first edge at which it was due.
    """
    clock = VirtualClock()
    hub = Hub(GAMES, Journal(":memory:", GAMES), build(clock=clock), timing=timing)
    hub.do(OPEN)
    found: list[tuple[float, Event]] = []
    start, began = clock.now(), edges[0].now

    def note(recorded: Sequence[Recorded]) -> None:
        found.extend((clock.now() - start, each.event) for each in recorded)

    def wait(until: float) -> None:
        while (due := hub.next_wake() or inf) <= until:
            clock.move(max(0.0, due - clock.now()))
            hub.wake()
            hub.paint()
        clock.move(max(0.0, until - clock.now()))

    hub.on_recorded(note)
    for edge in edges:
        wait(start + edge.now - began)
        hub.hear(Edge(edge.button, edge.down, clock.now()))
        hub.paint()
    wait(clock.now() + SETTLED)
    return found
