"""The longest train of a hand, and of whole sets."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.dominoes.tiles import BIT, DOUBLES, HIGH, LOW, PIPS, SET, SUIT, each, named, names_of, pips
from sim.dominoes.trains import _with_doubles, longest_train


def is_train(train: list[int], end: int) -> bool:
    """Tell whether all tiles differ and each fits on the one before, the first on `end`."""
    for tile in train:
        if end not in (LOW[tile], HIGH[tile]):
            return False
        end = PIPS[tile] - end
    return len(set(train)) == len(train)


def least_left_over(tiles: int) -> int:
    """Return the fewest tiles that a train of this (connected) set leaves, by Euler's argument.

    A train passes each number by two plain tiles, except at its two ends; so at most two numbers
    may have an odd count, and a tile left over mends at most two numbers.
    """
    odd = 0
    for tile in each(tiles & ~DOUBLES):
        odd ^= 1 << LOW[tile] ^ 1 << HIGH[tile]
    return max(0, (odd.bit_count() - 2 + 1) // 2)


def whole_train(size: int) -> list[int]:
    """A train of a whole double-`size` set that leaves as few tiles as possible.

    Where all counts are odd, every second pair of neighbours is left out (1-2, 3-4, …) until only
    two odd numbers remain; then Hierholzer's walk: go on until stuck, and put detours in.
    """
    rest = SET[size] & ~DOUBLES
    if size % 2:
        for number in range(1, size - 1, 2):
            rest &= ~(SUIT[number] & SUIT[number + 1])
    stuck: list[tuple[int, int]] = []
    trail = [(0, -1)]
    while trail:
        number, _ = trail[-1]
        ways = rest & SUIT[number]
        if ways:
            tile = ways.bit_length() - 1
            rest ^= BIT[tile]
            trail.append((PIPS[tile] - number, tile))
        else:
            stuck.append(trail.pop())
    path = [tile for _, tile in stuck if tile >= 0]
    return _with_doubles(path, stuck[0][0], SET[size] & DOUBLES)


def plainly(hand: frozenset[int], end: int) -> tuple[int, int]:
    """Tiles and pips of the best train, by trying everything."""
    best = (0, 0)
    for tile in hand:
        if end in (LOW[tile], HIGH[tile]):
            tiles, dots = plainly(hand - {tile}, PIPS[tile] - end)
            best = max(best, (tiles + 1, dots + PIPS[tile]))
    return best


hands = st.sets(st.sampled_from(list(each(SET[6]))), max_size=8)


@settings(max_examples=150, deadline=None)
@given(hands, st.integers(0, 6))
def test_no_longer_train_exists_than_the_one_found(hand, end):
    """The search agrees with trying every order, in tiles and, among equals, in pips."""
    train = longest_train(sum(BIT[tile] for tile in hand), end)

    assert is_train(train, end)
    assert set(train) <= hand
    assert plainly(frozenset(hand), end) == (len(train), sum(PIPS[tile] for tile in train))


def test_a_hand_without_the_number_makes_no_train():
    """Nothing fits, nothing is laid."""
    assert [] == longest_train(named("1-2 3-3"), 9)


def test_a_double_waits_for_its_number():
    """A double is put in where the train passes, and only there."""
    train = longest_train(named("9-4 4-4 4-2 7-7"), 9)

    assert "9-4 4-4 4-2" == " ".join(names_of(BIT[tile]) for tile in train)


def test_little_patience_still_gives_a_train():
    """A search that is cut short gives the best that it saw."""
    train = longest_train(SET[9], 9, patience=60)

    assert is_train(train, 9)
    assert train


@pytest.mark.parametrize(("size", "left_over"), [(6, 0), (9, 4), (12, 0), (15, 7)])
def test_a_whole_set_leaves_what_euler_says_and_no_tile_more(size, left_over):
    """
    Each number has `size` plain tiles. A train passes a number by two of them, so all but two
    numbers must have an even count: with an even size all have, with an odd one every tile left
    over mends two of the size + 1 numbers. No train can do better than that bound, and one that
    does as well is laid here: the bound is exact.
    """
    counts = [(SET[size] & SUIT[number] & ~DOUBLES).bit_count() for number in range(size + 1)]
    odd = sum(count % 2 for count in counts)
    train = whole_train(size)

    assert [size] * (size + 1) == counts
    assert left_over == max(0, (odd - 2) // 2) == least_left_over(SET[size])
    assert any(is_train(train, end) for end in range(size + 1))
    assert left_over == SET[size].bit_count() - len(train)


@settings(max_examples=100, deadline=None)
@given(hands, st.integers(0, 6))
def test_no_train_leaves_less_than_the_bound(hand, end):
    """Euler's argument holds for every hand, not only for whole sets."""
    tiles = sum(BIT[tile] for tile in hand)
    train = longest_train(tiles, end)

    assert least_left_over(tiles) <= len(hand) - len(train)
    assert pips(tiles) >= sum(PIPS[tile] for tile in train)
