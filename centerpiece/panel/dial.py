"""The dial: entering hands one after the other, with the seat buttons as digits.

Typed digits are no event: a power cut leaves the hand uncounted. Taking the number sends a command,
which is checked like a phone's: a number that is doubted is accepted when it is sent a second time.
Digits stay with the hand that they were typed for as long as it has to be counted.
"""

from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from centerpiece.table.binding import Effect
from centerpiece.table.checks import empty_seat
from centerpiece.table.commands import Command, Undo
from centerpiece.table.game import Game
from centerpiece.table.scoring import missing
from centerpiece.table.state import Entry, Round, Table
from centerpiece.text import Refused, Sentence

MOST_DIGITS = 4


class Hand(NamedTuple):
    """The tiles that a seat had left in a round; with `in_play`, the points it made in play."""

    round: int
    seat: int
    in_play: bool = False

    def sentence(self, table: Table) -> Sentence:
        facts = {"name": table.name(self.seat), "round": self.round}
        if self.in_play:
            return Sentence("{name}'s points made in play in round {round}", facts)
        if self.round < table.number:
            return Sentence("{name}'s hand of round {round}", facts)
        return Sentence("{name}'s hand", facts)


class Typed(msgspec.Struct, frozen=True, gc=False):
    """The digits typed for a hand, the sum of the tiles before them, and its double blank."""

    digits: str = ""
    double_blank: bool = False
    sum: int | None = None

    @property
    def number(self) -> int | None:
        """The number so far; None before the first digit."""
        if not self.digits and self.sum is None:
            return None
        return (self.sum or 0) + int(self.digits or "0")

    @property
    def shown(self) -> str:
        """The digits typed so far; before the first one, the sum of earlier ones, or nothing."""
        return self.digits or ("" if self.sum is None else str(self.sum))


NOTHING = Typed()


class Dial(msgspec.Struct, frozen=True, gc=False):
    """The hand that is being counted, and what has been typed for it."""

    typed: Typed = NOTHING
    hand: Hand | None = None
    """The hand that `typed` belongs to."""
    chosen: bool = False
    """True if somebody wanted to count it next."""
    was: Entry | int | None = None
    """What was known of that hand when it came up."""
    tried: bool = False
    """True once the number was sent; sending it again confirms it."""
    earlier: tuple[Typed, ...] = ()
    """The states before each press, for undo."""

    def hand_decided(self, game: Game, table: Table) -> Hand | None:
        """Return the hand that the next digit belongs to: the present one, or the first missing.

        None if all are counted or a round is being played. `table` is the decided one, which may be
        ahead of the written one.
        """
        if table.phase not in ("scoring", "finished"):
            return None
        uncounted = game.uncounted_seats(table) if table.phase == "scoring" else ()
        hand = self.hand
        if hand is not None and (self.chosen or self.typed != NOTHING):
            counts = self.chosen or (hand.round == table.number and hand.seat in uncounted)
            if counts and _is_over(table, hand) and known(game, table, hand) == self.was:
                return hand
        return Hand(table.number, uncounted[0]) if uncounted else None

    def hand_shown(self, table: Table) -> Hand | None:
        """Return the hand that lights and pages show as being counted.

        `table` is the written one; None until that round is over there, too.
        """
        hand = self.hand
        if hand is None or table.phase not in ("scoring", "finished"):
            return None
        return hand if _is_over(table, hand) else None

    def follow(self, game: Game, table: Table) -> "Dial":
        """Return the dial for the hand that is counted now; another hand drops what was typed."""
        hand = self.hand_decided(game, table)
        was = None if hand is None else known(game, table, hand)
        return self if (hand, was) == (self.hand, self.was) else Dial(hand=hand, was=was)

    def dropped(self, after: "Dial", table: Table) -> Sentence | None:
        """Return the sentence for digits that are gone, with their hand, in the dial `after`.

        None if there were none.
        """
        if self.hand is None or self.typed in (NOTHING, after.typed):
            return None
        words = "What was typed for {name} was not taken."
        return Sentence(words, {"name": table.name(self.hand.seat)})

    def press(self, effect: Effect, game: Game, table: Table) -> "tuple[Dial, Command | None]":
        """Return the dial after a press, and a command if one is to be sent.

        Refused if the press means nothing now. A press that takes back, with nothing here to take
        back, sends Undo.
        """
        if effect.what == "take":
            return replace(self, tried=True), self._entered(game, table)
        dial, typed = replace(self, tried=False), self.typed
        match effect.what:
            case "digit":
                digits = typed.digits.removeprefix("0") + str(effect.seat % 10)
                return dial._type(replace(typed, digits=digits)), None
            case "plus" if typed.number is None:
                raise Refused("First type a number, then Plus and the next one.")
            case "plus":
                return dial._type(replace(typed, digits="", sum=typed.number)), None
            case "double-blank":
                return dial._type(replace(typed, double_blank=not typed.double_blank)), None
            case "hidden" | "in-play":
                return dial._instead(effect, game, table)
            case "count":
                hand = self.next_hand(game, table, effect.seat)
                if hand == self.hand:
                    return replace(dial, chosen=True), None
                return Dial(hand=hand, chosen=True, was=known(game, table, hand)), None
            case _ if self.earlier:
                return replace(dial, typed=self.earlier[-1], earlier=self.earlier[:-1]), None
            case _ if self.chosen:
                return replace(dial, chosen=False), None
            case _:
                return dial, Undo()

    def next_hand(self, game: Game, table: Table, seat: int) -> Hand:
        """Return the hand that holding `seat` counts next; Refused if the seat has none.

        While hands of the latest round are missing, it is this seat's in that round. Then it is one
        that is missing, or the latest; and when repeated, the one a round further back.
        """
        if table.seat(seat) is None:
            raise empty_seat(table, seat)
        rounds = [
            played
            for played in reversed(table.rounds)
            if played.ended and any(each.number == seat for each in table.players(played.number))
        ]
        if table.phase == "scoring" and game.uncounted_seats(table):
            rounds = [played for played in rounds if played.number == table.number]
        rounds.sort(key=lambda played: seat not in missing(game, table, played))
        hands = [Hand(played.number, seat) for played in rounds]
        if not hands:
            raise Refused("{name} does not play in this round.", name=table.name(seat))
        hand = self.hand and self.hand._replace(in_play=False)
        if not self.chosen or hand not in hands:
            return hands[0]
        return hands[(hands.index(hand) + 1) % len(hands)]

    def _type(self, typed: Typed) -> "Dial":
        """Return the dial with `typed`; the state before can be taken back.

        Refused for too many digits.
        """
        if len(typed.digits) > MOST_DIGITS:
            raise Refused("A hand can have at most {most} digits.", most=MOST_DIGITS)
        if typed == self.typed:
            return self
        return replace(self, typed=typed, earlier=(*self.earlier, self.typed))

    def untapped(self) -> "Dial":
        """Return the dial as before its last change, if that only switched the double blank.

        So the first of two taps counts for nothing. Otherwise the dial is unchanged.
        """
        before = self.earlier[-1] if self.earlier else self.typed
        if before == self.typed or before != replace(
            self.typed, double_blank=not self.typed.double_blank
        ):
            return self
        return replace(self, typed=before, earlier=self.earlier[:-1])

    def _instead(self, effect: Effect, game: Game, table: Table) -> "tuple[Dial, Command | None]":
        """Return an order for the hand as not shown, or the dial for its points made in play.

        `effect` tells which; for points in play a second time switches back. Refused if a number is
        typed, or no hand is counted.
        """
        hand = self.hand
        if hand is None or self.typed.number is not None:
            raise Refused("First take the number, or take it back.")
        if effect.what == "hidden":
            counted = game.dialled(table, _round(table, hand), hand.seat, 0, False)
            return self, replace(counted, hidden=True, tiles=None)
        hand = hand._replace(in_play=not hand.in_play)
        return Dial(hand=hand, chosen=True, was=known(game, table, hand)), None

    def _entered(self, game: Game, table: Table) -> Command:
        """Return the order for what was typed; after a first try it is marked as confirmed.

        Refused if nothing was typed or no hand is counted.
        """
        hand, typed = self.hand_decided(game, table), self.typed
        if hand is None or typed == NOTHING or (hand.in_play and typed.number is None):
            raise Refused("Type the number on the seats, 1 to 9; seat 10 is 0.")
        if hand.in_play:
            return game.correct_in_play(hand.round, hand.seat, typed.number or 0)
        played = _round(table, hand)
        counted = game.dialled(table, played, hand.seat, typed.number or 0, typed.double_blank)
        return replace(counted, confirm=self.tried)


def _round(table: Table, hand: Hand) -> Round:
    return table.rounds[hand.round - 1]


def _is_over(table: Table, hand: Hand) -> bool:
    return hand.round <= table.number and _round(table, hand).ended


def known(game: Game, table: Table, hand: Hand) -> Entry | int | None:
    """Return a hand's entry, or its points made in play if it is about these.

    None if nothing is known of it.
    """
    played = _round(table, hand)
    return game.made_in_play(played, hand.seat) if hand.in_play else played.entries.get(hand.seat)
