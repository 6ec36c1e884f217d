"""`centerpiece voice` and the words of `centerpiece sounds export`."""

import shutil
from pathlib import Path

import pytest

from centerpiece.__main__ import main
from centerpiece.cli.sounds import card_of
from centerpiece.speech.languages import language
from hal.voice import clips
from hal.voice.module_card import Words, export


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
