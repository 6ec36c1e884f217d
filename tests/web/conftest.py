"""A hub in virtual time with its pages, reached in process or over loopback."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette

from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import TIMING, Hub
from centerpiece.locale.catalogue import CATALOGUES, Catalogues
from centerpiece.storage.journal import Journal
from centerpiece.storage.writer import Writer
from centerpiece.web.site import build
from centerpiece.web.static_files import Assets
from sim.board import build as simulated_board
from sim.buttons import SimButtons
from sim.clock import VirtualClock
from tests.patience import TIMEOUT_S
from tests.web import browsers
from tests.web.browsers import Running

NEWCOMER = ("127.0.0.1", 50_000)
PHONE = ("192.168.1.20", 50_000)


Open = Callable[..., "Rig"]
Address = tuple[str, int]


@cache
def packed() -> Assets:
    """Return the files of the pages, compressed once for all tests."""
    assets = Assets()
    assets.compress()
    return assets


class Client:
    """An HTTP client in the hub's own thread, with cookies."""

    def __init__(self, loop: asyncio.AbstractEventLoop, app: Starlette, address: Address) -> None:
        transport = httpx.ASGITransport(app, client=address, raise_app_exceptions=False)
        self._loop = loop
        self._client = httpx.AsyncClient(transport=transport, base_url="http://centerpiece.local")
        self.cookies = self._client.cookies

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Send a request and wait for the whole answer."""
        return self._loop.run_until_complete(self._client.request(method, path, **options))

    def begin(self, method: str, path: str, **options: Any) -> asyncio.Task[httpx.Response]:
        """Send a request, and wait until the hub has taken it, but not for its answer."""

        async def begun() -> asyncio.Task[httpx.Response]:
            asking = asyncio.create_task(self._client.request(method, path, **options))
            for _ in range(20):
                await asyncio.sleep(0)
            return asking

        return self._loop.run_until_complete(begun())

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.request("GET", path, **options)

    def post(self, path: str, **options: Any) -> httpx.Response:
        return self.request("POST", path, **options)

    def put(self, path: str, **options: Any) -> httpx.Response:
        return self.request("PUT", path, **options)

    def delete(self, path: str) -> httpx.Response:
        return self.request("DELETE", path, headers={"Content-Type": "application/json"})


class Rig:
    """A hub, its clock and a client of its pages."""

    def __init__(
        self, hub: Hub, app: Starlette, loop: asyncio.AbstractEventLoop, address: Address
    ) -> None:
        self.hub = hub
        self.app = app
        self.loop = loop
        self.client = self.visitor(address)
        self.clock: VirtualClock = hub.clock  # type: ignore[assignment]

    def send(self, type: str, **fields: Any) -> httpx.Response:
        return self.client.post("/api/commands", json={"type": type, **fields})

    def seated(self, *names: str) -> "Rig":
        """Start a game with these people."""
        answer = self.send("open-table", rules="mexican-train/classic", players=names)
        assert 200 == answer.status_code, answer.text
        return self

    def hold(self, *buttons: str, seconds: float) -> None:
        """Hold buttons down together, in virtual time."""
        keys: SimButtons = self.hub.board.buttons  # type: ignore[assignment]
        for button in buttons:
            keys.press(button)
        self.clock.move(seconds)
        self.hub.wake()
        for button in buttons:
            keys.release(button)

    def open_pairing(self) -> str:
        """Open pairing by the buttons; return the number on the face."""
        self.hold("train", "advance", seconds=3.1)
        minute = self.hub.pairing()
        assert minute is not None
        return minute.number

    def pair(self, phone: Client, name: str, number: str | None = None) -> httpx.Response:
        """Pair a phone, by the number on the face or another one."""
        minute = self.hub.pairing()
        number = number or (minute.number if minute else "42")
        return phone.post("/api/pair", json={"name": name, "number": number})

    def visitor(self, address: Address = PHONE) -> Client:
        """Return another client of the same pages, with its own cookies."""
        return Client(self.loop, self.app, address)


@contextmanager
def rigs() -> Iterator[Open]:
    """Provide a function that makes hubs, and close them at the end."""
    journals = []
    loop = asyncio.new_event_loop()

    def opened(
        simulated: bool = True,
        address: Address = NEWCOMER,
        journal: Journal | None = None,
        languages: Catalogues = CATALOGUES,
        writer: Callable[[Journal], Writer] | None = None,
    ) -> Rig:
        journal = journal or Journal(":memory:", GAMES)
        journals.append(journal)
        writes = writer(journal) if writer else None
        board = simulated_board(clock=VirtualClock())
        hub = Hub(GAMES, journal, board, timing=TIMING, writer=writes)
        if writes is not None:
            writes.listen(hub.wrote)
        board.buttons.listen(hub.hear)
        hub.on_stale(hub.paint)
        assets = packed() if languages is CATALOGUES else Assets(catalogues=languages)
        return Rig(hub, build(hub, simulated=simulated, assets=assets), loop, address)

    yield opened
    for journal in journals:
        journal.close()
    loop.close()


@pytest.fixture
def open_rig() -> Iterator[Open]:
    with rigs() as opened:
        yield opened


@pytest.fixture
def rig(open_rig: Open) -> Rig:
    """A simulated hub, and a client on the same machine."""
    return open_rig()


def served_here(rig: Rig) -> AbstractContextManager[str]:
    """Serve the rig's pages over loopback, so that the test controls the hub."""
    return browsers.served_on(rig.loop, rig.app, rig.app.state.site.close)


@pytest.fixture
def windows(browser: Any, running: Running) -> Iterator[Any]:
    """Provide a function that opens windows with their own cookies; fail on script errors and on
    messages in the console, except about requests that a test lets fail.

    They keep score for everybody, unless `asked` who they are.
    """
    opened: list[Any] = []
    failures: list[str] = []

    def window(
        path: str = "/",
        size: dict[str, int] = browsers.PHONE,
        asked: bool = False,
        **options: Any,
    ) -> Any:
        context = browser.new_context(viewport=size, **options)
        context.set_default_timeout(TIMEOUT_S * 1000)
        if not asked:
            context.add_init_script(browsers.KEEPS_SCORE)
        opened.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: failures.append(str(error)))
        page.on("console", lambda message: failures.append(message.text))
        page.goto(running.address + path)
        return page

    yield window
    for context in opened:
        context.close()
    assert [] == [words for words in failures if "Failed to load resource" not in words]
