"""Worked examples for the rule card: made-up hands, scored by the code that scores real rounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from centerpiece.rules.domino_sets import Tile
from centerpiece.rules.rules import Rules
from centerpiece.table import scoring
from centerpiece.table.state import Round, Seat, Table
from centerpiece.text import Sentence

if TYPE_CHECKING:
    from centerpiece.table.game import Game

Hand = tuple[Tile, ...]
Hands = Mapping[int, Hand]
"""The tiles that each seat of the example still holds."""

NAMES = {1: "Ann", 2: "Bob", 3: "Cara"}


def shown(hand: Hand) -> list[str]:
    """Return each tile as people say it, the higher number first: 6-4 and 5-5."""
    return [f"{high}-{low}" for low, high in hand]


def added(rules: Rules, hand: Hand) -> str:
    """Return the sum in full, one number for each tile: 10 + 10."""
    return " + ".join(str(counted(rules, (tile,))) for tile in hand)


def counted(rules: Rules, hand: Hand) -> int:
    """Return the points of a hand."""
    return scoring.counted(rules, scoring.entry_of(hand))


def held(hands: Hands) -> dict[str, Any]:
    """Return the facts {first}, {second}, {third} (names) and {firsts}, … (their tiles)."""
    facts: dict[str, Any] = {}
    for place, number in zip(("first", "second", "third"), hands, strict=True):
        facts |= {place: NAMES[number], f"{place}s": shown(hands[number])}
    return facts


def ended(rules: Rules, hands: Hands, out: int | None = None) -> tuple[Table, Round]:
    """Return a table after one round, and the round; without `out` it was blocked.

    `hands` has the tiles left by seat, and `out` is the seat that went out.
    """
    blocked = out is None
    entries = {
        number: scoring.entry_of(hand, counts_tiles=blocked) for number, hand in hands.items()
    }
    played = Round(1, None, 1, ended=True, out=out, blocked=blocked, entries=entries)
    seats = tuple(Seat(number, name) for number, name in NAMES.items())
    return Table(rules, max(rules.sets), "scoring", seats, rounds=(played,)), played


def own_hands(game: Game, rules: Rules) -> list[Sentence]:
    """Return the example of a game in which everyone scores their own hand, as sentences.

    The hands avoid the double in the middle: nobody can hold it.
    """
    in_the_middle = rules.engines_for(max(rules.sets))[:1]
    double = (4, 4) if in_the_middle == (5,) else (5, 5)
    blank = (1, 2) if in_the_middle == (0,) else (0, 0)
    hands: Hands = {1: (), 2: ((4, 6), double), 3: ((0, 3), blank)}
    points = game.points(*ended(rules, hands, out=1))
    out = {"name": NAMES[1], "points": points[1]}
    sentences = [Sentence("Example: {name} goes out: {points} {points|point|points}.", out)]
    for number in (2, 3):
        facts = {
            "name": NAMES[number],
            "tiles": shown(hands[number]),
            "sum": added(rules, hands[number]),
            "points": points[number],
        }
        words = "{name} still holds {tiles}: {sum} = {points} {points|point|points}."
        sentences.append(Sentence(words, facts))
    return sentences
