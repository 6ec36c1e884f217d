"""The attack: a season. Two hundred evenings on one hub, in virtual time, a week apart.

Each evening the hub is switched on, a whole game is played and scored, and the plug is pulled.
What has grown at the end: memory, the file, the time to start, the time to look back.
"""

import tempfile
import time
from pathlib import Path
from random import Random

from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import Hub
from centerpiece.storage.history import games
from centerpiece.storage.journal import Journal
from centerpiece.table.commands import (
    EnterScore,
    GoOut,
    NextRound,
    OpenLobby,
    OpenTable,
    Redo,
    Rename,
    Undo,
)
from centerpiece.text import Refused
from sim.board import build
from sim.clock import VirtualClock
from tests.chaos.load import _pass
from tests.chaos.result import Result, resident
from tests.chaos.wild import grown, illegal, size_range

WEEK = 7 * 86_400.0
NAMES = ("Ann", "Bob", "Cara", "Dan", "Eve", "Finn", "Gus", "Hal")


def season(seed: int, evenings: int) -> Result:
    """Play many evenings on one file in one process, each with a new hub."""
    luck = Random(seed)
    clock = VirtualClock()
    sizes: list[int] = []
    starts: list[float] = []
    failures: list[str] = []
    seq = 0
    with tempfile.TemporaryDirectory(prefix="centerpiece-chaos-") as name:
        path = Path(name) / "table.db"
        for evening in range(evenings):
            began = time.perf_counter()
            hub = Hub(GAMES, Journal(path, GAMES), build(clock=clock))
            starts.append(time.perf_counter() - began)
            # Durability has its own attack; here the disk only has to hold it all.
            hub.journal.database.execute("PRAGMA synchronous=OFF")
            if hub.seq != seq:
                failures.append(f"evening {evening}: {seq} events were shown, {hub.seq} left")
            _play(hub, clock, luck)
            seq = hub.seq
            if problem := illegal(hub):
                failures.append(f"evening {evening}: {problem}")
            hub.journal.close()
            clock.move(WEEK)
            sizes.append(resident())
        journal = Journal(path, GAMES, read_only=True)
        began = time.perf_counter()
        found = len(games(journal, GAMES))
        looking_back = time.perf_counter() - began
        journal.close()
        if found != evenings:
            failures.append(f"{evenings} evenings were played, {found} are remembered")
        size = path.stat().st_size
    failures += grown(sizes)
    figures = (
        f"{seq} events, {size / 1e6:.1f} MB; start {starts[0] * 1e3:.0f} ms at first, "
        f"{starts[-1] * 1e3:.0f} ms at last; history {looking_back * 1e3:.0f} ms; "
        f"{size_range(sizes)}"
    )
    return Result(evenings, failures, max(starts), figures)


def _play(hub: Hub, clock: VirtualClock, luck: Random) -> None:
    """Play a game with many presses, mistakes and undos."""
    hub.on_stale(hub.paint)
    hub.board.buttons.listen(hub.hear)
    _do(hub, OpenLobby())
    count = luck.randint(4, 6)
    _do(hub, OpenTable("mexican-train/classic", tuple(luck.sample(NAMES, count)), 12))
    for _ in range(40):
        if hub.table.phase != "playing":
            break
        for _ in range(luck.randint(8, 16)):
            _tap(hub, clock, luck.choice([f"seat-{luck.randint(1, count)}", "train"]))
        out = luck.randint(1, count)
        _do(hub, GoOut(out))
        for seat in range(1, count + 1):
            if seat != out:
                _do(hub, EnterScore(seat, luck.randint(1, 80)))
        if luck.random() < 0.2:
            _do(hub, Undo())
            _do(hub, Redo())
        _do(hub, NextRound())
    _do(hub, Rename(1, luck.choice(NAMES) + " II"))


def _do(hub: Hub, command: object) -> None:
    try:
        hub.do(command)  # type: ignore[arg-type]
    except Refused:
        return


def _tap(hub: Hub, clock: VirtualClock, button: str) -> None:
    buttons = hub.board.buttons
    buttons.press(button)  # type: ignore[attr-defined]
    _pass(hub, clock, 0.1)
    buttons.release(button)  # type: ignore[attr-defined]
    clock.move(20.0)
    hub.wake()
