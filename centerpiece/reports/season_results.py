"""The rounds and summaries of past games, of which a season is made.

`rows` is the only source: one row for each person and counted round of a finished game. The export
is made of these rows, and so is the summary of a game, of which all sums and ratings are made.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import msgspec

from centerpiece.reports import spreadsheet
from centerpiece.storage.history import PastGame


class PersonRound(NamedTuple):
    """One person's round. The fields are the columns of the exported table."""

    evening: int
    """The number of the game, as on the page of past evenings."""
    started_at: float
    game: str
    rules: str
    person: str
    seat: int
    side: int
    """The number of the team, or of the seat with a minus."""
    place: int | None
    won: int
    round: int
    players: int
    """The number of players in this round."""
    points: int
    behind: int
    """Points behind the leader after this round."""
    whistle: int
    caught: int


class Part(msgspec.Struct, frozen=True, gc=False):
    """One person's part in one game."""

    name: str
    side: int
    place: int | None
    won: bool
    tables: tuple[tuple[int, int, int], ...]
    """For each number of players: the rounds, and their points."""
    best: int
    worst: int
    comeback: int
    """The most points behind in a game that was won all the same."""
    whistles: int
    caught: int


class Result(msgspec.Struct, frozen=True):
    """The summary of one game."""

    number: int
    at: float
    game: str
    title: str
    highest: bool
    """True if the highest score wins."""
    parts: tuple[Part, ...]

    @property
    def sides(self) -> list[tuple[int, tuple[str, ...]]]:
        """The places of the sides that played to the end, with their case-folded names."""
        found: dict[int, tuple[int, tuple[str, ...]]] = {}
        for part in self.parts:
            if part.place is not None:
                _, names = found.get(part.side, (0, ()))
                found[part.side] = part.place, (*names, part.name.casefold())
        return list(found.values())


def rows(game: PastGame) -> Iterator[PersonRound]:
    """Yield a row for each counted round of each person; none while the game goes on."""
    behind = _behind(game)
    for name, seat, place, won, rounds, scores in game.results if game.finished else ():
        for number, points in zip(rounds, scores, strict=True):
            yield PersonRound(
                evening=game.number,
                started_at=game.started_at,
                game=game.game.name,
                rules=game.rules,
                person=name,
                seat=seat.chair,
                side=seat.team or -seat.number,
                place=place,
                won=int(won),
                round=number,
                players=len(game.table.players(number)),
                points=points,
                behind=behind[number][seat.number],
                whistle=int((number, seat.number) in game.called),
                caught=int((number, seat.number) in game.caught),
            )


def _behind(game: PastGame) -> dict[int, dict[int, int]]:
    """Return how many points each seat's side is behind the best, by round and seat.

    It is 0 where rounds are won. A round that does not count changes nothing.
    """
    rules, behind = game.table.rules, {}
    sums: Counter[int] = Counter()
    sign = {"lowest": 1, "highest": -1}.get(rules.wins, 0)
    for number, counts in enumerate(game.sheet.counts, start=1):
        here = game.table.players(number)
        for seat in game.table.seats:
            points = game.sheet.rows[seat.number][number - 1]
            if points is not None and (counts or number == seat.since - 1):
                sums[seat.team or -seat.number] += sign * points
        best = min((sums[seat.team or -seat.number] for seat in here), default=0)
        behind[number] = {seat.number: sums[seat.team or -seat.number] - best for seat in here}
    return behind


def summary(game: PastGame) -> Result:
    """Return the summary of a game; while it goes on, without any person's part."""
    theirs: defaultdict[str, list[PersonRound]] = defaultdict(list)
    for row in rows(game):
        theirs[row.person.casefold()].append(row)
    highest = game.table.rules.wins == "highest"
    parts = tuple(_part(each, highest) for each in theirs.values())
    kind = game.game
    return Result(game.number, game.started_at, kind.name, kind.title, highest, parts)


def _part(rows: Sequence[PersonRound], highest: bool) -> Part:
    """Return one person's part in a game, from their rows of it.

    `highest` is True if the highest score wins.
    """
    points = [row.points for row in rows]
    last = next((row for row in rows if row.place is not None), rows[-1])
    rounds = Counter(row.players for row in rows)
    sums: Counter[int] = Counter()
    for row in rows:
        sums[row.players] += row.points
    extremes = (max(points), min(points)) if highest else (min(points), max(points))
    won = any(row.won for row in rows)
    return Part(
        last.person,
        last.side,
        last.place,
        won,
        tuple((players, rounds[players], sums[players]) for players in sorted(rounds)),
        *extremes,
        max(row.behind for row in rows) if won else 0,
        sum(row.whistle for row in rows),
        sum(row.caught for row in rows),
    )


def all_rows(games: Iterable[PastGame]) -> Iterator[PersonRound]:
    """Yield the rows of all games, with the memory of one."""
    for game in games:
        yield from rows(game)
        game.clear_cache()


def as_csv(games: Iterable[PastGame]) -> str:
    """Return a row for each round of each person, as a table for a spreadsheet."""
    return spreadsheet.as_csv(chain([PersonRound._fields], all_rows(games)))


def as_json(games: Iterable[PastGame]) -> str:
    """Return the same rows as a JSON list."""
    rows = (msgspec.json.encode(row._asdict()).decode() for row in all_rows(games))
    return "[" + ",\n".join(rows) + "]\n"


SEASON_FORMATS: dict[str, tuple[Callable[[Iterable[PastGame]], str], str]] = {
    "csv": (as_csv, "text/csv"),
    "json": (as_json, "application/json"),
}
"""The exports, with their media types."""
