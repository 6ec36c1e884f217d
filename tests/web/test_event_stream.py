"""The event stream: every change reaches every page, and a slow page delays nobody."""

import asyncio
import json
import re
from base64 import b64decode
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.applications import Starlette

from centerpiece.table.commands import ToggleSeat
from hal.ports import Edge
from tests.web.conftest import Rig


class Listener:
    """An open page, as the application sees it: it can be slow, and it can disconnect."""

    def __init__(self, app: Starlette, path: str, **headers: str) -> None:
        self.status = 0
        self.received: list[bytes] = []
        self.may_send = asyncio.Event()
        self.may_send.set()
        self._news = asyncio.Event()
        self._gone = asyncio.Event()
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "GET",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": [
                (b"host", b"centerpiece.local"),
                *((k.lower().encode(), v.encode()) for k, v in headers.items()),
            ],
            "client": ("127.0.0.1", 1),
            "server": ("centerpiece.local", 80),
            "scheme": "http",
        }
        self.task = asyncio.ensure_future(app(scope, self._receive, self._send))

    async def _receive(self) -> dict[str, Any]:
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        await self.may_send.wait()
        if message["type"] == "http.response.start":
            self.status = message["status"]
        elif message.get("body"):
            self.received.append(message["body"])
            self._news.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until the condition holds; it is checked after each received event."""
        async with asyncio.timeout(5):
            while not condition():
                self._news.clear()
                await self._news.wait()

    async def leave(self) -> None:
        """Disconnect."""
        self._gone.set()
        await self.task

    def states(self) -> list[dict[str, Any]]:
        """Return the documents received."""
        lines = b"".join(self.received).decode().split("\n")
        return [json.loads(line[6:]) for line in lines if line.startswith("data: ")]


def during(rig: Rig, doing: Callable[[], Awaitable[None]]) -> None:
    """Run something in the hub's loop."""
    rig.loop.run_until_complete(doing())


def test_a_page_gets_the_state_at_once_and_then_each_change(rig: Rig) -> None:
    """The event's id is the sequence number."""

    async def doing() -> None:
        page = Listener(rig.app, "/api/events")
        await page.until(lambda: len(page.states()) == 1)
        rig.hub.do(ToggleSeat(1, "Ann"))
        await page.until(lambda: len(page.states()) == 2)
        await page.leave()

        assert [0, 1] == [state["seq"] for state in page.states()]
        assert b"id: 1\n" in page.received[-1]

    during(rig, doing)


def test_a_page_that_returns_gets_what_it_missed_as_the_newest_state(rig: Rig) -> None:
    """The state is complete, so a single event is enough."""

    async def doing() -> None:
        for seat in (1, 2, 3):
            rig.hub.do(ToggleSeat(seat))
        page = Listener(rig.app, "/api/events", **{"Last-Event-ID": "1"})
        await page.until(lambda: bool(page.states()))
        await page.leave()

        assert [3] == [state["seq"] for state in page.states()]

    during(rig, doing)


def test_a_slow_page_gets_only_the_newest_and_slows_nobody(rig: Rig) -> None:
    """Other pages see every change."""

    async def doing() -> None:
        slow, quick = Listener(rig.app, "/api/events"), Listener(rig.app, "/api/events")
        await slow.until(lambda: bool(slow.states()))
        await quick.until(lambda: bool(quick.states()))
        slow.may_send.clear()
        for seat in range(1, 9):
            rig.hub.do(ToggleSeat(seat))
            await quick.until(lambda seat=seat: quick.states()[-1]["seq"] == seat)
        slow.may_send.set()
        await slow.until(lambda: slow.states()[-1]["seq"] == 8)
        await slow.leave()
        await quick.leave()

        assert list(range(9)) == [state["seq"] for state in quick.states()]
        assert len(slow.states()) <= 3

    during(rig, doing)


def test_trouble_with_a_device_reaches_the_pages(rig: Rig) -> None:
    """It is not an event of the game, and so has no number of its own."""

    async def doing() -> None:
        page = Listener(rig.app, "/api/events")
        await page.until(lambda: bool(page.states()))
        from hal.ports import Trouble

        rig.hub.trouble(Trouble("lights", "The lights do not answer."))
        await page.until(lambda: len(page.states()) == 2)
        await page.leave()

        assert "lights" == page.states()[-1]["trouble"][0]["device"]

    during(rig, doing)


def test_pages_that_leave_are_forgotten(rig: Rig) -> None:
    async def doing() -> None:
        stream = rig.app.state.site.events
        pages = [Listener(rig.app, "/api/events") for _ in range(100)]
        for page in pages:
            await page.until(lambda page=page: bool(page.states()))
        assert 100 == stream.count
        for page in pages:
            await page.leave()
        assert 0 == stream.count

    during(rig, doing)


def test_the_virtual_hub_shows_the_frame_that_the_lights_got(rig: Rig) -> None:
    """Byte for byte, the first frame and later ones."""

    async def doing() -> None:
        lights = rig.hub.board.lights
        page = Listener(rig.app, "/api/hub/frames")

        def shown() -> bytes:
            frames = re.findall(rb"event: frame\ndata: (.*)\n", b"".join(page.received))
            return b64decode(frames[-1]) if frames else b""

        await page.until(lambda: shown() == lights.frame)  # type: ignore[attr-defined]
        before = lights.frame  # type: ignore[attr-defined]
        rig.hub.do(ToggleSeat(4))
        assert before != lights.frame  # type: ignore[attr-defined]
        await page.until(lambda: shown() == lights.frame)  # type: ignore[attr-defined]
        await page.leave()

    during(rig, doing)


def test_the_virtual_hubs_sounds_reach_the_page(rig: Rig) -> None:
    async def doing() -> None:
        page = Listener(rig.app, "/api/hub/frames")
        await page.until(lambda: bool(page.received))
        rig.hub.hear(Edge("whistle", True, rig.clock.now()))
        await page.until(lambda: b'{"cue":"whistle","volume":1.0}' in b"".join(page.received))
        await page.leave()

    during(rig, doing)


def test_who_may_only_look_hears_the_virtual_hub_and_does_not_see_it(rig: Rig) -> None:
    """The face may show the pairing number, and pairing's own cues would reveal that it is open."""

    async def doing() -> None:
        television = Listener(rig.app, "/api/hub/frames", **{"X-Forwarded-For": "192.168.1.30"})
        await television.until(lambda: bool(television.received))
        rig.hub.hear(Edge("whistle", True, rig.clock.now()))
        await television.until(lambda: b'"cue":"whistle"' in b"".join(television.received))
        rig.hub.open_pairing()
        rig.hub.paint()
        while rig.hub.pairing():
            rig.hub.pairs_with("")
        rig.hub.hear(Edge("whistle", False, rig.clock.now()))
        rig.clock.move(1.0)
        rig.hub.hear(Edge("whistle", True, rig.clock.now()))
        before = b"".join(television.received)
        await television.until(lambda: before.count(b"whistle") < _count(television))
        await television.leave()

        assert b"join" not in b"".join(television.received)
        assert b"event: frame" not in b"".join(television.received)

    def _count(page: Listener) -> int:
        return b"".join(page.received).count(b"whistle")

    during(rig, doing)


def test_a_page_that_is_closed_lets_its_buttons_go(rig: Rig) -> None:
    async def doing() -> None:
        page = Listener(rig.app, "/api/hub/frames")
        await page.until(lambda: bool(page.received))
        virtual = rig.app.state.site.virtual
        virtual._push("advance", True, rig.clock.now())
        assert rig.hub._gestures.held("advance")
        await page.leave()
        rig.clock.move(0.1)
        rig.hub.wake()
        assert rig.hub._gestures.held("advance") is None

    during(rig, doing)
