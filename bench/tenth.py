"""Run a program on a core that is ten times slower: `python -m bench.tenth PROGRAM WORD…`

The program, with all its threads, is stopped and let go on by signals, many hundred times a second.
A quota of a control group or a low priority would not do: both let short work, as a press is, run
at full speed, and slow down only what takes long. Here half a millisecond of work takes five.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time

SHARE = 0.1
RUN_S = 0.0004


def main() -> int:
    with contextlib.suppress(OSError):  # only root may be so punctual
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    process = subprocess.Popen(sys.argv[1:], preexec_fn=_as_usual)
    signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    due = time.perf_counter()
    while process.poll() is None:
        began = time.perf_counter()
        process.send_signal(signal.SIGCONT)
        time.sleep(RUN_S)
        process.send_signal(signal.SIGSTOP)
        # Whoever came late to stop it lets it rest for longer, and the other way round.
        ran = time.perf_counter() - began
        due = max(due + ran / SHARE, began)
        time.sleep(max(0.0, due - time.perf_counter()))
    return process.returncode


def _as_usual() -> None:
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


if __name__ == "__main__":
    sys.exit(main())
