"""The cache of clips, and the process that makes missing ones.

A query costs a dictionary lookup: files are listed, requested and read on other threads, and made
in another process (`hal.voice.renderer`). Clips are cached beside the journal; when there are too
many, those not heard for longest are deleted.
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

from hal.health import Health, ignore_trouble
from hal.ports import Clip, ClipSequence, Report
from hal.supervised_thread import start_supervised
from hal.voice import clips
from hal.voice.clip_requests import ClipRequest, ClipResult

log = logging.getLogger(__name__)

EDITION = 3
"""Increased when clips are finished differently, which makes all of them anew."""
MOST_BYTES = 300_000_000
"""All words of a language take a sixth of it; names and rule cards come and go."""
ROOMY = 0.9
"""The share of that which is kept when the cache is trimmed."""


class Library:
    """All clips of one hub: its own recordings, and synthesized ones."""

    def __init__(
        self,
        cache: Path,
        voice: str = "",
        synthesizer: str = "espeak-ng",
        idle: bool = True,
        most_bytes: int = MOST_BYTES,
        report: Report = ignore_trouble,
    ) -> None:
        """`idle`: make clips only while nothing else wants the processor."""
        self._idle = idle
        self._most_bytes = most_bytes
        self._bytes = 0
        self._cache = cache
        self._voice = Path(voice).expanduser() if voice else None
        self._synthesizer = synthesizer
        self._own = _own(self._voice) if self._voice else {}
        """The cache folder by language of the recordings; a change of them changes the folder."""
        self._lengths: dict[str, float] = {}
        """Length of every cached clip; 0.0 for those that cannot be made."""
        self._requested: dict[str, bool] = {}
        """The requested clips, and whether each is needed soon."""
        self._used: set[str] = set()
        """Clips heard since the start; each file is touched once, for the order of trimming."""
        self._requests: SimpleQueue[ClipRequest | None] = SimpleQueue()
        self._process: subprocess.Popen[bytes] | None = None
        self._health = Health("voice", report)
        self._thread = start_supervised("voice", self._work, self._health.report)

    def seconds(self, sentence: ClipSequence) -> float | None:
        """Return the length of a sentence; None while a clip is being made, 0.0 if one cannot be.

        Missing clips are requested, ahead of what `prepare` has requested.
        """
        lengths = [self._length(sentence, clip, True) for clip in sentence.clips]
        if 0.0 in lengths:
            return 0.0
        if None in lengths:
            return None
        return sum(filter(None, lengths)) + sum(clip.pause for clip in sentence.clips)

    def prepare(self, sentence: ClipSequence) -> None:
        """Request clips before they are needed."""
        for clip in sentence.clips:
            self._length(sentence, clip, False)

    def samples(self, sentence: ClipSequence, clip: Clip) -> "array[int]":
        """Read the cached file of a clip in a sentence, or of the one instead of it if it has none.

        Empty if the file is gone; it is then made again at the next `seconds`.
        """
        file = self._file(sentence, clip.key)
        while not self._lengths.get(file) and clip.instead is not None:
            clip = clip.instead
            file = self._file(sentence, clip.key)
        try:
            samples = clips.load(self._cache / file)
            if file not in self._used:
                self._used.add(file)
                os.utime(self._cache / file)
            return samples
        except (OSError, ValueError) as error:  # the cache was cleared: made again on request
            log.warning("voice=%s lost=%r", self._synthesizer, str(error))
            self._lengths.pop(file, None)
            self._requested.pop(file, None)
            return array("h")

    def close(self) -> None:
        """Stop making clips; end the process and the thread."""
        self._requests.put(None)
        if (process := self._process) is not None:
            process.terminate()
        self._thread.join(1.0)

    def _length(self, sentence: ClipSequence, clip: Clip, soon: bool) -> float | None:
        """Return the length of a clip, or of the one instead of it if it cannot be made.

        None while it is being made, 0.0 if neither can be. A clip that is not cached is requested;
        with `soon`, ahead of others.
        """
        file = self._file(sentence, clip.key)
        length = self._lengths.get(file)
        if length == 0.0 and clip.instead is not None:
            return self._length(sentence, clip.instead, soon)
        requested = self._requested.get(file)
        if length is None and (requested is None or (soon and not requested)):
            self._requested[file] = soon
            language, _, calm = sentence
            self._requests.put(ClipRequest(file, clip.key, clip.text, language, calm, soon))
        return length

    def _file(self, sentence: ClipSequence, key: str) -> str:
        language, _, calm = sentence
        folder = self._own.get(language, f"{self._synthesizer}-{language}-{EDITION}")
        return f"{folder}{'-calm' * calm}/{key}.wav"

    # On a thread of its own

    def _work(self) -> None:
        """List the cache, then pass on requests until closed, except for clips that are there.

        If the process cannot run, note the clip as one that cannot be made.
        """
        self._list_cache()
        while (request := self._requests.get()) is not None:
            if request.file in self._lengths:
                continue
            self._health.report(None)
            try:
                self._send(request)
            except OSError as error:
                log.warning("voice=%s error=%r", self._synthesizer, str(error))
                self._lengths[request.file] = 0.0

    def _list_cache(self) -> None:
        """Note the length of each cached clip; delete files that a power cut left incomplete."""
        for folder, _, names in os.walk(self._cache):
            for name in names:
                with suppress(OSError):  # an unreadable one is made again, if it can be
                    self._list_file(Path(folder) / name)

    def _list_file(self, path: Path) -> None:
        """Note the length of the cached clip at `path`, or delete the file if it is incomplete.

        Other files are left alone.
        """
        whole = clips.is_complete(path.stat().st_size)
        if path.suffix == ".wav" and whole:
            file = path.relative_to(self._cache).as_posix()
            self._lengths[file] = clips.seconds(path.stat().st_size)
            self._bytes += path.stat().st_size
        elif path.suffix in (".wav", ".part"):
            path.unlink(missing_ok=True)

    def _send(self, request: ClipRequest) -> None:
        """Pass a request to the process, which is started if it is not running.

        Raise OSError if it cannot run.
        """
        line = msgspec.json.encode(request) + b"\n"
        for _ in range(2):  # an idle process ends, perhaps at this moment
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
        """Start and return the process that makes clips; a thread takes its results."""
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
        """Note the length of each clip that `process` makes, until it ends; trim the cache.

        Requests that it has not answered are forgotten, and made again when asked for again.
        """
        assert process.stdout is not None
        for line in process.stdout:
            try:
                made = msgspec.json.decode(line, type=ClipResult)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                log.warning("voice=%s strange=%.100r", self._synthesizer, line)
                continue
            self._lengths[made.file] = made.seconds
            self._bytes += clips.size(made.seconds)
            if self._bytes > self._most_bytes:
                self._trim_cache()
        process.wait()
        for file in list(self._requested):  # a copy, since others ask meanwhile
            if file not in self._lengths:
                self._requested.pop(file, None)  # not made: a later query requests it again

    def _trim_cache(self) -> None:
        """Delete the clips not heard for longest, until `ROOMY` of the allowed size is left.

        They are made again when asked for.
        """
        files = []
        for path in self._cache.rglob("*.wav"):
            with suppress(OSError):
                files.append((path.stat().st_mtime, path.stat().st_size, path))
        self._bytes = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if self._bytes <= ROOMY * self._most_bytes:
                return
            path.unlink(missing_ok=True)
            self._bytes -= size
            file = path.relative_to(self._cache).as_posix()
            for known in (self._lengths, self._requested):
                known.pop(file, None)


def _own(voice: Path) -> dict[str, str]:
    """Return the name of the cache folder for a voice with recordings, by the voice's language.

    The name changes with the recordings. Raise WiringError if the voice's manifest cannot be read.
    """
    from hal.voice.folder import manifest, recordings

    language = manifest(voice).language
    own = [(key, path) for key, path in recordings(voice).items() if path.is_file()]
    stamps = [(key, path.stat().st_mtime_ns) for key, path in own]
    return {language: f"own-{language}-{EDITION}-{crc32(repr(stamps).encode()):08x}"}
