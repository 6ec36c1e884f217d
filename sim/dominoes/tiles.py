"""Tiles as small integers, hands as bit sets.

Tiles are numbered by their pips, lightest first, across the largest set (double 15). So the highest
bit of a hand is its heaviest tile, `hand & SUIT[n]` are the tiles that fit on an n, and the half of
a tile that is left open is `PIPS[tile] - n`.
"""

from collections.abc import Iterator

LARGEST = 15

_PAIRS = sorted(
    ((low, high) for high in range(LARGEST + 1) for low in range(high + 1)),
    key=lambda pair: (sum(pair), pair[1]),
)
_NUMBER = {pair: tile for tile, pair in enumerate(_PAIRS)}

LOW = tuple(low for low, _ in _PAIRS)
HIGH = tuple(high for _, high in _PAIRS)
PIPS = tuple(low + high for low, high in _PAIRS)
BIT = tuple(1 << tile for tile in range(len(_PAIRS)))
SUIT = tuple(
    sum(1 << tile for tile, pair in enumerate(_PAIRS) if number in pair)
    for number in range(LARGEST + 1)
)
"""For each number, the bit set of all tiles that have it."""

DOUBLE = tuple(_NUMBER[number, number] for number in range(LARGEST + 1))
"""For each number, its double."""

DOUBLES = sum(1 << tile for tile in DOUBLE)
IS_DOUBLE = tuple(low == high for low, high in _PAIRS)
SET = tuple(
    sum(1 << tile for tile, pair in enumerate(_PAIRS) if pair[1] <= size)
    for size in range(LARGEST + 1)
)
"""For each size, the bit set of all tiles of that set."""

DOUBLE_BLANK = 1 << DOUBLE[0]


def tile(one: int, other: int) -> int:
    """Return the number of a tile, its halves in either order."""
    return _NUMBER[min(one, other), max(one, other)]


def each(tiles: int) -> Iterator[int]:
    """Yield the tiles of a bit set, heaviest first."""
    while tiles:
        top = tiles.bit_length() - 1
        yield top
        tiles ^= BIT[top]


def pips(tiles: int) -> int:
    """Return the sum of the pips of `tiles`, a set of bits."""
    total = 0
    while tiles:
        top = tiles.bit_length() - 1
        total += PIPS[top]
        tiles ^= BIT[top]
    return total


def named(names: str) -> int:
    """Return the bit set of tiles named like `9-9 3-4`."""
    total = 0
    for name in names.split():
        one, _, other = name.partition("-")
        total |= BIT[tile(int(one), int(other))]
    return total


def name_of(tile: int) -> str:
    """Return the name of a tile, higher half first: `9-4`."""
    return f"{HIGH[tile]}-{LOW[tile]}"


def names_of(tiles: int) -> str:
    """Return the names of a bit set, heaviest first: `9-9 4-3`."""
    return " ".join(map(name_of, each(tiles)))
