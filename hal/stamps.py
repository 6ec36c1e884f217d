"""Plausibility of the kernel's time stamps.

The kernel stamps edges with the hub's own clock, CLOCK_MONOTONIC. So a stamp is used as it is:
reading a clock in between would move it by whatever happens between two readings.
"""

LATEST = 10.0
"""Maximum age in seconds; an older or future stamp comes from another clock and is ignored."""


def edge_time(stamp: float, now: float) -> float:
    """Return the time of an event that the kernel stamped and that arrives now."""
    return stamp if 0 <= now - stamp < LATEST else now
