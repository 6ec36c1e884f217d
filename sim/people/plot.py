"""A picture of many games: the spread of totals, and the winners. SVG text."""

from collections.abc import Iterator, Sequence

from centerpiece.reports.charts import Bar, bars
from sim.people.tally import Tally

BINS = 12


def picture(tallies: Sequence[Tally]) -> str:
    """Return an SVG with bars for each profile: final totals, and how many games each kind won."""
    groups = {}
    for tally in tallies:
        games = "1 game" if tally.games == 1 else f"{tally.games:,} games"
        groups[f"{tally.profile}: final totals of {games}"] = list(_totals(tally.totals))
        groups[f"{tally.profile}: games won"] = [
            Bar(kind, tally.wins_of(kind), f"{100 * tally.wins_of(kind):.1f} %")
            for kind in tally.kinds
        ]
    return bars(groups)


def _totals(totals: Sequence[int]) -> Iterator[Bar]:
    """Yield a bar for each interval of totals, at most `BINS`; its length is how many lie in it."""
    low, high = min(totals, default=0), max(totals, default=-1)
    width = max(1, -(-(high - low + 1) // BINS))
    for first in range(low, high + 1, width):
        last = first + width - 1
        count = sum(first <= total <= last for total in totals)
        yield Bar(str(first) if width == 1 else f"{first} to {last}", count, f"{count:,}")
