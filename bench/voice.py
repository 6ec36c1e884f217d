"""A press while the hub speaks and its clips are being made, in turn with a hub that keeps quiet.

    python -m bench.voice [--quick] [--json FILE]

The simulated board's sound is given the library of a sound card: clips are made by espeak-ng in
the process of its own that a real hub has, and each sentence is read from the card and put together
on a thread, as for a card. Only the loudspeaker is missing. Nothing here is a test.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from array import array
from itertools import count
from pathlib import Path
from queue import SimpleQueue

from msgspec.structs import replace

from bench.press import Rig
from hal.ports import Clip, Sentence
from hal.voice.library import Library

TURNS = 6
ROOT = Path(__file__).resolve().parent.parent


class Talker:
    """What a sound card's driver does with sentences, without the card."""

    def __init__(self, folder):
        self.library = Library(folder)
        self.said = 0
        self._sentences = SimpleQueue()
        threading.Thread(target=self._work, daemon=True).start()

    def say(self, sentence):
        seconds = self.library.seconds(sentence)
        if seconds:
            self._sentences.put(sentence)
        return seconds

    def prepare(self, sentence):
        self.library.prepare(sentence)

    def _work(self):
        while True:
            sentence = self._sentences.get()
            for clip in sentence.clips:
                mono = self.library.samples(sentence.language, clip)
                both = array("h", bytes(4 * len(mono)))
                both[0::2] = both[1::2] = mono
            self.said += 1


def speaking(rig, loop, talker):
    """Keep it busy: the standings over and over, and texts that nobody has said before.

    Gives a function that ends it.
    """
    done, number = threading.Event(), count()

    def talk():
        while not done.wait(0.2):
            loop.call_soon_threadsafe(rig.hub.read_aloud, "standings")
            clips = [Clip(f"card/{n}", f"text number {n}") for n in (next(number), next(number))]
            talker.prepare(Sentence("en", tuple(clips)))

    thread = threading.Thread(target=talk)
    thread.start()

    def stop():
        done.set()
        thread.join()

    return stop


def measured(folder, presses):
    """Seconds of presses and of whistles, silent and aloud, in turn."""
    talker = Talker(folder / "clips")
    rig = Rig(folder / "table.db")
    rig.board.sound.say, rig.board.sound.prepare = talker.say, talker.prepare

    def aloud(loop, on):
        chosen = replace(rig.hub.preferences, aloud=on)
        loop.call_soon_threadsafe(rig.hub.set_preferences, chosen)
        time.sleep(0.3)

    def finger(rig, loop):
        found = {"press": [], "press_aloud": [], "whistle": [], "whistle_aloud": []}
        warm = Sentence("en", (Clip("phrase/no-round-has-been-counted-yet", "No round yet"),))
        while talker.library.seconds(warm) is None:
            time.sleep(0.1)
        for what, press in (("press", rig.press), ("whistle", rig.whistle)):
            for _ in range(TURNS):
                aloud(loop, False)
                found[what] += [press() for _ in range(presses)]
                aloud(loop, True)
                stop = speaking(rig, loop, talker)
                found[f"{what}_aloud"] += [press() for _ in range(presses)]
                stop()
        return found

    try:
        found = rig.run(finger)
    finally:
        talker.library.close()
    medians = {f"{name}_us": statistics.median(times) * 1e6 for name, times in found.items()}
    return medians | {"said": talker.said, "clips": len(talker.library._made)}


def memory(folder, aloud):
    """The hub's own memory in MB after a while of presses, with or without a voice."""
    talker = Talker(folder / "clips") if aloud else None
    rig = Rig(folder / "table.db")
    if talker is not None:
        rig.board.sound.say, rig.board.sound.prepare = talker.say, talker.prepare
    rig.hub.set_preferences(replace(rig.hub.preferences, aloud=aloud))

    def finger(rig, loop):
        stop = speaking(rig, loop, talker) if talker is not None else lambda: None
        for _ in range(100):
            rig.press()
        stop()
        status = Path("/proc/self/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    try:
        return rig.run(finger)
    finally:
        if talker is not None:
            talker.library.close()


def apart(how):
    """The memory of a process that did nothing else."""
    words = [sys.executable, "-m", "bench.voice", "--memory", how]
    return float(subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout)


def main():
    parser = argparse.ArgumentParser(prog="python -m bench.voice")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--memory", choices=("silent", "aloud"))
    options = parser.parse_args()
    if shutil.which("espeak-ng") is None:
        sys.exit("espeak-ng is not installed")
    with tempfile.TemporaryDirectory() as folder:
        if options.memory:
            print(memory(Path(folder), options.memory == "aloud"))
            return
        found = measured(Path(folder), 15 if options.quick else 60)
    found |= {"silent_mb": apart("silent"), "aloud_mb": apart("aloud")}
    print(json.dumps(found, indent=1))
    if options.json:
        options.json.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
