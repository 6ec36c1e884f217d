"""Properties of every page: small, readable, accessible, on every screen, in every language."""

from collections.abc import Iterator
from typing import Any

import pytest

from centerpiece.locale.catalogue import CATALOGUES
from tests.web.browsers import (
    CUT,
    ELSEWHERE,
    KEEPS_SCORE,
    LAPTOP,
    LARGE,
    PHONE,
    SMALL,
    TELEVISION,
    Running,
    play,
    prefer,
    problems,
    too_wide,
    total,
)
from tests.web.conftest import Open, served_here

pytestmark = pytest.mark.real_time("browsers and hubs in processes of their own")

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
expect = playwright.expect

PAGES = (
    "/",
    "/#scores",
    "/#more",
    "/board",
    "/hub",
    "/table",
    "/history",
    "/season",
    "/rules",
    "/settings",
)


def test_a_page_that_nothing_happens_on_stays_connected(browser: Any, open_rig: Open) -> None:
    """For two minutes of the page's clock only heartbeats come: one connection, no banner."""
    rig = open_rig()
    with served_here(rig) as address:
        page = browser.new_page()
        page.clock.install()
        opened: list[str] = []
        page.on("request", lambda request: opened.append(request.url))
        page.add_init_script(
            """const Real = EventSource; let beats = 0;
            window.EventSource = class extends Real { constructor(...about) { super(...about);
              this.addEventListener("heartbeat", () => document.body.dataset.beats = ++beats);
            } };"""
        )
        page.goto(address)
        expect(page.locator("h1")).to_have_text("Before the game")
        for beat in range(8):
            page.clock.run_for(15_000)
            rig.loop.call_soon_threadsafe(rig.app.state.site.events.beat)
            expect(page.locator("body")).to_have_attribute("data-beats", str(beat + 1))

        assert 1 == len([url for url in opened if "/api/events?" in url])
        expect(page.locator(".banner")).to_have_count(0)
        page.close()


def test_the_page_speaks_spanish_and_writes_large(running: Running, windows: Any) -> None:
    """For one screen or for all, including the hub's own sentences."""
    play(running, 0)
    everyone, one = windows(), windows("/settings")
    one.locator("select[data-name=language]").first.select_option(label="Español")
    expect(one.get_by_role("heading", name="Ajustes")).to_be_visible()
    one.goto(running.address)
    expect(one.locator("h1")).to_have_text("Ronda 1 de 13")
    expect(one.locator(".notice")).to_contain_text("Ronda 1: el doble 12. Empieza Ann.")
    expect(everyone.locator("h1")).to_have_text("Round 1 of 13")

    running.ask("PUT", "/api/settings", {"language": "es", "large_text": True})
    expect(everyone.locator("h1")).to_have_text("Ronda 1 de 13")
    assert everyone.evaluate("document.documentElement.hasAttribute('data-large')")


def test_the_page_opens_offline_as_it_was_last_seen(running: Running, windows: Any) -> None:
    """From the home screen, without a network, it shows the standings and their age; the card of
    each rule book is its own.
    """
    play(running, 1)
    page = windows()
    expect(page.locator("h1")).to_have_text("Round 2 of 13")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    score = total(page, 2).inner_text()
    page.reload()  # the service worker is in charge from now on
    fetched = """(rules) => fetch(`/api/rulecard?rules=${rules}`)
        .then((answer) => answer.json()).then((card) => card.game).catch(() => "none")"""
    read = ("mexican-train/classic", "muggins/classic")
    assert ["mexican-train", "muggins"] == [page.evaluate(fetched, each) for each in read]
    running.kill()

    page.goto(running.address)

    expect(page.locator(".banner")).to_contain_text("Not connected")
    expect(page.locator("h1")).to_have_text("Round 2 of 13")
    assert score == total(page, 2).inner_text()
    unread = (*read, "chickenfoot/classic")
    cards = [page.evaluate(fetched, each) for each in unread]
    assert ["mexican-train", "muggins", "none"] == cards
    running.start()


def test_an_order_whose_answer_is_lost_is_sent_again_and_done_once(
    running: Running, windows: Any
) -> None:
    """With the same key; the page gets the answer of the first one."""
    page = windows()
    keys = []

    def lose_the_first(route: Any) -> None:
        keys.append(route.request.headers["idempotency-key"])
        route.fetch()
        (route.abort if len(keys) == 1 else route.continue_)()

    page.route("**/api/commands", lose_the_first)
    answer = page.evaluate("""import("/static/live.js").then(
        ({ send }) => send({ type: "toggle-seat", seat: 1, name: "Ann" }))""")

    assert {"seq": 1} == answer
    assert keys[0] == keys[1]
    assert ["Ann"] == [seat["name"] for seat in running.state()["seats"]]


def test_scores_are_readable_before_any_script_runs(running: Running, windows: Any) -> None:
    """Old phones may not run the scripts."""
    play(running, 1)
    page = windows(java_script_enabled=False)
    expect(page.locator("table.plain")).to_contain_text("Cara")


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A game in progress that tests only look at."""
    service = Running(tmp_path_factory.mktemp("shown"))
    play(service, 3)
    service.send("toggle-marker", seat=2)
    service.send("toggle-double", where=3)
    service.send("call-last-tile", seat=1)
    yield service
    service.stop()


def ready(page: Any) -> None:
    expect(page.locator("h1")).to_be_visible()
    expect(page.locator("main section, main .block").locator("visible=true").first).to_be_visible()
    for closed in page.locator("#topics:not([open]) > summary").all():
        closed.click()


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_accessible_and_fits_every_screen(
    browser: Any, shown: Running, path: str
) -> None:
    """WCAG 2.2 AA as far as axe finds it, in English by day and in every other language by night.

    No sideways scrolling from 320 px to 1920 px, with text at 200 % and large text as well, and no
    word is cut off on a phone.
    """
    page = browser.new_page(viewport=PHONE, color_scheme="light")
    page.add_init_script(KEEPS_SCORE)
    page.goto(shown.address + path)
    ready(page)
    assert [] == problems(page)
    for text in ("100%", "200%"):
        page.evaluate("(size) => { document.documentElement.style.fontSize = size }", text)
        for size in (SMALL, PHONE, TELEVISION):
            page.set_viewport_size(size)
            assert 0 == too_wide(page), (text, size)
        page.set_viewport_size(SMALL)
        assert text == "200%" or [] == page.evaluate(CUT)
    page.emulate_media(color_scheme="dark")
    for language in sorted(set(CATALOGUES.headers) - {"en"}):
        page.set_viewport_size(LARGE)
        prefer(page, language=language, large_text=True)
        ready(page)
        expect(page.locator("html")).to_have_attribute("lang", language)
        assert [] == problems(page), language
        for size in (SMALL, LARGE, TELEVISION):
            page.set_viewport_size(size)
            assert 0 == too_wide(page), (language, size)
            assert size == TELEVISION or [] == page.evaluate(CUT), (language, size)
    page.close()


LONG_NAMES = ("Annemarie", "Wilhelmina", "Friederike", "Maximilian", "Hannelore", "Josephine")
TABLETS = ({"width": 800, "height": 480}, {"width": 1024, "height": 768})


@pytest.mark.parametrize(
    ("path", "size"),
    [
        *(("/", size) for size in (SMALL, PHONE)),
        *(("/table", size) for size in TABLETS),
        ("/hub", LAPTOP),
        ("/board", TELEVISION),
    ],
)
def test_long_names_are_read_whole(
    running: Running, windows: Any, path: str, size: dict[str, int]
) -> None:
    """Before, in and after a game, and the words on buttons too."""
    page = windows(path, size)
    shows = expect(page.locator("#app"))
    for name in LONG_NAMES:
        running.send("join", name=name)
    shows.to_contain_text(LONG_NAMES[-1])
    assert [] == page.evaluate(CUT)
    running.send("start", starter=1)
    shows.to_contain_text("Round 1")
    assert [] == page.evaluate(CUT)
    running.send("go-out", seat=1)
    running.send("count-rest")
    for _ in range(2):
        running.send("next-round")
        running.send("go-out", seat=1)
        for seat in range(2, 7):
            running.send("enter-score", seat=seat, pips=10 * seat)
    running.send("finish-game")
    shows.to_contain_text("Annemarie has won")
    expect(page.locator(".step-2" if path != "/hub" else "#said")).to_be_visible()
    assert [] == page.evaluate(CUT)


@pytest.mark.long
@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("language", CATALOGUES.headers)
def test_every_page_is_accessible_by_day_and_by_night(
    browser: Any, shown: Running, path: str, language: str
) -> None:
    """Every size in every language."""
    page = browser.new_page(viewport=PHONE)
    page.add_init_script(KEEPS_SCORE)
    page.goto(shown.address + path)
    prefer(page, language=language, large_text=language != "en")
    ready(page)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for size in (SMALL, PHONE, TELEVISION):
            page.set_viewport_size(size)
            assert [] == problems(page), (scheme, size)
    page.close()


@pytest.mark.parametrize(
    ("language", "by_axe"),
    [
        ("en", True),
        *((other, False) for other in sorted(set(CATALOGUES.headers) - {"en"})),
        *(
            pytest.param(other, True, marks=pytest.mark.long)
            for other in sorted(set(CATALOGUES.headers) - {"en"})
        ),
    ],
)
def test_the_dialogs_are_accessible_too(
    running: Running, windows: Any, language: str, by_axe: bool
) -> None:
    """Keypad, menus, questions and set-up, in every language none too wide with large text on a
    small phone; opened and closed by keyboard alone.
    """
    page = windows("/", LARGE)
    prefer(page, language=language, large_text=language != "en")
    page.locator("#house-rules summary").first.click()
    expect(page.locator("#rule-double_blank-field")).to_be_visible()
    wrong: list[Any] = []

    def look() -> None:
        if by_axe:
            wrong.extend(problems(page))
        assert 0 == too_wide(page)

    def open_dialog(selector: str) -> None:
        page.locator(selector).first.focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog")).to_be_visible()
        look()

    def closed() -> None:
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)

    look()
    running.send("open-table", rules="mexican-train/family", players=["Ann", "Bob", "Cara", "Dan"])
    open_dialog(".deeds [data-do=starter]")
    closed()
    running.send("designate-starter", seat=1)
    for selector in (".head [data-do=seat]", "[data-do=menu]", ".deeds [data-do=out]"):
        open_dialog(selector)
        closed()
    open_dialog(".head [data-do=seat]")
    page.locator("dialog [data-do=penalty]").click()
    look()
    closed()
    running.send("go-out", seat=1)
    open_dialog(".deeds [data-do=score]")
    expect(page.locator("#keypad")).to_contain_text("(+50)")
    page.keyboard.type("12")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#keypad h2")).to_contain_text("Bob")
    page.locator("#keypad input[value=tiles]").check(force=True)
    page.locator("[data-half='3']").click()
    look()
    for options in ({"extra_http_headers": ELSEWHERE}, {"asked": True}):
        page = windows("/", LARGE, **options)
        prefer(page, language=language, large_text=language != "en", seat={}, host=False)
        if "asked" in options:
            expect(page.locator("#my-name")).to_be_visible()
            look()
        else:
            open_dialog("[data-do=pair]")

    assert [] == wrong


@pytest.mark.parametrize("rounds", [None, 1])
def test_the_first_page_is_light(browser: Any, running: Running, rounds: int | None) -> None:
    """At most 40 kB are transferred until it is usable, texts included."""
    if rounds is not None:
        play(running, rounds)
    page = browser.new_context(service_workers="block").new_page()
    page.add_init_script(KEEPS_SCORE)
    sent: dict[str, int] = {}
    page.on(
        "requestfinished",
        lambda request: sent.update({request.url: request.sizes()["responseBodySize"]}),
    )
    page.goto(running.address)
    expect(page.locator(".games" if rounds is None else "#seat-1")).to_be_visible()
    page.wait_for_load_state("load")
    page.context.close()

    assert 20_000 < sum(size for url, size in sent.items() if "/api/events" not in url) <= 40_000
