"""The attack: `kill -9` while a hall gives an order.

A real hub follows a real Redis. Somebody is sent to its table, and the hub is killed within the
next few milliseconds: before it heard of it, in the middle, or after. Started again, it must seat
everybody, once.
"""

import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from centerpiece.games.registry import GAMES
from centerpiece.hall.wire import hall_keys
from centerpiece.hall.wire.hall_orders import SeatLate, packed
from centerpiece.storage.journal import Journal
from centerpiece.table.events import SeatTaken
from tests.chaos.kills import Running
from tests.chaos.result import Result
from tests.hall.servers import RealRedis, running
from tests.patience import TIMEOUT_S

SEATS = 10
LONGEST_S = 0.03


def kill_while_ordering(seed: int, kills: int) -> Result:
    """Kill the hub during many orders, ten for each table."""
    luck = Random(seed)
    failures: list[str] = []
    worst = 0.0
    with (
        tempfile.TemporaryDirectory(prefix="centerpiece-chaos-") as name,
        running(Path(name) / "redis") as server,
    ):
        for number, first in enumerate(range(0, kills, SEATS)):
            folder = Path(name) / f"table-{number}"
            seats = range(1, min(SEATS, kills - first) + 1)
            took, failed = _one_table(folder, f"hall-{number}", server, list(seats), luck)
            worst = max(worst, took)
            failures += [f"seed {seed}, table {number}: {failure}" for failure in failed]
    return Result(kills, failures, worst)


def _one_table(
    folder: Path, hall: str, server: RealRedis, seats: list[int], luck: Random
) -> tuple[float, list[str]]:
    folder.mkdir()
    config = folder / "hub.toml"
    config.write_text(f'[hall]\nurl = "{server.url}"\nid = "{hall}"\n')
    client, worst, line = server.client(), 0.0, hall_keys.line(hall, "table-1")
    for seat in seats:
        hub = Running(folder, "--config", str(config))
        _until(lambda: client.exists(line))
        order = SeatLate(f"Late {seat}", "table-1", seat)
        client.xadd(hall_keys.orders(hall), packed(order))
        # Not a sleep but the attack: the moment of the kill.
        threading.Event().wait(luck.uniform(0.0, LONGEST_S))
        hub.kill()
        client.delete(line)
    hub = Running(folder, "--config", str(config))
    began = time.monotonic()
    _until(lambda: len(hub.ask("/api/state")["seats"]) == len(seats))
    worst = time.monotonic() - began
    hub.kill()
    journal = Journal(folder / "table.db", GAMES)
    joined = [each.event.name for each in journal.read() if isinstance(each.event, SeatTaken)]
    journal.close()
    sent = [f"Late {seat}" for seat in seats]
    return worst, [] if sent == joined else [f"{len(sent)} were sent, {joined} were seated"]


def _until(there: Callable[[], bool]) -> None:
    until = time.monotonic() + TIMEOUT_S
    while not there() and time.monotonic() < until:
        threading.Event().wait(0.02)
