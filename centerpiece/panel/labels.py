"""The label of every button: what it does now, in a word or two.

A button that would only be refused has no label: a question is answered by the seats that it asks,
and a seat where nobody sits can only dial or join.
"""

from centerpiece.panel.bindings import CHORD_HOLDS, DIGIT
from centerpiece.panel.lookup import Situation, control_of, panel_of
from centerpiece.table.binding import GESTURE_KINDS
from hal.ports import BUTTONS, SEATS

Labels = dict[str, dict[str, str]]
"""For each button, and each chord: a label for each gesture."""


def labels(here: Situation) -> Labels:
    """Return the labels of all buttons that do something now."""
    by_button = {name: _of_button(here, name) for name in (*BUTTONS, *CHORD_HOLDS)}
    return {name: does for name, does in by_button.items() if does}


def _of_button(here: Situation, button: str) -> dict[str, str]:
    """Return the label of what a button does now, by gesture.

    Gestures that do nothing, or the same as an earlier one, are left out.
    """
    _, seat = control_of(button)
    table, question = here.table, here.question
    panel = panel_of(here.game)
    bound = {kind: panel.find(here, button, kind) for kind in GESTURE_KINDS}
    pending = question.what if question is not None else None
    tap = bound["tap"]
    if tap is not None and tap.when == pending:
        bound["double"] = None  # The second of two taps is the same answer.
    seated = SEATS if table.phase == "lobby" else [player.number for player in table.players()]
    does: dict[str, str] = {}
    for kind, binding in bound.items():
        if binding is None or (label := binding.label.format(digit=seat % 10)) in does.values():
            continue
        allowed = question.seats if question is not None and binding.when == pending else seated
        if not seat or binding.label == DIGIT or binding.when == "nobody-plays" or seat in allowed:
            does[kind] = label
    return does
