"""The rule card: what one hands to a guest, in the order of play.

`laid_out` is the card as data, for pages; `card` is the same for a terminal or a printer, 80
columns wide. What has nothing to say (`Rules.silent`) is left out, so that a card has only what
is played; what the profile does not say in the same words is the table's own, and marked.
"""

from collections.abc import Callable, Iterable, Sequence
from textwrap import wrap
from typing import Any, NamedTuple

from centerpiece.rules.deal import Hands, among_several, changed_lines
from centerpiece.rules.rule_settings import AFTER, BEFORE, SCORING
from centerpiece.rules.rules import Rules
from centerpiece.text import Sentence

WIDTH = 80
OWN = "*"
"""Marks what a table plays otherwise than its profile."""

Example = Callable[[Any], Sequence[Sentence]]
"""What a game makes of a book to show by an example how a round is scored."""


class CardLine(NamedTuple):
    """One thing the card says: `name` is the setting or statement, or empty in the example.

    `own`: the profile says it otherwise; `coming`: so does the card of the round in play.
    """

    name: str
    sentence: Sentence
    own: bool
    coming: bool = False


class CardSection(NamedTuple):
    """A heading and what stands under it."""

    title: str
    lines: tuple[CardLine, ...]


class Card(NamedTuple):
    """A whole card. `base` is the profile that a house rule set grew from, or empty."""

    game: str
    name: str
    base: str
    hands: Hands
    """Tiles each, by set and players; nothing in a game for one."""
    own_hands: dict[int, dict[int, int | None]]
    """Those that the profile has otherwise."""
    sections: tuple[CardSection, ...]


def laid_out(
    rules: Rules, original: Rules | None, example: Example, in_play: Rules | None = None
) -> Card:
    """The card as data; `original` is the unchanged profile, if there is one, and `in_play` what
    the round in play was dealt by, if these rules hold from the next one on."""
    known = _sentences(original, None, example)
    played = _sentences(in_play, original, example)
    sections = []
    for title, lines in _said(rules, original, example).items():
        marked = (
            CardLine(name, words, _otherwise(known, words), _otherwise(played, words))
            for name, words in lines
        )
        sections.append(CardSection(title, tuple(marked)))
    hands = _hands(rules, rules.sets)
    own = {} if original is None else changed_lines(_hands(original, hands), hands)
    return Card(rules.title, rules.name, rules.base, hands, own, tuple(sections))


def _sentences(
    rules: Rules | None, original: Rules | None, example: Example
) -> list[Sentence] | None:
    """All that a card says, in one list."""
    if rules is None:
        return None
    return [words for lines in _said(rules, original, example).values() for _, words in lines]


def _otherwise(known: list[Sentence] | None, words: Sentence) -> bool:
    return known is not None and words not in known


def _hands(rules: Rules, sizes: Iterable[int]) -> Hands:
    return {size: rules.hands.get(size, {}) for size in sizes} if among_several(rules) else {}


def _said(
    rules: Rules, original: Rules | None, example: Example
) -> dict[str, list[tuple[str, Sentence]]]:
    """Everything that the card says, by heading: what games share, what they add, the example."""
    titles = [section.title for section in (*BEFORE, *AFTER)]
    own = [each.section for each in rules.declared.values() if each.section not in titles]
    titles[len(BEFORE) : len(BEFORE)] = dict.fromkeys(own)
    said: dict[str, list[tuple[str, Sentence]]] = {title: [] for title in titles}
    silent = rules.silent(original)
    for name, each in rules.declared.items():
        if name not in silent:
            said[each.section].append((name, rules.sentence(name)))
    said[SCORING.title] += [("", sentence) for sentence in example(rules)]
    return {title: lines for title, lines in said.items() if lines}


def card(rules: Rules, original: Rules | None, example: Example) -> str:
    """The card as text."""
    laid = laid_out(rules, original, example)
    name = f"{laid.name} (house rules on top of {laid.base})" if laid.base else laid.name
    lines = [f"{laid.game}: {name}", "=" * WIDTH, *_hand_table(laid)]
    for section in laid.sections:
        lines += ["", section.title, "-" * len(section.title)]
        for line in section.lines:
            lines += wrapped(str(line.sentence), f"{OWN if line.own else ' '} ")
    if laid.own_hands or any(line.own for section in laid.sections for line in section.lines):
        lines += [
            "",
            f"{OWN} this table's own; all else is as in {laid.game}: {laid.base or laid.name}",
        ]
    return "\n".join(lines) + "\n"


def _hand_table(laid: Card) -> list[str]:
    """Tiles each, by set and players; a dash where there is nothing to deal."""
    counts = sorted({count for table in laid.hands.values() for count in table})
    rows = ["", "Players   " + "".join(f"{count:5}" for count in counts)] if counts else []
    for size, table in laid.hands.items():
        own = laid.own_hands.get(size, {})
        dealt = "".join(f"{OWN if n in own else '':>3}{table.get(n, '–'):>2}" for n in counts)
        rows.append(f"double-{size:<3}{dealt}   tiles each")
    return rows


def wrapped(text: str, before: str) -> list[str]:
    """A text in lines of the paper's width, all of it to the right of what stands before it."""
    after = " " * len(before)
    return wrap(text, WIDTH, initial_indent=before, subsequent_indent=after, break_on_hyphens=False)
