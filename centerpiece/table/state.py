"""The state of a table, as the fold of its events.

Only facts are kept: totals, places and whose scores are missing are worked out from them
(`scoring`), so that a correction of an early round needs no second place to change.
Seats are numbered from 1, clockwise; rounds from 1.
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
"""Why a game is over."""
PenaltyKind = Literal["draw", "points", "skip", "keep"]

TRAIN = 0
"""The siding that all share, as a place; every other place is a seat's number."""


def seat_name(number: int) -> str:
    """What a seat is called while nobody has given it a name."""
    return f"Seat {number}"


class Stint(msgspec.Struct, frozen=True, gc=False):
    """Who had a seat before a substitute took over, until (not including) round `until`."""

    name: str
    until: int


class Seat(msgspec.Struct, frozen=True, gc=False):
    """Someone at the table, from round `since` until (not including) round `until`."""

    number: int
    name: str
    team: int | None = None
    since: int = 1
    until: int | None = None
    away: tuple[tuple[int, int | None], ...] = ()
    """Rounds not played because the seat was parked: from, and until (not including)."""
    earlier: tuple[Stint, ...] = ()
    """Those for whom somebody has taken over, the first one first."""

    def plays(self, number: int) -> bool:
        """Whether this seat takes part in that round."""
        if number < self.since or (self.until is not None and number >= self.until):
            return False
        return not self.away or not self.missed(number)

    def missed(self, number: int) -> bool:
        """Whether this seat was parked in that round."""
        return any(start <= number and (end is None or number < end) for start, end in self.away)

    @property
    def parked(self) -> bool:
        """Whether this seat is parked and has not been taken up again."""
        return bool(self.away) and self.away[-1][1] is None

    def held_by(self, number: int) -> str:
        """Who played that round on this seat."""
        for stint in self.earlier:
            if number < stint.until:
                return stint.name
        return self.name


class Entry(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A hand left over at the end of a round, as it was counted."""

    pips: int
    double_blank: bool = False
    blanks: int = 0
    """Blank halves of other tiles than the double blank."""
    doubles: int = 0
    """How many of the pips are on doubles."""
    hidden: bool = False
    tiles: int | None = None
    """How many tiles were left, in games where that decides."""
    hand: tuple[Tile, ...] = ()
    """The tiles themselves, if they were told: then all else follows from them."""


class Award(msgspec.Struct, frozen=True, gc=False):
    """Points won during play."""

    seat: int
    points: int
    at: float
    taken: bool = False
    """Whether they were overlooked by whoever made them."""


class Round(msgspec.Struct, frozen=True, gc=False):
    """One round's books. `entries` has no key for a score that is missing."""

    number: int
    engine: int | None
    starter: int | None
    dealt: int = 0
    """How many players it was dealt to."""
    ended: bool = False
    out: int | None = None
    on_double: bool = False
    blocked: bool = False
    entries: dict[int, Entry] = {}
    awards: tuple[Award, ...] = ()
    """Points won during play, in games that have them, in the order they were won."""
    rules: Rules | None = None
    """The rules it was dealt by, if later rounds have others."""
    among: tuple[int, ...] = ()
    """Who plays a tie off in it: it decides between these, and is in nobody's total."""

    @property
    def told(self) -> bool:
        """Whether anything of its end is known: not if it was cut off in play."""
        return self.ended and (self.blocked or bool(self.entries))


class Penalty(msgspec.Struct, frozen=True, gc=False):
    """What someone was made to do."""

    round: int
    seat: int
    kind: PenaltyKind
    points: int = 0


class Correction(msgspec.Struct, frozen=True, gc=False):
    """A score that was changed after it had been entered: the trail everyone can see."""

    round: int
    seat: int
    was: Entry
    now: Entry


class Play(msgspec.Struct, frozen=True, gc=False, tag=True):
    """What a game keeps about the round in play; each game has its own."""


class Table(msgspec.Struct, frozen=True, dict=True):
    """Everything a table knows. Its `__dict__` keeps values derived from it (`derived`)."""

    rules: Rules
    """Those that are played by; in a game, those that the round in play was dealt by."""
    size: int
    phase: Phase = "lobby"
    seats: tuple[Seat, ...] = ()
    engines: tuple[int, ...] = ()
    rounds: tuple[Round, ...] = ()
    play: Play = Play()
    calls: frozenset[int] = frozenset()
    """Seats that have announced their last tile."""
    announced: frozenset[int] = frozenset()
    """Seats whose last tile was known in this round, and that have not said that they drew since:
    a marker ends an announcement, but does not prove that a tile was drawn."""
    whistles: int = 0
    """How often the whistle was blown in this round without anyone saying for whom."""
    skipped: frozenset[int] = frozenset()
    turn: int | None = None
    turn_at: float | None = None
    """When that turn began, where turns are told."""
    direction: Direction = "clockwise"
    penalties: tuple[Penalty, ...] = ()
    corrections: tuple[Correction, ...] = ()
    started_at: float | None = None
    finished_by: Reason | None = None
    left_out: tuple[int, ...] = ()
    """Rounds that were not counted to the end when the game was over."""
    agreed: Rules | None = None
    """The rules from the next round on, if the table has agreed on others in this one."""
    who_starts: bool = False
    """Whether the round waits to be told who starts; whoever the round has is only proposed."""
    asked: int | None = None
    """The double that is being asked for, where the highest double held starts the round."""
    results: dict[str, tuple[tuple[float, int], ...]] = {}
    """What games for one have ended with, each with its start; they outlast the game."""
    deleted: tuple[float, ...] = ()
    """The starts of games that were deleted; they outlast the game."""
    saved_rules: tuple[HouseRules, ...] = ()
    """House rules that were given a name, by that name; they outlast the game."""

    @property
    def coming(self) -> Rules:
        """The rules that the next round will be dealt by."""
        return self.agreed or self.rules

    def ahead(self) -> "Table":
        """As the next round finds it: by its rules, and what was played keeps its own."""
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
        """Who sits there, also those who have left."""
        for seat in self.seats:
            if seat.number == number:
                return seat
        return None

    def name(self, number: int) -> str:
        """The name of whoever sits there."""
        seat = self.seat(number)
        return seat.name if seat else f"seat {number}"

    @property
    def sheet_cache(self) -> dict[Any, Any]:
        """Values that in-play events do not change; shared with the tables that they lead to."""
        cache: dict[Any, Any] = self.__dict__.setdefault("sheet", {})
        return cache

    def followed_in_play(self, after: "Table") -> "Table":
        """Share the cache of the score sheet with the table after an in-play event."""
        after.__dict__["sheet"] = self.sheet_cache
        return after

    def players(self, number: int | None = None) -> tuple[Seat, ...]:
        """Return who takes part in a round (the current one unless told), clockwise."""
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
        """Who plays after a seat, in the direction of play."""
        step = 1 if self.direction == "clockwise" else -1
        others = [seat.number for seat in self.players() if seat.number != number]
        # A negative distance is one all the way round, so these come last.
        others.sort(key=lambda other: ((other - number) * step < 0, other * step))
        return next((other for other in others if other not in passed_over), number)

    def asks_who_starts(self) -> bool:
        """Whether the round waits to be told who starts."""
        return self.who_starts and self.phase == "playing"

    def asks_which_double(self) -> bool:
        """Whether the round waits for the highest double that anyone holds."""
        return self.asked is not None and self.phase == "playing"
