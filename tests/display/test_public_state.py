"""The public state: its names are a contract."""

from itertools import chain
from typing import Any, Union

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from centerpiece.display.public_state import SEAT_HOLE, public_state
from centerpiece.games.mexican_train.game import ToggleDouble, ToggleMarker
from centerpiece.games.registry import GAMES
from centerpiece.table import commands as c
from centerpiece.table.commands import Command
from centerpiece.text import Sentence
from tests.evenings import AT, FOUR, LiveLedger, opened, order, scored, seen, tried
from tests.strategies import evenings

CONTRACT = {"table", "seq", "saved", "phase", "game", "rules", "set", "round", "rounds", "engine"}
CONTRACT |= {"engines", "hand", "starter", "turn", "direction", "seats", "train", "toes", "spell"}
CONTRACT |= {"pile", "penalties", "clock", "winners", "tie", "notice"}
OF_A_SEAT = {"seat", "name", "team", "marker", "last_tile", "open_double", "skipped"}
OF_A_SEAT |= {"scores", "total", "place"}

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


def test_the_first_state_value_by_value() -> None:
    state = seen(LiveLedger())

    assert FIRST_DAY == {key: state[key] for key in FIRST_DAY}
    assert state["notice"].startswith("Welcome.")


@given(evenings)
def test_every_name_of_the_contract_is_always_there(asked: list[Command]) -> None:
    """In every phase; and the document can be written as JSON."""
    ledger = LiveLedger()
    tried(ledger, asked)
    state = seen(ledger)

    assert set() == CONTRACT - set(state)
    for seat in state["seats"]:
        assert set() == OF_A_SEAT - set(seat)
    assert state == msgspec.json.decode(msgspec.json.encode(state))


def test_names_beside_the_contract_do_not_go_away() -> None:
    """Pages, scripts and the hall use these names too."""
    state = seen(opened())
    more = {"out", "blocked", "missing", "corrections", "undo", "redo", "undo_of"}

    assert set() == more - set(state)
    assert set() == {"plays", "left"} - set(state["seats"][0])


def test_a_game_in_play_value_by_value() -> None:
    """Scores, penalties and the clock of a rally table; nobody leads while a hand is missing."""
    ledger = opened("mexican-train/rally", (*FOUR, "Eve", "Finn"), starter=2)
    order(ledger, c.Penalize(4, "points", 5))
    scored(ledger, 1, s2=10, s3=20, s4=30, s5=40)
    order(ledger, c.NextRound(uncounted=True), c.CallLastTile(2))
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
        "notice": "Bob has one tile left.",
    }

    assert expected == {key: state[key] for key in expected}
    assert [
        (1, "Ann", [0], 0, None, False),
        (2, "Bob", [10], 0, None, True),
        (3, "Cara", [20], 0, None, False),
        (4, "Dan", [35], 0, None, False),
        (5, "Eve", [40], 0, None, False),
        (6, "Finn", [None], 0, None, False),
    ] == [
        tuple(seat[key] for key in ("seat", "name", "scores", "total", "place", "last_tile"))
        for seat in state["seats"]
    ]


@pytest.mark.parametrize(("after", "left"), [(0.0, 6300), (6299.6, 0), (6300.0, 0), (9999.0, 0)])
def test_the_clock_stops_at_nothing(after: float, left: int) -> None:
    """It is null without a time limit, and after the game."""
    ledger = opened("mexican-train/rally")

    assert {"remaining_s": left} == seen(ledger, AT + after)["clock"]
    assert seen(opened())["clock"] is None
    order(ledger, c.FinishGame())
    assert seen(ledger, AT + after)["clock"] is None


def test_a_notice_tells_what_was_undone_and_done_again() -> None:
    """The notice is a sentence with names in it."""
    ledger = opened()
    order(ledger, c.CallLastTile(2), c.Undo())
    assert "Undone: Bob has one tile left." == seen(ledger)["notice"]
    order(ledger, c.Redo())

    assert "Redone: Bob has one tile left." == seen(ledger)["notice"]


SCORED = (c.NextRound(), c.GoOut(1), *(c.EnterScore(n, 7 * n, True, confirm=True) for n in (2, 3)))
"""A round of three, if one can be played."""


@settings(max_examples=max(10, settings().max_examples // 2))
@given(
    st.sampled_from([("mexican-train/classic", 9), ("muggins/classic", 6), ("super-15", 15)]),
    st.lists(
        st.one_of(
            st.just(SCORED),
            st.just(SCORED),
            st.builds(
                c.CorrectScore, st.integers(2, 3), st.integers(0, 40), round=st.integers(1, 3)
            ),
            st.builds(c.Penalize, st.integers(1, 3), st.just("points"), st.integers(1, 50)),
            st.builds(c.ChangeRule, st.just("double_blank"), st.integers(0, 50)),
            st.sampled_from([c.Undo(), c.Redo(), c.GoOut(1), c.Block(), c.FinishGame()]),
            st.sampled_from([c.Leave(3), c.Park(2), c.Return(2), c.Join("Eve")]),
        ).map(lambda asked: asked if isinstance(asked, tuple) else (asked,)),
        max_size=12,
    ),
)
def test_cached_values_equal_new_ones(
    rules: tuple[str, int], asked: list[tuple[Command, ...]]
) -> None:
    ledger = LiveLedger()
    for command in (c.OpenTable(rules[0], FOUR[:3], rules[1]), *SCORED, *chain(*asked)):
        tried(ledger, [command])

        bare = replace(ledger.ledger, table=replace(ledger.table))
        assert public_state(bare, "table-1", AT) == seen(ledger)


@pytest.mark.parametrize("game", GAMES.games)
def test_the_names_of_every_game_are_there_whatever_is_played(game: str) -> None:
    """Those of other games are blank."""
    rules = GAMES.profile(game)
    ledger = opened(rules.full_name, FOUR[: max(rules.hands[rules.sets[0]])], rules.sets[0])
    others = {key: blank for key, blank in GAMES.blanks.items() if key not in _own(game)}

    assert {"toes", "spell", "pile", "train"} == set(GAMES.blanks)
    assert others == {key: seen(ledger)[key] for key in others}


def _own(game: str) -> set[str]:
    return set(GAMES.games[game].blanks)


@pytest.mark.parametrize("game", GAMES.games)
def test_every_offer_is_a_valid_command(game: str) -> None:
    """Its seat is filled in first."""
    rules = GAMES.profile(game)
    state = seen(opened(rules.full_name, FOUR[: max(rules.hands[rules.sets[0]])], rules.sets[0]))
    assert state["offers"]
    for offer in state["offers"]:
        order = {key: 1 if value == SEAT_HOLE else value for key, value in offer["command"].items()}
        command: Any = msgspec.convert(order, Union[GAMES.commands])  # noqa: UP007

        assert offer["words"]
        assert offer["number"] in ("", *command.__struct_fields__)
        assert order != offer["command"] or not hasattr(command, "seat")


def test_an_offer_says_where_it_would_take_something_back() -> None:
    """Markers that are on and doubles that are open, on the train and at seats."""
    ledger = opened()
    order(ledger, ToggleMarker(3), ToggleDouble(2), ToggleDouble(0))
    offers = {offer["words"]: offer["off"] for offer in seen(ledger)["offers"]}

    assert "Close the train" == offers["Open the train"]
    on = {"toggle-marker": [3], "toggle-double": [0, 2], "start-train": [0]}
    assert on == seen(ledger)["on"]
    order(ledger, c.GoOut(1))
    assert [] == seen(ledger)["offers"]


def test_alerts_are_in_words() -> None:
    """The double that is due first; a game without a siding has no name for it."""
    ledger = opened()
    order(ledger, ToggleDouble(2), ToggleDouble(0))
    state = seen(ledger)

    told = [str(Sentence(**alert)) for alert in state["alerts"]]
    first, then = "Open double on Bob’s train: this one first", "Open double on the Mexican Train"
    assert [first, then] == told
    siding = {"look": "double", "name": "Mexican Train", "words": "is running"}
    assert siding == state["siding"]
    chickens = seen(opened("chickenfoot"))
    assert {"look": "double", "name": "", "words": ""} == chickens["siding"]
    assert {"needed": 6, "played": 0} == chickens["toes"]
