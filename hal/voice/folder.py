"""A voice is a folder: `voice.toml`, and a WAV file for each clip by its key.

    voice.toml            language, licence, loudness of the clips
    number/47.wav         numbers, as `centerpiece voice record-list` names them
    phrase/starts.wav     phrases, or the parts between their gaps
    seat/3.wav            seats
    name/cara.wav         names: as many as people like

Missing clips are made by the synthesizer.
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
"""LKFS above the cues from which a recording counts as too loud."""
TOO_SOFT = 25.0
CLIPPED = 3
"""The number of full samples in a row that count as clipping."""
LONGEST_S = 8.0


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`voice.toml`."""

    language: str
    licence: str
    loudness: float = LOUDNESS
    """LKFS of the loudest moment of every finished clip."""
    name: str = ""


class Finding(NamedTuple):
    """A fault of a clip."""

    key: str
    fault: str


def manifest(folder: Path) -> Manifest:
    """Read a voice's manifest from its folder; raise WiringError if missing or unfit."""
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
    """Return the recordings of a voice by their keys, such as `number/47`."""
    paths = sorted(folder.glob("*/*.wav"))
    return {path.relative_to(folder).with_suffix("").as_posix(): path for path in paths}


def check(folder: Path, vocabulary: Mapping[str, str]) -> Iterator[Finding]:
    """Yield the faults of a voice: clips missing, unknown, silent, clipped, too loud, soft or long.

    `vocabulary` has the text of each key that is to be recorded; any name may be recorded, and none
    must be. A clip may have several faults.
    """
    by_key = recordings(folder)
    for key, text in vocabulary.items():
        if key not in by_key:
            yield Finding(key, f"missing: “{text}”")
    for key, path in by_key.items():
        if key not in vocabulary and not key.startswith("name/"):
            yield Finding(key, "there is no such key; `centerpiece voice record-list` lists them")
        yield from (Finding(key, fault) for fault in recording_faults(path))


def recording_faults(path: Path) -> Iterator[str]:
    """Yield the faults of one recording, as phrases; if it is unreadable or silent, only that."""
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
    """Return whether at least `CLIPPED` samples in a row are at full level."""
    run = 0
    for x in sound:
        run = run + 1 if abs(x) >= 0.999 else 0
        if run >= CLIPPED:
            return True
    return False


def _loudness(sound: Sequence[float], rate: int) -> float:
    return OFFSET + 10 * math.log10(loudest_moment(sound, rate))
