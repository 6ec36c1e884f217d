"""A voice is a folder: `voice.toml`, and a WAV file for each clip by its key.

    voice.toml            language, licence, loudness: who may use it, and how loud it is
    number/47.wav         numbers, as `centerpiece voice record-list` names them
    phrase/starts.wav     phrases, or what stands between their gaps
    seat/3.wav            seats
    name/cara.wav         names: as many as people like

What is missing is said by the synthesizer.
"""

import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from hal.cues import LOUDNESS
from hal.cues.loudness import OFFSET, loudest_moment
from hal.device_errors import WiringError
from hal.voice import clips

MANIFEST = "voice.toml"
TOO_LOUD = 12.0
"""LKFS above the cues at which a recording is said to be too loud (it would be turned down)."""
TOO_SOFT = 25.0
CLIPPED = 3
"""So many full samples one after the other are no accident."""
LONGEST_S = 8.0


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`voice.toml`."""

    language: str
    licence: str
    loudness: float = LOUDNESS
    """LKFS, of the loudest moment of every clip once it is finished."""
    name: str = ""


class Finding(NamedTuple):
    """What is wrong with a clip."""

    key: str
    wrong: str


def manifest(folder: Path) -> Manifest:
    """What a voice says about itself."""
    path = folder / MANIFEST
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Manifest)
    except OSError as error:
        raise WiringError(
            f"{path} cannot be read ({error.strerror})",
            'write it: language = "en", licence = "ours"',
        ) from None
    except (ValueError, msgspec.ValidationError) as error:
        raise WiringError(
            f"{path} does not fit ({error})", 'write it: language = "en", licence = "ours"'
        ) from None


def recordings(folder: Path) -> dict[str, Path]:
    """The clips of a voice, by their keys."""
    found = sorted(folder.glob("*/*.wav"))
    return {path.relative_to(folder).with_suffix("").as_posix(): path for path in found}


def check(folder: Path, vocabulary: Mapping[str, str]) -> Iterator[Finding]:
    """What is missing, unknown, silent, clipped, too loud, too soft or too long."""
    found = recordings(folder)
    for key, text in vocabulary.items():
        if key not in found:
            yield Finding(key, f"missing: “{text}”")
    for key, path in found.items():
        if key not in vocabulary and not key.startswith("name/"):
            yield Finding(key, "there is no such key; `centerpiece voice record-list` lists them")
        yield from (Finding(key, wrong) for wrong in listened(path))


def listened(path: Path) -> Iterator[str]:
    """What is wrong with one recording."""
    try:
        sound, rate = clips.read(path)
    except clips.UnreadableClip as error:
        yield str(error)
        return
    heard = clips.trimmed(sound, rate)
    if not heard:
        yield "silent"
        return
    if _clipped(sound):
        yield "clipped: it was recorded too loud; hold the microphone further away"
    level = _loudness(heard, rate)
    if level > LOUDNESS + TOO_LOUD:
        yield f"too loud: {level:.0f} LKFS"
    elif level < LOUDNESS - TOO_SOFT:
        yield f"too soft: {level:.0f} LKFS"
    if len(heard) > LONGEST_S * rate:
        yield f"{len(heard) / rate:.1f} s long; {LONGEST_S:.0f} s is the limit"


def _clipped(sound: Sequence[float]) -> bool:
    run = 0
    for x in sound:
        run = run + 1 if abs(x) >= 0.999 else 0
        if run >= CLIPPED:
            return True
    return False


def _loudness(heard: Sequence[float], rate: int) -> float:
    return OFFSET + 10 * math.log10(loudest_moment(heard, rate))
