"""A row of tiles in Castle Rock: what can be removed, and what remains."""

from collections.abc import Sequence

from sim.dominoes.round import Remove
from sim.dominoes.tiles import HIGH, LOW


def removals(row: Sequence[int]) -> list[Remove]:
    """Return the removals that are possible in a row, in its order.

    A middle tile may go if its neighbours share a number; all three may if the middle has it, too.
    """
    result = []
    for middle in range(1, len(row) - 1):
        left, right = row[middle - 1], row[middle + 1]
        shared = {LOW[left], HIGH[left]} & {LOW[right], HIGH[right]}
        if shared:
            result.append(Remove(middle))
            if shared & {LOW[row[middle]], HIGH[row[middle]]}:
                result.append(Remove(middle, three=True))
    return result


def after(row: Sequence[int], removal: Remove) -> tuple[int, ...]:
    """Return the row after a removal."""
    reach = 1 if removal.three else 0
    return (*row[: removal.middle - reach], *row[removal.middle + reach + 1 :])


def fewest_left(row: tuple[int, ...], known: dict[tuple[int, ...], int]) -> int:
    """Return the length of the shortest row that removals can reach; `known` caches results."""
    if row not in known:
        known[row] = min(
            (fewest_left(after(row, removal), known) for removal in removals(row)),
            default=len(row),
        )
    return known[row]
