"""The library: clips are made ahead in another process, and cached."""

import errno
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from hal.ports import Clip, ClipSequence
from hal.voice import clips
from hal.voice.clip_requests import ClipRequest, ClipResult
from hal.voice.library import EDITION, Library, _own
from hal.voice.renderer import ClipRenderer, give_way
from tests.patience import until

pytestmark = pytest.mark.real_time("clips that another process makes")

TIMEOUT_S = 300.0
THREE = ClipSequence(
    "en", (Clip("number/3", "three", 0.1), Clip("phrase/tiles-each", "tiles each"))
)

needs_espeak = pytest.mark.skipif(
    shutil.which("espeak-ng") is None, reason="espeak-ng is not installed"
)


@pytest.fixture
def opened() -> Iterator[list[Library]]:
    libraries: list[Library] = []
    yield libraries
    for library in libraries:
        library.close()


def ready(library: Library, sentence: ClipSequence) -> float:
    """Wait until the length of a sentence is known, and return it."""
    for _ in range(int(TIMEOUT_S / 0.05)):
        if (seconds := library.seconds(sentence)) is not None:
            return seconds
        Event().wait(0.05)
    raise AssertionError(f"still waiting for {sentence}")


@needs_espeak
def test_a_clip_is_made_once_and_kept_for_other_evenings(
    tmp_path: Path, opened: list[Library]
) -> None:
    """Asked at once it is not there; a little later it is, also after a restart."""
    library = Library(tmp_path, idle=False)
    opened.append(library)

    at_once, later = library.seconds(THREE), ready(library, THREE)
    library.close()
    again = Library(tmp_path, synthesizer="nobody's", idle=False)
    opened.append(again)

    assert at_once is None
    assert 0.5 < later < 3.0
    assert later == pytest.approx(
        sum(len(library.samples(THREE, clip)) for clip in THREE.clips) / 44_100 + 0.1, abs=0.01
    )
    assert 0.0 == ready(again, THREE)  # another voice has clips of its own


@needs_espeak
def test_who_is_interrupted_begins_again(tmp_path: Path, opened: list[Library]) -> None:
    """A clip that was lost with a killed process is made on the next query."""
    library = Library(tmp_path, idle=False)
    opened.append(library)
    ready(library, THREE)
    process = library._process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    process.wait()

    assert ready(library, ClipSequence("en", (Clip("number/4", "four"),))) > 0.2


def test_a_voice_of_ones_own_comes_first(tmp_path: Path, opened: list[Library]) -> None:
    """Recordings are used, at equal loudness; a clip that nobody can say is reported."""
    voice = tmp_path / "ours"
    (voice / "number").mkdir(parents=True)
    (voice / "voice.toml").write_text('language = "en"\nlicence = "ours"\n', "utf-8")
    tone = clips.array("h", (8000 if n // 50 % 2 else -8000 for n in range(22_050)))
    clips.write(voice / "number/3.wav", tone)
    library = Library(tmp_path / "cache", str(voice), "nobody's", idle=False)
    opened.append(library)
    three = Clip("number/3", "three")

    assert ready(library, ClipSequence("en", (three,))) == pytest.approx(0.5, abs=0.05)
    ann = Clip("name/ann", "Ann", 0.0, three)
    assert ready(library, ClipSequence("en", (ann,))) == pytest.approx(0.5, abs=0.05)
    assert len(library.samples(THREE, ann)) == len(library.samples(THREE, three))
    assert 0.0 == ready(library, ClipSequence("en", (Clip("number/5", "five"),)))


def kept(cache: Path, *keys: str) -> Path:
    """Fill the cache folder of an earlier evening with these clips."""
    folder = cache / f"nobody's-en-{EDITION}"
    for key in keys:
        clips.write(folder / f"{key}.wav", clips.array("h", [100] * 22_050))
    return folder


def test_what_a_power_cut_left_is_thrown_away(tmp_path: Path, opened: list[Library]) -> None:
    """
    Empty, cut short or half made: it is made anew instead of being silent for ever. What cannot be
    looked at keeps nobody from the others.
    """
    folder = kept(tmp_path, "number/3", "phrase/tiles-each")
    hurt = [folder / "number/4.wav", folder / "number/5.wav", folder / "number/6.7.part"]
    for size, path in zip((0, 1001, 70), hurt, strict=True):
        path.write_bytes(bytes(size))
    (folder / "a.part").mkdir()
    (folder / "number/gone.wav").symlink_to(tmp_path / "nowhere")
    library = Library(tmp_path, synthesizer="nobody's", idle=False)
    opened.append(library)

    assert 1.1 == pytest.approx(ready(library, THREE))
    assert [] == [path for path in hurt if path.exists()]


def test_a_clip_that_was_taken_away_is_silent_once(tmp_path: Path, opened: list[Library]) -> None:
    """A cleared cache does not break the sound card: the clip is requested again."""
    folder = kept(tmp_path, "number/3", "phrase/tiles-each")
    library = Library(tmp_path, synthesizer="nobody's", idle=False)
    opened.append(library)
    ready(library, THREE)
    (folder / "number/3.wav").unlink()
    (folder / "phrase/tiles-each.wav").write_bytes(bytes(1001))

    assert [0, 0] == [len(library.samples(THREE, clip)) for clip in THREE.clips]
    assert 0.0 == ready(library, THREE)


def test_what_nobody_has_heard_for_longest_makes_room(
    tmp_path: Path, opened: list[Library]
) -> None:
    """A card is not filled with words: of three old clips the one that was heard today is kept."""
    voice, tone = tmp_path / "ours", clips.array("h", [8000, -8000] * 11_025)
    clips.write(voice / "number/5.wav", tone)
    (voice / "voice.toml").write_text('language = "en"\nlicence = "ours"\n', "utf-8")
    folder = kept(tmp_path / "cache", "number/1", "number/2", "number/3").rename(
        tmp_path / "cache" / _own(voice)["en"]
    )
    for age, number in enumerate((3, 2, 1)):
        os.utime(folder / f"number/{number}.wav", (1000 + age, 1000 + age))
    most = 3 * (folder / "number/1.wav").stat().st_size
    library = Library(tmp_path / "cache", str(voice), "nobody's", idle=False, most_bytes=most)
    opened.append(library)
    three, five = (Clip(f"number/{n}", str(n)) for n in (3, 5))
    ready(library, ClipSequence("en", (three,)))

    assert len(library.samples(THREE, three))
    ready(library, ClipSequence("en", (five,)))

    until(lambda: {"3.wav", "5.wav"} == {path.name for path in (folder / "number").iterdir()})
    assert ready(library, ClipSequence("en", (three, five))) > 0.9
    assert 0.0 == ready(library, ClipSequence("en", (Clip("number/2", "2"),)))


def test_to_ask_looks_at_no_file(tmp_path: Path, opened: list[Library]) -> None:
    """A query must not wait for an SD card: recordings are listed once, at the start."""
    voice = tmp_path / "ours"
    clips.write(voice / "number/3.wav", clips.array("h", [8000, -8000] * 9000))
    (voice / "voice.toml").write_text('language = "en"\nlicence = "ours"\n', "utf-8")
    (voice / "number/4.wav").symlink_to(tmp_path / "nowhere")
    library = Library(tmp_path / "cache", str(voice), "nobody's", idle=False)
    opened.append(library)
    shutil.rmtree(voice)

    assert library.seconds(THREE) in (None, 0.0)
    assert library._file(THREE, "number/3").startswith("own-en-")


def test_one_that_cannot_be_made_keeps_no_other_waiting(tmp_path: Path) -> None:
    """
    A synthesizer that fails in any way, or writes what is no sound, fails for that clip alone.
    """

    def speak(text: str, language: str, path: Path) -> None:
        if text == "two":
            raise KeyError(text)
        path.write_bytes(b"no sound")

    renderer = ClipRenderer(tmp_path, None, speak)
    for text in ("one", "two"):
        renderer.add(ClipRequest(f"{text}.wav", text, text, "en"))

    assert [ClipResult("one.wav", 0.0), ClipResult("two.wav", 0.0), None] == [
        renderer.render_next() for _ in range(3)
    ]


def test_clips_are_made_while_nobody_else_wants_the_processor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At the lowest priority, and only in idle time; where a sandbox forbids that, all the same."""
    asked: list[object] = []

    def forbidden(*what: object) -> None:
        asked.append(what[:2])
        raise PermissionError

    monkeypatch.setattr(os, "nice", forbidden)
    monkeypatch.setattr(os, "sched_setscheduler", forbidden)
    give_way()

    assert [(19,), (0, os.SCHED_IDLE)] == asked


def test_a_full_disk_keeps_no_half_clip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The journal needs the room."""

    def full(part: object, path: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        clips.write(tmp_path / "a.wav", clips.array("h", [1] * 100))

    assert [] == list(tmp_path.iterdir())


@needs_espeak
def test_a_calm_voice_has_clips_of_its_own(tmp_path: Path, opened: list[Library]) -> None:
    """They last longer; both kinds are kept beside each other."""
    library = Library(tmp_path, idle=False)
    opened.append(library)

    usual = ready(library, THREE)
    calm = ready(library, THREE._replace(calm=True))

    assert calm > 1.1 * usual
    folders = {path.name for path in tmp_path.iterdir()}
    assert {f"espeak-ng-en-{EDITION}", f"espeak-ng-en-{EDITION}-calm"} == folders
