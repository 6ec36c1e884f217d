"""The decision records have one form, and numbers by which they can be cited."""

import re
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "docs" / "decisions"
FORM = re.compile(
    r"# (\d{4}): .+\n\nDate: \d{4}-\d\d-\d\d\nStatus: (accepted|withdrawn)\n\n"
    r"## Context\n.+\n## Decision\n.+\n## Consequences\n.+",
    re.DOTALL,
)


def test_decisions_are_numbered_without_gaps() -> None:
    """A missing number would be searched for."""
    numbers = [path.name[:4] for path in sorted(FOLDER.iterdir())]

    assert [f"{number:04}" for number in range(1, len(numbers) + 1)] == numbers


def test_every_decision_has_the_same_form() -> None:
    """Number, date and status; then context, decision and consequences."""
    forms = {path.name[:4]: FORM.fullmatch(path.read_text("utf-8")) for path in FOLDER.iterdir()}

    assert {number: number for number in forms} == {
        number: form and form[1] for number, form in forms.items()
    }


def test_what_was_withdrawn_says_why() -> None:
    """So that it is not decided a second time."""
    texts = [path.read_text("utf-8") for path in FOLDER.iterdir()]

    assert [] == [
        text.splitlines()[0]
        for text in texts
        if ("\nStatus: withdrawn\n" in text) != ("\nWithdrawn 20" in text)
    ]
