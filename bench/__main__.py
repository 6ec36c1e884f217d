"""All benchmarks in one run, with a page of results and a chart.

    python -m bench [--quick] [--only PART,...] [--docs FOLDER]

Figures are compared with floors and with a peer measured in the same run, since machines differ.
A part that cannot run here is left out, with the reason.
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench import report
from bench.measure import ENV, PEER, ROOT

PARTS = ["whole_games", "press", "start", "flat", "outliers", "evening", "usb_press", "hall_lag"]


def part(name: str, quick: bool) -> Any:
    """Run a part in a process of its own; return its figures."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "results.json"
        call = f"pathlib.Path({str(file)!r}).write_text(json.dumps(measure({quick})))"
        code = f"import json, pathlib; from bench.{name} import measure; {call}"
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=ENV, capture_output=True, text=True
        )
        if not file.exists():
            output = (done.stderr or done.stdout).strip().splitlines()
            raise RuntimeError(output[-1] if output else f"it ended with {done.returncode}")
        return json.loads(file.read_text())


def measure(names: list[str], quick: bool) -> dict[str, Any]:
    """Measure the parts that can run here."""
    results: dict[str, Any] = {}
    left_out = {} if PEER.exists() else {"peer": "`make bench` installs it in .venv-peer"}
    about, began = machine(), time.monotonic()
    for name in names:
        print(f"{time.monotonic() - began:.0f} s: {name}", file=sys.stderr, flush=True)
        try:
            results[name] = part(name, quick)
        except RuntimeError as error:
            left_out[name] = str(error)
    about["seconds"] = time.monotonic() - began
    return {"machine": about, "results": results, "left_out": left_out}


def machine() -> dict[str, Any]:
    words = ["git", "rev-parse", "--short", "HEAD"]
    about = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    named = re.search("model name.*: (.*)", about)
    return {
        "processor": named[1] if named else platform.machine(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "load": round(os.getloadavg()[0], 1),
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "commit": subprocess.run(words, cwd=ROOT, capture_output=True, text=True).stdout.strip(),
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds; for a first look")
    parser.add_argument("--only", metavar="PART,…", help=f"some of {', '.join(PARTS)}")
    parser.add_argument("--docs", type=Path, metavar="FOLDER", help="write performance.md there")
    options = parser.parse_args()
    names = options.only.split(",") if options.only else [*PARTS]
    results = measure(names, options.quick)
    print(report.table(results))
    if options.docs:
        report.write(results, options.docs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
