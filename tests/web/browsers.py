"""A running service and real browsers, for tests, benchmarks and screenshots.

The service is the real one, in a process of its own, on loopback only.
"""

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from centerpiece.web.server import listen, run
from tests.patience import TIMEOUT_S

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser") if (path := shutil.which(name))), None
)
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--autoplay-policy=no-user-gesture-required"]
ELSEWHERE = {"X-Forwarded-For": "192.168.1.20"}
"""Headers that make a browser on this machine a remote one, which has to pair."""


PHONE = {"width": 390, "height": 844}
SMALL = {"width": 320, "height": 640}
LAPTOP = {"width": 1280, "height": 800}
LARGE = {"width": 360, "height": 640}
TELEVISION = {"width": 1920, "height": 1080}


KEEPS_SCORE = """localStorage.getItem("centerpiece.choices")
    ?? localStorage.setItem("centerpiece.choices", '{"host": true}')"""
"""Makes a page the host's, as if it had answered who it is."""

SLOW_HANDS = "hold_ms = 2000\n"
"""Config for slow test machines: a slow tap must not become a hold."""


class Running:
    """`centerpiece run` on a free port. Can be killed, and restarted on the same data."""

    def __init__(self, data: Path, port: int = 0) -> None:
        self._data = data
        with socket.create_server(("127.0.0.1", port)) as free:
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Start, and wait until the pages are served."""
        config = self._data / "hub.toml"
        config.write_text(f"[gestures]\n{SLOW_HANDS}")
        command = [sys.executable, "-m", "centerpiece", "run", "--data", str(self._data)]
        command += ["--config", str(config)]
        self._log = open(self._data / "log.txt", "ab")  # noqa: SIM115
        self._process = subprocess.Popen(
            [*command, "--port", str(self.port)], stdout=subprocess.PIPE, stderr=self._log
        )
        assert self._process.stdout is not None
        if not self._process.stdout.readline().startswith(b"The table is at"):
            self._process.kill()
            raise RuntimeError((self._data / "log.txt").read_text())

    def kill(self) -> None:
        """Kill the process, as pulling the plug does."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Stop by SIGTERM."""
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.communicate(timeout=TIMEOUT_S)
            self._process = None
            self._log.close()

    def state(self) -> dict[str, Any]:
        """Fetch the public state."""
        with urllib.request.urlopen(f"{self.address}/api/state", timeout=TIMEOUT_S) as answer:
            state: dict[str, Any] = json.load(answer)
            return state

    def number(self) -> str:
        """Fetch the pairing number, which this machine may read."""
        with urllib.request.urlopen(f"{self.address}/api/pair", timeout=TIMEOUT_S) as answer:
            return str(json.load(answer)["open"]["number"])

    def send(self, type: str, **fields: Any) -> Any:
        return self.ask("POST", "/api/commands", {"type": type, **fields})

    def ask(self, method: str, path: str, body: Any) -> Any:
        """Send a JSON body; return the answer."""
        request = urllib.request.Request(
            self.address + path,
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
            return json.load(answer)


def play(
    running: Running,
    rounds: int,
    names: tuple[str, ...] = ("Ann", "Bob", "Cara", "Dan"),
    rules: str = "mexican-train/classic",
) -> None:
    """Play some rounds, the same every time."""
    running.send("open-table", rules=rules, players=names, starter=1)
    for number in range(rounds):
        out = number % len(names) + 1
        running.send("go-out", seat=out)
        for seat in range(1, len(names) + 1):
            if seat != out:
                running.send("enter-score", seat=seat, pips=(number * 17 + seat * 23) % 50 + 3)
        running.send("next-round")


@contextmanager
def chromium() -> Iterator[Any]:
    """Start a browser. A missing one fails in continuous integration, and skips elsewhere."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        reason = "no chromium: install the package `chromium` to try the pages in a browser"
        needed = os.environ.get("CI", "") not in ("", "0", "false")
        (pytest.fail if needed else pytest.skip)(reason)
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield opened
        opened.close()


# Appearance

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SMALLEST = """() => Math.min(...[...document.querySelectorAll('main *')]
    .filter((e) => !e.closest('.unseen') && e.getClientRects().length)
    .filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.nodeValue.trim()))
    .map((e) => e instanceof SVGElement ? 0.85 * e.getBoundingClientRect().height
        : parseFloat(getComputedStyle(e).fontSize)))"""
"""Returns the smallest font size on a page, in pixels."""


CUT = """() => {
    const shown = (e) => !e.closest('.unseen, svg, script, style, select') && e.checkVisibility();
    const lines = (e) => [...e.childNodes].filter((n) => n.nodeType === 3 && n.nodeValue.trim())
        .flatMap((n) => {
            const range = document.createRange();
            range.selectNode(n);
            return [...range.getClientRects()];
        });
    const clips = (e) => e.matches('button, .button')
        || /hidden|clip/.test(getComputedStyle(e).overflowX);
    const over = (box, line) => {
        const x = Math.min(box.right, line.right) - Math.max(box.left, line.left);
        const y = Math.min(box.bottom, line.bottom) - Math.max(box.top, line.top);
        const height = Math.min(line.width, line.height); // wherever the letters' heads are
        const lost = (size, seen) => size - seen > (size === height ? 0.25 * size : 2);
        return x > 1 && y > 1 && (lost(line.width, x) || lost(line.height, y));
    };
    const cut = (e) => {
        for (let around = e; around !== document.body; around = around.parentElement) {
            if (!clips(around)) continue;
            const box = around.getBoundingClientRect();
            if (lines(e).some((line) => over(box, line))) return true;
        }
        return lines(e).some(({ right }) => right > innerWidth + 1) && !e.closest('.scroll');
    };
    return [...document.querySelectorAll('body *')].filter((e) => shown(e) && cut(e))
        .map((e) => e.textContent.trim());
}"""
"""Returns the words that an edge cuts off. What is wholly out of sight is hidden on purpose."""


def problems(page: Any) -> list[tuple[str, list[str]]]:
    """List violations of WCAG 2.2 AA, as far as axe finds them."""
    axe = pytest.importorskip("axe_core_python.sync_playwright").Axe()
    return [
        (violation["id"], [node["html"][:200] for node in violation["nodes"]])
        for violation in axe.run(page, options={"runOnly": RULES})["violations"]
    ]


def too_wide(page: Any) -> int:
    """Return by how many pixels a page scrolls sideways."""
    wide: int = page.evaluate("Math.max(0, document.documentElement.scrollWidth - innerWidth)")
    return wide


def total(page: Any, seat: int) -> Any:
    return page.locator(f"#seat-{seat} .total")


class Finger:
    """Taps buttons of a page, and counts the taps."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.taps = 0

    def tap(self, name: str, within: str = "body") -> None:
        place = self.page.locator(within)
        place.get_by_role("button", name=name, exact=True).first.click()
        self.taps += 1

    def type(self, number: str) -> None:
        for digit in number:
            self.tap(digit, "#keypad")

    def counted(self) -> int:
        """Return the taps since the last call."""
        taps, self.taps = self.taps, 0
        return taps


def prefer(page: Any, **choices: Any) -> None:
    """Set settings of this screen, and reload the page."""
    keep = "(chosen) => localStorage.setItem('centerpiece.choices', JSON.stringify(chosen))"
    page.evaluate(keep, choices if "seat" in choices else {"host": True, **choices})
    page.reload()


@contextmanager
def served_on(
    loop: asyncio.AbstractEventLoop,
    app: Starlette,
    closing: Callable[[], None] = lambda: None,
) -> Iterator[str]:
    """Serve an application of this process over loopback, on a thread that runs its loop."""
    stopping, listener = asyncio.Event(), listen("127.0.0.1", 0)
    serving = run(app, listener, stopping, closing)
    thread = threading.Thread(target=loop.run_until_complete, args=(serving,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        loop.call_soon_threadsafe(stopping.set)
        thread.join(TIMEOUT_S)
