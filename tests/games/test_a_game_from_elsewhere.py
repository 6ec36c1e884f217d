"""The example of `docs/examples/block`: a sixth game, installed as a package of its own.

Everything runs in processes of their own, since installed games are looked up once, at the start.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs/examples/block"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the game is installed, from nothing but its own files."""
    work = tmp_path_factory.mktemp("block")
    # A copy, because building leaves things behind.
    source = shutil.copytree(EXAMPLE, work / "source")
    offline = ("--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check")
    command = [sys.executable, "-m", "pip", "install", "-q", *offline, "--target", work / "site"]
    subprocess.run([*command, source], check=True, timeout=300)
    return work / "site"


def run(*command: str | Path, site: Path | None = None) -> tuple[int, str]:
    """Run Python with the game, if it is installed; return the exit code and the output."""
    path = os.pathsep.join(str(folder) for folder in (ROOT, site) if folder)
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-m", *command],
        env=environment,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
    return done.returncode, done.stdout


def test_it_is_played_by_its_buttons(site: Path) -> None:
    """The package's own scenario passes."""
    code, said = run("centerpiece", "script", EXAMPLE / "evening.txt", site=site)

    assert 0 == code, said


@pytest.mark.parametrize("players", ["2", "3", "4"])
@pytest.mark.parametrize("games", ["2", pytest.param("10", marks=pytest.mark.long)])
def test_virtual_people_and_the_hub_agree(site: Path, players: str, games: str) -> None:
    """Whole games, tile by tile, of every profile and number of players."""
    arguments = ("block/classic", "block/draw", "--games", games, "--players", players)
    code, said = run("centerpiece", "simulate", *arguments, site=site)

    assert 0 == code, said
    assert "block/draw: double-6" in said


def test_what_holds_of_every_game_holds_of_it(site: Path) -> None:
    """Refusals are sentences, undo restores tables, replay gives the same table."""
    code, said = run("tests.games.with_block", "promises", site=site)

    assert 0 == code, said


def test_it_is_on_the_pages_and_in_the_journal(site: Path, tmp_path: Path) -> None:
    """Without the game, its journal is refused with a sentence that names it."""
    code, said = run("tests.games.with_block", "pages", tmp_path, site=site)
    assert 0 == code, said

    history = ("centerpiece", "history", "--data", tmp_path)
    code, said = run(*history, site=site)
    assert (0, True) == (code, "Block " in said), said

    code, said = run(*history)
    assert (2, True) == (code, "the game “block”, which is not installed here" in said), said


def test_without_it_nothing_knows_of_it(tmp_path: Path) -> None:
    code, said = run("centerpiece", "rules", "block/classic", "--data", tmp_path)

    assert (2, True) == (code, "There is no game “block”" in said), said
