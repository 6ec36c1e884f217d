"""How fast the table is without a hub: rounds a second, and the time to plan a train.

    python -m bench.dominoes [--seconds S] [--check] [--json FILE]

One core; double 9, four players, classic rules, every move validated. Our rounds and those of the
plain floor (`plain_trains`) take turns in short slices, so that both meet the same machine. A rate
is that of the best slice, since whatever else runs can only slow it down; the ratio is the median
over pairs of slices. `--check` exits 1 when a target is missed.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from bench import plain_trains
from centerpiece.games.mexican_train.rules import CLASSIC
from sim.dominoes.mexican_train_tiles import MexicanTrainTiles
from sim.dominoes.tiles import BIT, SET, each
from sim.dominoes.trains import longest_train
from sim.people.players import play_out, player

ROUNDS_A_SECOND = {"greedy": 2500, "builder": 1100}
TRAIN_S = 0.005


def our_round(kind: str, rng: Random) -> Callable[[], None]:
    """A function that deals and plays one round of ours."""
    seated = [player(kind, rng) for _ in range(4)]
    return lambda: play_out(MexicanTrainTiles.dealt(CLASSIC, 9, 4, rng, engine=9), seated)


def floor_round(kind: str, rng: Random) -> Callable[[], object]:
    """The same for the floor."""
    return lambda: plain_trains.play_round(rng, plan=kind == "builder")


def rate(play: Callable[[], object], seconds: float) -> float:
    """Rounds a second over one slice."""
    rounds, start = 0, time.perf_counter()
    while (spent := time.perf_counter() - start) < seconds:
        play()
        rounds += 1
    return rounds / spent


def compare(kind: str, seconds: float, slices: int = 15) -> tuple[float, float, float]:
    """Best rate of ours and of the floor, and the median of their ratio."""
    ours, floor = our_round(kind, Random(1)), floor_round(kind, Random(1))
    pairs = [(rate(ours, seconds / slices), rate(floor, seconds / slices)) for _ in range(slices)]
    return (
        max(our for our, _ in pairs),
        max(theirs for _, theirs in pairs),
        statistics.median(our / theirs for our, theirs in pairs),
    )


def planning(size: int, tiles: int, hands: int = 300) -> tuple[float, float]:
    """Median and longest time to find the longest train of a hand."""
    rng, pool, took = Random(1), list(each(SET[size])), []
    for _ in range(hands):
        hand = sum(BIT[tile] for tile in rng.sample(pool, tiles))
        end = rng.randrange(size + 1)
        start = time.perf_counter()
        longest_train(hand, end)
        took.append(time.perf_counter() - start)
    return statistics.median(took), max(took)


def main() -> int:
    """Measure, print, and check."""
    ask = argparse.ArgumentParser(prog="bench.dominoes", description=__doc__.splitlines()[0])
    ask.add_argument("--seconds", type=float, default=6.0, help="for each kind and its floor")
    ask.add_argument("--check", action="store_true", help="exit 1 when a target is missed")
    ask.add_argument("--json", type=Path, metavar="FILE")
    asked = ask.parse_args()
    missed, found = [], {}
    print("double 9, four players     rounds/s      floor   ratio   target")
    for kind, target in ROUNDS_A_SECOND.items():
        ours, floor, ratio = compare(kind, asked.seconds)
        print(f"{kind:<24}  {ours:>9,.0f}  {floor:>9,.0f}  {ratio:>5.1f}×  {target:>7,}")
        found[kind] = {"rounds_per_s": ours, "floor_rounds_per_s": floor, "ratio": ratio}
        if ours < target:
            missed.append(kind)
    print("longest train of 15 tiles  median ms     max ms           target")
    for size in (6, 9, 12, 15):
        median, longest = planning(size, 15)
        took = f"{median * 1e3:>9.3f}  {longest * 1e3:>9.3f}"
        print(f"double {size:<17}  {took}  {TRAIN_S * 1e3:>15.0f}")
        if median > TRAIN_S:
            missed.append(f"double {size}")
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1))
    if missed:
        print("missed:", ", ".join(missed))
    return 1 if missed and asked.check else 0


if __name__ == "__main__":
    sys.exit(main())
