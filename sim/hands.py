"""Gestures as values, carried out on the buttons of a simulated hub.

`steps` turns a gesture into edges and pauses, by the hub's own thresholds. The demo awaits each
pause in real time; `Hands` owns a hub in virtual time and lets it pass at once.
Hands press buttons and read lights; the hub's state is read from its public state.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from math import inf
from pathlib import Path
from typing import Literal, NamedTuple

from centerpiece.display.looks import BLINK, TRAIN_LOOKS, recognized
from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import TIMING, Hub
from centerpiece.hub.voice import Utterance
from centerpiece.speech.languages import language
from centerpiece.storage.journal import Journal
from centerpiece.storage.writer import DirectWriter
from hal.ports import Trouble, Zone
from sim.board import SimBoard, build
from sim.clock import VirtualClock

TAP_TAKES = TIMING.hold / 10
BETWEEN_TAPS = 0.4 * TIMING.double
PAUSE = TIMING.double + 0.2
"""Pause after each gesture, so that two taps are not a double tap."""
HOLD_MARGIN = 0.1
"""Time that a button is held beyond its threshold."""
GLANCE_INTERVAL = BLINK / 2
"""Interval between two looks at a light that may blink."""
DARK = frozenset({"off", "closed"})
"""Looks that may be the dark half of a blink."""
NO_DOCKS: Mapping[int, bool] = {}
ROUNDING = 1e-9
"""Tolerance for sums of seconds."""


class HandGesture(NamedTuple):
    """A tap, double tap or hold of a button; a hold also of two buttons, joined by a plus.

    A train marker is lifted out of its dock or comes home to it.
    """

    kind: Literal["tap", "double", "hold", "lift", "home"]
    button: str
    seconds: float | None = None
    """Length of a hold; by default until it acts."""

    def __str__(self) -> str:
        return f"{self.kind} {self.button}"


def tap(button: str) -> HandGesture:
    return HandGesture("tap", button)


def double(button: str) -> HandGesture:
    return HandGesture("double", button)


def lift(seat: int) -> HandGesture:
    return HandGesture("lift", f"dock-{seat}")


def home(seat: int) -> HandGesture:
    return HandGesture("home", f"dock-{seat}")


def hold(button: str, seconds: float | None = None) -> HandGesture:
    """Hold until it acts, or for a time."""
    return HandGesture("hold", button, seconds)


def chord(*buttons: str) -> HandGesture:
    """Hold buttons together until it acts."""
    return hold("+".join(buttons))


def dialled(number: int, double_blank: bool = False) -> Iterator[HandGesture]:
    """Yield the taps that enter a hand of `number` pips: digits, the double blank, and Advance.

    A hand of the double blank alone needs no zero. Seat 10 is the digit 0.
    """
    for digit in str(number) if number or not double_blank else "":
        yield tap(f"seat-{digit if digit != '0' else 10}")
    if double_blank:
        yield tap("train")
    yield tap("advance")


class ButtonStep(NamedTuple):
    """An edge of one button, and the pause after it."""

    button: str
    down: bool
    pause: float


@cache
def steps(gesture: HandGesture, pause: float = PAUSE) -> tuple[ButtonStep, ...]:
    """Return the edges of a gesture; `pause`, in seconds, follows the last one.

    A hold without a length is as long as the hub needs.
    """
    kind, button, seconds = gesture
    if kind == "hold":
        return _pressed(button, _until_it_acts(button) if seconds is None else seconds, pause)
    once = _pressed(button, TAP_TAKES, pause)
    return _pressed(button, TAP_TAKES, BETWEEN_TAPS) + once if kind == "double" else once


def _pressed(button: str, seconds: float, pause: float) -> tuple[ButtonStep, ...]:
    """Return the edges of a button, or of several joined by a plus, that are pressed together.

    They are held for `seconds`; `pause`, in seconds, follows.
    """
    *others, last = button.split("+")
    return (
        *(ButtonStep(other, True, 0.0) for other in others),
        ButtonStep(last, True, seconds),
        *(ButtonStep(other, False, 0.0) for other in others),
        ButtonStep(last, False, pause),
    )


def _until_it_acts(button: str) -> float:
    longer = {**TIMING.holds, **TIMING.chords}
    return longer.get(button, TIMING.hold) + HOLD_MARGIN


class Hands:
    """A new hub in virtual time, with hands on its buttons and eyes on its lights.

    A `watched` hub is woken and paints whenever it is due, as under the service. An unwatched one,
    as in thousands of simulated games, is woken at the end of a wait and paints only for `look`.
    """

    def __init__(self, path: Path | str = ":memory:", watched: bool = True) -> None:
        self.clock = VirtualClock()
        self.heard: list[str] = []
        """The cues since it was last cleared."""
        self.said: list[str] = []
        """All sentences spoken so far."""
        self._watched = watched
        self.start(path)

    def start(self, path: Path | str, docks: Mapping[int, bool] = NO_DOCKS) -> None:
        """Start a new hub, on a new board, with the journal at `path`.

        `docks` are the seats with a dock, and for each whether its marker is in it.
        """
        self.journal = Journal(path, GAMES)
        self.writer = DirectWriter(self.journal)
        self._stalled_until = inf
        self.board: SimBoard = build(clock=self.clock, report=self._report)
        self.board.sound.listeners.append(lambda cue, volume: self.heard.append(cue))
        self.hub = Hub(GAMES, self.journal, self.board, writer=self.writer)
        if self._watched:
            self.hub.on_said(self._on_said)
        self.writer.listen(self.hub.wrote)
        if self._watched:
            self.hub.on_stale(self.hub.paint)
        self.board.buttons.listen(self.hub.hear)
        self.board.docks.home |= docks
        self.board.docks.listen(self.hub.hear_dock)
        self.zones = {zone.name: zone for zone in self.board.zones}

    def stop(self) -> None:
        """Stop the hub and drop all references to it, which spares a garbage collection."""
        self.writer.close()
        self.board.buttons.close()
        self.board.docks.close()
        self.board.sound.listeners.clear()
        self.board.sound.sentence_listeners.clear()
        del self.board, self.hub

    def do(self, gesture: HandGesture) -> None:
        """Carry out a gesture and the pause after it, in virtual time.

        A hold without a length is as long as the hub needs just now.
        """
        if gesture.kind in ("lift", "home"):
            self.move(int(gesture.button.removeprefix("dock-")), gesture.kind == "home")
            return
        edge, wait = self.board.buttons.edge, self.wait
        if gesture.kind == "hold" and gesture.seconds is None:
            gesture = gesture._replace(seconds=self.hub.holds()[gesture.button] + HOLD_MARGIN)
        for button, down, pause in steps(gesture):
            edge(button, down)
            if pause:
                wait(pause)

    def move(self, seat: int, home: bool) -> None:
        """Lift a marker out of its dock, or with `home` put it back; wait until it has settled."""
        self.board.docks.level(seat, home)
        self.wait(PAUSE)
        self.hub.wake()

    def wait(self, seconds: float) -> None:
        """Let seconds of virtual time pass, waking the hub whenever it is due.

        An unwatched hub is woken once at the end, and only after a wait as long as a hold.
        """
        clock, hub = self.clock, self.hub
        if not self._watched:
            clock.move(seconds)
            if seconds >= TIMING.hold:
                hub.wake()
            return
        until = clock.now() + seconds
        while (wake := min(hub.next_wake() or inf, self._stalled_until)) <= until + ROUNDING:
            clock.move(max(0.0, wake - clock.now()))
            if clock.now() >= self._stalled_until:
                self._stalled_until = inf
                self.writer.go_on()
            hub.wake()
        clock.move(max(0.0, until - clock.now()))

    def stall(self, seconds: float) -> None:
        """Make the disk stall for some seconds from now on."""
        self.writer.hold()
        self._stalled_until = self.clock.now() + seconds

    def look(self, *zones: str) -> list[set[str]]:
        """Return the looks that each of these zones shows, watched long enough to see a blink.

        So virtual time may pass. Darkness between blinks is left out.
        """
        seen = [set(looks) for looks in self.glance(*zones)]
        until = self.clock.now() + BLINK + ROUNDING
        while any(DARK & looks for looks in seen) and self.clock.now() < until:
            self.wait(GLANCE_INTERVAL)
            for looks, now in zip(seen, self.glance(*zones), strict=True):
                looks |= now
        return [_without_darkness(looks) for looks in seen]

    def sees(self, zone: str, look: str) -> set[str]:
        """Return the looks of a zone; unless `look` is seen at once, it is watched for a blink."""
        (seen,) = self.glance(zone)
        if look not in seen or look in DARK:
            (seen,) = self.look(zone)
        return seen

    def glance(self, *zones: str) -> list[set[str]]:
        """Return the looks of zones at this moment."""
        self.hub.paint()
        return [self._shown(self.zones[zone]) for zone in zones]

    def _shown(self, zone: Zone) -> set[str]:
        pixels = self.board.lights.frame[3 * zone.start : 3 * (zone.start + zone.count)]
        if zone.name == "train" and not any(pixels):
            return set(DARK)  # the shared train has no person who could be absent
        return set(recognized(pixels)) or {"something else"}

    def _on_said(self, utterance: Utterance) -> None:
        spoken = language(self.hub.preferences.language)
        self.said.append(utterance.message.say(spoken).words)

    def _report(self, trouble: Trouble) -> None:
        self.hub.trouble(trouble)


def _without_darkness(looks: set[str]) -> set[str]:
    """Return looks without the dark half of a blink; darkness alone stays.

    A closed train, which is dark, stays beside a person's light.
    """
    lit = looks - DARK
    if not lit or not lit.isdisjoint(TRAIN_LOOKS):
        return lit or looks
    return looks - {"off"}
