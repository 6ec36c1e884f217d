"""The integrity check of the journal file, and the problems of the machine.

It reads a few rows at a time on its own thread and connection, so that no press waits for it. It
writes nothing: the writer replaces a file that is gone.
"""

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Event

from centerpiece.hub.hub import Hub
from centerpiece.service import problems
from centerpiece.storage.errors import JournalError
from centerpiece.storage.journal import Damage, Journal
from hal.health import Health
from hal.ports import Report, Trouble
from hal.supervised_thread import start_supervised

EVERY = 2.0
"""Seconds between two checks."""
ROWS = 200
"""Events read in each check: an evening in a few seconds, a season in minutes."""
REST = 86_400.0
"""Seconds after which all events are read again."""


class IntegrityCheck:
    """Checks a hub's file and machine until it is stopped."""

    def __init__(
        self, hub: Hub, report: Report, call: Callable[[Callable[[], None]], object]
    ) -> None:
        """`call` runs a function on the hub's thread."""
        self._hub = hub
        self._report = report
        self._health = Health("checks", report)
        self._call = call
        self._stop = Event()
        self._after = 0
        self._last_at = 0.0
        self._read_at = 0.0
        self._damaged: dict[str, int] = {}
        self._problems: dict[str, str] = {}
        self._foreign_changes = 0

    def start(self) -> None:
        """Start the thread, unless the journal is in memory."""
        if isinstance(self._hub.journal.path, Path):
            start_supervised("checks of the card", self._work, self._health.report, self._stop.wait)

    def stop(self) -> None:
        """Stop without waiting for a disk that stalls."""
        self._stop.set()

    def _work(self) -> None:
        while not self._stop.wait(EVERY):
            self.look(time.monotonic())
            self._health.report(None)

    def look(self, now: float) -> None:
        """Check the machine, the file and, if due at `now`, its next events; report what is wrong.

        If the file was changed or moved, have the writer look at it.
        """
        self._report_problems()
        file = self._hub.journal.file
        if not file.in_place() or file.touched():
            self._call(self._hub.doubt_the_disk)
        if file.incident is not None:
            self._report(Trouble("journal", str(file.incident)))
        if file.foreign_changes != self._foreign_changes:
            self._foreign_changes = file.foreign_changes
            self._after, self._last_at, self._read_at, self._damaged = 0, 0.0, now, {}
        if now >= self._read_at:
            try:
                self._read(now)
            except JournalError:  # being replaced, or the disk is gone: the writer reports it
                return

    def _report_problems(self) -> None:
        """Report the problems that other programs have noted, and those that are solved."""
        present = problems.known()
        for kind in self._problems.keys() | present.keys():
            self._report(Trouble(kind, present.get(kind, "")))
        self._problems = present

    def _read(self, now: float) -> None:
        """Read the next few events; report the damage when it is found and after the last one.

        Reading begins again `REST` seconds after the `now` of the last one.
        """
        count = 0
        with closing(
            Journal(self._hub.journal.path, self._hub.game_set, read_only=True)
        ) as journal:
            for each in journal.scan(self._after, ROWS):
                count += 1
                self._after = each.seq
                if isinstance(each, Damage):
                    day = time.strftime("%Y-%m-%d", time.localtime(self._last_at))
                    self._damaged[day] = self._damaged.get(day, 0) + 1
                    self._report_damage()
                else:
                    self._last_at = each.at
        if count < ROWS:
            self._after, self._last_at, self._read_at = 0, 0.0, now + REST
            self._report_damage()
            self._damaged = {}

    def _report_damage(self) -> None:
        """Report the damaged evenings, or an empty message if there are none."""
        days = ", ".join(f"{day} ({count})" for day, count in sorted(self._damaged.items()))
        words = "Damaged on the card: what was played on {days}. All else is whole. Make a backup."
        self._report(Trouble("games", words.format(days=days) if days else ""))
