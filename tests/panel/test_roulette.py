"""The roulette of lights: it shows a lot that is in the journal, without fast flashing."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centerpiece.panel.roulette import Roulette
from centerpiece.table import commands as c
from sim.hands import tap
from sim.script import Stage
from tests.evenings import FOUR

tables = st.lists(st.integers(1, 10), min_size=2, max_size=10, unique=True).map(sorted)


@given(tables, st.integers(0, 9))
def test_the_light_slows_down_and_stops_in_time(seats: list[int], lot: int) -> None:
    """Each step is longer than the one before; all take at most ten seconds."""
    wheel = Roulette(100.0, tuple(seats), seats[lot % len(seats)])
    moves = [100.0, *(wheel.until(step) for step in range(wheel.steps))]
    pauses = [later - earlier for earlier, later in pairwise(moves)]

    assert sorted(pauses) == pauses
    assert wheel.ends == moves[-1]
    assert wheel.ends - 100.0 <= 10.0


@given(tables, st.integers(0, 9))
def test_no_seat_flashes_more_than_twice_a_second(seats: list[int], lot: int) -> None:
    """A whole round of the light takes at least half a second."""
    wheel = Roulette(0.0, tuple(seats), seats[lot % len(seats)])
    starts = [0.0, *(wheel.until(step) for step in range(wheel.steps))]
    for step in range(len(starts) - len(seats)):
        assert starts[step + len(seats)] - starts[step] >= 0.5 - 1e-9


@given(tables, st.integers(0, 9))
def test_after_the_last_step_the_light_is_where_the_lot_fell(seats: list[int], lot: int) -> None:
    chosen = seats[lot % len(seats)]
    wheel = Roulette(0.0, tuple(seats), chosen)

    assert chosen == wheel.seats[wheel.steps % len(wheel.seats)]


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    stage = Stage(tmp_path)
    stage.hub.do(c.OpenTable("mexican-train/classic", FOUR, 12, starter=1))
    yield stage
    stage.stop()


def lit(stage: Stage) -> list[int]:
    """Return the seats that show the starter's look."""
    seen = stage.glance("seat-1", "seat-2", "seat-3", "seat-4")
    return [seat for seat, looks in enumerate(seen, start=1) if "starter" in looks]


def test_the_lot_is_in_the_journal_before_the_light_moves(stage: Stage) -> None:
    """So a power cut takes nothing back."""
    stage.hub.do(c.DrawStarter(2))
    stage.wait(0.6)
    assert 3 == stage.hub.state()["starter"]

    stage.restart()

    assert [3] == lit(stage)


def test_the_light_visits_everybody_and_ends_with_a_bell(stage: Stage) -> None:
    stage.hub.do(c.DrawStarter(2))
    heard = len(stage.board.sound.played)
    visited = set()
    for _ in range(200):
        (seat,) = lit(stage)
        visited.add(seat)
        stage.wait(0.05)

    assert {1, 2, 3, 4} == visited
    assert [3] == lit(stage)
    assert ["round"] == stage.board.sound.played[heard:]


def test_undo_stops_the_light_at_once(stage: Stage) -> None:
    stage.hub.do(c.DrawStarter(2))
    stage.wait(0.6)
    stage.hub.do(c.Undo())

    assert [1] == lit(stage)


def test_the_hub_draws_a_lot_of_its_own_when_asked_by_its_buttons(stage: Stage) -> None:
    """The random number is injected, so a test can choose it."""
    stage.hub._lots = lambda: 3
    stage.hub.do(c.FinishGame())
    stage.hub.do(c.OpenTable("mexican-train/classic", FOUR))
    stage.do(tap("train"))

    assert 4 == stage.hub.state()["starter"]
