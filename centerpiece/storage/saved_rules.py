"""The table's own house rules: saved under a name, offered again, found by it.

What a setting means is in `rules`; here is only what becomes of a set between two evenings.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from centerpiece.rules.book import HouseRules, Rules, with_settings
from centerpiece.storage.settings import Settings
from centerpiece.table.books import Books
from centerpiece.table.checks import clean_name
from centerpiece.text import Refused, Sentence


class Found(NamedTuple):
    """A rule book by its name: the profile it rests on, and what is different.

    `left_out` are the settings that were saved by another release and mean nothing to this one.
    """

    rules: Rules
    profile: Rules
    changes: Mapping[str, Any]
    left_out: tuple[str, ...] = ()

    def note(self) -> Sentence | None:
        """What to tell the table about settings left out."""
        if not self.left_out:
            return None
        return Sentence(
            "“{name}” was saved by another release; left out: {settings}.",
            {"name": self.rules.name, "settings": ", ".join(self.left_out)},
        )


def find(books: Books, store: Settings, full_name: str) -> Found:
    """The saved set or the profile of that name; Refused names those there are."""
    game, _, name = full_name.partition("/")
    house = saved(store, game, name)
    if house is not None:
        return opened(books, house)
    profile = books.profile(full_name)
    return Found(profile, profile, {})


def saved(store: Settings, game: str, name: str) -> HouseRules | None:
    """The saved set of that name, however it is spelt."""
    for house in store.house_rules():
        if house.game == game and house.name.casefold() == name.casefold():
            return house
    return None


def opened(books: Books, house: HouseRules) -> Found:
    """A saved set as this release understands it; its profile may be gone as well."""
    gone = []
    try:
        profile = books.profile(f"{house.game}/{house.profile}")
    except Refused:
        profile = books.profile(house.game)
        gone.append(f"profile {house.profile}")
    changes, left_out = house.fitting(profile)
    rules = with_settings(profile, changes, house.name)
    return Found(rules, profile, changes, (*gone, *left_out))


def names(books: Books, store: Settings, game: str) -> tuple[str, ...]:
    """Everything that can be played of a game: its profiles, then the table's own sets."""
    own = tuple(house.name for house in store.house_rules() if house.game == game)
    return (*(profile.name for profile in books.games[game].profiles), *own)


def keep(books: Books, store: Settings, rules: Rules, name: str) -> HouseRules:
    """Save rules under a name, in place of an earlier set of that name.

    Refused if the name is taken by a printed rule book, or if the rules cannot be played.
    """
    house = _named(books, rules, clean_name(name))
    earlier = saved(store, house.game, house.name)
    store.save_house_rules(house)
    if earlier is not None and earlier.name != house.name:
        store.forget_house_rules(earlier.full_name)
    return house


def forget(store: Settings, game: str, name: str) -> None:
    """Drop a saved set; Refused names those there are."""
    house = saved(store, game, name)
    if house is None:
        own = [kept.name for kept in store.house_rules() if kept.game == game]
        raise Refused(
            "No rule set called “{name}” is saved. Saved are: {own}.",
            name=name,
            own=", ".join(own) or "none",
        )
    store.forget_house_rules(house.full_name)


def _named(books: Books, rules: Rules, name: str) -> HouseRules:
    profiles = {profile.name: profile for profile in books.games[rules.game].profiles}
    if name.casefold() in profiles:
        raise Refused(
            "“{name}” is the name of a printed rule book. Choose a name of your own.", name=name
        )
    profile = profiles.get(rules.base or rules.name, next(iter(profiles.values())))
    house = HouseRules.of(rules, profile, name)
    house.on(profile)
    return house
