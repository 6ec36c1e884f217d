"""The remaining time of a game and of a turn, and the warnings about it.

Most tables play without limits; then the clock is not read at all.
"""

from collections.abc import Iterator
from math import inf

from centerpiece.table.rounds import remaining
from centerpiece.table.state import Table
from centerpiece.table.turns import left_of_turn
from centerpiece.text import Sentence

WARNINGS = (
    (15 * 60.0, "Fifteen minutes are left."),
    (5 * 60.0, "Five minutes are left."),
    (0.0, "Time is up: finish this round."),
)
"""Remaining seconds at which each warning is given."""
TURN_IS_UP = "The time for this turn is up."


def limited(table: Table) -> bool:
    """Return True if a table's rules have a time limit, for the game or for a turn."""
    return table.rules.time_limit_min is not None or table.rules.turn_limit_s is not None


class TimeLimits:
    """Watches the limits of the running game. Warnings are not repeated after a restart.

    `at` is always the game's own time.
    """

    def __init__(self, table: Table, at: float) -> None:
        self.shift = 0.0
        """Seconds added to the table's clock for the game's limit: a hall has one clock."""
        self._warned = 0
        self.begin(table, at)
        self._turn_warned = table.turn_at if _turn_is_up(table, at) else None

    def left(self, table: Table, at: float) -> float | None:
        """Return the remaining seconds of the game at time `at`; None without a limit."""
        return remaining(table, at + self.shift) if limited(table) else None

    def follow(self, shift: float) -> None:
        """Measure the game's limit by a clock `shift` seconds ahead of the table's own."""
        self.shift = shift

    def begin(self, table: Table, at: float) -> None:
        """Start a new limit at time `at`; skip the warnings whose time has passed."""
        self._warned = self._passed(table, at)

    def due(self, table: Table, at: float) -> Iterator[Sentence]:
        """Yield the warnings that are due at time `at`, each once.

        Of several for the game, it is only the latest.
        """
        if not limited(table):
            return
        passed = self._passed(table, at)
        if passed > self._warned:
            yield Sentence(WARNINGS[passed - 1][1])
        self._warned = passed
        if _turn_is_up(table, at) and self._turn_warned != table.turn_at:
            self._turn_warned = table.turn_at
            yield Sentence(TURN_IS_UP)

    def next_in(self, table: Table, at: float) -> float:
        """Return the seconds until the next warning: 0 if one is due, inf if none will come."""
        soonest = inf
        left, of_turn = self.left(table, at), left_of_turn(table, at)
        if left is not None and self._warned < len(WARNINGS):
            soonest = left - WARNINGS[self._warned][0]
        if of_turn is not None and self._turn_warned != table.turn_at:
            soonest = min(soonest, of_turn)
        return max(0.0, soonest)

    def _passed(self, table: Table, at: float) -> int:
        """Return the number of the game's warnings whose time has passed.

        Without a limit it is the same as before.
        """
        left = self.left(table, at)
        return self._warned if left is None else sum(left <= seconds for seconds, _ in WARNINGS)


def _turn_is_up(table: Table, at: float) -> bool:
    left = left_of_turn(table, at)
    return left is not None and left <= 0
