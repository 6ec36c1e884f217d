"""Questions that the hub needs answered before something can happen.

A question is no event. The table asks some by itself for as long as it does not know
(`open_question`). Others are raised by a command that cannot be decided without the answer
(`AsksBack`): the hub keeps these until somebody answers, and a phone sends the command again with
the answer in a field.
"""

from typing import Literal

import msgspec

from centerpiece.table.state import Table
from centerpiece.text import Refused, Sentence

What = Literal[
    "starter",
    "double",
    "out",
    "last-tile",
    "whistled",
    "caught",
    "drawn",
    "move",
    "back",
    "fit",
    "uncounted",
    "rematch",
    "end",
    "phones",
    "dock",
    "gentle",
]
ANSWER_WITHIN = 10.0


class Question(msgspec.Struct, frozen=True, gc=False):
    """A question, the seats that may answer, and the seconds that it stays open."""

    what: What
    seats: tuple[int, ...]
    sentence: Sentence
    about: int | None = None
    """The seat that it is about, if it is about one."""
    open_for: float | None = ANSWER_WITHIN
    spoken: str = ""
    """The voice's phrase, if it is not the one of `what`."""


class AsksBack(Refused):
    """Raised by a command that needs an answer first: send it again with the answer in a field."""

    code = "asks"

    def __init__(self, question: Question) -> None:
        self.question = question
        super().__init__(
            question.sentence.template,
            **question.sentence.facts,
            what=question.what,
            seats=list(question.seats),
            about=question.about,
        )


def open_question(table: Table) -> Question | None:
    """Return the question that the table itself asks, of a double or the starter; None if neither.

    It stays open until it is answered.
    """
    if table.asks_which_double():
        words = Sentence("Who has the double {asked}?", {"asked": table.asked})
        return Question("double", _playing(table), words, open_for=None)
    if table.asks_who_starts():
        words = Sentence("Who starts? Tap that seat, or Train to let the lights draw.")
        return Question("starter", _playing(table), words, open_for=None)
    return None


def _playing(table: Table) -> tuple[int, ...]:
    return tuple(seat.number for seat in table.players())
