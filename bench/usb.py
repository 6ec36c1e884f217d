"""How fast a hub on USB is, with its real firmware under MicroPython, and a WLED.

    python -m bench.usb [--json FILE]

The floor is the bare round trip of the same cable: a sign of life, there and back. Pins, chain and
module are files, so nothing here says how fast a Pico itself is; it shows what the messages, the
pseudo-terminal and the computer cost. Figures are printed, not asserted.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from hal.boards import BOARDS, builder, completed
from hal.chain_lights import ChainLights
from hal.settings import HardwareSettings, LightSettings, SoundSettings, UsbSettings
from hal.usb.messages import encode
from hal.wled import wled_lights
from tests.pico import Pico
from tests.wled import Wled

COUNT = 87
LOOK_S = 0.0002


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


def at_a_board(folder):
    """Medians of the round trip, an edge, an echo and a frame; the loop at rest and in a flood."""
    os.environ["LOOKS"] = "1"
    pico = Pico(folder)
    settings = HardwareSettings(
        usb=UsbSettings(port=str(pico.port)), sound=SoundSettings(driver="none")
    )
    board = builder("usb")(completed(settings, BOARDS["usb"]), lambda trouble: None)
    heard, link = [], board.buttons._link
    until(lambda: link.hello is not None)

    def echo(edge):
        """As the hub does: a pressed seat lights up."""
        heard.append(edge)
        if edge.button == "seat-1":
            frame = bytearray(3 * COUNT)
            frame[90:99] = bytes([255 if edge.down else 0] * 9)
            board.lights.show(bytes(frame))

    board.buttons.listen(echo)
    found = {
        "round trip": [round_trip(pico, link) for _ in range(100)],
        "edge": [edge(pico, heard, "seat-2", n % 2 == 0) for n in range(100)],
        "echo": [echoed(pico, n % 2 == 0) for n in range(60)],
        "frame": [whole(pico, board, n) for n in range(60)],
        "loop": loops(pico, flood=False),
        "loop in a flood": loops(pico, flood=True),
    }
    board.close()
    pico.close()
    return {name: statistics.median(times) for name, times in found.items()}


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


def echoed(pico, down):
    before = (pico.folder / "wire").stat().st_size
    found = took(
        lambda: (
            pico.move("seat-1", down),
            until(lambda: (pico.folder / "wire").stat().st_size > before),
        )
    )
    time.sleep(0.03)
    return found


def whole(pico, board, number):
    before = (pico.folder / "wire").stat().st_size
    frame = bytes((number * 7 + place) % 256 for place in range(3 * COUNT))
    found = took(
        lambda: (
            board.lights.show(frame),
            until(lambda: (pico.folder / "wire").stat().st_size > before),
        )
    )
    time.sleep(0.03)
    return found


def loops(pico, flood, seconds=2.0):
    """The time between two looks at the pins, as the board writes it down."""
    written = (pico.folder / "looks").stat().st_size
    end, down = time.monotonic() + seconds, False
    while time.monotonic() < end:
        if flood:
            down = not down
            for button in ("seat-3", "seat-4", "seat-5", "train", "undo"):
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
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="centerpiece-bench-") as name:
        found = at_a_board(Path(name))
    found["wled, 99th of 100"] = at_a_wled()
    bare = found["round trip"]
    for name, seconds in found.items():
        print(f"{name:<20} {seconds * 1e3:8.2f} ms   = {seconds / bare:5.1f} × the round trip")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
