"""The virtual hub: its lights and sounds go to a page, the page's buttons come back as edges.

Exists only with the simulator. What the page shows is the frame that the lights port was given,
byte for byte; what it presses goes the way of every edge.
"""

from base64 import b64encode
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Protocol

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from centerpiece.hub.hub import Hub
from centerpiece.text import Misfit
from centerpiece.web.event_stream import Stream, event
from centerpiece.web.json_answers import WebError, answer, fitting
from centerpiece.web.once import Once
from centerpiece.web.page_clock import PageClock
from centerpiece.web.pairing import Pairing
from centerpiece.web.request_guard import body_of
from hal.cues import wav
from hal.ports import BUTTONS, CUES, Edge, Frame

MOST_PAGES = 50
"""Whose clocks are remembered."""
LONGEST_OPEN = 1e8
"""Seconds: three years. A page that counts more has no clock."""


class ObservedLights(Protocol):
    """Lights that tell what they show."""

    frame: Frame
    watchers: list[Callable[[Frame], None]]


class ObservedSound(Protocol):
    """A voice that tells what it says, and how loud."""

    listeners: list[Callable[[str, float], None]]


class ButtonPress(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A button of the page went down or up."""

    button: str
    down: bool
    page: Annotated[str, msgspec.Meta(max_length=40)] = ""
    """Which open page it was."""
    now: float | None = None
    """When, in seconds of that page's own clock; when it arrived, unless said."""


_PRESSES = msgspec.json.Decoder(ButtonPress)


class VirtualHub:
    """The page's side of a simulated board."""

    def __init__(
        self, hub: Hub, phones: Pairing, edge: Callable[[Edge], None], lights: Any, sound: Any
    ) -> None:
        self._hub = hub
        self._phones = phones
        self._edge = edge
        self._lights: ObservedLights = lights
        self._sound: ObservedSound = sound
        self._down: set[str] = set()
        self._clocks: dict[str, PageClock] = {}
        """Of the pages that pressed something, the latest last."""
        self._wavs = {cue: Once(partial(wav, cue)) for cue in CUES}
        self._panel = b""
        self.stream = Stream(self._greeting)
        hub.on_news(self._relabel)
        self.sounds = Stream(lambda: b"")
        self._lights.watchers.append(self._shown)
        self._sound.listeners.append(self._sounded)

    async def frames(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The event stream of one open page; who may only look hears, and does not see.

        For the face may show a number that is not for all.
        """
        if not self._phones.may_write(Request(scope)):
            await self.sounds(scope, receive, send)
            return
        try:
            await self.stream(scope, receive, send)
        finally:
            if self.stream.count == 0:
                self._let_go()

    async def press(self, request: Request) -> Response:
        """A button went down or up on the page."""
        self._phones.check(request)
        press = fitting(await body_of(request), _PRESSES)
        if press.button not in BUTTONS:
            raise Misfit(
                "There is no button “{name}”. The buttons are: {known}.",
                name=press.button,
                known=", ".join(BUTTONS),
            )
        self._push(press.button, press.down, self._stamped(press))
        return answer({"seq": self._hub.seq})

    async def layout(self, request: Request) -> Response:
        """Where the zones lie on the chain, and what the buttons are called."""
        zones = [{"name": z.name, "start": z.start, "count": z.count} for z in self._zones()]
        return answer({"zones": zones, "buttons": BUTTONS, "cues": CUES})

    async def sound(self, request: Request) -> Response:
        """A cue as a WAV file, made once."""
        cue = request.path_params["cue"]
        if cue not in CUES:
            raise WebError(
                404,
                "not-found",
                "There is no sound “{name}”. The sounds are: {known}.",
                name=cue,
                known=", ".join(CUES),
            )
        headers = {"Cache-Control": "public, max-age=86400"}
        return Response(await self._wavs[cue].get(), headers=headers, media_type="audio/wav")

    def _zones(self) -> Any:
        return self._hub.board.zones

    def _stamped(self, press: ButtonPress) -> float:
        """When a press was, by the hub's clock."""
        received = self._hub.clock.now()
        if press.now is None or not 0.0 <= press.now <= LONGEST_OPEN:
            return received
        clock = self._clocks[press.page] = self._clocks.pop(press.page, PageClock())
        if len(self._clocks) > MOST_PAGES:
            del self._clocks[next(iter(self._clocks))]
        return clock.stamp(press.down, press.now, received)

    def _push(self, button: str, down: bool, now: float) -> None:
        (self._down.add if down else self._down.discard)(button)
        self._edge(Edge(button, down, now))

    def _let_go(self) -> None:
        """A page that is closed holds no buttons down."""
        for button in sorted(self._down):
            self._push(button, False, self._hub.clock.now())

    def _greeting(self) -> bytes:
        return _frame_event(self._lights.frame) + self._panel_event()

    def _relabel(self) -> None:
        """Tell what the buttons do, if that has changed."""
        if self.stream.count and (panel := self._panel_event()) != self._panel:
            self._panel = panel
            self.stream.push("panel", panel)

    def _panel_event(self) -> bytes:
        told = {"labels": self._hub.labels(), "holds": self._hub.holds()}
        return event(msgspec.json.encode(told), "panel")

    def _shown(self, frame: Frame) -> None:
        if self.stream.count:
            self.stream.push("frame", _frame_event(frame))

    def _sounded(self, cue: str, volume: float) -> None:
        heard = event(msgspec.json.encode({"cue": cue, "volume": volume}), "sound")
        self.stream.push("sound", heard)
        if self._hub.pairing() is None:
            self.sounds.push("sound", heard)

    def close(self) -> None:
        """End all streams."""
        self.stream.close()
        self.sounds.close()


def _frame_event(frame: Frame) -> bytes:
    return event(b64encode(frame), "frame")
