"""The questions that buttons ask: their words, who may answer, and how long they stay."""

from centerpiece.table.question import Question, What
from centerpiece.table.state import MOST_SEATS, Table
from centerpiece.text import Sentence

_WORDS: dict[What, str] = {
    "out": "Who went out? Tap that seat, or Train if the round is blocked.",
    "last-tile": "Whose last tile is it? Tap that seat.",
    "caught": "Who did not announce the last tile? Tap that seat.",
    "move": "Where to? Tap the new seat.",
    "end": "End the game here? Tap Advance to end it.",
    "phones": "Forget all paired phones? Tap Advance to forget them.",
    "gentle": "Do taps count twice? Tap Advance for gentle hands.",
}
_OUT_ALONE = "Can nothing more be removed? Tap your seat."
CONFIRMING = ("fit", "uncounted", "end", "rematch", "phones", "dock", "gentle")
"""Questions that ask for confirmation; any other press means no."""


def question(table: Table, what: What, about: int | None = None) -> Question:
    """Return the question that a button asks, with the seats that may answer it; some have none.

    `about` is the seat that the question is about, if any.
    """
    seats: tuple[int, ...] = ()
    if what in ("out", "last-tile", "caught"):
        seats = tuple(seat.number for seat in table.players())
    elif what == "move":
        seats = tuple(range(1, MOST_SEATS + 1))
    alone = what == "out" and len(seats) == 1
    return Question(what, seats, Sentence(_OUT_ALONE if alone else _WORDS[what]), about)


def dock_question(table: Table, seat: int, home: bool) -> Question:
    """Return the question before an undo after which the train of `seat` and its marker differ.

    `home` is True if the marker is in its dock.
    """
    words = (
        "{name}'s train would be open, but the marker is in its dock. Lift it, or tap Advance to "
        "undo all the same."
        if home
        else "{name}'s train would be closed, but the marker is not in its dock. Put it back, or "
        "tap Advance to undo all the same."
    )
    return Question("dock", (seat,), Sentence(words, {"name": table.name(seat)}), seat)
