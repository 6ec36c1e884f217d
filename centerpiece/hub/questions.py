"""The one question that waits for an answer, and until when.

A question is no event: nothing has happened until it is answered. It is taken back by the same
button, by undo, or by time; a power cut takes it back as well.
"""

from centerpiece.display.looks import NEVER
from centerpiece.table.questions import Question


class OpenQuestion:
    """What one hub asks at the moment. Times are monotonic."""

    def __init__(self) -> None:
        self.question: Question | None = None
        self.until = NEVER
        """When it is taken back."""

    def ask(self, question: Question, now: float) -> None:
        """Wait for this answer; another question is forgotten."""
        self.question = question
        self.wait_longer(now)

    def wait_longer(self, now: float) -> None:
        """Somebody has tried to answer, and may try again."""
        if self.question is not None and self.question.within is not None:
            self.until = now + self.question.within

    def close(self) -> Question | None:
        """Ask no longer; what was asked."""
        question, self.question, self.until = self.question, None, NEVER
        return question

    def expired(self, now: float) -> Question | None:
        """A question whose time is over; it is asked no longer."""
        return self.close() if now >= self.until else None
