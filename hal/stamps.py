"""Stamps of others, taken over to the hub's clock.

An edge is stamped where it happens: by the kernel, or by a board of its own. Whoever hands it on
knows how late it is, and the hub's clock less that is when it happened.
"""

LATEST = 10.0
"""Seconds: a stamp that is older, or of the future, comes from another clock and is not used."""


def edge_time(now: float, late: float) -> float:
    """When that happened which is heard now, so many seconds late."""
    return now - late if 0 <= late < LATEST else now
