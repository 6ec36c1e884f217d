"""The rule card: one page that says what a table has agreed on.

`laid_out` is the card as data, for pages; `card` is the same for a terminal or a printer, 80
columns wide. A setting that has nothing to say (`Rules.silent`) is left out, so that a card has
only what is played.
"""

from textwrap import wrap
from typing import NamedTuple

from centerpiece.rules.book import Rules
from centerpiece.rules.deal import Hands
from centerpiece.text import Sentence

WIDTH = 80
CHANGED = "*"
"""Marks a line in which a house rule differs from its profile."""


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
    """The card as data, for one size of set or for all; `original` is the unchanged profile.

    Under each heading a game's own settings come first. What is fixed is in the table of hands.
    """
    silent = rules.silent()
    sections: dict[str, list[Line]] = {s.section: [] for s in rules.settings.values()}
    for name in sorted(rules.settings, key=lambda name: name in Rules.settings):
        setting = rules.settings[name]
        if name not in silent and setting.kind != "fixed":
            changed = original is not None and getattr(rules, name) != getattr(original, name)
            sections[setting.section].append(Line(name, rules.sentence(name), changed))
    sizes = rules.sets if size is None else (size,)
    hands = {size: rules.hands[size] for size in sizes if size in rules.hands}
    filled = tuple(Section(title, tuple(lines)) for title, lines in sections.items() if lines)
    return Card(rules.title, rules.name, rules.base, hands, filled)


def card(rules: Rules, size: int | None = None, original: Rules | None = None) -> str:
    """The card as text."""
    laid = laid_out(rules, size, original)
    name = f"{laid.name} (a house rule of {laid.base})" if laid.base else laid.name
    lines = [f"{laid.game}: {name}", "=" * WIDTH, "", *_hand_table(laid.hands)]
    for section in laid.sections:
        lines += ["", section.title, "-" * len(section.title)]
        for line in section.lines:
            mark = CHANGED if line.changed else " "
            lines += wrapped(str(line.sentence), f"{mark} ")
    if any(line.changed for section in laid.sections for line in section.lines):
        lines += ["", f"{CHANGED} differs from {laid.game}: {laid.base or laid.name}"]
    return "\n".join(lines) + "\n"


def _hand_table(hands: Hands) -> list[str]:
    """Tiles each, by set and players; a dash where there is nothing to deal."""
    counts = sorted({count for table in hands.values() for count in table})
    rows = ["Players   " + "".join(f"{count:5}" for count in counts)]
    for size, table in hands.items():
        dealt = "".join(f"{table.get(count, '–'):>5}" for count in counts)
        rows.append(f"double-{size:<3}" + dealt + "   tiles each")
    return rows


def wrapped(text: str, before: str) -> list[str]:
    """A text in lines of the paper's width, all of it to the right of what stands before it."""
    after = " " * len(before)
    return wrap(text, WIDTH, initial_indent=before, subsequent_indent=after, break_on_hyphens=False)
