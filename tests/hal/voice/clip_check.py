"""A check of every clip of every language: `python -m tests.hal.voice.clip_check` (`make voice`).

Each clip is made by espeak-ng and measured: length, peak, silent ends, loudness, pauses; then the
sentences of an evening are joined from clips. This takes minutes; `make test` checks a sample,
`make test-all` all of them.
"""

import sys
import tempfile
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from centerpiece.hub.preferences import PREFERENCES
from centerpiece.speech.languages import codes, language
from hal.cues import LOUDNESS, RATE
from hal.ports import ClipSequence
from hal.voice import clips
from hal.voice.clip_requests import ClipRequest
from hal.voice.renderer import ClipRenderer
from hal.voice.synthesizers import espeak_ng
from sim.script import Runner, Stage
from tests.ears import loudness

EVENING = Path(__file__).parents[2] / "scenarios/an-evening-aloud.txt"
QUIET = clips.FULL // 100
LONGEST_PAUSE_S = 0.4
JOINED_DB = 3.0
"""How much louder two short clips together may be: alone, each has silence in its 400 ms."""
SENTENCE_END_S = 0.3
"""The pause after a clip that ends a sentence."""


class ClipFigures(NamedTuple):
    """Figures of a clip, or of a sentence."""

    seconds: float
    peak: float
    level: float
    pause: float
    """Seconds of the longest silence in it."""
    clicks: bool

    def fault(self, joined: bool = False) -> str:
        """Return what is wrong with a clip or a joined sentence, or an empty string."""
        if not 0.1 < self.seconds < (10.0 if joined else 6.0):
            return f"{self.seconds:.2f} s long"
        if self.clicks or self.peak > 0.9:
            return "it clicks or is clipped"
        if not -1.0 <= self.level - LOUDNESS <= (JOINED_DB if joined else 1.0):
            return f"{self.level:.1f} LKFS"
        return f"a pause of {self.pause:.2f} s" if self.pause > LONGEST_PAUSE_S else ""


@cache
def made(code: str, key: str, text: str) -> "clips.array[int]":
    """Make a clip as the hub does."""
    return ClipRenderer(Path(), None, espeak_ng).render(ClipRequest("", key, text, code))


def figures(sound: "clips.array[int]") -> ClipFigures:
    return ClipFigures(
        seconds=len(sound) / RATE,
        peak=max(map(abs, sound)) / clips.FULL,
        level=loudness(sound, RATE, clips.FULL),
        pause=longest_silence(sound),
        clicks=bool(sound[0] or sound[-1]),
    )


def longest_silence(sound: "clips.array[int]") -> float:
    """Return the seconds of the longest silence: what is below a hundredth of full."""
    run = longest = 0
    for x in sound:
        run = run + 1 if abs(x) < QUIET else 0
        longest = max(longest, run)
    return longest / RATE


def faults(code: str, words: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield a sentence for each of these keys and texts with a fault."""
    for key, text in words:
        if fault := figures(made(code, key, text)).fault():
            yield f"{code} {key} “{text}”: {fault}"


def evening(code: str) -> list[ClipSequence]:
    """Return everything that is said during an evening in a language."""
    said: list[ClipSequence] = []
    with tempfile.TemporaryDirectory() as folder:
        stage = Stage(Path(folder))
        stage.hub.change(PREFERENCES, lambda now: msgspec.structs.replace(now, language=code))
        stage.board.sound.sentence_listeners.append(said.append)
        runner = Runner(stage)
        try:
            for line in EVENING.read_text("utf-8").splitlines():
                if not line.startswith("expect said"):  # in English
                    runner.step(line)
        finally:
            stage.stop()
    return said


def sentences(said: Iterable[ClipSequence]) -> Iterator[tuple[str, "clips.array[int]"]]:
    """Yield the text and the sound of each sentence."""
    for message in said:
        parts = []
        for clip in message.clips:
            parts.append(clip)
            if clip.pause >= SENTENCE_END_S:
                text = " ".join(part.text for part in parts)
                sounds = ((made(message.language, p.key, p.text), p.pause) for p in parts[:-1])
                last = made(message.language, clip.key, clip.text)
                yield text, clips.joined([*sounds, (last, 0.0)])
                parts = []


def main(chosen: list[str]) -> int:
    """Check languages, by default all; return 1 if something is not right."""
    found = 0
    for code in chosen or codes():
        words = language(code).vocabulary()
        measured = {key: figures(made(code, key, text)) for key, text in words.items()}
        spoken = {text: figures(sound) for text, sound in sentences(evening(code))}
        for which in (measured, spoken):
            for key, figure in which.items():
                if fault := figure.fault(joined=which is spoken):
                    found += 1
                    print(f"{code} {key}: {fault}", flush=True)
        for which, what in ((measured, "clips"), (spoken, "sentences")):
            levels = [figure.level for figure in which.values()]
            print(
                f"{code}: {len(which)} {what}, "
                f"{min(levels):.1f} to {max(levels):.1f} LKFS, "
                f"highest peak {max(figure.peak for figure in which.values()):.2f}, "
                f"longest pause {max(figure.pause for figure in which.values()):.2f} s",
                flush=True,
            )
        made.cache_clear()
    print(f"{found} are not right.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
