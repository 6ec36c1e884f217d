"""Clips: equally loud, no clicks where they are joined, pauses that sound like speech."""

import math
import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from centerpiece.speech.languages import codes, language
from centerpiece.table.telling import Person, SpokenLine
from hal.cues import LOUDNESS, RATE
from hal.voice import clips
from hal.voice.folder import check
from tests.ears import loudness
from tests.hal.voice import clip_check
from tests.hal.voice.clip_check import longest_silence, made

needs_espeak = pytest.mark.skipif(
    shutil.which("espeak-ng") is None, reason="espeak-ng is not installed"
)
ANN = Person("Ann", 1)
PARTS = 8
SENTENCES = (
    SpokenLine("round", {"number": 3}),
    SpokenLine("tiles", {"tiles": 15}),
    SpokenLine("hand.blank", {"name": ANN, "points": 247}),
    SpokenLine("ask.out.how"),
)


@needs_espeak
@pytest.mark.parametrize("code", codes())
def test_a_composed_sentence_sounds_like_one(code: str) -> None:
    """
    Every clip is as loud as the cues and unclipped; nothing clicks at the joints, and no pause is
    longer than 0.4 s.
    """
    said = language(code).say(SENTENCES)
    parts = {clip.key: made(code, clip.key, clip.text) for clip in said.clips}

    for key, sound in parts.items():
        assert 0.1 < len(sound) / RATE < 5.0, key
        assert max(map(abs, sound)) <= 0.9 * clips.FULL, key
        assert 0 == sound[0] == sound[-1], key
        assert LOUDNESS == pytest.approx(loudness(sound, RATE, clips.FULL), abs=1.0), key
    whole = clips.joined([(parts[clip.key], clip.pause) for clip in said.clips])
    step = max(abs(b - a) for a, b in pairwise(whole))
    inside = max(max(abs(b - a) for a, b in pairwise(sound)) for sound in parts.values())
    assert step <= inside
    assert longest_silence(whole) <= 0.4


@needs_espeak
@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("code", codes())
def test_every_clip_sounds_right(code: str, part: int) -> None:
    """Its length, its peak, its ends, its loudness, the pauses in it."""
    words = list(language(code).vocabulary().items())[part::PARTS]

    assert [] == list(clip_check.faults(code, words))


def test_any_recording_becomes_a_clip(tmp_path: Path) -> None:
    """Another rate, silence at both ends, too soft, a pop in it: all of that is mended."""
    rate = 48_000
    tone = [0.02 * math.sin(2 * math.pi * 440 * n / rate) for n in range(rate // 2)]
    tone[9_000:9_004] = [0.2, 0.3, -0.3, -0.2]

    sound = clips.finished([0.0] * rate + tone + [0.0] * rate, rate)

    assert 0.5 == pytest.approx(len(sound) / RATE, abs=0.05)
    assert LOUDNESS == pytest.approx(loudness(sound, RATE, clips.FULL), abs=1.0)
    assert max(map(abs, sound)) <= 0.9 * clips.FULL
    assert 0 == len(clips.finished([0.0] * rate, rate))


def test_a_folder_is_told_what_is_wrong_with_it(tmp_path: Path) -> None:
    """Missing, unknown, silent, clipped, too soft, unreadable: each with its key."""
    sounds = {
        "number/0": [0] * 22_050,
        "number/1": [32_767 if n // 40 % 2 else -32_768 for n in range(22_050)],
        "number/2": [90 if n // 40 % 2 else -90 for n in range(22_050)],
        "number/3": [4000 if n // 40 % 2 else -4000 for n in range(22_050)],
        "number/hello": [4000 if n // 40 % 2 else -4000 for n in range(22_050)],
        "name/ann": [4000 if n // 40 % 2 else -4000 for n in range(22_050)],
    }
    for key, sound in sounds.items():
        clips.write(tmp_path / f"{key}.wav", clips.array("h", sound))
    (tmp_path / "number/5.wav").write_bytes(b"no sound at all")
    wanted = {f"number/{n}": str(n) for n in range(6)}

    found = {finding.key: finding.fault for finding in check(tmp_path, wanted)}

    assert {"number/0", "number/1", "number/2", "number/4", "number/5", "number/hello"} == set(
        found
    )
    assert "silent" == found["number/0"]
    assert found["number/1"].startswith("too loud") or "clipped" in found["number/1"]
    assert found["number/2"].startswith("too soft")
    assert "missing: “4”" == found["number/4"]
    assert "not a WAV file" in found["number/5"]
