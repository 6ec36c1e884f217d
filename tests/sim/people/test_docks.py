"""Virtual people whose train markers tell by themselves; some forget them, or play with them."""

import pytest

from centerpiece.games.mexican_train.rules import PROFILES
from centerpiece.games.registry import GAMES
from centerpiece.hub import dock_levels
from centerpiece.panel import markers
from sim.people.play import play_game
from sim.people.tables import Disagreement, Tables
from sim.people.tally import Tally

long = pytest.mark.long
MOST_PRESSES = {4: 310, 8: 470}
"""In a classic game of so many people; without docks four press about 400 times, eight 605."""


def tables_of(name: str, players: int = 4, **more: object) -> Tables:
    rules = GAMES.profile(f"mexican-train/{name}")
    return Tables(rules, rules.sets[0], players, docks=True, **more)


def played(tables: Tables, games: range) -> Tally:
    tally = Tally.of(tables)
    for game in games:
        tally.add(play_game(tables, game))
    return tally


@pytest.mark.parametrize("games", [range(1, 9), pytest.param(range(9, 1001), marks=long)])
def test_a_table_with_docks_agrees_and_presses_less(games: range) -> None:
    tally = played(tables_of("classic"), games)

    assert len(games) == tally.games
    assert tally.gestures <= MOST_PRESSES[4] * tally.games
    assert tally.moved > 100 * tally.games
    assert tally.mishandled > tally.games


@pytest.mark.parametrize("games", [range(1, 3), pytest.param(range(3, 101), marks=long)])
def test_so_does_a_table_of_eight(games: range) -> None:
    tally = played(tables_of("classic", players=8), games)

    assert tally.gestures <= MOST_PRESSES[8] * tally.games


@pytest.mark.parametrize("games", [range(1, 3), pytest.param(range(3, 41), marks=long)])
@pytest.mark.parametrize("profile", [profile.name for profile in PROFILES])
def test_whatever_befalls_a_table_with_docks_the_books_agree(profile: str, games: range) -> None:
    """People who come late and leave, every profile's rules about markers."""
    assert len(games) == played(tables_of(profile, incidents=0.3), games).games


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [
        (dock_levels, "SETTLED", 20.0),  # nothing settles in time
        (markers, "CHANGED_MIND", 0.0),  # a wrong marker costs an announcement
        (markers, "FIRST_LOOK", 60.0),  # the hub does not say where a marker is
    ],
)
def test_a_hub_that_treats_markers_wrongly_is_found_out(
    module: object, name: str, value: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, name, value)
    with pytest.raises(Disagreement):
        played(tables_of("classic", seed=3), range(1, 13))
