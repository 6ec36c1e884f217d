"""The cues as sound: all synthesized, equally loud to the ear, the same bytes every time.

Samples are 44.1 kHz, mono, 16 bit. Making a cue takes up to half a second on a desktop and far
longer on a small board, so callers keep the samples. Nothing here plays a sound.
`tones` has the building blocks and `cue_recipes` the recipe of each cue; this module adds
loudness, silent ends and file formats. Both are imported when a sound is asked for.
"""

import io
import os
import wave
from array import array

from hal.port_checks import check_cue
from hal.ports import TRACKS

__all__ = ["LOUDNESS", "RATE", "export", "samples", "wav"]

RATE = 44_100

LOUDNESS = -17.0
"""Loudness of the loudest moment of every cue, in LKFS."""

_FULL = 32768


def samples(cue: str) -> "array[int]":
    """Synthesize a cue as 16-bit samples; raise ValueError for an unknown name."""
    from hal.cues.cue_recipes import RECIPES
    from hal.cues.loudness import loudest_moment, power_at
    from hal.cues.tones import faded, lasting

    check_cue(cue)
    recipe = RECIPES[cue]
    dry = lasting(recipe.synthesize(), recipe.seconds)
    sound = faded(recipe.place(dry))
    gain = (power_at(LOUDNESS) / loudest_moment(sound, RATE)) ** 0.5 * _FULL
    return array("h", (round(gain * x) for x in sound))


def wav(cue: str) -> bytes:
    """Synthesize a cue as a WAV file."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(samples(cue))
    return out.getvalue()


def export(directory: str | os.PathLike[str]) -> list[str]:
    """Write all cues as files for a sound module's card into `directory`; return the paths written.

    The module plays `/mp3/0001.wav` and so on by number; `cues.txt` lists them for people. Files
    that are there are overwritten.
    """
    folder = os.path.join(directory, "mp3")
    os.makedirs(folder, exist_ok=True)
    written = []
    for cue, track in TRACKS.items():
        path = os.path.join(folder, f"{track:04}.wav")
        with open(path, "wb") as file:
            file.write(wav(cue))
        written.append(path)
    index = os.path.join(directory, "cues.txt")
    with open(index, "w", encoding="utf-8", newline="\r\n") as text:
        text.writelines(f"{line}\n" for line in _index())
    return [*written, index]


def _index() -> list[str]:
    from hal.cues.cue_recipes import RECIPES

    return [
        f"mp3/{track:04}.wav  {cue:8}  {RECIPES[cue].seconds:.2f} s  {RECIPES[cue].character}"
        for cue, track in TRACKS.items()
    ]
