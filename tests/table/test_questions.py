"""Questions: what an order asks back, and what the table asks of itself."""

from centerpiece.table.question import AsksBack, Question
from centerpiece.text import Refused, Sentence


def test_whoever_gets_a_question_back_is_told_all_that_an_answer_needs() -> None:
    """A phone sees a refusal with its own code, what is asked, who may answer, about whom."""
    words = Sentence("Has {name} drawn a tile since?", {"name": "Bob"})
    asked: Refused = AsksBack(Question("drawn", (2,), words, about=2))

    assert ("asks", "Has Bob drawn a tile since?") == (asked.code, str(asked))
    assert {"name": "Bob", "what": "drawn", "seats": [2], "about": 2} == asked.facts
