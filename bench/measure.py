"""Shared by all parts: statistics, measuring in turn, processor time and memory."""

import json
import os
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PEER = ROOT / ".venv-peer" / "bin" / "python"
# An installed hub has compiled modules; without them every process would compile them again.
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
    """Call every function in turn, so that the machine's load affects all of them alike."""
    times: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(rounds + warm):
        for name, function in functions.items():
            times[name].append(function())
    return {name: taken[warm:] for name, taken in times.items()}


def cpu(work: Callable[[], object]) -> float:
    """Return the processor time that some work takes in this process."""
    start = time.process_time()
    work()
    return time.process_time() - start


def memory_mb(pid: int | str = "self") -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 1e6


def peer() -> dict[str, float]:
    """Run the peer; return its figures."""
    command = [PEER, ROOT / "bench" / "peer.py"]
    output = subprocess.run(command, check=True, capture_output=True, env=ENV, timeout=120).stdout
    return json.loads(output.splitlines()[-1])  # type: ignore[no-any-return]
