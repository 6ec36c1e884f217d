"""Questions: what the hub waits to be told before anything happens.

A question is no event. Some the table asks itself, for as long as it does not know
(`open_question`); others are asked back by an order that cannot be decided without the answer
(`AsksBack`): the hub keeps those until somebody answers, and a phone sends the order again with
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
    "fit",
    "uncounted",
    "end",
    "phones",
]
ANSWER_WITHIN = 10.0


class Question(msgspec.Struct, frozen=True, gc=False):
    """What is asked, who may answer, and for how many seconds it stays open (None: for good)."""

    what: What
    seats: tuple[int, ...]
    sentence: Sentence
    about: int | None = None
    """The seat it concerns, if it concerns one."""
    within: float | None = ANSWER_WITHIN


class AsksBack(Refused):
    """Not refused for good: first this question must be answered."""

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
    """What the table itself does not know and has to be told; it waits as long as it takes."""
    if table.asks_which_double():
        words = Sentence("Who has the double {asked}?", {"asked": table.asked})
        return Question("double", _playing(table), words, within=None)
    if table.asks_who_starts():
        words = Sentence("Who starts? Tap that seat, or Train to let the lights draw.")
        return Question("starter", _playing(table), words, within=None)
    return None


def _playing(table: Table) -> tuple[int, ...]:
    return tuple(seat.number for seat in table.players())
