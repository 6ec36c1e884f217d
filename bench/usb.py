"""How fast a hub on USB is, with its real firmware under MicroPython, and a WLED.

    python -m bench.usb [--quick] [--json FILE]

The floor is the bare round trip of the same cable: a sign of life, there and back. Pins, chain and
module are files, so nothing here says how fast a Pico itself is; it shows what the messages, the
pseudo-terminal and the computer cost. The echo is that of a whole hub with its journal. Figures
are printed, not asserted.
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from itertools import pairwise
from pathlib import Path

from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import Hub
from centerpiece.service.shell import Service
from centerpiece.storage.journal import Journal
from centerpiece.table.commands import OpenTable
from hal.boards import BOARDS, builder, completed
from hal.chain_lights import ChainLights
from hal.hardware_settings import HardwareSettings, LightSettings, SoundSettings, UsbSettings
from hal.usb.messages import encode
from hal.wled import wled_lights
from tests.pico import MICROPYTHON, Pico
from tests.wled import Wled

COUNT = 87
LOOK_S = 0.0002
OPEN = OpenTable("mexican-train/classic", ("Ann", "Bob", "Cara", "Dan"), 12)
STILL_S = 3.0
"""After this the starter's light no longer breathes: what goes over the cable is an echo."""
PACE = 0.35
"""Seconds between two presses: longer than an echo, and than a double tap."""


def until(there):
    """Wait, looking often: what is measured takes about a millisecond."""
    end = time.monotonic() + 20
    while not there():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(LOOK_S)


def took(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def at_a_board(folder, count):
    """Medians of the round trip, an edge, a frame and an echo; the loop at rest and in a flood."""
    os.environ["LOOKS"] = "1"
    pico = Pico(folder)
    settings = HardwareSettings(
        usb=UsbSettings(port=str(pico.port)), sound=SoundSettings(driver="none")
    )
    board = builder("usb")(completed(settings, BOARDS["usb"]), lambda trouble: None)
    heard, link = [], board.buttons._link
    until(lambda: link.hello is not None)
    board.buttons.listen(heard.append)
    found = {
        "round trip": [round_trip(pico, link) for _ in range(count)],
        "edge": [edge(pico, heard, "seat-2", n % 2 == 0) for n in range(count)],
        "frame": [whole(pico, board, n) for n in range(count)],
        "loop": loops(pico, flood=False),
        "loop in a flood": loops(pico, flood=True),
    }
    for button in FLOODED:
        pico.release(button)
    found["echo"] = asyncio.run(echoes(pico, board, folder, count // 2))
    pico.close()
    return {name: statistics.median(times) for name, times in found.items()}


async def echoes(pico, board, folder, count):
    """A seat is pressed at a hub that plays: when its light is on the chain's wire."""
    hub = Hub(GAMES, Journal(folder / "usb.db", GAMES), board)
    hub.do(OPEN)
    service = Service(hub)
    running = asyncio.create_task(service.run())
    await asyncio.sleep(STILL_S)
    times = []

    def fingers():
        for n in range(count):
            seat = f"seat-{n % 4 + 1}"
            times.append(until_written(pico, lambda seat=seat: pico.press(seat)))
            time.sleep(PACE)
            pico.release(seat)
            time.sleep(PACE)

    worker = threading.Thread(target=fingers)
    worker.start()
    while worker.is_alive():
        await asyncio.sleep(0.1)
    service.stop()
    await running
    return times


def round_trip(pico, link):
    before = link.beats
    link.wake()
    seen = pico.carried
    start = time.perf_counter()
    link.send_line(encode("t", 0))
    until(lambda: pico.carried > seen + 12)
    took_s = time.perf_counter() - start
    assert link.beats >= before
    return took_s


def edge(pico, heard, button, down):
    before = len(heard)
    return took(lambda: (pico.move(button, down), until(lambda: len(heard) > before)))


def until_written(pico, cause):
    """How long after its cause something new is on the chain's wire."""
    before = (pico.folder / "wire").stat().st_size
    return took(lambda: (cause(), until(lambda: (pico.folder / "wire").stat().st_size > before)))


def whole(pico, board, number):
    frame = bytes((number * 7 + place) % 256 for place in range(3 * COUNT))
    found = until_written(pico, lambda: board.lights.show(frame))
    time.sleep(0.03)
    return found


FLOODED = ("seat-3", "seat-4", "seat-5", "train", "undo")


def loops(pico, flood, seconds=2.0):
    """The time between two looks at the pins, as the board writes it down."""
    written = (pico.folder / "looks").stat().st_size
    end, down = time.monotonic() + seconds, False
    while time.monotonic() < end:
        if flood:
            down = not down
            for button in FLOODED:
                pico.move(button, down)
        time.sleep(0.001)
    lines = (pico.folder / "looks").read_bytes()[written:].split(b"\n")[1:-1]
    stamps = [int(line) for line in lines]
    return [(after - before) / 1e6 for before, after in pairwise(stamps)]


def at_a_wled(count=100):
    """A frame of 87 pixels until its datagram has come; in the 99th of 100 cases."""
    wled = Wled(COUNT)
    settings = LightSettings(address=wled.address)
    lights = ChainLights(
        settings, lambda trouble: None, wled_lights.opener(settings, wled.udp_port)
    )
    times = []
    for number in range(count):
        before = len(wled.sent)
        start = time.perf_counter()
        lights.show(bytes([(number + 1) % 2 * 255]) * 3 * COUNT)
        until(lambda before=before: len(wled.sent) > before)
        times.append(time.perf_counter() - start)
        time.sleep(0.03)
    lights.close()
    wled.unplug()
    return sorted(times)[int(0.99 * count) - 1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--quick", action="store_true", help="fewer rounds; for a first look")
    options = parser.parse_args()
    if MICROPYTHON is None:
        sys.exit("no micropython; tools/test-needs.sh installs it on Debian, as root")
    with tempfile.TemporaryDirectory(prefix="centerpiece-bench-") as name:
        found = at_a_board(Path(name), 20 if options.quick else 100)
    found["wled, 99th of 100"] = at_a_wled()
    bare = found["round trip"]
    for name, seconds in found.items():
        print(f"{name:<20} {seconds * 1e3:8.2f} ms   = {seconds / bare:5.1f} × the round trip")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
