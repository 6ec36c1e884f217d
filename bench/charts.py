"""The benchmarks' charts: bars with their share of the whole, curves over powers of ten."""

from math import ceil, floor, log10

from centerpiece.reports import charts
from centerpiece.reports.charts import GREY, Axis, Bar


def bars(parts, title, unit):
    """One bar for each part, named, with its value and its share of the whole."""
    whole = sum(parts.values()) or 1.0
    rows = [
        Bar(name, value, f"{value:,.1f} {unit}, {value / whole:.0%}")
        for name, value in parts.items()
    ]
    return charts.bars({title: rows})


def curves(lines, title, across, up):
    """Lines over two logarithmic scales; `lines` maps a name to its points."""
    xs, ys = zip(*(point for points in lines.values() for point in points), strict=True)
    return charts.curves(
        lines.items(), title, _decades(xs, across), _decades(ys, f"{title}, {up}"), GREY
    )


def _decades(values, title):
    low = floor(log10(min(values)))
    high = max(ceil(log10(max(values))), low + 1)
    marks = {10.0**power: f"{10.0**power:,.10g}" for power in range(low, high + 1)}
    return Axis(lambda value: (log10(value) - low) / (high - low), marks, title)
