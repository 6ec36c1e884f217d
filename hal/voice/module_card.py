"""The words on a sound module's card: folders and tracks that its player can address.

10/048.wav     a clip of a language; `words-en.txt` lists them for people
19/001.wav     silence: the number of such tracks is the version of the words, as players can count
"""

import os
from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from hal.cues import RATE
from hal.voice import clips
from hal.voice.clip_requests import ClipRequest
from hal.voice.renderer import ClipRenderer
from hal.voice.synthesizers import ESPEAK, synthesizer


class Words(NamedTuple):
    """The words of a language: key and text of each folder and track."""

    language: str
    placed: Mapping[tuple[int, int], tuple[str, str]]
    version_folder: int
    version: int


def export(
    directory: str | os.PathLike[str],
    words: Words,
    voice: Path | None = None,
    by: str = ESPEAK,
) -> Iterator[str]:
    """Write the words of a language, their version, and a list into `directory`; yield paths.

    Files are written as the result is read. `voice` is a folder with recordings, `by` the
    synthesizer for all else. Raise CannotSpeak if that is not installed or fails, even after some
    words.
    """
    root = Path(directory)
    renderer = ClipRenderer(root, voice, synthesizer(by))
    lines = []
    for (folder, track), (key, text) in words.placed.items():
        path = root / f"{folder:02}" / f"{track:03}.wav"
        clips.write(path, renderer.render(ClipRequest(path.name, key, text, words.language)))
        lines.append(f"{folder:02}/{track:03}.wav  {key}  {text}\n")
        yield str(path)
    for track in range(1, words.version + 1):
        silence = array("h", bytes(2 * RATE // 10))
        clips.write(root / f"{words.version_folder:02}" / f"{track:03}.wav", silence)
    index = root / f"words-{words.language}.txt"
    head = f"{words.language}: version {words.version}\n"
    index.write_text("".join([head, *lines]), encoding="utf-8", newline="\r\n")
    yield str(index)
