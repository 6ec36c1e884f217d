"""A clip as sound: read from any recording, normalized, joined with others.

Clips of a synthesizer and recordings from a phone are finished alike: silence is cut off at both
ends, loudness is that of the cues, and short fades avoid clicks between two clips. Samples are
44.1 kHz, mono, 16 bit, as those of the cues.
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
"""The highest sample, 1 dB below full, and the level above which peaks are compressed below it."""
PASSES = 3
"""Compressing the peaks takes some loudness, which is made up for so many times less one."""
SILENCE = 0.01
"""Fraction of the highest sample below which both ends count as silence."""
MARGIN_S, FADE_S = 0.01, 0.006
"""The silence kept at both ends, and the length of the fades."""
HEADER = 44
"""Size of a WAV file's header."""


class UnreadableClip(ValueError):
    """A recording that cannot be used."""


def read(path: Path) -> tuple[list[float], int]:
    """Read a WAV file as samples from -1 to 1 and their rate; several channels become their mean.

    Raise UnreadableClip for any other file, and for samples of other than 16 bits.
    """
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
    """Return a recording trimmed, levelled, resampled and faded, ready to play; empty if silent.

    `sound` has samples from -1 to 1, `rate` of them in a second.
    """
    trimmed_sound = trimmed(sound, rate)
    if not trimmed_sound:
        return array("h")
    loud = resampled(levelled(trimmed_sound, rate), rate)
    return array("h", (round(FULL * x) for x in faded(loud)))


def levelled(sound: Sequence[float], rate: int) -> Sequence[float]:
    """Return a sound as loud as the cues, with its peaks compressed where that needs it.

    The compressing makes it softer, so both are repeated up to `PASSES` times.
    """
    for _ in range(PASSES):
        gain = (power_at(LOUDNESS) / loudest_moment(sound, rate)) ** 0.5
        sound = [gain * x for x in sound]
        if max(map(abs, sound)) <= KNEE:
            break
        sound = limited(sound)
    return sound


def limited(sound: Sequence[float]) -> Sequence[float]:
    """Compress the peaks softly, so that one pop does not make the rest of a clip faint.

    A sound without a value above `KNEE` is returned as it is.
    """
    if max(map(abs, sound)) <= KNEE:
        return sound
    room = PEAK - KNEE

    def pressed(x: float) -> float:
        return x if abs(x) <= KNEE else copysign(KNEE + room * tanh((abs(x) - KNEE) / room), x)

    return list(map(pressed, sound))


def trimmed(sound: Sequence[float], rate: int) -> Sequence[float]:
    """Cut off the silence at both ends, except for a margin; empty if all is silence.

    Silence is what lies below a part (`SILENCE`) of the loudest sample.
    """
    quiet = SILENCE * max(map(abs, sound), default=0.0)
    loud = [n for n, x in enumerate(sound) if abs(x) > quiet]
    if not loud or quiet < SILENCE * 0.001:
        return []
    margin = round(MARGIN_S * rate)
    return sound[max(0, loud[0] - margin) : loud[-1] + margin]


def resampled(sound: Sequence[float], rate: int) -> Sequence[float]:
    """Turn a sound of `rate` samples a second into the rate of the cues, by interpolation."""
    if rate == RATE:
        return sound
    step, last = rate / RATE, len(sound) - 1
    out = []
    for n in range(int(last / step)):
        whole = int(place := n * step)
        out.append(sound[whole] + (place - whole) * (sound[whole + 1] - sound[whole]))
    return out


def faded(sound: Sequence[float]) -> list[float]:
    """Fade in and out, each over `FADE_S` seconds, or over half of a shorter sound."""
    out, length = list(sound), min(round(FADE_S * RATE), len(sound) // 2)
    for n in range(length):
        out[n] *= n / length
        out[-1 - n] *= n / length
    return out


def write(path: Path, samples: "array[int]") -> None:
    """Write a WAV file, whole or not at all; make its folder. Raise OSError if that fails."""
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
        part.unlink(missing_ok=True)  # on a full disk the journal needs the room
        raise


def load(path: Path) -> "array[int]":
    """Load the samples of a file that `write` has written; another gives noise, not an error."""
    samples = array("h", path.read_bytes()[HEADER:])
    if sys.byteorder == "big":
        samples.byteswap()
    return samples


def is_complete(size: int) -> bool:
    """Tell whether a file of this size can be a clip; a power cut may leave an empty one."""
    return size > HEADER and size % 2 == 0


def seconds(size: int) -> float:
    """Return the length of the clip in a file of this size."""
    return max(0, size - HEADER) / (2 * RATE)


def size(seconds: float) -> int:
    """Return the size of the file of a clip of this length."""
    return HEADER + 2 * round(seconds * RATE)


def joined(parts: Iterable[tuple["array[int]", float]]) -> "array[int]":
    """Join clips, each followed by a silence of so many seconds."""
    whole = array("h")
    for samples, pause in parts:
        whole.extend(samples)
        whole.frombytes(bytes(2 * round(pause * RATE)))
    return whole
