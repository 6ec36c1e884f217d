"""Arithmetic of domino sets: numbers of tiles and pips."""

Tile = tuple[int, int]
"""The two halves, the lower first."""

SIZES = (6, 9, 12, 15)
"""The sets that exist: double-6 and so on."""


def tiles_in(size: int) -> int:
    """Return the number of tiles of a double-`size` set: 28, 55, 91, 136 for 6, 9, 12, 15."""
    return (size + 1) * (size + 2) // 2


def pips_in(size: int) -> int:
    """Return the sum of pips of a double-`size` set: 168, 495, 1,092, 2,040 for 6, 9, 12, 15."""
    return size * (size + 1) * (size + 2) // 2
