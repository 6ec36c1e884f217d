"""The peer: Mission Pinball Framework on its virtual platform, a switch that toggles a light.

Run by an interpreter that has `mpf` installed (`make bench` prepares one). Its quickest set-up:
configuration cached, no text interface, no media controller, logging off, the handler in code.
Prints one line of JSON. With `ready` as argument it exits as soon as the machine has started.
"""

import asyncio
import json
import logging
import os
import resource
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

CONFIG = """#config_version=6
hardware:
    platform: virtual
playfields:
    playfield:
        default_source_device: None
        tags: default
switches:
    s_press:
        number: 1
lights:
    l_marker:
        number: 1
        type: rgb
"""
OPTIONS = {
    "bcp": False,
    "text_ui": False,
    "force_platform": "virtual",
    "production": False,
    "no_load_cache": False,
    "create_config_cache": True,
    "force_assets_load": False,
    "configfile": ["config.yaml"],
    "jsonlogging": False,
    "platform_integration_test": False,
}


def machine_folder():
    """Kept between runs, as a builder's would be, so that the configuration is cached."""
    folder = Path(tempfile.gettempdir()) / "centerpiece-bench-peer"
    (folder / "config").mkdir(parents=True, exist_ok=True)
    (folder / "config" / "config.yaml").write_text(CONFIG)
    return str(folder)


def build():
    logging.disable(logging.CRITICAL)
    from mpf.core.config_loader import YamlMultifileConfigLoader
    from mpf.core.machine import MachineController

    config = YamlMultifileConfigLoader(
        machine_folder(), ["config.yaml"], True, True
    ).load_mpf_config()
    return MachineController(dict(OPTIONS), config)


def memory_kib():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") // 1024


async def measure(machine, count=400):
    """Switch on another thread → the light's driver; and how many switch events a second."""
    loop = asyncio.get_running_loop()
    light = machine.lights["l_marker"]
    shown, arrived = [0.0], threading.Event()
    drivers = [driver for channel in light.hw_drivers.values() for driver in channel]
    kind = type(drivers[0])
    original = kind.set_fade

    def watched(self, *arguments):
        shown[0] = time.perf_counter()
        arrived.set()
        return original(self, *arguments)

    kind.set_fade = watched
    lit = [False]

    def pressed(**kwargs):
        lit[0] = not lit[0]
        light.color("green" if lit[0] else "black", key="marker")

    machine.switch_controller.add_switch_handler("s_press", pressed)
    switch = machine.switches["s_press"]

    def flip(state):
        machine.switch_controller.process_switch_obj(switch, state, logical=True)

    times = []

    def thread():
        for _ in range(count):
            time.sleep(0.007)
            arrived.clear()
            start = time.perf_counter()
            loop.call_soon_threadsafe(flip, 1)
            if arrived.wait(1.0):
                times.append(shown[0] - start)
            loop.call_soon_threadsafe(flip, 0)

    worker = threading.Thread(target=thread)
    worker.start()
    while worker.is_alive():
        await asyncio.sleep(0.2)
    memory = memory_kib()
    rates = []
    for _ in range(10):
        start = time.process_time()
        for _ in range(500):
            flip(1)
            flip(0)
        rates.append(1000 / (time.process_time() - start))
    rate = max(rates)  # whatever else runs can only slow a slice down
    before = resource.getrusage(resource.RUSAGE_SELF)
    await asyncio.sleep(3.0)
    after = resource.getrusage(resource.RUSAGE_SELF)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "switch_to_light_us": statistics.median(times) * 1e6,
        "events_per_s": rate,
        "memory_kib": memory,
        "idle_cpu": used / 3.0,
        "idle_wakeups": (after.ru_nvcsw - before.ru_nvcsw) / 3.0,
    }


def main():
    machine = build()
    if not machine.initialize_mpf():
        sys.exit("the peer did not start")
    if "ready" in sys.argv:
        os._exit(0)

    async def run():
        print(json.dumps(await measure(machine)), flush=True)
        os._exit(0)

    machine.clock.loop.create_task(run())
    machine.clock.loop.run_forever()


if __name__ == "__main__":
    main()
