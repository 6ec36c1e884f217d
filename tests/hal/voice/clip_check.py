"""A check of every clip of every language: `python -m tests.hal.voice.clip_check` (`make voice`).

Each clip is made by espeak-ng and measured: length, peak, silent ends, loudness, pauses. This takes
minutes; `make test` checks a sample, `make test-all` all of them.
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


def fault_of(sound: "clips.array[int]") -> str:
    """Return the fault of a clip, or an empty string."""
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
    """Yield a sentence for each of these keys and texts with a fault."""
    with tempfile.TemporaryDirectory() as folder:
        renderer = ClipRenderer(Path(folder), None, espeak_ng)
        for key, text in words:
            if fault := fault_of(renderer.render(ClipRequest("", key, text, code))):
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
