"""Shared by all parts: a spread, things measured in turn, the processor time of a process."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PEER = ROOT / ".venv-peer" / "bin" / "python"
# An installed hub has its modules compiled; one that may not keep them would compile each time.
ENV = {key: os.environ[key] for key in os.environ if key != "PYTHONDONTWRITEBYTECODE"}


class LeftOut(Exception):
    """A part whose needs are not here; the message says which."""


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


def peer(*words: str) -> dict[str, float]:
    """Run the peer; its figures."""
    if not PEER.exists():
        raise LeftOut("the peer is not installed in .venv-peer")
    command = [str(PEER), str(ROOT / "bench" / "peer.py"), *words]
    done = subprocess.run(command, capture_output=True, text=True, env=ENV, timeout=120)
    if done.returncode or not done.stdout:
        raise LeftOut(f"the peer ended with {done.returncode}: {done.stderr[-200:]}")
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def main(measure: Callable[[bool], dict[str, Any]], about: str) -> None:
    """Measure one part, as a program of its own: `--quick`, `--json FILE`."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds; for a first look")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to keep the figures")
    options = parser.parse_args()
    try:
        found = measure(options.quick)
    except LeftOut as why:
        sys.exit(str(why))
    print(json.dumps(found, indent=1))
    if options.json:
        options.json.write_text(json.dumps(found))
