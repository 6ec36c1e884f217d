"""A press at a hub on USB: its real firmware under MicroPython, behind a pseudo-terminal.

Pins and chain are files, so this measures the messages, the terminal and the computer, not the
speed of a microcontroller.
"""

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.measure import spread
from bench.rig import Rig
from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import TIMING
from centerpiece.storage.journal import Journal
from hal.boards import BOARDS, builder, completed
from hal.hardware_settings import HardwareSettings, SoundSettings, UsbSettings
from sim.board import SimBoard

LOOK_S = 0.0002
PACE = 0.35
"""Seconds between two presses: longer than an echo or a double tap."""


def measure(quick: bool) -> dict[str, Any]:
    """Return the spread in milliseconds."""
    from tests.pico import MICROPYTHON, Pico

    if MICROPYTHON is None:
        sys.exit("no micropython; tools/test-needs.sh installs it on Debian, as root")
    with tempfile.TemporaryDirectory(prefix="centerpiece-bench-") as name:
        folder = Path(name)
        pico = Pico(folder)
        usb, sound = UsbSettings(port=str(pico.port)), SoundSettings(driver="none")
        settings = completed(HardwareSettings(usb=usb, sound=sound), BOARDS["usb"])
        board = builder("usb")(settings, lambda trouble: None)
        wire = folder / "wire"

        def echo() -> float:
            before, start = wire.stat().st_size, time.perf_counter()
            pico.press("seat-2")
            while wire.stat().st_size == before and time.perf_counter() < start + 20:
                time.sleep(LOOK_S)
            took = time.perf_counter() - start
            time.sleep(PACE)
            pico.release("seat-2")
            time.sleep(PACE)
            return took

        rig = Rig(Journal(folder / "table.db", GAMES), SimBoard(*board), TIMING)
        times = rig.run(lambda rig: [echo() for _ in range(5 if quick else 20)])
        pico.close()
    return {name: 1e3 * took for name, took in spread(times).items()}
