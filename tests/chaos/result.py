"""The result of an attack."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

MOST_TOLD = 5


class Result(NamedTuple):
    """A line of the table. `figures` are shown and have no bound."""

    tries: int
    failures: list[str]
    worst_s: float
    figures: str = ""


def together(results: Iterable[Result]) -> Result:
    """Combine several runs of one attack."""
    found = list(results)
    figures = "; ".join(dict.fromkeys(each.figures for each in found if each.figures))
    return Result(
        sum(each.tries for each in found),
        [failure for each in found for failure in each.failures],
        max((each.worst_s for each in found), default=0.0),
        figures,
    )


def resident() -> int:
    """Return the resident memory of this process."""
    return memory_of(os.getpid())


def memory_of(pid: int) -> int:
    """Return the resident memory of a process."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def percentile(values: list[float], share: float) -> float:
    """Return the value that a share of all values do not exceed."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else 0.0
