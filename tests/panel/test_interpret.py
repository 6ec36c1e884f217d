"""`interpret` depends on the table, the ui and the gesture alone."""

from copy import deepcopy
from math import inf

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from centerpiece.games.mexican_train.game import ToggleDouble, ToggleMarker
from centerpiece.panel.bindings import CHORD_HOLDS
from centerpiece.panel.gesture import Gesture, GestureStep
from centerpiece.panel.interpret import Meaning, PanelCommand, conclude, interpret
from centerpiece.panel.ui import REPEATED, Ui
from centerpiece.table import commands as c
from centerpiece.table.binding import Effect
from centerpiece.table.commands import Command
from centerpiece.table.question import ANSWER_WITHIN
from centerpiece.table.undo import Ledger
from centerpiece.text import Refused
from hal.ports import BUTTONS
from tests.evenings import LiveLedger, opened, order, tried
from tests.strategies import evenings

NOW = 100.0
STEPS: tuple[GestureStep, ...] = ("press", "release", "tap", "double", "hold")
gestures = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(STEPS), st.sampled_from(BUTTONS), st.floats(0.0, 12.0)),
        st.tuples(st.just("hold"), st.sampled_from(sorted(CHORD_HOLDS)), st.floats(0.0, 3.0)),
    ),
    max_size=30,
)


def seen(meaning: Meaning) -> tuple[Ui, object]:
    """Make a meaning comparable: a refusal by its sentence."""
    ui, action = meaning
    return ui, str(action) if isinstance(action, Refused) else action


def fresh(ledger: Ledger) -> Ledger:
    """Return an equal ledger whose table has no cached values."""
    return replace(ledger, table=replace(ledger.table))


def done(ledger: Ledger, meaning: Meaning, now: float) -> tuple[Ledger, Ui]:
    """Decide a command, as a hub does; leave effects out."""
    ui, press = meaning
    if not isinstance(press, PanelCommand):
        return ledger, ui
    try:
        events = ledger.decide(press.command, 1_800_000_000.0, press.instead_of)
    except Refused as refusal:
        return ledger, conclude(ui, press, ledger, refusal, now)
    after = ledger
    for each in ledger.record(events, 1_800_000_000.0):
        after = after.apply(each)
    return after, conclude(ui, press, ledger, after, now)


class Panel:
    """A panel without a hub: takes gestures, keeps ledger and ui."""

    def __init__(self, live: LiveLedger) -> None:
        self.ledger: Ledger = live.ledger
        table = self.ledger.table
        self.ui = Ui().follow(self.ledger.game_set.game_of(table), table, table)
        self.now = NOW

    def do(self, kind: GestureStep, button: str) -> object:
        """Make a gesture; return its command or effect."""
        meaning = interpret(self.ledger, self.ui, Gesture(kind, button, self.now), self.now)
        self.ledger, self.ui = done(self.ledger, meaning, self.now)
        return meaning[1]

    def pending(self) -> str | None:
        question = self.ui.pending(self.ledger.table)
        return None if question is None else question.what


@given(evenings, gestures)
def test_the_same_table_ui_and_gesture_give_the_same_answer(
    commands: list[Command], moves: list[tuple[GestureStep, str, float]]
) -> None:
    """Neither earlier calls nor cached values matter, and nothing is changed."""
    live = LiveLedger()
    tried(live, commands)
    ledger, ui, now = live.ledger, Ui(), NOW
    for kind, button, pause in moves:
        now += pause
        ui = ui.at(now)
        gesture, before = Gesture(kind, button, now), deepcopy(ui)
        first = interpret(ledger, ui, gesture, now)

        assert before == ui
        assert seen(first) == seen(interpret(ledger, ui, gesture, now))
        assert seen(first) == seen(interpret(fresh(ledger), before, gesture, now))
        ledger, ui = done(ledger, first, now)


@given(evenings, gestures)
def test_a_ui_changes_with_time_only_when_it_says_so(
    commands: list[Command], moves: list[tuple[GestureStep, str, float]]
) -> None:
    """Until `next_change` it stays the same; at that moment expired parts are gone."""
    live = LiveLedger()
    tried(live, commands)
    ledger, ui, now = live.ledger, Ui(), NOW
    for kind, button, pause in moves:
        now += pause
        ui = ui.at(now)
        ledger, ui = done(ledger, interpret(ledger, ui, Gesture(kind, button, now), now), now)
        change = ui.next_change(now)
        assert change > now or ui.at(now) != ui
        if now < change < inf:
            assert ui is ui.at((now + change) / 2)
            assert now < ui.at(change).next_change(change)


def test_a_question_is_asked_answered_and_gone() -> None:
    """It is in the ui alone: nothing happens until it is answered."""
    panel = Panel(opened())
    seq = panel.ledger.seq
    assert panel.do("tap", "advance") is None
    assert ("out", seq) == (panel.pending(), panel.ledger.seq)

    panel.do("tap", "seat-2")

    assert panel.pending() is None
    assert 2 == panel.ledger.table.rounds[-1].out


def test_a_question_that_nobody_answers_is_over_after_its_time() -> None:
    """Without an event or a timer: `Ui.at` drops it."""
    panel = Panel(opened())
    panel.do("tap", "advance")

    assert NOW + ANSWER_WITHIN == panel.ui.next_change(NOW)
    assert "out" == panel.pending()
    panel.ui = panel.ui.at(NOW + ANSWER_WITHIN)
    assert panel.pending() is None


def test_the_second_of_two_taps_takes_the_place_of_the_first() -> None:
    """Both together are one step of undo."""
    panel = Panel(opened())
    first = panel.do("tap", "seat-3")
    second = panel.do("double", "seat-3")

    assert isinstance(first, PanelCommand)
    assert isinstance(second, PanelCommand)
    assert (ToggleMarker(3), ToggleDouble(3)) == (first.command, second.command)
    assert second.instead_of is not None
    assert not panel.ledger.has_step(second.instead_of)


def test_a_second_tap_that_only_repeats_an_answer_is_ignored() -> None:
    """People tap twice to be sure."""
    panel = Panel(opened())
    panel.do("tap", "advance")
    assert REPEATED == panel.ui.first_taps["advance"]

    assert panel.do("double", "advance") is None
    assert "out" == panel.pending()


def test_digits_are_the_uis_own_until_they_are_taken() -> None:
    live = opened()
    order(live, c.GoOut(4))
    panel = Panel(live)
    assert [None, None] == [panel.do("tap", f"seat-{digit}") for digit in (4, 7)]
    assert "47" == panel.ui.dial.typed.digits

    taken = panel.do("tap", "advance")

    assert isinstance(taken, PanelCommand)
    assert c.EnterScore(1, 47) == taken.command
    assert 47 == panel.ledger.table.rounds[-1].entries[1].pips


def test_taking_the_next_hand_at_once_is_no_repetition() -> None:
    """With a digit between them, the second `advance` is for the second hand."""
    live = opened()
    order(live, c.GoOut(4))
    panel = Panel(live)
    for seat in (1, 2):
        panel.do("tap", f"seat-{seat + 4}")
        panel.do("double" if seat == 2 else "tap", "advance")

    assert {4: 0, 1: 5, 2: 6} == {
        seat: entry.pips for seat, entry in panel.ledger.table.rounds[-1].entries.items()
    }


def test_the_whistle_sounds_when_it_is_pressed() -> None:
    """The sound is a reflex; the question comes later, with the tap."""
    panel = Panel(opened())

    assert Effect("whistle") == panel.do("press", "whistle")
    assert panel.pending() is None
    panel.do("tap", "whistle")
    assert "last-tile" == panel.pending()


def test_a_digit_too_many_comes_between_two_tries() -> None:
    """
    A number that is doubted is taken when it is sent twice in a row, not after other presses.
    """
    live = opened()
    order(live, c.GoOut(4))
    panel = Panel(live)
    for digit in "1234":
        panel.do("tap", f"seat-{digit}")
    panel.do("tap", "advance")
    assert isinstance(panel.do("tap", "seat-5"), Refused)
    panel.do("tap", "advance")

    assert 1 not in panel.ledger.table.rounds[-1].entries
    panel.do("tap", "advance")
    assert 1234 == panel.ledger.table.rounds[-1].entries[1].pips
