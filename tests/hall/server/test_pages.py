"""The hall's pages: everybody may read them, only the organiser may give orders."""

import asyncio
import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from msgspec.structs import replace

from centerpiece.games.registry import GAMES
from centerpiece.hall.server.hall_pages import WRONG_TOKENS, HallSite, build
from centerpiece.hall.wire import hall_keys
from centerpiece.hall.wire.hall_errors import HallError
from centerpiece.hall.wire.table_line import TableLine
from centerpiece.locale.catalogue import CATALOGUES, Catalogues
from centerpiece.table import commands as c
from centerpiece.text import Sentence
from tests.catalogues import with_esperanto
from tests.hall.tables import HallRoom, HallTable, Rally

TOKEN = "correct horse battery"


class Pages(Rally):
    """A browser at a hall of two tables."""

    def __init__(
        self,
        folder: Any,
        client: Any,
        languages: Catalogues = CATALOGUES,
        title: str = "The <b>spring</b> rally",
    ) -> None:
        super().__init__(folder, client, title=title)
        self._loop = asyncio.new_event_loop()
        self._app = build(HallSite(self.desk, TOKEN, catalogues=languages))
        self.tables[0].open("Ann", "=Bob()", "Cara")
        self.tables[1].open("Dan", "Eve", "<script>")
        for table, points in zip(self.tables, ((0, 5, 9), (3, 0, 7)), strict=True):
            table.score_round(*points)
        self.settle()

    def get(self, path: str, **headers: str) -> httpx.Response:
        return self._send("GET", path, headers=headers)

    def post(
        self,
        body: Any,
        token: str | None = TOKEN,
        path: str = "/api/hall/orders",
        address: str = "127.0.0.1",
        **headers: str,
    ) -> httpx.Response:
        bearer = {} if token is None else {"Authorization": f"Bearer {token}"}
        return self._send("POST", path, address, json=body, headers=headers | bearer)

    def _send(
        self, method: str, path: str, address: str = "127.0.0.1", **how: Any
    ) -> httpx.Response:
        transport = httpx.ASGITransport(
            self._app, client=(address, 50_000), raise_app_exceptions=False
        )
        browser = httpx.AsyncClient(transport=transport, base_url="http://hall.local")
        return self._loop.run_until_complete(browser.request(method, path, **how))

    def row(self, table: int = 0) -> Any:
        """Return a table's row on the page."""
        return self.get("/api/hall").json()["tables"][table]

    def close(self) -> None:
        super().close()
        self._loop.close()


@pytest.fixture
def pages(tmp_path: Any, client: Any) -> Iterator[Pages]:
    pages = Pages(tmp_path, client)
    yield pages
    pages.close()


def said(row: dict[str, Any]) -> list[str]:
    """Return a table's flags in English."""
    return [str(Sentence(**flag)) for flag in row["flags"]]


def test_the_page_lists_people_and_tables(pages: Pages) -> None:
    """People lowest first; tables with round, engine, clock and when they were seen."""
    pages.post({"type": "clock", "minutes_left": 50})
    pages.clock.move(70)
    pages.hall.desk.refresh()
    document = pages.get("/api/hall").json()
    row = document["tables"][0]

    assert [(1, "Ann", 0), (1, "Eve", 0), (3, "Dan", 3)] == [
        (p["place"], p["name"], p["total"]) for p in document["people"][:3]
    ]
    assert ("table-1", 2, 10, 8) == (row["table"], row["round"], row["rounds"], row["engine"])
    assert (2930, 70) == (row["clock"]["remaining_s"], row["seen_s"])
    assert ["It has not been heard from for a while."] == said(row)


def test_lists_are_searched_and_come_in_parts(pages: Pages) -> None:
    """A malformed offset is the beginning."""
    found = pages.get("/api/hall?q=eV").json()

    assert ["Eve"] == [p["name"] for p in found["people"]]
    assert ["table-2"] == [t["table"] for t in found["tables"]]
    assert [] == pages.get("/api/hall?people=100&tables=100").json()["people"]
    for strange in ("-1", "x", "9" * 40, "²"):
        assert 6 == len(pages.get(f"/api/hall?people={strange}").json()["people"])


def test_an_order_that_arrives_twice_is_given_once(pages: Pages) -> None:
    """Also by another process of the hall, or by this one after a restart and a loss in Redis."""
    start = {"type": "start", "minutes": 60}
    key = {"Idempotency-Key": "4f1d0c7be2a94f6d8f00"}
    answers = [pages.post(start, **key)]
    other = HallRoom(pages.client, pages.clock)
    pages._app = build(HallSite(other.desk, TOKEN))
    answers.append(pages.post(start, **key))
    pages.client.flushall()
    answers.append(pages.post({"type": "quiet", "volume": 0.5}))
    pages._app = build(HallSite(other.desk, TOKEN))
    answers.append(pages.post(start, **key))

    assert [200] * 4 == [answer.status_code for answer in answers]
    assert 3 == pages.client.xlen(hall_keys.orders("rally")), "opened, started, quiet"
    assert 1 == other.desk.log.game


def test_the_result_is_printed_and_exported(pages: Pages) -> None:
    """Without scripts; no name becomes markup, or a formula in a spreadsheet."""
    text = pages.get("/results").text

    assert "&lt;script&gt;" in text
    assert "<script>" not in text
    assert "The &lt;b&gt;spring&lt;/b&gt; rally" in text
    assert "So far; not every table is done" in text
    assert "Hasta ahora" in pages.get("/results?language=es").text
    sheet = list(csv.DictReader(io.StringIO(pages.get("/api/hall/results.csv").text)))
    document = pages.get("/api/hall/results.json").json()
    assert [str(p["total"]) for p in document["people"]] == [row["total"] for row in sheet]
    assert "'=Bob()" in [row["name"] for row in sheet]
    assert ["table-2", "table-1"] == [t["table"] for t in document["tables"]]


def test_a_language_without_words_for_the_hall_is_told_in_english(
    tmp_path: Path, client: Any
) -> None:
    """The language is offered all the same, for the words shared with the tables' pages."""
    languages = with_esperanto(tmp_path, 'msgctxt "page nav"\nmsgid "Pages"\nmsgstr "Paĝoj"')
    pages = Pages(tmp_path, client, languages)

    try:
        offered = pages.get("/api/hall").json()["languages"]
        words = pages.get("/static/eo.json").json()["page"]
        printed = pages.get("/results?language=eo").text
    finally:
        pages.close()

    assert {"en": "English", "eo": "Esperanto", "es": "Español"}.items() <= offered.items()
    assert ("Paĝoj", "The hall") == (words["nav"], words["hall.title"])
    assert "So far; not every table is done" in printed


@pytest.mark.parametrize("token", [None, "", "wrong", TOKEN + " ", "correct horse"])
def test_nothing_can_be_asked_without_the_token(pages: Pages, token: str | None) -> None:
    answer = pages.post({"type": "finish-round"}, token)

    assert (401, "token") == (answer.status_code, answer.json()["error"]["code"])
    assert 1 == pages.client.xlen(hall_keys.orders("rally"))


def test_the_organiser_chooses_among_the_rules_there_are(pages: Pages) -> None:
    rules = pages.post({}, path="/api/hall/token").json()["rules"]

    assert {"rules": "mexican-train/rally", "title": "Mexican Train: rally", "sets": [12]} in rules
    assert [each.full_name for game in GAMES.games.values() for each in game.profiles] == [
        each["rules"] for each in rules
    ]


def test_guessing_the_token_is_slow_for_who_guesses(pages: Pages) -> None:
    """After a few wrong ones an address has to wait; the right one always works."""
    guess = {"type": "announce", "text": "Tea!"}
    answers = [pages.post(guess, "guess") for _ in range(WRONG_TOKENS + 1)]

    assert [*[401] * WRONG_TOKENS, 429] == [answer.status_code for answer in answers]
    assert "60" == answers[-1].headers["retry-after"]
    assert 401 == pages.post(guess, "guess", address="10.0.0.7").status_code
    assert 200 == pages.post(guess).status_code
    pages.settle()
    assert "Tea!" == pages.tables[0].hub.state()["notice"]


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"type": "dance"}, 422, "dance"),
        ({"type": "announce"}, 422, "text"),
        ({"type": "announce", "text": "x" * 201}, 422, "text"),
        ({"type": "start", "minutes": -5}, 422, "minutes"),
        ({"type": "late", "name": "Zoe", "table": "nowhere"}, 409, "no table called nowhere"),
        ({"type": "play-off", "place": 1}, 409, "Nobody shares place 1"),
        ({"type": "card", "rules": "chess"}, 409, "chess"),
        ({"type": "card", "rules": "mexican-train/rally", "set": 6}, 409, "double-6"),
        ({"type": "card", "changes": {"nonsense": 1}}, 409, "no setting"),
        ({"type": "change-tables"}, 409, "Not every table is done: table-1 and table-2"),
        ({"type": "free", "table": "table-99"}, 409, "no table called table-99"),
        ([1], 422, "one JSON object"),
    ],
)
def test_a_request_that_cannot_be_done_is_refused(
    pages: Pages, body: Any, status: int, said: str
) -> None:
    """With a sentence, and before any table hears of it."""
    answer = pages.post(body)

    assert status == answer.status_code
    assert said in answer.json()["error"]["message"]
    assert 1 == pages.client.xlen(hall_keys.orders("rally"))


def test_two_hubs_of_one_name_are_shown_until_the_name_is_freed(
    pages: Pages, tmp_path: Any
) -> None:
    """Only the first hub counts; freeing the name forgets both, in every process of the hall."""
    second = HallTable(tmp_path / "other", pages.client, "table-1", pages.clock)
    second.open("Zoe", "Yan")
    second.publish()
    other = HallRoom(pages.client, pages.clock)
    for hall in (pages.hall, other):
        hall.read()
        assert {"table-1"} == set(hall.board.seconds)
    assert pages.hall.lines == other.lines
    clash = "Two hubs use this name; only the first one counts."
    assert [clash] == said(pages.row())
    assert ["Ann", "=Bob()", "Cara"] == [person["name"] for person in pages.row()["seated"]]
    pages.clock.move(61.0)
    pages.settle()
    assert [] == said(pages.row())

    assert 200 == pages.post({"type": "free", "table": "table-1"}).status_code
    other.read()
    for hall in (pages.hall, other):
        assert ({"table-2"}, {}) == (hall.board.tables(), hall.board.seconds)
    assert "table-2" == pages.row()["table"]
    second.close()


def test_every_page_and_file_is_there(pages: Pages) -> None:
    for path in ("/", "/desk", "/results", "/static/hall.css", "/static/hall.js"):
        assert 200 == pages.get(path).status_code, path
    for path in ("/static/../pages.py", "/static/hall.html", "/nothing"):
        assert 404 == pages.get(path).status_code, path


def test_a_stranger_cannot_reach_the_hall_through_somebodys_browser(pages: Pages) -> None:
    """Foreign host names and cross-site posts are refused."""
    assert 403 == pages.post({"type": "finish-round"}, Origin="http://evil.example").status_code
    assert 421 == pages.get("/api/hall", Host="evil.example").status_code


# One table must not blind the others

GARBAGE = b"\xff\xfe no line"
NESTED = b"[" * 9_999
KEY, STREAM = hall_keys.line("rally", "table-1"), hall_keys.lines("rally")
Hurt = Callable[[Any, TableLine], object]


def _lies(**values: Any) -> Hurt:
    """Return a function that writes a false line with the table's own login."""

    def hurt(client: Any, line: TableLine) -> object:
        document = msgspec.json.decode(msgspec.json.encode(line)) | values
        body = json.dumps(document).replace('"NESTED"', NESTED.decode()).encode()
        return _write(client, line.journal, body)

    return hurt


def _write(client: Any, journal: str, body: bytes) -> object:
    return client.hset(KEY, journal, body), client.xadd(STREAM, {"table-1": body})


def _instead(client: Any, line: TableLine) -> object:
    return client.delete(KEY), client.set(KEY, "x"), client.xadd(STREAM, {"table-1": "x"})


DAMAGE: dict[str, Hurt] = {
    "a text for a hash": _instead,
    "garbage": lambda client, line: _write(client, line.journal, GARBAGE),
    "nothing": lambda client, line: _write(client, line.journal, b""),
    "brackets without end": _lies(later="NESTED"),
    "a line without end": _lies(later="x" * 200_000),
    "hubs without end": lambda client, line: (
        client.hset(KEY, mapping={str(n): "x" for n in range(1_000)}),
        client.xadd(STREAM, {"table-1": "x"}),
    ),
    "a later release": _lies(type="line-2"),
    "another table's line": _lies(table="table-2"),
    "no name": _lies(table="<script>"),
    "a phase that is none": _lies(phase="asleep"),
    "scores beyond counting": _lies(lobby=[{"seat": 1, "name": "x", "total": 10**20}]),
    "a name without end": _lies(lobby=[{"seat": 1, "name": "x" * 999}]),
    "seats without end": _lies(lobby=[{"seat": 1, "name": "x"}] * 300),
    "a moment that never comes": _lies(at=1e308),
    "a clock beyond all": _lies(offset=-1e300),
    "words without end": _lies(trouble="x" * 10_000),
}


@pytest.mark.parametrize("hurt", DAMAGE.values(), ids=DAMAGE)
def test_one_bad_table_is_named_at_the_desk_and_repaired_there(pages: Pages, hurt: Hurt) -> None:
    """Other tables are read all the same, by a running hall and a new one."""
    hurt(pages.client, pages.hall.lines["table-1"])
    newcomer = HallRoom(pages.client, pages.clock)
    pages.tables[1].do(c.CorrectScore(1, 44, round=1))
    pages.tables[1].publish()
    for hall in (pages.hall, newcomer):
        hall.read()
        assert pages.tables[1].hub.seq == hall.lines["table-2"].seq
        assert {"table-1"} == hall.board.unreadable

    shown = {t["table"]: said(t) for t in pages.get("/api/hall").json()["tables"]}
    assert ([], 1) == (shown["table-2"], len(shown["table-1"]))
    assert "cannot be read" in shown["table-1"][0]
    assert 200 == pages.get("/results").status_code

    assert 200 == pages.post({"type": "free", "table": "table-1"}).status_code
    pages.clock.move(31.0)
    pages.settle()
    newcomer.read()
    for hall in (pages.hall, newcomer):
        assert (set(), {"table-1", "table-2"}) == (hall.board.unreadable, set(hall.lines))


def test_a_table_cannot_speak_for_another(pages: Pages) -> None:
    """Every table can write to the stream; forged and malformed entries are ignored."""
    forged = replace(pages.hall.lines["table-2"], journal="guessed", seq=999, trouble="Ha!")
    names = (b"table-2", b"table-1", b"nobody", b"", GARBAGE, b"9" * 5_000, b"<script>")
    for name in names:
        for body in (msgspec.json.encode(forged), GARBAGE, b"", NESTED):
            pages.client.xadd(STREAM, {name: body})
    pages.client.hset(hall_keys.line("rally", "table 7"), "x", "y")
    for hall in (pages.hall, HallRoom(pages.client, pages.clock)):
        hall.read()
        assert {"table-1", "table-2"} == hall.board.tables()
        assert (set(), {}) == (hall.board.unreadable, hall.board.seconds)
        assert "" == hall.lines["table-2"].trouble


def test_an_older_line_never_replaces_a_newer_one(pages: Pages) -> None:
    """Neither late on the stream, nor from a hub that was restored."""
    before = pages.hall.lines["table-1"]
    pages.tables[0].do(c.CorrectScore(2, 44, round=1))
    pages.settle()
    newest = pages.hall.lines["table-1"]
    pages.client.xadd(STREAM, {"table-1": msgspec.json.encode(before)})
    pages.client.hset(KEY, before.journal, msgspec.json.encode(before))
    pages.hall.read()
    pages.hall.reader.doubt()
    pages.hall.read()
    assert newest == pages.hall.lines["table-1"]

    ahead = replace(newest, seq=newest.seq + 9)
    pages.client.hset(KEY, ahead.journal, msgspec.json.encode(ahead))
    pages.clock.move(31.0)
    with pytest.raises(HallError, match="restored from an older copy"):
        pages.tables[0].publish()
