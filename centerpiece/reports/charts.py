"""A line chart as SVG text, readable in black and white: dashes and names, not colours alone."""

from html import escape
from typing import NamedTuple

WIDTH, HEIGHT = 800, 400
LEFT, RIGHT, TOP, BOTTOM = 50, 170, 15, 35
BETWEEN_NAMES = 18
TICKS = 5
DASHES = ("", "8 4", "2 4", "12 4 2 4", "1 3", "16 4", "4 4", "8 2 2 2 2 2", "6 8", "20 6 4 6")
COLOURS = (
    "#d04a40",
    "#3f86e0",
    "#3f9a45",
    "#b07a12",
    "#a06ad8",
    "#159a90",
    "#d25a9c",
    "#8a8a8a",
    "#e07a2c",
    "#6f80e0",
)
"""Neither dark nor bright: they stand out from light paper and from a dark page."""


class Line(NamedTuple):
    """A name and its values, one for each step."""

    name: str
    values: tuple[int, ...]


def line_chart(lines: list[Line], title: str) -> str:
    """The chart; steps are numbered from 1, and every line is named at its end."""
    steps = max(len(line.values) for line in lines)
    low, high, apart = _scale([value for line in lines for value in line.values])

    def across(step: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (step / (steps - 1) if steps > 1 else 0.5)

    def down(value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low)

    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}" '
        'font-family="system-ui, sans-serif" font-size="14" fill="currentColor">'
    ]
    for value in range(low, high + 1, apart):
        y = down(value)
        parts.append(
            f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="currentColor" opacity=".25"/>'
            f'<text x="{LEFT - 6}" y="{y + 5:.1f}" text-anchor="end">{value}</text>'
        )
    every = -(-steps // 20)
    for step in range(0, steps, every):
        parts.append(
            f'<text x="{across(step):.1f}" y="{HEIGHT - 12}" text-anchor="middle">{step + 1}</text>'
        )
    names = _apart([down(line.values[-1]) for line in lines])
    for place, line in enumerate(lines):
        points = " ".join(
            f"{across(step):.1f},{down(value):.1f}" for step, value in enumerate(line.values)
        )
        colour, dash = COLOURS[place % len(COLOURS)], DASHES[place % len(DASHES)]
        end = WIDTH - RIGHT
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5" '
            f'stroke-dasharray="{dash}"/>'
            f'<path d="M{end + 4} {down(line.values[-1]):.1f}L{end + 20} {names[place]:.1f}h20" '
            f'fill="none" stroke="{colour}" stroke-width="2.5" stroke-dasharray="{dash}"/>'
            f'<text x="{end + 45}" y="{names[place] + 5:.1f}">{escape(_short(line.name))}</text>'
        )
    return "\n".join([*parts, "</svg>"])


def _scale(values: list[int]) -> tuple[int, int, int]:
    """Lowest and highest line of the grid, and how far apart the lines are: round numbers."""
    low, high = min(0, *values), max(1, *values)
    apart = 1
    while (high - low) / apart > TICKS:
        apart = _rounder(apart)
    return low // apart * apart, -(-high // apart) * apart, apart


def _rounder(number: int) -> int:
    """1, 2, 5, 10, 20, 50 and so on."""
    return number * 5 // 2 if str(number)[0] == "2" else number * 2


def _apart(wanted: list[float]) -> list[float]:
    """Places for the names: near where they are wanted, but never over each other."""
    order = sorted(range(len(wanted)), key=lambda place: wanted[place])
    placed = [0.0] * len(wanted)
    lowest = float("-inf")
    for place in order:
        lowest = placed[place] = max(wanted[place], lowest + BETWEEN_NAMES)
    floor = float(HEIGHT - 10)
    for place in reversed(order):
        floor = placed[place] = min(placed[place], floor)
        floor -= BETWEEN_NAMES
    return placed


def _short(name: str) -> str:
    return name if len(name) <= 16 else name[:15] + "…"
