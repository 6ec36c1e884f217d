"""Shuffling and dealing: from a rule book and a random source to hands, yard, engine, starter.

A deal that the book does not allow is rejected before a tile is touched.
"""

from functools import cache
from random import Random

import msgspec

from centerpiece.rules.rules import Rules
from sim.dominoes.happenings import Drew, EngineLaid, Happening
from sim.dominoes.tiles import BIT, DOUBLE, DOUBLES, HIGH, SET, each


class CannotDeal(ValueError):
    """The rule book has no such deal; the message says what can be dealt."""


class Deal(msgspec.Struct):
    """The table before the first turn. A round takes over its lists and changes them."""

    size: int
    hands: list[int]
    yard: list[int]
    """Face down; the last one is drawn first."""
    engine: int | None = None
    starter: int = 0
    happenings: list[Happening] = []


def deal(
    rules: Rules,
    size: int,
    players: int,
    rng: Random,
    engine: int | None = None,
    starter: int = 0,
) -> Deal:
    """Shuffle and deal one round; CannotDeal if the rule book has no deal for so many players.

    `engine` is the number of the round's double, if the game has one; it is left out of the
    shuffle, unless the rules look for it, or for the highest double, in the hands. `starter` is the
    seat that begins, unless the rules let the highest tile decide.
    """
    each_draws = tiles_each(rules, size, players)
    found_in_hand = rules.engine_found == "drawn" or rules.engine_choice == "highest-held"
    tiles = shuffled(size, rng, None if found_in_hand else engine)
    hands = []
    for _ in range(players):
        hand = 0
        for tile in tiles[-each_draws:]:
            hand |= BIT[tile]
        del tiles[-each_draws:]
        hands.append(hand)
    dealt = Deal(size, hands, tiles, engine, starter, [])
    if engine is not None and found_in_hand:
        _find_engine(rules, dealt)
    if rules.starter == "highest-tile":
        dealt.starter = _holder_of_highest(hands)
    return dealt


def tiles_each(rules: Rules, size: int, players: int) -> int:
    """Return the number of tiles in each hand.

    If the rules have no deal for so many players, raise CannotDeal, which names the sets that would
    do.
    """
    hand = rules.hand(size, players)
    if hand is None:
        would_do = [f"double-{other}" for other in rules.sets if rules.hand(other, players)]
        advice = f"use a {' or '.join(would_do)} set" if would_do else "change the players"
        raise CannotDeal(
            f"{rules.full_name} has no deal for {_people(players)} with a double-{size} set; "
            f"{advice}"
        )
    return hand


def _people(players: int) -> str:
    return "1 player" if players == 1 else f"{players} players"


def shuffled(size: int, rng: Random, held_out: int | None = None) -> list[int]:
    """Return the set in random order, without the double that is held out."""
    return sorted(_tiles(size, held_out), key=lambda _: rng.random())


@cache
def _tiles(size: int, held_out: int | None) -> tuple[int, ...]:
    """Return the tiles of a set without the double held out, if there is one."""
    whole = SET[size]
    if held_out is not None:
        whole ^= BIT[DOUBLE[held_out]]
    return tuple(each(whole))


def _find_engine(rules: Rules, dealt: Deal) -> None:
    """Take the engine out of the hand that has it; until a hand has it, everybody draws a tile.

    It is the round's double, or the highest double held, as the rules say.
    """
    engines = DOUBLES if rules.engine_choice == "highest-held" else BIT[DOUBLE[dealt.engine or 0]]
    while not any(hand & engines for hand in dealt.hands):
        for seat in range(len(dealt.hands)):
            if dealt.yard:
                tile = dealt.yard.pop()
                dealt.hands[seat] |= BIT[tile]
                dealt.happenings.append(Drew(seat, tile))
    highest = max(hand & engines for hand in dealt.hands).bit_length() - 1
    seat = next(seat for seat, hand in enumerate(dealt.hands) if hand & BIT[highest])
    dealt.hands[seat] ^= BIT[highest]
    dealt.engine = HIGH[highest]
    dealt.happenings.append(EngineLaid(seat, dealt.engine))


def _holder_of_highest(hands: list[int]) -> int:
    """Return the seat with the tile of most pips; among equals of the higher half."""
    return hands.index(max(hands))
