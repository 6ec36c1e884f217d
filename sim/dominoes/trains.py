"""The longest train as a trail: a tile is an edge between two numbers, used at most once.

A double is a loop that can be added wherever a train passes its number, so the search follows plain
tiles only and collects the doubles on the way.
"""

from sim.dominoes.tiles import BIT, DOUBLE, DOUBLES, HIGH, LOW, PIPS, SUIT, each

_A_TILE = 1 << 12
"""Weight of a tile: one more tile counts more than all pips of any train."""

_WORTH = tuple(_A_TILE + pips for pips in PIPS)
_ENDS = tuple((1 << LOW[tile]) ^ (1 << HIGH[tile]) for tile in range(len(PIPS)))
"""For each tile, the numbers whose count of plain tiles it flips between even and odd."""


def longest_train(hand: int, end: int, patience: int | None = None) -> list[int]:
    """Return the longest train that `hand`, a set of bits, can lay on the number `end`.

    Of equals it is the heaviest. `patience` limits the number of positions searched, since hands of
    twenty and more tiles of a small set take long; the result is then the longest train found.

    Depth first with a bound: at best all remaining tiles come along, less one tile for every two
    numbers that have an odd count of them (a trail passes a number by two tiles, except where it
    starts and ends).
    """
    plain, numbers = _reachable(hand & ~DOUBLES, end)
    loops = [0] * len(SUIT)
    for double in each(hand & DOUBLES):
        if numbers >> LOW[double] & 1:
            loops[LOW[double]] = _WORTH[double]
    odd, most = 0, sum(loops)
    for tile in each(plain):
        odd ^= _ENDS[tile]
        most += _WORTH[tile]
    best: list[int] = []
    best_worth = -1
    path: list[int] = []
    seen: set[int] = set()

    def walk(end: int, rest: int, odd: int, worth: int, left: int) -> None:
        """Search on from `end`; `left` is the worth of all remaining tiles."""
        nonlocal best, best_worth
        position = rest << 4 | end
        if position in seen or len(seen) == patience:
            return
        seen.add(position)
        loop = loops[end]
        if loop:
            loops[end] = 0
            worth += loop
            left -= loop
        if worth > best_worth:
            best_worth, best = worth, path[:]
        at_best = worth + left - (odd & ~(1 << end)).bit_count() // 2 * _A_TILE
        ways = rest & SUIT[end]
        while ways and at_best > best_worth:
            tile = ways.bit_length() - 1
            bit = BIT[tile]
            ways ^= bit
            gain = _WORTH[tile]
            path.append(tile)
            walk(PIPS[tile] - end, rest ^ bit, odd ^ _ENDS[tile], worth + gain, left - gain)
            path.pop()
        loops[end] = loop

    walk(end, plain, odd, 0, most)
    return _with_doubles(best, end, hand)


def _reachable(plain: int, end: int) -> tuple[int, int]:
    """Return the tiles of `plain` connected with the number `end`, and the numbers on them.

    Tiles and numbers are sets of bits; the numbers include `end`.
    """
    numbers, reached, fringe = 1 << end, 0, plain & SUIT[end]
    while fringe:
        tile = fringe.bit_length() - 1
        reached |= BIT[tile]
        for number in (LOW[tile], HIGH[tile]):
            if not numbers >> number & 1:
                numbers |= 1 << number
                fringe |= plain & SUIT[number]
        fringe &= ~reached
    return reached, numbers


def _with_doubles(path: list[int], end: int, hand: int) -> list[int]:
    """Return the train of `path`, laid on the number `end`, with all doubles of `hand` that fit.

    Each is inserted where its number first comes up; `hand` is a set of bits.
    """
    train = []
    for tile in [-1, *path]:
        if tile >= 0:
            train.append(tile)
            end = PIPS[tile] - end
        if hand & BIT[DOUBLE[end]]:
            hand ^= BIT[DOUBLE[end]]
            train.append(DOUBLE[end])
    return train
