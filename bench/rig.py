"""The whole service, with the real writer, around a simulated board; and presses on it.

The service runs in this thread. Presses come from a thread of their own, as from a GPIO library.
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
from centerpiece.table.undo import Ledger
from hal.ports import Edge, Frame
from sim.board import SimBoard, build
from sim.hands import Hands
from sim.lights import SimLights

OPEN = OpenTable("mexican-train/classic", ("Ann", "Bob", "Cara", "Dan"), 12, starter=1)
HASTE = TIMING._replace(double=0.0, settle=0.0)
"""Timing for taps faster than people's, without bounces."""
BREATH = 2.5
"""Seconds after a start until the starter's light is steady and the pages are loaded."""
SETTLED = 1.0
"""Seconds after the last edge until everything it led to is done."""
T = TypeVar("T")


def unsaved_hub() -> Hub:
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
"""The stages of a press, each with the stamp at its end."""


class Press(NamedTuple):
    """The seconds of one press, from its release to its light."""

    took: float
    ours: float
    """Processor time of this process outside the commit."""
    stages: dict[str, float]


class Rig:
    """A service on the disk that measures the stages of a press."""

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
        """Note when a method is called and when it returns."""
        plain, at = getattr(owner, method), self._at

        def stamped(*arguments: Any) -> Any:
            at[before] = time.perf_counter()
            result = plain(*arguments)
            if after:
                at[after] = time.perf_counter()
            return result

        setattr(owner, method, stamped)

    def _show(self, frame: Frame) -> None:
        if self.hub.seq > self._seq:
            self._at["shown"] = time.perf_counter()
            self._seq = inf
            self._shown.set()

    def press(self, seat: int, rest: float = 0.0) -> Press:
        """Tap a seat, held for `rest` seconds; measure from the release to its light."""
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
        """Serve while `finger` runs on a thread of its own; return its result."""
        return asyncio.run(self._run(finger, pages))

    async def _run(self, finger: Callable[["Rig"], T], pages: bool) -> T:
        from centerpiece.web.site import serve

        gc.freeze()  # as `centerpiece run` does
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
        result = self.loop.run_in_executor(None, work)
        await self.service.run(pages=serving if pages else None)
        return await result


def commands_of_a_game(rounds: int = 13, presses: int = 60) -> Iterator[Command]:
    """Yield the commands of a game of four, or of its first rounds."""
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


def meant(edges: Sequence[Edge]) -> list[tuple[float, Event]]:
    """Play edges in virtual time, on a disk that never stalls.

    Return the events with the seconds after the first edge at which they are due.
    """
    hands = Hands()
    hands.hub.do(OPEN)
    clock, start, began = hands.clock, hands.clock.now(), edges[0].now
    events: list[tuple[float, Event]] = []
    hands.hub.on_recorded(
        lambda recorded: events.extend((clock.now() - start, each.event) for each in recorded)
    )
    for edge in edges:
        hands.wait(max(0.0, start + edge.now - began - clock.now()))
        hands.board.buttons.edge(edge.button, edge.down)
    hands.wait(SETTLED)
    return events
