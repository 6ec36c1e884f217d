"""The papers in `docs/` agree with the code."""

from pathlib import Path

import pytest

from centerpiece.games.registry import GAMES
from centerpiece.panel.lookup import panel_of
from centerpiece.reports.papers import main, panel_text, papers, settings_text
from centerpiece.rules.card import WIDTH
from centerpiece.table.game import Game

DOCS = Path(__file__).parents[2] / "docs"
PAPERS = papers(GAMES)


@pytest.mark.parametrize("name", PAPERS)
def test_a_printed_paper_is_as_the_code_is(name: str) -> None:
    """`python -m centerpiece.reports.papers docs/` prints them anew."""
    assert PAPERS[name] == (DOCS / name).read_text(encoding="utf-8")


def test_there_is_no_paper_of_a_removed_game() -> None:
    folders = {name.split("/")[0] for name in PAPERS}
    lying = {f"{f}/{path.name}" for f in folders for path in (DOCS / f).glob("*.txt")}

    assert set(PAPERS) == lying


@pytest.mark.parametrize("game", GAMES.games.values(), ids=lambda game: game.name)
def test_a_panel_map_has_every_binding_and_fits_the_page(game: Game) -> None:
    """A binding that a game overrides is listed once."""
    text = panel_text(game)
    said = " ".join(text.split())
    own = {(b.control, b.gesture, phase) for b in game.panel for phase in b.phases}

    for binding in panel_of(game).bindings:
        places = {(binding.control, binding.gesture, phase) for phase in binding.phases}
        if binding in game.panel or (places - own and not binding.when):
            assert binding.words in said
    assert max(map(len, text.splitlines())) <= WIDTH


def test_a_panel_map_tells_of_questions_where_they_can_be_asked() -> None:
    """No double is asked for where no double starts a round."""
    asked = "nobody has it: ask for the next lower double"

    assert asked in panel_text(GAMES.games["mexican-train"])
    assert asked not in panel_text(GAMES.games["muggins"])


@pytest.mark.parametrize("game", GAMES.games.values(), ids=lambda game: game.name)
def test_every_setting_is_printed_with_all_it_can_be(game: Game) -> None:
    text = settings_text(game)
    blocks = {block.split("\n")[0]: block for block in text.split("\n\n")[1:]}

    assert list(game.rules.settings) == list(blocks)
    for name, setting in game.rules.settings.items():
        block = " ".join(blocks[name].split())
        for sentence in setting.said.values():
            assert sentence in block
        assert setting.others in block
    assert max(map(len, text.splitlines())) <= WIDTH


def test_printing_writes_every_paper(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It prints their paths."""
    assert 0 == main([str(tmp_path)])

    assert [str(tmp_path / name) for name in PAPERS] == capsys.readouterr().out.splitlines()
    for name, text in PAPERS.items():
        assert text == (tmp_path / name).read_text(encoding="utf-8")


def test_printing_to_nowhere_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == main([])
    assert "usage" in capsys.readouterr().err
