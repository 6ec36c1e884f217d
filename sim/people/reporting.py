"""What people do with their hands when something happens at the table: happenings to gestures.

A `Reporter` tells the hub of one round; each game's own is in a module of its name (see `games`),
together with what the hub must then sound and show, as far as the game has something of its own.
People remember what they told the hub (`Reporter.gleaming`, whose last tile it knows of) and never
ask it; so a hub that forgets is found out, not humoured.

Pure, and without a hub: a gesture is a word that `sim.hands` carries out.
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
"""A commentator's sentence for a happening of a round."""


NEXT = hold("advance")
"""Start the game, go on to the next round, or end the game."""
AS_SHOWN = tap("advance")
"""Whoever the hub proposes starts."""
ROUND_OVER = tap("advance")
"""Who went out?"""
TAKE = tap("advance")
"""This is the number; on to the next hand."""
WHISTLE = tap("whistle")
CAUGHT = hold("whistle")


class Reporter:
    """Those who tell the hub of one round. A game overrides `press`, and whatever else differs."""

    round: ClassVar[type[TileRound]]
    """The tiles: how a round is dealt and played."""
    last_tiles: ClassVar[bool] = True
    """Whether people tell the hub of last tiles."""
    silent: ClassVar[frozenset[type[Happening]]] = frozenset(
        (Played, Drew, Passed, EngineLaid, LastTile, LastTilePlayed, Blocked, HandLeft)
    )
    """What nobody tells the hub of, not at once at least."""
    turns: ClassVar[frozenset[type[Happening]]] = frozenset((Passed,))
    """What ends a turn, beside tiles played."""
    commentary: ClassVar[Commentary] = {}
    """What a commentator says of the game's own happenings."""

    def __init__(self, played: TileRound) -> None:
        self.played = played
        self.seats: Sequence[int] = range(played.players)
        """Where its players sit, from 0: with those who came late, without those who left."""
        self.required_cues: dict[type[Happening], str] = {Caught: "caught", Stolen: "caught"}
        """The cue that must sound when something is told."""
        self.known_last_tiles: set[int] = set()
        """Seats whose last tile the hub was told of."""
        self.to_skip: set[int] = set()
        """Seats that the hub was told have to lose a turn."""
        self.announced_seats: set[int] = set()
        """Seats that have told it of one in this round; the hub does not know that they drew."""
        self.doubts: Callable[[], bool] = lambda: False
        """Whether somebody calls “caught!” on a marker that was laid without drawing."""

    def seated(self, seats: Sequence[int], doubts: Callable[[], bool] | None = None) -> Self:
        """The same, with its players on these seats, and maybe among people who doubt."""
        self.seats = seats
        self.doubts = doubts or self.doubts
        return self

    def number(self, player: int) -> int:
        """The seat of one of the round's players, as the hub counts."""
        return self.seats[player] + 1

    def button(self, player: int) -> str:
        """The button there."""
        return f"seat-{self.number(player)}"

    # -- in play ------------------------------------------------------------------------------

    def opening(self, number: int) -> Iterator[HandGesture]:
        """Who starts, where the hub asks: in the first round, or where the tiles say it."""
        played, found = self.played, self.played.rules.starter_found(number)
        if played.players > 1 and (number == 1 or found):
            proposed = not found and played.starter == 0
            yield AS_SHOWN if proposed else tap(self.button(played.starter))
        for player in sorted(self.to_skip):
            yield tap(self.button(player))
        self.to_skip.clear()

    def step(self, happenings: Sequence[Happening]) -> Iterable[HandGesture]:
        """What is told of one decision."""
        return () if self.silent.issuperset(map(type, happenings)) else self._gestures(happenings)

    def _gestures(self, happenings: Sequence[Happening]) -> Iterator[HandGesture]:
        yield from self.tell(happenings)
        if self.last_tiles:
            yield from self._tell_last_tiles(happenings)

    def tell(self, happenings: Sequence[Happening]) -> Iterator[HandGesture]:
        """What is pressed for the game's own happenings, where one does not depend on another."""
        for each in happenings:
            if isinstance(each, TurnMissed) and each.seat in self.to_skip:
                self.to_skip.discard(each.seat)
                yield tap(self.button(each.seat))
            elif type(each) not in self.silent:
                yield from self.press(each)

    def press(self, happening: Happening) -> Iterable[HandGesture]:
        """What is pressed for one happening of the game's own."""
        return ()

    def _tell_last_tiles(self, happenings: Sequence[Happening]) -> Iterator[HandGesture]:
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
        """Whoever had announced a last tile before is asked whether one was drawn since: yes."""
        yield CAUGHT
        yield tap(self.button(seat))
        if seat in self.announced_seats:
            yield tap(self.button(seat))
        # The hub takes it that whoever draws for a penalty has two tiles then.
        if penalty == "skip":
            self.to_skip.add(seat)
        for known in (self.known_last_tiles, self.announced_seats):
            (known.discard if penalty in ("draw", "keep") else known.add)(seat)

    def _doubt(self, seat: int) -> Iterator[HandGesture]:
        """An empty boneyard, a marker, and still one tile that was announced before: whoever is
        called on has drawn nothing, so the question is taken back, and nobody is fined."""
        yield CAUGHT
        yield tap(self.button(seat))
        yield tap("undo")

    def _announce(self, seat: int) -> Iterator[HandGesture]:
        """There are two ways; where it must be announced, one seat in four blows the whistle."""
        self.known_last_tiles.add(seat)
        self.announced_seats.add(seat)
        if seat % 4 == 1 and self.played.rules.last_tile == "must":
            yield WHISTLE
            yield tap(self.button(seat))
        else:
            yield hold(self.button(seat))

    def retract_last_tile(self, seat: int) -> Iterable[HandGesture]:
        """A seat whose last tile the hub knows of has more again: that is for a phone to tell."""
        return ()

    # -- at the end ---------------------------------------------------------------------------

    def ending(self) -> Iterator[HandGesture]:
        """The round is over: how, and what everybody has left."""
        played = self.played
        yield ROUND_OVER
        if played.blocked:
            yield tap("train")
        else:
            out = self.button(played.out[0])
            yield hold(out) if played.out_on_double and len(played.out) == 1 else tap(out)

    def scores(self, happenings: Sequence[Happening]) -> Iterator[HandGesture]:
        """Every hand that counts, as the hub goes round; hands that are empty all at once."""
        counted = [hand for hand in self.in_order(happenings) if self.counts(hand.seat)]
        while counted and any(hand.tiles for hand in counted):
            yield from self.dial(counted.pop(0))
        if counted:
            yield hold("train")

    def in_order(self, happenings: Sequence[Happening]) -> list[HandLeft]:
        """Clockwise after who went out; in a blocked round from who started."""
        played = self.played
        first = played.starter if played.blocked else played.out[0] + 1
        hands = [each for each in happenings if isinstance(each, HandLeft)]
        return sorted(hands, key=lambda hand: (hand.seat < first, hand.seat))

    def dial(self, hand: HandLeft) -> Iterator[HandGesture]:
        """One hand; the double blank is told where it counts, or is all there is."""
        rules = self.played.rules
        pips = hand.pips + rules.blank_half * hand.blank_halves
        yield from dialled(pips, hand.double_blank and (rules.double_blank > 0 or not pips))

    def counts(self, seat: int) -> bool:
        """Whether somebody's hand is counted: not that of the one who was said to be out."""
        return self.played.blocked or seat != self.played.out[0]

    # -- what the hub must show, as far as the game has something of its own -------------------

    def shows(self) -> dict[str, Any]:
        """The game's own share of the public state, in play."""
        return {}

    def shows_of_seat(self, seat: int) -> dict[str, Any]:
        """The game's own share of a seat's entry; seats count from 0."""
        return {}

    def train_look(self) -> str:
        """What the lights of the shared train look like."""
        return "closed"

    def ended(self) -> dict[str, Any]:
        """Who is said to be out (of several, the first), and whether the round was blocked."""
        played = self.played
        return {
            "out": self.number(played.out[0]) if played.out else None,
            "blocked": played.blocked,
        }

    def won(self) -> bool:
        """Whether the best total has won."""
        return True
