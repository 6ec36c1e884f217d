"""The labels of the buttons: what each does now, and nothing that would be refused."""

import pytest

from centerpiece.games.registry import GAMES
from centerpiece.panel.labels import Labels, labels
from centerpiece.panel.lookup import panel_of, situation
from centerpiece.panel.ui import Ui
from centerpiece.table import commands as c
from centerpiece.table.binding import GESTURE_KINDS
from centerpiece.table.game import Game
from centerpiece.table.question import Question
from centerpiece.text import Sentence
from hal.ports import BUTTONS, SEATS
from sim.hands import HandGesture, Hands, chord, hold, tap
from tests.evenings import LiveLedger, opened, order

FOUR = (1, 2, 3, 4)


def labelled(ledger: LiveLedger, ui: Ui | None = None) -> Labels:
    table = ledger.table
    return labels(situation(GAMES.game_of(table), table, ui or Ui(), 0.0))


def test_a_seat_where_nobody_sits_promises_nothing_of_a_player() -> None:
    shown = labelled(opened())

    assert {"tap": "Open train", "double": "Open double", "hold": "Last tile"} == shown["seat-4"]
    assert "Open train" not in shown.get("seat-5", {}).values()


def test_only_whom_a_question_asks_may_answer_it() -> None:
    """A double tap has no label: it gives the same answer."""
    out = Question("out", (2, 3), Sentence("Who went out?"))
    shown = labelled(opened(), Ui(question=out))

    assert {"tap": "I am out", "hold": "Out on a double"} == shown["seat-2"]
    assert "I am out" not in shown.get("seat-4", {}).values()
    assert "Blocked" == shown["train"]["tap"]
    assert "double" not in shown["train"]
    assert "Never mind" == shown["advance"]["tap"] == shown["undo"]["tap"]


def test_every_seat_is_a_digit_while_hands_are_counted() -> None:
    """Empty seats too; seat 10 is 0."""
    ledger = opened()
    order(ledger, c.GoOut(1))
    shown = labelled(ledger)

    assert list("1234567890") == [shown[f"seat-{seat}"]["tap"] for seat in SEATS]
    assert ["Count mine", "Join"] == [shown[f"seat-{seat}"]["hold"] for seat in (4, 5)]


@pytest.mark.parametrize("game", GAMES.games.values(), ids=lambda game: game.name)
def test_a_label_is_short_enough_for_a_button(game: Game) -> None:
    assert [] == [each.label for each in panel_of(game).bindings if not 0 < len(each.label) <= 18]


ROUND = (
    *(tap(f"seat-{seat}") for seat in FOUR),
    hold("advance"),
    tap("seat-2"),
    tap("seat-3"),
    tap("advance"),
    tap("seat-3"),
    tap("seat-4"),
    tap("advance"),
    tap("seat-1"),
    tap("advance"),
    hold("train"),
    tap("advance"),
    hold("advance"),
    hold("whistle"),
    tap("undo"),
    chord("whistle", "advance"),
    tap("advance"),
)


def test_what_is_on_a_button_is_what_it_does() -> None:
    """In each step of a game, a gesture does something exactly if it has a label."""
    hands = Hands()
    shown: list[tuple[str, str]] = []
    for gesture in ROUND:
        label = hands.hub.labels().get(gesture.button, {}).get(gesture.kind)
        assert label, f"{gesture} has no label"
        shown.append((str(gesture), label))
        hands.do(gesture)
    quiet = [
        HandGesture(kind, button)
        for button in BUTTONS
        for kind in GESTURE_KINDS
        if kind not in hands.hub.labels().get(button, {})
    ]
    phase, seq = hands.hub.state()["phase"], hands.hub.seq
    assert "finished" == phase
    for gesture in quiet:
        if gesture.kind != "double":
            hands.do(gesture)
            assert seq == hands.hub.seq, f"{gesture} did something unsaid"
    assert [
        ("tap advance", "Round over"),
        ("tap seat-3", "I am out"),
        ("tap seat-4", "4"),
    ] == shown[7:10]
    hands.stop()
