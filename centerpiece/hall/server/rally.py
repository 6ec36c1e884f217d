"""PURE: what a hall's orders and its tables' lines add up to.

Standings over all tables, ties and their play-offs, who moves where, which seat is free. Nothing
here reads a clock, opens anything or knows of Redis.
Somebody is known by name and table; when tables are changed, the hall's own order says who went
where, so that two people of one name are never taken for one.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from centerpiece.hall.server.followed_table import Line, Player, Result
from centerpiece.hall.wire.orders import (
    PLAY_OFF,
    CallPlayOff,
    ChangeTables,
    FinishRound,
    FreeName,
    Given,
    HandCard,
    Move,
    Open,
    Quiet,
    SetClock,
    StartGame,
)

GRACE = 15 * 60.0
"""How long before the call a table may have begun: people are told to come early."""
PRECISION = 5.0
"""How far a table's start may lie before the call because of its clock alone."""
USUAL_PLAYERS = 6
MOST_PLAYERS = 7
SEATS = range(1, 11)


class Called(msgspec.Struct, frozen=True):
    """A play-off that was called, and when."""

    at: float
    order: CallPlayOff


class Book(msgspec.Struct, frozen=True):
    """The orders that the hall has given so far, and what they amount to."""

    title: str = "Rally"
    opened: float | None = None
    card: HandCard | None = None
    starts: tuple[StartGame, ...] = ()
    ends: float | None = None
    finish: float | None = None
    """When the round in play was said to be the last."""
    quiet: Quiet | None = None
    changes: tuple[tuple[int, ChangeTables], ...] = ()
    """Changes of tables, with the game before which they were made."""
    play_offs: tuple[Called, ...] = ()
    freed: dict[str, str] = {}
    """Names that were freed, and by which order."""

    @property
    def game(self) -> int:
        """The number of the game that is being played; 1 also before the first call."""
        return max((start.number for start in self.starts), default=1)

    def game_at(self, at: float) -> int:
        """Which game a table plays that began then; 0 if it was before the hall opened."""
        if self.opened is None or at < self.opened - GRACE:
            return 0
        called = [start.number for start in self.starts if at >= start.at - PRECISION]
        return max(called, default=1)

    def called_soon(self, number: int, at: float) -> bool:
        """Whether a game was called shortly after that moment."""
        return any(s.number == number and at >= s.at - GRACE for s in self.starts)


def entered(book: Book, given: Given) -> Book:
    """The book with one more order in it."""
    order = given.order
    match order:
        case Open(title):
            return replace(book, title=title, opened=book.opened or given.at)
        case HandCard():
            return replace(book, card=order)
        case StartGame():
            starts = (*book.starts, order)
            return replace(book, starts=starts, ends=order.ends, finish=None)
        case SetClock(ends):
            return replace(book, ends=ends)
        case FinishRound():
            return replace(book, finish=given.at)
        case Quiet():
            return replace(book, quiet=order)
        case ChangeTables():
            return replace(book, changes=(*book.changes, (book.game + 1, order)))
        case CallPlayOff():
            return replace(book, play_offs=(*book.play_offs, Called(given.at, order)))
        case FreeName(table):
            return replace(book, freed={**book.freed, table: given.id})
    return book


# Standings


class Standing(NamedTuple):
    """One person's place in the hall."""

    place: int | None
    name: str
    table: str
    total: int
    games: int
    rounds: int
    left: bool


class Standings(NamedTuple):
    """The leaderboard. `final` once every table is done; only then do ties matter."""

    people: tuple[Standing, ...]
    final: bool
    ties: tuple[tuple[int, tuple[Standing, ...]], ...]
    """Places among the prizes that several people share, and who they are."""


class _Person:
    """Somebody's games added up."""

    __slots__ = ("games", "left", "name", "play_offs", "rounds", "table", "total", "worth")

    def __init__(self) -> None:
        self.name = self.table = ""
        self.total = self.games = self.rounds = 0
        self.worth = 0
        self.left = False
        self.play_offs: dict[int, int] = {}

    def add(self, table: str, player: Player, result: Result) -> None:
        self.name, self.table, self.left = player.name, table, player.left
        self.total += player.total
        self.worth += player.total if result.wins == "lowest" else -player.total
        self.games += 1
        self.rounds += result.rounds

    def merit(self, play_offs: int) -> tuple[object, ...]:
        """The lower the better; who left early, or missed a game, comes after all others."""
        decided = tuple(self.play_offs.get(n, 1 << 30) for n in range(play_offs))
        return (self.left, -self.games, self.worth, *decided)


def standings(
    book: Book, lines: Mapping[str, Line], offsets: Mapping[str, float], prizes: int = 2
) -> Standings:
    """Everybody's place over all tables."""
    games = _games(book, lines, offsets)
    people, seated = _people(book, games)
    decided = _decide(book, lines, offsets, seated)
    ranked = sorted(people, key=lambda p: (p.merit(decided), p.name, p.table))
    placed: list[Standing] = []
    last: tuple[object, ...] | None = None
    place = 0
    for number, person in enumerate(ranked, start=1):
        merit = person.merit(decided)
        place, last = (place if merit == last else number), merit
        shown = None if person.left else place
        placed.append(
            Standing(
                shown,
                person.name,
                person.table,
                person.total,
                person.games,
                person.rounds,
                person.left,
            )
        )
    final = _is_final(book, games, lines.values())
    return Standings(tuple(placed), final, _ties(placed, prizes) if final else ())


def _games(
    book: Book, lines: Mapping[str, Line], offsets: Mapping[str, float]
) -> dict[int, dict[str, Result]]:
    """The games that count, by number and table; of two in one game the later one."""
    games: dict[int, dict[str, Result]] = {}
    for table, line in lines.items():
        for number, result in _numbered(book, line, offsets.get(table, 0.0)):
            games.setdefault(number, {})[table] = result
    return games


def _numbered(book: Book, line: Line, offset: float) -> list[tuple[int, Result]]:
    """A table's games with their numbers. A second game in the time of one, begun shortly before
    the next was called, is the next: some tables cannot wait."""
    numbered: list[tuple[int, Result]] = []
    for result in line.results:
        began = result.started_at + offset
        number = book.game_at(began)
        if number and result.rules != PLAY_OFF:
            again = any(known == number for known, _ in numbered)
            early = again and book.called_soon(number + 1, began)
            numbered.append((number + 1 if early else number, result))
    return numbered


_Seated = dict[tuple[str, str], _Person]


def _people(book: Book, games: Mapping[int, Mapping[str, Result]]) -> tuple[list[_Person], _Seated]:
    """Everybody, and who sits where after the last game."""
    everybody: list[_Person] = []
    seated: _Seated = {}
    for number in sorted(games):
        came_from = _ways(book, number)
        now: _Seated = {}
        for table, result in games[number].items():
            for player in result.players:
                place = (table, player.name.casefold())
                person = seated.get(came_from.get(place, place))
                if person is None:
                    person = _Person()
                    everybody.append(person)
                person.add(table, player, result)
                now[place] = person
        seated = {**seated, **now}
    return everybody, seated


def _ways(book: Book, number: int) -> dict[tuple[str, str], tuple[str, str]]:
    """For who changed tables before a game: where and as whom they sat in the one before."""
    ways: dict[tuple[str, str], tuple[str, str]] = {}
    for before, change in book.changes:
        if before == number:
            for move in change.moves:
                came = (move.origin, move.name.casefold())
                ways[move.table, move.known_as.casefold()] = came
    return ways


def _decide(
    book: Book, lines: Mapping[str, Line], offsets: Mapping[str, float], seated: _Seated
) -> int:
    """Write down what each play-off came to; how many there were."""
    for number, called in enumerate(book.play_offs):
        line = lines.get(called.order.table)
        if line is None:
            continue
        offset = offsets.get(called.order.table, 0.0)
        played = [
            result
            for result in line.results
            if result.rules == PLAY_OFF
            and result.finished
            and result.started_at + offset >= called.at - 1.0
        ]
        if played:
            totals = {p.name.casefold(): p.total for p in played[0].players}
            sign = 1 if played[0].wins == "lowest" else -1
            for move in called.order.moves:
                person = seated.get((move.origin, move.name.casefold()))
                total = totals.get(move.known_as.casefold())
                if person is not None and total is not None:
                    person.play_offs[number] = sign * total
    return len(book.play_offs)


def _is_final(book: Book, games: Mapping[int, Mapping[str, Result]], lines: Iterable[Line]) -> bool:
    latest = games.get(book.game, {})
    playing = any(line.phase in ("playing", "scoring") and line.rules != PLAY_OFF for line in lines)
    return bool(latest) and not playing and all(r.finished for r in latest.values())


def _ties(placed: Sequence[Standing], prizes: int) -> tuple[tuple[int, tuple[Standing, ...]], ...]:
    shared: dict[int, list[Standing]] = {}
    for standing in placed:
        if standing.place is not None and standing.place <= prizes:
            shared.setdefault(standing.place, []).append(standing)
    return tuple((place, tuple(who)) for place, who in shared.items() if len(who) > 1)


class TableStanding(NamedTuple):
    """A table's place by the average of its people."""

    place: int
    table: str
    average: float
    best: int


def table_standings(people: Iterable[Standing]) -> list[TableStanding]:
    """The tables, the lowest average first."""
    totals: dict[str, list[int]] = {}
    for person in people:
        if not person.left:
            totals.setdefault(person.table, []).append(person.total)
    averages = {table: sum(sums) / len(sums) for table, sums in totals.items()}
    ranked = sorted(averages, key=lambda table: (averages[table], table))
    placed: list[TableStanding] = []
    for number, table in enumerate(ranked, start=1):
        same = placed and placed[-1].average == averages[table]
        place = placed[-1].place if same else number
        placed.append(TableStanding(place, table, averages[table], min(totals[table])))
    return placed


def by_number(table: str) -> tuple[str, int]:
    """table-2 before table-10."""
    name = table.rstrip("0123456789")
    return name, int(table[len(name) :] or 0)


# People on their way


def play_off(place: int, tied: Sequence[Standing], table: str, rounds: int = 1) -> CallPlayOff:
    """The call for those who share a place: names, table and new seats."""
    taken: set[str] = set()
    moves = []
    for seat, person in enumerate(tied, start=1):
        known_as = _distinct(person.name, person.table, taken)
        taken.add(known_as.casefold())
        moves.append(Move(person.name, person.table, table, seat, known_as))
    return CallPlayOff(place, table, tuple(moves), rounds)


def change_tables(
    tables: Sequence[Line], staying: frozenset[tuple[str, str]], movers: int = 3
) -> ChangeTables:
    """The lowest totals move on to the next table; who stays seated stays, and the next moves.

    Every table keeps its number of people: whoever leaves makes room for one who comes.
    """
    leaving = [_leaving(line, staying, movers) for line in tables]
    goers = [(line, who) for line, group in zip(tables, leaving, strict=True) for who in group]
    after = [*zip(tables[1:], leaving[1:], strict=True), *zip(tables[:1], leaving[:1], strict=True)]
    chairs = [(line.table, who.seat) for line, group in after for who in group]
    gone = {(line.table, who.seat) for line, who in goers}
    seats = {
        line.table: {
            p.seat: p.name for p in line.seated if not p.left and (line.table, p.seat) not in gone
        }
        for line in tables
    }
    moves = []
    for (line, who), (table, seat) in zip(goers, chairs, strict=True):
        taken = {name.casefold() for name in seats[table].values()}
        known_as = _distinct(who.name, line.table, taken)
        seats[table][seat] = known_as
        moves.append(Move(who.name, line.table, table, seat, known_as))
    return ChangeTables(tuple(moves), seats)


def _leaving(line: Line, staying: frozenset[tuple[str, str]], movers: int) -> list[Player]:
    free = [p for p in line.seated if not p.left and (line.table, p.name) not in staying]
    return sorted(sorted(free, key=lambda p: (p.total, p.seat))[:movers], key=lambda p: p.seat)


def _distinct(name: str, table: str, taken: set[str]) -> str:
    """The name, with the table it came from if somebody has it already."""
    if name.casefold() not in taken:
        return name
    tail = f" ({table})"
    return name[: 40 - len(tail)] + tail


def free_seat(lines: Iterable[Line]) -> tuple[str, int] | None:
    """Where a late arrival may sit: the table that misses most people, in the earliest round."""
    open_tables = []
    for line in lines:
        count = sum(not player.left for player in line.seated)
        taken = {player.seat for player in line.seated}
        chairs = [seat for seat in SEATS if seat not in taken]
        if line.phase in ("lobby", "playing", "scoring") and count < MOST_PLAYERS and chairs:
            waiting = line.phase == "lobby" and not count
            key = (waiting, count >= USUAL_PLAYERS, count, line.round, line.table)
            open_tables.append((key, line.table, chairs[0]))
    if not open_tables:
        return None
    _, table, seat = min(open_tables)
    return table, seat
