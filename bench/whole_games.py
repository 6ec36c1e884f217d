"""Whole games through the hub, as a multiple of the same tiles without one.

Mexican Train, classic, double 12, thirteen rounds, four greedy players, journal in memory, virtual
time; every gesture goes through the buttons port, and scores are compared after each. This is the
sum of everything on the path of a press. Time is processor time.
"""

import statistics
from random import Random
from typing import Any

from bench.measure import cpu, in_turn
from centerpiece.games.mexican_train.rules import CLASSIC
from sim.dominoes.match import Match
from sim.dominoes.mexican_train_tiles import MexicanTrainTiles
from sim.people.play import play_game
from sim.people.players import play_out, player
from sim.people.tables import Tables

TABLES = Tables(CLASSIC, 12, 4, ("greedy",))
GAME = 1


def tiles_alone() -> None:
    rng = Random(GAME)
    match = Match(MexicanTrainTiles, TABLES.rules, TABLES.size, TABLES.players, rng)
    people = [player("greedy", rng) for _ in range(TABLES.players)]
    while match.more():
        played = match.deal()
        play_out(played, people)
        match.count(played)


def measure(quick: bool) -> dict[str, Any]:
    """Return the median ratio, and the rate of the best game."""
    times = in_turn(
        4 if quick else 20,
        {"hub": lambda: cpu(lambda: play_game(TABLES, GAME)), "tiles": lambda: cpu(tiles_alone)},
    )
    ratios = [hub / tiles for hub, tiles in zip(times["hub"], times["tiles"], strict=True)]
    return {"ratio": statistics.median(ratios), "games_per_s": 1 / min(times["hub"])}
