"""What the buttons do: data, one table for each phase, which a game's own bindings complete.

The service turns a gesture into the binding's command; `centerpiece panel` prints the same data.
"""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Literal, NamedTuple

from centerpiece.table.commands import (
    AddPips,
    Block,
    CallLastTile,
    Catch,
    Command,
    CountRest,
    DesignateStarter,
    DrawStarter,
    EndRound,
    FinishGame,
    GoOut,
    MoveSeat,
    NextGame,
    NextProfile,
    NextRound,
    NextSet,
    OpenLobby,
    PassEngine,
    PassTurn,
    Redo,
    Rematch,
    SetEngine,
    Start,
    ToggleSeat,
    Undo,
)
from centerpiece.table.state import Phase, Table

Gesture = Literal["tap", "double", "hold"]


class Ask(NamedTuple):
    """Not a command yet: the next seat tapped within `seconds` completes it."""

    kind: Literal["whistle", "caught", "move", "starter", "drawn"]
    seconds: float
    answer: Callable[[int], Command]


class Ordered(NamedTuple):
    """Something that the service does itself, outside the books."""

    what: Literal["pair", "shutdown", "whistle", "volume", "quiet"]


Deed = Command | Ask | Ordered


When = Literal["", "out", "double", "turns"]
"""What must hold for a binding to apply, beside the phase: a question that the hub asks (by its
name in the public state), or rules that count turns."""

_HOLDS: dict[When, Callable[[Table], bool]] = {
    "out": Table.asks_who_is_out,
    "double": Table.asks_which_double,
    "turns": lambda table: table.rules.tells_turns,
}


class Binding(NamedTuple):
    """One cell of the panel map: a control (`seat` stands for all ten), a gesture, the deed."""

    phases: tuple[Phase, ...]
    control: str
    gesture: Gesture
    words: str
    deed: Callable[[int], Deed]
    when: When = ""


LOBBY: tuple[Phase, ...] = ("lobby",)
PLAYING: tuple[Phase, ...] = ("playing",)
SCORING: tuple[Phase, ...] = ("scoring",)
GAME: tuple[Phase, ...] = ("playing", "scoring")
ALWAYS: tuple[Phase, ...] = ("lobby", "playing", "scoring", "finished")

ANSWER_WITHIN = 5.0
CHORD_HOLDS = {
    "train+advance": 3.0,
    "whistle+advance": 3.0,
    "advance+undo": 5.0,
    "train+whistle": 1.5,
    "train+undo": 1.5,
    "whistle+undo": 1.5,
}
"""How long two buttons must be held together."""
LONG_HOLDS = {"advance": 1.5}
"""Buttons that must be held longer than others."""

FIRST: tuple[Binding, ...] = (
    Binding(
        PLAYING,
        "seat",
        "tap",
        "this seat holds the double that the face shows, and starts",
        lambda n: SetEngine(seat=n),
        "double",
    ),
    Binding(
        PLAYING,
        "train",
        "tap",
        "nobody holds it: the next lower double",
        lambda n: PassEngine(),
        "double",
    ),
    Binding(SCORING, "seat", "tap", "this seat went out", lambda n: GoOut(n), "out"),
    Binding(
        SCORING,
        "seat",
        "hold",
        "this seat went out on a double",
        lambda n: GoOut(n, on_double=True),
        "out",
    ),
    Binding(
        PLAYING,
        "advance",
        "tap",
        "my turn is over",
        lambda n: PassTurn(),
        "turns",
    ),
    Binding(
        PLAYING,
        "advance",
        "hold",
        "end the round, then tap the seat that went out",
        lambda n: EndRound(),
        "turns",
    ),
)
"""What comes before a game's own bindings, while a question is open or where turns are told."""

SHARED: tuple[Binding, ...] = (
    Binding(LOBBY, "seat", "tap", "this seat plays / does not", lambda n: ToggleSeat(n)),
    Binding(
        LOBBY,
        "seat",
        "hold",
        "move: the next seat tapped within 5 s is the new place",
        lambda n: Ask("move", ANSWER_WITHIN, lambda s: MoveSeat(n, s)),
    ),
    Binding(LOBBY, "train", "tap", "next game", lambda n: NextGame()),
    Binding(LOBBY, "train", "double", "next size of set", lambda n: NextSet()),
    Binding(
        LOBBY,
        "train",
        "hold",
        "next profile of the game, then its saved house rules",
        lambda n: NextProfile(),
    ),
    Binding(LOBBY, "advance", "hold", "start the game", lambda n: Start()),
    Binding(
        LOBBY,
        "train+whistle",
        "hold",
        "start the game; the lights draw who starts",
        lambda n: DrawStarter(),
    ),
    Binding(
        PLAYING,
        "train+whistle",
        "hold",
        "the lights draw who starts the round",
        lambda n: DrawStarter(),
    ),
    Binding(
        PLAYING,
        "train+undo",
        "hold",
        "the next seat tapped within 5 s starts the round",
        lambda n: Ask("starter", ANSWER_WITHIN, DesignateStarter),
    ),
    Binding(
        PLAYING,
        "whistle",
        "tap",
        "sounds at once; the next seat tapped within 5 s announces its last tile",
        lambda n: Ask("whistle", ANSWER_WITHIN, lambda s: CallLastTile(s, sounded=True)),
    ),
    Binding(
        PLAYING,
        "whistle",
        "hold",
        "caught! the next seat tapped did not announce its last tile",
        lambda n: Ask("caught", ANSWER_WITHIN, Catch),
    ),
    Binding(
        PLAYING,
        "advance",
        "tap",
        "end the round, then tap the seat that went out",
        lambda n: EndRound(),
    ),
    Binding(SCORING, "seat", "tap", "one pip more", lambda n: AddPips(n, 1)),
    Binding(SCORING, "seat", "hold", "ten pips more", lambda n: AddPips(n, 10)),
    Binding(SCORING, "train", "tap", "hands not counted yet count nothing", lambda n: CountRest()),
    Binding(SCORING, "train", "hold", "the round was blocked", lambda n: Block()),
    Binding(GAME, "advance", "hold", "next round", lambda n: NextRound()),
    Binding(GAME, "whistle+advance", "hold", "end the game here", lambda n: FinishGame()),
    Binding(
        ("finished",),
        "advance",
        "hold",
        "back to the lobby, same people seated",
        lambda n: OpenLobby(),
    ),
    Binding(
        ("finished",),
        "train",
        "hold",
        "rematch: the same people and rules, at once",
        lambda n: Rematch(),
    ),
    Binding(
        ("lobby", "scoring", "finished"),
        "whistle",
        "tap",
        "sounds",
        lambda n: Ordered("whistle"),
    ),
    Binding(ALWAYS, "undo", "tap", "undo", lambda n: Undo()),
    Binding(ALWAYS, "undo", "hold", "redo", lambda n: Redo()),
    Binding(
        ("lobby", "finished"),
        "whistle",
        "hold",
        "quieter by a third, then silent, then full again",
        lambda n: Ordered("volume"),
    ),
    Binding(
        ALWAYS,
        "whistle+undo",
        "hold",
        "quiet and dim for ten hours from now, every day / no longer",
        lambda n: Ordered("quiet"),
    ),
    Binding(
        ALWAYS,
        "train+advance",
        "hold",
        "phones may pair for a minute: type the number on the face",
        lambda n: Ordered("pair"),
    ),
    Binding(
        ALWAYS,
        "advance+undo",
        "hold",
        "safe shutdown, lights sweep out",
        lambda n: Ordered("shutdown"),
    ),
)


@cache
def control_of(button: str) -> tuple[str, int]:
    """The row of the panel map a button belongs to, and the seat it stands for (0 if none)."""
    kind, _, number = button.partition("-")
    return (kind, int(number)) if kind == "seat" else (button, 0)


class Panel:
    """The whole map of one game, for looking up what a gesture means."""

    def __init__(self, own: Iterable[Binding]) -> None:
        self.bindings = (*FIRST, *own, *SHARED)
        self._by_place: dict[tuple[str, str, str], list[Binding]] = {}
        for binding in self.bindings:
            for phase in binding.phases:
                place = (phase, binding.control, binding.gesture)
                self._by_place.setdefault(place, []).append(binding)

    def deed(self, table: Table, button: str, gesture: Gesture) -> Deed | None:
        """What a gesture on a button asks for now; None if it means nothing."""
        control, seat = control_of(button)
        for binding in self._by_place.get((table.phase, control, gesture), ()):
            if not binding.when or _HOLDS[binding.when](table):
                return binding.deed(seat)
        return None

    def means(self, table: Table, button: str, gesture: Gesture) -> bool:
        """Whether a gesture on this button is bound to anything now."""
        return self.deed(table, button, gesture) is not None
