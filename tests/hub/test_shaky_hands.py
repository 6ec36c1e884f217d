"""Gentle hands are offered to hands that shake."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from centerpiece.hub.preferences import PREFERENCES
from centerpiece.table import commands as c
from sim.hands import Hands, double, tap


@pytest.fixture
def table() -> Iterator[Hands]:
    table = Hands()
    table.hub.do(
        c.OpenTable("mexican-train/classic", ("Ann", "Bob", "Cara", "Dan"), set=12, starter=1)
    )
    table.wait(5.0)
    yield table
    table.stop()


def slip(table: Hands, times: int) -> None:
    for _ in range(times):
        for gesture in (double("seat-2"), tap("undo")):
            table.do(gesture)
            table.wait(1.0)


def asked(table: Hands) -> str | None:
    question = table.hub.ui.question
    return question.what if question else None


def test_three_double_taps_that_are_taken_back_are_a_pattern(table: Hands) -> None:
    """Then the hub asks, aloud too, and `advance` is yes."""
    slip(table, 2)
    before = asked(table)
    slip(table, 1)
    offered = asked(table)
    table.wait(3.0)
    table.do(tap("advance"))
    table.wait(3.0)

    assert (None, "gentle", True) == (before, offered, table.hub.preferences.gentle)
    assert "Do taps count twice? Then tap Advance." in table.said
    assert table.hub.ui.question is None


def test_no_is_an_answer(table: Hands) -> None:
    """The hub does not ask again; nor if it is gentle already, nor for slips of two rounds."""
    slip(table, 2)
    table.hub.do(c.GoOut(1))
    for seat in (2, 3, 4):
        table.hub.do(c.EnterScore(seat, 5))
    table.hub.do(c.NextRound())
    slip(table, 1)
    two_rounds = asked(table)
    slip(table, 2)
    offered = asked(table)
    table.do(tap("undo"))
    table.wait(3.0)
    slip(table, 3)

    assert (None, "gentle", None) == (two_rounds, offered, asked(table))
    assert not table.hub.preferences.gentle


def test_gentle_hands_are_not_offered_twice(table: Hands) -> None:
    table.hub.change(PREFERENCES, lambda known: replace(known, gentle=True))
    table.do(tap("seat-2"))
    slip(table, 3)

    assert asked(table) is None


def test_double_taps_that_stay_are_meant(table: Hands) -> None:
    for seat in (2, 3, 4, 1):
        table.do(double(f"seat-{seat}"))
        table.wait(1.0)
    table.do(tap("undo"))

    assert asked(table) is None
