"""The cost of a press at the end of a long evening, as a multiple of one at its beginning.

A press is a command through the hub, decided, written, painted, with a page that asks for the
public state. Twins take turns: one with ten steps to undo and one with 3,000; one in the first
round and one in the last; one with an empty journal and one with many evenings in it. Time is
processor time.
"""

import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from bench.measure import cpu, in_turn
from bench.rig import commands_of_a_game
from centerpiece.games.mexican_train.game import ToggleMarker
from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import Hub
from centerpiece.storage.journal import Journal
from centerpiece.table.commands import OpenLobby
from centerpiece.table.undo import Ledger, Recorded
from sim.board import build

PRESSES = 20
"""In one turn: enough to measure, few enough to keep the twins different."""


def past(path: Path, games: int) -> Journal:
    """Return a journal with whole games in it."""
    journal, ledger, at = Journal(path, GAMES), Ledger.blank(GAMES), time.time()
    journal.database.execute("PRAGMA synchronous=OFF")  # writing is not what is measured
    for _ in range(games):
        events: list[Recorded] = []
        for command in (*commands_of_a_game(), OpenLobby()):
            recorded = ledger.record(ledger.decide(command, at), at)
            for each in recorded:
                ledger = ledger.apply(each)
            events += recorded
        journal.append(events)
    journal.database.execute("PRAGMA synchronous=FULL")
    return journal


def hub_at(journal: Journal, steps: int = 10, rounds: int = 0) -> Hub:
    """Return a hub after some finished rounds and some steps in the current one."""
    hub = Hub(GAMES, journal, build())
    hub.on_news(hub.state)
    for command in commands_of_a_game(rounds, 0):
        hub.do(command)
    for step in range(steps):
        hub.do(ToggleMarker(step % 4 + 1))
    return hub


def presses(hub: Hub) -> Callable[[], float]:
    """Return a function that measures some presses and leaves the table as before."""

    def some() -> None:
        for press in range(PRESSES // 2):
            for _ in "on", "off":
                hub.do(ToggleMarker(press % 4 + 1))
                hub.paint()

    return lambda: cpu(some)


def measure(quick: bool) -> dict[str, Any]:
    """Return the ratio of each pair of twins."""
    many = 300 if quick else 3000
    memory = partial(Journal, ":memory:", GAMES)

    with tempfile.TemporaryDirectory(prefix="centerpiece-bench-") as name:
        folder = Path(name)
        twins = {
            "steps": (hub_at(memory()), hub_at(memory(), many)),
            "rounds": (hub_at(memory()), hub_at(memory(), rounds=12)),
            "journal": (
                hub_at(past(folder / "young" / "table.db", 0)),
                hub_at(past(folder / "old" / "table.db", many // 100)),
            ),
        }
        ratios = {}
        for name, (young, old) in twins.items():
            turns = {"young": presses(young), "old": presses(old)}
            times = in_turn(5 if quick else 25, turns, 2)
            ratios[name] = statistics.median(times["old"]) / statistics.median(times["young"])
    return ratios
