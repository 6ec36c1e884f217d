"""What the hub shows or waits for, for a while: a power cut forgets it, and nothing is lost.

A question that waits for a seat, the echo of a pressed button, a refusal's red outline, a number
on the face, the roulette of lights, the minute in which phones may pair, the sweep at the end.
"""

from collections.abc import Iterator
from typing import Literal

from centerpiece.display.looks import ECHO, NEVER
from centerpiece.display.roulette import Roulette
from centerpiece.display.scene import Moment
from centerpiece.hub.pairing import PairingMinute
from centerpiece.table.game import Face
from centerpiece.table.panel import Ask
from centerpiece.table.state import Table
from hal.ports import SEATS

REFUSED_SHOWN = 0.4
FACE_SHOWN = 3.0
LEAVING_TAKES = 2.5

Ended = Literal["roulette", "leaving"]


class Passing:
    """The passing things of one hub. Times are monotonic."""

    def __init__(self) -> None:
        self._question: tuple[Ask, float] | None = None
        self._face: tuple[Face, float] | None = None
        self._roulette: Roulette | None = None
        self._refused_until = 0.0
        self._began = Moment().began
        self._leaving: float | None = None
        self.pairing: PairingMinute | None = None
        """The number that a phone has to type, while phones may pair."""
        self.echoes: dict[str, float] = {}
        """Buttons just pressed, and until when they echo."""

    def echo(self, button: str, now: float) -> None:
        """A button was pressed."""
        self.echoes[button] = now + ECHO

    def ask(self, question: Ask, now: float) -> None:
        """Wait for a seat to be tapped."""
        self._question = question, now + question.seconds

    def answered(self) -> Ask | None:
        """The question that waits, if there is one; it waits no longer."""
        question, self._question = self._question, None
        return question[0] if question else None

    def refuse(self, now: float) -> None:
        """Outline the face in red, shortly."""
        self._refused_until = now + REFUSED_SHOWN

    def show(self, face: Face, now: float) -> None:
        """Something else on the face than usual."""
        self._face = face, now + FACE_SHOWN

    def round_begins(self, now: float) -> None:
        """The starter's light takes a breath."""
        self._began = now

    def spin(self, roulette: Roulette) -> None:
        """Tell with some suspense who the lot fell on; then the round begins."""
        self._roulette = roulette
        self._began = roulette.ends

    def stop_spinning(self) -> None:
        """Somebody has pressed something: the suspense is over."""
        self._roulette = None

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
        if self._question is not None and now >= self._question[1]:
            self._question = None
        if self._face is not None and now >= self._face[1]:
            self._face = None
        if self.pairing is not None and now >= self.pairing.ends:
            self.pairing = None
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

    def next_end(self) -> float:
        """When `ended` should be asked; what is only seen, the picture knows itself."""
        times = [NEVER]
        if self._question is not None:
            times.append(self._question[1])
        if self._face is not None:
            times.append(self._face[1])
        if self.pairing is not None:
            times.append(self.pairing.ends)
        if self._roulette is not None:
            times.append(self._roulette.ends)
        if self._leaving is not None:
            times.append(self._leaving + LEAVING_TAKES)
        return min(times)

    def moment(
        self, table: Table, holding: tuple[float, float] | None, clock_shift: float
    ) -> Moment:
        """All of it, for a picture."""
        return Moment(
            asked=_who_may_answer(table) if self._question is not None else (),
            refused_until=self._refused_until,
            holding=holding,
            began=self._began,
            face=self._face[0] if self._face else None,
            pairing=self.pairing.number if self.pairing else "",
            roulette=self._roulette,
            leaving=self._leaving,
            clock_shift=clock_shift,
        )


def _who_may_answer(table: Table) -> tuple[int, ...]:
    if table.phase == "lobby":
        return tuple(SEATS)
    return tuple(seat.number for seat in table.players())
