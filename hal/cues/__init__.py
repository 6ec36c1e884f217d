"""The cues as sound: every one synthesized, equally loud to the ear, the same bytes every time.

Samples are 44.1 kHz, mono, 16 bit. Making one takes up to half a second on a desktop and far
longer on a small board, so whoever plays them keeps what they got. Nothing here plays a sound.
`tones` is what sound is made of, `voices` what each cue sounds like; here it gets its loudness,
its silent ends and its form as a file. They are loaded when a sound is asked for: a hub whose
sounds lie on a card needs no more than `track`.
"""

import os
import struct
import sys
from array import array

from hal.ports import CUES

__all__ = ["LOUDNESS", "RATE", "SEMITONES", "export", "samples", "track", "wav"]

RATE = 44_100

LOUDNESS = -17.0
"""The loudest moment of every cue, in LKFS."""

SEMITONES = 3.0
"""How far a table's pitch may lie from the middle, up or down."""

_FULL = 32768


def samples(cue: str, semitones: float = 0.0) -> "array[int]":
    """The cue as 16-bit samples, at the table's own pitch."""
    from hal.cues.loudness import loudest_moment, power_at
    from hal.cues.tones import faded, lasting
    from hal.cues.voices import VOICES

    voice = VOICES[_known(cue)]
    dry = lasting(voice.recipe(_factor(semitones)), voice.seconds)
    sound = faded(voice.place(dry))
    gain = (power_at(LOUDNESS) / loudest_moment(sound, RATE)) ** 0.5 * _FULL
    return array("h", (round(gain * x) for x in sound))


def wav(cue: str, semitones: float = 0.0) -> bytes:
    """The cue as the bytes of a WAV file."""
    sound = samples(cue, semitones)
    if sys.byteorder == "big":
        sound.byteswap()
    data = sound.tobytes()
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, RATE, 2 * RATE, 2, 16)
    body = b"WAVE" + form + struct.pack("<4sI", b"data", len(data)) + data
    return struct.pack("<4sI", b"RIFF", len(body)) + body


def track(cue: str) -> int:
    """The number of the cue's file on the sound module's card, from 1."""
    return CUES.index(_known(cue)) + 1


def export(directory: str | os.PathLike[str], semitones: float = 0.0) -> list[str]:
    """Write the cues as the sound module's card wants them; give the paths written.

    The module plays `/mp3/0001.wav` and so on by number; `cues.txt` tells a person which is which.
    """
    folder = os.path.join(directory, "mp3")
    os.makedirs(folder, exist_ok=True)
    written = []
    for cue in CUES:
        path = os.path.join(folder, f"{track(cue):04}.wav")
        with open(path, "wb") as file:
            file.write(wav(cue, semitones))
        written.append(path)
    index = os.path.join(directory, "cues.txt")
    with open(index, "w", encoding="utf-8", newline="\r\n") as text:
        text.writelines(f"{line}\n" for line in _index())
    return [*written, index]


def _index() -> list[str]:
    from hal.cues.voices import VOICES

    return [
        f"mp3/{track(cue):04}.wav  {cue:8}  {VOICES[cue].seconds:.2f} s  {VOICES[cue].character}"
        for cue in CUES
    ]


def _known(cue: str) -> str:
    if cue not in CUES:
        raise ValueError(f"no cue is called {cue!r}; the cues are {', '.join(CUES)}")
    return cue


def _factor(semitones: float) -> float:
    if not -SEMITONES <= semitones <= SEMITONES:
        raise ValueError(f"a pitch must be -3 to 3 semitones from the middle, not {semitones!r}")
    return float(2 ** (semitones / 12))
