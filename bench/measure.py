"""Shared by all parts: a spread, things measured in turn, the processor time of a process."""

import json
import os
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PEER = ROOT / ".venv-peer" / "bin" / "python"
# An installed hub has its modules compiled; one that may not keep them would compile each time.
ENV = {key: os.environ[key] for key in os.environ if key != "PYTHONDONTWRITEBYTECODE"}


def spread(times: list[float]) -> dict[str, float]:
    """Return the median, the 99th of 100 and the longest."""
    ordered = sorted(times)
    return {
        "p50": statistics.median(ordered),
        "p99": ordered[int(len(ordered) * 0.99)],
        "max": ordered[-1],
    }


def in_turn(
    rounds: int, functions: Mapping[str, Callable[[], float]], warm: int = 1
) -> dict[str, list[float]]:
    """Call every function in turn, so that the machine's moods fall on all of them alike."""
    found: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(rounds + warm):
        for name, function in functions.items():
            found[name].append(function())
    return {name: results[warm:] for name, results in found.items()}


def cpu(work: Callable[[], object]) -> float:
    """Return the seconds of this process's own time that the work takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def memory_mb(pid: int | str = "self") -> float:
    """Return what a process holds in memory now."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 1e6


def peer() -> dict[str, float]:
    """Run the peer; its figures."""
    command = [PEER, ROOT / "bench" / "peer.py"]
    told = subprocess.run(command, check=True, capture_output=True, env=ENV, timeout=120).stdout
    return json.loads(told.splitlines()[-1])  # type: ignore[no-any-return]
