"""Questions of commands and of the table."""

from centerpiece.table.question import AsksBack, Question
from centerpiece.text import Refused, Sentence


def test_whoever_gets_a_question_back_is_told_all_that_an_answer_needs() -> None:
    """The refusal has a code of its own, the question, the seats and the seat it is about."""
    words = Sentence("Has {name} drawn a tile since?", {"name": "Bob"})
    raised: Refused = AsksBack(Question("drawn", (2,), words, about=2))

    assert ("asks", "Has Bob drawn a tile since?") == (raised.code, str(raised))
    assert {"name": "Bob", "what": "drawn", "seats": [2], "about": 2} == raised.facts
