"""The rule card for guests, in the order of play.

`laid_out` is the card as data, for pages; `card` is the same for a terminal or a printer, 80
columns wide. Lines that do not apply (`Rules.silent`) are left out, so that a card has only what is
played; lines that differ from the profile are marked as the table's own.
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
"""The mark on lines that differ from the profile."""

Example = Callable[[Any], Sequence[Sentence]]
"""A game's function from a rule book to a worked example of scoring."""


class CardLine(NamedTuple):
    """One line of the card: `name` is the setting or statement, or empty in the example.

    `own`: differs from the profile; `coming`: differs from the rules of the round in play.
    """

    name: str
    sentence: Sentence
    own: bool
    coming: bool = False


class CardSection(NamedTuple):
    """A heading with its lines."""

    title: str
    lines: tuple[CardLine, ...]


class Card(NamedTuple):
    """A whole card. `base` is the profile that a house rule set grew from, or empty."""

    game: str
    name: str
    base: str
    hands: Hands
    """Tiles each, by set and players; empty in a game for one."""
    own_hands: dict[int, dict[int, int | None]]
    """Those that differ from the profile."""
    sections: tuple[CardSection, ...]


def laid_out(
    rules: Rules, original: Rules | None, example: Example, in_play: Rules | None = None
) -> Card:
    """Return the rule card of `rules` as data; `example` makes its example of scoring.

    `original` is the unchanged profile, if there is one; `in_play` the rules of the round in play,
    if `rules` hold from the next one on.
    """
    usual = _sentences(original, None, example)
    played = _sentences(in_play, original, example)
    sections = []
    for title, lines in _said(rules, original, example).items():
        marked = (
            CardLine(name, words, _otherwise(usual, words), _otherwise(played, words))
            for name, words in lines
        )
        sections.append(CardSection(title, tuple(marked)))
    hands = _hands(rules, rules.sets)
    own = {} if original is None else changed_lines(_hands(original, hands), hands)
    return Card(rules.title, rules.name, rules.base, hands, own, tuple(sections))


def _sentences(
    rules: Rules | None, original: Rules | None, example: Example
) -> list[Sentence] | None:
    """Return all sentences of a card in one list; None without `rules`."""
    if rules is None:
        return None
    return [words for lines in _said(rules, original, example).values() for _, words in lines]


def _otherwise(sentences: list[Sentence] | None, words: Sentence) -> bool:
    return sentences is not None and words not in sentences


def _hands(rules: Rules, sizes: Iterable[int]) -> Hands:
    return {size: rules.hands.get(size, {}) for size in sizes} if among_several(rules) else {}


def _said(
    rules: Rules, original: Rules | None, example: Example
) -> dict[str, list[tuple[str, Sentence]]]:
    """Return the lines of the card by heading, each with the name of its setting or statement.

    The example's lines have no name. Settings that the card does not mention, and headings without
    lines, are left out.
    """
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
    """Return the card as text; lines that differ from the profile `original` are marked."""
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
    """Return the lines of a table with the tiles each, by set and number of players.

    A dash stands where there is nothing to deal. Without hands there is no line.
    """
    counts = sorted({count for table in laid.hands.values() for count in table})
    rows = ["", "Players   " + "".join(f"{count:5}" for count in counts)] if counts else []
    for size, table in laid.hands.items():
        own = laid.own_hands.get(size, {})
        dealt = "".join(f"{OWN if n in own else '':>3}{table.get(n, '–'):>2}" for n in counts)
        rows.append(f"double-{size:<3}{dealt}   tiles each")
    return rows


def wrapped(text: str, before: str) -> list[str]:
    """Return the lines of a text wrapped to the paper's width; the first begins with `before`.

    Further lines are indented by its length.
    """
    after = " " * len(before)
    return wrap(text, WIDTH, initial_indent=before, subsequent_indent=after, break_on_hyphens=False)
