"""`centerpiece first-start`: animates the lights while a newly written card is prepared.

`deploy/first-start.sh` does the work and needs no part of the hub; without lights it runs all the
same. Then the hub walks through its parts, once; whatever fails there keeps nobody from playing.
"""

import argparse
import logging
import math
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from centerpiece.cli import doctor
from centerpiece.config import Config, load
from centerpiece.service import log_limit
from centerpiece.service.problems import tell
from hal.boards import BOARDS, builder, opener
from hal.ports import Board, Frame, Lights, Zone
from hal.system_clock import SystemClock

log = logging.getLogger("centerpiece")

SCRIPT = Path("/opt/centerpiece/current/deploy/first-start.sh")
SETTINGS = Path("/etc/centerpiece.toml")
FRAMES = 5
"""Frames per second."""
LAP = 4.0
"""Seconds for one turn of the light round the ring."""
WARM = (255, 180, 90)


def command(options: argparse.Namespace) -> int:
    """Run the script that prepares the card, with animated lights; return the script's exit code.

    If that is 0, the self-test follows, whose result does not change it.
    """
    log_limit.begin()
    with subprocess.Popen((SCRIPT,)) as script:
        while_it_runs(script.poll, _lights)
    if script.returncode == 0:
        walk_once(_board)
    return script.returncode


def walk_once(
    open_board: Callable[[], tuple[Board, Config]], pause: Callable[[float], object] = time.sleep
) -> None:
    """Run the self-test of a hub after its first start; whatever fails is only logged.

    `open_board` returns the board, which is closed in the end, and its config. `pause` waits for a
    number of seconds.
    """
    try:
        board, config = open_board()
        with closing(board):
            doctor.walk(board, config.hardware, pause)
    except Exception as error:
        log.warning("first-start self-test=unavailable: %s", error)


def _board() -> tuple[Board, Config]:
    config = load(SETTINGS)
    return builder("pi")(config.hardware, lambda trouble: None), config


def problem(options: argparse.Namespace) -> int:
    """Note a problem of the kind given, in the words given; without words, that it is solved."""
    tell(options.kind, " ".join(options.words), options.root)
    return 0


def _lights() -> tuple[Lights, Sequence[Zone]]:
    """Open the lights of a standard hub on SPI; return them with their zones.

    This hub's own settings are not read.
    """
    from msgspec.structs import replace

    settings = Config().hardware
    # SPI works on every kernel; this hub's own settings are only being written.
    lights = replace(settings.lights, method="spi", brightness=0.4)
    settings = replace(settings, lights=lights)
    opened = opener("lights", BOARDS["pi"].lights)(settings, lambda trouble: None, SystemClock())
    return opened, lights.zones


def while_it_runs(
    ended: Callable[[], object | None],
    open_lights: Callable[[], tuple[Lights, Sequence[Zone]]],
    pause: Callable[[float], None] = time.sleep,
) -> None:
    """Show the animation until `ended` returns something other than None; then close the lights.

    If `open_lights` fails, log that and return at once.
    """
    try:
        lights, zones = open_lights()
    except Exception as error:
        log.warning("first-start lights=unavailable: %s", error)
        return
    frame = 0
    try:
        while ended() is None:
            lights.show(frame_at(zones, lights.count, frame / FRAMES))
            frame += 1
            pause(1 / FRAMES)
    finally:
        lights.close()


def frame_at(zones: Sequence[Zone], count: int, now: float) -> Frame:
    """Return the animation's frame at `now` seconds: a warm light goes round the ring with a tail.

    `count` is the number of pixels; those outside the ring are dark.
    """
    frame = bytearray(3 * count)
    ring = next((zone for zone in zones if zone.name == "ring"), None)
    if ring is not None:
        head = now / LAP % 1.0
        for n in range(ring.count):
            distance = (head - n / ring.count) % 1.0
            level = math.exp(-6.0 * distance)
            at = 3 * (ring.start + n)
            frame[at : at + 3] = bytes(round(level * part) for part in WARM)
    return bytes(frame)
