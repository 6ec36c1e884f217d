"""Whole evenings as text, each played through the whole hub."""

from pathlib import Path

import pytest

from sim.script import run_file

SCENARIOS = sorted((Path(__file__).parent / "scenarios").glob("*.txt"))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.stem)
def test_the_evening_goes_as_told(scenario: Path) -> None:
    """Every expectation of the script is met."""
    assert [] == [str(failed) for failed in run_file(scenario)]


def test_every_profile_of_mexican_train_has_its_evening() -> None:
    """A profile without a script is a profile that nobody has played."""
    named = {path.stem for path in SCENARIOS}

    assert {
        "mexican-train-family",
        "mexican-train-rally",
        "mexican-train-classic",
        "mexican-train-online",
        "mexican-train-double-15",
    } <= named


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.stem)
def test_an_evening_tells_what_it_is_about(scenario: Path) -> None:
    """It opens with a comment, and expects something."""
    lines = scenario.read_text(encoding="utf-8").splitlines()

    assert lines[0].startswith("# ")
    assert any(line.startswith("expect ") for line in lines)
