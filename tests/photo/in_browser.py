"""Time and memory of counting one photo of 12 megapixels in Chromium, as a phone would do it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import NamedTuple

from tests.photo.photographs import photograph
from tests.web.browsers import ARGUMENTS, CHROMIUM, Running

TWELVE = (4000, 3000)
TIMES = 5


class InBrowser(NamedTuple):
    """The middle of some times, from choosing the file to the sum on the page."""

    seconds: float
    every: list[float]
    load: float
    bytes_used: int

    def words(self) -> str:
        times = ", ".join(f"{seconds:.1f}" for seconds in self.every)
        return (
            f"A photo of 12 megapixels with seven tiles, from choosing the file to the sum: "
            f"{self.seconds:.1f} s (of {times} s, load {self.load:.1f}).\n"
            f"The page's scripts hold {self.bytes_used / 1e6:.0f} MB after it; "
            "the picture that is looked at has at most 1600 pixels a side, whatever the file has."
        )


def timed() -> InBrowser:
    """Count the same photo some times."""
    from playwright.sync_api import sync_playwright

    photo = photograph(3, 9, "fair", 7)
    if photo.image.width < photo.image.height:
        photo.image = photo.image.rotate(90, expand=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        picture = Path(folder, "hand.jpg")
        photo.image.resize(TWELVE).save(picture, quality=90)
        running = Running(Path(folder))
        browser = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        try:
            names = ["Ann", "Bob", "Cy"]
            running.send(
                "open-table", rules="mexican-train/classic", set=9, players=names, starter=1
            )
            running.send("go-out", seat=1)
            page = browser.new_page()
            page.set_default_timeout(120_000)
            page.goto(running.address)
            page.get_by_role("button", name="Enter scores").click()
            every = []
            for _ in range(TIMES):
                page.locator("#keypad input[type=file]").set_input_files(picture)
                began = page.evaluate("performance.now()")
                page.locator("#photo .display").wait_for()  # looks at every frame
                every.append((page.evaluate("performance.now()") - began) / 1000)
                page.locator("#photo [data-do=close]").click()
            used = page.evaluate("performance.memory.usedJSHeapSize")
        finally:
            browser.close()
            running.stop()
    return InBrowser(sorted(every)[TIMES // 2], every, os.getloadavg()[0], used)
