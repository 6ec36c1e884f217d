"""Entries of a stream, read back: as the journal's own reader would read them."""

from typing import Any

import msgspec
import pytest

from centerpiece.games.registry import GAMES
from centerpiece.hall.wire.entries import Entry, Events
from centerpiece.hall.wire.errors import OtherVersion
from centerpiece.storage.upgrades import UPGRADES
from centerpiece.table.events import SeatTaken


def entry(version: int, **document: Any) -> Entry:
    return Entry(1, "journal", 1.0, 1, version, msgspec.Raw(msgspec.json.encode(document)))


def test_an_older_event_is_brought_up_to_date_as_in_the_journal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A hall of this release follows tables of the one before."""
    older = {"type": "seat-taken", "chair": 3, "name": "Ann"}

    def renamed(document: dict[str, Any]) -> dict[str, Any]:
        return {"type": "seat-taken", "seat": document["chair"], "name": document["name"]}

    monkeypatch.setitem(UPGRADES, "seat-taken", {0: renamed})

    assert SeatTaken(3, "Ann") == Events(GAMES).recorded("table-1", 1, entry(0, **older)).event


@pytest.mark.parametrize(
    ("version", "document"),
    [
        (SeatTaken.version + 1, {"type": "seat-taken", "seat": 3, "name": "Ann"}),
        (1, {"type": "train-derailed"}),
        (1, {"no": "event"}),
    ],
)
def test_an_event_of_a_later_release_is_not_guessed_at(
    version: int, document: dict[str, Any]
) -> None:
    """The organiser is told what to do."""
    with pytest.raises(OtherVersion, match=r"Event 1 of table-1 .* Update the hall"):
        Events(GAMES).recorded("table-1", 1, entry(version, **document))


def test_a_game_that_the_hall_does_not_know_is_named() -> None:
    """A package that a table has, and the hall's machine not."""
    agreed = {"type": "rules-agreed", "rules": {"game": "bergen", "name": "classic"}, "size": 6}

    with pytest.raises(OtherVersion, match=r"the game “bergen”, which this hall does not know"):
        Events(GAMES).recorded("table-1", 1, entry(1, **agreed))
