"""PURE: the state of a rally, folded from the hall's orders."""

import msgspec
from msgspec.structs import replace

from centerpiece.hall.wire import hall_orders as o

PRECISION = 5.0
"""Seconds by which a table's clock may make its start appear earlier than the call."""


class RallyLog(msgspec.Struct, frozen=True):
    """The state of a rally."""

    title: str = "Rally"
    opened: float | None = None
    card: o.HandCard | None = None
    starts: tuple[o.StartGame, ...] = ()
    ends: float | None = None
    finish: float | None = None
    """When the last round was called."""
    quiet: o.Quiet | None = None
    changes: tuple[tuple[int, o.ChangeTables], ...] = ()
    """Changes of tables, each with the number of the game after it."""
    play_offs: tuple[tuple[float, o.CallPlayOff], ...] = ()
    """Calls with their times."""
    announced: tuple[float, o.Announce] | None = None
    """The latest announcement, with its time."""

    @property
    def game(self) -> int:
        """The number of the current game; 1 also before the first call."""
        return max((start.number for start in self.starts), default=1)

    def game_at(self, at: float) -> int:
        """Return the number of a game that a table began at the time `at`: the last one called.

        It is 1 before the first call, and 0 before the hall opened.
        """
        if self.opened is None or at < self.opened - o.GRACE:
            return 0
        called = [start.number for start in self.starts if at >= start.at - PRECISION]
        return max(called, default=1)

    def called_soon(self, number: int, at: float) -> bool:
        """Return whether game `number` was called by the time `at`, or within `GRACE` after."""
        return any(s.number == number and at >= s.at - o.GRACE for s in self.starts)

    def with_order(self, given: o.GivenOrder) -> "RallyLog":
        """Return the state after one more order; late seats and freed names leave it as it is."""
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
            case o.Announce():
                return replace(self, announced=(given.at, order))
            case o.Quiet():
                return replace(self, quiet=order)
            case o.ChangeTables():
                return replace(self, changes=(*self.changes, (self.game + 1, order)))
            case o.CallPlayOff():
                return replace(self, play_offs=(*self.play_offs, (given.at, order)))
        return self
