"""The page of results: a row for each figure with its bound, and a chart.

A row whose part was left out is missing, and the page says why.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from centerpiece.reports import charts
from centerpiece.reports.charts import Bar


class Row(NamedTuple):
    """A figure, its bound, and its path in the results."""

    figure: str
    path: str
    side: str
    bound: float
    unit: str = "×"

    def met(self, value: float) -> bool:
        return value <= self.bound if self.side == "≤" else value >= self.bound


ROWS = (
    Row("a whole game through the hub, of the tiles alone", "whole_games.ratio", "≤", 12),
    Row("presses decided, booked and painted, of the peer's", "press.decided_of_peer", "≥", 1),
    Row("edges that come together, of the peer's", "press.edges_of_peer", "≥", 0.8),
    Row("press → written → light, of a commit and three hops", "press.of_floor", "≤", 1.3),
    Row("start → first press, of the peer's start", "start.plays_of_peer", "≤", 0.5),
    Row("start → pages, of the peer's start", "start.serves_of_peer", "≤", 0.9),
    Row("presses to which we add more than 10 ms", "outliers.ours_over_10_ms", "≤", 0, ""),
    Row("the most that we add to a press", "outliers.ours_max_ms", "≤", 10, "ms"),
    Row("press while speech is made, of one in silence", "outliers.voice", "≤", 1.2),
    Row("slow core: start → first press", "evening.slow.plays_s", "≤", 5, "s"),
    Row("slow core: echo, longest", "evening.slow.echo.max", "≤", 50, "ms"),
    Row("slow core: whistle, longest", "evening.slow.whistle.max", "≤", 50, "ms"),
    Row("slow core: light, longest", "evening.slow.light.max", "≤", 150, "ms"),
    Row("slow core: gestures heard right", "evening.slow.right", "≥", 100, "%"),
    Row("a press after 3,000 steps, of one after 10", "flat.steps", "≤", 1.2),
    Row("a press in the last round, of one in the first", "flat.rounds", "≤", 1.2),
    Row("a press after 30 evenings, of one after none", "flat.journal", "≤", 1.2),
    Row("memory at idle, of the peer's", "start.memory_of_peer", "≤", 0.95),
    Row("memory after an evening with 30 pages, of idle", "start.memory_after_of_idle", "≤", 1.15),
    Row("stalled card: whistle", "evening.stalled.whistle", "≤", 5, "ms"),
    Row("stalled card: echo", "evening.stalled.echo", "≤", 5, "ms"),
    Row("stalled card: page", "evening.stalled.page", "≤", 5, "ms"),
    Row("stalled card: all heard right", "evening.stalled.right", "≥", 100, "%"),
    Row("stalled card: longest wait of the watchdog", "evening.stalled.gap", "≤", 1000, "ms"),
    Row("hub on USB: edge → echo on the chain's wire", "usb_press.p50", "≤", 50, "ms"),
    Row("hall of 10,000 tables: change → line, 99th of 100", "hall_lag.p99_ms", "≤", 50, "ms"),
    Row("hall of 10,000 tables: of a core", "hall_lag.core", "≤", 0.5, ""),
    Row("hall of 10,000 tables: memory", "hall_lag.memory_mb", "≤", 80, "MB"),
    Row("hall of 10,000 tables: commands a change", "hall_lag.commands_a_change", "≤", 2, ""),
)
MARK = "<!-- figures: written by make bench -->"


def rows(found: Mapping[str, Any]) -> list[tuple[str, str, str, str]]:
    """Return the cells of the rows that were measured."""
    cells = []
    for row in ROWS:
        value: Any = found["results"]
        for name in row.path.split("."):
            value = value.get(name) if value else None
        if value is not None:
            number = f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
            measured, met = f"{number} {row.unit}".rstrip(), "yes" if row.met(value) else "NO"
            cells.append((row.figure, f"{row.side} {row.bound:g}", measured, met))
    return cells


def table(found: Mapping[str, Any]) -> str:
    """Return the rows as Markdown, and the parts that were left out."""
    cells = [("figure", "bound", "measured", "met"), *rows(found)]
    wide = [max(map(len, column)) for column in zip(*cells, strict=True)]
    cells.insert(1, tuple("-" * width for width in wide))
    lines = [
        f"| {' | '.join(cell.ljust(width) for cell, width in zip(row, wide, strict=True))} |"
        for row in cells
    ]
    left_out = [f"\nLeft out: {name}: {why}" for name, why in found["left_out"].items()]
    return "\n".join([*lines, *left_out])


def chart(outliers: Mapping[str, Any]) -> str:
    """Draw where presses spend their time: the median press, and the ten slowest."""
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


def facts(machine: Mapping[str, Any]) -> str:
    words = "- Machine: {processor}, {cores} cores, {system}, Python {python}; load {load}\n"
    return (words + "- Date: {date}, commit {commit}, {seconds:.0f} seconds").format(**machine)


def write(found: Mapping[str, Any], folder: Path) -> None:
    """Write the figures behind the page's mark, and the chart beside the page."""
    page = folder / "performance.md"
    before, _, _ = page.read_text().partition(MARK)
    page.write_text(f"{before}{MARK}\n\n{facts(found['machine'])}\n\n{table(found)}\n")
    if outliers := found["results"].get("outliers"):
        (folder / "performance.svg").write_text(chart(outliers))
