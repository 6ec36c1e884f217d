"""An evening aloud: the talk of the simulated hub, as it is printed in the documents."""

from pathlib import Path

from sim.aloud import aloud

ROOT = Path(__file__).parents[2]


def test_the_evening_in_the_documents_is_the_one_that_is_heard() -> None:
    """
    `centerpiece script --aloud tests/scenarios/an-evening-aloud.txt > docs/an-evening-aloud.txt`
    writes it; read it aloud before you keep it.
    """
    heard = aloud(ROOT / "tests/scenarios/an-evening-aloud.txt")

    assert (ROOT / "docs/an-evening-aloud.txt").read_text("utf-8") == "\n".join(heard) + "\n"
