"""Invariants of every game, whatever is pressed."""

import tempfile
from pathlib import Path
from typing import Union

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from centerpiece.games.registry import GAMES
from centerpiece.rules.rules import Rules
from centerpiece.table.commands import Undo
from centerpiece.table.undo import Recorded
from centerpiece.text import Refused
from hal.ports import BUTTONS
from sim.hands import HandGesture, hold, tap
from sim.script import Stage
from tests.evenings import (
    LiveLedger,
    ledger_facts,
    order,
    replayed,
    seen,
    tried,
    without_whistles,
)
from tests.games.anything import evenings

PROFILES = [profile for game in GAMES.games.values() for profile in game.profiles]
READ = msgspec.json.Decoder(Union[GAMES.events]).decode  # type: ignore[name-defined]  # noqa: UP007

every_profile = pytest.mark.parametrize("rules", PROFILES, ids=lambda rules: rules.full_name)
every_game = pytest.mark.parametrize("game", list(GAMES.games))


def read_back(recorded: Recorded) -> Recorded:
    """Return the same record, written and read again."""
    event = READ(msgspec.json.encode(recorded.event))
    return Recorded(recorded.seq, recorded.at, recorded.step, event)


def test_the_lobby_offers_the_games_in_their_order() -> None:
    """The number on the face is the game's place in it."""
    expected = ["mexican-train", "chickenfoot", "muggins", "castle-rock", "super-15"]

    assert expected == list(GAMES.games)


@every_profile
@given(st.data())
def test_nothing_that_is_asked_does_worse_than_being_refused(
    rules: Rules, data: st.DataObject
) -> None:
    """A refusal is a sentence and changes nothing; all else leaves a valid public state."""
    ledger = LiveLedger()
    for command in data.draw(evenings(rules)):
        before, why = ledger.table, None
        try:
            order(ledger, command)
        except Refused as refused:
            why = str(refused)
        if why is not None:
            assert why.endswith((".", "?", ".)"))
            assert before is ledger.table
        page = seen(ledger)
        assert page == msgspec.json.decode(msgspec.json.encode(page))


@every_profile
@given(st.data())
def test_replaying_the_journal_gives_the_live_game(rules: Rules, data: st.DataObject) -> None:
    """So a power cut between two presses does not change the game."""
    live = LiveLedger()
    journal = tried(live, data.draw(evenings(rules)))

    assert ledger_facts(live) == ledger_facts(replayed(map(read_back, journal)))


@every_profile
@given(st.data())
def test_undo_leads_back_through_every_table_there_was(rules: Rules, data: st.DataObject) -> None:
    ledger = LiveLedger()
    tried(ledger, without_whistles(data.draw(evenings(rules))))
    while ledger.past:
        before = ledger.past[-1].before
        order(ledger, Undo())
        assert before == ledger.table


@every_game
@given(st.data())
@settings(max_examples=15)
def test_fingers_gone_wild_never_stop_the_hub(game: str, data: st.DataObject) -> None:
    """Any gestures in any order; replaying the journal gives the same table."""
    gestures = st.lists(
        st.tuples(
            st.sampled_from(("seat-1", "seat-2", "seat-3", "train", *BUTTONS)),
            st.sampled_from(["tap", "tap", "double", "hold"]),
        ),
        max_size=25,
    )
    with tempfile.TemporaryDirectory() as folder:
        stage = Stage(Path(folder))
        try:
            for _ in range(list(GAMES.games).index(game)):
                stage.do(tap("train"))
            for seat in range(1, 2 if game == "castle-rock" else 5):
                stage.do(tap(f"seat-{seat}"))
            stage.do(hold("advance"))
            state = stage.hub.state()
            assert (game, "playing") == (state["game"], state["phase"])
            for button, gesture in data.draw(gestures):
                stage.do(HandGesture(gesture, button))
            live = ledger_facts(stage.hub.ledger)
            stage.restart()
            assert live == ledger_facts(stage.hub.ledger)
        finally:
            stage.stop()
