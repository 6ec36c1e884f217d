"""Rule books and the panel map as data for the pages: every setting with its sentences.

Nothing is decided here; what cannot be agreed on is refused by the core when it is tried.
"""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import inspect
from msgspec.structs import replace

from centerpiece.rules.book import LIMITS, Rules, settings_of
from centerpiece.table.books import Books
from centerpiece.table.commands import Command
from centerpiece.table.game import Game
from centerpiece.table.panel import Ask, Deed, Panel
from centerpiece.text import Sentence

NOT_OFFERED = ("sets", "hands")
"""What a page cannot change: the sets are chosen, the hands are dealt by their table."""


def games(books: Books) -> list[dict[str, Any]]:
    """Every game with its profiles."""
    return [
        {
            "name": game.name,
            "title": game.title,
            "profiles": [profile(rules) for rules in game.profiles],
        }
        for game in books.games.values()
    ]


def profile(rules: Rules) -> dict[str, Any]:
    """One rule book, short: what to choose it by."""
    counts = sorted({count for table in rules.hands.values() for count in table})
    return {
        "name": rules.name,
        "rules": rules.full_name,
        "sets": rules.sets,
        "players": [counts[0], counts[-1]],
        "hands": rules.hands,
    }


def card(game: Game, rules: Rules) -> dict[str, Any]:
    """One rule book, in full: the rule card, and what a table may change about it."""
    known = {own.name: own for own in game.profiles}
    original = known.get(rules.base or rules.name)
    return {
        "game": game.name,
        "title": game.title,
        "name": rules.name,
        "base": rules.base,
        "sets": rules.sets,
        "hands": rules.hands,
        "settings": [setting(rules, name, original) for name in settings_of(rules)],
    }


def setting(rules: Rules, name: str, original: Rules | None = None) -> dict[str, Any]:
    """A setting: its value, its sentence, and the values that it could have."""
    value = getattr(rules, name)
    field = {f.name: f.type for f in _fields(type(rules))}[name]
    kinds = field.types if isinstance(field, inspect.UnionType) else (field,)
    found: dict[str, Any] = {
        "name": name,
        "value": value,
        "said": _said(rules, name),
        "changed": original is not None and getattr(original, name) != value,
        "optional": any(isinstance(kind, inspect.NoneType) for kind in kinds),
        "kind": "fixed",
    }
    if name in NOT_OFFERED:
        return found
    for kind in kinds:
        if isinstance(kind, inspect.BoolType):
            found |= {"kind": "choice", "choices": list(_choices(rules, name, (False, True)))}
        elif isinstance(kind, inspect.LiteralType):
            found |= {"kind": "choice", "choices": list(_choices(rules, name, kind.values))}
        elif isinstance(kind, inspect.IntType):
            low, high = LIMITS.get(name, (0, 99))
            found |= {"kind": "number", "low": low, "high": high}
        elif isinstance(kind, inspect.VarTupleType):
            found["kind"] = "numbers"
    return found


def _fields(kind: type[Rules]) -> tuple[inspect.Field, ...]:
    described = inspect.type_info(kind)
    assert isinstance(described, inspect.StructType)
    return described.fields


def _choices(rules: Rules, name: str, values: tuple[Any, ...]) -> Iterator[dict[str, Any]]:
    said = type(rules).says[name]
    ordered = [value for value in said if value in values] if isinstance(said, dict) else values
    for value in ordered:
        yield {"value": value, "said": _said(replace(rules, **{name: value}), name)}


def _said(rules: Rules, name: str) -> Sentence:
    return rules.sentence(name)


# The panel map


def panel(game: Game) -> list[dict[str, Any]]:
    """Every binding of a game's panel, and the command that a page sends for it.

    In a command, `"{seat}"` stands for the seat that is meant. `asks` is set where the hub would
    wait for a seat: on a page the seat is known already.
    """
    return [
        {
            "phases": binding.phases,
            "control": binding.control,
            "gesture": binding.gesture,
            "words": binding.words,
            "when": binding.when,
            "asks": isinstance(binding.deed(3), Ask),
            "command": _template(binding.deed(3), binding.deed(7)),
        }
        for binding in Panel(game.panel).bindings
    ]


def _template(one: Deed, other: Deed) -> dict[str, Any] | None:
    """A command with the seat left open: what differs between two seats is the seat."""
    if isinstance(one, Ask) and isinstance(other, Ask):
        one, other = one.answer(3), other.answer(7)
    if not isinstance(one, Command) or not isinstance(other, Command):
        return None
    first, second = msgspec.to_builtins(one), msgspec.to_builtins(other)
    return {key: value if value == second[key] else "{seat}" for key, value in first.items()}
