"""The library: clips are made ahead in another process, kept, and never missed in a sentence."""

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from hal.ports import Clip, Sentence
from hal.voice import clips
from hal.voice.library import Library

TIMEOUT_S = 300.0
THREE = Sentence("en", (Clip("number/3", "three", 0.1), Clip("phrase/tiles-each", "tiles each")))

needs_espeak = pytest.mark.skipif(
    shutil.which("espeak-ng") is None, reason="espeak-ng is not installed"
)


@pytest.fixture
def opened() -> Iterator[list[Library]]:
    libraries: list[Library] = []
    yield libraries
    for library in libraries:
        library.close()


def ready(library: Library, sentence: Sentence) -> float:
    """How long a sentence takes, once it is known."""
    for _ in range(int(TIMEOUT_S / 0.05)):
        if (seconds := library.seconds(sentence)) is not None:
            return seconds
        Event().wait(0.05)
    raise AssertionError(f"still waiting for {sentence}")


@needs_espeak
def test_a_clip_is_made_once_and_kept_for_other_evenings(
    tmp_path: Path, opened: list[Library]
) -> None:
    """
    Asked at once it is not there; a little later it is, also after a restart.
    """
    library = Library(tmp_path, nice=0)
    opened.append(library)

    at_once, later = library.seconds(THREE), ready(library, THREE)
    library.close()
    again = Library(tmp_path, synthesizer="nobody's", nice=0)
    opened.append(again)

    assert at_once is None
    assert 0.5 < later < 3.0
    assert later == pytest.approx(
        sum(len(library.samples("en", clip)) for clip in THREE.clips) / 44_100 + 0.1, abs=0.01
    )
    assert 0.0 == ready(again, THREE)  # another voice has clips of its own


@needs_espeak
def test_who_is_interrupted_begins_again(tmp_path: Path, opened: list[Library]) -> None:
    """
    The process may be killed at any moment: whoever still needs a clip has it made by another.
    """
    library = Library(tmp_path, nice=0)
    opened.append(library)
    ready(library, THREE)
    process = library._process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    process.wait()

    assert ready(library, Sentence("en", (Clip("number/4", "four"),))) > 0.2


def test_a_voice_of_ones_own_comes_first(tmp_path: Path, opened: list[Library]) -> None:
    """
    What was recorded is heard, made as loud as all else; what nobody recorded, and no synthesizer
    can say, is told by the clip that says nearly the same, or not at all.
    """
    voice = tmp_path / "ours"
    (voice / "number").mkdir(parents=True)
    (voice / "voice.toml").write_text('language = "en"\nlicence = "ours"\n', "utf-8")
    tone = clips.array("h", (8000 if n // 50 % 2 else -8000 for n in range(22_050)))
    clips.write(voice / "number/3.wav", tone)
    library = Library(tmp_path / "cache", str(voice), "nobody's", nice=0)
    opened.append(library)
    three = Clip("number/3", "three")

    assert ready(library, Sentence("en", (three,))) == pytest.approx(0.5, abs=0.05)
    ann = Clip("name/ann", "Ann", 0.0, three)
    assert ready(library, Sentence("en", (ann,))) == pytest.approx(0.5, abs=0.05)
    assert len(library.samples("en", ann)) == len(library.samples("en", three))
    assert 0.0 == ready(library, Sentence("en", (Clip("number/5", "five"),)))
