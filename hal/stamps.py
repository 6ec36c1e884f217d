"""Conversion of foreign time stamps to the hub's clock.

Edges are stamped at their source, by the kernel or by a board. The adapter knows how old a stamp
is; the hub's clock minus that age is the time of the edge.
"""

LATEST = 10.0
"""Maximum age in seconds; an older or future stamp comes from another clock and is ignored."""


def edge_time(now: float, late: float) -> float:
    """Return the time of an event that arrived `late` seconds after it happened."""
    return now - late if 0 <= late < LATEST else now
