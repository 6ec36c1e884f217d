"""A sound card that writes to a pipe, and cues that tests can tell apart."""

import os
import struct
from array import array
from collections.abc import Callable
from pathlib import Path
from select import select
from threading import Condition, Thread

import pytest

from hal.ports import TRACKS
from tests.patience import TIMEOUT_S

STEP = 1000
"""Cue number n consists of the sample 1000 × n."""


def flat_cue(cue: str) -> "array[int]":
    """Return a cue that any one of its samples identifies."""
    return array("h", [STEP * TRACKS[cue]] * 2000)


class PipeCard:
    """ALSA itself, with a plugin that writes the output to a pipe.

    The pipe is read as fast as it is filled, so nothing here depends on the speed of sound.
    """

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        pipe = folder / "heard"
        os.mkfifo(pipe)
        config = folder / "asound.conf"
        config.write_text(
            "</usr/share/alsa/alsa.conf>\n"
            'pcm.hub { @args [ CARD ] @args.CARD { type string default "Hub" }\n'
            f'type file; slave.pcm "null"; file "{pipe}"; format raw }}\n'
        )
        monkeypatch.setenv("ALSA_CONFIG_PATH", str(config))
        monkeypatch.setenv("SDL_AUDIODRIVER", "alsa")
        # SDL's mixer is global to the process: the next test must not find it still closing.
        monkeypatch.setattr("hal.sound.alsa_sound.CLOSING_S", TIMEOUT_S)
        self.heard: list[tuple[int, int]] = []
        self._changed = Condition()
        self._pipe = os.open(pipe, os.O_RDWR)
        self._stopped, self._stop = os.pipe()
        self._thread = Thread(target=self._listen, daemon=True)
        self._thread.start()

    def wait_for(self, what: Callable[[list[tuple[int, int]]], bool]) -> None:
        """Wait for levels of left and right; each change is listed once, silence is not."""
        with self._changed:
            came = self._changed.wait_for(lambda: what(self.heard), TIMEOUT_S)
        assert came, f"still waiting; heard {self.heard}"

    def close(self) -> None:
        os.close(self._stop)
        self._thread.join(TIMEOUT_S)
        os.close(self._pipe)
        os.close(self._stopped)

    def _listen(self) -> None:
        rest, level = b"", bytes(4)
        while self._stopped not in select([self._stopped, self._pipe], [], [])[0]:
            rest += os.read(self._pipe, 65536)
            whole = len(rest) // 4 * 4
            data, rest = rest[:whole], rest[whole:]
            while data := _after(data, level):
                level = data[:4]
                if level != bytes(4):
                    with self._changed:
                        self.heard.append(struct.unpack("<hh", level))
                        self._changed.notify_all()


def _after(data: bytes, level: bytes) -> bytes:
    """Return the rest of the data after its first run of one level."""
    if data == level * (len(data) // 4):
        return b""
    start = 0
    while data[start : start + 4] == level:
        start += 4
    return data[start:]
