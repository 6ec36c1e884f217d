"""Whole evenings as text, each played through the whole hub."""

from pathlib import Path

import pytest

from centerpiece.games.registry import GAMES
from centerpiece.locale.catalogue import CATALOGUES
from centerpiece.table.game import Game
from sim.script import run_file

SCENARIOS = sorted((Path(__file__).parent / "scenarios").glob("*.txt"))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.stem)
def test_the_evening_goes_as_told(scenario: Path) -> None:
    assert [] == [str(failed) for failed in run_file(scenario)]


@pytest.mark.parametrize("game", GAMES.games.values(), ids=lambda game: game.name)
def test_every_rule_book_has_its_evening(game: Game) -> None:
    """A profile without a script has never been played; and the pages know its name."""
    named = {path.stem for path in SCENARIOS}
    texts = CATALOGUES.english["page"]

    for profile in game.profiles:
        assert f"{game.name}-{profile.name}" in named
        assert f"profile.{profile.name}" in texts


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.stem)
def test_an_evening_tells_what_it_is_about(scenario: Path) -> None:
    """It opens with a comment, and expects something."""
    lines = scenario.read_text(encoding="utf-8").splitlines()

    assert lines[0].startswith("# ")
    assert any(line.startswith("expect ") for line in lines)
