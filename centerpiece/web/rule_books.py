"""Rule books and the panel map as data for the pages: every setting with its sentences.

Nothing is checked here: the core refuses a combination that cannot be played.
"""

from typing import Any, get_args

from msgspec.structs import replace

from centerpiece.panel.lookup import panel_of
from centerpiece.rules.card import laid_out
from centerpiece.rules.rule_settings import Choice, Number
from centerpiece.rules.rules import Rules
from centerpiece.table.game import Game
from centerpiece.table.game_set import GameSet
from centerpiece.table.question import What
from centerpiece.text import Sentence


def games(game_set: GameSet) -> list[dict[str, Any]]:
    """Return every game with what it is called, how it plays and its profiles in short."""
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
    """Return one rule book in short, to choose it by: players, hands, and doubles by set."""
    counts = sorted({count for table in rules.hands.values() for count in table})
    return {
        "name": rules.name,
        "rules": rules.full_name,
        "sets": rules.sets,
        "players": [counts[0], counts[-1]],
        "hands": rules.hands,
        "doubles": {
            size: len(replace(rules, rounds=None).engines_for(size)) for size in rules.sets
        },
    }


def card(game: Game, rules: Rules, in_play: Rules | None = None) -> dict[str, Any]:
    """Return one rule book in full: rule card, lesson, and all settings that a table may change.

    `in_play` is the rule book of the round in play, if `rules` apply from the next round on; the
    lines that differ are then marked as coming.
    """
    profiles = {own.name: own for own in game.profiles}
    original = profiles.get(rules.base or rules.name)
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
    """Return the setting `name` of a rule book: its value, its sentence, and its allowed values.

    `original` is the unchanged profile; without it, no setting counts as changed.
    """
    value, declared = getattr(rules, name), rules.settings[name]
    result: dict[str, Any] = {
        "name": name,
        "value": value,
        "said": rules.sentence(name),
        "changed": original is not None and getattr(original, name) != value,
        "kind": declared.kind,
    }
    match declared:
        case Choice(said=said):
            choices = [{"value": choice, "said": Sentence(words)} for choice, words in said.items()]
            return result | {"choices": choices}
        case Number(limits=(low, high)):
            return result | {"low": low, "high": high}
    return result


# The panel map


def panel(game: Game) -> list[dict[str, Any]]:
    """Return what each button does in a game, by phase and gesture.

    Answers to questions are left out: each question shows its own.
    """
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
