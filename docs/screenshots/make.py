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

from playwright.sync_api import sync_playwright  # noqa: E402

from tests.web.browsers import ARGUMENTS, CHROMIUM, Running, play  # noqa: E402

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 900}
TELEVISION = {"width": 1920, "height": 1080}
NAMES = ("Ann", "Bob", "Cara", "José")


def main() -> None:
    """Play some rounds, and take a picture of each page on the way."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        running = Running(Path(folder), port=8080)
        browser = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        try:
            take(running, browser)
        finally:
            browser.close()
            running.stop()


def take(running: Running, browser: Any) -> None:
    def picture(
        name: str, path: str, size: dict[str, int], scheme: str, ready: str, *clicks: str
    ) -> None:
        page = browser.new_page(viewport=size, color_scheme=scheme)
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
    running.send("start")
    running.send("toggle-marker", seat=2)
    running.send("call-last-tile", seat=4)
    picture("hub", "/hub", DESK, "dark", "#pixels .lamp[fill]")
    picture("phone", "/", PHONE, "light", "#seat-4")
    picture("phone-dark", "/", PHONE, "dark", "#seat-4")
    running.send("finish-game")
    play(running, 4, NAMES)
    running.send("toggle-marker", seat=2)
    running.send("toggle-double", where=3)
    picture("board", "/board", TELEVISION, "dark", ".chart")
    running.send("go-out", seat=1)
    running.send("enter-score", seat=2, pips=31)
    picture(
        "keypad",
        "/",
        PHONE,
        "light",
        "[data-do=score]",
        "[data-do=score]",
        "[data-digit='4']",
        "[data-digit='7']",
    )
    running.send("finish-game")
    picture("history", "/history", PHONE, "light", "[data-do=open]", "[data-do=open]")
    picture("rules", "/rules", PHONE, "light", ".rules-list")
    picture("settings", "/settings", PHONE, "light", "#pairing")


if __name__ == "__main__":
    main()
