"""Time and memory of counting one photo of 12 megapixels in Chromium, as a phone would do it."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from tests.photo.photographs import photograph
from tests.web.browsers import ARGUMENTS, CHROMIUM, KEEPS_SCORE, Running

TWELVE = (4000, 3000)
TIMES = 5
TAKING = 3
"""Seconds to take a picture, in which the page loads what it needs."""


class InBrowser(NamedTuple):
    """Return the median time from choosing the file to the sum on the page."""

    seconds: float
    every: list[float]
    load: float
    before: int
    most: int

    def words(self) -> str:
        times = ", ".join(f"{seconds:.1f}" for seconds in self.every)
        return (
            f"A photo of 12 megapixels with seven tiles, from choosing the file to the sum: "
            f"{self.seconds:.1f} s, the middle of {times} s (load {self.load:.1f}); "
            "the first one starts the workers.\n"
            f"The page's process, its workers included, held {self.before} MB before the first of "
            f"them and never more than {self.most} MB; the picture that is looked at has at most "
            "1600 pixels a side, whatever the file has."
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
            page.add_init_script(KEEPS_SCORE)
            page.goto(running.address)
            page.get_by_role("button", name="Enter scores").click()
            before = megabytes("VmRSS")
            every = []
            for _ in range(TIMES):
                with page.expect_file_chooser() as chooser:
                    page.locator("#keypad label:has(input[type=file])").click()
                page.wait_for_timeout(TAKING * 1000)
                chooser.value.set_files(picture)
                began = page.evaluate("performance.now()")
                page.locator("#photo .display").wait_for()  # looks at every frame
                every.append((page.evaluate("performance.now()") - began) / 1000)
                page.locator("#photo [data-do=close]").click()
            most = megabytes("VmHWM")
        finally:
            browser.close()
            running.stop()
    return InBrowser(sorted(every)[TIMES // 2], every, os.getloadavg()[0], before, most)


def megabytes(what: str) -> int:
    """A line of what the kernel says of the largest process that shows a page here."""
    sizes = [0]
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if b"--type=renderer" in (process / "cmdline").read_bytes():
                said = dict(line.split(":", 1) for line in (process / "status").open())
                sizes.append(int(said.get(what, "0 kB").split()[0]) // 1024)
    return max(sizes)
