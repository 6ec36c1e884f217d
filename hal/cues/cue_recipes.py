"""The recipe of each cue: a function that makes a signal, with its length and words.

A recipe chooses notes, timbres and envelopes only: loudness, fades and bytes are added when the
cue is finished. Most of the energy lies between 400 and 2,000 Hz: older ears hear best there, and
small loudspeakers play nothing lower. What calls for attention comes in pulses, and each cue has a
rhythm of its own, since a rhythm is heard through voices when notes are not.
"""

from collections.abc import Callable
from typing import NamedTuple

from hal.cues.tones import (
    Signal,
    band,
    curve,
    dull,
    far_away,
    in_a_room,
    lasting,
    mix,
    noise,
    pressed,
    shaped,
    sing,
    struck,
    wave,
    waver,
)
from hal.ports import CUE_SECONDS


class CueRecipe(NamedTuple):
    """A cue: its length, a description, the function that makes it, and the space it sounds in."""

    seconds: float
    character: str
    synthesize: Callable[[], Signal]
    place: Callable[[Signal], Signal] = in_a_room


# A steam whistle: a chime of three pipes on one valve.

_PIPE = (1.0, 0.22, 0.34, 0.1, 0.15, 0.05, 0.07, 0.02, 0.03)
_CHIME = ((1.0, 1.0), (1.26, 0.8), (1.498, 0.7))


def _blast(root: float, seconds: float, seed: int) -> Signal:
    """Return one blast of the whistle: the pitch climbs as pressure builds, then sags.

    `root` is the lowest pipe's pitch in Hz; `seed` chooses the noise of the steam.
    """
    shape = wave(*_PIPE)
    end = seconds - 0.09
    press = curve((0.0, 0.0), (0.07, 0.85), (0.16, 1.0), (end, 0.94), (seconds, 0.0))
    sway = curve((0.0, 0.93), (0.09, 1.0), (end, 1.0), (seconds, 0.95))
    hiss = noise(seconds, seed)
    breath = curve((0.0, 0.0), (0.02, 1.0), (0.15, 0.45), (end, 0.35), (seconds, 0.0))
    layers = [(0.0, 0.75, shaped(band(hiss, 4.1 * root, 0.7), breath))]
    for i, (ratio, level) in enumerate(_CHIME):
        pitch = waver([root * ratio * s for s in sway], 5.1 + 0.4 * i, 0.004)
        layers.append((0.0, level * 0.5, sing(shape, pitch, press)))
        layers.append((0.0, level * 1.1, shaped(band(hiss, root * ratio, 7.0), breath)))
    return mix(*layers)


def _chuff(seconds: float, seed: int) -> Signal:
    """A puff of steam out of the chimney."""
    puff = curve((0.0, 0.0), (0.012, 1.0), (0.05, 0.6), (seconds, 0.0))
    steam = noise(seconds, seed)
    body = mix((0.0, 1.6, band(steam, 420, 1.1)), (0.0, 0.8, band(steam, 1500, 0.6)))
    return shaped(body, puff)


def _whistle() -> Signal:
    return mix(
        (0.0, 0.9, _blast(523.3, 0.34, 11)),
        (0.37, 1.0, _blast(698.5, 0.63, 12)),
        (0.97, 1.8, _chuff(0.2, 13)),
    )


def _goodbye() -> Signal:
    return mix(
        (0.0, 0.9, _blast(466.2, 0.42, 21)),
        (0.44, 1.0, _blast(622.3, 0.8, 22)),
    )


# A rooster: a harsh throat behind the formants of a beak.

_SYLLABLES = (
    (0.0, ((0.0, 470.0), (0.06, 610.0), (0.16, 560.0)), 0.75),
    (0.205, ((0.0, 600.0), (0.05, 660.0), (0.13, 640.0)), 0.7),
    (0.375, ((0.0, 660.0), (0.1, 840.0), (0.2, 780.0)), 0.9),
    (0.61, ((0.0, 700.0), (0.14, 930.0), (0.36, 900.0), (0.7, 520.0)), 1.0),
)
_BEAK = ((1150.0, 5.0, 1.0), (2300.0, 5.0, 0.75), (3600.0, 5.0, 0.4))


def _rooster() -> Signal:
    throat = wave(*(1 / k**0.8 for k in range(1, 15)))
    layers = []
    for seed, (start, notes, level) in enumerate(_SYLLABLES, 31):
        seconds = notes[-1][0]
        tune = waver(curve(*notes), 27.0, 0.012, 0.5)
        swell = curve((0.0, 0.0), (0.025, 1.0), (0.55 * seconds, 0.85), (seconds, 0.0))
        rasp = dull(noise(seconds, seed), 90.0)
        hoarse = [a * (0.9 + 2.2 * r) for a, r in zip(swell, rasp, strict=True)]
        layers.append((start, level, sing(throat, tune, hoarse)))
    crow = mix(*layers)
    beak = [(0.0, level, band(crow, f, q)) for f, q, level in _BEAK]
    return mix((0.0, 0.12, crow), *beak)


def _chickie() -> Signal:
    """Two chirps that shoot up and stop short."""
    shape, layers = wave(1.0, 0.35, 0.12), []
    for start, top in ((0.0, 1350.0), (0.15, 1600.0)):
        tune = curve((0.0, 0.62 * top), (0.05, top), (0.08, 0.94 * top), (0.12, 0.7 * top))
        swell = curve((0.0, 0.0), (0.02, 0.8), (0.06, 1.0), (0.12, 0.0))
        layers.append((start, 1.0, sing(shape, tune, swell)))
    return mix(*layers)


# Things that are struck: wood, bells, bars.

_WOOD = ((1.0, 1.0, 0.046), (1.58, 0.75, 0.036), (2.41, 0.45, 0.024), (3.9, 0.25, 0.013))
_BELL = (
    (0.5, 0.2, 0.7),
    (1.0, 0.8, 0.5),
    (1.003, 0.3, 0.5),
    (1.19, 0.45, 0.4),
    (1.5, 0.2, 0.3),
    (2.0, 0.8, 0.36),
    (2.005, 0.3, 0.36),
    (2.66, 0.25, 0.18),
    (3.01, 0.22, 0.14),
    (4.17, 0.15, 0.07),
)
_GONG = (
    (0.5, 0.3, 0.8),
    (1.0, 1.0, 0.75),
    (1.004, 0.5, 0.7),
    (2.0, 0.35, 0.45),
    (2.76, 0.22, 0.22),
    (4.07, 0.08, 0.1),
)
_VIBRAPHONE = ((1.0, 1.0, 0.16), (1.002, 0.4, 0.16), (2.0, 0.3, 0.09), (3.0, 0.2, 0.06))
_MARIMBA = ((1.0, 1.0, 0.12), (2.0, 0.45, 0.09), (3.0, 0.3, 0.06), (4.0, 0.28, 0.05))
_CHIME_BAR = ((1.0, 1.0, 0.2), (1.003, 0.4, 0.2), (2.0, 0.5, 0.16), (2.76, 0.35, 0.12))
_CELESTA = (
    (1.0, 1.0, 0.24),
    (1.003, 0.4, 0.22),
    (2.0, 0.3, 0.14),
    (3.0, 0.12, 0.08),
    (4.0, 0.1, 0.05),
)


def _rap(pitch: float, seed: int) -> Signal:
    tap = shaped(band(noise(0.02, seed), 2100 * pitch, 0.8), curve((0.0, 1.0), (0.02, 0.0)))
    wood = mix((0.0, 1.0, struck(410 * pitch, 0.4, _WOOD, 0.0015)), (0.0, 0.7, tap))
    return pressed(wood, 0.7)


def _knock() -> Signal:
    return mix((0.0, 1.0, _rap(1.0, 41)), (0.19, 0.92, _rap(0.97, 42)))


def _round() -> Signal:
    """Three strokes; each new one damps most of the ringing."""
    ringing = struck(784.0, 1.26, _BELL, 0.003)
    held = shaped(ringing, curve((0.0, 1.0), (0.415, 1.0), (0.46, 0.25), (0.84, 0.0)))
    return mix((0.0, 0.94, held), (0.42, 0.97, held), (0.84, 1.0, ringing))


def _time() -> Signal:
    return mix(
        (0.0, 1.0, struck(659.3, 2.3, _GONG, 0.006)),
        (0.6, 0.95, struck(523.3, 1.7, _GONG, 0.006)),
    )


def _double() -> Signal:
    return mix(
        (0.0, 0.9, struck(784.0, 0.55, _VIBRAPHONE)),
        (0.14, 1.0, struck(1174.7, 0.41, _VIBRAPHONE)),
    )


def _refused() -> Signal:
    return mix(
        (0.0, 0.9, struck(523.3, 0.42, _MARIMBA, 0.008)),
        (0.12, 1.0, struck(440.0, 0.3, _MARIMBA, 0.008)),
    )


def _join() -> Signal:
    return mix(
        (0.0, 0.9, struck(587.3, 0.7, _CELESTA, 0.004)),
        (0.17, 1.0, struck(880.0, 0.53, _CELESTA, 0.004)),
    )


def _attention() -> Signal:
    return struck(587.3, 0.8, _CHIME_BAR, 0.03)


def _leader() -> Signal:
    """Three rising notes, the last one left to ring."""
    return mix(
        (0.0, 0.8, struck(523.3, 0.5, _CELESTA, 0.004)),
        (0.15, 0.9, struck(659.3, 0.5, _CELESTA, 0.004)),
        (0.3, 1.0, struck(784.0, 0.7, _CELESTA, 0.004)),
    )


# Slides: one soft voice that moves.


def _slide(start: float, end: float) -> Signal:
    shape = wave(1.0, 0.3, 0.16, 0.06, 0.03)
    pitch = curve((0.0, start), (0.05, start), (0.25, end), (0.32, end))
    level = curve((0.0, 0.0), (0.02, 1.0), (0.2, 0.8), (0.32, 0.0))
    return sing(shape, pitch, level)


def _undo() -> Signal:
    return _slide(784.0, 440.0)


def _redo() -> Signal:
    return _slide(440.0, 784.0)


# Brass: the louder, the brighter.

_DARK = (1.0, 0.7, 0.4, 0.2, 0.1, 0.05)
_BRIGHT = (0.9, 0.9, 0.7, 0.45, 0.3, 0.2, 0.13, 0.08, 0.05, 0.03)


def _brass(pitch: Signal, level: Signal) -> Signal:
    shine = [a * a for a in level]
    calm = [a * (1 - a) for a in level]
    return mix(
        (0.0, 1.0, sing(wave(*_DARK), pitch, calm)), (0.0, 1.0, sing(wave(*_BRIGHT), pitch, shine))
    )


def _caught() -> Signal:
    fall = curve((0.0, 300.0), (0.04, 311.1), (0.2, 311.1), (0.62, 185.0), (0.8, 175.0))
    level = curve((0.0, 0.0), (0.04, 0.85), (0.2, 0.7), (0.45, 0.8), (0.6, 0.6), (0.76, 0.0))
    slide = waver(fall, 6.0, 0.018, 0.5)
    return _brass(slide, lasting(level, 0.8))


_FANFARE = (
    (0.0, 0.15, (392.0,)),
    (0.17, 0.15, (523.3,)),
    (0.34, 0.15, (659.3,)),
    (0.51, 0.36, (784.0, 523.3)),
    (0.9, 0.15, (659.3, 523.3)),
    (1.07, 1.36, (1046.5, 784.0, 659.3, 523.3)),
)


def _finish() -> Signal:
    layers = []
    for start, seconds, chord in _FANFARE:
        blow = curve(
            (0.0, 0.0),
            (0.022, 0.95),
            (0.07, 0.75),
            (0.6 * seconds, 0.8),
            (0.9 * seconds, 0.55),
            (seconds, 0.0),
        )
        for i, note in enumerate(chord):
            scoop = curve((0.0, 0.975), (0.03, 1.0), (seconds, 1.0))
            tune = waver([note * s for s in scoop], 5.2 + 0.3 * i, 0.005, 0.4)
            layers.append((start, 0.8 if i else 1.0, _brass(tune, blow)))
    return mix(*layers)


RECIPES = {
    "whistle": CueRecipe(
        CUE_SECONDS["whistle"], "a steam whistle of two notes, and a chuff", _whistle
    ),
    "rooster": CueRecipe(CUE_SECONDS["rooster"], "a rooster's crow of four syllables", _rooster),
    "knock": CueRecipe(CUE_SECONDS["knock"], "two knocks on wood", _knock),
    "round": CueRecipe(CUE_SECONDS["round"], "a station bell, three strokes", _round),
    "double": CueRecipe(CUE_SECONDS["double"], "two short notes, a fifth apart", _double),
    "caught": CueRecipe(CUE_SECONDS["caught"], "a falling trombone", _caught),
    "refused": CueRecipe(CUE_SECONDS["refused"], "two soft notes, falling", _refused),
    "undo": CueRecipe(CUE_SECONDS["undo"], "a short slide down", _undo),
    "redo": CueRecipe(CUE_SECONDS["redo"], "a short slide up", _redo),
    "join": CueRecipe(CUE_SECONDS["join"], "two rising notes", _join),
    "time": CueRecipe(CUE_SECONDS["time"], "a station gong", _time),
    "finish": CueRecipe(CUE_SECONDS["finish"], "a fanfare", _finish),
    "goodbye": CueRecipe(CUE_SECONDS["goodbye"], "the whistle, far away", _goodbye, far_away),
    "chickie": CueRecipe(CUE_SECONDS["chickie"], "two quick chirps", _chickie),
    "leader": CueRecipe(CUE_SECONDS["leader"], "three rising notes", _leader),
    "attention": CueRecipe(CUE_SECONDS["attention"], "one soft chime", _attention),
}
