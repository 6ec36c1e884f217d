"""The peer: Mission Pinball Framework on its virtual platform, a switch that toggles a light.

Run by an interpreter that has `mpf` installed (`make bench` prepares one). Its quickest
set-up: configuration cached, no text interface, no media controller, logging off, the handler in
code. Prints one line of JSON. With `ready` as argument it exits as soon as the machine has started.
"""

import asyncio
import json
import logging
import os
import sys
import tempfile
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
OFF = "bcp text_ui production no_load_cache force_assets_load jsonlogging platform_integration_test"
OPTIONS = dict.fromkeys(OFF.split(), False) | {
    "force_platform": "virtual",
    "create_config_cache": True,
    "configfile": ["config.yaml"],
}


def build():
    """Build the machine, in a folder that is kept, so that its configuration is cached."""
    logging.disable(logging.CRITICAL)
    from mpf.core.config_loader import YamlMultifileConfigLoader
    from mpf.core.machine import MachineController

    folder = Path(tempfile.gettempdir()) / "centerpiece-bench-peer"
    (folder / "config").mkdir(parents=True, exist_ok=True)
    (folder / "config" / "config.yaml").write_text(CONFIG)
    loader = YamlMultifileConfigLoader(str(folder), ["config.yaml"], True, True)
    return MachineController(OPTIONS, loader.load_mpf_config())


def measure(machine):
    """Return switch events a second, in the process's own time, and the memory held before."""
    light, switch = machine.lights["l_marker"], machine.switches["s_press"]
    lit = [False]

    def pressed(**kwargs):
        lit[0] = not lit[0]
        light.color("green" if lit[0] else "black", key="marker")

    def flip(state):
        machine.switch_controller.process_switch_obj(switch, state, logical=True)

    machine.switch_controller.add_switch_handler("s_press", pressed)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    rates = []
    for _ in range(10):
        start = time.process_time()
        for _ in range(500):
            flip(1)
            flip(0)
        rates.append(1000 / (time.process_time() - start))
    # Whatever else runs can only slow a slice down.
    return {"edges_per_s": max(rates), "memory_mb": pages * os.sysconf("SC_PAGESIZE") / 1e6}


def main():
    machine = build()
    if not machine.initialize_mpf():
        sys.exit("the peer did not start")
    if "ready" in sys.argv:
        os._exit(0)

    machine.clock.loop.run_until_complete(asyncio.sleep(0.5))
    print(json.dumps(measure(machine)), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
