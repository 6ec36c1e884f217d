"""Seasons: sums over past games, who beats whom, records, the export."""

import csv
import io
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centerpiece.games.registry import GAMES
from centerpiece.reports.ratings import FEWEST, Ratings
from centerpiece.reports.season import Season, SeasonChoice
from centerpiece.reports.season_results import Result, as_csv, as_json, summary
from centerpiece.storage.history import History, PastGame, games
from centerpiece.table import commands as c
from centerpiece.table.commands import Command
from centerpiece.text import Refused
from tests.storage.test_history import Evening

NAMES = ("Ann", "Bob", "Cara", "Dan", "Eve", "Finn")
TABLES_FOR = (
    ("mexican-train/family", 12, {}),
    ("muggins/classic", 6, {"teams_of_four": True}),
)


@pytest.fixture
def evening() -> Iterator[Evening]:
    evening = Evening()
    yield evening
    evening.journal.close()


def season(evening: Evening, **choice: Any) -> dict[str, Any]:
    return Season().document(games(evening.journal, GAMES), SeasonChoice(**choice))


def play(evening: Evening, names: tuple[str, ...], *rounds: tuple[int, ...]) -> float:
    """Play a whole game; each round has a zero for who went out. Return its start."""
    evening.do(c.OpenTable("mexican-train/family", names, 12))
    started_at = evening.ledger.table.started_at
    assert started_at is not None
    for number, pips in enumerate(rounds):
        if number:
            evening.do(c.NextRound())
        evening.round(pips.index(0) + 1, *(each for each in pips if each))
    evening.do(c.FinishGame())
    return started_at


def person(found: dict[str, Any], name: str) -> dict[str, Any]:
    (one,) = (each for each in found["people"] if each["name"] == name)
    return dict(one)


def test_a_season_adds_up_games_rounds_and_runs(evening: Evening) -> None:
    """Points are told by the number of players; a comeback is how far behind a winner was."""
    play(evening, ("Ann", "Bob", "Cara"), (50, 0, 10), (0, 60, 90), (0, 20, 30))
    play(evening, ("Ann", "Bob"), (0, 7))

    found = season(evening)

    assert {
        "name": "Ann",
        "games": 2,
        "wins": 2,
        "run": 2,
        "whistles": 0,
        "caught": 0,
        "place": 1.0,
        "best": 0,
        "worst": 50,
        "comeback": 50,
        "tables": [
            {"players": 2, "rounds": 1, "points": 0},
            {"players": 3, "rounds": 3, "points": 50},
        ],
        "rating": None,
    } == person(found, "Ann")
    assert {"names": ["Ann", "Bob"], "won": [2, 0], "met": 2} in found["meetings"]
    facts = {each["kind"]: (each["name"], each["value"]) for each in found["records"]}
    assert {"most": ("Cara", 90), "comeback": ("Ann", 50), "run": ("Ann", 2)} == facts
    assert [1, 2] == [each["number"] for each in found["evenings"]]


def test_a_season_is_a_span_a_game_and_a_circle(evening: Evening) -> None:
    """A game belongs to a circle if two of its people played."""
    first = play(evening, ("Ann", "Bob", "Cara"), (5, 0, 10))
    second = play(evening, ("Ann", "Dan", "Eve"), (5, 0, 10))

    assert ["Dan", "Ann", "Eve"] == [
        each["name"] for each in season(evening, since=second)["people"]
    ]
    assert [1] == [each["number"] for each in season(evening, until=first + 1)["evenings"]]
    assert [] == season(evening, game="muggins")["people"]
    circle = season(evening, people=frozenset(("ann", "cara")))
    assert ["Ann", "Cara"] == [each["name"] for each in circle["people"]]
    assert [1] == [each["number"] for each in circle["evenings"]]


def test_an_unfinished_game_is_not_in_the_season(evening: Evening) -> None:
    play(evening, ("Ann", "Bob"), (0, 7))
    before = season(evening)
    evening.do(c.Rematch(rematch=True))
    evening.round(1, 20)

    assert before == season(evening)


def test_a_rating_is_a_range_after_ten_games(evening: Evening) -> None:
    """Whoever always wins ends above whoever always loses, and the ranges are apart."""
    names = ("Ann", "Bob", "Cara")
    for _ in range(FEWEST - 1):
        play(evening, names, (0, 7, 30))
    assert {None} == {each["rating"] for each in season(evening)["people"]}
    play(evening, names, (0, 7, 30))

    ann, bob, cara = (person(season(evening), name)["rating"] for name in names)
    assert cara[0] < cara[1] < ann[0] < ann[1]
    assert cara[1] < bob[1] < ann[1]


def test_the_export_is_the_season_in_rows(evening: Evening) -> None:
    """CSV and JSON have the same rows."""
    play(evening, ("Ann", "Bob"), (0, 7), (8, 0))
    found = games(evening.journal, GAMES)

    rows = list(csv.DictReader(io.StringIO(as_csv(found))))

    assert ["Ann", "Ann", "Bob", "Bob"] == [row["person"] for row in rows]
    assert ["0", "8", "7", "0"] == [row["points"] for row in rows]
    assert as_json(found).count('"person"') == len(rows)


def test_a_finished_game_costs_its_own_summary(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The games before it are neither summed up nor rated again."""
    summed: list[int] = []
    rated: list[int] = []

    def summary_of(game: PastGame) -> Result:
        summed.append(game.number)
        return summary(game)

    def rate(ratings: Ratings, result: Result) -> None:
        rated.append(result.number)

    monkeypatch.setattr("centerpiece.reports.season.summary", summary_of)
    monkeypatch.setattr(Ratings, "_rate", rate)
    history, live = History(evening.journal, GAMES), Season()
    for _ in range(3):
        play(evening, ("Ann", "Bob"), (0, 7))
        live.document(history.games(), SeasonChoice())

    assert [1, 2, 3] == summed == rated


# The season of any evenings


@st.composite
def whole_games(draw: st.DrawFn) -> list[Command]:
    """Draw a game that is mostly played to its end, with some trouble in between."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=4, unique=True))
    rules, size, changes = draw(st.sampled_from(TABLES_FOR))
    found: list[Command] = [c.FinishGame(), c.OpenTable(rules, tuple(names), size, changes)]
    seats = st.integers(1, len(names))
    trouble = st.one_of(
        st.builds(c.CallLastTile, seats),
        st.builds(c.Catch, seats, st.just(True)),
        st.builds(c.Substitute, seats, st.sampled_from(NAMES)),
        st.builds(c.Park, seats),
        st.builds(c.Leave, seats),
        st.builds(c.Join, st.sampled_from(NAMES)),
    )
    for number in range(draw(st.integers(1, 3))):
        found += [c.NextRound()] if number else []
        found += draw(st.lists(trouble, max_size=2))
        found.append(c.GoOut(draw(seats)))
        found += [c.EnterScore(seat, draw(st.integers(0, 60))) for seat in range(1, 6)]
    return [*found, c.FinishGame()] if draw(st.integers(0, 9)) else found


chores: st.SearchStrategy[Command] = st.one_of(
    st.just(c.Undo()),
    st.just(c.Redo()),
    st.builds(c.CorrectScore, st.integers(1, 4), st.integers(0, 60), round=st.integers(1, 3)),
    st.builds(c.NamePerson, st.sampled_from(NAMES), st.sampled_from((*NAMES, "Zoe"))),
)


@given(st.lists(st.tuples(whole_games(), st.lists(chores, max_size=3)), min_size=1, max_size=4))
def test_however_it_is_read_a_season_is_the_same(
    evenings: list[tuple[list[Command], list[Command]]],
) -> None:
    """Event by event, at once, and as a table computed by SQL over the exported CSV."""
    evening = Evening()
    history, live = History(evening.journal, GAMES), Season()
    starts: list[float] = []
    for commands, later in evenings:
        for command in (*commands, *later):
            with suppress(Refused):
                evening.do(command)
                live.document(history.games(), SeasonChoice())
        if evening.ledger.table.started_at:
            starts.append(evening.ledger.table.started_at)
    with suppress(Refused):
        evening.do(c.DeleteGame(starts[0] if starts else 0.0))
        evening.do(c.NamePerson("Ann", "Anna", starts[-1] if starts else None))

    assert season(evening) == live.document(history.games(), SeasonChoice())
    text = as_csv(history.games())
    for game in ("mexican-train", "muggins"):
        found = live.document(history.games(), SeasonChoice(game=game))
        assert season(evening, game=game) == found
        keys = ("name", "games", "wins", "place", "whistles", "caught", "comeback", "run")
        people = [
            (
                *(each[key] for key in keys),
                *sorted((each["best"], each["worst"])),
                [tuple(table.values()) for table in each["tables"]],
            )
            for each in found["people"]
        ]
        meetings = [(*each["names"], *each["won"], each["met"]) for each in found["meetings"]]
        assert by_sql(text, game) == (sorted(people), sorted(meetings))
    evening.journal.close()


TOTALS = """
WITH game AS (
    SELECT person, evening, max(won) AS won, max(place) AS place, max(behind) AS behind
    FROM season GROUP BY person, evening
), numbered AS (
    SELECT *, row_number() OVER (PARTITION BY person ORDER BY evening)
        - row_number() OVER (PARTITION BY person, won ORDER BY evening) AS island FROM game
)
SELECT person, count(DISTINCT evening),
    (SELECT sum(won) FROM game WHERE person = s.person),
    (SELECT avg(place) FROM game WHERE person = s.person),
    sum(whistle), sum(caught),
    (SELECT coalesce(max(behind), 0) FROM game WHERE person = s.person AND won),
    (SELECT coalesce(max(run), 0) FROM (
        SELECT count(*) AS run FROM numbered WHERE person = s.person AND won GROUP BY island
    )),
    min(points), max(points)
FROM season AS s GROUP BY person ORDER BY person
"""
TABLES = """
SELECT players, count(*), sum(points) FROM season WHERE person = ?
GROUP BY players ORDER BY players
"""
MEETINGS = """
WITH game AS (
    SELECT DISTINCT evening, person, side, place FROM season WHERE place IS NOT NULL
)
SELECT a.person, b.person, sum(a.place < b.place), sum(a.place > b.place), count(*)
FROM game AS a JOIN game AS b ON a.evening = b.evening AND a.side <> b.side
WHERE a.person < b.person GROUP BY a.person, b.person ORDER BY a.person, b.person
"""


def by_sql(text: str, game: str) -> tuple[list[Any], list[Any]]:
    """Compute the season of one game from its export, and nothing else."""
    head, *rows = csv.reader(io.StringIO(text))
    database = sqlite3.connect(":memory:")
    words = ("game", "rules", "person")
    columns = ", ".join(f"{name} {'TEXT' if name in words else 'NUMERIC'}" for name in head)
    database.execute(f"CREATE TABLE season ({columns})")
    database.executemany(
        f"INSERT INTO season VALUES ({', '.join('?' * len(head))})",
        [[cell or None for cell in row] for row in rows],
    )
    database.execute("DELETE FROM season WHERE game <> ?", (game,))
    totals = [
        (*row, database.execute(TABLES, (row[0],)).fetchall()) for row in database.execute(TOTALS)
    ]
    meetings = database.execute(MEETINGS).fetchall()
    database.close()
    return totals, meetings
