"""A press while the hub speaks and its clips are being made, in turn with a hub that keeps quiet.

    python -m bench.voice [--quick] [--json FILE]

The hub has the driver of a sound card, and clips are made by espeak-ng in the process of its own
that a real hub has; only the loudspeaker is missing, since SDL plays into nothing here. While it is
quiet that process is stopped, so that what is left to be made does not go on behind its back.
Nothing here is a test.
"""

import argparse
import contextlib
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from itertools import count
from pathlib import Path

from msgspec.structs import replace

from bench.press import Rig
from centerpiece.speech.languages import language
from centerpiece.table.telling import Person, SpokenLine
from hal.cues import samples
from hal.hardware_settings import SoundSettings
from hal.health import unheard
from hal.ports import CUES, Clip, ClipSentence
from hal.sound.alsa_sound import AlsaSound
from hal.voice.library import Library
from sim.board import build

EACH = 10
"""Presses before it is the other's turn."""
READY_S = 60.0
TALKS_S = 0.1
"""How often something new is to be made, which takes longer, and a sentence begun that was over."""
ROOT = Path(__file__).resolve().parent.parent
HAND = SpokenLine("hand.blank", {"name": Person("Ann", 1), "points": 247})
SAID = ClipSentence("en", language("en").say([SpokenLine("tiles", {"tiles": 15}), HAND]).clips)


class Speaker(AlsaSound):
    """A sound card's driver that knows what it says, and tells when a cue begins to sound."""

    def __init__(self, library):
        self.listeners, self.said, self.speaks_until = [], 0, 0.0
        super().__init__(SoundSettings(driver="alsa"), unheard, samples, library=library)

    def say(self, sentence):
        seconds = super().say(sentence)
        self.said += bool(seconds)
        self.speaks_until = time.monotonic() + (seconds or 0.0)
        return seconds

    def _sound(self, cue):
        super()._sound(cue)
        self.speaks_until = 0.0
        for listener in self.listeners:
            listener(cue, 1.0)

    def get_ready(self, sentences):
        """Wait for the cues to be loaded, and for clips to be made."""
        end = time.monotonic() + READY_S
        while len(self._sounds) < len(CUES) or not all(map(self.say, sentences)):
            if time.monotonic() > end:
                raise RuntimeError(f"after {READY_S:.0f} s the clips have not been made")
            time.sleep(0.1)


@contextlib.contextmanager
def silence(rig, loop, speaker, library):
    """Nothing is said, and nothing is made."""
    prefer(rig, loop, aloud=False)
    library._process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        library._process.send_signal(signal.SIGCONT)


@contextlib.contextmanager
def speech(rig, loop, speaker, library):
    """The hub composes, the driver puts sentence after sentence together, clips are made."""
    prefer(rig, loop, aloud=True)
    done = threading.Event()

    def talk():
        while not done.wait(TALKS_S):
            if time.monotonic() > speaker.speaks_until:
                loop.call_soon_threadsafe(rig.hub.read_aloud, "standings")
                speaker.say(SAID)
            text = f"text number {next(speech.texts)}"
            speaker.prepare(ClipSentence("en", (Clip(f"card/{text}", text),)))

    thread = threading.Thread(target=talk)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


speech.texts = count()


def prefer(rig, loop, aloud):
    loop.call_soon_threadsafe(rig.hub.set_preferences, replace(rig.hub.preferences, aloud=aloud))
    time.sleep(0.1)


def hub(folder, library):
    """A hub with a voice, and that voice."""
    speaker = Speaker(library)
    return Rig(folder / "table.db", build()._replace(sound=speaker)), speaker


def measured(folder, turns):
    """Medians of presses and of whistles, silent and aloud, in turn."""
    library = Library(folder / "clips")
    rig, speaker = hub(folder, library)

    def finger(rig, loop):
        found = {"press": [], "press_aloud": [], "whistle": [], "whistle_aloud": []}
        speaker.get_ready([SAID])
        # Whistles last: each asks for a seat, and the next seat pressed would answer.
        for what, press in (("press", rig.press), ("whistle", rig.whistle)):
            for _ in range(turns):
                for how, name in ((silence, what), (speech, f"{what}_aloud")):
                    with how(rig, loop, speaker, library):
                        found[name] += [press() for _ in range(EACH)]
        return found

    found = rig.run(finger)
    medians = {f"{name}_us": statistics.median(times) * 1e6 for name, times in found.items()}
    return medians | {"said": speaker.said, "clips": len(library._made)}


def memory(folder, aloud):
    """The hub's own memory in MB after a while of presses, with or without a voice."""
    library = Library(folder / "clips") if aloud else None
    rig, speaker = hub(folder, library)

    def finger(rig, loop):
        speaker.get_ready([SAID] if aloud else [])
        with speech(rig, loop, speaker, library) if aloud else contextlib.nullcontext():
            for _ in range(10 * EACH):
                rig.press()
        status = Path("/proc/self/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    return rig.run(finger)


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
    os.environ["SDL_AUDIODRIVER"] = "dummy"
    with tempfile.TemporaryDirectory() as folder:
        if options.memory:
            print(memory(Path(folder), options.memory == "aloud"))
            return
        found = measured(Path(folder), 4 if options.quick else 12)
    found |= {"silent_mb": apart("silent"), "aloud_mb": apart("aloud")}
    print(json.dumps(found, indent=1))
    if options.json:
        options.json.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
