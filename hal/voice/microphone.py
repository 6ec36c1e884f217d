"""Recordings with a microphone, by ALSA's own programs."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from hal.device_errors import DeviceMissing

RECORD = ("arecord", "-q", "-f", "S16_LE", "-r", "44100", "-c", "1")
PLAY = ("aplay", "-q")
CLOSING_S = 5.0


def check() -> None:
    """Raise DeviceMissing if nothing can be recorded here."""
    if shutil.which(RECORD[0]) is None:
        raise DeviceMissing("arecord is not installed", "run `sudo apt install alsa-utils`")


def record(path: Path, wait: Callable[[], object]) -> None:
    """Record into a file until `wait` returns; raise DeviceMissing if the microphone failed."""
    with subprocess.Popen([*RECORD, str(path)], stderr=subprocess.PIPE) as recorder:
        try:
            wait()
        finally:
            ended = recorder.poll()
            recorder.terminate()
            _, complaint = recorder.communicate(timeout=CLOSING_S)
    if ended is not None:
        raise DeviceMissing(
            f"the microphone cannot be used ({complaint.decode(errors='replace').strip()})",
            "plug one in; `arecord -l` lists those that are there",
        )


def play(path: Path) -> None:
    """Play a recording to its end; without a loudspeaker, do nothing."""
    if shutil.which(PLAY[0]) is not None:
        subprocess.run([*PLAY, str(path)], capture_output=True, check=False)
