"""All benchmarks in one run: a table of ratios, one file of results, and charts for the documents.

    python -m bench [--quick] [--only PART,...] [--peer PYTHON] [--json FILE] [--docs FOLDER]
    python -m bench compare BEFORE AFTER [--tolerance 0.25]

Figures are compared with floors and with a peer measured in the same run, since machines differ.
A part whose needs are not there (redis-server, the peer) is left out, with its reason.
"""

import argparse
import datetime
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench import report
from bench.living import ENV, ROOT

PEER = ROOT / ".venv-peer" / "bin" / "python"
TURNS = 4
TABLES = (10, 100, 1_000, 10_000)


def peer_python(asked):
    """An interpreter with the peer installed, prepared once; or the reason why there is none."""
    if asked:
        return asked, ""
    if PEER.exists() and _has_mpf(PEER):
        return str(PEER), ""
    print("preparing the peer in .venv-peer ...", file=sys.stderr)
    folder = PEER.parent.parent
    try:
        quiet = {"check": True, "capture_output": True, "text": True, "timeout": 600}
        subprocess.run([sys.executable, "-m", "venv", str(folder)], **quiet)
        subprocess.run([str(PEER), "-m", "pip", "install", "-q", "mpf"], **quiet)
    except (subprocess.SubprocessError, OSError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        told = (getattr(error, "stderr", "") or str(error)).strip().splitlines()
        return None, f"mpf could not be installed: {told[-1] if told else error}"
    return str(PEER), ""


def _has_mpf(python):
    return subprocess.run([str(python), "-c", "import mpf"], capture_output=True).returncode == 0


def part(module, *words):
    """Run one part in a process of its own; its figures."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "found.json"
        command = [sys.executable, "-m", module, *words, "--json", str(file)]
        done = subprocess.run(command, cwd=ROOT, env=ENV, capture_output=True, text=True)
        if not file.exists():
            last = (done.stderr or done.stdout).strip().splitlines()[-1:]
            raise RuntimeError(f"{module} ended with {done.returncode}: {''.join(last)}")
        return json.loads(file.read_text())


def in_turn(python, press, *words):
    """The peer's figures. What it does of ours is measured anew in turn with it: moods change."""
    ours, theirs = [], []
    for _ in range(TURNS):
        theirs.append(peer(python))
        ours.append(part("bench.press", "--in-memory", *words))
    press |= report.merged(ours)
    return report.merged(theirs)


def peer(python):
    """The peer's own figures."""
    words = [python, str(ROOT / "bench" / "peer.py")]
    done = subprocess.run(words, capture_output=True, text=True, env=ENV, timeout=120)
    if done.returncode or not done.stdout:
        raise RuntimeError(f"the peer ended with {done.returncode}: {done.stderr[-200:]}")
    return json.loads(done.stdout.splitlines()[-1])


def hall(quick):
    """Forwarding once, and the lag for more and more tables."""
    if shutil.which("redis-server") is None:
        raise RuntimeError("redis-server is not installed")
    found = part("bench.hall", "--only", "forward")
    seconds = "5" if quick else "10"
    found["lag"] = {
        str(tables): part(
            "bench.hall", "--only", "follow", "--tables", str(tables), "--seconds", seconds
        )["follow"]
        for tables in (TABLES[:-1] if quick else TABLES)
    }
    return found


def measure(options):
    """Every part that can be measured here."""
    quick = ["--quick"] if options.quick else []
    python, why = peer_python(options.peer)
    with_peer = ["--peer", python] if python else []
    parts = {
        "press": lambda: part("bench.press", *quick),
        "peer": lambda: in_turn(python, results.get("press", {}), *quick) if python else no(why),
        "stalls": lambda: part("bench.stalls", *quick),
        "pages": lambda: part("bench.pages", *quick),
        "voice": lambda: part("bench.voice", *quick),
        "living": lambda: part("bench.living", *quick, *with_peer),
        "recovery": lambda: part("bench.recovery", *quick),
        "hardware": lambda: part("bench.hardware", *quick),
        "usb": lambda: part("bench.usb", *quick),
        "card": lambda: part("bench.card"),
        "dominoes": lambda: part("bench.dominoes", "--seconds", "2" if options.quick else "6"),
        "simulate": lambda: part("bench.simulate", "--games", "8" if options.quick else "40"),
        "hall": lambda: hall(options.quick),
    }
    wanted = options.only.split(",") if options.only else list(parts)
    results, left_out = {}, {}
    for name in wanted:
        print(f"measuring {name} ...", file=sys.stderr, end="", flush=True)
        began = time.monotonic()
        try:
            results[name] = parts[name]()
        except (RuntimeError, OSError, subprocess.SubprocessError) as error:
            left_out[name] = str(error)
        print(f" {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return {"machine": machine(), "results": results, "left_out": left_out}


def no(why):
    raise RuntimeError(why)


def machine():
    """Where, when and of what."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "load": round(os.getloadavg()[0], 1),
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": commit,
    }


def _processor():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def run(words):
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds; for a first look")
    parser.add_argument("--only", help="parts, with commas between them")
    parser.add_argument("--peer", metavar="PYTHON", help="an interpreter that has mpf")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to keep the results")
    parser.add_argument("--docs", type=Path, metavar="FOLDER", help="write performance.md there")
    options = parser.parse_args(words)
    found = measure(options)
    found["machine"]["load_after"] = round(os.getloadavg()[0], 1)
    print(report.table(found))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")
    if options.docs:
        report.write(found, options.docs)
    return 0


def compare(words):
    parser = argparse.ArgumentParser(prog="python -m bench compare")
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--tolerance", type=float, default=0.25, help="how much worse is noise")
    options = parser.parse_args(words)
    before, after = (json.loads(file.read_text()) for file in (options.before, options.after))
    lines, worse = report.compare(before, after, options.tolerance)
    print("\n".join(lines))
    return 1 if worse else 0


if __name__ == "__main__":
    arguments = sys.argv[1:]
    sys.exit(compare(arguments[1:]) if arguments[:1] == ["compare"] else run(arguments))
