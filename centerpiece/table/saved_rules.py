"""The table's saved house rules: adding, finding and deleting them by name.

They are part of the table, built from its events, so undo reaches them and nothing is kept that the
disk refused. The meaning of a setting is in `rules`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from centerpiece.rules.house_rules import HouseRules
from centerpiece.rules.rules import Rules, with_settings
from centerpiece.table.checks import clean_name
from centerpiece.table.state import Table
from centerpiece.text import Refused

if TYPE_CHECKING:
    from centerpiece.table.game_set import GameSet


class FoundRules(NamedTuple):
    """A rule book found by name: its profile, and the settings that differ.

    `left_out` are settings saved by another release that this one does not know.
    """

    rules: Rules
    profile: Rules
    changes: Mapping[str, Any]
    left_out: tuple[str, ...] = ()


def find(game_set: GameSet, table: Table, full_name: str) -> FoundRules:
    """Return the saved set of that name, or else the profile.

    If there is neither, Refused lists the profiles there are.
    """
    game, _, name = full_name.partition("/")
    house = _saved(table, game, name)
    if house is not None:
        return _opened(game_set, house)
    profile = game_set.profile(full_name)
    return FoundRules(profile, profile, {})


def names(game_set: GameSet, table: Table, game: str) -> tuple[str, ...]:
    """Return all rule books of a game: its profiles, then the table's own sets."""
    own = tuple(house.name for house in table.saved_rules if house.game == game)
    return (*(profile.name for profile in game_set.games[game].profiles), *own)


def as_house_rules(game_set: GameSet, rules: Rules, name: str) -> HouseRules:
    """Return rules as a saved set of this name.

    Refused if a profile has the name, or if the rules cannot be played.
    """
    name = clean_name(name)
    profiles = {profile.name: profile for profile in game_set.games[rules.game].profiles}
    if name.casefold() in profiles:
        raise Refused(
            "“{name}” is the name of a printed rule book. Choose a name of your own.", name=name
        )
    profile = profiles.get(rules.base or rules.name, next(iter(profiles.values())))
    house = HouseRules.of(rules, profile, name)
    house.on(profile)
    return house


def to_forget(table: Table, name: str) -> HouseRules:
    """Return the saved set of the chosen game with that name; Refused lists those there are."""
    house = _saved(table, table.rules.game, name)
    if house is None:
        own = [kept.name for kept in table.saved_rules if kept.game == table.rules.game]
        raise Refused(
            "There are no saved rules called “{name}”. Saved rules: {own}.",
            name=name,
            own=", ".join(own) or "none",
        )
    return house


def without(table: Table, house: HouseRules) -> tuple[HouseRules, ...]:
    """Return the saved sets but the one of that name, in upper or lower case."""
    return tuple(kept for kept in table.saved_rules if _key(kept) != _key(house))


def with_saved(table: Table, house: HouseRules) -> tuple[HouseRules, ...]:
    """Return the saved sets in order of names, with this one added or replaced."""
    return tuple(sorted((*without(table, house), house), key=lambda kept: kept.full_name))


def _key(house: HouseRules) -> tuple[str, str]:
    return house.game, house.name.casefold()


def _saved(table: Table, game: str, name: str) -> HouseRules | None:
    key = (game, name.casefold())
    return next((house for house in table.saved_rules if _key(house) == key), None)


def _opened(game_set: GameSet, house: HouseRules) -> FoundRules:
    """Read a saved set as far as this release knows it; the rest is listed as left out.

    A profile that is gone is replaced by the game's first.
    """
    gone = []
    try:
        profile = game_set.profile(f"{house.game}/{house.profile}")
    except Refused:
        profile = game_set.profile(house.game)
        gone.append(f"profile {house.profile}")
    changes, left_out = house.fitting(profile)
    rules = with_settings(profile, changes, house.name)
    return FoundRules(rules, profile, changes, (*gone, *left_out))
