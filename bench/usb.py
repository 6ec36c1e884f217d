"""A press at a hub on USB: its real firmware under MicroPython, behind a pseudo-terminal.

    python -m bench.usb [--quick] [--json FILE]

Pins and chain are files, so nothing here says how fast a microcontroller itself is; it shows what
the messages, the terminal and the computer cost. The floor is a sign of life, there and back.
"""

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.measure import LeftOut, in_turn, main
from bench.rig import Rig
from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import TIMING
from centerpiece.storage.journal import Journal
from hal.boards import BOARDS, builder, completed
from hal.settings import HardwareSettings, SoundSettings, UsbSettings
from hal.usb.messages import encode
from sim.board import SimBoard

LOOK_S = 0.0002
PACE = 0.35
"""Seconds between two presses: longer than an echo, and than a double tap."""


def took(cause: Callable[[], object], there: Callable[[], bool]) -> float:
    """Return the seconds from a cause until something is there, looking often."""
    start = time.perf_counter()
    cause()
    while not there():
        if time.perf_counter() - start > 20:
            raise RuntimeError("it did not come about")
        time.sleep(LOOK_S)
    return time.perf_counter() - start


def measure(quick: bool) -> dict[str, Any]:
    """Return medians in milliseconds: the bare round trip, and a press until its echo."""
    from tests.pico import MICROPYTHON, Pico

    if MICROPYTHON is None:
        raise LeftOut("no micropython; tools/test-needs.sh installs it on Debian, as root")
    with tempfile.TemporaryDirectory(prefix="centerpiece-bench-") as name:
        folder = Path(name)
        pico = Pico(folder)
        usb, sound = UsbSettings(port=str(pico.port)), SoundSettings(driver="none")
        settings = completed(HardwareSettings(usb=usb, sound=sound), BOARDS["usb"])
        board = builder("usb")(settings, lambda trouble: None)
        link = board.buttons._link  # type: ignore[attr-defined]
        took(lambda: None, lambda: link.hello is not None)

        def round_trip() -> float:
            link.wake()
            seen = pico.carried
            return took(lambda: link.send_line(encode("t", 0)), lambda: pico.carried > seen + 12)

        def echo() -> float:
            wire, before = folder / "wire", (folder / "wire").stat().st_size
            found = took(lambda: pico.press("seat-2"), lambda: wire.stat().st_size > before)
            time.sleep(PACE)
            pico.release("seat-2")
            time.sleep(PACE)
            return found

        def finger(rig: Rig) -> dict[str, list[float]]:
            return in_turn(5 if quick else 20, {"round_trip": round_trip, "echo": echo})

        rig = Rig(Journal(folder / "table.db", GAMES), SimBoard(*board), TIMING)
        times = rig.run(finger)
        pico.close()
    return {f"{name}_ms": 1e3 * statistics.median(found) for name, found in times.items()}


if __name__ == "__main__":
    main(measure, __doc__)
