"""Train markers in docks: levels settle, and the hub and the docks agree in the end."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centerpiece.hub.dock_levels import SETTLED, DockLevels
from centerpiece.panel.markers import FIRST_LOOK, SECOND_LOOK
from centerpiece.table import commands as c
from centerpiece.text import Refused
from hal.ports import DockLevel
from sim.hands import HandGesture, Hands, double, tap
from sim.script import Stage
from tests.evenings import FOUR

LIFTS = 1000
BOUNCES = 0.29
"""The longest pause between two bounces of a marker that is still moving."""


@pytest.fixture
def hands() -> Iterator[Hands]:
    """A table of four with docks; seat 1 starts."""
    hands = Hands()
    hands.board.docks.fit(range(1, 5))
    hands.hub.do(c.OpenTable("mexican-train/classic", FOUR, 12, starter=1))
    hands.wait(10.0)
    yield hands
    hands.stop()


def markers(hands: Hands) -> list[bool]:
    """Return the open trains as the public state has them."""
    return [seat["marker"] for seat in hands.hub.state()["seats"]]


def events(hands: Hands) -> int:
    return hands.hub.seq


# Levels


def levels(*moves: tuple[float, bool]) -> list[tuple[bool, float, bool]]:
    """Return what settles of one marker's levels, given with their times."""
    docks = DockLevels()
    seen = [each for now, home in moves for each in docks.hear(DockLevel(1, home, now))]
    seen += docks.due(1e6)
    return [(home, round(now, 3), moved) for _, home, now, moved in seen]


def test_the_first_level_is_no_move() -> None:
    """Nobody knows when the marker came there."""
    assert [(True, 0.3, False), (False, 5.3, True)] == levels((0.0, True), (5.0, False))


def test_what_does_not_last_is_no_move() -> None:
    """A reed chatters, a hand changes its mind."""
    chatter = [(5.0 + n / 50, n % 2 == 1) for n in range(10)]

    assert [(True, 0.3, False)] == levels((0.0, True), *chatter)
    assert [(True, 0.3, False), (False, 5.5, True)] == levels((0.0, True), *chatter, (5.2, False))


def test_a_level_that_settled_before_the_next_counts_although_nobody_looked() -> None:
    """The loop may be late; the stamps say how it was."""
    assert [(True, 0.3, False), (False, 5.3, True), (True, 5.9, True)] == levels(
        (0.0, True), (5.0, False), (5.6, True)
    )


@given(st.lists(st.tuples(st.floats(0.0, 1.0), st.booleans()), max_size=30))
def test_the_last_level_is_believed_in_the_end(moves: list[tuple[float, bool]]) -> None:
    """Whatever came before it; and nothing is told twice."""
    now, stamped = 0.0, []
    for pause, home in moves:
        now += pause
        stamped.append((now, home))
    seen = [home for home, _, _ in levels(*stamped)]

    assert [home for _, home in stamped][-1:] == seen[-1:]
    assert all(one != other for one, other in pairwise(seen))


def test_what_was_forgotten_is_read_again() -> None:
    docks = DockLevels()
    docks.hear(DockLevel(1, True, 0.0))
    docks.due(1.0)
    docks.hear(DockLevel(1, False, 2.0))
    docks.forget()

    assert [] == docks.due(10.0)
    docks.hear(DockLevel(1, True, 11.0))
    assert [(1, True, 11.0 + SETTLED, False)] == docks.due(12.0)


# The hub


def test_a_thousand_chattering_lifts_are_a_thousand_lifts(hands: Hands) -> None:
    """Each bounces up to thirty times; wobbles between them, of markers that stay, mean nothing."""
    luck, docks = Random(39), hands.board.docks
    home = dict.fromkeys(range(1, 5), True)
    wrong = 0
    for _ in range(LIFTS):
        seat = luck.randrange(1, 5)
        stays = luck.random() < 1 / 3
        before = events(hands)
        for bounce in range(2 * luck.randrange(1, 15) + (not stays)):
            docks.level(seat, home[seat] if bounce % 2 else not home[seat])
            hands.wait(luck.uniform(0.0, BOUNCES))
        home[seat] = home[seat] if stays else not home[seat]
        hands.wait(luck.uniform(5.5, 8.0))
        expected = [not home[each] for each in range(1, 5)]
        wrong += markers(hands) != expected or events(hands) != before + (not stays)

    assert 0 == wrong


def test_a_lift_is_shown_a_moment_after_it_settled(hands: Hands) -> None:
    hands.board.docks.lift(2)
    hands.wait(SETTLED - 0.01)
    assert not markers(hands)[1]
    hands.wait(0.2)

    assert markers(hands)[1]
    assert {"open", "plays"} == hands.look("seat-2")[0]


def test_it_disturbs_no_question(hands: Hands) -> None:
    """Somebody lifts a marker while the hub asks who went out."""
    hands.do(tap("advance"))
    hands.move(2, home=False)

    assert "out" == hands.hub.state()["asks"]["what"]
    assert markers(hands)[1]


def test_it_counts_in_play_only(hands: Hands) -> None:
    """Markers are put home while hands are counted."""
    hands.move(2, home=False)
    hands.do(tap("advance"))
    hands.do(tap("seat-1"))
    before = events(hands)
    hands.move(2, home=True)
    hands.wait(30.0)

    assert before == events(hands)
    assert "scoring" == hands.hub.state()["phase"]


def test_a_marker_and_its_button_mean_it_once(hands: Hands) -> None:
    """In either order; a double tap is still a double left open."""
    hands.move(2, home=False)
    hands.do(tap("seat-2"))
    assert markers(hands)[1]
    hands.do(tap("seat-3"))
    hands.move(3, home=False)
    assert markers(hands)[2]
    hands.do(double("seat-2"))

    assert hands.hub.state()["seats"][1]["open_double"]
    assert [False, True, True, False] == markers(hands)


def test_another_change_of_the_table_is_not_taken_back(hands: Hands) -> None:
    """A marker that comes home soon takes its own move back, and nothing else."""
    hands.move(2, home=False)
    hands.do(tap("train"))
    hands.move(2, home=True)

    assert [False] * 4 == markers(hands)
    assert hands.hub.state()["train"]["started"]


def test_at_a_second_look_the_dock_is_believed(hands: Hands) -> None:
    """Until then the seat blinks, and the hub says why."""
    hands.do(tap("seat-2"))
    assert {"misplaced", "plays"} == hands.look("seat-2")[0]
    hands.wait(FIRST_LOOK)
    assert "Bob's train is open, but the marker is in its dock." == hands.hub.state()["notice"]
    assert "knock" in hands.heard
    hands.wait(SECOND_LOOK)

    assert [False] * 4 == markers(hands)
    assert {"closed", "plays"} == hands.look("seat-2")[0]


def test_a_marker_that_follows_its_button_ends_the_disagreement(hands: Hands) -> None:
    hands.do(tap("seat-2"))
    hands.move(2, home=False)
    before = events(hands)
    hands.wait(30.0)

    assert before == events(hands)
    assert [False, True, False, False] == markers(hands)


def test_a_phone_is_asked_before_an_undo_that_a_dock_contradicts(hands: Hands) -> None:
    hands.move(2, home=False)
    hands.wait(10.0)
    with pytest.raises(Refused) as asked:
        hands.hub.do(c.Undo())
    assert ("asks", "dock", [2]) == (
        asked.value.code,
        asked.value.sentence.facts["what"],
        asked.value.sentence.facts["seats"],
    )
    hands.hub.do(c.Undo(dock=True))

    assert [False] * 4 == markers(hands)


def test_the_marker_that_was_in_the_way_carries_the_undo_out(hands: Hands) -> None:
    """In play, the announcement that the move cost included; and back from the count."""
    hands.hub.do(c.CallLastTile(2, True))
    hands.move(2, home=False)
    hands.move(3, home=False)
    hands.wait(10.0)
    hands.do(tap("undo"))
    hands.move(3, home=True)
    hands.do(tap("undo"))
    assert hands.hub.state()["asks"] == {"what": "dock", "seats": [2]}
    hands.move(2, home=True)
    assert hands.hub.state()["seats"][1]["last_tile"]
    assert [False] * 4 == markers(hands)

    for seat in (3, 4):
        hands.wait(10.0)
        hands.move(seat, home=False)
    hands.do(tap("advance"))
    hands.do(tap("seat-1"))
    for seat in (3, 4):
        hands.move(seat, home=True)
    hands.do(tap("undo"))
    for seat in (3, 4):
        assert hands.hub.state()["asks"] == {"what": "dock", "seats": [seat]}
        hands.move(seat, home=False)

    assert hands.hub.state()["asks"] is None
    assert "playing" == hands.hub.state()["phase"]
    assert [False, False, True, True] == markers(hands)


def test_an_undo_without_contradiction_asks_nothing(hands: Hands) -> None:
    """Other actions, a button's mistake, and a round that ended too early."""
    hands.move(2, home=False)
    hands.do(tap("train"))
    hands.do(tap("undo"))
    hands.wait(3.0)
    hands.do(tap("seat-3"))
    hands.do(tap("undo"))
    hands.do(tap("advance"))
    hands.do(tap("seat-1"))
    hands.do(tap("undo"))

    assert hands.hub.state()["asks"] is None
    assert [False, True, False, False] == markers(hands)


def test_a_marker_moved_while_the_power_was_off_is_told_then_believed(tmp_path: Path) -> None:
    """The docks are read at the start."""
    stage = Stage(tmp_path)
    stage.board.docks.fit(range(1, 5))
    stage.hub.do(c.OpenTable("mexican-train/classic", FOUR, 12, starter=1))
    stage.move(2, home=False)
    stage.board.docks.home |= {2: True, 3: False}
    stage.restart()
    stage.wait(FIRST_LOOK + 1.0)
    told, before = stage.hub.state()["notice"], markers(stage)
    stage.wait(SECOND_LOOK)
    after = markers(stage)
    stage.stop()

    assert "Cara's train is closed, but the marker is not in its dock." == told
    assert ([False, True, False, False], [False, False, True, False]) == (before, after)


def test_a_game_without_markers_does_not_mind(hands: Hands) -> None:
    """Its people may play with them."""
    hands.hub.do(c.FinishGame())
    hands.hub.do(c.OpenTable("muggins/classic", FOUR[:2], 6, starter=1))
    hands.wait(3.0)
    before = events(hands)
    hands.move(2, home=False)
    hands.wait(30.0)
    hands.hub.do(c.Undo())

    assert before + 1 == events(hands)


def test_the_hub_sleeps_when_every_marker_is_in_its_place(hands: Hands) -> None:
    hands.move(2, home=False)
    hands.wait(30.0)

    assert hands.hub.next_wake() is None


seats = st.integers(1, 4)
doings = st.one_of(
    st.tuples(st.just("level"), seats, st.booleans()),
    st.tuples(st.just("level"), seats, st.booleans()),
    st.tuples(st.just("tap"), seats.map("seat-{}".format)),
    st.tuples(st.just("double"), seats.map("seat-{}".format)),
    st.tuples(st.sampled_from(["tap", "hold"]), st.sampled_from(["undo", "advance", "train"])),
    st.tuples(st.just("wait"), st.sampled_from([0.1, 0.5, 2.0, 6.0, 12.0])),
    st.tuples(st.sampled_from(["unplug", "plug"])),
)


@given(st.lists(doings, max_size=40))
def test_books_and_docks_agree_in_the_end(done: list[tuple[Any, ...]]) -> None:
    """Whatever people press and move, undo and redo: after a while of peace nothing differs but
    markers that were not home when the round began."""
    hands = Hands()
    docks = hands.board.docks
    docks.fit(range(1, 5))
    hands.hub.do(c.OpenTable("mexican-train/classic", FOUR, 12, starter=1))
    hands.wait(1.0)
    for what, *facts in done:
        if what in ("level", "unplug", "plug"):
            getattr(docks, what)(*facts)
        elif what == "wait":
            hands.wait(*facts)
        else:
            hands.do(HandGesture(what, *facts))
    docks.plug()
    hands.wait(40.0)
    found, state = hands.hub.ui.markers, hands.hub.state()
    hands.stop()

    assert frozenset() == found.misplaced
    if state["phase"] == "playing":
        differ = {
            seat["seat"] for seat in state["seats"] if seat["marker"] == docks.home[seat["seat"]]
        }
        assert differ == found.awaited
        assert not any(docks.home[seat] for seat in differ)
