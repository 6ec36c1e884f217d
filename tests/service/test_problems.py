"""Problems of the machine: on the page and on the card until they are solved."""

from pathlib import Path

import pytest

from centerpiece.service import problems
from centerpiece.service.integrity_check import IntegrityCheck
from centerpiece.service.problems import NAME, known, tell
from hal.ports import Trouble
from tests.service.test_integrity_check import Rig


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Return the folder that the hub reads, and the boot partition."""
    folder, card = tmp_path / "problems", tmp_path / "boot"
    card.mkdir()
    monkeypatch.setattr(problems, "FOLDER", folder)
    monkeypatch.setattr(problems, "CARD", card)
    return folder, card


def test_a_file_on_the_card_says_what_is_wrong_and_goes_when_it_is_solved(
    places: tuple[Path, Path],
) -> None:
    """One sentence for each kind, with line ends that every computer's editor shows."""
    _, card = places
    tell("update", "It is damaged.")
    tell("card", "It is too small.")
    tell("update", "It is not signed.")

    assert b"It is too small.\r\nIt is not signed.\r\n" == (card / NAME).read_bytes()
    tell("update", "")
    assert {"card": "It is too small."} == known()
    tell("card", "")
    assert not (card / NAME).exists()


def test_a_folder_that_cannot_be_written_still_has_its_sentence_on_the_card(
    places: tuple[Path, Path],
) -> None:
    """Earlier sentences are kept."""
    folder, card = places
    tell("card", "It is too small.")
    (folder / "update").mkdir()
    tell("update", "It is damaged.")

    assert b"It is too small.\r\nIt is damaged.\r\n" == (card / NAME).read_bytes()


def test_a_full_card_still_has_its_sentence_on_the_page(places: tuple[Path, Path]) -> None:
    """A failed write to the boot partition raises nothing."""
    _, card = places
    (card / NAME).mkdir()  # as good as full: no file can be written there
    tell("boot", "It is full.")

    assert {"boot": "It is full."} == known()


def test_the_hub_hears_of_a_problem_and_of_its_end(
    places: tuple[Path, Path], tmp_path: Path
) -> None:
    rig = Rig(tmp_path / "table.db")
    integrity_check = IntegrityCheck(rig.hub, rig.told.append, rig._call)
    tell("network", "It is gone.")
    integrity_check.look(1.0)
    tell("network", "")
    integrity_check.look(2.0)

    told = [each for each in rig.told if each.device == "network"]
    assert [Trouble("network", "It is gone."), Trouble("network", "")] == told
