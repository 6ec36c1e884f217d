"""The hall's pages in a real browser: the wall and the desk."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import fakeredis
import msgspec
import pytest

from centerpiece.hall.server.desk_requests import REQUESTS, ClockRequest
from centerpiece.hall.wire import hall_keys, hall_orders
from centerpiece.hall.wire.table_line import GameResult, SeatedPlayer, TableLine
from centerpiece.locale.catalogue import CATALOGUES
from centerpiece.table import commands as c
from tests.hall.server.test_pages import TOKEN, Pages
from tests.patience import TIMEOUT_S
from tests.web.browsers import CUT, SMALLEST, problems, served_on, too_wide

pytestmark = pytest.mark.real_time("a real Redis, and threads that wait for it")

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = playwright.expect

WALL = {"width": 1920, "height": 1080}
SMALL = {"width": 320, "height": 640}


@pytest.fixture
def pages(tmp_path: Path) -> Iterator[Pages]:
    pages = Pages(tmp_path, fakeredis.FakeRedis(protocol=2))
    yield pages
    pages.close()


def served(pages: Pages) -> AbstractContextManager[str]:
    return served_on(pages._loop, pages._app)


NAMES = ("Ann", "Bob", "Cara", "Dan", "Friederike", "Gus", "Hannah", "José", "Lena", "Max", "Zoe")


def crowd(pages: Pages, tables: int, first: int = 3) -> None:
    """Fill the hall with tables of six people."""
    for number in range(first, tables + 1):
        names = [f"{NAMES[(5 * number + n) % 11]} {chr(65 + number % 26)}." for n in range(6)]
        totals = [(13 * number + 7 * n) % 60 for n in range(6)]
        people = tuple(SeatedPlayer(n + 1, names[n], totals[n], n + 1) for n in range(6))
        played = GameResult(pages.clock.at(), "mexican-train/rally", "lowest", 1, False, people)
        phase = "playing" if number % 7 else "scoring"
        name, far = f"table-{number}", {"phase": phase, "round": 2, "rounds": 10}
        line = TableLine(name, seq=9, at=pages.clock.at(), games=(played,), **far)
        pages.hall.lines[name] = line


def test_the_wall_is_read_from_ten_metres(browser: Any, pages: Pages) -> None:
    """
    Thirty tables and the leaders, in the browser's language or the chosen one; no letter smaller
    than a twenty-fifth of the screen's height; long lists change pages. A phone can search.
    """
    crowd(pages, 30)
    lines = pages.hall.lines
    lines["table-30"] = msgspec.structs.replace(lines["table-30"], round=11)
    pages.desk.do(ClockRequest(50))
    pages.clock.move(70)
    with served(pages) as address:
        page = browser.new_page(viewport=WALL, locale="es-MX")
        page.set_default_timeout(TIMEOUT_S * 1000)
        page.clock.install()
        page.goto(address)
        expect(page.locator(".people tbody tr")).to_have_count(10)
        expect(page.locator(".table")).to_have_count(30)
        expect(page.locator(".table.is-warn")).to_have_count(30)
        expect(page.locator(".words")).to_contain_text("Mesa 1: Hace rato que no hay noticias")
        expect(page.locator(".table").last).to_contain_text("Desempate")
        assert 0 == page.evaluate("document.documentElement.scrollHeight - innerHeight")
        first = page.locator(".people tbody th").first.inner_text()
        page.clock.run_for(10_000)
        expect(page.locator(".people tbody th").first).not_to_have_text(first)
        page.get_by_role("button", name="Más").click()
        expect(page.get_by_role("searchbox")).to_be_visible()
        assert page.evaluate(SMALLEST) >= 0.04 * WALL["height"]
        assert [] == problems(page)
        page.get_by_label("Idioma").select_option("en")
        expect(page.locator("#tables-title")).to_have_text("Tables: 30 of 30 are playing")
        page.emulate_media(color_scheme="dark")
        assert page.evaluate(SMALLEST) >= 0.04 * WALL["height"]
        assert [] == problems(page)

        page.get_by_label("Language").select_option("es")
        page.set_viewport_size(SMALL)
        page.get_by_role("searchbox").fill("Eve")
        expect(page.locator(".people tbody tr")).to_have_count(1)
        expect(page.locator(".table")).to_have_count(1)
        assert [] == problems(page)
        assert 0 == too_wide(page)
        page.get_by_role("link", name="Resultados").click()
        expect(page.locator("caption").first).to_have_text("Por persona")
        assert [] == problems(page)
        page.close()


@pytest.mark.parametrize(
    ("preferred", "used"),
    [("pt", "pt-BR"), ("pt-BR", "pt-BR"), ("pt-PT", "pt-BR"), ("de-AT", "de"), ("fil-PH", "en")],
)
def test_the_wall_speaks_the_language_nearest_to_the_browsers(
    browser: Any, pages: Pages, preferred: str, used: str
) -> None:
    with served(pages) as address:
        page = browser.new_page(viewport=WALL, locale=preferred)
        page.set_default_timeout(TIMEOUT_S * 1000)
        page.goto(address)
        expect(page.locator("html")).to_have_attribute("lang", used)


def test_three_tables_fill_the_wall(browser: Any, pages: Pages) -> None:
    """With their people, who are counted before the start; an announcement stays for minutes."""
    names = [f"{NAMES[n]} {chr(65 + n)}." for n in range(8)]
    people = tuple(SeatedPlayer(n + 1, name) for n, name in enumerate(names))
    pages.hall.lines.clear()
    for number in (1, 2, 3):
        name = f"table-{number}"
        pages.hall.lines[name] = TableLine(name, at=pages.clock.at(), lobby=people)
    pages.desk.do(hall_orders.Announce("Soup is ready!", ("table-2",)))
    with served(pages) as address:
        page = browser.new_page(viewport=WALL)
        page.set_default_timeout(TIMEOUT_S * 1000)
        page.goto(address)
        expect(page.locator(".table")).to_have_count(3)
        expect(page.locator(".expected")).to_contain_text("24 people at 3 tables")
        expect(page.locator(".words")).to_have_text("Table 2: Soup is ready!")
        grid = page.locator(".grid").bounding_box()
        assert grid["height"] >= 0.65 * WALL["height"]
        for table in page.locator(".table").all():
            box, last = table.bounding_box(), table.locator("li").last.bounding_box()
            assert abs(box["height"] - grid["height"]) <= 1
            assert last["y"] + last["height"] <= box["y"] + box["height"]
        assert page.evaluate(SMALLEST) >= 0.04 * WALL["height"]
        assert [] == problems(page)
        pages.clock.move(301)
        assert page.request.get(f"{address}/api/hall").json()["announced"] is None
        page.close()


@pytest.mark.parametrize("path", ["/", "/results", "/desk"])
def test_the_halls_pages_fit_a_phone_in_every_language(
    browser: Any, pages: Pages, path: str
) -> None:
    """No sideways scrolling, and no word is cut off."""
    crowd(pages, 12)
    with served(pages) as address:
        for language in sorted(CATALOGUES.headers):
            context = browser.new_context(viewport=SMALL, locale=language)
            page = context.new_page()
            page.set_default_timeout(TIMEOUT_S * 1000)
            page.goto(f"{address}{path}?language={language}")
            if path == "/desk":
                page.locator("[name=token]").fill(TOKEN)
                page.locator("form button").click()
                expect(page.locator("[data-ask=card]")).to_be_visible()
            expect(page.locator("table tbody tr, [data-ask]").first).to_be_visible()
            expect(page.locator("html")).to_have_attribute("lang", language)
            assert 0 == too_wide(page), language
            assert [] == page.evaluate(CUT), language
            context.close()


def test_the_desk_offers_choices_and_asks_before_it_concerns_all(
    browser: Any, pages: Pages
) -> None:
    """
    Every request has a form with choices. Those for every table ask for confirmation, and no order
    is given while they can be taken back.
    """
    for table in pages.tables:
        table.do(c.FinishGame())
    pages.settle()

    def given() -> int:
        return int(pages.client.xlen(hall_keys.orders("rally")))

    with served(pages) as address:
        page = browser.new_page(viewport=WALL)
        page.set_default_timeout(TIMEOUT_S * 1000)
        page.clock.install()
        page.goto(f"{address}/desk")
        page.locator("[name=token]").fill(TOKEN)
        page.get_by_role("button", name="Enter").click()
        expect(page.locator("[data-ask=card]")).to_be_visible()
        asks = [form.get_attribute("data-ask") for form in page.locator("[data-ask]").all()]
        assert {str(request.__struct_config__.tag) for request in REQUESTS} == set(asks)
        expect(page.locator("[data-ask=play-off] select").first).to_contain_text("Ann and Eve")

        page.clock.pause_at(page.evaluate("Date.now()") + 60_000)  # seconds pass when told to
        page.locator("[data-ask=finish-round] button").click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("This goes to every table (2)")
        dialog.get_by_role("button", name="No").click()
        expect(dialog).to_be_hidden()
        page.locator("[data-ask=finish-round] button").click()
        dialog.get_by_role("button", name="Yes").click()
        expect(page.locator("#waiting")).to_contain_text("in 10 s")
        page.clock.run_for(8_000)
        page.get_by_role("button", name="Take it back").click()
        expect(page.locator(".said")).to_contain_text("Taken back")
        page.clock.run_for(10_000)
        assert 1 == given()

        page.locator("[data-ask=finish-round] button").click()
        dialog.get_by_role("button", name="Yes").click()
        expect(page.locator("#waiting")).to_be_visible()
        page.clock.run_for(10_000)
        expect(page.locator(".said")).to_have_text("Done: The end.")
        assert 2 == given()

        announce = page.locator("[data-ask=announce]")
        announce.locator("[name=text]").fill("Tea!")
        announce.locator("summary").click()
        announce.get_by_label("2", exact=True).check()
        page.clock.run_for(2_500)  # drawn anew meanwhile; what was chosen stays
        expect(announce.get_by_label("2", exact=True)).to_be_checked()
        announce.get_by_role("button").click()
        expect(page.locator(".said")).to_have_text("Done: Announcement.")
        assert 3 == given()

        page.clock.resume()
        page.locator("[data-ask=card] button").click()
        expect(dialog).to_contain_text("Hand out")
        assert [] == problems(page)
        dialog.get_by_role("button", name="No").click()
        page.get_by_label("Language").select_option("es")
        expect(page.locator("h1")).to_have_text("El puesto del organizador")
        page.locator(".maintenance summary").click()
        page.set_viewport_size(SMALL)
        assert [] == problems(page)
        assert 0 == too_wide(page)
        page.close()
