"""The table's own house rules: saved under a name, offered again, found by it.

What is saved follows from the events like everything else, so that undo reaches it and a disk
that refuses keeps nothing. What a setting means is in `rules`.
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
    """A rule book by its name: the profile it rests on, and what is different.

    `left_out` are the settings that were saved by another release and mean nothing to this one.
    """

    rules: Rules
    profile: Rules
    changes: Mapping[str, Any]
    left_out: tuple[str, ...] = ()


def find(game_set: GameSet, table: Table, full_name: str) -> FoundRules:
    """The saved set or the profile of that name; Refused names those there are."""
    game, _, name = full_name.partition("/")
    house = _saved(table, game, name)
    if house is not None:
        return _opened(game_set, house)
    profile = game_set.profile(full_name)
    return FoundRules(profile, profile, {})


def names(game_set: GameSet, table: Table, game: str) -> tuple[str, ...]:
    """Everything that can be played of a game: its profiles, then the table's own sets."""
    own = tuple(house.name for house in table.saved_rules if house.game == game)
    return (*(profile.name for profile in game_set.games[game].profiles), *own)


def named(game_set: GameSet, rules: Rules, name: str) -> HouseRules:
    """Rules under a name of the table's own.

    Refused if the name is taken by a printed rule book, or if the rules cannot be played.
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
    """The saved set of the chosen game that has that name; Refused names those there are."""
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
    """All saved sets but the one of that name, however it is spelt."""
    return tuple(kept for kept in table.saved_rules if _key(kept) != _key(house))


def with_saved(table: Table, house: HouseRules) -> tuple[HouseRules, ...]:
    """All saved sets by name, this one in place of an earlier one of its name."""
    return tuple(sorted((*without(table, house), house), key=lambda kept: kept.full_name))


def _key(house: HouseRules) -> tuple[str, str]:
    return house.game, house.name.casefold()


def _saved(table: Table, game: str, name: str) -> HouseRules | None:
    key = (game, name.casefold())
    return next((house for house in table.saved_rules if _key(house) == key), None)


def _opened(game_set: GameSet, house: HouseRules) -> FoundRules:
    """A saved set as this release understands it; its profile may be gone as well."""
    gone = []
    try:
        profile = game_set.profile(f"{house.game}/{house.profile}")
    except Refused:
        profile = game_set.profile(house.game)
        gone.append(f"profile {house.profile}")
    changes, left_out = house.fitting(profile)
    rules = with_settings(profile, changes, house.name)
    return FoundRules(rules, profile, changes, (*gone, *left_out))
