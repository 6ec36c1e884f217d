"""The public state: its names are a contract."""

from typing import Any

import msgspec
import pytest
from hypothesis import given

from centerpiece.games.registry import BOOKS
from centerpiece.table import commands as c
from centerpiece.table.commands import Command
from centerpiece.table.undo import Ledger
from tests.evenings import AT, FOUR, opened, order, scored, seen, tried
from tests.strategies import evenings

CONTRACT = {"table", "seq", "saved", "phase", "game", "rules", "set", "round", "rounds", "engine"}
CONTRACT |= {"engines", "hand", "starter", "turn", "direction", "seats", "train", "toes", "spell"}
CONTRACT |= {"pile", "penalties", "clock", "winners", "tie", "notice"}
SEAT = {"seat", "name", "team", "marker", "last_tile", "open_double", "skipped"}
SEAT |= {"scores", "total", "place"}

FIRST_DAY = {
    "table": "table-1",
    "seq": 0,
    "saved": True,
    "phase": "lobby",
    "game": "mexican-train",
    "rules": "classic",
    "set": 12,
    "round": 0,
    "rounds": 13,
    "engine": None,
    "engines": [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
    "hand": None,
    "starter": None,
    "turn": None,
    "direction": "clockwise",
    "seats": [],
    "train": {"started": False, "open_double": False},
    "toes": None,
    "spell": False,
    "pile": None,
    "penalties": [],
    "clock": None,
    "winners": [],
    "tie": [],
}


def test_the_first_day_is_known_value_by_value() -> None:
    """Before anything has happened."""
    state = seen(Ledger(BOOKS))

    assert FIRST_DAY == {key: state[key] for key in FIRST_DAY}
    assert state["notice"].startswith("Welcome.")


@given(evenings)
def test_every_name_of_the_contract_is_always_there(asked: list[Command]) -> None:
    """In every phase; and the document is JSON as it stands."""
    ledger = Ledger(BOOKS)
    tried(ledger, asked)
    state = seen(ledger)

    assert set() == CONTRACT - set(state)
    for seat in state["seats"]:
        assert set() == SEAT - set(seat)
    assert state == msgspec.json.decode(msgspec.json.encode(state))


def test_what_stands_beside_the_contract_does_not_go_away() -> None:
    """Pages, scripts and the hall rest on these names too."""
    state = seen(opened())
    more = {"out", "blocked", "missing", "corrections", "can_undo", "can_redo"}

    assert set() == more - set(state)
    assert set() == {"plays", "left"} - set(state["seats"][0])


def test_a_game_in_the_middle_is_known_value_by_value() -> None:
    """Scores, places, penalties and the clock of a rally table in its second round."""
    ledger = opened("mexican-train/rally", (*FOUR, "Eve", "Finn"), starter=2)
    order(ledger, c.Penalize(4, "points", 5))
    scored(ledger, 1, s2=10, s3=20, s4=30, s5=40)
    order(ledger, c.NextRound(), c.CallLastTile(2))
    state = seen(ledger, AT + 100.4)
    expected: dict[str, Any] = {
        "phase": "playing",
        "game": "mexican-train",
        "rules": "rally",
        "round": 2,
        "rounds": 10,
        "engine": 8,
        "hand": 12,
        "starter": 3,
        "penalties": [{"round": 1, "seat": 4, "kind": "points", "points": 5}],
        "missing": [{"round": 1, "seats": [6]}],
        "clock": {"remaining_s": 6200},
        "winners": [],
        "notice": "Bob is down to the last tile.",
    }

    assert expected == {key: state[key] for key in expected}
    assert [
        (1, "Ann", [0], 0, 1, False),
        (2, "Bob", [10], 10, 3, True),
        (3, "Cara", [20], 20, 4, False),
        (4, "Dan", [35], 35, 5, False),
        (5, "Eve", [40], 40, 6, False),
        (6, "Finn", [None], 0, 1, False),
    ] == [
        tuple(seat[key] for key in ("seat", "name", "scores", "total", "place", "last_tile"))
        for seat in state["seats"]
    ]


@pytest.mark.parametrize(("after", "left"), [(0.0, 6300), (6299.6, 0), (6300.0, 0), (9999.0, 0)])
def test_the_clock_stops_at_nothing(after: float, left: int) -> None:
    """And there is none without a time limit, nor after the game."""
    ledger = opened("mexican-train/rally")

    assert {"remaining_s": left} == seen(ledger, AT + after)["clock"]
    assert seen(opened())["clock"] is None
    order(ledger, c.FinishGame())
    assert seen(ledger, AT + after)["clock"] is None


def test_a_notice_tells_what_was_undone_and_done_again() -> None:
    """As a sentence with names in it."""
    ledger = opened()
    order(ledger, c.CallLastTile(2), c.Undo())
    assert "Undone: Bob is down to the last tile." == seen(ledger)["notice"]
    order(ledger, c.Redo())

    assert "Done again: Bob is down to the last tile." == seen(ledger)["notice"]
