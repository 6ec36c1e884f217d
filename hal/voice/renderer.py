"""The process that makes clips: `python -m hal.voice.renderer CACHE VOICE SYNTHESIZER WHEN`.

It runs beside the hub while nobody else wants the processor, reads wishes line by line and tells
what is there. What is needed now (`soon`) comes before what may be needed; the newest of those
first. It ends when nobody has wished for anything for a while, so that a quiet evening costs no
memory.
"""

import os
import sys
import tempfile
from array import array
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from select import select

import msgspec

from hal.voice import clips
from hal.voice.folder import recordings
from hal.voice.synthesizers import CannotSpeak, Synthesizer, synthesizer
from hal.voice.wishes import ClipWish, Made

IDLE_S = 20.0


class Workshop:
    """Makes clips one after the other."""

    def __init__(self, cache: Path, voice: Path | None, speak: Synthesizer | None) -> None:
        self._cache = cache
        self._own = recordings(voice) if voice is not None else {}
        self._speak = speak
        self._soon: list[ClipWish] = []
        self._later: deque[ClipWish] = deque()

    def wish(self, wish: ClipWish) -> None:
        """Something is wanted."""
        (self._soon if wish.soon else self._later).append(wish)

    def work(self) -> Made | None:
        """Make the most urgent clip; None when there is nothing to do."""
        if not self._soon and not self._later:
            return None
        wish = self._soon.pop() if self._soon else self._later.popleft()
        path = self._cache / wish.file
        try:
            if not (path.exists() and clips.whole(path.stat().st_size)):
                clips.write(path, self.made(wish))
            return Made(wish.file, clips.seconds(path.stat().st_size))
        except Exception as error:  # whatever a synthesizer does: others wait for their clips
            print(f"{wish.text!r} cannot be said: {error}", file=sys.stderr)
            return Made(wish.file, 0.0)

    def made(self, wish: ClipWish) -> "array[int]":
        """A clip, from a recording or else from the synthesizer."""
        if (own := self._own.get(wish.key)) is not None:
            try:
                if sound := clips.finished(*clips.read(own)):
                    return sound
            except clips.UnreadableClip as error:
                print(error, file=sys.stderr)
        if self._speak is None:
            raise CannotSpeak(f"no synthesizer can say {wish.text!r}")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "clip.wav"
            self._speak(wish.text, wish.language, path)
            sound = clips.finished(*clips.read(path))
        if not sound:
            raise CannotSpeak(f"the synthesizer is silent for {wish.text!r}")
        return sound


def wishes(source: int, waiting: bool) -> Iterator[ClipWish]:
    """What has been asked for; waits a while if there is nothing else to do. Ends the process
    when nobody asks any more."""
    ready, _, _ = select([source], [], [], IDLE_S if waiting else 0.0)
    if not ready:
        if waiting:
            raise SystemExit(0)
        return
    data = b""
    while not data.endswith(b"\n"):
        more = os.read(source, 65536)
        if not more:
            raise SystemExit(0)
        data += more
    for line in data.splitlines():
        yield msgspec.json.decode(line, type=ClipWish)


def give_way() -> None:
    """Work only while nobody else wants to: at the lowest priority a press could still have to wait
    for the end of a slice of time."""
    with suppress(OSError):  # where a sandbox forbids it, clips are made all the same
        os.nice(19)
    with suppress(AttributeError, OSError):  # only Linux has it
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def main(cache: str, voice: str, name: str, when: str) -> None:
    if when == "idle":
        give_way()
    try:
        speak: Synthesizer | None = synthesizer(name)
    except CannotSpeak as error:
        print(error, file=sys.stderr)
        speak = None
    workshop = Workshop(Path(cache), Path(voice) if voice else None, speak)
    idle = True
    while True:
        for wish in wishes(0, idle):
            workshop.wish(wish)
        made = workshop.work()
        idle = made is None
        if made is not None:
            os.write(1, msgspec.json.encode(made) + b"\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
