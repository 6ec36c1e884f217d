"""The cells of the panel map as data: each binds a gesture on a button to an action.

A game declares its own bindings with these; `centerpiece.panel` has those of every game.
"""

from collections.abc import Callable
from functools import cache
from typing import Literal, NamedTuple

import msgspec
from msgspec.structs import asdict, replace

from centerpiece.table.commands import Command
from centerpiece.table.question import What
from centerpiece.table.state import Phase

GestureKind = Literal["tap", "double", "hold", "lift", "home"]
GESTURE_KINDS: tuple[GestureKind, ...] = ("tap", "double", "hold")
"""The gestures on a button; `lift` and `home` are those of a train marker and its dock."""

SEAT = -1
"""Placeholder in an action: the seat whose button was pressed."""
ABOUT = -2
"""Placeholder in an action: the seat that the open question is about."""

LOBBY: tuple[Phase, ...] = ("lobby",)
PLAYING: tuple[Phase, ...] = ("playing",)
SCORING: tuple[Phase, ...] = ("scoring",)
FINISHED: tuple[Phase, ...] = ("finished",)
GAME: tuple[Phase, ...] = ("playing", "scoring")
AFTER: tuple[Phase, ...] = ("scoring", "finished")
ALWAYS: tuple[Phase, ...] = ("lobby", "playing", "scoring", "finished")


class Ask(msgspec.Struct, frozen=True, gc=False):
    """Open a question before anything happens."""

    what: What
    about: int | None = None


class Effect(msgspec.Struct, frozen=True, gc=False):
    """An action of the ui or the hub that changes no table, such as the volume or a typed digit.

    `seat` is the button's seat where the effect needs one (a digit, a total, a hand to count).
    """

    what: Literal[
        "pair",
        "shutdown",
        "whistle",
        "volume",
        "gentle",
        "quiet",
        "never-mind",
        "digit",
        "plus",
        "double-blank",
        "hidden",
        "in-play",
        "count",
        "take",
        "back",
        "total",
        "parade",
        "aloud",
        "forget-phones",
    ]
    seat: int = 0


Action = Command | Ask | Effect

Condition = Literal[
    "",
    "counting",
    "typed",
    "fines-hidden",
    "made-in-play",
    "all-counted",
    "turns",
    "won-in-play",
    "parade",
    "skipped",
    "nobody-plays",
]
"""A condition beside the phase: a hand is being counted, digits of it are typed, the rules fine it
if it was not shown, its seat can make points in play, all hands are counted, the table tracks
turns, the game was won in play, the standings are shown place by place, the seat has a turn to
lose, nobody plays at the seat.
"""
When = What | Condition
"""The name of an open question as in the public state, or a condition."""


class Binding(NamedTuple):
    """One cell of the panel map.

    `control` is a button, two joined by a plus, `seat` for all ten, or `dock` for theirs. `label`
    fits on the button, `words` explain it. `action` has `SEAT` and `ABOUT` in place of seat
    numbers; where that is not enough, it is a function of the two numbers.
    """

    phases: tuple[Phase, ...]
    control: str
    gesture: GestureKind
    label: str
    words: str
    action: Action | Callable[[int, int], Action]
    when: When = ""


Row = tuple[str, GestureKind, str, str, Action]


def bind(phases: tuple[Phase, ...], when: When, *rows: Row) -> tuple[Binding, ...]:
    return tuple(Binding(phases, *row, when) for row in rows)


@cache
def action_for(
    action: Action | Callable[[int, int], Action], seat: int, about: int | None = None
) -> Action:
    """Return the action of a binding with `SEAT` and `ABOUT` replaced by seat numbers.

    `seat` is the seat of the pressed button, `about` the one that the open question is about. An
    action that is a function is called with both, and with 0 where `about` is None.
    """
    if not isinstance(action, msgspec.Struct):
        return action(seat, about or 0)
    numbers = {SEAT: seat, ABOUT: about}
    changes = {
        name: numbers[value]
        for name, value in asdict(action).items()
        if type(value) is int and value in numbers
    }
    return replace(action, **changes) if changes else action
