"""A clip as sound: read from any recording, made equally loud, joined with others.

Whatever a clip comes from, a synthesizer or a family's phone, it is finished in the same way:
silence cut off at both ends, as loud to the ear as the cues, faded so that nothing clicks where
two are joined. Samples are 44.1 kHz, mono, 16 bit, as those of the cues.
"""

import os
import sys
import wave
from array import array
from collections.abc import Iterable, Sequence
from math import copysign, tanh
from pathlib import Path

from hal.cues import LOUDNESS, RATE
from hal.cues.loudness import loudest_moment, power_at

FULL = 32768
PEAK, KNEE = 0.89, 0.7
"""As loud as a sample may be: 1 dB below full. What is louder than the knee is pressed below it."""
SILENCE = 0.01
"""Of the highest sample: what is quieter at the ends is cut off."""
MARGIN_S, FADE_S = 0.01, 0.006
"""What is left of the silence at the ends, and how long a clip takes to come and go."""
HEADER = 44
"""Bytes of a WAV file before its samples."""


class UnreadableClip(ValueError):
    """A recording that cannot be used; it says why."""


def read(path: Path) -> tuple[list[float], int]:
    """A recording as samples from -1 to 1, and their rate; two channels become one."""
    try:
        with wave.open(str(path), "rb") as file:
            channels, width = file.getnchannels(), file.getsampwidth()
            rate, data = file.getframerate(), file.readframes(file.getnframes())
    except (wave.Error, EOFError, OSError) as error:
        raise UnreadableClip(f"{path} is not a WAV file ({error}); save as WAV, 16 bit") from None
    if width != 2:
        raise UnreadableClip(f"{path} has {8 * width} bits a sample; save it with 16 bit")
    samples = array("h", data[: len(data) // 2 * 2])
    if sys.byteorder == "big":
        samples.byteswap()
    one = [sum(samples[n : n + channels]) for n in range(0, len(samples), channels)]
    return [x / (FULL * channels) for x in one], rate


def finished(sound: Sequence[float], rate: int) -> "array[int]":
    """The clip as it is played; nothing for a recording in which nothing is heard."""
    heard = trimmed(sound, rate)
    if not heard:
        return array("h")
    gain = (power_at(LOUDNESS) / loudest_moment(heard, rate)) ** 0.5
    loud = resampled(limited([gain * x for x in heard]), rate)
    return array("h", (round(FULL * x) for x in faded(loud)))


def limited(sound: Sequence[float]) -> Sequence[float]:
    """With its peaks pressed down, softly: one pop must not make all the rest of a clip faint."""
    if max(map(abs, sound)) <= KNEE:
        return sound
    room = PEAK - KNEE

    def pressed(x: float) -> float:
        return x if abs(x) <= KNEE else copysign(KNEE + room * tanh((abs(x) - KNEE) / room), x)

    return list(map(pressed, sound))


def trimmed(sound: Sequence[float], rate: int) -> Sequence[float]:
    """Without the silence before and after it, but for a moment."""
    quiet = SILENCE * max(map(abs, sound), default=0.0)
    loud = [n for n, x in enumerate(sound) if abs(x) > quiet]
    if not loud or quiet < SILENCE * 0.001:
        return []
    margin = round(MARGIN_S * rate)
    return sound[max(0, loud[0] - margin) : loud[-1] + margin]


def resampled(sound: Sequence[float], rate: int) -> Sequence[float]:
    """At the rate of the cues; between two samples lies a straight line."""
    if rate == RATE:
        return sound
    step, last = rate / RATE, len(sound) - 1
    out = []
    for n in range(int(last / step)):
        whole = int(place := n * step)
        out.append(sound[whole] + (place - whole) * (sound[whole + 1] - sound[whole]))
    return out


def faded(sound: Sequence[float]) -> list[float]:
    """It begins and ends in silence."""
    out, length = list(sound), min(round(FADE_S * RATE), len(sound) // 2)
    for n in range(length):
        out[n] *= n / length
        out[-1 - n] *= n / length
    return out


def write(path: Path, samples: "array[int]") -> None:
    """Keep a clip; whoever looks sees all of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}.part")
    try:
        with wave.open(str(part), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(RATE)
            file.writeframes(samples)
        os.replace(part, path)
    except OSError:
        part.unlink(missing_ok=True)  # on a full disk the journal needs what room there is
        raise


def kept(path: Path) -> "array[int]":
    """A clip that was written here."""
    samples = array("h", path.read_bytes()[HEADER:])
    if sys.byteorder == "big":
        samples.byteswap()
    return samples


def whole(size: int) -> bool:
    """Whether a file of so many bytes can be a clip; a power cut may leave one that is empty."""
    return size > HEADER and size % 2 == 0


def seconds(size: int) -> float:
    """How long a clip is whose file has so many bytes."""
    return max(0, size - HEADER) / (2 * RATE)


def size(seconds: float) -> int:
    """How many bytes the file of a clip of this length has."""
    return HEADER + 2 * round(seconds * RATE)


def joined(parts: Iterable[tuple["array[int]", float]]) -> "array[int]":
    """Clips and the pauses after them, as one sound."""
    whole = array("h")
    for samples, pause in parts:
        whole.extend(samples)
        whole.frombytes(bytes(2 * round(pause * RATE)))
    return whole
