"""The virtual hub: sends lights and sounds to a page, and turns its button presses into edges.

Exists only with the simulator. The page shows the lights port's frame, byte for byte; its presses
take the same path as those of real buttons.
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
from centerpiece.web.lazy_bytes import LazyBytes
from centerpiece.web.page_clock import PageClock
from centerpiece.web.pairing import PhoneRegister
from hal.cues import wav
from hal.ports import BUTTONS, CUES, SEATS, Frame

MOST_PAGES = 50
"""Pages whose clocks are remembered."""
LONGEST_OPEN = 1e8
"""Largest plausible page clock in seconds, three years; larger values are ignored."""


class PressedButtons(Protocol):
    """Buttons that can be pressed from here."""

    def edge(self, button: str, down: bool, now: float) -> None: ...


class MovedDocks(Protocol):
    """Docks whose markers can be moved from here."""

    def level(self, seat: int, home: bool) -> None: ...


class ObservedLights(Protocol):
    """Lights that report each frame."""

    frame: Frame
    watchers: list[Callable[[Frame], None]]


class ObservedSound(Protocol):
    """A sound device that reports each cue and its volume."""

    listeners: list[Callable[[str, float], None]]


class ButtonPress(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A button that went down or up on a page."""

    button: str
    down: bool
    page: Annotated[str, msgspec.Meta(max_length=40)] = ""
    """Identifies the open page."""
    now: float | None = None
    """Seconds on that page's own clock; without it, the time of arrival counts."""


class MarkerMove(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A train marker that was lifted or put back on a page."""

    seat: int
    home: bool


_PRESSES = msgspec.json.Decoder(ButtonPress)
_MOVES = msgspec.json.Decoder(MarkerMove)


class VirtualHub:
    """The connection between a simulated board and its pages."""

    def __init__(
        self,
        hub: Hub,
        phones: PhoneRegister,
        buttons: Any,
        lights: Any,
        sound: Any,
        docks: MovedDocks | None,
    ) -> None:
        self._hub = hub
        self._phones = phones
        self._buttons: PressedButtons = buttons
        self._lights: ObservedLights = lights
        self._sound: ObservedSound = sound
        self._docks = docks
        self._down: set[str] = set()
        self._clocks: dict[str, PageClock] = {}
        """Clocks of pages that pressed something, the latest last."""
        self._wavs = {cue: LazyBytes(partial(wav, cue)) for cue in CUES}
        self._panel = b""
        self.stream = Stream(self._greeting)
        hub.on_news(self._on_news)
        self.sounds = Stream(lambda: b"")
        self._lights.watchers.append(self._on_frame)
        self._sound.listeners.append(self._on_sound)

    async def frames(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream frames, labels and sounds to one page; to a phone that is not paired, only sounds.

        The face may show the pairing number, which only paired phones may read: the stream of a
        phone that is removed ends. When the last page has gone, all buttons are released.
        """
        may_read = partial(self._phones.may_write, Request(scope))
        if not may_read():
            await self.sounds(scope, receive, send)
            return
        try:
            await self.stream(scope, receive, send, may_read)
        finally:
            if self.stream.count == 0:
                self._release_all()

    async def press(self, request: Request) -> Response:
        """Take a press or release from a paired phone's page; refuse an unknown button."""
        press = fitting(await self._phones.order_of(request), _PRESSES)
        if press.button not in BUTTONS:
            raise Misfit(
                "There is no button “{name}”. The buttons are: {known}.",
                name=press.button,
                known=", ".join(BUTTONS),
            )
        self._push(press.button, press.down, self._stamp(press))
        return answer({"seq": self._hub.seq})

    async def move(self, request: Request) -> Response:
        """Take the move of a marker from a paired phone's page; refuse a seat without a dock."""
        moved = fitting(await self._phones.order_of(request), _MOVES)
        if self._docks is None or moved.seat not in SEATS:
            raise Misfit("Seat {seat} has no dock.", seat=moved.seat)
        self._docks.level(moved.seat, moved.home)
        return answer({"seq": self._hub.seq})

    async def layout(self, request: Request) -> Response:
        """Answer with the light zones, and the names of buttons and cues."""
        zones = [{"name": z.name, "start": z.start, "count": z.count} for z in self._zones()]
        return answer({"zones": zones, "buttons": BUTTONS, "cues": CUES})

    async def sound(self, request: Request) -> Response:
        """Answer with a cue as a WAV file, or 404 for an unknown one."""
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

    def _stamp(self, press: ButtonPress) -> float:
        """Return the time of a press or release on the hub's clock.

        It comes from the page's clock, if the page sent a time that makes sense; else it is now.
        """
        received = self._hub.clock.now()
        if press.now is None or not 0.0 <= press.now <= LONGEST_OPEN:
            return received
        clock = self._clocks[press.page] = self._clocks.pop(press.page, PageClock())
        if len(self._clocks) > MOST_PAGES:
            del self._clocks[next(iter(self._clocks))]
        return clock.stamp(press.down, press.now, received)

    def _push(self, button: str, down: bool, now: float) -> None:
        (self._down.add if down else self._down.discard)(button)
        self._buttons.edge(button, down, now)

    def _release_all(self) -> None:
        """Release all buttons: no page is left that could do it."""
        for button in sorted(self._down):
            self._push(button, False, self._hub.clock.now())

    def _greeting(self) -> bytes:
        return _frame_event(self._lights.frame) + self._panel_event()

    def _on_news(self) -> None:
        """Push the buttons' labels, if they have changed; end the streams of removed phones."""
        self.stream.end_refused()
        if self.stream.count and (panel := self._panel_event()) != self._panel:
            self._panel = panel
            self.stream.push("panel", panel)

    def _panel_event(self) -> bytes:
        docks = self._hub.docked() if self._docks is not None else []
        panel = {"labels": self._hub.labels(), "holds": self._hub.holds(), "docks": docks}
        return event(msgspec.json.encode(panel), "panel")

    def _on_frame(self, frame: Frame) -> None:
        if self.stream.count:
            self.stream.push("frame", _frame_event(frame))

    def _on_sound(self, cue: str, volume: float) -> None:
        """Push a sound to the pages; to those of unpaired phones only while pairing is closed."""
        sound = event(msgspec.json.encode({"cue": cue, "volume": volume}), "sound")
        self.stream.push("sound", sound)
        if self._hub.pairing() is None:  # its cues would reveal that pairing is open
            self.sounds.push("sound", sound)

    def close(self) -> None:
        """End all streams."""
        self.stream.close()
        self.sounds.close()


def _frame_event(frame: Frame) -> bytes:
    return event(b64encode(frame), "frame")
