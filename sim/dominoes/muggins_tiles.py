"""Muggins: one line with a spinner, and points for open ends.

Places 0 and 1 are the ends of the line; 2 and 3 are the spinner's own ends, open once both of its
sides are taken.

Choices where the rule sheet is open: the opponents' sums are added first and rounded once; in a
blocked round nobody scores if two sides share the lowest sum.
"""

from collections.abc import Collection

from centerpiece.games.muggins.rules import MugginsRules
from sim.dominoes.dealing import Deal
from sim.dominoes.happenings import Forgotten, Scored, Stolen
from sim.dominoes.round import IllegalMove, TileRound
from sim.dominoes.tiles import HIGH, IS_DOUBLE, LOW, PIPS


class MugginsTiles(TileRound):
    """One round of Muggins."""

    __slots__ = ("last", "showing", "sides_free", "spinner")

    rules: MugginsRules

    def __init__(self, rules: MugginsRules, deal: Deal) -> None:
        super().__init__(rules, deal)
        self.showing: list[int] = []
        """The count of each open end: a double at an end counts both halves."""
        self.spinner: int | None = None
        self.sides_free: set[int] = set()
        """Line ends at which a side of the spinner is free."""
        self.last: Scored | None = None
        """The points just made, which can still be stolen."""

    # -- what a move does ---------------------------------------------------------------------

    def _join(self, tile: int, place: int) -> None:
        """Add a tile at the end `place`, and give the player points if the open ends make any."""
        first = not self.ends
        super()._join(tile, place)
        if first:
            self._lay_first(tile)
        else:
            self._lay_next(tile, place)
        self._count_ends()

    def _lay_first(self, tile: int) -> None:
        if IS_DOUBLE[tile]:
            self.spinner = HIGH[tile]
            self.sides_free = {0, 1}
            self.showing = [PIPS[tile], 0]
        else:
            self.showing = [HIGH[tile], LOW[tile]]

    def _lay_next(self, tile: int, place: int) -> None:
        """Note what the end `place` shows after `tile` was laid there; `ends` has it already.

        The first double becomes the spinner; later tiles may cover its free sides.
        """
        self.showing[place] = end = self.ends[place]
        if IS_DOUBLE[tile]:
            self.showing[place] = PIPS[tile]
            if self.spinner is None:
                self.spinner = end
                self.sides_free = {place}
                return
        if self.sides_free:
            self._cover_side(place)

    def _cover_side(self, place: int) -> None:
        """Cover the spinner's side at the end `place`; after the second side, its two ends open.

        While one side is free, the spinner counts with both halves there.
        """
        self.sides_free.discard(place)
        spinner = self.spinner or 0
        for free in self.sides_free:
            self.showing[free] = 2 * spinner
        if not self.sides_free:
            self.ends += [spinner, spinner]
            self.showing += [0, 0]

    def _count_ends(self) -> None:
        """Give the player the sum of the open ends, if the rules' multiple divides it.

        A sum of 0 is no score.
        """
        self.last = None
        total = sum(self.showing)
        if total and total % self.rules.multiple == 0:
            self.points[self.turn] += total
            self.made.append((self.turn, total))
            self.last = Scored(self.turn, total)
            self.happenings.append(self.last)

    # -- points that their player did not notice ----------------------------------------------

    def may_steal(self, by: int) -> bool:
        """Tell whether the seat `by` may steal the points just made.

        They must be an opponent's, and the rules must allow it.
        """
        return bool(self.last and self.rules.stealing and self.last.seat not in self._side(by))

    def steal(self, by: int) -> None:
        """Give the points just made to the seat `by`, an opponent who called “Muggins!”.

        IllegalMove without such points, or if this seat may not steal them.
        """
        if self.last is None or not self.may_steal(by):
            raise IllegalMove(f"seat {by} has nothing to steal: the last points were {self.last}")
        seat, points = self.last.seat, self.last.points
        self.points[seat] -= points
        self.points[by] += points
        self.made[-1] = by, points
        self.happenings.append(Stolen(seat, by, points))
        self.last = None

    def forget(self) -> None:
        """Cancel the points just made, as nobody noticed them; IllegalMove if there are none."""
        if self.last is None:
            raise IllegalMove("no points to forget: the last move made none")
        self.points[self.last.seat] -= self.last.points
        self.made.pop()
        self.happenings.append(Forgotten(self.last.seat, self.last.points))
        self.last = None

    def _side(self, seat: int) -> list[int]:
        """Return a seat and its partner, or the seat alone."""
        team = self.rules.team_of(seat, self.players)
        if team is None:
            return [seat]
        return [s for s in range(self.players) if self.rules.team_of(s, self.players) == team]

    # -- the end ------------------------------------------------------------------------------

    def score(self) -> list[int]:
        """Return each seat's points for the end of the round, without those made in play.

        They are its penalties and, for the winner, the others' pips, rounded. In a blocked round
        the winner is the lowest hand of the side with the lowest sum, or nobody if sides share it.
        """
        added = list(self.penalties)
        sums = [self._worth(hand) for hand in self.hands]
        winner = self.out[0] if self.out else self._lowest(sums)
        if winner is not None:
            side = self._side(winner)
            others = sum(worth for seat, worth in enumerate(sums) if seat not in side)
            added[winner] += _nearest(others, self.rules.multiple)
        return added

    def written(self, missing: Collection[int] = ()) -> list[int | None]:
        """Return each seat's score for the sheet, points made in play included.

        With hands `missing`, it is None for those seats and for all who may score by them; the
        others have only the points made in play.
        """
        if not missing:
            return super().written()
        unknown = {*missing, *(self.out or range(self.players))}
        return [None if seat in unknown else made for seat, made in enumerate(self.points)]

    def _lowest(self, sums: list[int]) -> int | None:
        """Return the lowest seat of the side with the lowest total; None if sides share it.

        `sums` are the worths of the hands by seat.
        """
        sides = {tuple(self._side(seat)): 0 for seat in range(self.players)}
        for side in sides:
            sides[side] = sum(sums[seat] for seat in side)
        lowest = [side for side, worth in sides.items() if worth == min(sides.values())]
        if len(lowest) > 1:
            return None
        return min(lowest[0], key=lambda seat: sums[seat])


def _nearest(points: int, multiple: int) -> int:
    """Round to the nearest multiple; halves go up."""
    return (2 * points + multiple) // (2 * multiple) * multiple
