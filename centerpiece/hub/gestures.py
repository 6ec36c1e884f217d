"""From raw edges to gestures: press, tap, double tap, hold, and two buttons held together.

Pure: time comes with the edges and with `due`.
No gesture is delayed: a press is reported at once, a tap on its release, a hold while the button
is still down, and a double tap as the second of two taps, after the first one has acted.

Bounce: the first edge counts at once. After it the line must be quiet for `settle` seconds before
its level is read again, so chatter of any length is one edge, and even a press shorter than the
chatter is seen. The next edge's stamp shows that the line was quiet. If none comes, time does, but
only after `patience`: an edge may have happened and not have been delivered yet.

Before time alone decides, the line itself is read. If it is not as the last edge left it, an edge
is on its way, and the decision waits for it; after `LOST` seconds the edge counts as lost.
"""

from collections.abc import Callable, Mapping
from math import inf
from typing import NamedTuple

from centerpiece.panel.gesture import Gesture
from hal.ports import Edge

LOST = 1.0

GENTLE_HOLD, GENTLE_CHORD, SAME_TAP = 0.5, 1.0, 0.6
DIGIT_HOLD = 1.5


class Timing(NamedTuple):
    """The thresholds, in seconds; `holds` lists the buttons that differ from `hold`."""

    settle: float = 0.020
    patience: float = 0.050
    double: float = 0.300
    hold: float = 0.800
    holds: Mapping[str, float] = {}
    chords: Mapping[str, float] = {}
    same: float = 0.0
    """For hands that shake: a second tap on the same button within this time is ignored. A double
    tap is a tap on a seat while `train` is held, or on `train` while a seat is. 0 turns this off.
    """
    digit: float = DIGIT_HOLD
    """The hold of a seat while it is a digit."""


def gentle(timing: Timing) -> Timing:
    """Return the thresholds for hands that shake."""
    chords = dict.fromkeys(timing.chords, GENTLE_CHORD)
    return timing._replace(hold=GENTLE_HOLD, holds={}, chords=chords, same=SAME_TAP)


class _Button:
    """The state of one button: `level` is the line's, `down` is debounced."""

    __slots__ = (
        "ask_at",
        "differs_since",
        "down",
        "edge_at",
        "hold",
        "level",
        "pressed_at",
        "spent",
        "tapped_at",
    )

    def __init__(self) -> None:
        self.hold = 0.0
        """The time its present press takes to be a hold."""
        self.down = False
        self.level = False
        self.edge_at = -inf
        self.pressed_at = 0.0
        self.tapped_at: float | None = None
        self.spent = True
        self.ask_at = -inf
        """While an edge is on its way, the time to read the line again."""
        self.differs_since: float | None = None


class Gestures:
    """Recognizes the gestures of all buttons of a hub; expects edges in order of time.

    `is_down` reads a button's line, as the Buttons port does.
    """

    def __init__(
        self,
        timing: Timing | None = None,
        is_down: Callable[[str], bool | None] = lambda button: None,
    ) -> None:
        self.timing = timing or Timing()
        self.digits = False
        """True while the seats are digits, and held longer for anything else."""
        self._is_down = is_down
        self._buttons: dict[str, _Button] = {}
        self._lively: dict[str, _Button] = {}
        """Buttons that time alone can change: not settled yet, or being held."""
        self._down: set[str] = set()
        self._chords: dict[str, float] = {}
        self._next = inf
        """The next time at which a gesture may come without an edge."""

    def follow(self, timing: Timing) -> None:
        """Use other thresholds from the next press on."""
        self.timing = timing

    def hold_of(self, name: str) -> float:
        """Return the seconds that the button `name` must be held now."""
        if self.digits and name.startswith("seat-"):
            return self.timing.digit
        return self.timing.holds.get(name, self.timing.hold)

    def edge(self, edge: Edge) -> list[Gesture]:
        """Return the gestures that an edge, and the time before it, amount to.

        An edge too soon after another one is a bounce, and counts only if the level stays.
        """
        name, down, now = edge.button, edge.down, edge.now
        button = self._buttons.get(name)
        if button is None:
            button = self._buttons[name] = _Button()
        elif button.differs_since is not None:
            button.ask_at, button.differs_since = -inf, None
            self._next = self._soonest()
        gestures = self.due(now, name) if self._next <= now else []
        if button.level != button.down and now >= button.edge_at + self.timing.settle:
            gestures += self._changed(name, button, button.edge_at)
        button.level = down
        if down != button.down and now >= button.edge_at + self.timing.settle:
            gestures += self._changed(name, button, now)
        button.edge_at = now
        self._watch(name, button)
        self._next = self._soonest() if self._lively or self._chords else inf
        return gestures

    def due(self, now: float, certain: str = "") -> list[Gesture]:
        """Return the gestures that passing time has made, in order.

        `certain` is a button whose edge has just come: its stamp tells what the button was until
        `now`.
        """
        gestures: list[Gesture] = []
        while self._next <= now:
            gestures += self._due_at(self._next, now, certain)
            self._next = self._soonest()
        return gestures

    def _due_at(self, at: float, now: float, certain: str) -> list[Gesture]:
        """Return the gestures that are due at the time `at`: levels that settled, and holds.

        Nothing is decided about a button for which an edge may be on its way, unless it is
        `certain`.
        """
        gestures: list[Gesture] = []
        for name, button in list(self._lively.items()):
            settles = button.level != button.down and at >= self._settled_at(button)
            acts = button.down and not button.spent and at >= self._acts_at(button)
            if (settles or acts) and name != certain and self._waits(name, button, now):
                continue
            if settles:
                gestures += self._changed(name, button, button.edge_at)
            if button.down and not button.spent and at >= self._acts_at(button):
                button.spent = True
                gestures.append(Gesture("hold", name, button.pressed_at + button.hold))
            self._watch(name, button)
        for chord, ends in list(self._chords.items()):
            if at >= ends:
                del self._chords[chord]
                gestures.append(Gesture("hold", chord, ends))
        return gestures

    def _waits(self, name: str, button: _Button, now: float) -> bool:
        """Read the line; return True if an edge is on its way, so that nothing is decided yet.

        After LOST seconds such an edge is taken for lost, and the line for true.
        """
        line = self._is_down(name)
        if line is None or line == button.level:
            button.ask_at, button.differs_since = -inf, None
            return False
        since = button.differs_since = now if button.differs_since is None else button.differs_since
        button.ask_at = now + self.timing.patience
        if now - since >= LOST:
            button.level, button.edge_at = line, now
            button.spent = button.spent or not line  # nobody knows when it was released
            button.ask_at, button.differs_since = -inf, None
            self._watch(name, button)
        return True

    def deadline(self) -> float:
        """Return when to call `due` next; infinity while no button can change by time."""
        return self._next

    def _soonest(self) -> float:
        """Return the next time at which a gesture may come without an edge; inf if none may."""
        soonest = min(self._chords.values()) if self._chords else inf
        for button in self._lively.values():
            if button.level != button.down:
                soonest = min(soonest, self._settled_at(button))
            if button.down and not button.spent:
                soonest = min(soonest, self._acts_at(button))
        return soonest

    def _settled_at(self, button: _Button) -> float:
        return max(button.edge_at + self.timing.settle + self.timing.patience, button.ask_at)

    def _acts_at(self, button: _Button) -> float:
        return max(button.pressed_at + button.hold, button.ask_at)

    def _watch(self, name: str, button: _Button) -> None:
        """Note whether time alone can change this button now."""
        if button.level != button.down or not button.spent:
            self._lively[name] = button
        else:
            self._lively.pop(name, None)

    def held(self, name: str) -> tuple[float, float] | None:
        """Return when a button was pressed and the seconds its hold takes; None if it is not held.

        None also once its hold has come, or as part of a chord.
        """
        button = self._buttons.get(name)
        if button is None or not button.down or button.spent:
            return None
        return button.pressed_at, button.hold

    def forget(self) -> None:
        """Reset all buttons without any gesture, because the device is gone."""
        self._buttons.clear()
        self._lively.clear()
        self._down.clear()
        self._chords.clear()
        self._next = inf

    def _changed(self, name: str, button: _Button, now: float) -> list[Gesture]:
        """Turn a button's settled state over at the time `now`, and return the gestures of that."""
        button.down = not button.down
        if button.down:
            self._down.add(name)
            return self._pressed(name, button, now)
        self._down.discard(name)
        return self._let_go(name, button, now)

    def _pressed(self, name: str, button: _Button, now: float) -> list[Gesture]:
        """Return the press of a button; together with another it may begin a chord.

        Buttons in a chord make no tap or hold of their own. With several chords down, none counts.
        """
        button.pressed_at = now
        button.hold = self.hold_of(name)
        button.spent = False
        held = self._chords_down() if len(self._down) > 1 else []
        for chord in held:
            for other in chord.split("+"):
                self._buttons[other].spent = True
                self._buttons[other].tapped_at = None
        if len(held) > 1:
            # An arm on the panel, not a chord: it is unclear which one is meant.
            self._chords.clear()
        elif held and name in held[0].split("+"):
            self._chords[held[0]] = now + self.timing.chords[held[0]]
        return [Gesture("press", name, now)]

    def _chords_down(self) -> list[str]:
        """Return the chords that are down; a seat's only alone, because hands rest on seats."""
        down = []
        for chord in self.timing.chords:
            pair = set(chord.split("+"))
            if pair <= self._down and (pair == self._down or not chord.startswith("seat-")):
                down.append(chord)
        return down

    def _let_go(self, name: str, button: _Button, now: float) -> list[Gesture]:
        """Return the release of a button, and the tap or double tap that it completes.

        A press that was a hold or part of a chord makes neither. For shaky hands, a tap soon after
        another is dropped, and a double tap is a seat and `train` together.
        """
        gestures = [Gesture("release", name, now)]
        if self._chords:
            self._chords = {c: at for c, at in self._chords.items() if name not in c.split("+")}
        since = inf if button.tapped_at is None else button.pressed_at - button.tapped_at
        gentle = self.timing.same > 0
        if gentle:
            button.tapped_at = now
        if button.spent:
            return gestures
        button.spent = True
        if gentle:
            if self._spend_held(name):
                return [*gestures, Gesture("double", name, now)]
            return gestures if since <= self.timing.same else [*gestures, Gesture("tap", name, now)]
        second = since <= self.timing.double
        button.tapped_at = None if second else now
        return [*gestures, Gesture("double" if second else "tap", name, now)]

    def _spend_held(self, name: str) -> bool:
        """Spend the buttons held beside `name`, so that they make no tap; True if there are any.

        Only `train` and a seat go together: for a seat `train` is spent, for `train` every held
        seat.
        """
        seat = name.startswith("seat-")
        held = [
            self._buttons[other]
            for other in self._down
            if (other == "train" if seat else name == "train" and other.startswith("seat-"))
        ]
        for button in held:
            button.spent = True
        return bool(held)
