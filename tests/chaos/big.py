"""The attack: a journal of years. A start, the history and a backup of thousands of games.

A start has the last snapshot, that of the release before an update, or none; only the last of them
reads everything, and is measured but not judged.
"""

import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import msgspec

from centerpiece.games.mexican_train.game import ToggleMarker
from centerpiece.games.registry import GAMES
from centerpiece.storage import snapshot
from centerpiece.storage.backup import restore, save
from centerpiece.storage.history import History
from centerpiece.storage.journal import Journal, JournalEntry
from centerpiece.table import commands as c
from centerpiece.table.commands import Command
from centerpiece.table.undo import Ledger, Recorded
from centerpiece.text import Refused
from tests.chaos.result import Result, resident
from tests.chaos.soak import evenings

SOON = 3.0
HISTORY = 0.3
ACTIONS = 20_000
"""Actions after which the events are written while the journal is being made."""


def years(games: int) -> Result:
    """Play many games into one journal, then measure what a table waits for."""
    failures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="centerpiece-chaos-") as name:
        path = Path(name) / "table.db"
        ledger, more = _played(path, games)
        starts = {
            "as written": _started(path, ledger, failures),
            "after an update": _started(path, ledger, failures, program=lambda game_set: 1),
            "without a snapshot": _started(path, ledger, failures, forget=True),
        }
        failures += [
            f"slow: a start {how} took {seconds:.1f} s"
            for how, seconds in list(starts.items())[:2]
            if seconds > SOON
        ]
        first, again, memory = _history(path, ledger, more)
        if again > HISTORY:
            failures.append(f"slow: the history took {again:.1f} s after a finished game")
        began = time.perf_counter()
        saved = save(path, path.with_name("copy.db"))
        restored, _ = restore(path.with_name("copy.db"), Path(name) / "other" / "table.db")
        backup = time.perf_counter() - began
        if saved != restored or saved.damage:
            failures.append(f"{saved} were saved, {restored} restored")
    said = ", ".join(f"{how} {seconds:.2f} s" for how, seconds in starts.items())
    figures = (
        f"{ledger.seq:,} events; start {said}; history {first:.1f} s, then {again * 1e3:.0f} ms, "
        f"{memory >> 20} MB; backup and restore {backup:.0f} s"
    )
    return Result(games, failures, max(list(starts.values())[:2]), figures)


def _played(path: Path, games: int) -> tuple[Ledger, list[Recorded]]:
    """Write games to a journal; return its end, and the events of one game more."""
    luck, ledger, at, begun = Random(1), Ledger.blank(GAMES), 1.7e9, 0
    waiting: list[Recorded] = []
    with closing(Journal(path, GAMES)) as journal:
        journal.database.execute("PRAGMA synchronous=OFF")  # durability has its own attack
        for what in evenings(luck):
            begun += isinstance(what, c.OpenLobby)
            if begun == games + 1:
                journal.keep([JournalEntry(tuple(waiting), snapshot=ledger)])
                journal.keep_snapshot()
                waiting, written = [], ledger
                begun += 1
            elif begun > games + 2:
                return written, waiting
            ledger, at = _after(ledger, what, at + 15.0, waiting)
            if len(waiting) >= ACTIONS and begun <= games:
                journal.append(waiting)
                waiting = []
    raise AssertionError("evenings ended")


def _after(
    ledger: Ledger, what: str | Command, at: float, waiting: list[Recorded]
) -> tuple[Ledger, float]:
    command: Any = what
    if isinstance(what, str):
        seat = what.removeprefix("seat-")
        command = ToggleMarker(int(seat)) if seat != what else c.BlowWhistle()
    try:
        events = ledger.decide(command, at)
    except Refused:
        return ledger, at
    for recorded in ledger.record(events, at):
        ledger = ledger.apply(recorded)
        waiting.append(recorded)
    return ledger, at


def _started(
    path: Path,
    ledger: Ledger,
    failures: list[str],
    program: Callable[[Any], int] = snapshot.program,
    forget: bool = False,
) -> float:
    """Return how long a start takes, on a copy."""
    copy = Path(shutil.copytree(path.parent, path.parent / "copy")) / path.name
    with patch("centerpiece.storage.snapshot.program", program), closing(Journal(copy, GAMES)) as j:
        if forget:
            j.database.execute("DELETE FROM settings WHERE key = 'snapshot'")
        began = time.perf_counter()
        found = j.recover(GAMES)
        seconds = time.perf_counter() - began
    shutil.rmtree(copy.parent)
    if (found.seq, found.table) != (ledger.seq, ledger.table):
        failures.append(f"{ledger.seq} events were played, a start found {found.seq}")
    return seconds


def _history(path: Path, ledger: Ledger, more: list[Recorded]) -> tuple[float, float, int]:
    """Return the seconds of the first look at the history, and of one a game later."""
    before = resident()
    copy = Path(shutil.copytree(path.parent, path.parent / "copy")) / path.name
    times = []
    with closing(Journal(copy, GAMES)) as journal:
        history = History(journal, GAMES)
        for events in ([], more):
            if events:
                journal.append(events)
            began = time.perf_counter()
            msgspec.json.encode([(game.number, game.players) for game in history.games()])
            times.append(time.perf_counter() - began)
        memory = resident() - before
    shutil.rmtree(copy.parent)
    return times[0], times[1], memory
