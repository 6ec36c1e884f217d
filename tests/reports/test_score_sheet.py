"""Score sheets in CSV, JSON and HTML, and lists for a terminal."""

import csv
import io
from collections.abc import Iterator
from html.parser import HTMLParser

import msgspec
import pytest

from centerpiece.games.registry import GAMES
from centerpiece.reports.charts import ChartLine, line_chart
from centerpiece.reports.score_sheet import export, listing, records
from centerpiece.reports.spreadsheet import as_csv
from centerpiece.storage.history import PastGame, games, statistics
from centerpiece.table import commands as c
from centerpiece.text import Refused
from tests.storage.test_history import CLASSIC, Evening

VOID = ("meta", "br", "path", "polyline")
FORMULA_SIGNS = tuple("=+-@\uff1d\uff0b\uff0d\uff20")


@pytest.fixture
def evening() -> Iterator[Evening]:
    evening = Evening()
    yield evening
    evening.journal.close()


def past(evening: Evening) -> PastGame:
    return games(evening.journal, GAMES)[-1]


def two_rounds(evening: Evening, *names: str) -> PastGame:
    evening.do(c.OpenTable(CLASSIC, names or ("Ann", "Bob", "Cara", "Dan"), 12))
    evening.round(1, 20, 30, 40)
    evening.do(c.NextRound(), c.Block(), c.EnterScore(1, 3), c.EnterScore(2, 4))
    evening.do(c.FinishGame())
    return past(evening)


def rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def test_a_spreadsheet_has_a_line_a_round_and_totals(evening: Evening) -> None:
    """A missing score is an empty cell, a zero is a zero."""
    assert [
        ["Round", "Double", "Starter", "Out", "Ann", "Bob", "Cara", "Dan"],
        ["1", "12", "Ann", "Ann", "0", "20", "30", "40"],
        ["2", "11", "Bob", "(blocked, left out)", "3", "4", "", ""],
        ["Total", "", "", "", "0", "20", "30", "40"],
        ["Place", "", "", "", "1", "2", "3", "4"],
    ] == rows(export(two_rounds(evening), "csv"))


def test_no_name_becomes_a_formula(evening: Evening) -> None:
    game = two_rounds(evening, "=1+1", "+Bob", "-Cara", "@Dan")

    assert ["'=1+1", "'+Bob", "'-Cara", "'@Dan"] == rows(export(game, "csv"))[0][4:]


def test_a_name_with_commas_and_quotes_stays_one_cell(evening: Evening) -> None:
    game = two_rounds(evening, 'Ann "the train", 1st', "Bob", "Cara", "Dan")

    assert 'Ann "the train", 1st' == rows(export(game, "csv"))[0][4]


def test_the_document_has_everything(evening: Evening) -> None:
    """Scores as in the public state: null is missing."""
    document = msgspec.json.decode(export(two_rounds(evening), "json"))

    assert ("mexican-train", "classic", 12, True, ["Ann"]) == tuple(
        document[key] for key in ("game", "rules", "set", "finished", "winners")
    )
    assert {
        "round": 2,
        "engine": 11,
        "starter": 2,
        "out": None,
        "blocked": True,
        "counts": False,
        "play_off": [],
    } == document["rounds"][1]
    assert [30, None] == document["players"][2]["scores"]


def test_partners_share_a_column(evening: Evening) -> None:
    """Two teams of two are two columns."""
    evening.do(c.OpenTable("muggins/classic", ("Ann", "Bob", "Cara", "Dan"), 6))
    evening.do(c.GoOut(1), c.FinishGame())

    head, *_ = rows(export(past(evening), "csv"))

    assert ["Ann & Cara", "Bob & Dan"] == head[4:]


def test_a_substitute_is_named_with_the_one_before(evening: Evening) -> None:
    """Each round has the name of the person who played it."""
    evening.do(c.OpenTable(CLASSIC, ("Ann", "Bob", "Cara", "Dan"), 12))
    evening.round(2, 20, 30, 40)
    evening.do(c.NextRound(), c.Substitute(2, "Zoe"))
    evening.round(2, 20, 30, 40)
    evening.do(c.FinishGame())

    sheet = rows(export(past(evening), "csv"))

    assert "Zoe (for Bob)" == sheet[0][5]
    assert ["Bob", "Zoe"] == [sheet[1][3], sheet[2][3]]


def test_rounds_won_are_on_the_sheet_where_they_decide(evening: Evening) -> None:
    """Otherwise nobody could see why somebody won."""
    evening.do(c.OpenTable(CLASSIC, ("Ann", "Bob", "Cara", "Dan"), 12, {"wins": "rounds"}))
    evening.round(2, 20, 30, 40)
    evening.do(c.FinishGame())

    game = past(evening)

    assert ["Rounds won", "", "", "", "0", "1", "0", "0"] in rows(export(game, "csv"))
    assert "Rounds won" in export(game, "html")


class Outline(HTMLParser):
    """The tags of a page, and whether they are closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.said: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for key, value in attrs if key in ("src", "href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert tag == self.open.pop()

    def handle_data(self, data: str) -> None:
        self.said.append(data)


def test_the_page_is_whole_and_needs_nothing_else(evening: Evening) -> None:
    """Tags are closed in order, nothing is loaded from anywhere, the table has headings."""
    page = Outline(export(two_rounds(evening), "html"))

    assert [] == page.open
    assert [] == page.links
    assert {"table", "caption", "thead", "tfoot", "svg"} <= set(page.tags)
    assert "script" not in page.tags


def test_a_name_on_the_page_is_text_and_nothing_else(evening: Evening) -> None:
    """Markup in a name is escaped."""
    page = Outline(export(two_rounds(evening, "<script>x", "B&B", "Cara", "Dan"), "html"))

    assert "script" not in page.tags
    assert "<script>x" in page.said
    assert "B&B" in page.said


def test_a_single_round_is_no_chart(evening: Evening) -> None:
    """A line needs two points."""
    evening.do(c.OpenTable(CLASSIC, ("Ann", "Bob", "Cara", "Dan"), 12))
    evening.round(1, 20, 30, 40)

    assert "<svg" not in export(past(evening), "html")


def test_an_unknown_format_is_refused_with_those_there_are(evening: Evening) -> None:
    """The message has the unknown format and the known ones."""
    with pytest.raises(Refused, match="csv, json, html"):
        export(two_rounds(evening), "pdf")


def test_a_chart_draws_every_line_with_its_name_and_its_own_dashes() -> None:
    """Readable in black and white, also if all lines are equal or below zero."""
    chart = line_chart([ChartLine(f"P{n}", (n - 5, n - 5, -20)) for n in range(10)], "Totals")

    assert 10 == chart.count("<polyline")
    assert all(f">P{n}<" in chart for n in range(10))
    dashes = {part.split('"')[1] for part in chart.split("stroke-dasharray=")[1:]}
    assert 10 == len(dashes)


def test_a_terminal_lists_games_with_the_numbers_to_ask_for(evening: Evening) -> None:
    """Two lines for the game, one for its outcome."""
    first, players, outcome = listing([two_rounds(evening)]).splitlines()

    assert first.startswith("   1  20")
    assert first.endswith("  mexican-train/classic, double-12, 2 rounds")
    assert "      Ann, Bob, Cara, Dan" == players
    assert "      Won by Ann." == outcome


def test_a_terminal_shows_records_in_columns(evening: Evening) -> None:
    """Under the name of their game."""
    head, ann, *_ = records(statistics([two_rounds(evening)])).splitlines()

    assert [
        "Mexican",
        "Train",
        "games",
        "wins",
        "rounds",
        "average",
        "best",
        "worst",
    ] == head.split()
    assert ["Ann", "1", "1", "1", "0.0", "0", "0"] == ann.split()
    assert len(head) == len(ann)


def test_nothing_played_is_said_in_words() -> None:
    """No empty table is printed."""
    assert "No game has been played yet.\n" == listing([])
    assert "" == records([])


def test_a_chair_with_two_people_has_a_column_for_each(evening: Evening) -> None:
    """Whoever left keeps the rounds; the newcomer begins with the highest total."""
    evening.do(c.OpenTable(CLASSIC, ("Ann", "Bob", "Cara", "Dan"), 12))
    evening.round(1, 20, 30, 40)
    evening.do(c.Leave(2), c.Arrive(2, "Zed"), c.NextRound())
    evening.round(1, 5, 3, 4)
    evening.do(c.FinishGame())
    game = past(evening)

    names, first, second, *_ = [row[4:] for row in rows(export(game, "csv"))]
    assert ["Ann", "Zed", "Cara", "Dan", "Bob"] == names
    assert ["0", "40", "30", "40", "20"] == first
    assert ["0", "5", "3", "4", ""] == second
    scores = {result.name: result.scores for result in game.results}
    assert ((20,), (5,)) == (scores["Bob"], scores["Zed"])


@pytest.mark.parametrize("separator", [",", ";", "\t", "; ", "\n", ';"', ';""', '\t" '])
@pytest.mark.parametrize("formula", ["=1+1", "+1", "-1", "@SUM(A1)", "\uff1d1+1", "\uff0b1"])
def test_no_name_becomes_a_formula_whatever_separates_cells(separator: str, formula: str) -> None:
    """In half of Europe that is a semicolon, also in a file with commas, and quotes open a cell."""
    for text in (formula, f"Ann{separator}{formula};"):
        sheet = as_csv([[7, text, "Bob"], [text, "Bob"]])
        for delimiter in ",;\t":
            rows = csv.reader(io.StringIO(sheet, newline=""), delimiter=delimiter)
            cells = [cell.lstrip() for row in rows for cell in row]
            assert [] == [cell for cell in cells if cell.startswith(FORMULA_SIGNS)]
