"""The dial: hands are counted one after the other, the seat buttons are the digits.

What is typed is no event and promises nothing: a power cut leaves the hand uncounted. Taking the
number sends the order, which the books check as they would a phone's: a number that they doubt is
taken when it is taken once more.
"""

from typing import Any

from msgspec.structs import replace

from centerpiece.table.checks import player
from centerpiece.table.commands import Command, Undo
from centerpiece.table.game import Game
from centerpiece.table.panel import Ordered
from centerpiece.table.rounds import ended_round
from centerpiece.table.state import Entry, Table
from centerpiece.text import Refused

MOST_DIGITS = 4


class Dial:
    """Which hand is counted, and what has been typed of it."""

    def __init__(self) -> None:
        self.typed = ""
        self.double_blank = False
        self._chosen: tuple[int, int] | None = None
        """A round and a seat that somebody wants to be counted next."""
        self._was: Entry | None = None
        """What that hand was before."""
        self._hand: tuple[int, int] | None = None
        """What is typed belongs to this round and seat."""
        self._tried = False
        self._before: list[tuple[str, bool]] = []
        """What was typed, press by press, for taking it back."""

    def seat(self, game: Game, table: Table) -> int | None:
        """Whose hand is counted now: the one that was chosen, or the first that is missing."""
        if table.phase not in ("scoring", "finished"):
            return None
        if self._chosen is not None and self._chosen[0] == table.number:
            return self._chosen[1]
        missing = game.to_count(table) if table.phase == "scoring" else ()
        return missing[0] if missing else None

    def told(self, seat: int | None) -> dict[str, Any] | None:
        """For the public state: whose hand is counted, and what is typed of it."""
        if seat is None:
            return None
        typed = {"seat": seat, "typed": self.typed}
        return typed | {"double_blank": True} if self.double_blank else typed

    def follow(self, game: Game, table: Table) -> None:
        """The table has changed: what was typed for another hand is forgotten."""
        if self._chosen is not None and _entry(table, *self._chosen) != self._was:
            self._chosen = self._hand = None  # somebody has counted it on a phone
        seat = self.seat(game, table)
        hand = None if seat is None else (table.number, seat)
        if hand != self._hand:
            self.clear()
            self._hand = hand

    def clear(self) -> None:
        """The number is taken, or nobody wants it."""
        self.typed, self.double_blank, self._tried, self._chosen = "", False, False, None
        self._before.clear()

    def do(self, ordered: Ordered, game: Game, table: Table) -> Command | None:
        """What a press amounts to: an order to the books, or nothing but what is typed."""
        if ordered.what == "take":
            return self._taken(game, table)
        self._tried = False
        match ordered.what:
            case "digit":
                self._type(self.typed.removeprefix("0") + str(ordered.seat % 10))
            case "double-blank":
                self._type(self.typed, not self.double_blank)
            case "count":
                self._choose(table, ordered.seat)
            case "back" if self._before:
                self.typed, self.double_blank = self._before.pop()
            case "back" if self._chosen is not None:
                self._chosen = None
            case "back":
                return Undo()
        return None

    def _type(self, typed: str, double_blank: bool | None = None) -> None:
        if len(typed) > MOST_DIGITS:
            raise Refused("A hand has no more than {most} digits.", most=MOST_DIGITS)
        self._before.append((self.typed, self.double_blank))
        self.typed = typed
        self.double_blank = self.double_blank if double_blank is None else double_blank

    def _choose(self, table: Table, seat: int) -> None:
        ended_round(table, table.number)
        chosen = table.number, player(table, seat).number
        if chosen != self._hand:
            self.clear()
        self._chosen = self._hand = chosen
        self._was = _entry(table, *chosen)

    def _taken(self, game: Game, table: Table) -> Command:
        seat = self.seat(game, table)
        if seat is None or not (self.typed or self.double_blank):
            raise Refused("Type the number on the seats, 1 to 9; seat 10 is 0.")
        tried, self._tried = self._tried, True
        counted = game.dialled(table, seat, int(self.typed or "0"), self.double_blank)
        return replace(counted, confirm=tried)


def _entry(table: Table, number: int, seat: int) -> Entry | None:
    played = table.rounds[number - 1 : number]
    return played[0].entries.get(seat) if played else None
