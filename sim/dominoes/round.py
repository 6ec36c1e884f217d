"""What every game's round has in common: the interface, drawing, last tiles, penalties, the count.

A round is played like this:

    while round.go_on():
        round.play(players[round.turn].choose(round.sight()))

`go_on` does whatever needs no decision (drawing when nothing fits, passing, putting a marker on)
until a player has a choice; `play` makes that player's move. Between the two there is time to
`announce` a last tile and to `catch` a player who did not.
Every move is checked; an illegal one raises `IllegalMove` and changes nothing.
All that people could tell a hub is in `happenings`, in order; whoever reads it clears it.

As it stands, a tile a turn goes to a line with two ends. A game derives from `TileRound` and
overrides what differs: `_offer`, `_join` or all of `_accept`, `_blocked`, `_unable`, `_settle`,
`_may_keep_marker`, `score`, `_deal` and what `sight` shows. Where points are made in play, `points`
has them, and they may be stolen or forgotten.
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
"""Where the player may play, and which of the own tiles fit there: pairs of place and bit set."""


_PLAIN_BLANKS = SUIT[0] & ~DOUBLES
_DRAWS = {"one": 1, "two": 2, "until-playable": 136, "none": 0}


class IllegalMove(ValueError):
    """A move that the rules do not allow; the message shows the move and what was allowed."""


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
    """What one player sees: the own tiles and the layout, never another hand."""

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
        """How many tiles of the yard nobody may draw."""
        self.draws = _DRAWS[rules.draw]
        """How many tiles to draw at most; more than two means until one fits."""
        self.starter = self.turn = deal.starter
        self.step = 1
        """To the next player: 1 is clockwise, -1 the other way."""
        self.ends: list[int] = []
        self.laid = 0
        """All tiles on the layout, a bit set."""
        self.options: Options = ()
        self.may_stop = False
        self.unsettled = False
        """Whether the game has something to `_settle` when this turn is over."""
        self.lone = [False] * self.players
        """Who is down to one tile."""
        self.announced = [False] * self.players
        self.skips = [0] * self.players
        self.keeps = [False] * self.players
        """Who must keep the next drawn tile."""
        self.penalties = [0] * self.players
        """Penalty points of this round."""
        self.points = [0] * self.players
        """Points made in play, whoever got them in the end."""
        self.made: list[tuple[int, int]] = []
        """The same in the order they were made."""
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
        """Shuffle, deal, and open a round."""
        return cls(rules, cls._deal(rules, size, players, rng, engine, starter))

    @staticmethod
    def _deal(
        rules: Rules, size: int, players: int, rng: Random, engine: int | None, starter: int
    ) -> Deal:
        return deal(rules, size, players, rng, engine, starter)

    # -- the interface ------------------------------------------------------------------------

    def sight(self) -> Sight:
        """What the player whose turn it is can see."""
        turn = self.turn
        return Sight(turn, self.hands[turn], self.options, self.may_stop, self.ends, None)

    def moves(self) -> list[Move]:
        """Every legal move of the player whose turn it is."""
        found: list[Move] = []
        for place, tiles in self.options:
            fitting = (tile for tile in range(tiles.bit_length()) if tiles >> tile & 1)
            found += [PlayTile(tile, place) for tile in fitting]
        if self.may_stop:
            found.append(Stop())
        return found

    def go_on(self) -> bool:
        """Go on until someone has a choice; False when the round is over."""
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
        """Make a move for the player whose turn it is."""
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
        """A player says that one tile is left."""
        if not self.lone[seat]:
            raise IllegalMove(f"seat {seat} announced a last tile, but holds {self._held(seat)}")
        self.announced[seat] = True
        self.happenings.append(Announced(seat))

    def may_catch(self, seat: int) -> bool:
        """Whether a seat has one tile and did not say so."""
        return self.lone[seat] and not self.announced[seat] and self.hands[seat].bit_count() == 1

    def catch(self, seat: int) -> None:
        """A player is caught with one tile that was not announced; the book's penalty applies."""
        if not self.may_catch(seat):
            raise IllegalMove(f"seat {seat} cannot be caught: it holds {self._held(seat)}")
        penalty = self.rules.penalty
        self.happenings.append(Caught(seat, penalty))
        self.announced[seat] = True
        if penalty == "draw":
            for _ in range(self.rules.penalty_tiles):
                self._draw_for(seat)
            self._count(seat)
            if seat == self.turn:
                self.options = ()
        elif penalty == "points":
            self.penalties[seat] += self.rules.penalty_points
        elif penalty == "skip":
            self.skips[seat] += 1
        elif penalty == "keep":
            self.keeps[seat] = True

    def may_steal(self, by: int) -> bool:
        """Whether points were just made that this seat may steal."""
        return False

    def steal(self, by: int) -> None:
        """An opponent noticed the points just made first: they are theirs."""
        raise IllegalMove(f"seat {by} has nothing to steal: no points are made in play here")

    def forget(self) -> None:
        """Nobody noticed the points just made."""
        raise IllegalMove("no points to forget: none are made in play here")

    def score(self) -> list[int]:
        """What each seat writes down at the end of the round, penalties included."""
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
        """What is on the sheet, points made in play included, while some hands are missing."""
        scores = zip(self.points, self.score(), strict=True)
        return [
            None if seat in missing else made + left for seat, (made, left) in enumerate(scores)
        ]

    def as_reported(self, hands: Sequence[int], out: int | None) -> Self:
        """The same round, as somebody tells it who misread hands, or who went out."""
        other = copy(self)
        other.hands = list(hands)
        other.out = [] if out is None else [out]
        other.blocked = out is None
        other.out_on_double = self.out_on_double and other.out == self.out
        return other

    def without(self, player: int) -> Self:
        """The same round, as it is counted when one of its players has gone."""
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
        """What each seat has to count."""
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

    # -- what a game must or may say ----------------------------------------------------------

    def _offer(self, tiles: int) -> Options:
        """Where the current player may play these of the own tiles: any of them on an empty table,
        then whatever fits an open end."""
        if not self.ends:
            return [(0, tiles)]
        return [(place, fit) for place, end in enumerate(self.ends) if (fit := tiles & SUIT[end])]

    def _accept(self, move: PlayTile) -> None:
        """Make a checked move. Either the turn is finished here or the player goes on."""
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
        """What a tile does to the layout: without more to say, a line with two ends."""
        if self.ends:
            self.ends[place] = PIPS[tile] - self.ends[place]
        else:
            self.ends = [HIGH[tile], LOW[tile]]

    def _blocked(self) -> bool:
        """Whether nobody can ever play again. Asked only when nothing can be drawn."""
        return not any(self._offer(hand) for hand in self.hands)

    def _may_keep_marker(self, place: int) -> bool:
        """Whether the player may leave the own marker on while playing there."""
        return False

    def _settle(self) -> None:
        """The turn of an `unsettled` game is over, and so may the round be."""

    def _unable(self) -> None:
        """The current player cannot play, even after drawing."""
        self.happenings.append(Passed(self.turn))

    # -- turns --------------------------------------------------------------------------------

    def _draw(self) -> Options:
        """Draw as the book says; only what was drawn may be played now."""
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
        """One tile from the yard into a hand; 0 when none may be drawn."""
        yard = self.yard
        if len(yard) <= self.undrawn:
            return 0
        tile = yard.pop()
        bit = BIT[tile]
        self.hands[seat] |= bit
        self.happenings.append(Drew(seat, tile))
        return bit

    def _finish_turn(self) -> None:
        """The turn is over: is the round, too? If not, the next player's turn begins."""
        if self.unsettled:
            self._settle()
            if self.over:
                return
        turn = self.turn
        hand = self.hands[turn]
        if self.lone[turn] or not hand & (hand - 1):
            self._count(turn)
        self.may_stop = False
        if (not self.draws or len(self.yard) <= self.undrawn) and self._blocked():
            self._end(blocked=True)
            return
        self.turn = turn = (turn + self.step) % self.players
        if self.skips[turn]:
            self._skip()

    def _skip(self) -> None:
        """Pass over those who lost a turn."""
        while self.skips[self.turn]:
            self.skips[self.turn] -= 1
            self.happenings.append(TurnMissed(self.turn))
            self.turn = (self.turn + self.step) % self.players

    def _count(self, seat: int) -> None:
        """Notice a seat that came down to one tile, or is no longer."""
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
        self.lone[self.turn] = False
        self.out.append(self.turn)
        self.out_on_double |= on_double
        self.happenings.append(LastTilePlayed(self.turn, on_double))

    def _end(self, blocked: bool = False) -> None:
        self.over, self.options, self.may_stop = True, (), False
        if blocked:
            self.blocked = True
            self.happenings.append(Blocked())
        self.happenings += self.hands_left()

    def _pips(self, hand: int) -> int:
        return pips(hand) + (pips(hand & DOUBLES) if self.rules.doubles_twice else 0)

    def _worth(self, hand: int) -> int:
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
        shown = str(move)
        if type(move) is PlayTile:
            shown = f"{name_of(move.tile)} on place {move.place}"
        allowed = "; ".join(f"on place {place}: {names_of(tiles)}" for place, tiles in self.options)
        stop = " or stop" if self.may_stop else ""
        return IllegalMove(
            f"seat {self.turn} may not play {shown}; with ends {self.ends} it may play "
            f"{allowed or 'nothing'}{stop}"
        )
