"""The rule card: one page that says what a table has agreed on.

`laid_out` is the card as data, for pages; `card` is the same for a terminal or a printer, 80
columns wide. A setting that has nothing to say (`Rules.silent`) is left out, so that a card has
only what is played.
"""

from typing import NamedTuple

from centerpiece.rules.book import Hands, Rules, settings_of
from centerpiece.text import Sentence

WIDTH = 80
CHANGED = "*"
"""Marks a line in which a house rule differs from its profile."""

_SECTIONS = {
    "The rounds": (
        "engine_choice",
        "engines",
        "first_engine",
        "last_engine",
        "rounds",
        "engine_found",
        "starter",
    ),
    "Playing": ("draw", "turn_limit_s"),
    "The last tile": (
        "last_tile",
        "last_tile_cue",
        "last_tile_deadline",
        "penalty",
        "penalty_points",
        "penalty_tiles",
    ),
    "Scoring": (
        "double_blank",
        "blank_half",
        "doubles_twice",
        "out_bonus",
        "out_on_double_doubles",
        "blocked_lowest_zero",
        "hidden_bones",
    ),
    "Winning": ("wins", "points_limit", "prizes", "late_score", "time_limit_min"),
}
"""Where the settings that all games share stand; a game's own stand first under `Playing`."""


class Line(NamedTuple):
    """What the card says about one setting."""

    setting: str
    sentence: Sentence
    changed: bool


class Section(NamedTuple):
    """A heading and what stands under it."""

    title: str
    lines: tuple[Line, ...]


class Card(NamedTuple):
    """A whole card. `base` is the profile that a house rule set grew from, or empty."""

    game: str
    name: str
    base: str
    hands: Hands
    sections: tuple[Section, ...]


def laid_out(rules: Rules, size: int | None = None, original: Rules | None = None) -> Card:
    """The card as data, for one size of set or for all; `original` is the unchanged profile."""
    spoken = [s for s in _spoken(rules) if s not in rules.silent()]
    differs = {
        setting
        for setting in settings_of(rules)
        if original is not None and getattr(rules, setting) != getattr(original, setting)
    }
    sections = []
    for title, settings in _placed(spoken):
        lines = tuple(Line(s, rules.sentence(s), s in differs) for s in settings)
        if lines:
            sections.append(Section(title, lines))
    sizes = rules.sets if size is None else (size,)
    hands = {size: rules.hands[size] for size in sizes if size in rules.hands}
    title = rules.game.replace("-", " ").title()
    return Card(title, rules.name, rules.base, hands, tuple(sections))


def card(rules: Rules, size: int | None = None, original: Rules | None = None) -> str:
    """The card as text."""
    laid = laid_out(rules, size, original)
    name = f"{laid.name} (a house rule of {laid.base})" if laid.base else laid.name
    lines = [f"{laid.game}: {name}", "=" * WIDTH, "", *_hand_table(laid.hands)]
    for section in laid.sections:
        lines += ["", section.title, "-" * len(section.title)]
        for line in section.lines:
            lines += _wrapped(str(line.sentence), CHANGED if line.changed else " ")
    if any(line.changed for section in laid.sections for line in section.lines):
        lines += ["", f"{CHANGED} differs from {laid.game}: {laid.base or laid.name}"]
    return "\n".join(lines) + "\n"


def _spoken(rules: Rules) -> tuple[str, ...]:
    return tuple(s for s in settings_of(rules) if s not in ("sets", "hands"))


def _placed(spoken: list[str]) -> list[tuple[str, list[str]]]:
    """The settings under their headings."""
    shared = {setting for settings in _SECTIONS.values() for setting in settings}
    placed = []
    for title, settings in _SECTIONS.items():
        here = [s for s in settings if s in spoken]
        if title == "Playing":
            here = [s for s in spoken if s not in shared] + here
        placed.append((title, here))
    return placed


def _hand_table(hands: Hands) -> list[str]:
    """Tiles each, by set and players; a dash where there is nothing to deal."""
    counts = sorted({count for table in hands.values() for count in table})
    rows = ["Players   " + "".join(f"{count:5}" for count in counts)]
    for size, table in hands.items():
        dealt = "".join(f"{table.get(count, '–'):>5}" for count in counts)
        rows.append(f"double-{size:<3}" + dealt + "   tiles each")
    return rows


def _wrapped(text: str, mark: str) -> list[str]:
    """A sentence in lines of the card's width."""
    lines = [f"{mark} "]
    for word in text.split():
        if len(lines[-1]) + len(word) > WIDTH:
            lines.append("  ")
        lines[-1] += word + " "
    return [line.rstrip() for line in lines]
