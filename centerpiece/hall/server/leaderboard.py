"""PURE: everybody's place over all tables, and the ties that a play-off decides.

People are identified by name and table. After a change of tables the hall's own order says who
went where, so two people of one name are never taken for one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from centerpiece.hall.server.rally_log import RallyLog
from centerpiece.hall.wire.hall_orders import PLAY_OFF
from centerpiece.hall.wire.table_line import GameResult, SeatedPlayer, TableLine


class RallyStanding(msgspec.Struct, gc=False):
    """One person's games added up, and their place in the hall."""

    place: int | None = None
    name: str = ""
    table: str = ""
    total: int = 0
    games: int = 0
    rounds: int = 0
    left: bool = False
    worth: int = 0
    """The total as a number of which the lower is better, whichever total wins."""

    def add(self, table: str, player: SeatedPlayer, result: GameResult) -> None:
        """Add the game `result` of `table`, which this person played as `player`.

        Name, table, and whether they left, are those of the game added last.
        """
        self.name, self.table = player.name, table
        self.left = player.left and player.place is None
        self.total += player.total
        self.worth += result.worth(player.total)
        self.games += 1
        self.rounds += result.rounds


Ties = tuple[tuple[int, tuple[RallyStanding, ...]], ...]
_Games = dict[int, dict[str, GameResult]]
_Seated = dict[tuple[str, str], RallyStanding | None]
"""People by table and name, as seated after the last game; None for one who has moved away."""


class Leaderboard(NamedTuple):
    """The leaderboard, final once every table is done."""

    people: tuple[RallyStanding, ...]
    final: bool
    ties: Ties
    """Prize places that several people share; empty until final."""


def standings(log: RallyLog, lines: Mapping[str, TableLine], prizes: int = 2) -> Leaderboard:
    """Return everybody's place over all tables, by the log and the newest line of each table.

    Whoever missed a game comes after all who did not; who left comes last and has no place. Once
    final, the result has the ties for the first `prizes` places.
    """
    games = _games(log, lines)
    people, seated = _people(log, games)
    play_offs = [*_play_offs(log, lines, seated)]

    def merit(person: RallyStanding) -> tuple[object, ...]:
        decided = (worths.get(id(person), 1 << 30) for worths in play_offs)
        return (person.left, -person.games, person.worth, *decided)

    people.sort(key=lambda person: (merit(person), person.name, person.table))
    last: tuple[object, ...] | None = None
    place = 0
    for number, person in enumerate(people, start=1):
        if (own := merit(person)) != last:
            place, last = number, own
        person.place = None if person.left else place
    final = _is_final(log, games, lines.values())
    return Leaderboard(tuple(people), final, _ties(people, prizes) if final else ())


def _games(log: RallyLog, lines: Mapping[str, TableLine]) -> _Games:
    """Return the games that count by number and table.

    Of two games of a table with one number it is the later.
    """
    games: _Games = {}
    for table, line in lines.items():
        for number, result in _numbered(log, line):
            games.setdefault(number, {})[table] = result
    return games


def _numbered(log: RallyLog, line: TableLine) -> list[tuple[int, GameResult]]:
    """Return a table's games that count, with their numbers.

    Play-offs do not count, nor games before the hall opened. If a table has played the current game
    and began another shortly before the next was called, that counts as the next.
    """
    numbered: list[tuple[int, GameResult]] = []
    for result in line.games:
        number = log.game_at(result.started_at)
        if number and result.rules != PLAY_OFF:
            again = any(known == number for known, _ in numbered)
            early = again and log.called_soon(number + 1, result.started_at)
            numbered.append((number + 1 if early else number, result))
    return numbered


def _people(log: RallyLog, games: _Games) -> tuple[list[RallyStanding], _Seated]:
    """Return everybody with their games added up: as a list, and by table and name as seated last.

    Who changed tables, by the hall's order, keeps what they had.
    """
    everybody: list[RallyStanding] = []
    seated: _Seated = {}
    for number in sorted(games):
        origins = _origins(log, number)
        moved = {place: seated.get(origin) for place, origin in origins.items()}
        seated = {**seated, **dict.fromkeys(origins.values()), **moved}
        now: _Seated = {}
        for table, result in games[number].items():
            for player in result.players:
                place = (table, player.name.casefold())
                person = seated.get(place)
                if person is None:
                    person = RallyStanding()
                    everybody.append(person)
                person.add(table, player, result)
                now[place] = person
        seated = {**seated, **now}
    return everybody, seated


def _origins(log: RallyLog, number: int) -> dict[tuple[str, str], tuple[str, str]]:
    """Return the former places, by the new ones, of all who changed tables before game `number`.

    A place is a table and a case-folded name.
    """
    return {
        (move.table, move.known_as.casefold()): (move.origin, move.name.casefold())
        for before, change in log.changes
        if before == number
        for move in change.moves
    }


def _play_offs(
    log: RallyLog, lines: Mapping[str, TableLine], seated: _Seated
) -> Iterator[dict[int, int]]:
    """Yield the result of each play-off called: a number for each person, the lower the better.

    People are keys by their `id()`; the result is empty until the play-off is over. `seated` has
    the people by their former places.
    """
    for at, call in log.play_offs:
        line = lines.get(call.table)
        played = [
            result
            for result in (line.games if line else ())
            if result.rules == PLAY_OFF and result.final and result.started_at >= at - 1.0
        ][:1]
        totals = {p.name.casefold(): p.total for result in played for p in result.players}
        yield {
            id(person): played[0].worth(totals[move.known_as.casefold()])
            for move in call.moves
            if (person := seated.get((move.origin, move.name.casefold()))) is not None
            and move.known_as.casefold() in totals
        }


def _is_final(log: RallyLog, games: _Games, lines: Iterable[TableLine]) -> bool:
    """Return whether the latest game has results, all of them final, and no table is playing.

    A table in a play-off does not count as playing.
    """
    latest = games.get(log.game, {})
    playing = any(line.running and line.rules != PLAY_OFF for line in lines)
    return bool(latest) and not playing and all(result.final for result in latest.values())


def _ties(placed: Sequence[RallyStanding], prizes: int) -> Ties:
    """Return the first `prizes` places that several people share, with these people."""
    shared: dict[int, list[RallyStanding]] = {}
    for person in placed:
        if person.place is not None and person.place <= prizes:
            shared.setdefault(person.place, []).append(person)
    return tuple((place, tuple(who)) for place, who in shared.items() if len(who) > 1)


class TableAverage(NamedTuple):
    """A table's place by its average total."""

    place: int
    table: str
    average: float
    best: int


def table_standings(people: Iterable[RallyStanding]) -> list[TableAverage]:
    """Rank the tables by the average total of their people, best first; equal ones share a place.

    People who have left are not counted, nor tables that all have left.
    """
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
    """Return a sort key with table-2 before table-10."""
    name = table.rstrip("0123456789")
    return name, int(table[len(name) :] or 0)
