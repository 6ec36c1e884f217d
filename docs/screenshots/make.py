"""Makes the pictures of the pages, from the running service in a real browser.

    python docs/screenshots/make.py

Needs the package `chromium` and what the tests need. The same evening is played every time.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

import fakeredis  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

from centerpiece.hall.server.desk_requests import ClockRequest  # noqa: E402
from tests.hall.server.test_pages import TOKEN, Pages  # noqa: E402
from tests.hall.server.test_wall import crowd, served  # noqa: E402
from tests.web.browsers import ARGUMENTS, CHROMIUM, KEEPS_SCORE, Running, play  # noqa: E402

PHONE = {"width": 390, "height": 844}
TABLET = {"width": 1024, "height": 768}
DESK = {"width": 1280, "height": 800}
TELEVISION = {"width": 1920, "height": 1080}
NAMES = ("Ann", "Bob", "Cara", "José")


def main() -> None:
    """Play some rounds, and take a picture of each page on the way."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        running = Running(Path(folder), port=8080)
        browser = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        try:
            take(running, browser)
            take_hall(Path(folder), browser)
        finally:
            browser.close()
            running.stop()


def take(running: Running, browser: Any) -> None:
    def picture(
        name: str, path: str, size: dict[str, int], scheme: str, ready: str, *clicks: str
    ) -> None:
        page = browser.new_page(viewport=size, color_scheme=scheme, reduced_motion="reduce")
        if ready != ".whoami":
            page.add_init_script(KEEPS_SCORE)
        page.goto(running.address + path)
        page.wait_for_selector(ready)
        for click in clicks:
            page.click(click)
        page.wait_for_load_state("networkidle") if path in ("/history", "/rules") else None
        page.evaluate("document.fonts.ready.then(() => new Promise(requestAnimationFrame))")
        page.screenshot(path=HERE / f"{name}.png")
        page.close()
        print(f"{name}.png")

    for name in NAMES:
        running.send("join", name=name)
    picture("setup", "/", PHONE, "light", ".forecast")
    running.send("start", starter=1)
    running.send("toggle-marker", seat=2)
    running.send("call-last-tile", seat=4)
    picture("hub", "/hub", DESK, "dark", "#pixels .lamp[fill]")
    picture("table", "/table", TABLET, "dark", ".place")
    running.send("finish-game")
    running.send("open-lobby")
    play(running, 4, NAMES)
    running.send("toggle-marker", seat=2)
    picture("phone", "/", PHONE, "light", ".whoami", "[data-do=mine][data-seat='2']")
    picture("phone-dark", "/", PHONE, "dark", "#seat-4")
    picture("scores", "/#scores", PHONE, "light", ".chart")
    picture("board", "/board", TELEVISION, "dark", ".chart")
    running.send("go-out", seat=1)
    running.send("enter-score", seat=2, pips=31)
    score = ("[data-do=score]:not([data-seat])", "[data-digit='4']", "[data-digit='7']")
    picture("keypad", "/", PHONE, "light", score[0], *score)
    halves = ("[data-half='3']", "[data-half='5']", "[data-half='9']")
    picture("tiles", "/", PHONE, "light", score[0], score[0], ".way:has([value=tiles])", *halves)
    running.send("finish-game")
    picture("podium", "/board", TELEVISION, "dark", ".awards li")
    picture("history", "/history", PHONE, "light", "[data-do=open]", "[data-do=open]")
    picture("rules", "/rules", PHONE, "light", ".rules-list")
    picture("settings", "/settings", PHONE, "light", "#pairing")


def take_hall(folder: Path, browser: Any) -> None:
    """A rally of thirty tables: on the wall, and at the organiser's desk."""
    pages = Pages(folder, fakeredis.FakeRedis(protocol=2), "The spring rally")
    crowd(pages, 30, first=1)
    pages.desk.do(ClockRequest(50))
    with served(pages) as address:
        page = browser.new_page(viewport=TELEVISION, color_scheme="dark")
        page.goto(address)
        page.wait_for_selector(".table:nth-child(30)")
        page.screenshot(path=HERE / "hall.png")
        page.set_viewport_size(DESK)
        page.emulate_media(color_scheme="light")
        page.goto(f"{address}/desk")
        page.fill("[name=token]", TOKEN)
        page.click("#enter button")
        page.wait_for_selector("[data-ask=card]")
        page.screenshot(path=HERE / "desk.png")
        page.close()
    pages.close()


if __name__ == "__main__":
    main()
