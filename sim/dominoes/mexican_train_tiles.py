"""Mexican Train: own trains and shared ones, markers, and doubles to be satisfied.

Places 0 to players - 1 are the own trains, the Mexican Trains follow.

Choices where the rule sheets are open:

- In a first turn on the own train only, nothing but the own train counts: a double left open by
  another first turn binds from the second turn on. The player may go on as long as tiles fit; a
  double must be followed, as always.
- The tile drawn for want of a playable one may start such a string.
- Two doubles "if a third tile from the hand goes on one of the two": the last tile of the hand
  may be the second double, since going out on a double ends the round.
- The round is blocked as soon as no tile in any hand fits a place that can ever be reached: with
  nothing left to draw, whoever passes opens the own train, so neither one turn without a play nor
  a whole lap of passes is enough.
"""

from collections.abc import Sequence

from centerpiece.games.mexican_train.rules import MexicanTrainRules
from sim.dominoes.dealing import Deal
from sim.dominoes.happenings import Happening, Passed, Played, SeatHappening
from sim.dominoes.round import Move, Options, PlayTile, Sight, TileRound
from sim.dominoes.tiles import BIT, DOUBLE, DOUBLES, IS_DOUBLE, PIPS, SET, SUIT, each


class TrainMarked(SeatHappening, frozen=True, gc=False):
    """A seat's train was opened to everyone."""


class TrainUnmarked(SeatHappening, frozen=True, gc=False):
    """A seat's train was closed to the others."""


class TrainLaid(SeatHappening, frozen=True, gc=False):
    """A Mexican Train was started."""


class DoubleLeft(Happening, frozen=True, gc=False):
    """A turn ended with a double that must be satisfied; `seat` is None on a Mexican Train."""

    seat: int | None


class DoubleCovered(Happening, frozen=True, gc=False):
    """An open double was satisfied, or its line ended; `seat` is None on a Mexican Train."""

    seat: int | None


class MexicanTrainTiles(TileRound):
    """One round of Mexican Train."""

    __slots__ = (
        "begun",
        "engine",
        "first_turns",
        "fresh",
        "last_double",
        "marked",
        "open",
        "public",
        "started",
        "stringing",
    )

    rules: MexicanTrainRules

    def __init__(self, rules: MexicanTrainRules, deal: Deal) -> None:
        super().__init__(rules, deal)
        if deal.engine is None:
            raise ValueError("Mexican Train needs an engine; deal with the round's double")
        self.engine = deal.engine
        self.ends = [deal.engine] * (self.players + rules.trains)
        self.laid = BIT[DOUBLE[deal.engine]]
        self.marked = [False] * self.players
        self.begun = [False] * self.players
        """True for own trains with at least one tile."""
        self.started = 0
        """The number of Mexican Trains started."""
        self.open: list[int] = []
        """Places of doubles left open by earlier turns, oldest first."""
        self.fresh: list[int] = []
        """Places of doubles that this turn played and did not follow yet."""
        self.last_double = -1
        self.first_turns = self.players
        """The first turns still to come, including this one."""
        self.unsettled = True
        self.stringing = rules.first_turn == "own-train"
        """True in a first turn on the own train only."""
        self.public: list[int] = []
        """Places open to everyone, including the next Mexican Train that may start."""
        self._offer_train()

    def sight(self) -> Sight:
        turn = self.turn
        return Sight(turn, self.hands[turn], self.options, self.may_stop, self.ends, turn)

    def moves(self) -> list[Move]:
        """Return all legal moves of the player whose turn it is.

        A play after which the owner may leave the marker on is there twice, with and without it.
        """
        moves = super().moves()
        return moves + [
            PlayTile(move.tile, move.place, keep_marker=True)
            for move in moves
            if isinstance(move, PlayTile) and self._may_keep_marker(move.place)
        ]

    # -- what may be played -------------------------------------------------------------------

    def _offer(self, tiles: int) -> Options:
        """Return the places allowed now, each with those of `tiles` (a set of bits) that fit.

        Open doubles and first turns limit the places and the tiles; the list is empty if nothing
        fits.
        """
        turn, ends = self.turn, self.ends
        options = []
        if self.open or self.fresh or self.stringing or self._must_begin():
            places = self._places()
            if self.fresh and not self.stringing:
                tiles = self._allowed_after_a_double(tiles)
        else:
            places = self.public
            if not self.marked[turn] and (fit := tiles & SUIT[ends[turn]]):
                options.append((turn, fit))
        for place in places:
            if fit := tiles & SUIT[ends[place]]:
                options.append((place, fit))
        return options

    def _places(self) -> Sequence[int]:
        """Return the places that may be played on when a first turn or a double narrows the choice.

        They are the own train, if it must come first; or the open doubles that this player may
        follow; or, after a double of this turn, all places but the doubles that this player may not
        follow. After two doubles that need a third tile, they are those of the two to be followed.
        """
        turn = self.turn
        if self.stringing or self._must_begin():
            return (turn,)
        if self.open:
            return self._followable(self.open)
        if len(self.fresh) > 1 and self.rules.doubles_a_turn == "third-from-hand":
            return self._followable(self.fresh)
        places = self.public if self.marked[turn] else [turn, *self.public]
        banned = set(self.fresh).difference(self._followable(self.fresh))
        return [place for place in places if place not in banned]

    def _must_begin(self) -> bool:
        """Tell whether the current player must begin the own train before anything else."""
        return self.rules.own_train_first and not self.begun[self.turn]

    def _followable(self, doubles: list[int]) -> list[int]:
        """Return those places of `doubles` that the current player may play on."""
        if self.rules.double_followed_by == "anyone":
            return doubles
        return [place for place in doubles if place == self.turn or place >= self.players]

    def _allowed_after_a_double(self, tiles: int) -> int:
        """Return those of `tiles` (a set of bits) that may follow the doubles of this turn.

        Another double may be one, by the rule that a third must be possible: only if the rest of
        the hand can follow one of the two, or is empty. Some rules allow any tile.
        """
        rule = self.rules.doubles_a_turn
        if rule == "any":
            return tiles
        allowed = tiles & ~DOUBLES
        if rule == "third-from-hand" and len(self.fresh) == 1:
            first = SUIT[self.ends[self.fresh[0]]]
            for double in each(tiles & DOUBLES):
                rest = self.hands[self.turn] ^ BIT[double]
                if rest == 0 or rest & (first | SUIT[PIPS[double] // 2]):
                    allowed |= BIT[double]
        return allowed

    # -- what a move does ---------------------------------------------------------------------

    def _accept(self, move: PlayTile) -> None:
        """Make a checked move, with markers and doubles, and finish the turn.

        The turn goes on after a double, and may go on in a first turn on the own train. With the
        last tile the player goes out.
        """
        tile, place, turn = move.tile, move.place, self.turn
        bit = BIT[tile]
        hand = self.hands[turn] = self.hands[turn] ^ bit
        self.laid |= bit
        self.ends[place] = PIPS[tile] - self.ends[place]
        self.happenings.append(Played(turn, tile, place))
        if place < self.players:
            self.begun[place] = True
        elif place >= self.players + self.started:
            self._start_train()
        if self.marked[turn]:
            self._update_marker(move)
        if self.fresh or self.open:
            self._satisfy(place)
        if not hand:
            self._leave(IS_DOUBLE[tile])
        elif IS_DOUBLE[tile]:
            self.fresh.append(place)
            self.last_double = place
            self.unsettled = True
            self.may_stop = False
        elif self.stringing:
            self.may_stop = True
        else:
            self._finish_turn()

    def _satisfy(self, place: int) -> None:
        """Close the doubles that a tile on `place` satisfies, and those that are now waived."""
        if place in self.fresh:
            self.fresh.remove(place)
        for double in list(self.open):
            if double == place or self._end_of_line(double):
                self.open.remove(double)
                self.happenings.append(DoubleCovered(double if double < self.players else None))

    def _leave(self, on_double: bool) -> None:
        """Note that the player went out, and end the round.

        By some books the others still get their first turn before it ends.
        """
        self._go_out(on_double)
        if self.rules.everyone_starts and self.first_turns > 1:
            self._finish_turn()
        else:
            self._end()

    def _unable(self) -> None:
        """Pass, and mark the own train, unless it is marked already.

        Some rules also spare a player who cannot follow a double of this turn.
        """
        turn = self.turn
        self.happenings.append(Passed(turn))
        if not self.marked[turn] and not (self.fresh and self.rules.double_unanswered == "pass"):
            self.mark(turn)

    def _settle(self) -> None:
        """Finish what a turn leaves: its open doubles, and the last of the first turns.

        With the last first turn the round ends if a player went out before.
        """
        if self.fresh:
            self._leave_open()
        if self.first_turns:
            self.first_turns -= 1
            if not self.first_turns:
                self.stringing = False
                self._offer_train()
                if self.out:
                    self._end()
        self.unsettled = self.first_turns > 0

    def _leave_open(self) -> None:
        """Leave unfollowed doubles of this turn open: by the rules none, the last or all of them.

        One whose suit is all on the layout is waived if the rules say so.
        """
        rule = self.rules.open_double
        if rule == "nobody":
            self.fresh = []
        elif rule == "next-player":
            self.fresh = [place for place in self.fresh if place == self.last_double]
        for place in self.fresh:
            if not self._end_of_line(place):
                self.open.append(place)
                self.happenings.append(DoubleLeft(place if place < self.players else None))
        self.fresh = []

    # -- markers and shared trains ------------------------------------------------------------

    def mark(self, seat: int) -> None:
        """Put a seat's marker on its train: everyone may play there."""
        self.marked[seat] = True
        self.public.append(seat)
        self.happenings.append(TrainMarked(seat))

    def _unmark(self, seat: int) -> None:
        self.marked[seat] = False
        self.public.remove(seat)
        self.happenings.append(TrainUnmarked(seat))

    def _start_train(self) -> None:
        self.started += 1
        self.happenings.append(TrainLaid(self.turn))
        self._offer_train()

    def _offer_train(self) -> None:
        """Let everyone start the next Mexican Train, if one is left and the rules allow it yet."""
        place = self.players + self.started
        too_early = self.first_turns and self.rules.train_starts == "second-turn"
        if place < len(self.ends) and place not in self.public and not too_early:
            self.public.append(place)

    def _may_keep_marker(self, place: int) -> bool:
        return self.rules.marker_off == "choice" and place == self.turn and self.marked[place]

    def _update_marker(self, move: PlayTile) -> None:
        """Take the own marker off after a move, unless the player keeps it on.

        By some rules any play does that, by others only one on the own train.
        """
        if move.keep_marker:
            return
        if move.place == self.turn or self.rules.marker_off == "anywhere":
            self._unmark(self.turn)

    # -- the end ------------------------------------------------------------------------------

    def _blocked(self) -> bool:
        """Return True if no hand has a tile for any place it may ever reach.

        It is False in first turns on the own train, and once a player went out.
        """
        if self.stringing or self.out:
            return False
        reach = range(self.players + min(self.started + 1, self.rules.trains))
        by_owner = self.open and self.rules.double_followed_by == "owner"
        fitting = 0
        for place in self.open or reach:
            if by_owner and place < self.players:
                if self.hands[place] & SUIT[self.ends[place]]:
                    return False
            else:
                fitting |= SUIT[self.ends[place]]
        if not self.rules.own_train_first:
            return not any(hand & fitting for hand in self.hands)
        first = SUIT[self.engine]
        return not any(
            hand & (fitting if begun else first)
            for hand, begun in zip(self.hands, self.begun, strict=True)
        )

    def _end_of_line(self, place: int) -> bool:
        """Tell whether an open double is waived, because its suit is all on the layout."""
        suit = SUIT[self.ends[place]] & SET[self.size]
        return self.rules.end_of_line and not suit & ~self.laid
