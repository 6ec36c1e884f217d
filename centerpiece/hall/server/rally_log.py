"""PURE: what the orders that a hall has given so far amount to."""

import msgspec
from msgspec.structs import replace

from centerpiece.hall.wire import hall_orders as o

PRECISION = 5.0
"""How far a table's start may lie before the call because of its clock alone."""


class CalledPlayOff(msgspec.Struct, frozen=True):
    """A play-off that was called, and when."""

    at: float
    order: o.CallPlayOff


class RallyLog(msgspec.Struct, frozen=True):
    """The orders that the hall has given so far, and what they amount to."""

    title: str = "Rally"
    opened: float | None = None
    card: o.HandCard | None = None
    starts: tuple[o.StartGame, ...] = ()
    ends: float | None = None
    finish: float | None = None
    """When the round in play was said to be the last."""
    quiet: o.Quiet | None = None
    changes: tuple[tuple[int, o.ChangeTables], ...] = ()
    """Changes of tables, with the game before which they were made."""
    play_offs: tuple[CalledPlayOff, ...] = ()

    @property
    def game(self) -> int:
        """The number of the game that is being played; 1 also before the first call."""
        return max((start.number for start in self.starts), default=1)

    def game_at(self, at: float) -> int:
        """Return which game a table plays that began then; 0 if it was before the hall opened."""
        if self.opened is None or at < self.opened - o.GRACE:
            return 0
        called = [start.number for start in self.starts if at >= start.at - PRECISION]
        return max(called, default=1)

    def called_soon(self, number: int, at: float) -> bool:
        """Return whether a game was called shortly after that moment."""
        return any(s.number == number and at >= s.at - o.GRACE for s in self.starts)

    def with_order(self, given: o.Given) -> "RallyLog":
        """Return the log with one more order in it."""
        order = given.order
        match order:
            case o.Open(title):
                return replace(self, title=title, opened=self.opened or given.at)
            case o.HandCard():
                return replace(self, card=order)
            case o.StartGame():
                starts = (*self.starts, order)
                return replace(self, starts=starts, ends=order.ends, finish=None)
            case o.SetClock(ends):
                return replace(self, ends=ends)
            case o.FinishRound():
                return replace(self, finish=given.at)
            case o.Quiet():
                return replace(self, quiet=order)
            case o.ChangeTables():
                return replace(self, changes=(*self.changes, (self.game + 1, order)))
            case o.CallPlayOff():
                return replace(self, play_offs=(*self.play_offs, CalledPlayOff(given.at, order)))
        return self
