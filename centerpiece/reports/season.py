"""A season: what became of all those evenings.

The summary of a game is kept as long as nothing happens to it, so a finished game costs its own
summary and one step of the ratings; sums are made of the summaries for whatever span is asked for.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from centerpiece.reports.ratings import Ratings
from centerpiece.reports.season_results import Part, Result, summary
from centerpiece.storage.history import PastGame


class SeasonChoice(NamedTuple):
    """The games of a season: a span of time, one kind of game, and a circle of people.

    A game belongs to a circle if two of its people played in it, or one who is alone in it.
    """

    since: float = 0.0
    until: float = float("inf")
    game: str = ""
    people: frozenset[str] = frozenset()
    """Case-folded names; empty for everybody."""

    def has(self, result: Result) -> bool:
        if not self.since <= result.at < self.until or self.game not in ("", result.game):
            return False
        here = sum(part.name.casefold() in self.people for part in result.parts)
        return here >= min(2, len(self.people))


class PersonSeason:
    """One person's season."""

    def __init__(self) -> None:
        self.name = ""
        self.games = self.wins = self.whistles = self.caught = 0
        self.places: list[int] = []
        self.tables: dict[int, tuple[int, int]] = {}
        """Rounds and points by number of players."""
        self.best: list[int] = []
        self.worst: list[int] = []
        """The best and the worst round of each game."""
        self.comeback = 0
        self.run = 0
        """The most games won in a row."""
        self.in_a_row = 0
        """The games won in a row until now."""

    def add(self, part: Part) -> None:
        """Add this person's part in their next game; games come in the order they were played."""
        self.name = part.name
        self.games += 1
        self.wins += part.won
        self.whistles += part.whistles
        self.caught += part.caught
        self.comeback = max(self.comeback, part.comeback)
        self.in_a_row = self.in_a_row + 1 if part.won else 0
        self.run = max(self.run, self.in_a_row)
        self.best.append(part.best)
        self.worst.append(part.worst)
        if part.place is not None:
            self.places.append(part.place)
        for players, rounds, points in part.tables:
            before = self.tables.get(players, (0, 0))
            self.tables[players] = before[0] + rounds, before[1] + points

    @property
    def place(self) -> float | None:
        """The average place; None for somebody who was never there at the end."""
        return sum(self.places) / len(self.places) if self.places else None

    def document(self, highest: bool | None) -> dict[str, Any]:
        """Return what the page shows about this person.

        `highest` is True if the highest score wins; with None, for games of several kinds, points
        are left out.
        """
        found: dict[str, Any] = {
            key: getattr(self, key)
            for key in ("name", "games", "wins", "run", "whistles", "caught")
        }
        found["place"] = self.place
        if highest is not None:
            best, worst = (max, min) if highest else (min, max)
            found |= {
                "best": best(self.best),
                "worst": worst(self.worst),
                "comeback": self.comeback,
                "tables": [
                    {"players": players, "rounds": rounds, "points": points}
                    for players, (rounds, points) in sorted(self.tables.items())
                ],
            }
        return found


class Season:
    """Sums over past games; remembers the summary of each game, and the ratings."""

    def __init__(self) -> None:
        self._results: WeakKeyDictionary[PastGame, Result] = WeakKeyDictionary()
        self._ratings = Ratings()

    def document(self, games: Iterable[PastGame], choice: SeasonChoice) -> dict[str, Any]:
        """Return the season of the chosen games: people, who beats whom, records, evenings.

        `choice` says which of `games` count; ratings and the list of names are of all finished
        games.
        """
        results = self.results(games)
        ranges = self._ratings.after(results)
        chosen = [each for each in results if choice.has(each)]
        everybody = sorted({part.name for each in results for part in each.parts})
        index = {name: at for at, name in enumerate(everybody)}
        kinds = {each.game: each.title for each in results}
        directions = {each.highest for each in chosen} if choice.game or len(kinds) == 1 else {None}
        highest = directions.pop() if len(directions) == 1 else None
        people: defaultdict[str, PersonSeason] = defaultdict(PersonSeason)
        records: dict[str, dict[str, Any]] = {}
        meetings: dict[tuple[str, str], list[int]] = {}
        for result in chosen:
            for part in result.parts:
                key = part.name.casefold()
                if choice.people and key not in choice.people:
                    continue
                people[key].add(part)
                _note_records(records, result, part, people[key].in_a_row, highest)
            _note_meetings(meetings, result, choice.people)
        ranked = sorted(
            people.values(), key=lambda each: (-each.wins, each.place or len(people), each.name)
        )
        return {
            "games": [{"game": game, "title": title} for game, title in kinds.items()],
            "everybody": everybody,
            "first": results[0].at if results else None,
            "people": [
                person.document(highest) | {"rating": ranges.get(person.name.casefold())}
                for person in ranked
            ],
            "meetings": [
                {"names": [people[one].name, people[other].name], "won": won[:2], "met": won[2]}
                for (one, other), won in meetings.items()
            ],
            "records": list(records.values()),
            "evenings": [
                {
                    "number": each.number,
                    "at": each.at,
                    "who": [index[part.name] for part in each.parts],
                }
                for each in chosen
            ],
        }

    def results(self, games: Iterable[PastGame]) -> list[Result]:
        """Return the summaries of all finished games, in the order given.

        Each game is summarised only once.
        """
        for game in (games := list(games)):
            if game not in self._results:
                self._results[game] = summary(game)
                game.clear_cache()
        return [found for game in games if (found := self._results[game]).parts]


def _note_records(
    records: dict[str, dict[str, Any]],
    result: Result,
    part: Part,
    in_a_row: int,
    highest: bool | None,
) -> None:
    """Put this person's results into `records` where they exceed the record; equal ones do not.

    `in_a_row` is the number of games won in a row until now. With None for `highest`, points have
    no records.
    """
    values = {"run": in_a_row, "whistles": part.whistles}
    if highest is not None:
        values |= {"most": part.best if highest else part.worst, "comeback": part.comeback}
    for kind, value in values.items():
        if value > (records[kind]["value"] if kind in records else 0):
            facts = {"number": result.number, "at": result.at}
            records[kind] = {"kind": kind, "value": value, "name": part.name, **facts}


def _note_meetings(
    meetings: dict[tuple[str, str], list[int]], result: Result, circle: Collection[str]
) -> None:
    """Count in `meetings`, for each two opponents of a game, the better placed one, and the game.

    Left out are people without a place, and those outside the `circle`, if that is not empty.
    """
    placed = [
        (part.name.casefold(), part.side, part.place)
        for part in result.parts
        if part.place is not None and (not circle or part.name.casefold() in circle)
    ]
    for at, (one, side, place) in enumerate(placed):
        for other, other_side, other_place in placed[at + 1 :]:
            if side == other_side:
                continue
            ahead = place < other_place
            pair, first = ((one, other), ahead) if one < other else ((other, one), not ahead)
            won = meetings.setdefault(pair, [0, 0, 0])
            won[2] += 1
            if place != other_place:
                won[0 if first else 1] += 1
