"""Chickenfoot: toes on every double, and nothing else until the foot is complete.

A place is the number that a tile joins: equal toes are interchangeable. A suit that runs out before
its foot is complete blocks the round, as in the rule sheets: a foot "must have all its toes before
any other plays can be made".
"""

from centerpiece.games.chickenfoot.rules import ChickenfootRules
from sim.dominoes.dealing import Deal
from sim.dominoes.happenings import SeatHappening
from sim.dominoes.round import Options, TileRound
from sim.dominoes.tiles import BIT, DOUBLE, IS_DOUBLE, PIPS, SUIT


class FootLaid(SeatHappening, frozen=True, gc=False):
    """A double was played; it needs toes before any other play."""

    toes: int


class ToeLaid(SeatHappening, frozen=True, gc=False):
    """A toe was played; `missing` more are needed."""

    missing: int


class ChickenfootTiles(TileRound):
    """One round of Chickenfoot."""

    __slots__ = ("foot", "missing", "needed", "toes")

    rules: ChickenfootRules

    def __init__(self, rules: ChickenfootRules, deal: Deal) -> None:
        super().__init__(rules, deal)
        if deal.engine is None:
            raise ValueError("Chickenfoot needs a first double; deal with the round's double")
        if rules.first_toes < 1 or rules.later_toes < 1:
            raise ValueError("a double needs at least one toe; set first_toes and later_toes")
        self.undrawn = rules.stays_undrawn(self.players)
        self.laid = BIT[DOUBLE[deal.engine]]
        self.ends = list(range(self.size + 1))
        self.toes = [0] * (self.size + 1)
        """For each number, the toes that show it."""
        self.foot = deal.engine
        self.needed = self.missing = rules.first_toes
        """The toes of the last double, and those still missing."""

    def _offer(self, tiles: int) -> Options:
        """Return the numbers where some of `tiles` (a set of bits) fit, each with those that do.

        Until the last double has all its toes, only its number is open. The result is empty if
        nothing fits.
        """
        if self.missing:
            fit = tiles & SUIT[self.foot]
            return [(self.foot, fit)] if fit else ()
        options = []
        for number, toes in enumerate(self.toes):
            if toes and (fit := tiles & SUIT[number]):
                options.append((number, fit))
        return options

    def _join(self, tile: int, place: int) -> None:
        """Add a tile to the number `place`: as a toe of the last double, or to an earlier toe.

        If all toes are there, a double needs its own toes next.
        """
        number, turn = place, self.turn
        if self.missing:
            self.missing -= 1
            self.toes[PIPS[tile] - number] += 1
            self.happenings.append(ToeLaid(turn, self.missing))
        else:
            self.toes[number] -= 1
            if IS_DOUBLE[tile]:
                self.foot = number
                self.needed = self.missing = self.rules.later_toes
                self.happenings.append(FootLaid(turn, self.missing))
            else:
                self.toes[PIPS[tile] - number] += 1
