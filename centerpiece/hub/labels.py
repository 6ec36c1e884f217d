"""What every button does now, in a word or two: the panel map, for whoever draws the buttons.

Nothing is promised that would only be refused: a question is answered by those whom it asks, and
where nobody sits there is nothing to do but dial. Nor is anything said twice.
"""

from collections.abc import Collection

from centerpiece.table.panel import CHORD_HOLDS, GESTURES, Now, Panel, control_of
from hal.ports import BUTTONS

Labels = dict[str, dict[str, str]]
"""For each button, and each two that are held together: a label for each gesture."""
DIGIT = "{digit}"


def labels(panel: Panel, now: Now, seated: Collection[int], asked: Collection[int]) -> Labels:
    """For those who are `seated`, and those whom the open question asks."""
    told = {name: _told(panel, now, name, seated, asked) for name in (*BUTTONS, *CHORD_HOLDS)}
    return {name: does for name, does in told.items() if does}


def _told(
    panel: Panel, now: Now, button: str, seated: Collection[int], asked: Collection[int]
) -> dict[str, str]:
    _, seat = control_of(button)
    bound = {gesture: panel.find(now, button, gesture) for gesture in GESTURES}
    tap = bound["tap"]
    if tap is not None and tap.when == now.question:
        bound["double"] = None  # The second of two taps is the same answer.
    does: dict[str, str] = {}
    for gesture, binding in bound.items():
        if binding is None or (label := binding.label.format(digit=seat % 10)) in does.values():
            continue
        who = asked if binding.when == now.question else seated
        if not seat or binding.label == DIGIT or binding.when == "dark" or seat in who:
            does[gesture] = label
    return does
