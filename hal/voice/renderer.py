"""The process that makes clips: `python -m hal.voice.renderer CACHE VOICE SYNTHESIZER WHEN`.

It runs at idle priority, reads requests line by line and answers each with a result. Clips that
are needed now (`soon`) come first, the newest of them before the others. It ends after a while
without requests, so that a quiet evening costs no memory.
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
from hal.voice.clip_requests import ClipRequest, ClipResult
from hal.voice.folder import recordings
from hal.voice.synthesizers import CannotSpeak, Synthesizer, synthesizer

IDLE_S = 20.0


class ClipRenderer:
    def __init__(self, cache: Path, voice: Path | None, speak: Synthesizer | None) -> None:
        self._cache = cache
        self._own = recordings(voice) if voice is not None else {}
        self._speak = speak
        self._soon: list[ClipRequest] = []
        self._later: deque[ClipRequest] = deque()

    def add(self, request: ClipRequest) -> None:
        (self._soon if request.soon else self._later).append(request)

    def render_next(self) -> ClipResult | None:
        """Make the most urgent clip, unless it is cached already; return its length as the result.

        If it cannot be made, the result has 0.0 seconds. None if nothing is requested.
        """
        if not self._soon and not self._later:
            return None
        request = self._soon.pop() if self._soon else self._later.popleft()
        path = self._cache / request.file
        try:
            if not (path.exists() and clips.is_complete(path.stat().st_size)):
                clips.write(path, self.render(request))
            return ClipResult(request.file, clips.seconds(path.stat().st_size))
        except Exception as error:  # a failing synthesizer must not stop the other clips
            print(f"{request.text!r} cannot be said: {error}", file=sys.stderr)
            return ClipResult(request.file, 0.0)

    def render(self, request: ClipRequest) -> "array[int]":
        """Return the samples of a clip, from a recording or else by the synthesizer.

        A silent or unreadable recording is passed over. Raise an error, mostly CannotSpeak, if the
        synthesizer is missing or fails too.
        """
        if (own := self._own.get(request.key)) is not None:
            try:
                if sound := clips.finished(*clips.read(own)):
                    return sound
            except clips.UnreadableClip as error:
                print(error, file=sys.stderr)
        if self._speak is None:
            raise CannotSpeak(f"no synthesizer can say {request.text!r}")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "clip.wav"
            self._speak(request, path)
            sound = clips.finished(*clips.read(path))
        if not sound:
            raise CannotSpeak(f"the synthesizer is silent for {request.text!r}")
        return sound


def requests(source: int, waiting: bool) -> Iterator[ClipRequest]:
    """Yield the requests that have come to the handle `source`; if `waiting`, wait for the first.

    End the process when the input ends, or if none comes within `IDLE_S` seconds of waiting.
    """
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
        yield msgspec.json.decode(line, type=ClipRequest)


def give_way() -> None:
    """Run at idle priority: even the lowest nice value could delay a press by a time slice."""
    with suppress(OSError):  # a sandbox may forbid it
        os.nice(19)
    with suppress(AttributeError, OSError):  # only Linux has it
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def main(cache: str, voice: str, name: str, when: str) -> None:
    """Make the clips requested on standard input into `cache`; write results to the output.

    `voice` is a folder of recordings or empty, `name` the synthesizer; `when` is "idle", at idle
    priority, or "now".
    """
    if when == "idle":
        give_way()
    try:
        speak: Synthesizer | None = synthesizer(name)
    except CannotSpeak as error:
        print(error, file=sys.stderr)
        speak = None
    renderer = ClipRenderer(Path(cache), Path(voice) if voice else None, speak)
    idle = True
    while True:
        for request in requests(0, idle):
            renderer.add(request)
        result = renderer.render_next()
        idle = result is None
        if result is not None:
            os.write(1, msgspec.json.encode(result) + b"\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
