"""Book, page and document all follow the declaration of a setting."""

from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
import pytest

from centerpiece.games.registry import GAMES
from centerpiece.reports.papers import settings_text
from centerpiece.rules.card import laid_out
from centerpiece.rules.rule_settings import (
    TURN,
    Choice,
    Number,
    Numbers,
    Setting,
    SettingsSection,
    written,
)
from centerpiece.rules.rules import Rules
from centerpiece.table.game import Game
from centerpiece.text import Refused
from centerpiece.web import rule_books

every_game = pytest.mark.parametrize("game", GAMES.games.values(), ids=lambda game: game.name)
every_setting = pytest.mark.parametrize(
    ("rules", "name"),
    [(game.profiles[0], name) for game in GAMES.games.values() for name in game.rules.settings],
    ids=lambda value: value if isinstance(value, str) else value.game,
)


def offered(setting: Setting) -> Iterator[Any]:
    """Return the declared values: every value with its own sentence, and both limits."""
    yield from setting.said
    if isinstance(setting, Numbers):
        yield list(setting.limits)
    elif isinstance(setting, Number):
        yield from setting.limits


def just_outside(setting: Setting) -> Iterator[Any]:
    """Return the nearest values that are not allowed, and some of other types."""
    yield from ("no such value", 1.5, {"a": 1}, [1.5])
    if isinstance(setting, Number):
        low, high = setting.limits
        for number in (low - 1, high + 1):
            yield [low, number] if isinstance(setting, Numbers) else number
        yield from [True] if None in setting.said else [True, None]
    elif isinstance(setting, Choice):
        yield from (None, *(int(value) for value in setting.said if isinstance(value, bool)))


@every_setting
def test_the_book_takes_what_is_offered_and_nothing_beside_it(rules: Rules, name: str) -> None:
    setting = rules.settings[name]

    for value in offered(setting):
        kept = getattr(rules.changed({name: value}), name)
        assert value == (list(kept) if isinstance(value, list) else kept)
    for value in just_outside(setting):
        with pytest.raises(Refused) as refused:
            rules.changed({name: value})
        message = str(refused.value)
        assert message.startswith(f"{name} must be {setting.expected}, not "), message


@every_setting
def test_a_page_and_a_document_offer_what_the_book_takes(rules: Rules, name: str) -> None:
    setting = rules.settings[name]
    shown = rule_books.setting(rules, name)
    blocks = settings_text(GAMES.games[rules.game]).split("\n\n")
    block = next(block for block in blocks if block.startswith(f"{name}\n"))

    if isinstance(setting, Number):
        assert setting.limits == (shown["low"], shown["high"])
        assert "{} to {}".format(*setting.limits) in block
    if isinstance(setting, Choice):
        assert list(setting.said) == [choice["value"] for choice in shown["choices"]]
    for value in setting.said:
        assert f"\n  {written(value)} " in block


@every_game
def test_every_field_of_a_rule_book_is_declared(game: Game) -> None:
    """Its type has the values that have sentences; profiles use only allowed values."""
    hints = get_type_hints(game.rules)

    assert set(game.rules.__struct_fields__) - {"name", "base"} == set(game.rules.settings)
    for name, setting in game.rules.settings.items():
        if get_origin(hints[name]) is Literal:
            assert set(get_args(hints[name])) == set(setting.said)
        for profile in game.profiles:
            assert setting.holds(msgspec.to_builtins(getattr(profile, name), str_keys=True))


def test_a_game_from_elsewhere_declares_its_settings_in_its_own_class() -> None:
    """Nothing else has to know them; its own headings come after those of a turn."""

    class Elsewhere(Rules, frozen=True, kw_only=True, tag="elsewhere"):
        title = "Elsewhere"

        jokers: int = TURN.number(2, (0, 4), "{value} {value|joker|jokers} may be played.")
        stakes: bool = SettingsSection("Betting").choice(
            (False, "Nothing is at stake."), (True, "Matches are at stake.")
        )

    rules = Elsewhere(name="own", sets=(6,), hands={6: {2: 7}})

    assert (2, False) == (rules.jokers, rules.stakes)
    assert "1 joker may be played." == str(rules.changed({"jokers": 1}).sentence("jokers"))
    assert ["Your turn", "Betting"] == [
        section.title
        for section in laid_out(rules, None, lambda rules: ()).sections
        if {"jokers", "stakes"} & {line.name for line in section.lines}
    ]
    assert (*Rules.settings, "jokers", "stakes") == tuple(rules.settings)
    assert "jokers" not in Rules.settings
