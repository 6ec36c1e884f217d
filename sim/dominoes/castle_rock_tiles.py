"""Castle Rock: one player, one row, and tiles that go because their neighbours match.

The player's hand is the row, in order. Something must be removed whenever possible, so drawing is
no decision; the only choice is what to remove.
"""

from random import Random

from centerpiece.games.castle_rock.rules import CastleRockRules
from centerpiece.rules.rules import Rules
from sim.dominoes.dealing import Deal, shuffled, tiles_each
from sim.dominoes.happenings import Happening
from sim.dominoes.round import IllegalMove, Move, Remove, Sight, TileRound
from sim.dominoes.rows import after, removals
from sim.dominoes.tiles import BIT, name_of

FEWEST = 3
"""The fewest tiles in a row from which one can be removed."""


class RowLaid(Happening, frozen=True, gc=False):
    """The row was empty, and a new one was drawn."""

    tiles: int


class TileLaid(Happening, frozen=True, gc=False):
    """A tile joined the row at the right."""

    tile: int


class MiddleTaken(Happening, frozen=True, gc=False):
    """The middle tile was removed, as its two neighbours share a number."""

    tile: int


class ThreeTaken(Happening, frozen=True, gc=False):
    """Three neighbours that share a number were removed."""

    tiles: tuple[int, int, int]


class CastleRockTiles(TileRound):
    """One game of Castle Rock."""

    __slots__ = ("row",)

    rules: CastleRockRules

    def __init__(self, rules: CastleRockRules, deal: Deal) -> None:
        super().__init__(rules, deal)
        self.row: list[int] = []
        """From left to right."""
        self._draw_tiles(rules.row)

    @staticmethod
    def _deal(
        rules: Rules, size: int, players: int, rng: Random, engine: int | None, starter: int
    ) -> Deal:
        """Deal no hand: the row comes from the pile."""
        tiles_each(rules, size, players)
        return Deal(size, [0], shuffled(size, rng))

    @property
    def won(self) -> bool:
        """True once the game is over with few enough tiles in the row."""
        return self.over and len(self.row) <= self.rules.won_with

    def sight(self) -> Sight:
        return Sight(0, self.hands[0], (), False, (), None, tuple(self.row))

    def moves(self) -> list[Move]:
        return list(removals(self.row))

    def go_on(self) -> bool:
        """Lay tiles until one can be removed; return False if the game is over without that."""
        while not self.over and not removals(self.row):
            if not self.yard:
                self._end()
            elif self.row:
                self._draw_tiles(1)
                self.happenings.append(TileLaid(self.row[-1]))
            else:
                self._start_row()
        return not self.over

    def play(self, move: Move) -> None:
        """Remove from the row the tiles that the move names; IllegalMove if that is not possible.

        If the row is empty then and too few tiles are left for another removal, they are laid as
        well. With nothing left to lay and too short a row, the game ends.
        """
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
            self.happenings.append(ThreeTaken((gone[0], gone[1], gone[2])))
        else:
            self.happenings.append(MiddleTaken(gone[0]))
        if not self.row and 0 < len(self.yard) < FEWEST:
            self._start_row()
        if not self.yard and len(self.row) < FEWEST:
            self._end()

    def score(self) -> list[int]:
        """Return the number of tiles left in the row."""
        return [len(self.row)]

    def _start_row(self) -> None:
        self._draw_tiles(self.rules.row)
        self.happenings.append(RowLaid(len(self.row)))

    def _draw_tiles(self, count: int) -> None:
        """Move tiles from the yard to the row, as many as there are."""
        for _ in range(min(count, len(self.yard))):
            tile = self.yard.pop()
            self.row.append(tile)
            self.hands[0] |= BIT[tile]
