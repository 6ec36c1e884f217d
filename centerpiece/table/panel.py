"""What the buttons do: data, one table for each phase, which a game's own bindings complete.

The service turns a gesture into the binding's command; `centerpiece panel` prints the same data.
"""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Literal, NamedTuple

from centerpiece.table.checks import MOST_SEATS
from centerpiece.table.commands import (
    Arrive,
    Block,
    CallLastTile,
    Catch,
    Command,
    CountRest,
    DesignateStarter,
    DrawStarter,
    EndSkip,
    FewerRounds,
    FinishGame,
    GoOut,
    Leave,
    MoveSeat,
    NextGame,
    NextProfile,
    NextRound,
    NextSet,
    OpenLobby,
    PassEngine,
    PassTurn,
    PlayOff,
    Redo,
    Rematch,
    SetEngine,
    Start,
    TakeFitting,
    ToggleSeat,
    Undo,
)
from centerpiece.table.questions import What
from centerpiece.table.state import Phase

Gesture = Literal["tap", "double", "hold"]
GESTURES: tuple[Gesture, ...] = ("tap", "double", "hold")


class Ask(NamedTuple):
    """Not a command yet: the hub asks first (`questions.ask` says in which words, and whom)."""

    what: What
    about: int | None = None


class Ordered(NamedTuple):
    """Something that the hub does itself, outside the books; `seat` if it is about one."""

    what: Literal[
        "pair",
        "shutdown",
        "whistle",
        "volume",
        "gentle",
        "quiet",
        "never-mind",
        "digit",
        "double-blank",
        "count",
        "take",
        "back",
        "total",
        "parade",
        "aloud",
        "forget-phones",
    ]
    seat: int = 0


Deed = Command | Ask | Ordered


When = What | Literal["", "counting", "counted", "turns", "won", "parade", "skipped", "dark"]
"""What must hold for a binding to apply, beside the phase: a question that is open (by its name
in the public state), that a hand is being counted or all are, that the rules count turns, that the
game was won in play, that the standings parade, that the seat has a turn to lose, that nobody plays
at it."""


class Binding(NamedTuple):
    """One cell of the panel map: a control (`seat` stands for all ten), a gesture, the deed.

    `label` is what fits on the button; `words` say it to somebody who asks. The deed is told the
    seat and, where it is marked `about`, also whom the question is about.
    """

    phases: tuple[Phase, ...]
    control: str
    gesture: Gesture
    label: str
    words: str
    deed: Callable[..., Deed]
    when: When = ""
    about: bool = False


LOBBY: tuple[Phase, ...] = ("lobby",)
PLAYING: tuple[Phase, ...] = ("playing",)
SCORING: tuple[Phase, ...] = ("scoring",)
GAME: tuple[Phase, ...] = ("playing", "scoring")
AFTER: tuple[Phase, ...] = ("scoring", "finished")
ALWAYS: tuple[Phase, ...] = ("lobby", "playing", "scoring", "finished")

CHORD_HOLDS = {
    "train+advance": 3.0,
    "whistle+advance": 3.0,
    "advance+undo": 5.0,
    "train+undo": 5.0,
    "whistle+undo": 1.5,
    "seat+undo": 3.0,
}
"""How long two buttons must be held together; `seat` stands for all ten."""
LONG_HOLDS = {"advance": 1.5}
"""Buttons that must be held longer than others."""


def _never_mind(when: When, *places: tuple[str, Gesture]) -> tuple[Binding, ...]:
    """A question is taken back by the button that asked it, and by undo."""
    never_mind = Ordered("never-mind")
    return tuple(
        Binding(ALWAYS, control, gesture, "Never mind", "never mind", lambda n: never_mind, when)
        for control, gesture in (*places, ("undo", "tap"))
    )


ANSWERS: tuple[Binding, ...] = (
    Binding(
        PLAYING,
        "seat",
        "tap",
        "I start",
        "this seat starts",
        lambda n: DesignateStarter(n),
        "starter",
    ),
    Binding(
        PLAYING,
        "seat",
        "hold",
        "I start",
        "the same",
        lambda n: DesignateStarter(n),
        "starter",
    ),
    Binding(
        PLAYING,
        "train",
        "tap",
        "Draw lots",
        "the lights draw who starts",
        lambda n: DrawStarter(),
        "starter",
    ),
    Binding(
        PLAYING,
        "advance",
        "tap",
        "As shown",
        "as shown: the seat that is lit starts",
        lambda n: DesignateStarter(),
        "starter",
    ),
    Binding(
        PLAYING,
        "seat",
        "tap",
        "I hold it",
        "this seat holds the double that the face shows, and starts",
        lambda n: SetEngine(seat=n),
        "double",
    ),
    Binding(
        PLAYING,
        "seat",
        "hold",
        "I hold it",
        "the same",
        lambda n: SetEngine(seat=n),
        "double",
    ),
    Binding(
        PLAYING,
        "train",
        "tap",
        "Nobody",
        "nobody holds it: the next lower double",
        lambda n: PassEngine(),
        "double",
    ),
    Binding(GAME, "seat", "tap", "I am out", "this seat went out", lambda n: GoOut(n), "out"),
    Binding(
        GAME,
        "seat",
        "hold",
        "Out on a double",
        "this seat went out on a double",
        lambda n: GoOut(n, on_double=True),
        "out",
    ),
    Binding(
        GAME,
        "train",
        "tap",
        "Blocked",
        "nobody: the round is blocked",
        lambda n: Block(),
        "out",
    ),
    *_never_mind("out", ("advance", "tap"), ("advance", "hold"), ("train", "hold")),
    Binding(
        PLAYING,
        "seat",
        "tap",
        "It was me",
        "this seat blew the whistle",
        lambda n, about: Catch(about, whose=n),
        "whistled",
        about=True,
    ),
    Binding(
        PLAYING,
        "train",
        "tap",
        "Nobody",
        "it was nobody's whistle",
        lambda n, about: Catch(about, whose=0),
        "whistled",
        about=True,
    ),
    *_never_mind("whistled"),
    Binding(
        PLAYING,
        "seat",
        "tap",
        "It was me",
        "this seat announces its last tile",
        lambda n: CallLastTile(n, sounded=True),
        "last-tile",
    ),
    *_never_mind("last-tile"),
    Binding(
        PLAYING,
        "seat",
        "tap",
        "I have drawn",
        "the same seat: yes; another: nobody is fined",
        lambda n, about: Catch(about, drawn=n == about),
        "drawn",
        about=True,
    ),
    *_never_mind("drawn"),
    Binding(
        PLAYING,
        "seat",
        "tap",
        "Caught",
        "this seat did not announce its last tile",
        Catch,
        "caught",
    ),
    *_never_mind("caught", ("whistle", "tap"), ("whistle", "hold")),
    Binding(
        LOBBY,
        "seat",
        "tap",
        "Here",
        "this is the new place",
        lambda n, about: MoveSeat(about, n),
        "move",
        about=True,
    ),
    *_never_mind("move", ("seat", "hold")),
    Binding(
        LOBBY,
        "advance",
        "tap",
        "Yes, change",
        "yes: change to what fits",
        lambda n: TakeFitting(),
        "fit",
    ),
    *_never_mind("fit", ("advance", "hold")),
    Binding(
        SCORING,
        "advance",
        "hold",
        "Go on anyway",
        "go on; the missing hands follow later, from a phone",
        lambda n: NextRound(uncounted=True),
        "uncounted",
    ),
    *_never_mind("uncounted", ("advance", "tap")),
    Binding(
        GAME,
        "advance",
        "tap",
        "Yes, end it",
        "yes: the game ends here",
        lambda n: FinishGame(),
        "end",
    ),
    *_never_mind("end", ("whistle+advance", "hold")),
    Binding(
        ALWAYS,
        "advance",
        "tap",
        "Yes, forget",
        "yes: every phone has to be paired again",
        lambda n: Ordered("forget-phones"),
        "phones",
    ),
    *_never_mind("phones", ("train+undo", "hold")),
)
"""What the buttons mean while a question is open."""

FIRST: tuple[Binding, ...] = (
    Binding(
        GAME,
        "seat",
        "hold",
        "Join",
        "somebody arrives late: plays from the next round on",
        lambda n: Arrive(n),
        "dark",
    ),
    Binding(
        PLAYING,
        "advance",
        "tap",
        "Turn over",
        "my turn is over",
        lambda n: PassTurn(),
        "turns",
    ),
    Binding(
        PLAYING,
        "advance",
        "hold",
        "Round over",
        "asks who went out",
        lambda n: Ask("out"),
        "turns",
    ),
    Binding(
        PLAYING,
        "advance",
        "hold",
        "End of game",
        "the game is won: end it",
        lambda n: NextRound(),
        "won",
    ),
    Binding(
        ("playing", "scoring", "finished"),
        "whistle",
        "hold",
        "Read aloud",
        "reads the standings aloud; held again, the rules",
        lambda n: Ordered("aloud"),
        "parade",
    ),
    Binding(
        PLAYING,
        "seat",
        "tap",
        "Turn lost",
        "the turn that this seat had to lose is lost",
        lambda n: EndSkip(n),
        "skipped",
    ),
)
"""What comes before a game's own bindings: a seat that nobody plays at, where turns are told or
lost, a game was won, or the standings parade."""

SHARED: tuple[Binding, ...] = (
    Binding(LOBBY, "seat", "tap", "Play", "this seat plays / does not", lambda n: ToggleSeat(n)),
    Binding(
        LOBBY,
        "seat",
        "hold",
        "Move",
        "move: the next seat tapped is the new place",
        lambda n: Ask("move", n),
    ),
    Binding(LOBBY, "train", "tap", "Next game", "next game", lambda n: NextGame()),
    Binding(LOBBY, "train", "double", "Next set", "next size of set", lambda n: NextSet()),
    Binding(
        LOBBY,
        "train",
        "hold",
        "Next rules",
        "next profile of the game, then its saved house rules",
        lambda n: NextProfile(),
    ),
    Binding(
        LOBBY,
        "advance",
        "tap",
        "Fewer rounds",
        "fewer rounds: one less each tap, and round again",
        lambda n: FewerRounds(),
    ),
    Binding(LOBBY, "advance", "hold", "Start", "start the game", lambda n: Start()),
    Binding(
        PLAYING,
        "whistle",
        "tap",
        "Whistle",
        "sounds at once; the next seat tapped within 5 s announces its last tile",
        lambda n: Ask("last-tile"),
    ),
    Binding(
        PLAYING,
        "whistle",
        "hold",
        "Caught!",
        "caught! asks who did not announce the last tile",
        lambda n: Ask("caught"),
    ),
    Binding(PLAYING, "advance", "tap", "Round over", "asks who went out", lambda n: Ask("out")),
    Binding(
        PLAYING,
        "advance",
        "hold",
        "Standings",
        "the standings, place by place",
        lambda n: Ordered("parade"),
    ),
    Binding(
        AFTER,
        "seat",
        "tap",
        "My total",
        "shows its total",
        lambda n: Ordered("total", n),
        "counted",
    ),
    Binding(
        AFTER,
        "advance",
        "tap",
        "Standings",
        "the standings, place by place",
        lambda n: Ordered("parade"),
        "counted",
    ),
    Binding(
        AFTER,
        "seat",
        "tap",
        "{digit}",
        "a digit of the hand that is counted: 1 to 9, seat 10 is 0",
        lambda n: Ordered("digit", n),
        "counting",
    ),
    Binding(
        AFTER,
        "seat",
        "hold",
        "Count mine",
        "count this hand next, also if it was counted",
        lambda n: Ordered("count", n),
    ),
    Binding(
        AFTER,
        "train",
        "tap",
        "Double blank",
        "this hand holds the double blank / does not",
        lambda n: Ordered("double-blank"),
        "counting",
    ),
    Binding(
        SCORING,
        "train",
        "hold",
        "Rest is 0",
        "hands not counted yet count nothing",
        lambda n: CountRest(),
        "counting",
    ),
    Binding(
        AFTER,
        "advance",
        "tap",
        "Next hand",
        "take the number and go on to the next hand",
        lambda n: Ordered("take"),
        "counting",
    ),
    Binding(
        AFTER,
        "undo",
        "tap",
        "Undo",
        "the last digit, then the hand before",
        lambda n: Ordered("back"),
        "counting",
    ),
    Binding(
        SCORING,
        "train",
        "hold",
        "Who was out?",
        "asks again who went out",
        lambda n: Ask("out"),
        "counted",
    ),
    Binding(SCORING, "advance", "hold", "Next round", "next round", lambda n: NextRound()),
    Binding(
        GAME,
        "whistle+advance",
        "hold",
        "End the game",
        "asks whether to end the game here",
        lambda n: Ask("end"),
    ),
    Binding(
        ("finished",),
        "advance",
        "hold",
        "New game",
        "a new game, same people seated",
        lambda n: OpenLobby(),
    ),
    Binding(
        ("finished",),
        "train",
        "tap",
        "Play-off",
        "play a tie off, in one round",
        lambda n: PlayOff(),
    ),
    Binding(
        ("finished",),
        "train",
        "hold",
        "Rematch",
        "rematch: the same people and rules, at once",
        lambda n: Rematch(),
    ),
    Binding(
        ("lobby", "scoring", "finished"),
        "whistle",
        "tap",
        "Whistle",
        "sounds",
        lambda n: Ordered("whistle"),
    ),
    Binding(
        ("lobby", "playing", "scoring"),
        "seat+undo",
        "hold",
        "Leave",
        "this seat leaves the table",
        lambda n: Leave(n),
    ),
    Binding(ALWAYS, "undo", "tap", "Undo", "undo", lambda n: Undo()),
    Binding(ALWAYS, "undo", "hold", "Redo", "redo", lambda n: Redo()),
    Binding(
        ("lobby", "finished"),
        "whistle",
        "hold",
        "Quieter",
        "quieter by a third, then silent, then full again",
        lambda n: Ordered("volume"),
    ),
    Binding(
        LOBBY,
        "whistle+advance",
        "hold",
        "Gentle hands",
        "gentle on hands that shake / as usual",
        lambda n: Ordered("gentle"),
    ),
    Binding(
        ALWAYS,
        "whistle+undo",
        "hold",
        "Quiet",
        "quiet and dim for ten hours from now, every day / no longer",
        lambda n: Ordered("quiet"),
    ),
    Binding(
        ALWAYS,
        "train+advance",
        "hold",
        "Pair",
        "phones may pair for a minute: type the number on the face",
        lambda n: Ordered("pair"),
    ),
    Binding(
        ALWAYS,
        "train+undo",
        "hold",
        "Forget phones",
        "asks whether to forget all paired phones",
        lambda n: Ask("phones"),
    ),
    Binding(
        ALWAYS,
        "advance+undo",
        "hold",
        "Switch off",
        "safe shutdown, lights sweep out",
        lambda n: Ordered("shutdown"),
    ),
)


class Now(NamedTuple):
    """What decides about the meaning of a gesture: the phase, and what holds of `When`."""

    phase: Phase
    question: What | None = None
    about: int | None = None
    holds: frozenset[When] = frozenset()
    skipped: frozenset[int] = frozenset()
    """Seats that have a turn to lose, where the hub does not see turns go by."""
    dark: frozenset[int] = frozenset()
    """Seats at which nobody plays."""

    def of_seats(self) -> tuple[tuple[When, frozenset[int]], ...]:
        """What holds of some seats only."""
        return ("skipped", self.skipped), ("dark", self.dark)


@cache
def control_of(button: str) -> tuple[str, int]:
    """The row of the panel map a button belongs to, and the seat it stands for (0 if none)."""
    if not button.startswith("seat-"):
        return button, 0
    number, plus, other = button.removeprefix("seat-").partition("+")
    return f"seat{plus}{other}", int(number)


def chords() -> dict[str, float]:
    """How long each two buttons must be held together, every seat by its name."""
    found: dict[str, float] = {}
    for control, seconds in CHORD_HOLDS.items():
        first, other = control.split("+")
        seats = [f"seat-{n}" for n in range(1, MOST_SEATS + 1)] if first == "seat" else [first]
        found |= {f"{button}+{other}": seconds for button in seats}
    return found


class Panel:
    """The whole map of one game, for looking up what a gesture means."""

    def __init__(self, own: Iterable[Binding]) -> None:
        self.bindings = (*ANSWERS, *FIRST, *own, *SHARED)
        self._by_place: dict[tuple[str, str, str], list[Binding]] = {}
        for binding in self.bindings:
            for phase in binding.phases:
                place = (phase, binding.control, binding.gesture)
                self._by_place.setdefault(place, []).append(binding)

    def find(self, now: Now, button: str, gesture: Gesture) -> Binding | None:
        """What a gesture on a button means now: an answer first of all; None if nothing."""
        control, seat = control_of(button)
        holds = {"", now.question, *now.holds}
        holds |= {when for when, seats in now.of_seats() if seat in seats}
        for binding in self._by_place.get((now.phase, control, gesture), ()):
            if binding.when in holds:
                return binding
        return None


def deed(binding: Binding, button: str, about: int | None = None) -> Deed:
    """What a button asks for by a binding."""
    _, seat = control_of(button)
    return binding.deed(seat, about) if binding.about else binding.deed(seat)
