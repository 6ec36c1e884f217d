"""PURE: everybody's place over all tables, and the ties that a play-off decides.

Somebody is known by name and table; when tables are changed, the hall's own order says who went
where, so that two people of one name are never taken for one.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from centerpiece.hall.server.rally_log import RallyLog
from centerpiece.hall.wire.hall_orders import PLAY_OFF
from centerpiece.hall.wire.table_line import GameResult, SeatedPlayer, TableLine


class RallyStanding(NamedTuple):
    """One person's place in the hall."""

    place: int | None
    name: str
    table: str
    total: int
    games: int
    rounds: int
    left: bool
    worth: int = 0
    """Basis of the place: the lower the better, whichever total wins."""


Ties = tuple[tuple[int, tuple[RallyStanding, ...]], ...]
_Games = dict[int, dict[str, GameResult]]


class Leaderboard(NamedTuple):
    """The leaderboard. `final` once every table is done; only then do ties matter."""

    people: tuple[RallyStanding, ...]
    final: bool
    ties: Ties
    """Places among the prizes that several people share, and who they are."""


_NONE: dict[int, int] = {}
"""The play-offs of nearly everybody."""


class _Person:
    """Somebody's games added up."""

    __slots__ = ("games", "left", "name", "play_offs", "rounds", "table", "total", "worth")

    def __init__(self) -> None:
        self.name = self.table = ""
        self.total = self.games = self.rounds = 0
        self.worth = 0
        self.left = False
        self.play_offs: dict[int, int] = _NONE

    def add(self, table: str, player: SeatedPlayer, result: GameResult) -> None:
        self.name, self.table, self.left = player.name, table, player.left
        self.total += player.total
        self.worth += result.worth(player.total)
        self.games += 1
        self.rounds += result.rounds

    def standing(self, place: int) -> RallyStanding:
        shown = None if self.left else place
        sums = (self.total, self.games, self.rounds, self.left, self.worth)
        return RallyStanding(shown, self.name, self.table, *sums)

    def merit(self, play_offs: int) -> tuple[object, ...]:
        """Return what sorts people: who left early, or missed a game, comes after all others."""
        decided = tuple(self.play_offs.get(n, 1 << 30) for n in range(play_offs))
        return (self.left, -self.games, self.worth, *decided)


def standings(log: RallyLog, lines: Mapping[str, TableLine], prizes: int = 2) -> Leaderboard:
    """Return everybody's place over all tables."""
    games = _games(log, lines)
    people, seated = _people(log, games)
    decided = _decide(log, lines, seated)
    ranked = sorted(people, key=lambda p: (p.merit(decided), p.name, p.table))
    placed: list[RallyStanding] = []
    last: tuple[object, ...] | None = None
    place = 0
    for number, person in enumerate(ranked, start=1):
        merit = person.merit(decided)
        place, last = (place if merit == last else number), merit
        placed.append(person.standing(place))
    final = _is_final(log, games, lines.values())
    return Leaderboard(tuple(placed), final, _ties(placed, prizes) if final else ())


def _games(log: RallyLog, lines: Mapping[str, TableLine]) -> _Games:
    """Return the games that count, by number and table; of two in one game the later one."""
    games: _Games = {}
    for table, line in lines.items():
        for number, result in _numbered(log, line):
            games.setdefault(number, {})[table] = result
    return games


def _numbered(log: RallyLog, line: TableLine) -> list[tuple[int, GameResult]]:
    """Return a table's games with their numbers.

    A second game in the time of one, begun shortly before the next was called, is the next: some
    tables cannot wait.
    """
    numbered: list[tuple[int, GameResult]] = []
    for result in line.games:
        number = log.game_at(result.started_at)
        if number and result.rules != PLAY_OFF:
            again = any(known == number for known, _ in numbered)
            early = again and log.called_soon(number + 1, result.started_at)
            numbered.append((number + 1 if early else number, result))
    return numbered


_Seated = dict[tuple[str, str], _Person]


def _people(log: RallyLog, games: _Games) -> tuple[list[_Person], _Seated]:
    """Return everybody, and who sits where after the last game."""
    everybody: list[_Person] = []
    seated: _Seated = {}
    for number in sorted(games):
        came_from = _ways(log, number)
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


def _ways(log: RallyLog, number: int) -> dict[tuple[str, str], tuple[str, str]]:
    """Return where, and as whom, those who changed tables before a game sat in the one before."""
    ways: dict[tuple[str, str], tuple[str, str]] = {}
    for before, change in log.changes:
        if before == number:
            for move in change.moves:
                came = (move.origin, move.name.casefold())
                ways[move.table, move.known_as.casefold()] = came
    return ways


def _decide(log: RallyLog, lines: Mapping[str, TableLine], seated: _Seated) -> int:
    """Write down what each play-off came to; return how many there were."""
    for number, called in enumerate(log.play_offs):
        line = lines.get(called.order.table)
        if line is None:
            continue
        played = [
            result
            for result in line.games
            if result.rules == PLAY_OFF and result.final and result.started_at >= called.at - 1.0
        ]
        if played:
            totals = {p.name.casefold(): p.total for p in played[0].players}
            for move in called.order.moves:
                person = seated.get((move.origin, move.name.casefold()))
                total = totals.get(move.known_as.casefold())
                if person is not None and total is not None:
                    worth = played[0].worth(total)
                    person.play_offs = {**person.play_offs, number: worth}
    return len(log.play_offs)


def _is_final(log: RallyLog, games: _Games, lines: Iterable[TableLine]) -> bool:
    latest = games.get(log.game, {})
    playing = any(line.running and line.rules != PLAY_OFF for line in lines)
    return bool(latest) and not playing and all(result.final for result in latest.values())


def _ties(placed: Sequence[RallyStanding], prizes: int) -> Ties:
    shared: dict[int, list[RallyStanding]] = {}
    for standing in placed:
        if standing.place is not None and standing.place <= prizes:
            shared.setdefault(standing.place, []).append(standing)
    return tuple((place, tuple(who)) for place, who in shared.items() if len(who) > 1)


class TableAverage(NamedTuple):
    """A table's place by the average of its people."""

    place: int
    table: str
    average: float
    best: int


def table_standings(people: Iterable[RallyStanding]) -> list[TableAverage]:
    """Return the tables, the best average first: the lowest, or the highest where that wins."""
    seated: dict[str, list[RallyStanding]] = {}
    for person in people:
        if not person.left:
            seated.setdefault(person.table, []).append(person)
    worth = {table: sum(p.worth for p in who) / len(who) for table, who in seated.items()}
    placed: list[TableAverage] = []
    for number, table in enumerate(sorted(worth, key=lambda t: (worth[t], by_number(t))), start=1):
        same = placed and worth[placed[-1].table] == worth[table]
        place = placed[-1].place if same else number
        who = seated[table]
        average = sum(p.total for p in who) / len(who)
        placed.append(TableAverage(place, table, average, min(who, key=lambda p: p.worth).total))
    return placed


def by_number(table: str) -> tuple[str, int]:
    """Return a key that sorts table-2 before table-10."""
    name = table.rstrip("0123456789")
    return name, int(table[len(name) :] or 0)
