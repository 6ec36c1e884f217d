"""The hall's pages: everybody may look, only the organiser may ask."""

import asyncio
import csv
import io
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from centerpiece.games.registry import GAMES
from centerpiece.hall.server.desk import Desk
from centerpiece.hall.server.pages import WRONG_TOKENS, HallSite, build
from centerpiece.hall.wire import keys
from centerpiece.text import Sentence
from centerpiece.web.static_files import STATIC
from sim.clock import VirtualClock
from tests.hall.tables import HallTable, close_all, follower

TOKEN = "correct horse battery"


class Pages:
    """A browser before a hall of two tables."""

    def __init__(self, folder: Any, client: Any, title: str = "The <b>spring</b> rally") -> None:
        self.clock = VirtualClock()
        self.client = client
        self.follower = follower(client, clock=self.clock)
        self.desk = Desk(
            client, self.follower, GAMES, time_of=lambda _: self.clock.at(), now=self.clock.now
        )
        self.desk.open(title)
        site = HallSite(self.desk, self.follower, TOKEN, self.clock.at)
        self._loop = asyncio.new_event_loop()
        self._app = build(site)
        self._browser = self._browser_at("127.0.0.1")
        self.tables = [HallTable(folder, client, f"table-{n}", self.clock) for n in (1, 2)]
        self.tables[0].open("Ann", "=Bob()", "Cara")
        self.tables[1].open("Dan", "Eve", "<script>")
        for table, points in zip(self.tables, ((0, 5, 9), (3, 0, 7)), strict=True):
            table.score_round(*points)
        self.settle()

    def settle(self) -> None:
        for table in self.tables:
            table.listen()
            table.send()
        self.follower.everything()

    def get(self, path: str) -> httpx.Response:
        return self._loop.run_until_complete(self._browser.get(path))

    def ask(
        self, body: Any, token: str | None = TOKEN, address: str = "127.0.0.1"
    ) -> httpx.Response:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        work = self._browser_at(address).post("/api/hall/orders", json=body, headers=headers)
        return self._loop.run_until_complete(work)

    def _browser_at(self, address: str) -> httpx.AsyncClient:
        transport = httpx.ASGITransport(
            self._app, client=(address, 50_000), raise_app_exceptions=False
        )
        return httpx.AsyncClient(transport=transport, base_url="http://hall.local")

    def close(self) -> None:
        close_all(self.tables)
        self._loop.close()


@pytest.fixture
def pages(tmp_path: Any, client: Any) -> Iterator[Pages]:
    pages = Pages(tmp_path, client)
    yield pages
    pages.close()


def said(row: dict[str, Any]) -> list[str]:
    """What is not as it should be at a table, in English."""
    return [str(Sentence(**flag)) for flag in row["flags"]]


def test_the_leaderboard_lists_everybody_over_all_tables(pages: Pages) -> None:
    """Lowest first, with table and total."""
    found = pages.get("/api/hall").json()["people"]

    assert [(1, "Ann", 0), (1, "Eve", 0), (3, "Dan", 3)] == [
        (p["place"], p["name"], p["total"]) for p in found[:3]
    ]


def test_every_table_shows_round_engine_clock_and_when_it_was_seen(pages: Pages) -> None:
    """As of now."""
    pages.ask({"type": "clock", "minutes_left": 50})
    pages.clock.move(70)
    row = pages.get("/api/hall").json()["tables"][0]

    assert ("table-1", 2, 10, 8) == (row["table"], row["round"], row["rounds"], row["engine"])
    assert (2930, 70) == (row["clock"]["remaining_s"], row["seen_s"])
    assert ["It has not been heard from for a while."] == said(row)


def test_people_and_tables_are_found_by_name(pages: Pages) -> None:
    """Whatever the case."""
    found = pages.get("/api/hall?q=eV").json()

    assert ["Eve"] == [p["name"] for p in found["people"]]
    assert ["table-2"] == [t["table"] for t in found["tables"]]


def test_lists_come_in_parts(pages: Pages) -> None:
    """A number that is none is the beginning."""
    assert [] == pages.get("/api/hall?people=100&tables=100").json()["people"]
    for strange in ("-1", "x", "9" * 40, "²"):
        assert 6 == len(pages.get(f"/api/hall?people={strange}").json()["people"])


def test_the_result_can_be_printed_and_no_name_is_markup(pages: Pages) -> None:
    """Readable without a script; names are words."""
    text = pages.get("/results").text

    assert "&lt;script&gt;" in text
    assert "<script>" not in text
    assert "The &lt;b&gt;spring&lt;/b&gt; rally" in text
    assert "So far; not every table is done" in text
    assert "Hasta ahora" in pages.get("/results?language=es").text


def test_a_language_without_words_for_the_hall_is_told_in_english(
    tmp_path: Path, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is offered all the same: what the tables' pages can say is said in it."""
    table = tmp_path / "static"
    shutil.copytree(STATIC, table)
    esperanto = json.loads((table / "en.json").read_text("utf-8"))
    esperanto |= {"name": "Esperanto", "page": esperanto["page"] | {"nav": "Paĝoj"}}
    (table / "eo.json").write_text(json.dumps(esperanto), "utf-8")
    monkeypatch.setattr("centerpiece.hall.server.pages.STATIC", table)
    pages = Pages(tmp_path, client)

    try:
        offered = pages.get("/api/hall").json()["languages"]
        words = pages.get("/static/eo.json").json()["page"]
        printed = pages.get("/results?language=eo").text
    finally:
        pages.close()

    assert {"en": "English", "eo": "Esperanto", "es": "Español"} == offered
    assert ("Paĝoj", "The hall") == (words["nav"], words["hall.title"])
    assert "So far; not every table is done" in printed


def test_the_result_is_exported_as_csv_and_json(pages: Pages) -> None:
    """The same people in both; a name is no formula in a spreadsheet."""
    sheet = list(csv.DictReader(io.StringIO(pages.get("/api/hall/results.csv").text)))
    document = pages.get("/api/hall/results.json").json()

    assert [str(p["total"]) for p in document["people"]] == [row["total"] for row in sheet]
    assert "'=Bob()" in [row["name"] for row in sheet]
    assert ["table-2", "table-1"] == [t["table"] for t in document["tables"]]


@pytest.mark.parametrize("token", [None, "", "wrong", TOKEN + " ", "correct horse"])
def test_nothing_can_be_asked_without_the_token(pages: Pages, token: str | None) -> None:
    """And nothing was said to any table."""
    answer = pages.ask({"type": "finish-round"}, token)

    assert (401, "token") == (answer.status_code, answer.json()["error"]["code"])
    assert 1 == pages.client.xlen(keys.orders("rally"))


def test_the_organiser_chooses_among_the_rules_there_are(pages: Pages) -> None:
    """No rule has to be known by its name."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    asked = pages._browser_at("127.0.0.1").post("/api/hall/token", json={}, headers=headers)
    rules = pages._loop.run_until_complete(asked).json()["rules"]

    assert {"rules": "mexican-train/rally", "title": "Mexican Train: rally", "sets": [12]} in rules
    assert [each.full_name for game in GAMES.games.values() for each in game.profiles] == [
        each["rules"] for each in rules
    ]


def test_guessing_the_token_is_slow_for_who_guesses(pages: Pages) -> None:
    """After a few wrong ones an address has to wait; the right one always works."""
    answers = [pages.ask({"type": "finish-round"}, "guess") for _ in range(WRONG_TOKENS + 1)]

    assert [*[401] * WRONG_TOKENS, 429] == [answer.status_code for answer in answers]
    assert "60" == answers[-1].headers["retry-after"]
    assert 401 == pages.ask({"type": "finish-round"}, "guess", "10.0.0.7").status_code
    assert 200 == pages.ask({"type": "finish-round"}).status_code


def test_what_the_organiser_asks_reaches_the_tables(pages: Pages) -> None:
    """Over the same page."""
    assert 200 == pages.ask({"type": "announce", "text": "Tea!"}).status_code
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
        ({"type": "free", "table": "table-99"}, 409, "no table called table-99"),
        ([1], 422, "one JSON object"),
    ],
)
def test_what_cannot_be_done_is_said(pages: Pages, body: Any, status: int, said: str) -> None:
    """In one shape, and no table hears of it."""
    answer = pages.ask(body)

    assert status == answer.status_code
    assert said in answer.json()["error"]["message"]
    assert 1 == pages.client.xlen(keys.orders("rally"))


def test_two_hubs_of_one_name_are_shown_in_the_hall(pages: Pages, tmp_path: Any) -> None:
    """The organiser sees it before the players argue."""
    second = HallTable(tmp_path / "other", pages.client, "table-1", pages.clock)
    second.open("Zoe", "Yan")
    with pytest.raises(Exception, match="another hub"):
        second.send()
    pages.follower.look_around()
    row = pages.get("/api/hall").json()["tables"][0]

    assert ["Two hubs call themselves by this name; the second was refused."] == said(row)
    second.close()


def test_every_page_and_file_is_there(pages: Pages) -> None:
    """And a path that leads out of the folder is not."""
    for path in ("/", "/desk", "/results", "/static/hall.css", "/static/hall.js"):
        assert 200 == pages.get(path).status_code, path
    for path in ("/static/../pages.py", "/static/hall.html", "/nothing"):
        assert 404 == pages.get(path).status_code, path


def test_a_stranger_cannot_reach_the_hall_through_somebodys_browser(pages: Pages) -> None:
    """Names of strangers and posts from other pages are refused."""
    elsewhere = {"Authorization": f"Bearer {TOKEN}", "Origin": "http://evil.example"}
    work = pages._browser.post("/api/hall/orders", json={"type": "finish-round"}, headers=elsewhere)
    assert 403 == pages._loop.run_until_complete(work).status_code
    work = pages._browser.get("/api/hall", headers={"Host": "evil.example"})
    assert 421 == pages._loop.run_until_complete(work).status_code


# One table must not blind the others

GARBAGE = b"\xff\xfe no journal"
NESTED = b"[" * 9_999


def _instead(kind: str) -> Callable[[Any], object]:
    """Something else under the name of a stream."""

    def damage(client: Any) -> object:
        client.delete("table:table-1")
        return (
            client.set("table:table-1", "x")
            if kind == "text"
            else client.hset("table:table-1", "x", "y")
        )

    return damage


def _sent(*bodies: bytes) -> Callable[[Any], object]:
    """Events that no table would have made."""

    def damage(client: Any) -> object:
        ((last, fields),) = client.xrevrange("table:table-1", count=1)
        entry = json.loads(fields[b"e"])
        entry["event"] = "EVENT"
        packed = json.dumps(entry).encode()
        for seq, body in enumerate(bodies, start=int(last.split(b"-")[0]) + 1):
            fields = {"e": packed.replace(b'"EVENT"', body)}
            client.xadd("table:table-1", fields, id=f"{seq}-0")

    return damage


DAMAGE: dict[str, Callable[[Any], object]] = {
    "a text for a stream": _instead("text"),
    "a hash for a stream": _instead("hash"),
    "a text for an archive": lambda c: c.set("{table:table-1}:archive", "x"),
    "an archive of nonsense": lambda c: c.hset("{table:table-1}:archive", "1-3", GARBAGE),
    "a hole": lambda c: c.xdel("table:table-1", "3-0"),
    "scores beyond counting": _sent(
        b'{"type":"score-entered","round":1,"seat":1,"entry":{"pips":99999999999999999999}}'
    ),
    "a name without end": _sent(b'{"type":"renamed","seat":1,"name":"%b"}' % (b"x" * 9_999)),
    "a name that is no text": _sent(b'{"type":"renamed","seat":1,"name":"\xff"}'),
    "brackets without end": _sent(NESTED),
    "seats without end": _sent(
        *(b'{"type":"seat-taken","seat":%d,"name":"x"}' % seat for seat in range(20, 320))
    ),
    "an event that is none": _sent(b'{"type":"score-entered","round":99,"seat":1}'),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_one_bad_table_is_named_at_the_desk_and_repaired_there(
    pages: Pages, damage: Callable[[Any], object]
) -> None:
    """The others are followed on, by a hall that runs and by one that has just come."""
    damage(pages.client)
    newcomer = follower(pages.client, "hall-b", pages.clock)
    for hall in (pages.follower, newcomer):
        pages.clock.move(30.0)
        pages.tables[1].press(2)
        pages.tables[1].send()
        hall.everything()
        assert pages.tables[1].hub.seq == hall.overview.lines["table-2"].seq
    pages.clock.move(11.0)
    pages.follower.everything()

    shown = {t["table"]: said(t) for t in pages.get("/api/hall").json()["tables"]}
    assert [] == shown["table-2"]
    assert shown["table-1"][:-1], "silence alone is no name for it"
    assert "It has not been heard from for a while." == shown["table-1"][-1]
    assert 200 == pages.get("/results").status_code

    assert 200 == pages.ask({"type": "free", "table": "table-1"}).status_code
    pages.settle()
    pages.tables[0].connect(pages.client)
    pages.tables[0].send()
    for _ in range(2):
        pages.clock.move(11.0)
        pages.settle()
    shown = {t["table"]: t["flags"] for t in pages.get("/api/hall").json()["tables"]}
    assert {"table-1": [], "table-2": []} == shown


SIGNS = (
    b"",
    GARBAGE,
    b'{"journal":"x","hall":"rally","at":1e308}',
    b'{"journal":"x","hall":"rally","at":1,"offset":-1e300}',
    b'{"journal":"x","hall":"rally","at":1,"seq":99999999999999999999}',
    b'{"journal":"x","hall":"rally","at":1,"note":"%b"}' % (b"x" * 10_000),
    b'{"journal":"x","hall":"rally","at":1,"release":7}',
    b'{"journal":"x","hall":"rally","at":1,"release":"\xff"}',
    b'{"journal":"x","hall":"rally","at":1,"later":%b' % NESTED,
)
NO_NAMES = (b"", GARBAGE, b"9" * 5_000, b"<script>", b"table 7", "Tisch-ß".encode(), b"a\nb")


def test_a_sign_of_life_that_makes_no_sense_is_none(pages: Pages) -> None:
    """Nor is something else in its place."""
    puts = [lambda key, sign=sign: pages.client.set(key, sign) for sign in SIGNS]
    for put in (*puts, lambda key: pages.client.sadd(key, "x")):
        for key in ("{table:table-1}:alive", "{table:table-1}:clash"):
            pages.client.delete(key)
            put(key)
        pages.follower.everything()
        answer = pages.get("/api/hall")

        assert 200 == answer.status_code
        assert len(answer.content) < 9_000


def test_what_is_no_name_of_a_table_is_told_and_taken_out(pages: Pages) -> None:
    """Whoever wrote it into the list."""
    for name in NO_NAMES:
        pages.client.sadd(keys.roster("rally"), name)
        pages.follower.everything()
        wrong, *tables = pages.get("/api/hall").json()["tables"]

        assert ["This is no name of a table. Free it at the desk."] == said(wrong)
        assert len(wrong["table"]) < 60
        assert ["table-1", "table-2"] == [t["table"] for t in tables]
        assert 200 == pages.ask({"type": "free", "table": wrong["table"]}).status_code
        pages.follower.everything()
        assert {b"table-1", b"table-2"} == pages.client.smembers(keys.roster("rally"))
