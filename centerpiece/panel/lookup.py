"""Find the binding of a gesture: an answer to the open question first, then the rest of the map."""

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from centerpiece.panel.bindings import ANSWERS, CHORD_HOLDS, FIRST, NEVER_MIND, SHARED
from centerpiece.panel.dial import NOTHING, Hand
from centerpiece.panel.ui import Ui
from centerpiece.table.binding import Binding, GestureKind
from centerpiece.table.game import Game
from centerpiece.table.question import Question
from centerpiece.table.scoring import is_free, missing, rules_of
from centerpiece.table.state import MOST_SEATS, Table


class Situation(NamedTuple):
    """Everything that the meaning of a gesture depends on."""

    game: Game
    table: Table
    ui: Ui
    question: Question | None
    now: float

    def holds(self, condition: str, seat: int) -> bool:
        """Return True if the condition of a binding holds for a button of `seat` (0 for others).

        An unknown condition never holds.
        """
        table = self.table
        match condition:
            case "":
                return True
            case "counting":
                return self.counted_hand() is not None
            case "typed":
                return self.ui.dial.typed != NOTHING and self.counted_hand() is not None
            case "fines-hidden":
                hand = self.counted_hand()
                played = None if hand is None else table.rounds[hand.round - 1]
                return played is not None and rules_of(table, played).hidden_bones is not None
            case "made-in-play":
                hand = self.counted_hand()
                return (
                    hand is not None
                    and self.game.made_in_play(table.rounds[hand.round - 1], hand.seat) is not None
                )
            case "all-counted":
                return self.counted_hand() is None
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
                return is_free(self.game, table, seat) and not self._has_old_hands(seat)
        return False

    def _has_old_hands(self, chair: int) -> bool:
        """Return True if the player of a dark seat has a hand of an ended round to enter.

        It is any hand of a player who is here again, or one that is missing. False while a round is
        played or its hands are counted.
        """
        table, seat = self.table, self.table.seat(chair)
        if seat is None or table.phase == "playing" or self.game.uncounted_seats(table):
            return False
        here = seat.until is None and not seat.parked
        return any(
            chair in missing(self.game, table, played) or (here and seat.plays(played.number))
            for played in table.rounds
            if played.ended
        )

    def counted_hand(self) -> Hand | None:
        return self.ui.dial.hand_decided(self.game, self.table)


def situation(game: Game, table: Table, ui: Ui, now: float) -> Situation:
    return Situation(game, table, ui, ui.pending(table), now)


class Panel:
    """The whole panel map of one game."""

    def __init__(self, own: Iterable[Binding]) -> None:
        self.bindings = (*ANSWERS, *FIRST, *own, *SHARED)
        self._answers: dict[tuple[str, str, str, str], Binding] = {}
        self._others: dict[tuple[str, str, str], list[Binding]] = {}
        self.has_docks = any(binding.control == "dock" for binding in self.bindings)
        """True for a game whose train markers may live in docks."""
        for binding in self.bindings:
            for phase in binding.phases:
                place = (phase, binding.control, binding.gesture)
                if binding in ANSWERS:
                    self._answers.setdefault((*place, binding.when), binding)
                else:
                    self._others.setdefault(place, []).append(binding)

    def is_late(self, here: Situation, button: str, kind: GestureKind) -> bool:
        """Return True if a gesture would have answered a question that has just ended.

        One that would only have cancelled it is late in one case: undo, after the time ran out.
        """
        late = here.ui.late_for()
        answer = None if late is None else self.answer(here, button, kind, late.question)
        if late is None or answer is None or answer.when == "uncounted":
            return False  # The hold that leaves a round without hands asks again by itself.
        return answer.action != NEVER_MIND[-1] or (late.ran_out and button == "undo")

    def find(self, here: Situation, button: str, kind: GestureKind) -> Binding | None:
        """Return the binding of a gesture; an answer to the open question comes before all others.

        None if the gesture means nothing now.
        """
        control, seat = control_of(button)
        place = (here.table.phase, control, kind)
        if here.question is not None:
            answer = self.answer(here, button, kind, here.question)
            if answer is not None:
                return answer
        for binding in self._others.get(place, ()):
            if not binding.when or here.holds(binding.when, seat):
                return binding
        return None

    def answer(
        self, here: Situation, button: str, kind: GestureKind, question: Question
    ) -> Binding | None:
        """Return the binding by which a gesture answers a question, or takes it back.

        None if it does neither.
        """
        control, _ = control_of(button)
        return self._answers.get((here.table.phase, control, kind, question.what))


@cache
def panel_of(game: Game) -> Panel:
    return Panel(game.panel)


@cache
def control_of(button: str) -> tuple[str, int]:
    """Return the control of a button or dock in the panel map, and its seat (0 if it has none)."""
    if button.startswith("dock-"):
        return "dock", int(button.removeprefix("dock-"))
    if not button.startswith("seat-"):
        return button, 0
    number, plus, other = button.removeprefix("seat-").partition("+")
    return f"seat{plus}{other}", int(number)


def chords() -> dict[str, float]:
    """Return the seconds that each pair of buttons must be held, such as `seat-3+undo`."""
    seconds_of: dict[str, float] = {}
    for control, seconds in CHORD_HOLDS.items():
        first, other = control.split("+")
        seats = [f"seat-{n}" for n in range(1, MOST_SEATS + 1)] if first == "seat" else [first]
        seconds_of |= {f"{button}+{other}": seconds for button in seats}
    return seconds_of
