"""Jumps of the wall clock: the game's time runs on, and history marks the games as doubtful."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centerpiece.games.registry import GAMES
from centerpiece.hub.hub import Hub
from centerpiece.reports.score_sheet import as_html, document, listing
from centerpiece.storage.history import History, PastGame
from centerpiece.storage.journal import Journal
from centerpiece.table import commands as c
from sim.board import build
from sim.clock import VirtualClock

SIX = ("Ann", "Bob", "Cara", "Dan", "Eve", "Finn")
TIMED = c.OpenTable("mexican-train/rally", SIX)
LIMIT = 105 * 60
TODAY = 1_800_000_000.0
WOKEN = 20.0
"""The time of a Pi without a battery after its start: twenty seconds into 1970."""


def hub_at(clock: VirtualClock, where: Path | str = ":memory:") -> Hub:
    return Hub(GAMES, Journal(where, GAMES), build(clock=clock))


def left(hub: Hub) -> int:
    clock = hub.state()["clock"]
    assert clock is not None
    return int(clock["remaining_s"])


def only(hub: Hub) -> PastGame:
    (game,) = History(hub.journal, GAMES).games()
    return game


def one_round(hub: Hub) -> None:
    hub.do(c.GoOut(1))


@given(
    st.lists(
        st.tuples(
            st.floats(0, 120),
            st.one_of(st.just(WOKEN), st.floats(0, 4e9), st.floats(TODAY - 5000, TODAY + 5000)),
        ),
        max_size=8,
    )
)
def test_a_time_limit_ignores_jumps_of_the_wall_clock(
    jumps: list[tuple[float, float]],
) -> None:
    """Only seconds that really passed count, whether the clock jumps to 1970, forwards or back."""
    clock = VirtualClock(at=TODAY)
    hub = hub_at(clock)
    hub.do(TIMED)
    passed = 0.0
    for seconds, at in jumps:
        clock.move(seconds)
        passed += seconds
        hub.wake()
        clock.set(at)
        hub.wake()

    # A jump below a second is not told from the time that passes.
    assert abs(LIMIT - passed - left(hub)) <= 1 + len(jumps)
    hub.journal.close()


@pytest.mark.parametrize("started", [WOKEN, TODAY])
@pytest.mark.parametrize("found", [WOKEN, TODAY + 5000])
def test_a_hub_that_starts_again_in_1970_goes_on_where_it_was(
    tmp_path: Path, started: float, found: float
) -> None:
    """Play ten minutes, then unplug, start in 1970, correct the clock, and unplug again."""
    clock = VirtualClock(at=started)
    hub = hub_at(clock, tmp_path / "table.db")
    hub.do(TIMED)
    clock.move(600)
    hub.do(c.Join("Gus"))
    hub.journal.close()
    clock.set(WOKEN)
    hub = hub_at(clock, tmp_path / "table.db")
    clock.move(60)
    assert LIMIT - 660 == left(hub)
    clock.set(found)
    assert LIMIT - 660 == left(hub)
    one_round(hub)
    hub.journal.close()

    hub = hub_at(clock, tmp_path / "table.db")

    assert LIMIT - 660 == left(hub)
    assert only(hub).doubtful
    hub.journal.close()


def test_a_time_limit_runs_on_while_the_hub_is_unplugged(tmp_path: Path) -> None:
    clock = VirtualClock()
    hub = hub_at(clock, tmp_path / "table.db")
    hub.do(TIMED)
    one_round(hub)
    hub.journal.close()
    clock.move(1800)
    hub = hub_at(clock, tmp_path / "table.db")

    assert LIMIT - 1800 == left(hub)
    assert not only(hub).doubtful
    hub.journal.close()


def test_games_of_a_wrong_clock_are_kept_in_order_and_marked() -> None:
    """Games in 1970, during a correction, in the far future, and with a right clock."""
    clock = VirtualClock(at=WOKEN)
    hub = hub_at(clock)

    def game(then: float | None = None) -> None:
        hub.do(c.OpenTable("mexican-train/classic", SIX[:4], 12))
        one_round(hub)
        clock.move(60)
        if then is not None:
            clock.set(then)
        hub.do(c.FinishGame())
        hub.do(c.OpenLobby())

    game()
    game(then=TODAY)
    clock.set(TODAY + 1e8)
    game()
    clock.set(TODAY + 500)
    game()

    games = History(hub.journal, GAMES).games()
    assert [True, True, True, False] == [game.doubtful for game in games]
    assert [1, 2, 3, 4] == [game.number for game in games]
    assert 3 == listing(games).count("?  ")
    assert [True, False] == [document(games[n])["doubtful"] for n in (0, 3)]
    assert "clock was wrong" in as_html(games[0])
    assert "clock was wrong" not in as_html(games[3])
    hub.journal.close()


def test_asking_for_the_time_never_writes(tmp_path: Path) -> None:
    """A jump is stored when the hub is woken, not when a page reads the time."""
    clock = VirtualClock()
    hub = Hub(GAMES, Journal(tmp_path / "table.db", GAMES), build(clock=clock))
    hub.do(c.OpenTable("mexican-train/rally", ("Ann", "Bob", "Cara"), 12))
    written = hub.journal.database.total_changes
    before = hub.game_at()

    clock.set(clock.at() + 3600.0)
    hub.state()
    hub.paint()

    assert before == hub.game_at()
    assert written == hub.journal.database.total_changes
    hub.wake()
    assert before == pytest.approx(hub.game_at())
    assert written < hub.journal.database.total_changes
    hub.journal.close()
