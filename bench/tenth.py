"""Run a program on a core that is ten times slower: `python -m bench.tenth PROGRAM WORD…`

The program is stopped and continued by signals, many hundred times a second. A control group's
quota or a low priority would not do: both let short work, such as a press, run at full speed. Here
half a millisecond of work takes five.
"""

import signal
import subprocess
import sys
import time

SHARE = 0.1
RUN_S = 0.0004


def main() -> int:
    process = subprocess.Popen(sys.argv[1:])
    signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    due = time.perf_counter()
    while process.poll() is None:
        began = time.perf_counter()
        process.send_signal(signal.SIGCONT)
        time.sleep(RUN_S)
        process.send_signal(signal.SIGSTOP)
        # After a late stop it rests for longer.
        due = max(due + (time.perf_counter() - began) / SHARE, began)
        time.sleep(max(0.0, due - time.perf_counter()))
    return process.returncode


if __name__ == "__main__":
    sys.exit(main())
