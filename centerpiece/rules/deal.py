"""The settings of a deal: the sets that fit, and how many tiles each player draws."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from centerpiece.rules.domino_sets import SIZES
from centerpiece.rules.rule_settings import SETTING_UP, Setting
from centerpiece.text import Sentence

Hands = dict[int, dict[int, int]]
"""Tiles each player draws: by size of the set, then by number of players."""

_SIZES = ", ".join(map(str, SIZES))
_Size = Annotated[int, Meta(ge=min(SIZES), le=max(SIZES))]
_Players = Annotated[int, Meta(ge=1, le=10)]
_Lines = dict[_Size, dict[_Players, Annotated[int, Meta(ge=1)] | None]]


class Sets(Setting, frozen=True, kw_only=True):
    """The sets that a game can be played with; the choice among them is not a rule."""

    kind = "fixed"
    others = f"some of {_SIZES}"
    expected = Sentence("some of {sizes}", {"sizes": _SIZES})

    def holds(self, value: Any) -> bool:
        listed = isinstance(value, list | tuple) and len(value) > 0
        return listed and all(type(size) is int and size in SIZES for size in value)


class HandTable(Setting, frozen=True, kw_only=True):
    """Tiles by set and players. Lines are changed one by one, and null removes one:

    `{"12": {"4": 17, "8": null}}` leaves all others as they are.
    """

    kind = "fixed"
    others = "tiles by set and players"
    expected = Sentence(
        "tiles by set and players, such as {example}", {"example": '{"12": {"4": 15}}'}
    )

    def holds(self, value: Any) -> bool:
        """Return True if `value` has lines by set and players, each a number of tiles or null."""
        try:
            _lines(value)
        except msgspec.ValidationError:
            return False
        return True

    def read(self, value: Any, before: Hands) -> Hands:
        """Return the hands `before`, changed by the lines of `value`; null removes a line."""
        changes = _lines(value)
        dealt: dict[int, dict[int, int]] = {}
        for size in (*before, *(size for size in changes if size not in before)):
            lines = before.get(size, {}) | changes.get(size, {})
            dealt[size] = {n: hand for n, hand in sorted(lines.items()) if hand is not None}
        return dealt


def _lines(value: Any) -> dict[int, dict[int, int | None]]:
    lines: dict[int, dict[int, int | None]] = msgspec.convert(value, _Lines, str_keys=True)
    return lines


def changed_lines(before: Hands, after: Hands) -> dict[int, dict[int, int | None]]:
    """Return the lines of `after` that differ from `before`, by set and players.

    A line that is gone is None; sets without a difference are left out.
    """
    changed: dict[int, dict[int, int | None]] = {}
    for size in sorted({*before, *after}):
        old, new = before.get(size, {}), after.get(size, {})
        lines = {n: new.get(n) for n in sorted({*old, *new}) if old.get(n) != new.get(n)}
        if lines:
            changed[size] = lines
    return changed


def among_several(rules: Any) -> bool:
    """Return True for a game of several players, False for a game for one."""
    return any(count > 1 for table in rules.hands.values() for count in table)


SETS: Any = Sets(
    section=SETTING_UP.title,
    default=msgspec.NODEFAULT,
    otherwise="Sets you can use: double {value}.",
    applies=lambda rules: not among_several(rules),
)
"""Not on the card where several play: the table of hands shows the sets."""
HANDS: Any = HandTable(
    section=SETTING_UP.title,
    default=msgspec.NODEFAULT,
    otherwise="Shuffle the tiles face down. Everyone draws as many as the table shows, and keeps "
    "them hidden.",
    applies=among_several,
)
