"""`centerpiece voice` and the words of `centerpiece sounds export`."""

import os
import shutil
from pathlib import Path

import pytest

from centerpiece.__main__ import main
from centerpiece.cli.sounds import card_of
from centerpiece.speech.languages import language
from hal.cues import LOUDNESS, RATE
from hal.voice import clips
from hal.voice.module_card import Words, export
from tests.ears import loudness
from tests.patience import until


def test_the_list_has_a_file_and_a_text_for_every_clip(capsys: pytest.CaptureFixture[str]) -> None:
    """Reading it aloud, line by line, records a complete voice."""
    assert 0 == main(["voice", "record-list", "--language", "es"])
    lines = capsys.readouterr().out.splitlines()

    assert "number/21.wav\tveintiuno" in lines
    assert len(language("es").vocabulary()) + 1 == len(lines)


def test_a_recorded_voice_is_told_what_it_lacks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A missing clip is no fault, since the synthesizer says it; a silent one is."""
    (tmp_path / "voice.toml").write_text('language = "en"\nlicence = "ours"\n', "utf-8")
    clips.write(tmp_path / "number/3.wav", clips.array("h", [5000, -5000] * 10_000))
    complete = main(["voice", "check", str(tmp_path)])
    clips.write(tmp_path / "number/4.wav", clips.array("h", [0] * 20_000))
    output = capsys.readouterr().out

    assert 0 == complete
    assert "number/5: missing: “five”" in output
    assert "number/3:" not in output
    assert 1 == main(["voice", "check", str(tmp_path)])
    assert "number/4: silent" in capsys.readouterr().out


@pytest.fixture
def microphone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A microphone that hears whatever is in `heard.wav`, and a silent player."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "arecord").write_text(
        '#!/bin/sh\nfor file; do :; done\ncp "$HEARD" "$file" && touch "$HEARD.done"\n'
        "exec sleep 60\n"
    )
    (programs / "aplay").write_text("#!/bin/sh\n")
    for program in programs.iterdir():
        program.chmod(0o755)
    heard = tmp_path / "heard.wav"
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("HEARD", str(heard))
    return heard


def test_a_family_reads_the_list_aloud(
    microphone: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A name again, since it was too soft; then played, and again as it was not liked; a number is
    left out; then stop. The next time begins where this one ended.
    """
    silence, tone = [0] * 30_000, [9000 if n // 50 % 2 else -9000 for n in range(22_050)]
    answers = iter(["", "soft", "", "loud", "p", "r", "", "loud", "", "s", "q"])
    prompts = []

    def answer(prompt: str) -> str:
        prompts.append(prompt)
        if (said := next(answers)) in ("soft", "loud"):
            until(Path(f"{microphone}.done").exists)
            said = ""
        elif prompt.startswith("Enter, s") and not said:
            sound = silence if len(prompts) == 1 else [*silence, *tone, *silence]
            Path(f"{microphone}.done").unlink(missing_ok=True)
            clips.write(microphone, clips.array("h", sound))
        return said

    monkeypatch.setattr("builtins.input", answer)
    assert 0 == main(["voice", "record", str(tmp_path / "ours"), "--names", "Ann"])
    output = capsys.readouterr().out

    assert "Once more, please: silent." in output
    assert "1 of " in output
    sound = clips.load(tmp_path / "ours/name/ann.wav")
    assert 0.5 == pytest.approx(len(sound) / RATE, abs=0.05)
    assert LOUDNESS == pytest.approx(loudness(sound, RATE, clips.FULL), abs=1.0)
    assert ["ann.wav"] == [path.name for path in tmp_path.glob("ours/*/*.wav")]
    assert 'language = "en"' in (tmp_path / "ours/voice.toml").read_text("utf-8")

    answers = iter(["q"])
    assert 0 == main(["voice", "record", str(tmp_path / "ours"), "--names", "Ann"])
    assert "Enter" not in capsys.readouterr().out.split("Ann\n")[1].split("zero")[0]


def test_recording_needs_a_microphone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without its program, or with one that ends at once, the sentence says what to do."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert 0 != main(["voice", "record", str(tmp_path / "ours")])
    missing = capsys.readouterr().err
    program = tmp_path / "arecord"
    program.write_text("#!/bin/sh\necho no card >&2\nexit 1\n")
    program.chmod(0o755)

    def answer(prompt: str) -> str:
        if prompt.startswith("Recording"):
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
        return ""

    monkeypatch.setattr("builtins.input", answer)
    assert 0 != main(["voice", "record", str(tmp_path / "ours")])

    assert "apt install alsa-utils" in missing
    assert "no card" in capsys.readouterr().err


@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="espeak-ng is not installed")
def test_words_lie_where_a_player_finds_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A sound module finds clips by folder and track number, at most 255 in a folder.

    Names have a folder of their own; the last folder has as many tracks as the version's number.
    """
    whole = card_of(language("en"), ["Ann", "Bob"])
    some = {(10, 48), (18, 2)}
    placed = {place: what for place, what in whole.placed.items() if place in some}
    written = list(export(tmp_path, Words("en", placed, whole.version_folder, 3)))

    assert {(10, 48): ("number/47", "forty-seven"), (18, 2): ("name/bob", "Bob")} == placed
    assert [str(tmp_path / "10/048.wav"), str(tmp_path / "18/002.wav")] == written[:2]
    assert ["001.wav", "002.wav", "003.wav"] == sorted(p.name for p in (tmp_path / "19").iterdir())
    assert "10/048.wav  number/47  forty-seven" in (tmp_path / "words-en.txt").read_text("utf-8")
    assert len(clips.load(tmp_path / "10/048.wav")) > 20_000
    many = ",".join(map(str, range(256)))
    assert 0 != main(["sounds", "export", str(tmp_path), "--names", many])
    assert "room for 255 names, not 256" in capsys.readouterr().err
