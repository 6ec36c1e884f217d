"""The clips at hand, and the process that makes those that are not.

To ask costs a look into a table: files are listed, wished for and read on other threads, and
made in another process (`hal.voice.renderer`). What has been made stays beside the journal; when
there is too much of it, what nobody has heard for longest is thrown away.
"""

import logging
import os
import subprocess
import sys
from array import array
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from zlib import crc32

import msgspec

from hal.ports import Clip, ClipSentence
from hal.voice import clips
from hal.voice.wishes import ClipWish, Made

log = logging.getLogger(__name__)

EDITION = 2
"""Raised when clips are finished in another way: those of before are made anew."""
MOST_BYTES = 300_000_000
"""All words of both languages take a third of it; names and rule cards come and go."""
ROOMY = 0.9
"""How much of that is left when there was too much."""


class Library:
    """All clips of one hub: its own recordings, and what the synthesizer makes."""

    def __init__(
        self,
        cache: Path,
        voice: str = "",
        synthesizer: str = "espeak-ng",
        idle: bool = True,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        """`idle`: clips are made only while nobody else wants the processor."""
        self._idle = idle
        self._most_bytes = most_bytes
        self._bytes = 0
        self._cache = cache
        self._voice = Path(voice).expanduser() if voice else None
        self._synthesizer = synthesizer
        self._own = _own(self._voice) if self._voice else {}
        """The folder of the recordings' language: a new recording is another folder."""
        self._made: dict[str, float] = {}
        """Seconds of every clip that is there; 0.0 for those that cannot be made."""
        self._wished: dict[str, bool] = {}
        """What was asked for, and whether it is needed soon."""
        self._heard: set[str] = set()
        """What has been heard since the start: its file says so, for other evenings."""
        self._wishes: SimpleQueue[ClipWish | None] = SimpleQueue()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = Thread(target=self._work, name="voice", daemon=True)
        self._thread.start()

    def seconds(self, sentence: ClipSentence) -> float | None:
        """How long a sentence takes; None while a clip is being made, 0.0 if one cannot be."""
        lengths = [self._length(sentence.language, clip, True) for clip in sentence.clips]
        if 0.0 in lengths:
            return 0.0
        if None in lengths:
            return None
        return sum(filter(None, lengths)) + sum(clip.pause for clip in sentence.clips)

    def prepare(self, sentence: ClipSentence) -> None:
        """Have clips made before they are needed."""
        for clip in sentence.clips:
            self._length(sentence.language, clip, False)

    def samples(self, language: str, clip: Clip) -> "array[int]":
        """A clip that is there."""
        file = self._file(language, clip.key)
        if not self._made.get(file) and clip.instead is not None:
            file = self._file(language, clip.instead.key)
        try:
            found = clips.kept(self._cache / file)
            if file not in self._heard:
                self._heard.add(file)
                os.utime(self._cache / file)
            return found
        except (OSError, ValueError) as error:  # somebody has cleared the cache: it is made anew
            log.warning("voice=%s lost=%r", self._synthesizer, str(error))
            self._made.pop(file, None)
            self._wished.pop(file, None)
            return array("h")

    def close(self) -> None:
        """Make no more."""
        self._wishes.put(None)
        if (process := self._process) is not None:
            process.terminate()
        self._thread.join(1.0)

    def _length(self, language: str, clip: Clip, soon: bool) -> float | None:
        file = self._file(language, clip.key)
        length = self._made.get(file)
        if length == 0.0 and clip.instead is not None:
            return self._length(language, clip.instead, soon)
        asked = self._wished.get(file)
        if length is None and (asked is None or (soon and not asked)):
            self._wished[file] = soon
            self._wishes.put(ClipWish(file, clip.key, clip.text, language, soon))
        return length

    def _file(self, language: str, key: str) -> str:
        made = f"{self._synthesizer}-{language}-{EDITION}"
        return f"{self._own.get(language, made)}/{key}.wav"

    # On a thread of its own

    def _work(self) -> None:
        self._look()
        while (wish := self._wishes.get()) is not None:
            if wish.file in self._made:
                continue
            try:
                self._send(wish)
            except OSError as error:
                log.warning("voice=%s error=%r", self._synthesizer, str(error))
                self._made[wish.file] = 0.0

    def _look(self) -> None:
        """What has been made on other evenings; what a power cut left half made is thrown away."""
        for folder, _, names in os.walk(self._cache):
            for name in names:
                with suppress(OSError):  # one that cannot be looked at is made anew, if it can be
                    self._look_at(Path(folder) / name)

    def _look_at(self, path: Path) -> None:
        whole = clips.whole(path.stat().st_size)
        if path.suffix == ".wav" and whole:
            file = path.relative_to(self._cache).as_posix()
            self._made[file] = clips.seconds(path.stat().st_size)
            self._bytes += path.stat().st_size
        elif path.suffix in (".wav", ".part"):
            path.unlink(missing_ok=True)

    def _send(self, wish: ClipWish) -> None:
        line = msgspec.json.encode(wish) + b"\n"
        for _ in range(2):  # one that has nothing to do ends, perhaps at this moment
            if self._process is None or self._process.poll() is not None:
                self._process = self._start()
            assert self._process.stdin is not None
            try:
                self._process.stdin.write(line)
                self._process.stdin.flush()
                return
            except BrokenPipeError:
                self._process = None
        raise BrokenPipeError("the process that makes clips exits at once")

    def _start(self) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "hal.voice.renderer", str(self._cache)]
        process = subprocess.Popen(
            [*command, str(self._voice or ""), self._synthesizer, "idle" if self._idle else "now"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        Thread(target=self._listen, args=(process,), name="voice-made", daemon=True).start()
        return process

    def _listen(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdout is not None
        for line in process.stdout:
            made = msgspec.json.decode(line, type=Made)
            self._made[made.file] = made.seconds
            self._bytes += clips.size(made.seconds)
            if self._bytes > self._most_bytes:
                self._clear_out()
        process.wait()
        for file in list(self._wished):  # a copy, since others ask meanwhile
            if file not in self._made:
                self._wished.pop(file, None)  # it ended before: whoever needs it asks again

    def _clear_out(self) -> None:
        """Throw away what nobody has heard for longest."""
        found = []
        for path in self._cache.rglob("*.wav"):
            with suppress(OSError):
                found.append((path.stat().st_mtime, path.stat().st_size, path))
        self._bytes = sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if self._bytes <= ROOMY * self._most_bytes:
                return
            path.unlink(missing_ok=True)
            self._bytes -= size
            file = path.relative_to(self._cache).as_posix()
            for known in (self._made, self._wished):
                known.pop(file, None)


def _own(voice: Path) -> dict[str, str]:
    """Where the clips of a voice are kept, by its language."""
    from hal.voice.folder import manifest, recordings

    language = manifest(voice).language
    found = [(key, path) for key, path in recordings(voice).items() if path.is_file()]
    stamps = [(key, path.stat().st_mtime_ns) for key, path in found]
    return {language: f"own-{language}-{EDITION}-{crc32(repr(stamps).encode()):08x}"}
