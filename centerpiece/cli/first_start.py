"""`centerpiece first-start`: lights of their own while a card that was just written gets ready.

The deeds are those of `deploy/first-start.sh`, which needs no part of the hub; lights that cannot
be opened are no reason to stop.
"""

import argparse
import logging
import math
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from centerpiece.config import Config
from centerpiece.service import log_limit
from centerpiece.service.problems import tell
from hal.boards import BOARDS, opener
from hal.ports import Frame, Lights, Zone
from hal.system_clock import SystemClock

log = logging.getLogger("centerpiece")

SCRIPT = Path("/opt/centerpiece/current/deploy/first-start.sh")
FRAMES = 5
"""A second."""
LAP = 4.0
"""Seconds in which the light goes once round the ring."""
WARM = (255, 180, 90)


def command(options: argparse.Namespace) -> int:
    """Prepare the card; the exit code."""
    log_limit.begin()
    with subprocess.Popen((SCRIPT,)) as script:
        while_it_runs(script.poll, _lights)
    return script.returncode


def problem(options: argparse.Namespace) -> int:
    """`centerpiece problem KIND WORD…`; the exit code."""
    tell(options.kind, " ".join(options.words), options.root)
    return 0


def _lights() -> tuple[Lights, Sequence[Zone]]:
    from msgspec.structs import replace

    settings = Config().hardware
    # Every kernel has SPI, and the settings of this hub are only being written.
    lights = replace(settings.lights, method="spi", brightness=0.4)
    settings = replace(settings, lights=lights)
    opened = opener("lights", BOARDS["pi"].lights)(settings, lambda trouble: None, SystemClock())
    return opened, lights.zones


def while_it_runs(
    ended: Callable[[], object | None],
    open_lights: Callable[[], tuple[Lights, Sequence[Zone]]],
    pause: Callable[[float], None] = time.sleep,
) -> None:
    """Show `growing` until it has ended; then the chain is dark, and free for the hub."""
    try:
        lights, zones = open_lights()
    except Exception as error:
        log.warning("the first start goes on without lights: %s", error)
        return
    frame = 0
    try:
        while ended() is None:
            lights.show(growing(zones, lights.count, frame / FRAMES))
            frame += 1
            pause(1 / FRAMES)
    finally:
        lights.close()


def growing(zones: Sequence[Zone], count: int, now: float) -> Frame:
    """A warm light that goes round the ring with a tail behind it; all else is dark."""
    frame = bytearray(3 * count)
    ring = next((zone for zone in zones if zone.name == "ring"), None)
    if ring is not None:
        head = now / LAP % 1.0
        for n in range(ring.count):
            behind = (head - n / ring.count) % 1.0
            level = math.exp(-6.0 * behind)
            at = 3 * (ring.start + n)
            frame[at : at + 3] = bytes(round(level * part) for part in WARM)
    return bytes(frame)
