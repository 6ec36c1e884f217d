"""Listens to every clip of every language: `python -m tests.hal.voice.clip_check`, or `make voice`.

Each is made by espeak-ng and judged: its length, its peak, its silent ends, its loudness and the
pauses in it. Takes some minutes; `make test` listens to a few, `make test-all` to all.
"""

import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from centerpiece.speech.languages import codes, language
from hal.cues import LOUDNESS, RATE
from hal.voice import clips
from hal.voice.clip_requests import ClipRequest
from hal.voice.renderer import ClipRenderer
from hal.voice.synthesizers import espeak_ng
from tests.ears import loudness


def wrong(sound: "clips.array[int]") -> str:
    """What is wrong with a clip; nothing, if it is right."""
    run = longest = 0
    for x in sound:
        run = run + 1 if abs(x) < 328 else 0
        longest = max(longest, run)
    level = loudness(sound, RATE, clips.FULL)
    if not 0.1 < len(sound) / RATE < 6.0:
        return f"{len(sound) / RATE:.2f} s long"
    if sound[0] or sound[-1] or max(map(abs, sound)) > 0.9 * clips.FULL:
        return "it clicks or is clipped"
    if abs(level - LOUDNESS) > 1.5:
        return f"{level:.1f} LKFS"
    return f"a pause of {longest / RATE:.2f} s" if longest > 0.4 * RATE else ""


def faults(code: str, words: Iterable[tuple[str, str]]) -> Iterator[str]:
    """A sentence for each of these keys and texts that does not sound as it should."""
    with tempfile.TemporaryDirectory() as folder:
        renderer = ClipRenderer(Path(folder), None, espeak_ng)
        for key, text in words:
            if fault := wrong(renderer.render(ClipRequest("", key, text, code))):
                yield f"{code} {key} “{text}”: {fault}"


def main() -> int:
    heard = found = 0
    for code in codes():
        words = language(code).vocabulary()
        heard += len(words)
        for fault in faults(code, words.items()):
            found += 1
            print(fault, flush=True)
    print(f"{heard} clips heard, {found} are not right.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
