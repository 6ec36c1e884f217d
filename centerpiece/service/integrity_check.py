"""The integrity check: the journal is in its place and whole, and the machine is well.

It works on a thread of its own with a connection of its own, a few rows at a time, so that no
press waits for it. It writes nothing: a file that is gone is the writer's to write anew.
"""

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Event, Thread

from centerpiece.hub.hub import Hub
from centerpiece.service import problems
from centerpiece.storage.errors import JournalError
from centerpiece.storage.journal import Damage, Journal
from hal.ports import Report, Trouble

EVERY = 2.0
"""Seconds between two looks."""
ROWS = 200
"""Events read with each look: an evening in a few seconds, a season in minutes."""
REST = 86_400.0
"""Seconds after which everything is read again."""


class IntegrityCheck:
    """Looks after a hub's file until it is stopped."""

    def __init__(
        self, hub: Hub, report: Report, call: Callable[[Callable[[], None]], object]
    ) -> None:
        """`call` has a function carried out where the hub lives."""
        self._hub = hub
        self._report = report
        self._call = call
        self._stop = Event()
        self._thread = Thread(target=self._work, name="integrity", daemon=True)
        self._after = 0
        self._last_at = 0.0
        self._read_at = 0.0
        self._hurt: dict[str, int] = {}
        self._problems: dict[str, str] = {}
        self._doubts = 0

    def start(self) -> None:
        """Begin; a journal in memory needs nobody."""
        if isinstance(self._hub.journal.path, Path):
            self._thread.start()

    def stop(self) -> None:
        """End, without waiting for a disk that stalls."""
        self._stop.set()

    def _work(self) -> None:
        while not self._stop.wait(EVERY):
            self.look(time.monotonic())

    def look(self, now: float) -> None:
        """One look at the machine, at the file, and at some of what is in it."""
        self._look_at_machine()
        journal = self._hub.journal
        if not journal.in_place() or journal.touched():
            self._call(self._hub.doubt_the_disk)
        if journal.moved is not None:
            self._report(Trouble("journal", str(journal.moved)))
        if journal.doubts != self._doubts:
            self._doubts = journal.doubts
            self._after, self._last_at, self._read_at, self._hurt = 0, 0.0, now, {}
        if now >= self._read_at:
            try:
                self._read(now)
            except JournalError:  # it is being moved, or the disk is away: the writer tells
                return

    def _look_at_machine(self) -> None:
        """Pass on what others have found out about it."""
        found = problems.known()
        for kind in self._problems.keys() | found.keys():
            self._report(Trouble(kind, found.get(kind, "")))
        self._problems = found

    def _read(self, now: float) -> None:
        """The next few events; when all are read, what is wrong with them."""
        count = 0
        with closing(
            Journal(self._hub.journal.path, self._hub.game_set, read_only=True)
        ) as journal:
            for found in journal.scan(self._after, ROWS):
                count += 1
                self._after = found.seq
                if isinstance(found, Damage):
                    day = time.strftime("%Y-%m-%d", time.localtime(self._last_at))
                    self._hurt[day] = self._hurt.get(day, 0) + 1
                    self._tell()
                else:
                    self._last_at = found.at
        if count < ROWS:
            self._after, self._last_at, self._read_at = 0, 0.0, now + REST
            self._tell()
            self._hurt = {}

    def _tell(self) -> None:
        """Which evenings are hurt; an empty sentence when none is."""
        days = ", ".join(f"{day} ({count})" for day, count in sorted(self._hurt.items()))
        words = "Damaged on the card: what was played on {days}. All else is whole. Make a backup."
        self._report(Trouble("games", words.format(days=days) if days else ""))
