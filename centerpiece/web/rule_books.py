"""Rule books and the panel map as data for the pages: every setting with its sentences.

Nothing is decided here; what cannot be agreed on is refused by the core when it is tried.
"""

from typing import Any, get_args

from centerpiece.panel.lookup import panel_of
from centerpiece.rules.card import laid_out
from centerpiece.rules.rule_settings import Choice, Number
from centerpiece.rules.rules import Rules
from centerpiece.table.game import Game
from centerpiece.table.game_set import GameSet
from centerpiece.table.question import What
from centerpiece.text import Sentence


def games(game_set: GameSet) -> list[dict[str, Any]]:
    """Every game with its profiles."""
    return [
        {
            "name": game.name,
            "title": game.title,
            "minutes": game.minutes,
            "picture": game.lesson[0].tiles if game.lesson else [],
            "key_settings": game.key_settings,
            "profiles": [profile(rules) for rules in game.profiles],
        }
        for game in game_set.games.values()
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


def card(game: Game, rules: Rules, in_play: Rules | None = None) -> dict[str, Any]:
    """One rule book, in full: the rule card, and what a table may change about it.

    `in_play` is what the round in play was dealt by, if these rules hold from the next one on.
    """
    known = {own.name: own for own in game.profiles}
    original = known.get(rules.base or rules.name)
    laid = laid_out(rules, original, game.example, in_play)
    return {
        "game": game.name,
        "title": game.title,
        "name": rules.name,
        "base": rules.base,
        "sets": rules.sets,
        "hands": laid.hands,
        "own_hands": laid.own_hands,
        "sections": [
            {
                "title": section.title,
                "lines": [
                    {"said": line.sentence, "own": line.own, "coming": line.coming}
                    for line in section.lines
                ],
            }
            for section in laid.sections
        ],
        "lesson": [step._asdict() for step in game.lesson],
        "settings": [setting(rules, name, original) for name in rules.settings],
    }


def setting(rules: Rules, name: str, original: Rules | None = None) -> dict[str, Any]:
    """A setting: its value, its sentence, and the values that it could have."""
    value, declared = getattr(rules, name), rules.settings[name]
    found: dict[str, Any] = {
        "name": name,
        "value": value,
        "said": rules.sentence(name),
        "changed": original is not None and getattr(original, name) != value,
        "kind": declared.kind,
    }
    match declared:
        case Choice(said=said):
            choices = [{"value": known, "said": Sentence(words)} for known, words in said.items()]
            return found | {"choices": choices}
        case Number(limits=(low, high)):
            return found | {"low": low, "high": high}
    return found


# The panel map


def panel(game: Game) -> list[dict[str, Any]]:
    """The bindings of a game, without those that answer a question: the question says it."""
    return [
        {
            "phases": binding.phases,
            "control": binding.control,
            "gesture": binding.gesture,
            "words": binding.words,
            "when": binding.when,
        }
        for binding in panel_of(game).bindings
        if binding.when not in get_args(What)
    ]
