"""Random presses, phones, disk failures and broken listeners together, in every game."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centerpiece.display.looks import NEVER
from centerpiece.games.registry import GAMES
from centerpiece.hub.call_all import call_all
from centerpiece.table import commands as c
from centerpiece.table.commands import Command
from hal.ports import Edge
from tests.evenings import FOUR
from tests.hub.test_slow_disk import Mood, Table
from tests.strategies import Move, check_legal, likely_commands, moves

PROFILES = [rules for game in GAMES.games.values() for rules in game.profiles]
TIMES = 3
"""The most wakes that the hub may ask for at the same moment."""
late = st.sampled_from([0.0, 0.0, 0.0, 0.3, 2.0])
moods: st.SearchStrategy[Mood] = st.sampled_from(["stalls", "stalls", "finishes", "fails"])


class Broken(Exception):
    """An error in a listener of the hub."""


class Stage(Table):
    """A hub with a `MoodyWriter`, and a page whose listener may fail on any call."""

    def __init__(self, rules: str) -> None:
        super().__init__()
        self.breaks = False
        self.told: list[int] = []
        self.asked = 0
        self.hub.on_news(self._break)
        self.hub.on_recorded(lambda recorded: self._break())
        self.hub.on_recorded(lambda recorded: self.told.extend(each.seq for each in recorded))
        self.ask(c.OpenTable(rules, FOUR[: most_players(rules)]))

    def _break(self) -> None:
        if self.breaks:
            raise Broken

    def survives(self, do: Any, *facts: Any) -> None:
        """Call a function; allow `Broken`, which the service would log."""
        try:
            do(*facts)
        except Broken:
            assert self.breaks

    def ask(self, command: Command) -> None:
        self.asked += 1
        self.survives(self.order, command)

    def wake(self) -> None:
        """Wake the hub until nothing is due; fail if that never ends."""
        for _ in range(TIMES):
            if (due := self.hub.next_wake()) is None or due > self.clock.now():
                return
            self.survives(self.hub.wake)
            self.survives(self.hub.paint)
        assert (self.hub.next_wake() or NEVER) > self.clock.now(), "it is woken again and again"


def most_players(rules: str) -> int:
    hands = GAMES.profile(rules).hands.values()
    return min(4, max(count for dealt in hands for count in dealt))


@given(
    st.sampled_from(PROFILES),
    moves,
    st.lists(st.tuples(moods, late, st.booleans(), st.none() | likely_commands), min_size=1),
)
def test_random_inputs_and_failures_leave_nobody_waiting(
    rules: Any, found: list[Move], luck: list[tuple[Mood, float, bool, Command | None]]
) -> None:
    """The state seen is the written one, every caller is answered, no question or timer hangs."""
    table = Stage(rules.full_name)
    for turn, move in enumerate(found):
        mood, behind, table.breaks, command = luck[turn % len(luck)]
        table.survives(table.hub.hear, Edge(move.button, move.down, table.clock.now() - behind))
        if command is not None:
            table.ask(command)
        table.survives(table.writer.be, mood)
        table.clock.move(move.wait)
        table.wake()
        table.check()
        check_legal(table.hub.decided.ledger.table)
    for _ in range(30):
        table.survives(table.finish)
        table.clock.move(4.0)
        table.wake()
    table.breaks = False
    table.finish()

    assert table.asked == len(table.answers)
    assert table.hub.decided.ledger is table.hub.ledger
    assert [*range(1, table.hub.seq + 1)] == table.told
    assert table.hub.ui.question is None
    assert {} == table.hub.ui.echoes
    assert (True, False) == (table.shown()["saved"], table.shown()["saving"])


def test_a_listener_that_fails_does_not_stop_the_others() -> None:
    """The first error is raised after every listener was called."""
    served: list[int] = []

    def serve(number: int) -> None:
        served.append(number)
        if number % 2:
            raise ValueError(number)

    with pytest.raises(ValueError, match="1"):
        call_all(serve, range(5))
    assert [0, 1, 2, 3, 4] == served
