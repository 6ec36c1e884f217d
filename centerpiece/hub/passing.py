"""What the hub shows or waits for, for a while: a power cut forgets it, and nothing is lost.

The echo of a pressed button, a refusal's red outline, a number
on the face, the roulette of lights, the minute in which phones may pair, the sweep at the end.
"""

from collections.abc import Iterator
from typing import Literal

from centerpiece.display.looks import ECHO, NEVER
from centerpiece.display.roulette import Roulette
from centerpiece.display.scene import Moment
from centerpiece.hub.pairing import PairingMinute
from centerpiece.hub.parade import Parade
from centerpiece.table.game import Face

REFUSED_SHOWN = 0.4
FACE_SHOWN = 3.0
LEAVING_TAKES = 2.5

Ended = Literal["roulette", "leaving"]


class Passing:
    """The passing things of one hub. Times are monotonic."""

    def __init__(self) -> None:
        self._face: tuple[Face, float] | None = None
        self._roulette: Roulette | None = None
        self._parade: Parade | None = None
        self._halted = False
        self._dealing = False
        self._refused_until = 0.0
        self._began = Moment().began
        self.pressed_at = 0.0
        """When a button was last pressed."""
        self._leaving: float | None = None
        self.pairing: PairingMinute | None = None
        """The number that a phone has to type, while phones may pair."""
        self.echoes: dict[str, float] = {}
        """Buttons just pressed, and until when they echo."""

    def echoing(self, button: str, now: float) -> bool:
        """Whether a button still echoes."""
        return self.echoes.get(button, 0.0) > now

    def hold_echo(self, button: str) -> None:
        """What it was pressed for waits to be written: it echoes until then."""
        self.echoes[button] = NEVER

    def release_echo(self, button: str) -> None:
        """It waits no longer."""
        if self.echoes.get(button) == NEVER:
            del self.echoes[button]

    def refuse(self, now: float) -> None:
        """Outline the face in red, shortly."""
        self._refused_until = now + REFUSED_SHOWN

    def show(self, face: Face, now: float) -> None:
        """Something else on the face than usual."""
        self._face = face, now + FACE_SHOWN

    def round_begins(self, now: float) -> None:
        """The starter's light takes a breath; the face says how many tiles to draw."""
        self._began = now
        self._dealing = True

    def pressed(self, button: str, now: float) -> None:
        """A button echoes. Whatever was told meanwhile has been seen; a parade goes on by its own
        button."""
        self.echoes[button] = now + ECHO
        self.pressed_at = now
        self._dealing = False
        if button != "advance":
            self._halted = button == "whistle" and self._marches(now)
            self._parade = None

    def _marches(self, now: float) -> bool:
        return self._parade is not None and now < self._parade.ends

    def parades(self, now: float) -> bool:
        """Whether there is a parade, or was one when the whistle was pressed that is still down."""
        return self._halted or self._marches(now)

    def let_go(self) -> None:
        """The button that was pressed is down no longer."""
        self._halted = False

    def march(self, parade: Parade) -> None:
        """Tell totals, one after the other."""
        self._parade = parade

    def marched_on(self, now: float) -> bool:
        """Go on to the next of a parade at once; whether there is one."""
        if self._parade is None or not self._marches(now):
            return False
        self._parade = self._parade.moved_on(now)
        return True

    def spin(self, roulette: Roulette) -> None:
        """Tell with some suspense who the lot fell on; then the round begins."""
        self._roulette = roulette
        self._began = roulette.ends

    def happened(self) -> None:
        """Something has happened: suspense and parade are over."""
        self._roulette = self._parade = None

    def open_pairing(self, minute: PairingMinute) -> None:
        """The face shows a number for phones."""
        self.pairing = minute

    def close_pairing(self) -> None:
        """It shows it no longer."""
        self.pairing = None

    def leave(self, now: float) -> None:
        """The lights sweep out."""
        self._leaving = now

    @property
    def leaving(self) -> bool:
        """Whether the hub is about to switch itself off, and hears nothing more."""
        return self._leaving is not None

    def ended(self, now: float) -> Iterator[Ended]:
        """Forget what is over; what somebody has to act on is named."""
        self.forget_echoes(now)
        if self._face is not None and now >= self._face[1]:
            self._face = None
        if self.pairing is not None and now >= self.pairing.ends:
            self.pairing = None
        if self._parade is not None and now >= self._parade.ends:
            self._parade = None
        if self._roulette is not None and now >= self._roulette.ends:
            self._roulette = None
            yield "roulette"
        if self._leaving is not None and now >= self._leaving + LEAVING_TAKES:
            self._leaving = None
            yield "leaving"

    def forget_echoes(self, now: float) -> None:
        """Drop the echoes that are over."""
        if self.echoes:
            self.echoes = {name: until for name, until in self.echoes.items() if until > now}

    def next_end(self, now: float) -> float:
        """When `ended` should be asked; what is only seen, the picture knows itself."""
        times = [NEVER]
        if self._face is not None:
            times.append(self._face[1])
        if self.pairing is not None:
            times.append(self.pairing.ends)
        if self._parade is not None:
            times.append(self._parade.next_change(now))
        if self._roulette is not None:
            times.append(self._roulette.ends)
        if self._leaving is not None:
            times.append(self._leaving + LEAVING_TAKES)
        return min(times)

    def moment(self, now: float, holding: tuple[float, float] | None, clock_shift: float) -> Moment:
        """All of it, for a picture."""
        return Moment(
            refused_until=self._refused_until,
            holding=holding,
            began=self._began,
            face=self._face[0] if self._face else None,
            pairing=self.pairing.number if self.pairing else "",
            placed=self._parade.placed(now) if self._parade else None,
            face_since=self._face_since(now),
            dealing=self._dealing,
            roulette=self._roulette,
            leaving=self._leaving,
            clock_shift=clock_shift,
        )

    def _face_since(self, now: float) -> float:
        """When the face began to show a number: a long one passes by from its beginning."""
        if self._face is not None:
            return self._face[1] - FACE_SHOWN
        return self._parade.since(now) if self._parade else 0.0
