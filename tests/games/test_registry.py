"""The registry: our games first, then those of entry points; nothing else names a game."""

import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import centerpiece
from centerpiece.games.registry import GROUP, BadGame, games, others

ROOT = Path(centerpiece.__file__).parent
OURS = ["mexican-train", "chickenfoot", "muggins", "castle-rock", "super-15"]

GAME = """
from centerpiece.games.muggins.rules import MugginsRules
from centerpiece.table.game import Game

class BlockRules(MugginsRules, frozen=True, tag="block"):
    title = "Block"

class Block(Game):
    rules = BlockRules
    profiles = ()
"""


def package(folder: Path, entry: str, module: str = GAME) -> None:
    """Make a package as an installer leaves it."""
    (folder / "theirs.py").write_text(module, encoding="utf-8")
    about = folder / "block_game-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Name: block-game\nVersion: 1.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(f"[{GROUP}]\n{entry}\n", encoding="utf-8")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which packages are found."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "theirs", raising=False)
    return tmp_path


def test_our_games_are_in_the_order_of_the_lobby() -> None:
    """People remember the numbers of the games."""
    assert OURS == list(games(()))


def test_a_game_of_another_package_comes_after_ours(installed: Path) -> None:
    """Its entry point is enough."""
    package(installed, "block = theirs:Block")

    found = games(others())

    assert [*OURS, "block"] == list(found)
    assert "Block" == found["block"].title


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("block = theirs:Nothing", "cannot be loaded"),
        ("block = nowhere:Block", "cannot be loaded"),
        ("dominoes = theirs:Block", "which calls itself “block”"),
    ],
)
def test_a_game_that_cannot_be_played_names_its_package(
    installed: Path, entry: str, words: str
) -> None:
    """At the start, not in the middle of an evening."""
    package(installed, entry)

    with pytest.raises(BadGame, match=f"block-game.*{words}"):
        games(others())


def test_no_two_games_have_one_name(installed: Path) -> None:
    """No game silently replaces another."""
    package(installed, "muggins = theirs:Block", GAME.replace('tag="block"', 'tag="muggins"'))

    with pytest.raises(BadGame, match="“muggins” of the package block-game has a name that is"):
        games(others())


@pytest.mark.parametrize(
    ("more", "name"),
    [
        ("class Undo(Command, frozen=True): pass\nBlock.commands = (Undo,)", "undo"),
        ("class PointsWon(Event, frozen=True): pass\nBlock.events = (PointsWon,)", "points-won"),
        ("class CastleRockPlay(Play, frozen=True): pass\nBlock.play = CastleRockPlay", "Castle"),
    ],
)
def test_no_two_games_call_different_things_by_one_name(
    installed: Path, more: str, name: str
) -> None:
    """The journal could not tell them apart."""
    parts = "from centerpiece.table.game import Command, Event, Play\n"
    package(installed, "block = theirs:Block", parts + GAME + more)

    with pytest.raises(BadGame, match=f"block-game has a “{name}"):
        games(others())


def test_a_game_may_be_another_one_with_rules_of_its_own(installed: Path) -> None:
    """Inherited commands and events are the same classes, so their names do not clash."""
    derived = GAME.replace("class Block(Game)", "class Block(Muggins)")
    package(
        installed,
        "block = theirs:Block",
        "from centerpiece.games.muggins.game import Muggins" + derived,
    )

    assert "Block" == games(others())["block"].title


def test_a_start_without_other_games_does_not_read_all_packages() -> None:
    """Importing `importlib.metadata` alone is a tenth of the time to the first light."""
    code = "import sys, centerpiece.games.registry; print(*sys.modules)"
    run = [sys.executable, "-c", code]
    loaded = subprocess.run(run, capture_output=True, text=True, check=True, cwd=ROOT.parent)

    assert "centerpiece.games.registry" in loaded.stdout.split()
    assert "importlib.metadata" not in loaded.stdout.split()
    assert list(entry_points(group=GROUP)) == list(others())


NAMES = re.compile(
    r"mexican|muggins|chickenfoot|castle.?rock|super.?15|\b(toes|spell|pile)\b", re.I
)


@pytest.mark.parametrize("room", ["table", "display", "speech", "hub", "web"])
def test_nothing_outside_its_folder_names_a_game(room: str) -> None:
    """Docstrings may, as an example; the public state's type must; code and pages may not."""
    scripts = [*(ROOT / room).rglob("*.py"), *(ROOT / room).rglob("*.js")]
    files = [path for path in scripts if path.name != "state_types.py"]
    found = [
        f"{path.name}: {line.strip()}"
        for path in files
        for line in path.read_text("utf-8").splitlines()
        if NAMES.search(line) and "such as `" not in line
    ]

    assert files
    assert [] == found
