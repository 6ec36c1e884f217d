"""Is “fifteen” heard as “fifty”? A machine listens: `python -m tests.hal.voice.listener`.

Each teen, with four names and in four strengths of noise, is said as the hub says it; pocketsphinx
tells which of the teens and tens it was. `make voice` runs it, and installs what it needs.
"""

import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from centerpiece.speech.languages import language
from centerpiece.table.telling import Person, SpokenLine
from hal.cues import RATE
from hal.voice import clips, synthesizers
from hal.voice.clip_requests import ClipRequest
from hal.voice.renderer import ClipRenderer

TEENS = {13: 30, 14: 40, 15: 50, 16: 60, 17: 70, 18: 80, 19: 90}
NAMES = ("Ann", "Bob", "Cara", "Dan")
NOISE_DB = (35, 25, 20, 15)
"""The levels of the voice above white noise."""
MOST = 8
"""Teens of 112 that may be heard as tens."""
HEARD_RATE = 16_000
ROOM_S = 0.2
ENGLISH = language("en")


@cache
def listener():  # type: ignore[no-untyped-def]
    """Return the recognizer: it knows the sentences, but not which of them it will hear."""
    from pocketsphinx import Decoder, get_model_path

    names = " | ".join(name.lower() for name in NAMES)
    numbers = " | ".join(ENGLISH.numbers.words(n) for pair in TEENS.items() for n in pair)
    model = f"{get_model_path()}/en-us"
    with tempfile.NamedTemporaryFile("w", suffix=".gram") as grammar:
        grammar.write("#JSGF V1.0;\ngrammar hands;\n")
        grammar.write(f"public <hand> = ({numbers}) for ({names});\n")
        grammar.flush()
        return Decoder(
            hmm=f"{model}/en-us",
            dict=f"{model}/cmudict-en-us.dict",
            jsgf=grammar.name,
            samprate=HEARD_RATE,
            loglevel="FATAL",
        )


def heard(sound: NDArray[np.float64]) -> str:
    """Return what the listener understands of a sound."""
    length = round(len(sound) * HEARD_RATE / RATE)
    spectrum = np.fft.rfft(sound)[: length // 2 + 1]
    wave = np.fft.irfft(spectrum, length)
    samples = (wave / np.abs(wave).max() * 20_000).astype("<i2")
    recognizer = listener()
    recognizer.start_utt()
    recognizer.process_raw(samples.tobytes(), full_utt=True)
    recognizer.end_utt()
    return recognizer.hyp().hypstr if recognizer.hyp() else ""


def sentences(
    speak: synthesizers.Synthesizer, calm: bool
) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Yield each teen, and the sentence that has it, in rising noise."""
    renderer, noise = ClipRenderer(Path(), None, speak), np.random.default_rng(1)

    @cache
    def made(key: str, text: str) -> "clips.array[int]":
        return renderer.render(ClipRequest("", key, text, "en", calm))

    for teen in TEENS:
        for name in NAMES:
            line = SpokenLine("hand", {"name": Person(name, 1), "points": teen})
            said = ENGLISH.say([line]).clips
            whole = clips.joined((made(clip.key, clip.text), clip.pause) for clip in said)
            sound = np.pad(np.array(whole, float), round(ROOM_S * RATE))
            power = np.sqrt(np.mean(np.array(whole, float) ** 2))
            for level in NOISE_DB:
                yield teen, sound + noise.normal(0, power / 10 ** (level / 20), len(sound))


def confused(speak: synthesizers.Synthesizer, calm: bool) -> tuple[int, int]:
    """Return how many teens are heard as tens, and of how many."""
    found = [
        ENGLISH.numbers.words(TEENS[teen]) in heard(sound).split()
        for teen, sound in sentences(speak, calm)
    ]
    return sum(found), len(found)


def main(names: list[str]) -> int:
    """Print a line for each synthesizer, such as `mbrola`, or `espeak-ng+f2` for a variant; return
    1 if one is not clear.
    """
    worst = 0
    for name in names or [synthesizers.ESPEAK]:
        program, plus, variant = name.partition("+")
        if plus:
            synthesizers.VARIANTS["en"] = variant
        for calm in (False, True):
            wrong, of = confused(synthesizers.synthesizer(program), calm)
            manner = ", calm" if calm else ""
            print(f"{name}{manner}: {wrong} of {of} teens are heard as tens.", flush=True)
            worst = max(worst, wrong)
    return 1 if worst > MOST else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
