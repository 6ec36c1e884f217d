"""The decision records have one form, and numbers by which they can be cited."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "decisions"
FORM = re.compile(
    r"# (\d{4}): .+\n\nDate: \d{4}-\d\d-\d\d\nStatus: (accepted|withdrawn)\n\n"
    r"## Context\n.+\n## Decision\n.+\n## Consequences\n.+",
    re.DOTALL,
)
CITED = re.compile(r"\bdecisions? (\d{1,4})\b")


def test_no_number_is_used_twice() -> None:
    """A number that is gone stays gone: old commits cite it."""
    numbers = [path.name[:4] for path in sorted(FOLDER.iterdir())]

    assert sorted(set(numbers)) == numbers


def test_decisions_that_are_cited_exist() -> None:
    """In other decisions, in documents, and in what writes documents."""
    texts = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "tests/photo/__main__.py"]
    known = {int(path.name[:4]) for path in FOLDER.iterdir()}
    cited = {int(n) for path in texts for n in CITED.findall(path.read_text("utf-8"))}

    assert cited - known == set()
    assert cited


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
