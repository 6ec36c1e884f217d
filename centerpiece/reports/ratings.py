"""Ratings of players, as ranges: how good somebody probably is, after so many games of luck.

The model is Plackett-Luce, from openskill, which rates games of several people. Everybody begins
at 25.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from centerpiece.reports.season_results import Result

FEWEST = 10
"""Games before which nothing is said about anybody."""
WIDTH = 1.5
"""Half the width of a range, in standard deviations; docs/simulation.md has the reason."""


class Ratings:
    """Everybody's rating after a sequence of games; a longer one continues where it stopped."""

    def __init__(self) -> None:
        self._model: Any = None
        self._rated: list[Result] = []
        self._ratings: dict[str, Any] = {}
        self._games: Counter[str] = Counter()

    def after(self, results: Sequence[Result]) -> dict[str, tuple[int, int]]:
        """Return everybody's range after these results, by case-folded name.

        Who has played fewer than `FEWEST` games is not in it. Results that continue those of the
        last call are not rated again.
        """
        known = len(self._rated)
        if self._rated != results[:known]:
            self._rated, self._ratings, self._games, known = [], {}, Counter(), 0
        for result in results[known:]:
            self._rate(result)
        self._rated = list(results)
        return {
            name: (max(0, round(each.mu - WIDTH * each.sigma)), round(each.mu + WIDTH * each.sigma))
            for name, each in self._ratings.items()
            if self._games[name] >= FEWEST
        }

    def _rate(self, result: Result) -> None:
        """Rate everybody in one game; a game of fewer than two sides changes nothing."""
        if len(result.sides) < 2:
            return
        if self._model is None:
            # Imported late: loading it takes longer than everything else about a season.
            from openskill.models import PlackettLuce

            self._model = PlackettLuce()
        places = [place for place, _ in result.sides]
        teams = [
            [self._ratings.get(name) or self._model.rating() for name in names]
            for _, names in result.sides
        ]
        for (_, names), after in zip(
            result.sides, self._model.rate(teams, ranks=places), strict=True
        ):
            self._ratings.update(zip(names, after, strict=True))
            self._games.update(names)
