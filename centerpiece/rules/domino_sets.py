"""Arithmetic of domino sets: how many tiles, how many pips."""

Tile = tuple[int, int]
"""Its two halves, the lower first."""

SIZES = (6, 9, 12, 15)
"""The sets there are: double-6 and so on."""


def tiles_in(size: int) -> int:
    """How many tiles a double-`size` set has: 28, 55, 91, 136 for 6, 9, 12, 15."""
    return (size + 1) * (size + 2) // 2


def pips_in(size: int) -> int:
    """How many pips a double-`size` set has: 168, 495, 1,092, 2,040 for 6, 9, 12, 15."""
    return size * (size + 1) * (size + 2) // 2
