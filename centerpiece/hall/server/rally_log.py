"""PURE: what the orders that a hall has given so far amount to."""

import msgspec
from msgspec.structs import replace

from centerpiece.hall.wire.hall_orders import (
    GRACE,
    CallPlayOff,
    ChangeTables,
    FinishRound,
    Given,
    HandCard,
    Open,
    Quiet,
    SetClock,
    StartGame,
)

PRECISION = 5.0
"""How far a table's start may lie before the call because of its clock alone."""


class CalledPlayOff(msgspec.Struct, frozen=True):
    """A play-off that was called, and when."""

    at: float
    order: CallPlayOff


class RallyLog(msgspec.Struct, frozen=True):
    """The orders that the hall has given so far, and what they amount to."""

    title: str = "Rally"
    opened: float | None = None
    card: HandCard | None = None
    starts: tuple[StartGame, ...] = ()
    ends: float | None = None
    finish: float | None = None
    """When the round in play was said to be the last."""
    quiet: Quiet | None = None
    changes: tuple[tuple[int, ChangeTables], ...] = ()
    """Changes of tables, with the game before which they were made."""
    play_offs: tuple[CalledPlayOff, ...] = ()

    @property
    def game(self) -> int:
        """The number of the game that is being played; 1 also before the first call."""
        return max((start.number for start in self.starts), default=1)

    def game_at(self, at: float) -> int:
        """Return which game a table plays that began then; 0 if it was before the hall opened."""
        if self.opened is None or at < self.opened - GRACE:
            return 0
        called = [start.number for start in self.starts if at >= start.at - PRECISION]
        return max(called, default=1)

    def called_soon(self, number: int, at: float) -> bool:
        """Return whether a game was called shortly after that moment."""
        return any(s.number == number and at >= s.at - GRACE for s in self.starts)

    def with_order(self, given: Given) -> "RallyLog":
        """Return the log with one more order in it."""
        order = given.order
        match order:
            case Open(title):
                return replace(self, title=title, opened=self.opened or given.at)
            case HandCard():
                return replace(self, card=order)
            case StartGame():
                starts = (*self.starts, order)
                return replace(self, starts=starts, ends=order.ends, finish=None)
            case SetClock(ends):
                return replace(self, ends=ends)
            case FinishRound():
                return replace(self, finish=given.at)
            case Quiet():
                return replace(self, quiet=order)
            case ChangeTables():
                return replace(self, changes=(*self.changes, (self.game + 1, order)))
            case CallPlayOff():
                return replace(self, play_offs=(*self.play_offs, CalledPlayOff(given.at, order)))
        return self
