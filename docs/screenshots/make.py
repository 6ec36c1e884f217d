"""Makes the pictures of the pages, and the app's icons, from the running service in a real browser.

    python docs/screenshots/make.py

Needs the package `chromium` and what the tests need. The same evening is played every time.
"""

import sys
import tempfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from PIL import Image  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

from centerpiece.web.static_files import STATIC  # noqa: E402
from tests.photo.photographs import photograph  # noqa: E402
from tests.web.browsers import ARGUMENTS, CHROMIUM, KEEPS_SCORE, Running, play  # noqa: E402

PHONE = {"width": 390, "height": 844}
TABLET = {"width": 1024, "height": 768}
DESK = {"width": 1280, "height": 800}
TELEVISION = {"width": 1920, "height": 1080}
NAMES = ("Ann", "Bob", "Cara", "José")
ICONS = (192, 512)
GROUND = "#2a1c12"


def main() -> None:
    """Play some rounds, and take a picture of each page on the way."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        running = Running(Path(folder), port=8080)
        browser = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        try:
            draw_icons(browser)
            take(running, browser, Path(folder))
        finally:
            browser.close()
            running.stop()


def draw_icons(browser: Any) -> None:
    """Draw the icons that phones cut to their own shape: the hub on a ground of one colour."""
    for side in ICONS:
        page = browser.new_page(viewport={"width": side, "height": side})
        page.set_content(f"<body style='margin:0;background:{GROUND}'>")
        page.locator("body").evaluate("(body, drawing) => { body.innerHTML = drawing; }", DRAWING)
        drawn = Image.open(BytesIO(page.screenshot()))
        drawn.convert("RGB").quantize(96).save(STATIC / f"icon-{side}.png", optimize=True)
        page.close()


DRAWING = (
    (STATIC / "icon.svg").read_text("utf-8").replace("viewBox=", "style='padding:6%' viewBox=")
)


def take(running: Running, browser: Any, folder: Path) -> None:
    def picture(
        name: str,
        path: str,
        size: dict[str, int],
        scheme: str,
        ready: str,
        act: Callable[[Any], None] = lambda page: None,
    ) -> None:
        page = browser.new_page(viewport=size, color_scheme=scheme, reduced_motion="reduce")
        if ready != ".whoami":
            page.add_init_script(KEEPS_SCORE)
        page.goto(running.address + path)
        page.wait_for_selector(ready)
        act(page)
        page.evaluate("document.fonts.ready.then(() => new Promise(requestAnimationFrame))")
        page.screenshot(path=HERE / f"{name}.png")
        page.close()

    def claim(page: Any) -> None:
        page.click("[data-do=mine][data-seat='2']")
        page.wait_for_selector("#seat-4")

    def dial(page: Any) -> None:
        for digit in "47":
            page.click(f".digits [data-button=seat-{digit}]", delay=60)
        page.locator("output", has_text="47").wait_for()

    def count(page: Any) -> None:
        photograph(2, 9, "easy", 5, width=1000).image.save(folder / "hand.jpg")
        page.click("[data-do=score]:not([data-seat])")
        page.set_input_files("#keypad input[type=file]", folder / "hand.jpg")
        page.wait_for_selector(".outlines polygon", timeout=120_000)

    play(running, 4, NAMES)
    running.send("toggle-marker", seat=2)
    running.send("call-last-tile", seat=4)
    running.send("toggle-double", where=3)
    picture(
        "hub", "/hub", DESK, "dark", "#pixels .lamp[fill]", lambda page: page.wait_for_timeout(500)
    )
    picture("phone", "/", PHONE, "light", ".whoami", claim)
    running.send("go-out", seat=3)
    picture("table", "/table", TABLET, "dark", ".counting", dial)
    running.send("finish-game")
    running.send("open-lobby")
    play(running, 6, (*NAMES, "Eva", "Max"))
    running.send("call-last-tile", seat=3)
    running.send("finish-game")
    picture("podium", "/board", TELEVISION, "dark", ".awards li")
    running.send("open-lobby")
    running.send("open-table", rules="mexican-train/classic", set=9, players=NAMES, starter=1)
    running.send("go-out", seat=1)
    picture("photo", "/", PHONE, "light", "[data-do=score]", count)


if __name__ == "__main__":
    main()
