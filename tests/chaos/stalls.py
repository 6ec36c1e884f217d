"""The attack: a card that stalls, 50 ms at every write up to 5 s now and then, in real time.

Whistle, echo and pages must come as on a fast disk, every tap and hold must be heard as what it
was, and the watchdog must be fed. What it looks like in virtual time, `tests/hub/test_slow_disk.py`
and `tests/scenarios/slow-card.txt` tell; here it is measured, with the figures of `bench.stalls`.
"""

from bench.stalls import measure
from tests.chaos.result import Result

TIMES = 3.0
AT_LEAST_MS = 5.0
"""A reflex may take three times as long as on a fast disk, or so long, whichever is more."""
LONGEST_GAP_MS = 1000.0


def stall(quick: bool) -> Result:
    """Every kind of bad card, one after the other."""
    found = measure(quick, ("table", "gestures"))
    failures, tries, worst = [], 0, 0.0
    fast = found["table"]["fast"]
    for card, figures in found["table"].items():
        for what in ("whistle", "echo", "state", "page"):
            took = figures[what]["p50_ms"]
            worst = max(worst, took)
            if took > max(TIMES * fast[what]["p50_ms"], AT_LEAST_MS):
                failures.append(f"{card}: {what} took {took:.1f} ms")
    for card, figures in found["gestures"].items():
        tries += figures["of"]
        if figures["right"] < figures["of"]:
            failures.append(f"{card}: {figures['right']} of {figures['of']} gestures were right")
    gap = max(each["gap_ms"] for part in found.values() for each in part.values())
    if gap > LONGEST_GAP_MS:
        failures.append(f"the watchdog waited for {gap:.0f} ms")
    return Result(tries, failures, worst / 1e3, f"watchdog's longest wait {gap:.0f} ms")
