"""What people do with their hands when something happens at the table: happenings to gestures.

One class for each game says which buttons its happenings are told by. People remember what they
told the hub (`Telling.gleaming`, whose last tile it knows of) and never ask it; so a hub that
forgets is found out, not humoured.

Pure, and without a hub: a gesture is a word that `bridge` and `demo` carry out.
"""

from collections.abc import Iterable, Iterator, Sequence

from sim.dominoes.castle_rock import CastleRock
from sim.dominoes.chickenfoot import Chickenfoot
from sim.dominoes.happenings import (
    Announced,
    Blocked,
    Caught,
    DirectionReversed,
    DoubleOpened,
    DoubleSatisfied,
    Drew,
    EngineFound,
    FootOpened,
    Forgotten,
    HandLeft,
    Happening,
    LastTile,
    MarkerPlaced,
    MarkerRemoved,
    MiddleRemoved,
    NextSkipped,
    Passed,
    Played,
    RowStarted,
    Scored,
    SpellBroken,
    SpellCast,
    Stolen,
    ThreeRemoved,
    TileDrawn,
    ToePlayed,
    TrainStarted,
    TurnLost,
    WentOut,
)
from sim.dominoes.mexican_train import MexicanTrain
from sim.dominoes.muggins import Muggins
from sim.dominoes.round import Round
from sim.dominoes.super_15 import Super15
from sim.hands import Gesture, chord, double, hold, tap


def seat_button(seat: int) -> str:
    """The button of a seat that counts from 0."""
    return f"seat-{seat + 1}"


NEXT = hold("advance")
"""Start the game, go on to the next round, or end the game."""
NAMES_STARTER = chord("train", "undo")
"""The next seat tapped starts the round."""
WHISTLE = tap("whistle")
CAUGHT = hold("whistle")

ASKING = frozenset((NAMES_STARTER, WHISTLE, CAUGHT))
"""Gestures after which the hub waits for a seat."""


class Telling:
    """Those who tell the hub about one round; a game overrides `_tell` and what it scores by."""

    last_tiles = True
    """Whether people tell the hub of last tiles."""
    silent: frozenset[type[Happening]] = frozenset(
        (Played, Drew, Passed, EngineFound, LastTile, WentOut, Blocked, HandLeft)
    )
    """What nobody tells the hub of, not at once at least."""

    def __init__(self, played: Round) -> None:
        self.played = played
        self.gleaming: set[int] = set()
        """Seats whose last tile the hub was told of."""

    # -- in play ------------------------------------------------------------------------------

    def opening(self, number: int) -> Iterator[Gesture]:
        """Who starts, where the tiles have said so: the hub cannot know."""
        decided = self.played.rules.starter
        if decided == "highest-tile" or (decided == "drawn" and number == 1):
            yield NAMES_STARTER
            yield tap(seat_button(self.played.starter))

    def step(self, told: Sequence[Happening]) -> Iterable[Gesture]:
        """What is told of one decision."""
        return () if self.silent.issuperset(map(type, told)) else self._gestures(told)

    def _gestures(self, told: Sequence[Happening]) -> Iterator[Gesture]:
        yield from self._tell(told)
        if self.last_tiles:
            yield from self._tell_last_tiles(told)

    def _tell(self, told: Sequence[Happening]) -> Iterator[Gesture]:
        """What the game's own happenings are told by."""
        raise NotImplementedError

    def _tell_last_tiles(self, told: Sequence[Happening]) -> Iterator[Gesture]:
        played = self.played
        for each in told:
            match each:
                case Caught(seat, penalty):
                    yield CAUGHT
                    yield tap(seat_button(seat))
                    # The hub takes it that whoever draws for a penalty has two tiles then.
                    drawn = penalty in ("draw", "keep")
                    (self.gleaming.discard if drawn else self.gleaming.add)(seat)
                case Announced(seat):
                    yield from self._announce(seat)
        if played.over or not (self.gleaming or True in played.lone):
            return
        for seat in range(played.players):
            known = played.lone[seat] and played.announced[seat]
            if known and seat not in self.gleaming:
                yield from self._announce(seat)
            elif not known and seat in self.gleaming:
                self.gleaming.discard(seat)
                yield from self._no_longer(seat)

    def _announce(self, seat: int) -> Iterator[Gesture]:
        """There are two ways; every other seat prefers the one or the other."""
        self.gleaming.add(seat)
        if seat % 2:
            yield WHISTLE
            yield tap(seat_button(seat))
        else:
            yield hold(seat_button(seat))

    def _no_longer(self, seat: int) -> Iterator[Gesture]:
        yield hold(seat_button(seat))

    # -- at the end ---------------------------------------------------------------------------

    def ending(self) -> Iterator[Gesture]:
        """The round is over: how, and what everybody has left."""
        played = self.played
        yield tap("advance")
        if played.blocked:
            yield hold("train")
        else:
            out = seat_button(played.out[0])
            yield hold(out) if played.out_on_double and len(played.out) == 1 else tap(out)

    def scores(self, told: Sequence[Happening]) -> Iterator[Gesture]:
        """Every hand that counts, pip by pip; hands without pips by one tap for all."""
        counted = [each for each in told if isinstance(each, HandLeft) and self._counts(each.seat)]
        for hand in counted:
            yield from self.count(hand.seat, self._worth(hand))
        if any(not self._worth(hand) for hand in counted):
            yield tap("train")

    def count(self, seat: int, number: int) -> Iterator[Gesture]:
        """A number on a seat's button: tens by holding it, ones by tapping."""
        button = seat_button(seat)
        for _ in range(number // 10):
            yield hold(button)
        for _ in range(number % 10):
            yield tap(button)

    def _counts(self, seat: int) -> bool:
        """Whether somebody's hand is counted: not that of the one who was said to be out."""
        return self.played.blocked or seat != self.played.out[0]

    def _worth(self, hand: HandLeft) -> int:
        rules = self.played.rules
        blank = rules.double_blank if hand.double_blank else 0
        return hand.pips + blank + rules.blank_half * hand.blank_halves


class TellingMexicanTrain(Telling):
    """Markers by a tap, doubles by two; the Mexican Train has a button of its own."""

    def _tell(self, told: Sequence[Happening]) -> Iterator[Gesture]:
        for each in told:
            match each:
                case MarkerPlaced(seat):
                    yield tap(seat_button(seat))
                    # The hub takes it that whoever lays the marker has drawn.
                    self.gleaming.discard(seat)
                case MarkerRemoved(seat):
                    yield tap(seat_button(seat))
                case TrainStarted():
                    yield tap("train")
                case DoubleOpened(place) | DoubleSatisfied(place):
                    yield double("train" if place is None else seat_button(place))

    def _no_longer(self, seat: int) -> Iterator[Gesture]:
        """Whoever has the marker on and draws again lifts it and lays it anew."""
        yield tap(seat_button(seat))
        yield tap(seat_button(seat))


class TellingChickenfoot(Telling):
    """Toes by a tap, a new foot by holding."""

    def _tell(self, told: Sequence[Happening]) -> Iterator[Gesture]:
        for each in told:
            match each:
                case ToePlayed():
                    yield tap("train")
                case FootOpened():
                    yield hold("train")


class TellingMuggins(Telling):
    """Points, five at a time. A stolen score is first its maker's, then the caller's.

    Nobody announces a last tile here: the sheet knows no such thing, and holding a seat means
    something else.
    """

    last_tiles = False

    def _tell(self, told: Sequence[Happening]) -> Iterator[Gesture]:
        if any(isinstance(each, Forgotten) for each in told):
            return
        for each in told:
            match each:
                case Scored(seat, points):
                    for _ in range(points // self._multiple):
                        yield tap(seat_button(seat))
                case Stolen(_, by):
                    yield hold(seat_button(by))

    @property
    def _multiple(self) -> int:
        assert isinstance(self.played, Muggins)
        return self.played.rules.multiple

    def _counts(self, seat: int) -> bool:
        """A partner's pips are not counted when a round is won by going out."""
        played = self.played
        if played.blocked:
            return True
        team_of = played.rules.team_of
        own, theirs = (team_of(each, played.players) for each in (played.out[0], seat))
        return seat != played.out[0] and (own is None or own != theirs)


class TellingSuper15(Telling):
    """Whoever plays a tile with a power taps the own seat, then tells what it does.

    While somebody is to lose a turn, everyone taps in turn, so that the hub sees the lost turn
    go by.
    """

    played: Super15
    silent = frozenset()

    def __init__(self, played: Round) -> None:
        super().__init__(played)
        self.turn = played.starter
        """Whose turn the hub takes it to be."""
        self.said = False
        """Whether anybody has told it so."""

    def _tell(self, told: Sequence[Happening]) -> Iterator[Gesture]:
        if told and isinstance(told[0], Played):
            yield from self._tell_powers(told[0].seat, told[1:])
        played = self.played
        yield from self._watch_lost_turns(told)
        if played.over:
            return
        watched = any(played.skips) and played.turn != self.turn
        again = played.may_stop and not any(played.skips)
        if watched or again:
            yield from self._take(played.turn)

    def _watch_lost_turns(self, told: Sequence[Happening]) -> Iterator[Gesture]:
        """Whoever comes before and after a lost turn says so."""
        played = self.played
        losses = [place for place, each in enumerate(told) if isinstance(each, TurnLost)]
        for place, each in enumerate(told):
            ahead = any(played.skips) or (losses and losses[-1] > place)
            if isinstance(each, Passed) and ahead and each.seat != self.turn:
                yield from self._take(each.seat)
            elif isinstance(each, TurnLost) and place + 1 not in losses and not played.over:
                yield from self._take((each.seat + played.step) % played.players)

    def _tell_powers(self, seat: int, told: Sequence[Happening]) -> Iterator[Gesture]:
        powers = [gesture for each in told for gesture in self._power(each)]
        if any(isinstance(each, Drew) and each.seat != seat for each in told):
            self.turn, self.said = seat, True
            self.gleaming &= {seat}
            yield double(seat_button(seat))
        elif powers and not (self.said and self.turn == seat):
            yield from self._take(seat)
        yield from powers

    def _power(self, happening: Happening) -> Iterator[Gesture]:
        match happening:
            case DirectionReversed():
                yield tap("train")
            case NextSkipped():
                yield double("train")
            case SpellCast() | SpellBroken():
                yield hold("train")

    def _take(self, seat: int) -> Iterator[Gesture]:
        self.turn, self.said = seat, True
        yield tap(seat_button(seat))

    def scores(self, told: Sequence[Happening]) -> Iterator[Gesture]:
        """Only a blocked round is counted: tiles first, then the pips of those who are level."""
        if not self.played.blocked:
            return
        hands = [each for each in told if isinstance(each, HandLeft)]
        for hand in hands:
            yield from self.count(hand.seat, hand.tiles)
        fewest = min(hand.tiles for hand in hands)
        level = [hand for hand in hands if hand.tiles == fewest]
        if len(level) > 1:
            yield tap("train")
            for hand in level:
                yield from self.count(hand.seat, self._worth(hand))


class TellingCastleRock(Telling):
    """One button for drawing, one for removing. The hub starts a new row by itself."""

    last_tiles = False
    played: CastleRock

    def __init__(self, played: Round) -> None:
        super().__init__(played)
        self.removed_last = False

    def _tell(self, told: Sequence[Happening]) -> Iterator[Gesture]:
        for each in told:
            match each:
                case RowStarted():
                    self.removed_last = False
                case TileDrawn():
                    self.removed_last = False
                    yield tap("train")
                case MiddleRemoved():
                    self.removed_last = True
                    yield tap(seat_button(0))
                case ThreeRemoved():
                    self.removed_last = True
                    yield hold(seat_button(0))

    def ending(self) -> Iterator[Gesture]:
        """With nothing to draw, the hub ends it when too few for another removal are left."""
        if not self.removed_last or len(self.played.row) > 2:
            yield tap("advance")

    def scores(self, told: Sequence[Happening]) -> Iterator[Gesture]:
        return iter(())


_KINDS: dict[type[Round], type[Telling]] = {
    MexicanTrain: TellingMexicanTrain,
    Chickenfoot: TellingChickenfoot,
    Muggins: TellingMuggins,
    Super15: TellingSuper15,
    CastleRock: TellingCastleRock,
}


def telling(played: Round) -> Telling:
    """The way in which people tell of this round."""
    return _KINDS[type(played)](played)
