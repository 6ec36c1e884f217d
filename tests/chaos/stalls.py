"""The attack: a card that stalls, 50 ms at every write up to 5 s now and then, in real time.

Whistle, echo and pages must come as on a fast disk, every gesture must be heard as what it was, and
the watchdog must be fed. What it looks like in virtual time, `tests/hub/test_slow_disk.py` and
`tests/scenarios/slow-card.txt` tell; here it is measured, with the evenings of `bench.evening`.
"""

from bench.evening import CARDS, on_cards
from tests.chaos.result import Result

TIMES = 3.0
AT_LEAST_MS = 5.0
"""A reflex may take three times as long as on a fast disk, or so long, whichever is more."""
LONGEST_GAP_MS = 1000.0


def stall(quick: bool) -> Result:
    """Play with every kind of bad card at the same time."""
    found = on_cards(tuple(CARDS))
    failures, worst = [], 0.0
    for card, figures in found.items():
        for what in ("whistle", "echo", "page"):
            took, fast = figures[what]["p50"], found["fast"][what]["p50"]
            worst = max(worst, took)
            if took > max(TIMES * fast, AT_LEAST_MS):
                failures.append(f"{card}: slow: {what} took {took:.1f} ms")
        if not figures["right"]:
            failures.append(f"{card}: not all gestures were heard right")
    gap = max(figures["gap"] for figures in found.values())
    if gap > LONGEST_GAP_MS:
        failures.append(f"slow: the watchdog waited for {gap:.0f} ms")
    tries = sum(figures["events"] for figures in found.values())
    return Result(tries, failures, worst / 1e3, f"watchdog's longest wait {gap:.0f} ms")
