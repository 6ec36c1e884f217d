"""The dial: entering hands one after the other, with the seat buttons as digits.

Typed digits are no event: a power cut leaves the hand uncounted. Taking the number sends a command,
which is checked like a phone's: a number that is doubted is accepted when it is sent a second time.
"""

import msgspec
from msgspec.structs import replace

from centerpiece.table.binding import Effect
from centerpiece.table.checks import player
from centerpiece.table.commands import Command, Undo
from centerpiece.table.game import Game
from centerpiece.table.rounds import ended_round
from centerpiece.table.state import Entry, Table
from centerpiece.text import Refused

MOST_DIGITS = 4


class Typed(msgspec.Struct, frozen=True, gc=False):
    """The digits typed for a hand, and its double blank."""

    digits: str = ""
    double_blank: bool = False


class Dial(msgspec.Struct, frozen=True, gc=False):
    """The hand that is being counted, and what has been typed for it."""

    typed: Typed = Typed()
    hand: tuple[int, int] | None = None
    """The round and seat that `typed` belongs to."""
    chosen: tuple[int, int] | None = None
    """A round and seat that somebody wants to count next."""
    was: Entry | None = None
    """The entry of the chosen hand when it was chosen."""
    tried: bool = False
    """True once the number was sent; sending it again confirms it."""
    earlier: tuple[Typed, ...] = ()
    """The states before each press, for undo."""

    def seat_decided(self, game: Game, table: Table) -> int | None:
        """Return the seat that the next digit belongs to: the chosen one, or the first missing.

        `table` is the decided one, which may be ahead of the written one.
        """
        if table.phase not in ("scoring", "finished"):
            return None
        if self.chosen is not None and self.chosen[0] == table.number:
            return self.chosen[1]
        missing = game.uncounted_seats(table) if table.phase == "scoring" else ()
        return missing[0] if missing else None

    def seat_shown(self, table: Table) -> int | None:
        """Return the seat that lights and pages show as being counted.

        `table` is the written one; None while its round is another than that of `hand`.
        """
        if self.hand is None or table.phase not in ("scoring", "finished"):
            return None
        number, seat = self.hand
        return seat if number == table.number else None

    def follow(self, game: Game, table: Table) -> "Dial":
        """Drop what was typed if another hand is counted now."""
        dial = self
        if self.chosen is not None and _entry(table, *self.chosen) != self.was:
            dial = replace(self, chosen=None, hand=None)  # counted on a phone meanwhile
        seat = dial.seat_decided(game, table)
        hand = None if seat is None else (table.number, seat)
        return dial if hand == dial.hand else Dial(hand=hand)

    def press(self, effect: Effect, game: Game, table: Table) -> "tuple[Dial, Command | None]":
        """Apply a press; return the next dial, and a command if one is to be sent."""
        if effect.what == "take":
            return replace(self, tried=True), self._entered(game, table)
        dial = replace(self, tried=False)
        match effect.what:
            case "digit":
                digits = self.typed.digits.removeprefix("0") + str(effect.seat % 10)
                return dial._type(replace(self.typed, digits=digits)), None
            case "double-blank":
                held = not self.typed.double_blank
                return dial._type(replace(self.typed, double_blank=held)), None
            case "count":
                return dial._choose(table, effect.seat), None
            case _ if self.earlier:
                return replace(dial, typed=self.earlier[-1], earlier=self.earlier[:-1]), None
            case _ if self.chosen is not None:
                return replace(dial, chosen=None), None
            case _:
                return dial, Undo()

    def _type(self, typed: Typed) -> "Dial":
        if len(typed.digits) > MOST_DIGITS:
            raise Refused("A hand can have at most {most} digits.", most=MOST_DIGITS)
        return replace(self, typed=typed, earlier=(*self.earlier, self.typed))

    def _choose(self, table: Table, seat: int) -> "Dial":
        ended_round(table, table.number)
        chosen = table.number, player(table, seat).number
        dial = self if chosen == self.hand else Dial()
        return replace(dial, chosen=chosen, hand=chosen, was=_entry(table, *chosen))

    def _entered(self, game: Game, table: Table) -> Command:
        seat, typed = self.seat_decided(game, table), self.typed
        if seat is None or not (typed.digits or typed.double_blank):
            raise Refused("Type the number on the seats, 1 to 9; seat 10 is 0.")
        counted = game.dialled(table, seat, int(typed.digits or "0"), typed.double_blank)
        return replace(counted, confirm=self.tried)


def _entry(table: Table, number: int, seat: int) -> Entry | None:
    played = table.rounds[number - 1 : number]
    return played[0].entries.get(seat) if played else None
