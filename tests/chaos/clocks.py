"""The attack: a wall clock that jumps while people play, with the plug pulled in between.

No event is lost or out of order, and the game's own clock takes only the time that passed.
Between two runs of a hub time does not pass here: what a pulled plug costs is not the question.
"""

import tempfile
import time
from pathlib import Path
from random import Random

from centerpiece.games.registry import GAMES
from centerpiece.hub.game_clock import JUMP
from centerpiece.hub.hub import Hub
from centerpiece.storage.history import History
from centerpiece.storage.journal import Journal
from centerpiece.table.commands import ChangeRule, GoOut, Join, OpenTable, Redo, Rename, Undo
from centerpiece.text import Refused
from sim.board import build
from sim.clock import VirtualClock
from tests.chaos.result import Result

TODAY = 1_800_000_000.0
SIX = ("Ann", "Bob", "Cara", "Dan", "Eve", "Finn")


def jump(seed: int, jumps: int) -> Result:
    """Play an evening with a time limit and a clock that is set again and again."""
    luck = Random(seed)
    failures: list[str] = []
    worst = passed = 0.0
    with tempfile.TemporaryDirectory(prefix="centerpiece-chaos-") as name:
        path = Path(name) / "table.db"
        clock = VirtualClock(at=luck.choice([20.0, TODAY]))
        hub = Hub(GAMES, Journal(path, GAMES), build(clock=clock))
        hub.do(OpenTable("mexican-train/rally", SIX))
        hub.do(GoOut(1))
        answered = hub.seq
        limit = 60.0 * (hub.table.rules.time_limit_min or 0)
        for turn in range(1, jumps + 1):
            seconds = luck.uniform(0, limit / jumps)
            clock.move(seconds)
            passed += seconds
            began = time.perf_counter()
            hub.wake()
            answered = _something(hub, luck) or answered
            clock.set(luck.choice([20.0, 1e9, TODAY, TODAY + passed, luck.uniform(0, 4e9)]))
            hub.wake()
            if luck.random() < 0.2:
                hub.journal.close()
                hub = Hub(GAMES, Journal(path, GAMES), build(clock=clock))
            worst = max(worst, time.perf_counter() - began)
            left = (hub.state()["clock"] or {}).get("remaining_s")
            if left is None or abs(limit - passed - left) > 1 + turn * JUMP:
                right = round(limit - passed)
                failures.append(f"seed {seed}, jump {turn}: {right} s are left, not {left}")
            if hub.seq < answered:
                failures.append(f"seed {seed}, jump {turn}: event {answered} was lost")
        failures += _order(hub.journal, seed)
        hub.journal.close()
    return Result(jumps, failures, worst)


def _something(hub: Hub, luck: Random) -> int | None:
    command = luck.choice(
        [
            Rename(luck.randint(1, 6), f"Name {luck.random()}"),
            Join(f"Guest {luck.random()}"),
            ChangeRule("hidden_bones", luck.choice([None, 5, 10])),
        ]
    )
    back = luck.random() < 0.3
    try:
        seq = hub.do(command)
        if back:
            hub.do(Undo())
            seq = hub.do(Redo())
    except Refused:
        return None
    return seq


def _order(journal: Journal, seed: int) -> list[str]:
    """Check the order of events and the marks of clock jumps; the journal itself refuses gaps."""
    count = sum(1 for _ in journal.read())
    (last,) = journal.database.execute("SELECT max(seq) FROM events").fetchone()
    games = History(journal, GAMES).games()
    failures = [] if count == last else [f"seed {seed}: {count} events, the last is {last}"]
    if not all(game.doubtful for game in games):
        failures.append(f"seed {seed}: a game with a jumping clock is not marked as doubtful")
    return failures
