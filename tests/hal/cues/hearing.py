"""Figures of the cues as older ears and small loudspeakers have them: energy, partials, pulses.

    python -m tests.hal.cues.hearing docs    writes docs/cues.md and docs/cues.svg

Energy is A-weighted. People over 65 hear best between 400 and 2,000 Hz, in pulses.
"""

import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hal.cues import RATE, samples
from hal.cues.cue_recipes import RECIPES
from hal.ports import CUES

Sound = NDArray[np.float64]

CLEAR = (400, 2000)
"""The frequencies that older ears hear best, in Hz."""
FRAME = round(0.03 * RATE)
THIRDS = 300 * 2 ** (np.arange(11) / 3)
"""Bounds of the bands in which cues are compared: thirds of an octave, 300 to 3,000 Hz."""
LATE = 0.1
"""A cue is recognized whenever it begins within this time, in seconds."""
ROOM = round((2.5 + LATE + 0.1) * RATE)
"""Samples that hold the longest cue, begun late."""


class CueFigures(NamedTuple):
    """Figures of how clearly a cue is heard."""

    clear: float
    """The share of its energy between 400 and 2,000 Hz."""
    partials: int
    """Peaks of its spectrum within 20 dB of the highest, at least a tone apart."""
    pulses: int
    """Rises of the level by 6 dB out of a dip."""


@cache
def sound(cue: str) -> Sound:
    """Return a cue's samples."""
    return np.array(samples(cue), float)


def figures(cue: str) -> CueFigures:
    """Measure a cue."""
    frequencies, energy = spectrum(sound(cue))
    inside = (frequencies >= CLEAR[0]) & (frequencies < CLEAR[1])
    clear = float(energy[inside].sum() / energy.sum())
    return CueFigures(clear, len(peaks(frequencies, energy)), pulses(level(sound(cue))))


def spectrum(wave: Sound) -> tuple[Sound, Sound]:
    """Return frequencies, and the A-weighted energy (IEC 61672) at each."""
    frequencies = np.fft.rfftfreq(len(wave), 1 / RATE)
    f2 = np.maximum(frequencies, 1e-9) ** 2
    weight = 12194**2 * f2**2 / (f2 + 20.6**2) / (f2 + 12194**2)
    weight /= np.sqrt((f2 + 107.7**2) * (f2 + 737.9**2))
    return frequencies, np.abs(np.fft.rfft(wave) * weight) ** 2


def peaks(frequencies: Sound, energy: Sound) -> list[float]:
    """Return the frequencies that stand out, lowest first."""
    bounds = 200 * 2 ** (np.arange(129) / 24)
    parts = [energy[(frequencies >= a) & (frequencies < b)] for a, b in pairwise(bounds)]
    highest = np.array([part.max(initial=0) for part in parts])
    return [
        float(bounds[i])
        for i, value in enumerate(highest)
        if value > highest.max() / 100 and value == highest[max(0, i - 2) : i + 3].max()
    ]


def level(wave: Sound, seconds: float = 0.02) -> Sound:
    """Return the level in short frames, as a share of the highest."""
    frame = round(seconds * RATE)
    frames = wave[: len(wave) // frame * frame].reshape(-1, frame)
    levels: Sound = np.sqrt((frames**2).mean(1))
    return levels / levels.max()


def pulses(levels: Sound) -> int:
    """Count the rises by 6 dB to at least a third of the highest level."""
    found, low, high, rising = 0, 0.0, 0.0, True
    for value in levels:
        low, high = min(low, value), max(high, value)
        if rising and value >= max(2 * low, 1 / 3):
            found, rising, high = found + 1, False, value
        elif not rising and value <= high / 2:
            rising, low = True, value
    return found


def picture(wave: Sound) -> Sound:
    """Return the level in each band and frame: spectrum and rhythm at once."""
    frames = wave[: len(wave) // FRAME * FRAME].reshape(-1, FRAME) * np.hanning(FRAME)
    energy = np.abs(np.fft.rfft(frames, axis=1)) ** 2
    frequencies = np.fft.rfftfreq(FRAME, 1 / RATE)
    bands = [(frequencies >= a) & (frequencies < b) for a, b in pairwise(THIRDS)]
    levels: Sound = np.sqrt(np.stack([energy[:, band].sum(1) for band in bands], 1))
    # What is there all the time is the room, not the cue.
    return np.maximum(levels - np.median(levels, axis=0), 0)


def begun(wave: Sound, at: float) -> Sound:
    """Return a cue in silence, begun after some seconds."""
    first = round(at * RATE)
    room = np.zeros(ROOM)
    room[first : first + len(wave)] = wave
    return room


@cache
def known() -> dict[str, list[Sound]]:
    """Return the pictures of each cue, begun at any moment."""
    times = np.arange(0, LATE, FRAME / RATE / 2)
    return {cue: [picture(begun(sound(cue), at)) for at in times] for cue in CUES}


def recognized(heard: Sound) -> str:
    """Return the cue that is nearest to a recording."""
    seen = picture(heard)

    def likeness(template: Sound) -> float:
        return float((seen * template).sum() / np.sqrt((template**2).sum()))

    return max(CUES, key=lambda cue: max(map(likeness, known()[cue])))


@cache
def crowd() -> Sound:
    """Return ten seconds of eight people who talk at once."""
    rng, length = np.random.default_rng(1), 10 * RATE
    at, room = np.arange(length) / RATE, np.zeros(length)
    frequencies = np.fft.rfftfreq(length, 1 / RATE)
    for _ in range(8):
        sway = 1 + 0.08 * np.sin(2 * np.pi * rng.uniform(1, 3) * at + rng.uniform(0, 7))
        turn = 2 * np.pi * np.cumsum(rng.uniform(90, 230) * sway) / RATE
        voice = sum(np.cos(k * turn) / k**0.6 for k in range(1, 25)) + rng.normal(0, 0.5, length)
        formants = ((rng.uniform(350, 800), 200), (rng.uniform(900, 2200), 300), (2600, 500))
        mouth = sum(np.exp(-(((frequencies - f) / width) ** 2)) for f, width in formants) + 0.05
        spoken = np.fft.irfft(np.fft.rfft(voice) * mouth, length)
        syllables = np.sort(rng.uniform(0, at[-1], 80))
        room += spoken / np.std(spoken) * np.interp(at, syllables, rng.uniform(0, 1, 80))
    return room


def in_babble(cue: str, rng: np.random.Generator, ratio_db: float = 0.0) -> Sound:
    """Return a cue among voices; its mean level is `ratio_db` above theirs."""
    wave = sound(cue)
    first = rng.integers(len(crowd()) - ROOM)
    voices = crowd()[first : first + ROOM]
    gain = np.sqrt(np.mean(wave**2) / np.mean(voices**2)) / 10 ** (ratio_db / 20)
    mixed: Sound = begun(wave, rng.uniform(0, 0.09)) + gain * voices
    return mixed


def table() -> Iterator[str]:
    yield "| cue | is | seconds | energy from 400 to 2,000 Hz | partials | pulses |"
    yield "| --- | --- | ---: | ---: | ---: | ---: |"
    for cue in CUES:
        recipe, (clear, partials, beats) = RECIPES[cue], figures(cue)
        yield (
            f"| `{cue}` | {recipe.character} | {recipe.seconds:.2f} "
            f"| {clear:.0%} | {partials} | {beats} |"
        )


def document() -> str:
    """Return docs/cues.md."""
    return "\n".join(
        (
            "# Cues",
            "",
            "Each cue is synthesized by `hal/cues/`, and all are equally loud.",
            "People over 65 hear best from 400 to 2,000 Hz, and pulses better than a long note.",
            "A small loudspeaker plays little below 400 Hz.",
            "So most of each cue lies there, with several partials, in case one of them is masked.",
            "Among voices as loud as itself, each cue is still told from all others by its "
            "notes and its rhythm (`tests/hal/cues/test_hearing.py`).",
            "",
            "![The level of each cue over time, and its energy in thirds of an octave](cues.svg)",
            "",
            *table(),
            "",
            "Energy is A-weighted.",
            "Partials are peaks of the spectrum within 20 dB of the highest.",
            "A pulse is a rise of the level by 6 dB.",
            "`python -m tests.hal.cues.hearing docs` writes this page.",
            "",
        )
    )


def chart() -> str:
    """Return docs/cues.svg: a row for each cue, its level over time beside its spectrum."""
    row, left, scale, right = 44, 100, 200, 640
    bounds = 100 * 2 ** (np.arange(19) / 3)
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" '
        f'viewBox="0 0 {right + 250} {row * len(CUES) + 40}" '
        'font-family="sans-serif" font-size="14">',
        '<rect width="100%" height="100%" fill="#fff"/>',
        f'<text x="{left}" y="20" fill="#555">level, 2.5 s</text>',
        f'<text x="{right}" y="20" fill="#555">energy from 100 to 6,400 Hz</text>',
    ]
    for n, cue in enumerate(CUES):
        base = 36 + row * (n + 1) - 10
        parts.append(f'<text x="8" y="{base}">{cue}</text>')
        points = [
            f"{left + scale * 0.02 * i:.1f},{base - 32 * v:.1f}"
            for i, v in enumerate(level(sound(cue)))
        ]
        end = points[-1].partition(",")[0]
        area = " ".join((f"{left},{base}", *points, f"{end},{base}"))
        parts.append(f'<polygon points="{area}" fill="#b8860b"/>')
        frequencies, energy = spectrum(sound(cue))
        bands = [energy[(frequencies >= a) & (frequencies < b)].sum() for a, b in pairwise(bounds)]
        for i, band in enumerate(bands):
            height = max(0.0, 32 + 10 * float(np.log10(band / max(bands) + 1e-9)))
            colour = "#2e7d32" if CLEAR[0] <= bounds[i] * 2 ** (1 / 6) < CLEAR[1] else "#999"
            parts.append(
                f'<rect x="{right + 13 * i}" y="{base - height:.1f}" width="11" '
                f'height="{height:.1f}" fill="{colour}"/>'
            )
    return "\n".join((*parts, "</svg>", ""))


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    (folder / "cues.md").write_text(document())
    (folder / "cues.svg").write_text(chart())
