"""Rate the four kinds of virtual players over simulated seasons, for docs/simulation.md.

    python tools/simulated_seasons.py muggins/classic --seasons 8 --games 60

For each number of games it prints every kind's mean range, and the share of pairs whose ranges are
apart: with the kind above that wins more over all seasons (right), or below (wrong). With `luck` as
the profile, places are drawn, and all ranges that are apart are wrong.
"""

import argparse
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import fmean

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from centerpiece.games.registry import GAMES
from centerpiece.reports import ratings
from centerpiece.reports.ratings import Ratings
from centerpiece.reports.season_results import Part, Result
from sim.people.play import play_game
from sim.people.players import KINDS
from sim.people.tables import Tables

LUCK = "luck"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("profile")
    parser.add_argument("--seasons", type=int, default=8)
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--seed", type=int, default=4040)
    parser.add_argument("--width", type=float, default=ratings.WIDTH)
    options = parser.parse_args()
    ratings.WIDTH = options.width
    seasons = [
        list(itertools.islice(games(options.profile, options.seed + number), options.games))
        for number in range(options.seasons)
    ]
    kinds = list(KINDS)
    wins = dict.fromkeys(kinds, 0)
    for part in (part for season in seasons for game in season for part in game.parts):
        wins[part.name] += part.won
    ranked = sorted(kinds, key=wins.__getitem__, reverse=True)
    print(options.profile, wins)
    for played in (10, 20, 30, 60, 100, 200):
        if played > options.games:
            break
        found = [Ratings().after(season[:played]) for season in seasons]
        means = {
            kind: "–".join(str(round(fmean(each[kind][end] for each in found))) for end in (0, 1))
            for kind in ranked
        }
        pairs = [
            (each[better], each[worse])
            for each in found
            for better, worse in itertools.combinations(ranked, 2)
        ]
        right = sum(one[0] > other[1] for one, other in pairs) / len(pairs)
        wrong = sum(other[0] > one[1] for one, other in pairs) / len(pairs)
        print(f"{played} games, right {right:.1%}, wrong {wrong:.1%}:", means)
    return 0


def games(profile: str, seed: int) -> Iterator[Result]:
    """Yield one game after another, with one player of each kind."""
    luck = Random(seed)
    for number in itertools.count():
        if profile == LUCK:
            kinds, totals = tuple(KINDS), [luck.random() for _ in KINDS]
            highest = True
        else:
            rules = GAMES.profile(profile)
            done = play_game(Tables(rules, rules.sets[0], len(KINDS), seed=seed), number)
            kinds, totals = done.kinds, [float(total) for total in done.totals]
            highest = rules.wins == "highest"
        sign = -1 if highest else 1
        parts = tuple(
            Part(kind, -seat, place, place == 1, (), 0, 0, 0, 0, 0)
            for seat, kind in enumerate(kinds, start=1)
            for place in [1 + sum(sign * other < sign * totals[seat - 1] for other in totals)]
        )
        yield Result(number, 0.0, "", "", highest, parts)


if __name__ == "__main__":
    sys.exit(main())
