"""The state of a table, as the fold of its events.

Only facts are kept: totals, places and missing scores are computed from them (`scoring`), so that a
correction of an early round changes one place only. Seats are numbered from 1, clockwise; rounds
from 1.
"""

from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from centerpiece.rules.domino_sets import Tile
from centerpiece.rules.house_rules import HouseRules
from centerpiece.rules.rules import Rules

Phase = Literal["lobby", "playing", "scoring", "finished"]
Direction = Literal["clockwise", "counterclockwise"]
Reason = Literal["rounds", "time", "limit", "agreed"]
"""The reason for the end of a game."""
PenaltyKind = Literal["draw", "points", "skip", "keep"]

TRAIN = 0
"""The place of the shared siding; every other place is a seat's number."""
MOST_SEATS = 10


def seat_name(number: int) -> str:
    return f"Seat {number}"


def chair_of(number: int) -> int:
    """Return the chair of seat `number`.

    A number above MOST_SEATS is that of a person whose chair another has taken.
    """
    return (number - 1) % MOST_SEATS + 1


class Stint(msgspec.Struct, frozen=True, gc=False):
    """A former holder of a seat, until (not including) round `until`."""

    name: str
    until: int


class Seat(msgspec.Struct, frozen=True, gc=False):
    """Somebody at the table, from round `since` until (not including) round `until`.

    When somebody else takes a chair that was left, whoever left keeps their line under another
    number: 13 for the first who left chair 3, then 23.
    """

    number: int
    name: str
    team: int | None = None
    since: int = 1
    until: int | None = None
    away: tuple[tuple[int, int | None], ...] = ()
    """Rounds missed because the seat was parked: from, and until (not including)."""
    earlier: tuple[Stint, ...] = ()
    """Former holders of the seat, the first one first."""
    carries: int | None = 0
    """The points that a latecomer begins with; None if a round was still open when they came."""
    among: tuple[int, ...] = ()
    """The seats from whose totals those points come, for a latecomer."""

    @property
    def chair(self) -> int:
        """The number of the button they sit or sat at."""
        return chair_of(self.number)

    def plays(self, number: int) -> bool:
        """Return True if this seat takes part in round `number`.

        False before its player came, after leaving, and for rounds in which it was parked.
        """
        if number < self.since or (self.until is not None and number >= self.until):
            return False
        return not self.away or not self.missed(number)

    def missed(self, number: int) -> bool:
        """Return True if the seat was parked in round `number`."""
        return any(start <= number and (end is None or number < end) for start, end in self.away)

    @property
    def parked(self) -> bool:
        return bool(self.away) and self.away[-1][1] is None

    def held_by(self, number: int) -> str:
        """Return the name of whoever played round `number` on this seat."""
        for stint in self.earlier:
            if number < stint.until:
                return stint.name
        return self.name


class Entry(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A hand left at the end of a round, as it was counted."""

    pips: int
    double_blank: bool = False
    blanks: int = 0
    """Blank halves of other tiles than the double blank."""
    doubles: int = 0
    """The pips that are on doubles."""
    hidden: bool = False
    tiles: int | None = None
    """The number of tiles, in games where that decides."""
    hand: tuple[Tile, ...] = ()
    """The tiles themselves, if they were entered; all else follows from them."""

    @property
    def pips_known(self) -> bool:
        """False if only the tiles were counted."""
        return self.tiles is None or bool(self.pips or self.hand or self.double_blank)


class Award(msgspec.Struct, frozen=True, gc=False):
    """Points won during play."""

    seat: int
    points: int
    at: float
    taken: bool = False
    """True if another player had overlooked them."""


class Round(msgspec.Struct, frozen=True, gc=False):
    """The record of one round. `entries` has no key for a score that is missing."""

    number: int
    engine: int | None
    starter: int | None
    dealt: int = 0
    """The number of players it was dealt to."""
    ended: bool = False
    out: int | None = None
    on_double: bool = False
    blocked: bool = False
    entries: dict[int, Entry] = {}
    awards: tuple[Award, ...] = ()
    """Points won during play, in the order they were won."""
    rules: Rules | None = None
    """The rules it was dealt by, if later rounds have others."""
    among: tuple[int, ...] = ()
    """The seats that play off a tie; a play-off is in nobody's total."""

    @property
    def end_known(self) -> bool:
        """False if the round was cut off in play, so that nothing of its end is known."""
        return self.ended and (self.blocked or bool(self.entries))


class Penalty(msgspec.Struct, frozen=True, gc=False):
    """A penalty as it stands on the score sheet."""

    round: int
    seat: int
    kind: PenaltyKind
    points: int = 0


class Correction(msgspec.Struct, frozen=True, gc=False):
    """A score that was changed after it had been entered: an audit trail for everyone."""

    round: int
    seat: int
    was: Entry
    now: Entry


class PersonName(msgspec.Struct, frozen=True, gc=False):
    """Whoever has one name in the history has another; with a game's start, in that game only."""

    name: str
    now: str
    started_at: float | None = None


class Play(msgspec.Struct, frozen=True, gc=False, tag=True):
    """A game's own state of the round in play; each game has its own."""


class Table(msgspec.Struct, frozen=True, dict=True):
    """The whole state of a table. Its `__dict__` caches values derived from it (`derived`)."""

    rules: Rules
    """The rules in force; during a game, those that the current round was dealt by."""
    size: int
    phase: Phase = "lobby"
    seats: tuple[Seat, ...] = ()
    engines: tuple[int, ...] = ()
    rounds: tuple[Round, ...] = ()
    play: Play = Play()
    calls: frozenset[int] = frozenset()
    """Seats that have announced their last tile."""
    announced: frozenset[int] = frozenset()
    """Seats whose last tile is known in this round and that have not said that they drew since: a
    marker ends an announcement, but does not prove that a tile was drawn.
    """
    caught: frozenset[int] = frozenset()
    """Those of them that were caught."""
    whistles: int = 0
    """Whistles of this round of which nobody has said whose last tile they announced."""
    skipped: frozenset[int] = frozenset()
    turn: int | None = None
    turn_at: float | None = None
    """The time at which that turn began, where turns are tracked."""
    direction: Direction = "clockwise"
    penalties: tuple[Penalty, ...] = ()
    corrections: tuple[Correction, ...] = ()
    started_at: float | None = None
    finished_by: Reason | None = None
    left_out: tuple[int, ...] = ()
    """Rounds that were not counted to the end when the game was over."""
    agreed: Rules | None = None
    """The rules from the next round on, if others were agreed on during this one."""
    who_starts: bool = False
    """True while the round waits to hear who starts; its starter is only proposed."""
    asked: int | None = None
    """The double being asked for, where the highest double held starts the round."""
    results: dict[str, tuple[tuple[float, int], ...]] = {}
    """Results of games for one, each with its start; they outlast the game."""
    deleted: tuple[float, ...] = ()
    """The starts of deleted games; they outlast the game."""
    people: tuple[PersonName, ...] = ()
    """Names given to people of past games, in order; they outlast the game."""
    saved_rules: tuple[HouseRules, ...] = ()
    """House rules saved under a name, in order of names; they outlast the game."""

    @property
    def next_rules(self) -> Rules:
        """The rules that the next round will be dealt by."""
        return self.agreed or self.rules

    def with_next_rules(self) -> "Table":
        """Return the table by the rules of the next round; played rounds keep their own."""
        if self.agreed is None:
            return self
        kept = tuple(replace(played, rules=played.rules or self.rules) for played in self.rounds)
        return replace(self, rules=self.agreed, agreed=None, rounds=kept)

    @property
    def round(self) -> Round | None:
        """The round in play or last played."""
        return self.rounds[-1] if self.rounds else None

    @property
    def number(self) -> int:
        """The number of that round; 0 before the first."""
        return len(self.rounds)

    def seat(self, number: int) -> Seat | None:
        """Return the seat of that number, also if its player has left."""
        for seat in self.seats:
            if seat.number == number:
                return seat
        return None

    def name(self, number: int) -> str:
        seat = self.seat(number)
        return seat.name if seat else f"seat {number}"

    @property
    def sheet_cache(self) -> dict[Any, Any]:
        """Values that in-play events do not change; shared with the tables after them."""
        cache: dict[Any, Any] = self.__dict__.setdefault("sheet", {})
        return cache

    def share_sheet_cache(self, after: "Table") -> "Table":
        """Share the cache of the score sheet with the table after an in-play event."""
        after.__dict__["sheet"] = self.sheet_cache
        return after

    def clear_cache(self) -> None:
        """Drop this table's cached values: it is no longer shown, but undo may keep it for hours.

        Tables that share the cache keep theirs.
        """
        self.__dict__.clear()

    def players(self, number: int | None = None) -> tuple[Seat, ...]:
        """Return the seats that play in round `number`, by default the current one, clockwise."""
        number = len(self.rounds) or 1 if number is None else number
        cache = self.sheet_cache
        if number not in cache:
            cache[number] = self._playing(number)
        players: tuple[Seat, ...] = cache[number]
        return players

    def _playing(self, number: int) -> tuple[Seat, ...]:
        playing = tuple([seat for seat in self.seats if seat.plays(number)])
        among = self.rounds[number - 1].among if 0 < number <= self.number else ()
        return tuple([seat for seat in playing if seat.number in among]) if among else playing

    def next_after(self, number: int, passed_over: frozenset[int] = frozenset()) -> int:
        """Return the seat that plays after seat `number`, skipping those in `passed_over`.

        It follows the direction of play. The same seat if there is no other.
        """
        step = 1 if self.direction == "clockwise" else -1
        others = [seat.number for seat in self.players() if seat.number != number]
        # A negative distance goes all the way round, so these come last.
        others.sort(key=lambda other: ((other - number) * step < 0, other * step))
        return next((other for other in others if other not in passed_over), number)

    def asks_who_starts(self) -> bool:
        return self.who_starts and self.phase == "playing"

    def asks_which_double(self) -> bool:
        """Return True while the round waits for the highest double that anyone holds."""
        return self.asked is not None and self.phase == "playing"
