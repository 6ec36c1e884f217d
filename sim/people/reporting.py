"""Reports of happenings: the gestures that people make on the hub for what happens at the table.

A `Reporter` reports one round; each game's own is in a module of its name (see `games`), with the
cues and states that only this game has.
People remember what they reported (`Reporter.known_last_tiles`) and never ask the hub, so a hub
that forgets is noticed.

Pure, and without a hub: `sim.hands` carries out the gestures.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

from sim.dominoes.happenings import (
    Announced,
    Blocked,
    Caught,
    Drew,
    EngineLaid,
    HandLeft,
    Happening,
    LastTile,
    LastTilePlayed,
    Passed,
    Played,
    Stolen,
    TurnMissed,
)
from sim.dominoes.round import TileRound
from sim.hands import HandGesture, dialled, hold, tap

Commentary = Mapping[type[Happening], Callable[[Any, Any], str]]
"""A commentator's sentences for the happenings of a round."""


NEXT = hold("advance")
"""Start the game, go on to the next round, or end the game."""
AS_SHOWN = tap("advance")
"""Accept the starter that the hub proposes."""
ROUND_OVER = tap("advance")
"""End the round: the hub asks who went out."""
TAKE = tap("advance")
"""Take the number and go on to the next hand."""
WHISTLE = tap("whistle")
CAUGHT = hold("whistle")


class Reporter:
    """Reports one round to the hub. A game overrides `press`, and whatever else differs."""

    round: ClassVar[type[TileRound]]
    """The class of the round."""
    last_tiles: ClassVar[bool] = True
    """True if people report last tiles."""
    silent: ClassVar[frozenset[type[Happening]]] = frozenset(
        (Played, Drew, Passed, EngineLaid, LastTile, LastTilePlayed, Blocked, HandLeft)
    )
    """Happenings that are not reported, or not at once."""
    turns: ClassVar[frozenset[type[Happening]]] = frozenset((Passed,))
    """Happenings that end a turn, besides tiles played."""
    commentary: ClassVar[Commentary] = {}
    """A commentator's sentences for the game's own happenings."""

    def __init__(self, played: TileRound) -> None:
        self.played = played
        self.seats: Sequence[int] = range(played.players)
        """The chairs of the round's players, from 0, as people come and leave."""
        self.required_cues: dict[type[Happening], str] = {Caught: "caught", Stolen: "caught"}
        """The cue that must sound when a happening is reported."""
        self.known_last_tiles: set[int] = set()
        """Seats with a last tile that the hub knows of."""
        self.to_skip: set[int] = set()
        """Seats that the hub was told have a turn to lose."""
        self.announced_seats: set[int] = set()
        """Seats that announced a last tile in this round; the hub does not know that they drew."""
        self.docks = False
        """True if every seat's train marker has a dock."""
        self.doubts: Callable[[], bool] = lambda: False
        """Tells whether somebody calls “caught!” on a marker that was laid without drawing."""

    def seated(self, seats: Sequence[int], doubts: Callable[[], bool] | None = None) -> Self:
        """Set the chairs of the players, and maybe `doubts`; return self."""
        self.seats = seats
        self.doubts = doubts or self.doubts
        return self

    def number(self, player: int) -> int:
        """Return a player's seat as the hub counts it."""
        return self.seats[player] + 1

    def button(self, player: int) -> str:
        """Return the button of a player's seat."""
        return f"seat-{self.number(player)}"

    # -- in play ------------------------------------------------------------------------------

    def opening(self, number: int) -> Iterator[HandGesture]:
        """Yield who starts round `number`, if the hub asks: in the first, or where tiles decide.

        Then come those who still have a turn to lose; after that they are forgotten.
        """
        played, by_tiles = self.played, self.played.rules.starter_found(number)
        if played.players > 1 and (number == 1 or by_tiles):
            proposed = not by_tiles and played.starter == 0
            yield AS_SHOWN if proposed else tap(self.button(played.starter))
        for player in sorted(self.to_skip):
            yield tap(self.button(player))
        self.to_skip.clear()

    def step(self, happenings: Sequence[Happening]) -> Iterable[HandGesture]:
        """Return the gestures that report a decision; none if all its happenings are `silent`."""
        return () if self.silent.issuperset(map(type, happenings)) else self._gestures(happenings)

    def _gestures(self, happenings: Sequence[Happening]) -> Iterator[HandGesture]:
        yield from self.tell(happenings)
        if self.last_tiles:
            yield from self._tell_last_tiles(happenings)

    def tell(self, happenings: Sequence[Happening]) -> Iterator[HandGesture]:
        """Yield the gestures for happenings, one by one; override if one depends on another.

        Those that need no gesture are left out. A lost turn is reported only if the hub was told of
        it.
        """
        for each in happenings:
            if isinstance(each, TurnMissed) and each.seat in self.to_skip:
                self.to_skip.discard(each.seat)
                yield tap(self.button(each.seat))
            elif type(each) not in self.silent:
                yield from self.press(each)

    def press(self, happening: Happening) -> Iterable[HandGesture]:
        """Return the gestures for one of the game's own happenings; by default none."""
        return ()

    def _tell_last_tiles(self, happenings: Sequence[Happening]) -> Iterator[HandGesture]:
        """Yield the gestures for catches and announcements among these happenings.

        While the round is on, they are followed by what else the hub must learn: that seats have an
        announced last tile, or have it no more.
        """
        played = self.played
        for each in happenings:
            match each:
                case Caught(seat, penalty):
                    yield from self._catch(seat, penalty)
                case Announced(seat):
                    yield from self._announce(seat)
        if played.over or not (self.known_last_tiles or True in played.lone):
            return
        for seat in range(played.players):
            known = played.lone[seat] and played.announced[seat]
            if known and seat not in self.known_last_tiles:
                if seat in self.announced_seats and self.doubts():
                    yield from self._doubt(seat)
                yield from self._announce(seat)
            elif not known and seat in self.known_last_tiles:
                yield from self.retract_last_tile(seat)

    def _catch(self, seat: int, penalty: str) -> Iterator[HandGesture]:
        """Yield the report that `seat` was caught, and note what the hub knows by that.

        If the seat had announced earlier, the hub asks whether it drew since, and the answer is
        yes.
        """
        yield CAUGHT
        yield tap(self.button(seat))
        if seat in self.announced_seats:
            yield tap(self.button(seat))
        # The hub assumes that a player who draws for a penalty has two tiles then.
        if penalty == "skip":
            self.to_skip.add(seat)
        for known in (self.known_last_tiles, self.announced_seats):
            (known.discard if penalty in ("draw", "keep") else known.add)(seat)

    def _doubt(self, seat: int) -> Iterator[HandGesture]:
        """Yield a call of “caught!” on a seat that had announced, and the gesture that cancels it.

        The seat has one tile and a marker, but as the boneyard is empty it drew nothing: no fine.
        """
        yield CAUGHT
        yield tap(self.button(seat))
        yield tap("undo")

    def _announce(self, seat: int) -> Iterator[HandGesture]:
        """Yield an announcement by holding the seat, and note that the hub knows it.

        Where to announce is a duty, one seat in four uses the whistle.
        """
        self.known_last_tiles.add(seat)
        self.announced_seats.add(seat)
        if seat % 4 == 1 and self.played.rules.last_tile == "must":
            yield WHISTLE
            yield tap(self.button(seat))
        else:
            yield hold(self.button(seat))

    def retract_last_tile(self, seat: int) -> Iterable[HandGesture]:
        """Return the gestures that tell that a seat has more tiles again.

        By default there are none: only a phone can tell.
        """
        return ()

    # -- at the end ---------------------------------------------------------------------------

    def ending(self) -> Iterator[HandGesture]:
        """Yield the gestures that tell how the round ended: blocked, or with which seat out."""
        played = self.played
        yield ROUND_OVER
        if played.blocked:
            yield tap("train")
        else:
            out = self.button(played.out[0])
            yield hold(out) if played.out_on_double and len(played.out) == 1 else tap(out)

    def scores(self, happenings: Sequence[Happening]) -> Iterator[HandGesture]:
        """Yield the gestures for all hands that count, in the hub's order.

        `happenings` has the hands. Once only empty ones are left, one gesture enters them all.
        """
        counted = [hand for hand in self.in_order(happenings) if self.counts(hand.seat)]
        while counted and any(hand.tiles for hand in counted):
            yield from self.dial(counted.pop(0))
        if counted:
            yield hold("train")

    def in_order(self, happenings: Sequence[Happening]) -> list[HandLeft]:
        """Return the hands among these happenings in the hub's order, clockwise.

        The first is the seat after the one that went out; in a blocked round, the one that started.
        """
        played = self.played
        first = played.starter if played.blocked else played.out[0] + 1
        hands = [each for each in happenings if isinstance(each, HandLeft)]
        return sorted(hands, key=lambda hand: (hand.seat < first, hand.seat))

    def dial(self, hand: HandLeft) -> Iterator[HandGesture]:
        """Yield the gestures for one hand: pips, with what blanks add, then the double blank.

        The double blank is left out unless the rules count it or the hand has no other pips.
        """
        rules = self.played.rules
        pips = hand.pips + rules.blank_half * hand.blank_halves
        yield from dialled(pips, hand.double_blank and (rules.double_blank > 0 or not pips))

    def counts(self, seat: int) -> bool:
        """Tell whether the hand of `seat` is counted: any but that of the seat reported out."""
        return self.played.blocked or seat != self.played.out[0]

    # -- what the hub must show, as far as the game has something of its own -------------------

    def shows(self) -> dict[str, Any]:
        """Return the game's own part of the public state, in play."""
        return {}

    def shows_of_seat(self, seat: int) -> dict[str, Any]:
        """Return the game's own part of a seat's entry; seats count from 0."""
        return {}

    def train_look(self) -> str:
        """Return the look of the shared train."""
        return "closed"

    def ended(self) -> dict[str, Any]:
        """Return the first seat reported out, and whether the round was blocked."""
        played = self.played
        return {
            "out": self.number(played.out[0]) if played.out else None,
            "blocked": played.blocked,
        }

    def won(self) -> bool:
        """Tell whether the best total has won."""
        return True
