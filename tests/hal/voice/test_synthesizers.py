"""Synthesizers by name, and one of another package."""

import os
import runpy
import tomllib
from pathlib import Path

import pytest

from hal.cues import RATE
from hal.voice import clips
from hal.voice.clip_requests import ClipRequest
from hal.voice.renderer import ClipRenderer
from hal.voice.synthesizers import CannotSpeak, synthesizer

PIPER = Path(__file__).parents[3] / "docs/examples/piper"
FIVE = ClipRequest("", "number/5", "five", "en", calm=True)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A synthesizer's program that says a tone; it notes how it was called in `called`."""
    tone = [8000 if n // 50 % 2 else -8000 for n in range(22_050)]
    clips.write(tmp_path / "tone.wav", clips.array("h", tone))
    path = tmp_path / "bin/espeak-ng"
    path.parent.mkdir()
    path.write_text(
        f'#!/bin/sh\necho "$*" > {tmp_path}/called\ncase "$*" in *mb-nl2*) exit 1;; esac\n'
        f'while [ $# -gt 0 ]; do case $1 in -w|--output_file) cp {tmp_path}/tone.wav "$2";; esac\n'
        "shift; done\n"
    )
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{path.parent}:{os.defpath}")
    return path


def test_mbrola_speaks_with_its_own_voices(program: Path, tmp_path: Path) -> None:
    """It needs its program and a voice's package, each named if it is missing; a language without
    a voice is left to espeak-ng.
    """
    with pytest.raises(CannotSpeak, match="apt install mbrola"):
        synthesizer("mbrola")
    (program.parent / "mbrola").symlink_to(program)
    speak, path = synthesizer("mbrola"), tmp_path / "said.wav"

    speak(FIVE, path)
    assert "-v mb-us2 -s 104 -p 25" in (tmp_path / "called").read_text()
    with pytest.raises(CannotSpeak, match="is mbrola-nl2 installed"):
        speak(ClipRequest("", "number/5", "vijf", "nl"), path)
    speak(ClipRequest("", "number/5", "fem", "sv"), path)
    assert "-v sv -s 150 -p 50" in (tmp_path / "called").read_text()


def test_the_example_is_a_synthesizer(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The entry point names a function that makes a clip, and that says which voice is missing."""
    project = tomllib.loads((PIPER / "pyproject.toml").read_text("utf-8"))["project"]
    module, _, name = project["entry-points"]["centerpiece.synthesizers"]["piper"].partition(":")
    speak = runpy.run_path(str(PIPER / f"{module}.py"))[name]
    program.rename(program.with_name("piper"))
    monkeypatch.setenv("PIPER_VOICES", str(tmp_path))
    (tmp_path / "en.onnx").touch()

    made = ClipRenderer(tmp_path, None, speak).render(FIVE)

    assert 0.5 == pytest.approx(len(made) / RATE, abs=0.05)
    assert "--length_scale 1.25" in (tmp_path / "called").read_text()
    with pytest.raises(CannotSpeak, match=r"de\.onnx"):
        speak(ClipRequest("", "number/5", "fünf", "de"), tmp_path / "said.wav")
