"""Charts as SVG text, readable in black and white and on light or dark paper."""

from html import escape
from math import ceil, floor, log10

WIDTH, LEFT, RIGHT = 720, 60, 150
INK, FAINT = "#808080", "#80808055"
FILLS = ("#3f86e0", "#d04a40", "#3f9a45", "#b07a12", "#a06ad8", "#159a90", "#d25a9c", "#8a8a8a")
DASHES = ("", "7 4", "2 4", "12 4 2 4")


def bars(parts, title, unit):
    """One bar for each part, named, with its value and its share of the whole."""
    whole, row = sum(parts.values()) or 1.0, 26
    longest = max(parts.values()) or 1.0
    drawn, wide = [], WIDTH - 150 - RIGHT
    for place, (name, value) in enumerate(parts.items()):
        y = 34 + place * row
        length = max(1.0, wide * value / longest)
        drawn += [
            _text(144, y + 14, name, "end"),
            f'<rect x="150" y="{y}" width="{length:.1f}" height="18" '
            f'fill="{FILLS[place % len(FILLS)]}"/>',
            _text(156 + length, y + 14, f"{value:,.1f} {unit}, {value / whole:.0%}"),
        ]
    return _svg(34 + row * len(parts) + 8, title, drawn)


def curves(lines, title, across, up):
    """Lines over two logarithmic scales; `lines` maps a name to its points."""
    height, top, bottom = 340, 34, 44
    xs = [x for points in lines.values() for x, _ in points]
    ys = [y for points in lines.values() for _, y in points]
    (x0, x1), (y0, y1) = _decades(xs), _decades(ys)

    def at(x, y):
        return (
            LEFT + (WIDTH - LEFT - RIGHT) * (log10(x) - x0) / (x1 - x0),
            top + (height - top - bottom) * (y1 - log10(y)) / (y1 - y0),
        )

    drawn = []
    for power in range(x0, x1 + 1):
        x, y = at(10**power, 10**y0)
        drawn.append(_line(x, top, x, y, FAINT))
        drawn.append(_text(x, y + 16, f"{10**power:,}", "middle"))
    for power in range(y0, y1 + 1):
        x, y = at(10**x0, 10**power)
        drawn.append(_line(x, y, WIDTH - RIGHT, y, FAINT))
        drawn.append(_text(x - 6, y + 4, f"{10.0**power:g}", "end"))
    drawn.append(_text((LEFT + WIDTH - RIGHT) / 2, height - 8, across, "middle"))
    drawn.append(_text(LEFT, top - 6, up, "middle"))
    for place, (name, points) in enumerate(lines.items()):
        ends = [at(x, y) for x, y in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in ends)
        fill = FILLS[place % len(FILLS)]
        drawn.append(
            f'<polyline points="{path}" fill="none" stroke="{fill}" stroke-width="2.5" '
            f'stroke-dasharray="{DASHES[place % len(DASHES)]}"/>'
        )
        drawn += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{fill}"/>' for x, y in ends]
        drawn.append(_text(ends[-1][0] + 8, ends[-1][1] + 4, name))
    return _svg(height, title, drawn)


def _decades(values):
    low, high = floor(log10(min(values))), ceil(log10(max(values)))
    return low, max(high, low + 1)


def _text(x, y, words, anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _line(x1, y1, x2, y2, colour):
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{colour}"/>'


def _svg(height, title, drawn):
    inside = "\n".join(drawn)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'font-family="sans-serif" font-size="12" fill="{INK}">\n<title>{escape(title)}</title>\n'
        f'<text x="{WIDTH / 2}" y="18" text-anchor="middle" font-size="14">{escape(title)}</text>\n'
        f"{inside}\n</svg>\n"
    )
