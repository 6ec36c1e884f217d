"""How fast whole games go through the hub, as a ratio to the same games without one.

    python -m bench.simulate [--games N] [--check] [--json FILE]

One core; Mexican Train, classic, double 12, thirteen rounds, four greedy players, journal in
memory, virtual time; every gesture through the buttons port, books compared after each thing told.
The floor plays the tiles alone. Games of both take turns, so that both meet the same machine; time
is the process's own, and a rate is that of the best game, since whatever else runs can only slow
it down. `--check` exits 1 when the target is missed.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from centerpiece.games.mexican_train.rules import CLASSIC
from sim.dominoes.match import Match
from sim.dominoes.mexican_train_tiles import MexicanTrainTiles
from sim.people.play import play_game
from sim.people.players import play_out, player
from sim.people.tables import Tables

GAMES_A_SECOND = 20
TABLES = Tables(CLASSIC, 12, 4, ("greedy",))


def tiles_alone(game: int) -> None:
    """A whole game without a hub."""
    rng = Random(game)
    match = Match(MexicanTrainTiles, TABLES.rules, TABLES.size, TABLES.players, rng)
    people = [player("greedy", rng) for _ in range(TABLES.players)]
    while match.more():
        played = match.deal()
        play_out(played, people)
        match.count(played)


def took(play: Callable[[], object]) -> float:
    """Seconds of this process."""
    start = time.process_time()
    play()
    return time.process_time() - start


def main() -> int:
    """Measure, print, and check."""
    ask = argparse.ArgumentParser(prog="bench.simulate", description=__doc__.splitlines()[0])
    ask.add_argument("--games", type=int, default=40)
    ask.add_argument("--check", action="store_true", help="exit 1 when the target is missed")
    ask.add_argument("--json", type=Path, metavar="FILE")
    asked = ask.parse_args()
    first = play_game(TABLES, 0)
    pairs = [
        (took(lambda: play_game(TABLES, 1)), took(lambda: tiles_alone(1)))
        for _ in range(asked.games)
    ]
    through, alone = (min(times) for times in zip(*pairs, strict=True))
    ratio = statistics.median(hub / floor for hub, floor in pairs)
    rate = 1 / through
    print(f"a game has {first.gestures:,} gestures and {first.compared:,} comparisons")
    print(f"through the hub   {rate:9.1f} games/s   (at least {GAMES_A_SECOND})")
    print(f"tiles alone       {1 / alone:9.1f} games/s")
    print(f"the hub costs     {ratio:9.1f} × the tiles")
    if asked.json:
        found = {"games_per_s": rate, "floor_games_per_s": 1 / alone, "ratio": ratio}
        asked.json.write_text(json.dumps(found, indent=1))
    return 1 if asked.check and rate < GAMES_A_SECOND else 0


if __name__ == "__main__":
    sys.exit(main())
