"""How fast the real adapters are, as ratios to what the hardware itself takes.

    python -m bench.hardware [--quick] [--json FILE]

gpiozero, neopixel and pyserial are the real ones; only the last step is taken away: mock pins, a
captured wire, a pseudo-terminal. The floors are the time the bits of a chain need on the wire
(30 µs a pixel) and a bare wake of another thread. Figures are printed, not asserted.
"""

import argparse
import asyncio
import json
import os
import statistics
import tempfile
import threading
import time
from pathlib import Path
from types import SimpleNamespace

os.environ["BLINKA_OS_AGNOSTIC"] = "1"  # before Blinka is first imported

import board as pins
import msgspec
import neopixel_write
from gpiozero.pins.mock import MockFactory

from centerpiece.games.mexican_train.game import ToggleMarker
from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import Hub
from centerpiece.service.shell import Service
from centerpiece.storage.journal import Journal
from centerpiece.table.commands import OpenTable
from hal.chain_lights import ChainLights, colours
from hal.hardware_settings import HardwareSettings, LightSettings, SoundSettings
from hal.pi.gpio_buttons import GpioButtons
from hal.pi.neopixel_lights import opener
from hal.pixels import Limit, curve
from hal.ports import Board, Zone, default_zones
from hal.sound.no_sound import NoSound
from hal.sound.serial_sound import SerialSound
from hal.system_clock import SystemClock
from tests.dfplayer import PtyPlayer

WIRE_S = 30e-6
PACE = 0.15
"""Seconds between two presses: longer than an echo, so that the chain stands still before each."""
OPEN = OpenTable("mexican-train/classic", ("Ann", "Bob", "Cara", "Dan"), 12)
LONGER = (*default_zones()[:-1], Zone("ring", 63, 37))
HUNDRED = LightSettings(zones=LONGER)


class Wire:
    """The place where the driver would take the bytes; may be slow, or dead."""

    def __init__(self):
        self.arrived = threading.Event()
        self.at = 0.0
        self.slow = 0.0
        self.dead = False
        pins.D10 = pins.NEOPIXEL
        neopixel_write._neopixel = SimpleNamespace(neopixel_write=self.send)

    def send(self, pin, data):
        self.at = time.perf_counter()
        self.arrived.set()
        if self.dead:
            raise OSError("the chain is dead")
        time.sleep(self.slow)


def quiet(trouble):
    pass


def build(settings, factory):
    clock = SystemClock()
    lights = ChainLights(settings.lights, quiet, opener(settings.lights, "ws281x"))
    buttons = GpioButtons(settings.buttons, clock.now, lambda: factory)
    return Board(buttons, lights, NoSound(), clock, settings.lights.zones)


async def edge_to_bytes(folder, count=60):
    """A button's edge on the library's thread → the echo's bytes at the strip driver."""
    wire, factory = Wire(), MockFactory()
    settings = HardwareSettings()
    hub = Hub(GAMES, Journal(folder / "edge.db", GAMES), build(settings, factory))
    hub.do(OPEN)
    service = Service(hub)
    running = asyncio.create_task(service.run())
    await asyncio.sleep(3.0)  # the starter's breath is over
    echoes, effects = [], []

    def move(drive, times):
        wire.arrived.clear()
        start = time.perf_counter()
        drive()
        if wire.arrived.wait(1.0):
            times.append(wire.at - start)
        time.sleep(PACE)

    def fingers():
        for n in range(count):
            pin = factory.pin(settings.buttons.pins[f"seat-{n % 4 + 1}"])
            move(pin.drive_low, echoes)
            time.sleep(PACE)
            move(pin.drive_high, effects)

    worker = threading.Thread(target=fingers)
    worker.start()
    while worker.is_alive():
        await asyncio.sleep(0.5)
    service.stop()
    await running
    wire_time = settings.lights.pixels * WIRE_S
    return statistics.median(echoes), statistics.median(effects), wire_time


def computed(folder, count=2000):
    """A press's frame for 100 pixels, from the table's state to the bytes to show."""
    frames = []
    lights = SimpleNamespace(count=100, show=frames.append, set_brightness=quiet, close=lambda: 0)
    parts = SimpleNamespace(listen=quiet, close=lambda: 0)
    hub = Hub(
        GAMES,
        Journal(folder / "frames.db", GAMES),
        Board(parts, lights, NoSound(), SystemClock(), LONGER),
    )
    hub.do(OPEN)
    hub.do(ToggleMarker(2))
    return best_of(hub.paint, count), frames[-1]


def encoded(frame, order, milliamps, count=2000):
    """The same frame, through gamma, limit and Adafruit's class, up to the driver."""
    Wire()
    settings = msgspec.structs.replace(HUNDRED, order=order, max_milliamps=milliamps)
    strip, table, limit = opener(settings, "ws281x")(), curve(2.2, 0.8), Limit.of(settings)

    def encode():
        strip[:] = colours(frame, table, settings.channels, limit)
        strip.show()

    return best_of(encode, count)


def best_of(function, count):
    """The median of many."""
    times = []
    for _ in range(count):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


async def blocked(work, seconds):
    """How long a loop that does `work` a hundred times a second is held up: usually, at worst."""
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
        await asyncio.sleep(0.01)
    return statistics.median(times), max(times)


async def bare_wake(seconds):
    """The floor: another thread is woken through a pipe, and does nothing."""
    out, into = os.pipe()

    def sleeper():
        while os.read(out, 1) != b".":
            pass

    thread = threading.Thread(target=sleeper)
    thread.start()
    found = await blocked(lambda: os.write(into, b"!"), seconds)
    os.write(into, b".")
    thread.join()
    return found


def frames_for(lights):
    """Shows another frame at each call."""
    state = {"level": 0}

    def work():
        state["level"] = (state["level"] + 1) % 256
        lights.show(bytes([state["level"]]) * (3 * lights.count))

    return work


async def blocking(folder, seconds=3.0):
    """Slow and dead devices, and the loop that talks to them."""
    wire = Wire()
    lights = ChainLights(HUNDRED, quiet, opener(HUNDRED, "ws281x"))
    found = {"a bare wake": await bare_wake(seconds)}
    wire.slow = 0.25
    found["slow strip"] = await blocked(frames_for(lights), seconds)
    wire.slow, wire.dead = 0.0, True
    found["dead strip"] = await blocked(frames_for(lights), seconds)
    wire.dead = False
    lights.close()
    module = PtyPlayer(folder / "port")
    sound = SerialSound(SoundSettings(port=str(module.path), startup_s=0.0), quiet)
    module.player.deaf = 1_000_000
    found["deaf sound module"] = await blocked(lambda: sound.play("whistle"), seconds)
    module.unplug()
    found["unplugged port"] = await blocked(lambda: sound.play("whistle"), seconds)
    sound.close()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--quick", action="store_true", help="fewer rounds; for a first look")
    options = parser.parse_args()
    results = {}
    with tempfile.TemporaryDirectory(prefix="centerpiece-bench-") as name:
        folder = Path(name)
        echo, effect, wire = asyncio.run(edge_to_bytes(folder, 10 if options.quick else 60))
        results |= {"wire_s": wire, "edge_to_bytes_s": echo, "edge_ratio": echo / wire}
        results["effect_s"] = effect
        print(f"wire time of the chain     {wire * 1e6:9.1f} µs")
        print(
            f"edge to bytes (echo)       {echo * 1e6:9.1f} µs   "
            f"= {echo / wire:.2f} × the wire (under 1)"
        )
        print(
            f"edge to bytes (journalled) {effect * 1e6:9.1f} µs   = {effect / wire:.2f} × the wire"
        )
        compute, frame = computed(folder)
        for order, milliamps in (("GRB", 1e6), ("GRB", 500.0), ("GRBW", 500.0)):
            took = compute + encoded(frame, order, milliamps)
            kind = f"{order}{', limited' if milliamps < 1e6 else ''}"
            results[f"frame_s {kind}"] = took
            print(f"100 pixels ({kind:<13}) {took * 1e3:9.3f} ms   (under 0.5)")
        found = asyncio.run(blocking(folder, 0.5 if options.quick else 3.0))
        results["blocked_s"] = found
        for kind, (usual, worst) in found.items():
            print(
                f"loop held by {kind:<17} {usual * 1e3:6.3f} ms, at worst {worst * 1e3:6.3f} "
                "(at most 5)"
            )
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
