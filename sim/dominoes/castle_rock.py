"""Castle Rock: one player, one row, and tiles that go because their neighbours agree.

The row is the player's hand, in order. Something must be removed whenever it can be, so drawing
needs no decision; the choice is only what to remove.
"""

from collections.abc import Sequence

from centerpiece.games.castle_rock.rules import CastleRockRules
from sim.dominoes.deal import Deal
from sim.dominoes.happenings import MiddleRemoved, RowStarted, ThreeRemoved, TileDrawn
from sim.dominoes.round import IllegalMove, Move, Remove, Round, Sight
from sim.dominoes.tiles import BIT, HIGH, LOW, name_of

FEWEST = 3
"""Tiles in the row that it takes to remove anything."""


class CastleRock(Round):
    """One game of Castle Rock."""

    __slots__ = ("row",)

    rules: CastleRockRules

    def __init__(self, rules: CastleRockRules, deal: Deal) -> None:
        super().__init__(rules, deal)
        self.row: list[int] = []
        """From left to right."""
        self._draw_tiles(rules.row)

    @property
    def won(self) -> bool:
        """Whether few enough tiles remain."""
        return self.over and len(self.row) <= self.rules.won_with

    def sight(self) -> Sight:
        return Sight(0, self.hands[0], (), False, (), None, tuple(self.row))

    def moves(self) -> list[Move]:
        return list(removals(self.row))

    def go_on(self) -> bool:
        while not self.over and not removals(self.row):
            if not self.yard:
                self._end()
            elif self.row:
                self._draw_tiles(1)
                self.told.append(TileDrawn(self.row[-1]))
            else:
                self._draw_tiles(self.rules.row)
                self.told.append(RowStarted(len(self.row)))
        return not self.over

    def play(self, move: Move) -> None:
        if type(move) is not Remove or move not in removals(self.row):
            row = " ".join(map(name_of, self.row))
            raise IllegalMove(f"{move} is not possible in the row {row}; see moves()")
        reach = 1 if move.three else 0
        gone = self.row[move.middle - reach : move.middle + reach + 1]
        self.row = list(after(self.row, move))
        for tile in gone:
            self.hands[0] ^= BIT[tile]
            self.laid |= BIT[tile]
        if move.three:
            self.told.append(ThreeRemoved((gone[0], gone[1], gone[2])))
        else:
            self.told.append(MiddleRemoved(gone[0]))
        if not self.yard and len(self.row) < FEWEST:
            self._end()

    def score(self) -> list[int]:
        """How many tiles remain."""
        return [len(self.row)]

    def _draw_tiles(self, count: int) -> None:
        for _ in range(min(count, len(self.yard))):
            tile = self.yard.pop()
            self.row.append(tile)
            self.hands[0] |= BIT[tile]


def removals(row: Sequence[int]) -> list[Remove]:
    """What can be removed from a row: a middle whose neighbours agree, or all three that do."""
    found = []
    for middle in range(1, len(row) - 1):
        left, right = row[middle - 1], row[middle + 1]
        shared = {LOW[left], HIGH[left]} & {LOW[right], HIGH[right]}
        if shared:
            found.append(Remove(middle))
            if shared & {LOW[row[middle]], HIGH[row[middle]]}:
                found.append(Remove(middle, three=True))
    return found


def after(row: Sequence[int], removal: Remove) -> tuple[int, ...]:
    """The row without what is removed."""
    reach = 1 if removal.three else 0
    return (*row[: removal.middle - reach], *row[removal.middle + reach + 1 :])
