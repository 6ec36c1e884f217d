"""From results to one page: a row for each thing that people feel or that we promise, and a chart.

Rows are data. The value of a row is a path into the results; a row whose part was left out is not
there, and the page says why.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from centerpiece.reports import charts
from centerpiece.reports.charts import Bar


class Row(NamedTuple):
    """A figure, where it is found, and its bound."""

    figure: str
    path: str
    unit: str = "×"
    at_most: float | None = None
    at_least: float | None = None

    @property
    def bound(self) -> str:
        if self.at_most is not None:
            return f"at most {self.at_most:g} {self.unit}".rstrip()
        return "" if self.at_least is None else f"at least {self.at_least:g} {self.unit}".rstrip()

    def value(self, results: Mapping[str, Any]) -> float | None:
        """Return what was measured; None if it was not."""
        found: Any = results
        for name in self.path.split("."):
            found = found.get(name) if found else None
        return found

    def met(self, value: float) -> bool | None:
        """Return whether a value is within the bound; None without one."""
        if self.at_most is not None:
            return value <= self.at_most
        return None if self.at_least is None else value >= self.at_least


ROWS = (
    Row("a whole game through the hub, of the tiles alone", "games.ratio", at_most=12),
    Row("presses decided, booked and painted, of the peer's", "press.decided_of_peer", at_least=1),
    Row("edges that come together, of the peer's", "press.edges_of_peer", at_least=0.8),
    Row("press → written → light, of a commit and three hops", "press.of_floor", at_most=1.3),
    Row("the same, median", "press.press_ms", "ms"),
    Row("start → first press, of the peer's start", "start.plays_of_peer", at_most=0.5),
    Row("start → pages, of the peer's start", "start.serves_of_peer", at_most=0.9),
    Row("start → first press", "start.plays_s", "s"),
    Row("presses to which we add more than 10 ms", "outliers.ours_over_10_ms", "", at_most=0),
    Row("the most that we add to a press", "outliers.ours_max_ms", "ms", at_most=10),
    Row("press while speech is made, of one in silence", "outliers.voice.ratio", at_most=1.2),
    Row("slow core: start → first press", "evening.slow.plays_s", "s", at_most=5),
    Row("slow core: echo, longest", "evening.slow.echo.max", "ms", at_most=50),
    Row("slow core: whistle, longest", "evening.slow.whistle.max", "ms", at_most=50),
    Row("slow core: light, longest", "evening.slow.light.max", "ms", at_most=150),
    Row("slow core: light, median", "evening.slow.light.p50", "ms"),
    Row("slow core: gestures heard right", "evening.slow.right", "%", at_least=100),
    Row("a press after 3,000 steps, of one after 10", "flat.steps", at_most=1.2),
    Row("a press in the last round, of one in the first", "flat.rounds", at_most=1.2),
    Row("a press after 30 evenings, of one after none", "flat.journal", at_most=1.2),
    Row("memory at idle, of the peer's", "start.memory_of_peer", at_most=0.95),
    Row("memory at idle", "start.memory_mb", "MB"),
    Row(
        "memory after an evening with 30 pages, of idle", "start.memory_after_of_idle", at_most=1.15
    ),
    Row("stalled card: whistle", "evening.stalled.whistle", "ms", at_most=5),
    Row("stalled card: echo", "evening.stalled.echo", "ms", at_most=5),
    Row("stalled card: page", "evening.stalled.page", "ms", at_most=5),
    Row("stalled card: all heard right", "evening.stalled.right", "%", at_least=100),
    Row("stalled card: longest wait of the watchdog", "evening.stalled.gap", "ms", at_most=1000),
    Row("hub on USB: edge → echo on the chain's wire", "usb.p50", "ms", at_most=50),
)
HEAD = ("figure", "bound", "measured", "met")
CHART = "performance.svg"
PAGE = """\
# Performance

Written by `make bench`.
What is compared was measured in turn, in the same run.
Rates and multiples are of a process's own time on the processor.
The peer is Mission Pinball Framework on its virtual platform in its quickest set-up: a switch that
toggles a light, in code, with logging off. It saves nothing.
A press is the moment a button is let go, since only then it is known to be a tap.
What we add to a press is the time outside its commit in which the hub was at work: with fifty
pages open, a dead Redis, and in turn nothing more, a history being read, a phone that loads all
pages with the counting by photo, and speech being made.

- Machine: {processor}, {cores} cores, {system}, Python {python}; load {load}
- Date: {date}, commit {commit}, {seconds:.0f} seconds

{table}

![{title}]({chart})

## A slow computer

The service has a tenth of a core: signals stop it and let it go on, so that half a millisecond of
work takes five. (A quota or a low priority would let short work run at full speed.)
Ten pages are open, and an evening is played by hands at their own pace.
A Raspberry Pi Zero 2 W has four cores, each about as slow as that.
What its owner feels is in the rows *slow core*: a button that answers and a whistle that sounds at
once, a light that follows within the blink of an eye, a start of a few seconds.
"""


def rows(found: Mapping[str, Any]) -> list[tuple[str, str, str, str]]:
    """Return the cells of every row that was measured."""
    cells = []
    for row in ROWS:
        value = row.value(found["results"])
        if value is not None:
            met = {None: "", True: "yes", False: "NO"}[row.met(value)]
            cells.append((row.figure, row.bound, f"{_number(value)} {row.unit}".rstrip(), met))
    return cells


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def table(found: Mapping[str, Any]) -> str:
    """Return the rows as Markdown, which can be read on a terminal too; then what was left out."""
    cells = [HEAD, *rows(found)]
    wide = [max(map(len, column)) for column in zip(*cells, strict=True)]
    cells.insert(1, tuple("-" * width for width in wide))
    lines = [
        f"| {' | '.join(cell.ljust(width) for cell, width in zip(row, wide, strict=True))} |"
        for row in cells
    ]
    left_out = [f"\nLeft out: {name}: {why}" for name, why in found["left_out"].items()]
    return "\n".join([*lines, *left_out])


def chart(outliers: Mapping[str, Any]) -> str:
    """Draw where presses spend their time: an ordinary one, and the ten slowest of all."""
    groups = {
        f"A press, median of {outliers['presses']:,}": outliers["stages_ms"],
        "The slowest ten of them, on average": outliers["slowest_stages_ms"],
    }
    return charts.bars(
        {
            title: [Bar(stage, took, f"{took:.2f} ms") for stage, took in stages.items()]
            for title, stages in groups.items()
        }
    )


def page(found: Mapping[str, Any]) -> str:
    """Return the page for the documents."""
    title = "Where a press spends its time"
    return PAGE.format(**found["machine"], table=table(found), title=title, chart=CHART)


def write(found: Mapping[str, Any], folder: Path) -> None:
    """Write the page and its chart."""
    (folder / "performance.md").write_text(page(found))
    if outliers := found["results"].get("outliers"):
        (folder / CHART).write_text(chart(outliers))
