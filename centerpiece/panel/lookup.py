"""Find the binding of a gesture: an answer to the open question first, then the rest of the map."""

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from centerpiece.panel.bindings import ANSWERS, CHORD_HOLDS, FIRST, NEVER_MIND, SHARED
from centerpiece.panel.ui import Ui
from centerpiece.table.binding import Binding, GestureKind
from centerpiece.table.checks import MOST_SEATS
from centerpiece.table.game import Game
from centerpiece.table.question import Question
from centerpiece.table.state import Table


class Situation(NamedTuple):
    """Everything that the meaning of a gesture depends on."""

    game: Game
    table: Table
    ui: Ui
    question: Question | None
    now: float

    def holds(self, condition: str, seat: int) -> bool:
        """Return True if a binding's condition holds, for a button of this seat."""
        table = self.table
        match condition:
            case "":
                return True
            case "counting":
                return self.counted_seat() is not None
            case "all-counted":
                return self.counted_seat() is None
            case "turns":
                return table.rules.tracks_turns
            case "won-in-play":
                return self.game.won_in_play(table)
            case "parade":
                return self.ui.parades(self.now)
            case "skipped":
                # Where turns are tracked, the hub knows when a turn is lost.
                return seat in table.skipped and table.turn is None and self.question is None
            case "nobody-plays":
                return all(player.number != seat for player in table.players())
        return False

    def counted_seat(self) -> int | None:
        return self.ui.dial.seat_decided(self.game, self.table)


def situation(game: Game, table: Table, ui: Ui, now: float) -> Situation:
    return Situation(game, table, ui, ui.pending(table), now)


class Panel:
    """The whole panel map of one game."""

    def __init__(self, own: Iterable[Binding]) -> None:
        self.bindings = (*ANSWERS, *FIRST, *own, *SHARED)
        self._answers: dict[tuple[str, str, str, str], Binding] = {}
        self._others: dict[tuple[str, str, str], list[Binding]] = {}
        for binding in self.bindings:
            for phase in binding.phases:
                place = (phase, binding.control, binding.gesture)
                if binding in ANSWERS:
                    self._answers.setdefault((*place, binding.when), binding)
                else:
                    self._others.setdefault(place, []).append(binding)

    def is_late(self, here: Situation, button: str, kind: GestureKind) -> bool:
        """Return True if a gesture would have answered a question that has just ended."""
        late = here.ui.late_for(here.now)
        if late is None:
            return False
        place = (here.table.phase, control_of(button)[0], kind)
        answer = self._answers.get((*place, late.what))
        return answer is not None and answer.action != NEVER_MIND[-1]

    def find(self, here: Situation, button: str, kind: GestureKind) -> Binding | None:
        """Return the binding of a gesture; None if it means nothing now."""
        control, seat = control_of(button)
        place = (here.table.phase, control, kind)
        if here.question is not None:
            answer = self._answers.get((*place, here.question.what))
            if answer is not None:
                return answer
        for binding in self._others.get(place, ()):
            if not binding.when or here.holds(binding.when, seat):
                return binding
        return None


@cache
def panel_of(game: Game) -> Panel:
    return Panel(game.panel)


@cache
def control_of(button: str) -> tuple[str, int]:
    """Return a button's row of the panel map, and its seat (0 if it has none)."""
    if not button.startswith("seat-"):
        return button, 0
    number, plus, other = button.removeprefix("seat-").partition("+")
    return f"seat{plus}{other}", int(number)


def chords() -> dict[str, float]:
    """Return the seconds each pair of buttons must be held, with every seat by its name."""
    seconds_of: dict[str, float] = {}
    for control, seconds in CHORD_HOLDS.items():
        first, other = control.split("+")
        seats = [f"seat-{n}" for n in range(1, MOST_SEATS + 1)] if first == "seat" else [first]
        seconds_of |= {f"{button}+{other}": seconds for button in seats}
    return seconds_of
