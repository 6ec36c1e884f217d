"""The train markers and their docks: where the markers are, and where the table has them. Pure.

Lifting a marker and putting it back mean what the seat's button means, and they are levels: where
books and docks differ (the button alone was pressed, a marker was moved while the power was off),
the seat blinks, the hub says so after `FIRST_LOOK` seconds, and after `SECOND_LOOK` more it
believes the dock. When a round begins, markers may still be on the trains of the last one: their
seats blink until they are home, and nobody's train opens by that.
"""

from collections.abc import Mapping
from math import inf

import msgspec
from msgspec.structs import replace

from centerpiece.table.state import Table
from centerpiece.text import Sentence

FIRST_LOOK = 3.0
SECOND_LOOK = 5.0
CHANGED_MIND = 5.0
"""Seconds in which a marker that goes back takes its move back: what the move did is undone."""
SAME_MOVE = 2.0
"""Seconds in which the seat's button after its marker means it once."""


class LastMove(msgspec.Struct, frozen=True, gc=False):
    """The latest move of a marker."""

    at: float
    step: int | None = None
    """The step that it was, if it changed the table."""


class Markers(msgspec.Struct, frozen=True, gc=False):
    """The markers that have docks; part of the ui."""

    home: Mapping[int, bool] = {}
    moves: Mapping[int, LastMove] = {}
    round: tuple[float | None, int] | None = None
    """The round in which the docks were last compared with the table."""
    awaited: frozenset[int] = frozenset()
    """Seats whose marker was not home when the round began."""
    misplaced: frozenset[int] = frozenset()
    """Seats whose train is open though the marker is home, or the other way round."""
    said: bool = False
    look_at: float = inf
    """The next look at what is misplaced."""

    @property
    def blinking(self) -> frozenset[int]:
        """The seats that blink in play."""
        return self.awaited | self.misplaced

    def seen(self, seat: int, home: bool, awaited: bool = False) -> "Markers":
        """Return the markers with that of `seat` at `home` or not.

        `awaited` is True if it is not home, but should be.
        """
        waits = self.awaited | {seat} if awaited else self.awaited
        return replace(self, home={**self.home, seat: home}, awaited=waits)

    def moved(self, seat: int, at: float, step: int | None = None) -> "Markers":
        return replace(self, moves={**self.moves, seat: LastMove(at, step)})

    def same_move(self, seat: int, now: float) -> bool:
        """Return True for SAME_MOVE seconds after a move of this seat's marker."""
        move = self.moves.get(seat)
        return move is not None and now < move.at + SAME_MOVE

    def taken_back(self, seat: int, now: float) -> int | None:
        """Return the step that this seat's marker takes back by going back now.

        None if it moved too long ago, or changed nothing.
        """
        move = self.moves.get(seat)
        return None if move is None or now >= move.at + CHANGED_MIND else move.step

    def compared(self, table: Table, opened: frozenset[int] | None, now: float) -> "Markers":
        """Return the markers with what differs from the open trains, `opened`, of a table.

        Nothing differs if `opened` is None. What is newly misplaced will be looked at later.
        Markers not yet put home at the beginning of a round are awaited, not misplaced.
        """
        if not self.home:
            return self
        differs, here = self.differing(table, opened), (table.started_at, table.number)
        awaited = self.awaited & differs if table.phase == "playing" else self.awaited
        if table.phase == "playing" and self.round not in (None, here):
            awaited = differs
        awaited = frozenset(seat for seat in awaited if not self.home[seat])
        misplaced = differs - awaited
        if (awaited, misplaced, here) == (self.awaited, self.misplaced, self.round):
            return self
        changed = replace(self, awaited=awaited, misplaced=misplaced, round=here)
        if misplaced == self.misplaced:
            return changed
        look_at = now + FIRST_LOOK if misplaced else inf
        return replace(changed, said=False, look_at=look_at)

    def differing(self, table: Table, opened: frozenset[int] | None) -> frozenset[int]:
        """Return the seats whose marker is not where the open trains, `opened`, would have it.

        None of them outside a round, or if `opened` is None.
        """
        if opened is None or table.phase != "playing":
            return frozenset()
        seats = (seat.number for seat in table.players() if seat.number in self.home)
        return frozenset(seat for seat in seats if self.home[seat] == (seat in opened))

    def looked(self, now: float) -> "Markers":
        """Return the markers after a look: the first says what is misplaced, the second acts on it.

        The next look is noted.
        """
        again = FIRST_LOOK if self.said else SECOND_LOOK
        return replace(self, said=not self.said, look_at=now + again)


def misplaced_told(table: Table, seat: int, home: bool) -> Sentence:
    """Return the sentence about the marker of `seat`, which the state of its train contradicts.

    `home` is True if the marker is in its dock.
    """
    name = {"name": table.name(seat)}
    if home:
        return Sentence("{name}'s train is open, but the marker is in its dock.", name)
    return Sentence("{name}'s train is closed, but the marker is not in its dock.", name)
