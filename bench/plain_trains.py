"""The floor: Mexican Train as one would first write it, in tuples, lists and loops.

Classic rules (double 9, four players): one tile a turn, markers, one more tile after a double, an
open double blocks. It lists all legal plays, takes the heaviest or the one that its planned train
asks for, and checks the play before making it. It is honest, not slow on purpose: no copies where
none are needed, no objects where tuples do.
"""

from random import Random

Tile = tuple[int, int]


def play_round(rng: Random, plan: bool = False, size: int = 9, players: int = 4) -> list[int]:
    """Deal and play one round; the pips left in each hand."""
    engine = (size, size)
    yard = [(a, b) for a in range(size + 1) for b in range(a, size + 1) if (a, b) != engine]
    rng.shuffle(yard)
    hands = [[yard.pop() for _ in range(11)] for _ in range(players)]
    ends = [size] * (players + 1)
    marked = [False] * players
    open_double: int | None = None
    turn, passes = 0, 0
    while True:
        hand = hands[turn]
        follow = False
        while True:
            plays = legal_plays(hand, ends, marked, turn, open_double, follow)
            if not plays and yard:
                drawn = yard.pop()
                hand.append(drawn)
                plays = legal_plays([drawn], ends, marked, turn, open_double, follow)
            if not plays:
                marked[turn] = True
                passes += 1
                break
            tile, place = choose(plays, hand, ends[turn], turn, plan)
            if (tile, place) not in plays or tile not in hand:
                raise ValueError(f"illegal play {tile} at {place}")
            passes = 0
            hand.remove(tile)
            a, b = tile
            ends[place] = b if ends[place] == a else a
            if place == turn:
                marked[turn] = False
            if place == open_double:
                open_double = None
            if not hand:
                return [sum(a + b for a, b in hand) for hand in hands]
            if a != b:
                break
            open_double, follow = place, True
        if passes > 2 * players:
            return [sum(a + b for a, b in hand) for hand in hands]
        turn = (turn + 1) % players


def legal_plays(
    hand: list[Tile],
    ends: list[int],
    marked: list[bool],
    turn: int,
    open_double: int | None,
    follow: bool,
) -> list[tuple[Tile, int]]:
    """Every tile of the hand at every place where it may go."""
    if open_double is not None and not follow:
        places = [open_double]
    else:
        places = [turn, len(marked), *[p for p, m in enumerate(marked) if m and p != turn]]
    return [
        (tile, place)
        for place in places
        for tile in hand
        if ends[place] in tile and not (follow and tile[0] == tile[1])
    ]


def choose(
    plays: list[tuple[Tile, int]], hand: list[Tile], end: int, turn: int, plan: bool
) -> tuple[Tile, int]:
    """The heaviest; or an extra first and then the planned train."""
    if plan and len(plays) > 1:
        train = longest_train(hand, end)
        extras = [play for play in plays if play[0] not in train and play[1] != turn]
        if extras:
            return max(extras, key=lambda play: sum(play[0]))
        if train and (train[0], turn) in plays:
            return train[0], turn
    return max(plays, key=lambda play: sum(play[0]))


def longest_train(hand: list[Tile], end: int) -> list[Tile]:
    """Try every tile that fits, and every train behind it."""
    best: list[Tile] = []
    for tile in hand:
        if end in tile:
            a, b = tile
            rest = [other for other in hand if other != tile]
            train = [tile, *longest_train(rest, b if end == a else a)]
            if len(train) > len(best):
                best = train
    return best
