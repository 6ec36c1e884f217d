"""The base of every game's round: interface, drawing, last tiles, penalties, the count.

A round is played like this:

    while round.go_on():
        round.play(players[round.turn].choose(round.sight()))

`go_on` does all that needs no decision (drawing when nothing fits, passing, putting a marker on)
until a player has a choice; `play` makes that player's move. In between players may `announce` a
last tile and `catch` one who did not.
Every move is checked; an illegal one raises `IllegalMove` and changes nothing.
All that people could report to a hub is in `happenings`, in order; the reader clears it.

By default a turn plays one tile on a line with two ends. A game derives from `TileRound` and
overrides what differs: `_offer`, `_join` or all of `_accept`, `_blocked`, `_unable`, `_settle`,
`_may_keep_marker`, `score`, `_deal` and `sight`. Points made in play are in `points`, and may be
stolen or forgotten.
"""

from collections.abc import Collection, Sequence
from copy import copy
from random import Random
from typing import Self

import msgspec

from centerpiece.rules.rules import Rules
from sim.dominoes.dealing import Deal, deal
from sim.dominoes.happenings import (
    Announced,
    Blocked,
    Caught,
    Drew,
    HandLeft,
    HandRefilled,
    Happening,
    LastTile,
    LastTilePlayed,
    Passed,
    Played,
    TurnMissed,
)
from sim.dominoes.tiles import (
    BIT,
    DOUBLE_BLANK,
    DOUBLES,
    HIGH,
    IS_DOUBLE,
    LOW,
    PIPS,
    SUIT,
    name_of,
    names_of,
    pips,
)

Options = Sequence[tuple[int, int]]
"""The possible plays: pairs of a place and the bit set of the own tiles that fit there."""


_PLAIN_BLANKS = SUIT[0] & ~DOUBLES
_DRAWS = {"one": 1, "two": 2, "until-playable": 136, "none": 0}


class IllegalMove(ValueError):
    """A move against the rules; the message shows it and what was allowed."""


class PlayTile(msgspec.Struct, frozen=True, gc=False):
    """Play a tile. `keep_marker` is for books that leave the choice to the train's owner."""

    tile: int
    place: int
    keep_marker: bool = False


class Stop(msgspec.Struct, frozen=True, gc=False):
    """Play no more tiles this turn, where going on is a choice."""


class Remove(msgspec.Struct, frozen=True, gc=False):
    """Take away the tile at `middle` of the row, or it and both neighbours."""

    middle: int
    three: bool = False


Move = PlayTile | Stop | Remove


class Sight(msgspec.Struct, frozen=True, gc=False):
    """The view of one player: the own tiles and the layout, never another hand."""

    seat: int
    hand: int
    options: Options
    may_stop: bool
    ends: Sequence[int]
    """The open number of each place."""
    home: int | None
    """The place of the own train, in a game that has one."""
    row: Sequence[int] = ()
    """The row that tiles are removed from, from left to right."""


class TileRound:
    """One round of one game, from the deal to the count."""

    __slots__ = (
        "announced",
        "blocked",
        "draws",
        "ends",
        "hands",
        "happenings",
        "keeps",
        "laid",
        "lone",
        "made",
        "may_stop",
        "options",
        "out",
        "out_on_double",
        "over",
        "penalties",
        "players",
        "points",
        "rules",
        "size",
        "skips",
        "starter",
        "step",
        "turn",
        "undrawn",
        "unsettled",
        "yard",
    )

    def __init__(self, rules: Rules, deal: Deal) -> None:
        self.rules = rules
        self.size = deal.size
        self.players = len(deal.hands)
        self.hands = deal.hands
        self.yard = deal.yard
        self.undrawn = 0
        """The tiles of the yard that nobody may draw."""
        self.draws = _DRAWS[rules.draw]
        """The most tiles to draw; more than two means until one fits."""
        self.starter = self.turn = deal.starter
        self.step = 1
        """The direction of play: 1 is clockwise, -1 counterclockwise."""
        self.ends: list[int] = []
        self.laid = 0
        """The bit set of all tiles on the layout."""
        self.options: Options = ()
        self.may_stop = False
        self.unsettled = False
        """True if the game must `_settle` something at the end of this turn."""
        self.lone = [False] * self.players
        """True for seats that are down to one tile."""
        self.announced = [False] * self.players
        self.skips = [0] * self.players
        self.keeps = [False] * self.players
        """True for seats that must keep the next drawn tile."""
        self.penalties = [0] * self.players
        """Penalty points of this round."""
        self.points = [0] * self.players
        """Points made in play, for the seat that has them in the end."""
        self.made: list[tuple[int, int]] = []
        """The same as pairs of seat and points, in the order they were made."""
        self.out: list[int] = []
        self.out_on_double = False
        self.blocked = False
        self.over = False
        self.happenings: list[Happening] = list(deal.happenings)

    @classmethod
    def dealt(
        cls,
        rules: Rules,
        size: int,
        players: int,
        rng: Random,
        engine: int | None = None,
        starter: int = 0,
    ) -> Self:
        """Shuffle, deal, and return a new round; CannotDeal if the rules have no such deal.

        The arguments are those of `dealing.deal`.
        """
        return cls(rules, cls._deal(rules, size, players, rng, engine, starter))

    @staticmethod
    def _deal(
        rules: Rules, size: int, players: int, rng: Random, engine: int | None, starter: int
    ) -> Deal:
        return deal(rules, size, players, rng, engine, starter)

    # -- the interface ------------------------------------------------------------------------

    def sight(self) -> Sight:
        """Return the view of the player whose turn it is."""
        turn = self.turn
        return Sight(turn, self.hands[turn], self.options, self.may_stop, self.ends, None)

    def moves(self) -> list[Move]:
        """Return all legal moves of the player whose turn it is.

        They are known only after `go_on`.
        """
        moves: list[Move] = []
        for place, tiles in self.options:
            fitting = (tile for tile in range(tiles.bit_length()) if tiles >> tile & 1)
            moves += [PlayTile(tile, place) for tile in fitting]
        if self.may_stop:
            moves.append(Stop())
        return moves

    def go_on(self) -> bool:
        """Play on until a player has a choice; return False when the round is over.

        Players who have no fitting tile draw, and pass if that does not help.
        """
        if self.options:
            return True
        while not self.over:
            if options := self._offer(self.hands[self.turn]):
                self.options = options
                return True
            if self.may_stop:
                self._finish_turn()
            elif options := self._draw():
                self.options = options
                return True
            else:
                self._unable()
                self._finish_turn()
        return False

    def play(self, move: Move) -> None:
        """Make a move for the player whose turn it is, and end the turn if nothing else may follow.

        IllegalMove if it is not among `moves()`; nothing has changed then.
        """
        if type(move) is PlayTile:
            tile, place = move.tile, move.place
            for where, tiles in self.options:
                if where == place and tiles >> tile & 1:
                    break
            else:
                raise self._illegal(move)
            if move.keep_marker and not self._may_keep_marker(place):
                raise self._illegal(move)
            self.options = ()
            self._accept(move)
        elif type(move) is Stop and self.may_stop:
            self.options = ()
            self._finish_turn()
        else:
            raise self._illegal(move)

    def announce(self, seat: int) -> None:
        """Announce the last tile of a seat; IllegalMove if it holds more or none."""
        if not self.lone[seat]:
            raise IllegalMove(f"seat {seat} announced a last tile, but holds {self._held(seat)}")
        self.announced[seat] = True
        self.happenings.append(Announced(seat))

    def may_catch(self, seat: int) -> bool:
        """Tell whether a seat has one tile that it did not announce."""
        return self.lone[seat] and not self.announced[seat] and self.hands[seat].bit_count() == 1

    def catch(self, seat: int) -> None:
        """Catch a seat with an unannounced last tile, and apply the rules' penalty.

        The tile counts as announced then. IllegalMove if the seat cannot be caught.
        """
        if not self.may_catch(seat):
            raise IllegalMove(f"seat {seat} cannot be caught: it holds {self._held(seat)}")
        penalty = self.rules.penalty
        self.happenings.append(Caught(seat, penalty))
        self.announced[seat] = True
        if penalty == "draw":
            for _ in range(self.rules.penalty_tiles):
                self._draw_for(seat)
            self._update_last_tile(seat)
            if seat == self.turn:
                self.options = ()
        elif penalty == "points":
            self.penalties[seat] += self.rules.penalty_points
        elif penalty == "skip":
            self.skips[seat] += 1
        elif penalty == "keep":
            self.keeps[seat] = True

    def may_steal(self, by: int) -> bool:
        """Tell whether a seat may steal the points just made."""
        return False

    def steal(self, by: int) -> None:
        """Give the points just made to an opponent who noticed them first."""
        raise IllegalMove(f"seat {by} has nothing to steal: no points are made in play here")

    def forget(self) -> None:
        """Cancel the points just made, as nobody noticed them."""
        raise IllegalMove("no points to forget: none are made in play here")

    def score(self) -> list[int]:
        """Return each seat's points at the end of the round: its hand's and its penalties.

        A seat that went out has the rules' bonus for its hand. A blocked round, or going out on a
        double, may change the hands' points by the rules.
        """
        rules = self.rules
        hands = [self._worth(hand) for hand in self.hands]
        if self.blocked and rules.blocked_lowest_zero:
            hands = [0 if worth == min(hands) else worth for worth in hands]
        if self.out_on_double and rules.out_on_double_doubles:
            hands = [2 * worth for worth in hands]
        for seat in self.out:
            hands[seat] = rules.out_bonus
        return [worth + extra for worth, extra in zip(hands, self.penalties, strict=True)]

    def written(self, missing: Collection[int] = ()) -> list[int | None]:
        """Return each seat's score for the sheet, points made in play included.

        It is None for the seats whose hands are `missing`.
        """
        scores = zip(self.points, self.score(), strict=True)
        return [
            None if seat in missing else made + left for seat, (made, left) in enumerate(scores)
        ]

    def as_reported(self, hands: Sequence[int], out: int | None) -> Self:
        """Return a copy of this round with these hands and the seat `out`, as people report it.

        If `out` is None, the copy is blocked.
        """
        other = copy(self)
        other.hands = list(hands)
        other.out = [] if out is None else [out]
        other.blocked = out is None
        other.out_on_double = self.out_on_double and other.out == self.out
        return other

    def without(self, player: int) -> Self:
        """Return a copy of this round as it is counted when the seat `player` has left before.

        Later seats move up by one.
        """
        other = copy(self)
        other.players -= 1
        for name in ("hands", "points", "penalties", "skips", "lone", "announced", "keeps"):
            of_each = list(getattr(self, name))
            del of_each[player]
            setattr(other, name, of_each)
        other.out = [seat - (seat > player) for seat in self.out]
        other.starter -= self.starter > player
        other.turn = (self.turn - (self.turn > player)) % other.players
        return other

    def hands_left(self) -> list[HandLeft]:
        """Return what each seat has to count: tiles, pips, the double blank and blank halves."""
        return [
            HandLeft(
                seat,
                hand.bit_count(),
                self._pips(hand),
                hand & DOUBLE_BLANK != 0,
                (hand & _PLAIN_BLANKS).bit_count(),
            )
            for seat, hand in enumerate(self.hands)
        ]

    # -- what a game may override -------------------------------------------------------------

    def _offer(self, tiles: int) -> Options:
        """Return the places where some of `tiles` (a set of bits) fit, each with those that do.

        On an empty table all fit, on place 0.
        """
        if not self.ends:
            return [(0, tiles)]
        return [(place, fit) for place, end in enumerate(self.ends) if (fit := tiles & SUIT[end])]

    def _accept(self, move: PlayTile) -> None:
        """Make a checked move and finish the turn; an empty hand ends the round."""
        tile, turn = move.tile, self.turn
        bit = BIT[tile]
        self.hands[turn] ^= bit
        self.laid |= bit
        self.happenings.append(Played(turn, tile, move.place))
        self._join(tile, move.place)
        if self.hands[turn]:
            self._finish_turn()
        else:
            self._go_out(IS_DOUBLE[tile])
            self._end()

    def _join(self, tile: int, place: int) -> None:
        """Add a tile to the layout at `place`, by default one of the two ends of a line."""
        if self.ends:
            self.ends[place] = PIPS[tile] - self.ends[place]
        else:
            self.ends = [HIGH[tile], LOW[tile]]

    def _blocked(self) -> bool:
        """Tell whether nobody can ever play again; called only when nothing can be drawn."""
        return not any(self._offer(hand) for hand in self.hands)

    def _may_keep_marker(self, place: int) -> bool:
        """Tell whether the player may leave the own marker on while playing on this place."""
        return False

    def _settle(self) -> None:
        """Handle the end of a turn while `unsettled`; may end the round."""

    def _unable(self) -> None:
        """Handle a player who cannot play even after drawing."""
        self.happenings.append(Passed(self.turn))

    # -- turns --------------------------------------------------------------------------------

    def _draw(self) -> Options:
        """Draw by the rules; return the places where the drawn tiles fit, each with those that do.

        Only the drawn tiles may be played now. Empty if nothing was drawn, nothing fits, or the
        tile must be kept by a penalty.
        """
        seat, drawn = self.turn, 0
        for _ in range(self.draws):
            if not (bit := self._draw_for(seat)):
                break
            drawn |= bit
            if self.draws > 2 and self._offer(drawn):
                break
        if not drawn:
            return ()
        if self.keeps[seat]:
            self.keeps[seat] = False
            return ()
        return self._offer(drawn)

    def _draw_for(self, seat: int) -> int:
        """Draw one tile into a hand; return its bit, or 0 if none may be drawn."""
        yard = self.yard
        if len(yard) <= self.undrawn:
            return 0
        tile = yard.pop()
        bit = BIT[tile]
        self.hands[seat] |= bit
        self.happenings.append(Drew(seat, tile))
        return bit

    def _finish_turn(self) -> None:
        """End the turn, or the round if it is blocked; otherwise the next player's turn begins.

        Players who have to lose a turn are skipped.
        """
        if self.unsettled:
            self._settle()
            if self.over:
                return
        turn = self.turn
        hand = self.hands[turn]
        if self.lone[turn] or not hand & (hand - 1):
            self._update_last_tile(turn)
        self.may_stop = False
        if (not self.draws or len(self.yard) <= self.undrawn) and self._blocked():
            self._end(blocked=True)
            return
        self.turn = turn = (turn + self.step) % self.players
        if self.skips[turn]:
            self._skip()

    def _skip(self) -> None:
        """Skip the players who lost a turn."""
        while self.skips[self.turn]:
            self.skips[self.turn] -= 1
            self.happenings.append(TurnMissed(self.turn))
            self.turn = (self.turn + self.step) % self.players

    def _update_last_tile(self, seat: int) -> None:
        """Note if a seat has come down to one tile, or has more than one again.

        The one tile is not announced yet.
        """
        hand = self.hands[seat]
        lone = hand != 0 and hand & (hand - 1) == 0
        if lone != self.lone[seat]:
            self.lone[seat] = lone
            if lone:
                self.announced[seat] = False
                self.happenings.append(LastTile(seat))
            elif hand:
                self.happenings.append(HandRefilled(seat))

    # -- the end ------------------------------------------------------------------------------

    def _go_out(self, on_double: bool) -> None:
        """Note that the player has played the last tile; the round is not ended by that."""
        self.lone[self.turn] = False
        self.out.append(self.turn)
        self.out_on_double |= on_double
        self.happenings.append(LastTilePlayed(self.turn, on_double))

    def _end(self, blocked: bool = False) -> None:
        """End the round, as `blocked` or not, and note what each hand has left."""
        self.over, self.options, self.may_stop = True, (), False
        if blocked:
            self.blocked = True
            self.happenings.append(Blocked())
        self.happenings += self.hands_left()

    def _pips(self, hand: int) -> int:
        return pips(hand) + (pips(hand & DOUBLES) if self.rules.doubles_twice else 0)

    def _worth(self, hand: int) -> int:
        """Return the points of a hand: its pips, and what the rules add for blanks."""
        worth = self._pips(hand)
        if hand & DOUBLE_BLANK:
            worth += self.rules.double_blank
        if self.rules.blank_half:
            worth += self.rules.blank_half * (hand & _PLAIN_BLANKS).bit_count()
        return worth

    # -- words --------------------------------------------------------------------------------

    def _held(self, seat: int) -> str:
        said = "announced" if self.announced[seat] else "not announced"
        return f"{self.hands[seat].bit_count()} tiles, {said}"

    def _illegal(self, move: Move) -> IllegalMove:
        """Return, without raising it, the error for a move, with what was allowed."""
        shown = str(move)
        if type(move) is PlayTile:
            shown = f"{name_of(move.tile)} on place {move.place}"
        allowed = "; ".join(f"on place {place}: {names_of(tiles)}" for place, tiles in self.options)
        stop = " or stop" if self.may_stop else ""
        return IllegalMove(
            f"seat {self.turn} may not play {shown}; with ends {self.ends} it may play "
            f"{allowed or 'nothing'}{stop}"
        )
