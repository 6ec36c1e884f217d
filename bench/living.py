"""A hub as a process: its start, where that time goes, its memory, and what it does when idle.

    python -m bench.living [--quick] [--peer PYTHON] [--json FILE]

Starts are measured in turn with those of a bare interpreter, of `import asyncio` and, where an
interpreter that has it is given, of the peer. Nothing here is a test.
"""

import argparse
import contextlib
import http.client
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
READY = (
    "import sys; sys.path.insert(0, sys.argv[1])\n"
    "from centerpiece.__main__ import main\n"
    "import centerpiece.service.shell as s, os\n"
    "ready = s.notify\n"
    "s.notify = lambda m: os._exit(0) if m == 'READY=1' else ready(m)\n"
    "main(['run', '--data', sys.argv[2], '--port', '0'])\n"
)
"""A hub that ends as soon as it would take its first press."""
NAMES = ["Ann", "Bob", "Cara", "Dan", "Eve", "Fay", "Gus", "Hal"]
# An installed hub has its modules compiled; one that may not keep them would compile each time.
ENV = {key: os.environ[key] for key in os.environ if key != "PYTHONDONTWRITEBYTECODE"}


def took(*words):
    """Wall time of a process from its start to its end."""
    start = time.perf_counter()
    subprocess.run(words, check=True, env=ENV, cwd=ROOT, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def starts(rounds, peer):
    """Medians, all kinds of start taking turns."""
    with tempfile.TemporaryDirectory() as folder:
        kinds = {
            "python_s": (sys.executable, "-c", "pass"),
            "asyncio_s": (sys.executable, "-c", "import asyncio"),
            "ready_s": (sys.executable, "-c", READY, str(ROOT), folder),
        }
        if peer:
            kinds["peer_s"] = (peer, str(ROOT / "bench" / "peer.py"), "ready")
        times = {name: [] for name in (*kinds, "pages_s")}
        for n in range(rounds + 1):
            for name, words in kinds.items():
                times[name].append(took(*words))
            with hub(Path(folder) / f"pages-{n}") as (_, _, served):
                times["pages_s"].append(served)
    return {name: statistics.median(found[1:]) for name, found in times.items()}


@contextlib.contextmanager
def hub(folder):
    """A running hub: its process, its port, and how long it took until a page was served."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [sys.executable, "-m", "centerpiece", "run", "--data", folder, "--port", str(port)]
    start = time.perf_counter()
    process = subprocess.Popen(
        words, env=ENV, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        while True:
            with contextlib.suppress(OSError):
                if asked(port, "GET", "/api/state"):
                    break
            if time.perf_counter() - start > 30:
                raise RuntimeError("the hub did not serve its pages within 30 s")
            time.sleep(0.002)
        yield process, port, time.perf_counter() - start
    finally:
        process.terminate()
        process.wait(10)


def asked(port, method, path, document=None, link=None):
    """One request; the answer's document."""
    link = link or http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    body = None if document is None else json.dumps(document)
    link.request(method, path, body, {"Content-Type": "application/json"})
    answer = link.getresponse()
    found = json.loads(answer.read())
    if answer.status != 200:
        raise RuntimeError(f"{path} answered {answer.status}: {found}")
    return found


def imports():
    """Milliseconds of the start by what is imported, the largest first."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-X", "importtime", "-c", READY, str(ROOT), folder]
        told = subprocess.run(words, env=ENV, cwd=ROOT, capture_output=True, text=True).stderr
    groups = {}
    for own, name in re.findall(r"import time:\s+(\d+) \|\s+\d+ \|\s*(\S+)", told):
        first = name.split(".")[0].lstrip("_")
        groups[first] = groups.get(first, 0) + int(own) / 1e3
    ours = {"centerpiece", "hal", "sim"}
    large = sorted(groups, key=groups.get, reverse=True)[:9]
    named = {name: groups[name] for name in sorted(groups, key=groups.get, reverse=True)}
    shown = {name: took for name, took in named.items() if name in large or name in ours}
    return shown | {"all others": sum(groups.values()) - sum(shown.values())}


def memory_kib(process):
    pages = Path(f"/proc/{process.pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGESIZE") // 1024


def effort(process):
    """CPU seconds and voluntary switches, over all threads so far."""
    cpu = switches = 0
    for task in Path(f"/proc/{process.pid}/task").iterdir():
        cpu += int((task / "schedstat").read_text().split()[0])
        status = (task / "status").read_text()
        switches += int(re.search(r"\nvoluntary_ctxt_switches:\s+(\d+)", status)[1])
    return cpu / 1e9, switches


def evening(port):
    """Thirteen rounds of eight over the pages' own interface; commands a second."""
    link, done = http.client.HTTPConnection("127.0.0.1", port, timeout=5), 0

    def do(kind, **facts):
        nonlocal done
        asked(port, "POST", "/api/commands", {"type": kind, **facts}, link)
        done += 1

    start = time.perf_counter()
    do("open-table", rules="mexican-train/classic", players=NAMES, set=12)
    for number in range(13):
        for press in range(60):
            do("toggle-marker", seat=press % 8 + 1)
        out = number % 8 + 1
        do("go-out", seat=out)
        for seat in range(1, 9):
            if seat != out:
                do("enter-score", seat=seat, pips=seat * 7)
        do("next-round")
    return done / (time.perf_counter() - start)


def measure(quick, peer):
    found = starts(3 if quick else 11, peer)
    found["imports_ms"] = imports()
    with tempfile.TemporaryDirectory() as folder, hub(folder) as (process, port, _):
        time.sleep(1.0)
        found["memory_kib"] = memory_kib(process)
        before, seconds = effort(process), 4.0 if quick else 20.0
        time.sleep(seconds)
        after = effort(process)
        found["idle_cpu"] = (after[0] - before[0]) / seconds
        found["idle_wakeups"] = (after[1] - before[1]) / seconds
        found["http_commands_per_s"] = evening(port)
        found["memory_after_kib"] = memory_kib(process)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--peer", metavar="PYTHON", help="an interpreter that has mpf")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    found = measure(options.quick, options.peer)
    print(json.dumps(found, indent=1))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
