"""Every scenario of `tests/scenarios`, through the whole hub in virtual time."""

from pathlib import Path

import pytest

from sim.script import run_file

SCENARIOS = sorted((Path(__file__).parent / "scenarios").glob("*.txt"))


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_the_evening_goes_as_it_is_written(path: Path) -> None:
    """No expectation of the script is missed."""
    assert [] == [str(failed) for failed in run_file(path)]
