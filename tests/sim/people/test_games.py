"""One map from a game's name to what virtual people need of it; nothing else names a game."""

from importlib.metadata import EntryPoint

import pytest

from centerpiece.games.registry import GAMES
from sim.dominoes.muggins_tiles import MugginsTiles
from sim.people import games
from sim.people.muggins_people import MugginsReporter
from tools.architecture import files, imports_in

OWN = {value.partition(":")[0] for value in games.GAMES.values()}
TILES = {module.replace("people", "dominoes") for module in OWN}


def test_people_know_every_game_that_the_hub_knows() -> None:
    """Its tiles and its panel."""
    assert set(GAMES.games) == set(games.GAMES)
    assert MugginsTiles is games.reporter_of("muggins").round


def test_a_game_that_nobody_knows_is_refused_with_those_there_are() -> None:
    """Before anything is dealt."""
    with pytest.raises(games.Unknown, match=r"how to play chess here; games are .*mexican-train"):
        games.reporter_of("chess")


def test_a_package_of_its_own_may_add_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """By an entry point, as if it stood in the map."""
    other = EntryPoint("all-threes", "sim.people.muggins_people:MugginsReporter", games.GROUP)
    monkeypatch.setattr(games, "entry_points", lambda group: [other])
    games.known.cache_clear()
    try:
        assert MugginsReporter is games.reporter_of("all-threes")
    finally:
        games.known.cache_clear()
        games.reporter_of.cache_clear()


def test_only_a_games_own_modules_name_it() -> None:
    """Shared modules then need no change when a game is added or removed."""
    assert [] == [
        str(found)
        for path in files()
        for found in imports_in(path)
        if found.target in OWN | TILES and found.module not in OWN
    ]
