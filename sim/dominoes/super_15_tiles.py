"""Super 15: branches from a starting double, and numbers with powers of their own.

A place is a branch; the one after the last begun is a new branch from the starter.

Choices where the rule sheet is open:

- A play *leaves* a 15 or a 14 (its open half), but a 13 or a 3 is *played* (either half).
- The starter has its number's power, except that it skips nobody.
- After a 14 the player may play one more tile, and does not draw for it.
- Two doubles in one turn (after a 14) make two players lose a turn, as far as there are so many.
- A plain 13 that answers a spell breaks it; only 13-13 casts the next one.
- When the spell has gone all the way round, its caster plays as if there were none; it stays for
  the players after, unless that play breaks it.
"""

from collections.abc import Collection

from centerpiece.games.super_15.rules import Super15Rules
from sim.dominoes.dealing import Deal
from sim.dominoes.happenings import Happening, Played, SeatHappening
from sim.dominoes.round import Options, PlayTile, TileRound
from sim.dominoes.tiles import BIT, DOUBLES, HIGH, IS_DOUBLE, LOW, PIPS, SUIT


class DirectionReversed(Happening, frozen=True, gc=False):
    """The direction of play was reversed."""

    clockwise: bool


class SkipAssigned(SeatHappening, frozen=True, gc=False):
    """A double was played: this seat will lose its next turn."""


class SpellStarted(SeatHappening, frozen=True, gc=False):
    """A 13 was played: the next player must break the spell."""


class SpellEnded(SeatHappening, frozen=True, gc=False):
    """The spell was broken."""


class Super15Tiles(TileRound):
    """One round of Super 15."""

    __slots__ = ("begun", "caster", "first", "spell_at")

    rules: Super15Rules

    def __init__(self, rules: Super15Rules, deal: Deal) -> None:
        super().__init__(rules, deal)
        self.first: int | None = None
        """The starter's number, once it is played."""
        self.begun = 0
        """The number of branches that have a tile of their own."""
        self.caster: int | None = None
        """The seat that cast the current spell, if any."""
        self.spell_at = 0
        """The branch that the spell is on."""

    @property
    def spell(self) -> bool:
        """True while there is a spell."""
        return self.caster is not None

    @property
    def clockwise(self) -> bool:
        return self.step == 1

    # -- the start ----------------------------------------------------------------------------

    def go_on(self) -> bool:
        if self.first is None and not self.options:
            self._find_starter()
        return super().go_on()

    def _find_starter(self) -> None:
        """Give the turn to the first player with a double, from the present one on.

        If nobody has one, they draw in turn until one of them gets one.
        """
        for _ in range(self.players):
            if self.hands[self.turn] & DOUBLES:
                return
            self.turn = (self.turn + 1) % self.players
        while not self._draw_for(self.turn) & DOUBLES:
            self._update_last_tile(self.turn)
            self.turn = (self.turn + 1) % self.players

    # -- what may be played -------------------------------------------------------------------

    def _offer(self, tiles: int) -> Options:
        """Return the branches where some of `tiles` (a set of bits) fit, each with those that do.

        At first only doubles fit; a player other than its caster must break a spell.
        """
        if self.first is None:
            return [(0, tiles & DOUBLES)]
        return self._options(tiles, bound=self.spell and self.turn != self.caster)

    def _options(self, tiles: int, bound: bool) -> Options:
        """Return the branches where some of `tiles` (a set of bits) fit, each with those that do.

        With `bound`, only tiles that break the spell fit. Of branches with the same open number
        only the first is named, but the spell's own branch always if `bound`.
        """
        options, seen = [], set()
        for place, end in enumerate(self.ends):
            breaks = bound and place == self.spell_at
            if (end, breaks) in seen:
                continue
            seen.add((end, breaks))
            fit = tiles & (SUIT[end] | (DOUBLES if end == self.rules.spell_on else 0))
            if bound and not breaks:
                fit &= DOUBLES | self._spells()
            if fit:
                options.append((place, fit))
        return options

    def _spells(self) -> int:
        return 0 if self.rules.spell_on is None else SUIT[self.rules.spell_on]

    # -- what a move does ---------------------------------------------------------------------

    def _accept(self, move: PlayTile) -> None:
        """Make a checked move with the powers of its tile; finish the turn unless it may go on.

        With the last tile the player goes out, the round ends, and the tile has no power.
        """
        tile, place, turn = move.tile, move.place, self.turn
        bit = BIT[tile]
        self.hands[turn] ^= bit
        self.laid |= bit
        self.may_stop = False
        self.happenings.append(Played(turn, tile, place))
        starter = self.first is None
        left = self._add_tile(tile, place)
        if not self.hands[turn]:
            self._go_out(IS_DOUBLE[tile])
            self._end()
            return
        self._update_spell(bit, place)
        self._update_direction(tile)
        if left == self.rules.everyone_draws_on:
            self._others_draw()
        if IS_DOUBLE[tile] and not starter:
            self._skip_next(bit)
        if left == self.rules.again_on:
            self.may_stop = True
        else:
            self._finish_turn()

    def _add_tile(self, tile: int, place: int) -> int:
        """Add a tile to the branch `place` and return the number it leaves open.

        The first tile of all is the starter. A branch's first tile makes room for the next branch,
        if the rules have one more.
        """
        if self.first is None:
            self.first = HIGH[tile]
            self.ends = [self.first]
            return self.first
        left = HIGH[tile] if IS_DOUBLE[tile] else PIPS[tile] - self.ends[place]
        self.ends[place] = left
        if place == self.begun:
            self.begun += 1
            if self.begun < self.rules.branches:
                self.ends.append(self.first)
        return left

    def _update_spell(self, bit: int, place: int) -> None:
        """Break the current spell if the tile just played does, and cast one if it can.

        `bit` is that tile, `place` its branch. While a spell is on, only a double of the spell's
        number casts another.
        """
        thirteen = bit & self._spells()
        if self.spell:
            if not (thirteen or bit & DOUBLES or place == self.spell_at):
                return
            self.caster = None
            self.happenings.append(SpellEnded(self.turn))
            if not (thirteen and bit & DOUBLES):
                return
        if thirteen:
            self.caster, self.spell_at = self.turn, place
            self.happenings.append(SpellStarted(self.turn))

    def _update_direction(self, tile: int) -> None:
        """Reverse the direction of play if the tile has that number; never with two players."""
        if self.players > 2 and self.rules.reverse_on in (LOW[tile], HIGH[tile]):
            self.step = -self.step
            self.happenings.append(DirectionReversed(self.clockwise))

    def _others_draw(self) -> None:
        """Make all others draw one tile each, as long as there are tiles to draw."""
        for further in range(1, self.players):
            seat = (self.turn + further * self.step) % self.players
            self._draw_for(seat)
            self._update_last_tile(seat)

    def _skip_next(self, bit: int) -> None:
        """After the double `bit`, let the next player lose a turn who does not lose one already.

        Nothing happens if the rules have no such power, if the double casts a spell, or if all
        others lose a turn.
        """
        if not self.rules.double_skips or bit & self._spells():
            return
        for further in range(1, self.players):
            seat = (self.turn + further * self.step) % self.players
            if not self.skips[seat]:
                self.skips[seat] = 1
                self.happenings.append(SkipAssigned(seat))
                return

    # -- the end ------------------------------------------------------------------------------

    def _blocked(self) -> bool:
        """Return True if no hand has a tile that fits, nor breaks a spell that binds it."""
        return not any(
            self._options(hand, bound=self.spell and seat != self.caster)
            for seat, hand in enumerate(self.hands)
        )

    def winners(self) -> list[int]:
        """Return the seats that have won the round: the one that went out.

        In a blocked round it is those with the fewest tiles, and of these those with the fewest
        points.
        """
        if self.out:
            return self.out
        left = [(hand.bit_count(), self._worth(hand)) for hand in self.hands]
        return [seat for seat, held in enumerate(left) if held == min(left)]

    def score(self) -> list[int]:
        """Return each seat's points: 1 for the winners and 0 for others if rounds won count.

        By other rules they are the points of the hands, as in other games.
        """
        if self.rules.wins != "rounds":
            return super().score()
        winners = self.winners()
        return [int(seat in winners) for seat in range(self.players)]

    def written(self, missing: Collection[int] = ()) -> list[int | None]:
        """Return each seat's score for the sheet; None for `missing` seats.

        Where rounds won count, a missing hand may decide, so it is None for all.
        """
        if missing and self.rules.wins == "rounds":
            return [None] * self.players
        return super().written(missing)
