"""What every button does now, in a word or two, for whoever draws the buttons.

Nothing is promised that would only be refused: a question is answered by those whom it asks, and a
seat at which nobody sits can only dial or join.
"""

from centerpiece.panel.bindings import CHORD_HOLDS, DIGIT
from centerpiece.panel.lookup import Situation, control_of, panel_of
from centerpiece.table.binding import GESTURE_KINDS
from hal.ports import BUTTONS, SEATS

Labels = dict[str, dict[str, str]]
"""For each button, and each two that are held together: a label for each gesture."""


def labels(here: Situation) -> Labels:
    """Return the labels of all buttons that do something now."""
    found = {name: _of_button(here, name) for name in (*BUTTONS, *CHORD_HOLDS)}
    return {name: does for name, does in found.items() if does}


def _of_button(here: Situation, button: str) -> dict[str, str]:
    _, seat = control_of(button)
    table, question = here.table, here.question
    panel = panel_of(here.game)
    bound = {kind: panel.find(here, button, kind) for kind in GESTURE_KINDS}
    asked = question.what if question is not None else None
    tap = bound["tap"]
    if tap is not None and tap.when == asked:
        bound["double"] = None  # The second of two taps is the same answer.
    seated = SEATS if table.phase == "lobby" else [player.number for player in table.players()]
    does: dict[str, str] = {}
    for kind, binding in bound.items():
        if binding is None or (label := binding.label.format(digit=seat % 10)) in does.values():
            continue
        who = question.seats if question is not None and binding.when == asked else seated
        if not seat or binding.label == DIGIT or binding.when == "dark" or seat in who:
            does[kind] = label
    return does
