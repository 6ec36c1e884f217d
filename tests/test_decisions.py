"""The decision records can be cited by number and read alike."""

import re
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "docs" / "decisions"
FORM = re.compile(
    r"# (\d{4}): .+\n\nDate: \d{4}-\d\d-\d\d\nStatus: (accepted|withdrawn)\n\n"
    r"## Context\n.+\n## Decision\n.+\n## Consequences\n.+",
    re.DOTALL,
)


def test_decisions_are_numbered_without_gaps() -> None:
    """A number that is missing would be looked for."""
    numbers = [path.name[:4] for path in sorted(FOLDER.iterdir())]

    assert [f"{number:04}" for number in range(1, len(numbers) + 1)] == numbers


def test_every_decision_has_the_same_form() -> None:
    """Its file's number, a date, whether it holds; then why, what, and what follows."""
    found = {path.name[:4]: FORM.fullmatch(path.read_text("utf-8")) for path in FOLDER.iterdir()}

    assert {number: number for number in found} == {
        number: form and form[1] for number, form in found.items()
    }


def test_what_was_withdrawn_says_why() -> None:
    """So that nobody decides it a second time."""
    texts = [path.read_text("utf-8") for path in FOLDER.iterdir()]

    assert [] == [
        text.splitlines()[0]
        for text in texts
        if ("\nStatus: withdrawn\n" in text) != ("\nWithdrawn 20" in text)
    ]
