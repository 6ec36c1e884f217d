"""PURE: places over all tables, ties, play-offs, changes of tables, late arrivals."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from centerpiece.hall.server import leaderboard, reseating
from centerpiece.hall.server.leaderboard import Leaderboard, table_standings
from centerpiece.hall.server.rally_log import RallyLog
from centerpiece.hall.wire.hall_orders import (
    PLAY_OFF,
    CallPlayOff,
    ChangeTables,
    FinishRound,
    GivenOrder,
    Move,
    Open,
    Order,
    StartGame,
)
from centerpiece.hall.wire.table_line import GameResult, SeatedPlayer, TableLine, UncountedRound

OPENED = 1_800_000_000.0


def log(*orders: Order, at: float = OPENED) -> RallyLog:
    """The log after these orders, a minute apart."""
    known = RallyLog()
    for n, order in enumerate((Open("Rally"), *orders)):
        known = known.with_order(GivenOrder(f"{n + 1}-0", at + 60 * n, order))
    return known


def played(
    *people: tuple[str, int], at: float = OPENED, finished: bool = True, **how: Any
) -> GameResult:
    """A game whose people, seat by seat, have these totals."""
    players = tuple(SeatedPlayer(seat, *who) for seat, who in enumerate(people, start=1))
    how = {"rules": "rally", "wins": "lowest", "rounds": 10} | how
    return GameResult(started_at=at, finished=finished, players=players, **how)


def line(table: str, *totals: int, at: float = OPENED + 100, **how: Any) -> TableLine:
    """A table whose people, named after seat and table, have these totals."""
    people = [(f"P{seat} of {table}", total) for seat, total in enumerate(totals, start=1)]
    return line_of(table, played(*people, at=at, **how))


def line_of(table: str, *games: GameResult) -> TableLine:
    """A table that has played these games."""
    phase: Any = "finished" if games[-1].finished else "playing"
    return TableLine(table, seq=1, phase=phase, games=games)


def named(found: Leaderboard) -> list[tuple[int | None, str]]:
    return [(person.place, person.name) for person in found.people]


def test_the_lowest_totals_over_all_tables_come_first() -> None:
    """Score sheets of all tables are compared."""
    lines = {"table-1": line("table-1", 30, 10), "table-2": line("table-2", 20, 40)}
    found = leaderboard.standings(log(), lines)

    expected = [
        (1, "P2 of table-1"),
        (2, "P1 of table-2"),
        (3, "P1 of table-1"),
        (4, "P2 of table-2"),
    ]
    assert expected == named(found)
    assert found.final
    assert () == found.ties


def test_nothing_is_final_while_a_table_plays() -> None:
    """And then a tie is no tie yet."""
    lines = {"table-1": line("table-1", 10), "table-2": line("table-2", 10, finished=False)}
    found = leaderboard.standings(log(), lines)

    assert (False, ()) == (found.final, found.ties)


def test_a_tie_for_second_place_is_told() -> None:
    """First and second are prizes; the third who ties for third plays off for nothing."""
    lines = {"table-1": line("table-1", 5, 10, 20), "table-2": line("table-2", 10, 20)}
    found = leaderboard.standings(log(), lines)

    ((place, tied),) = found.ties
    assert (2, {"P2 of table-1", "P1 of table-2"}) == (place, {p.name for p in tied})


def test_a_play_off_settles_the_tie() -> None:
    """Who has the lower total in the play-off takes the place."""
    first, second = line("table-1", 10, 50), line("table-2", 10, 60)
    tied = leaderboard.standings(log(), {"table-1": first, "table-2": second}).ties[0][1]
    call = reseating.play_off(1, tied, "table-1")
    off = played(("P1 of table-1", 12), ("P1 of table-2", 3), at=OPENED + 9000, rules=PLAY_OFF)
    after = line_of("table-1", *first.games, off)
    found = leaderboard.standings(log(call), {"table-1": after, "table-2": second})

    assert [(1, "P1 of table-2"), (2, "P1 of table-1")] == named(found)[:2]
    assert () == found.ties


def test_a_play_off_that_ties_again_is_a_tie_again() -> None:
    """Until somebody wins."""
    call = CallPlayOff(
        1,
        "table-1",
        (Move("Ann", "table-1", "table-1", 1, "Ann"), Move("Bob", "table-2", "table-1", 2, "Bob")),
    )
    again = played(("Ann", 7), ("Bob", 7), at=OPENED + 9000, rules=PLAY_OFF)
    lines = {
        "table-1": line_of("table-1", played(("Ann", 10)), again),
        "table-2": line_of("table-2", played(("Bob", 10))),
    }
    found = leaderboard.standings(log(call), lines)

    assert [1, 1] == [person.place for person in found.people]
    assert 1 == len(found.ties)


def test_games_before_the_hall_opened_do_not_count() -> None:
    """What a hub has played at home is no part of the rally."""
    lines = {"table-1": line("table-1", 1, at=OPENED - 86_400)}

    assert () == leaderboard.standings(log(), lines).people


def test_totals_of_several_games_add_up_across_tables() -> None:
    """Who changes tables takes the total along, also under another name."""
    change = ChangeTables((Move("Ann", "table-1", "table-2", 3, "Ann (table-1)"),), {})
    orders = (change, StartGame(2, OPENED + 8000))
    second = played(("Ann", 5), ("Ann (table-1)", 7), at=OPENED + 8000)
    lines = {
        "table-1": line_of("table-1", played(("Ann", 10))),
        "table-2": line_of("table-2", played(("Ann", 20)), second),
    }
    found = leaderboard.standings(log(StartGame(1, OPENED), *orders), lines)

    assert [("Ann (table-1)", 17), ("Ann", 25)] == [(p.name, p.total) for p in found.people]


def test_a_table_that_cannot_wait_plays_the_game_that_is_called_next() -> None:
    """Its first game still counts."""
    starts = (StartGame(1, OPENED + 10), StartGame(2, OPENED + 8000))
    results = (*line("table-1", 10).games, *line("table-1", 4, at=OPENED + 7500).games)
    found = leaderboard.standings(log(*starts), {"table-1": TableLine("table-1", games=results)})

    assert [(14, 2)] == [(person.total, person.games) for person in found.people]


def test_who_left_or_missed_a_game_comes_last() -> None:
    """A small total after half the games is no win."""
    game = played(("Ann", 90))
    gone = SeatedPlayer(2, "Gone", 1, left=True)
    game = replace(game, players=(*game.players, gone))
    found = leaderboard.standings(log(), {"table-1": line_of("table-1", game)})

    assert [(1, "Ann"), (None, "Gone")] == named(found)


def test_two_people_of_one_name_are_two_people() -> None:
    """At different tables; one of them does not get the other's points."""
    totals = (("table-1", 5), ("table-2", 9))
    lines = {table: line_of(table, played(("Ann", total))) for table, total in totals}

    assert [5, 9] == [p.total for p in leaderboard.standings(log(), lines).people]


def test_a_late_arrival_goes_where_most_are_missing() -> None:
    """A table of six is full unless all are; a table of seven is full."""
    lines = [
        line("table-1", 1, 1, 1, 1, 1, 1, finished=False),
        line("table-2", 1, 1, finished=False),
    ]

    assert ("table-2", 3) == reseating.free_seat(lines)
    assert ("table-1", 7) == reseating.free_seat(lines[:1])
    assert None is reseating.free_seat([line("t", 1, 1, 1, 1, 1, 1, 1, finished=False)])
    assert None is reseating.free_seat([line("t", 1, 1)])


def test_the_last_round_belongs_to_the_game_in_which_it_was_called() -> None:
    """The next start takes the word back."""
    said = log(FinishRound())

    assert said.finish is not None
    assert None is said.with_order(GivenOrder("9-0", OPENED, StartGame(2, OPENED))).finish


tables = st.lists(st.lists(st.integers(0, 300), min_size=4, max_size=7), min_size=2, max_size=8)


@given(tables, st.integers(1, 4), st.data())
def test_a_change_of_tables_loses_nobody_and_moves_nobody_who_stays(
    totals: list[list[int]], movers: int, data: st.DataObject
) -> None:
    """Every table keeps its number of people, every seat one of them."""
    lines = [line(f"table-{n}", *points) for n, points in enumerate(totals, start=1)]
    everybody = {(line.table, player.name) for line in lines for player in line.seated}
    staying = frozenset(data.draw(st.sets(st.sampled_from(sorted(everybody)))))
    change = reseating.change_tables(lines, staying, movers)

    before = sorted(player.name for line in lines for player in line.seated)
    assert before == sorted(name for seats in change.seats.values() for name in seats.values())
    assert {line.table: len(line.seated) for line in lines} == {
        table: len(seats) for table, seats in change.seats.items()
    }
    moved = {(move.origin, move.name) for move in change.moves}
    assert not moved & staying
    for table, name in staying:
        assert name in change.seats[table].values()


@given(tables)
def test_the_three_lowest_of_every_table_move_on_to_the_next(totals: list[list[int]]) -> None:
    """Round and round, as long as nobody is marked as staying seated."""
    lines = [line(f"table-{n}", *points) for n, points in enumerate(totals, start=1)]
    change = reseating.change_tables(lines, frozenset())
    following = {line.table: lines[n % len(lines)].table for n, line in enumerate(lines, start=1)}

    for one in lines:
        going = [move for move in change.moves if move.origin == one.table]
        lowest = sorted(player.total for player in one.seated)[:3]
        known = {player.name: player.total for player in one.seated}
        assert lowest == sorted(known[move.name] for move in going)
        assert {following[one.table]} == {move.table for move in going}


def test_tables_are_ranked_by_their_average() -> None:
    """Equal averages share a place."""
    lines = {
        "table-1": line("table-1", 10, 20),
        "table-2": line("table-2", 15, 15),
        "table-3": line("table-3", 1, 2),
    }
    ranked = table_standings(leaderboard.standings(log(), lines).people)

    expected = [(1, "table-3"), (2, "table-1"), (2, "table-2")]
    assert expected == [(table.place, table.table) for table in ranked]


def test_where_the_highest_wins_everything_is_ranked_that_way() -> None:
    """People, tables, the best of a table, and who moves on."""
    lines = {
        "table-1": line("table-1", 100, 40, 30, 20, wins="highest"),
        "table-2": line("table-2", 90, 80, 10, 5, wins="highest"),
    }
    found = leaderboard.standings(log(), lines)
    change = reseating.change_tables(list(lines.values()), frozenset(), 1)

    assert [100, 90, 80] == [person.total for person in found.people[:3]]
    assert [(1, "table-1", 47.5, 100), (2, "table-2", 46.25, 90)] == [
        *map(tuple, table_standings(found.people))
    ]
    assert {"P1 of table-1", "P1 of table-2"} == {move.name for move in change.moves}


def test_only_who_is_at_the_table_moves_on() -> None:
    """Nobody who has left or sits out; in the lobby, the totals of the game before count."""
    people = (
        SeatedPlayer(1, "Gone", 1, left=True),
        SeatedPlayer(2, "Away", 2, away=True),
        SeatedPlayer(3, "Ann", 30),
        SeatedPlayer(4, "Bob", 20),
    )
    over = GameResult(OPENED, "rally", "lowest", 10, True, people)
    done = TableLine("table-1", phase="finished", games=(over,))
    seats = tuple(SeatedPlayer(seat, n) for seat, n in ((1, "New"), (3, "Ann"), (4, "Bob")))
    lobby = TableLine("table-1", phase="lobby", lobby=seats, games=(over,))
    other = line("table-2", 1, 2)
    for first in (done, lobby):
        change = reseating.change_tables([first, other], frozenset(), 1)
        assert ["Bob", "P1 of table-2"] == [move.name for move in change.moves]
    assert (
        "Gone" not in reseating.change_tables([done, other], frozenset()).seats["table-1"].values()
    )


def test_nothing_is_final_while_hands_are_missing() -> None:
    """A game that is over and not counted to the end has no winners."""
    over = line("table-1", 10, 20)
    game = replace(over.games[0], missing=(UncountedRound(3, (2,)),))
    found = leaderboard.standings(log(), {"table-1": replace(over, games=(game,))})

    assert not found.final
