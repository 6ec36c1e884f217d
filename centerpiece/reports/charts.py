"""Charts as SVG, readable in black and white: lines have names and dashes, not colours alone."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import NamedTuple

WIDTH, HEIGHT = 800, 400
LEFT, RIGHT, TOP, BOTTOM = 56, 170, 26, 36
BAR, BETWEEN_BARS = 18, 26
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
"""Medium brightness, so that they stand out from light paper and from a dark page."""
GREY = "#808080"
"""For pictures in files, whose background is unknown."""


class ChartLine(NamedTuple):
    """A name and its values, one for each step."""

    name: str
    values: tuple[int, ...]


class Axis(NamedTuple):
    """A scale from values to 0 to 1, and the labels of marked values."""

    place: Callable[[float], float]
    marks: Mapping[float, str]
    title: str = ""


class Bar(NamedTuple):
    """A name, a length, and the text at the bar's end."""

    name: str
    length: float
    words: str


def line_chart(lines: list[ChartLine], title: str) -> str:
    """Return a chart of lines as SVG; each has its values at the steps 1, 2, 3 and so on."""
    steps = max(len(line.values) for line in lines)
    low, high, spacing = _scale([value for line in lines for value in line.values])
    interval = -(-steps // 20)
    across = Axis(
        lambda step: (step - 1) / (steps - 1) if steps > 1 else 0.5,
        {step: str(step) for step in range(1, steps + 1, interval)},
    )
    up = Axis(
        lambda value: (value - low) / (high - low),
        {value: str(value) for value in range(low, high + 1, spacing)},
    )
    return curves([(name, [*enumerate(values, 1)]) for name, values in lines], title, across, up)


def curves(
    lines: Iterable[tuple[str, Sequence[tuple[float, float]]]],
    title: str,
    across: Axis,
    up: Axis,
    ink: str = "currentColor",
) -> str:
    """Return a chart as SVG: lines through points, each with its name at its end.

    A line is a name and its points; `across` and `up` are the scales of their coordinates. `ink` is
    the colour of words and grid.
    """
    right, floor = WIDTH - RIGHT, HEIGHT - BOTTOM

    def x(value: float) -> float:
        return LEFT + (right - LEFT) * across.place(value)

    def y(value: float) -> float:
        return floor - (floor - TOP) * up.place(value)

    drawn = [
        _text((LEFT + right) / 2, HEIGHT - 2, across.title, "middle"),
        _text(LEFT, 14, up.title),
    ]
    for value, mark in up.marks.items():
        drawn += [
            f'<path d="M{LEFT} {y(value):.1f}H{right}" stroke="{ink}" opacity=".25"/>',
            _text(LEFT - 6, y(value) + 5, mark, "end"),
        ]
    drawn += [_text(x(value), floor + 18, mark, "middle") for value, mark in across.marks.items()]
    placed = [(name, [(x(a), y(b)) for a, b in points]) for name, points in lines]
    beside = _spread([points[-1][1] for _, points in placed])
    for place, (name, points) in enumerate(placed):
        style = (
            f'fill="none" stroke="{COLOURS[place % len(COLOURS)]}" stroke-width="2.5" '
            f'stroke-dasharray="{DASHES[place % len(DASHES)]}"'
        )
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
        a, b = points[-1]
        drawn += [
            f'<polyline points="{path}" {style}/>',
            f'<path d="M{a + 4:.1f} {b:.1f}L{right + 20} {beside[place]:.1f}h20" {style}/>',
            _text(right + 45, beside[place] + 5, name if len(name) <= 16 else name[:15] + "…"),
        ]
    return _svg(HEIGHT, title, drawn, ink)


def bars(groups: Mapping[str, Sequence[Bar]]) -> str:
    """Return horizontal bars as SVG: `groups` has them by the title of each group.

    The longest of a group has full width, so bars of two groups do not compare.
    """
    drawn, y = [], 0
    for place, (title, group) in enumerate(groups.items()):
        drawn.append(_text(LEFT, y + BAR, title))
        longest = max((bar.length for bar in group), default=0) or 1
        for name, length, words in group:
            y += BETWEEN_BARS
            wide = max(1.0, (WIDTH - 2 * RIGHT) * length / longest)
            drawn += [
                _text(RIGHT - 6, y + 14, name, "end"),
                f'<rect x="{RIGHT}" y="{y}" width="{wide:.1f}" height="{BAR}" '
                f'fill="{COLOURS[place % len(COLOURS)]}"/>',
                _text(RIGHT + wide + 6, y + 14, words),
            ]
        y += 2 * BETWEEN_BARS
    return _svg(y, "; ".join(groups), drawn, GREY)


def _text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _svg(height: float, title: str, drawn: list[str], ink: str) -> str:
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
            f'font-family="system-ui, sans-serif" font-size="14" fill="{ink}">',
            f"<title>{escape(title)}</title>",
            *drawn,
            "</svg>\n",
        ]
    )


def _scale(values: list[int]) -> tuple[int, int, int]:
    """Return the lowest and highest grid line for these values and the spacing, all round numbers.

    Zero is always one of the lines.
    """
    low, high = min(0, *values), max(1, *values)
    spacing = 1
    while (high - low) / spacing > TICKS:
        spacing = _next_round(spacing)
    return low // spacing * spacing, -(-high // spacing) * spacing, spacing


def _next_round(number: int) -> int:
    """Return the next of 1, 2, 5, 10, 20, 50 and so on."""
    return number * 5 // 2 if str(number)[0] == "2" else number * 2


def _spread(heights: list[float]) -> list[float]:
    """Return heights for the names, near those of their lines but without overlap.

    They are in the order of the lines.
    """
    order = sorted(range(len(heights)), key=lambda place: heights[place])
    placed = [0.0] * len(heights)
    lowest = float("-inf")
    for place in order:
        lowest = placed[place] = max(heights[place], lowest + BETWEEN_NAMES)
    floor = float(HEIGHT - 10)
    for place in reversed(order):
        floor = placed[place] = min(placed[place], floor)
        floor -= BETWEEN_NAMES
    return placed
