"""PURE: places over all tables, ties, play-offs, changes of tables, late arrivals."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from centerpiece.hall.server import leaderboard, reseating
from centerpiece.hall.server.leaderboard import Leaderboard, table_standings
from centerpiece.hall.server.rally_log import RallyLog
from centerpiece.hall.wire import hall_orders as o
from centerpiece.hall.wire.table_line import GameResult, SeatedPlayer, TableLine, UncountedRound

OPENED = 1_800_000_000.0
NOBODY: frozenset[tuple[str, str]] = frozenset()


def log(*orders: o.Order) -> RallyLog:
    """Return the log after these orders, a minute apart."""
    known = RallyLog()
    for n, order in enumerate((o.Open("Rally"), *orders)):
        known = known.with_order(o.GivenOrder(f"{n + 1}-0", OPENED + 60 * n, order))
    return known


def played(
    *people: tuple[str, int], at: float = OPENED, finished: bool = True, **how: Any
) -> GameResult:
    """Return a game whose people, seat by seat, have these totals."""
    players = tuple(SeatedPlayer(seat, *who) for seat, who in enumerate(people, start=1))
    how = {"rules": "rally", "wins": "lowest", "rounds": 10} | how
    return GameResult(started_at=at, finished=finished, players=players, **how)


def line(table: str, *totals: int, at: float = OPENED + 100, **how: Any) -> TableLine:
    """Return a table whose people, named after seat and table, have these totals."""
    people = [(f"P{seat} of {table}", total) for seat, total in enumerate(totals, start=1)]
    return line_of(table, played(*people, at=at, **how))


def line_of(table: str, *games: GameResult) -> TableLine:
    phase: Any = "finished" if games[-1].finished else "playing"
    return TableLine(table, seq=1, phase=phase, games=games)


def ranked(*lines: TableLine, orders: tuple[o.Order, ...] = ()) -> Leaderboard:
    return leaderboard.standings(log(*orders), {line.table: line for line in lines})


def named(found: Leaderboard) -> list[tuple[int | None, str]]:
    return [(person.place, person.name) for person in found.people]


def test_the_lowest_totals_over_all_tables_come_first() -> None:
    found = ranked(line("t-1", 30, 10), line("t-2", 20, 40))

    expected = [(1, "P2 of t-1"), (2, "P1 of t-2"), (3, "P1 of t-1"), (4, "P2 of t-2")]
    assert expected == named(found)
    assert (True, ()) == (found.final, found.ties)


def test_nothing_is_final_while_a_table_plays_or_hands_are_missing() -> None:
    """And then a tie is no tie yet."""
    over = line("t-2", 10)
    uncounted = replace(over.games[0], missing=(UncountedRound(3, (2,)),))
    for other in (line("t-2", 10, finished=False), line_of("t-2", uncounted)):
        found = ranked(line("t-1", 10), other)
        assert (False, ()) == (found.final, found.ties)


def test_a_tie_for_second_place_is_told() -> None:
    """First and second are prizes; people who share third place play off for nothing."""
    ((place, tied),) = ranked(line("t-1", 5, 10, 20), line("t-2", 10, 20)).ties

    assert (2, {"P2 of t-1", "P1 of t-2"}) == (place, {person.name for person in tied})


def test_a_play_off_that_ties_again_is_a_tie_again() -> None:
    tables = line_of("t-1", played(("Ann", 10))), line_of("t-2", played(("Bob", 10)))
    ((_, tied),) = ranked(*tables).ties
    call = reseating.play_off(1, tied, "t-1")
    for bob, places in ((7, [1, 1]), (8, [1, 2])):
        off = played(("Ann", 7), ("Bob", bob), at=OPENED + 9000, rules=o.PLAY_OFF)
        found = ranked(line_of("t-1", *tables[0].games, off), tables[1], orders=(call,))
        assert places == [person.place for person in found.people]
        assert (places == [1, 1]) == bool(found.ties)


def test_games_before_the_hall_opened_do_not_count() -> None:
    assert () == ranked(line("t-1", 1, at=OPENED - 86_400)).people


def test_totals_of_several_games_add_up_across_tables() -> None:
    """Somebody who changes tables takes the total along, also under another name."""
    change = o.ChangeTables((o.Move("Ann", "t-1", "t-2", 3, "Ann (t-1)"),), {})
    second = played(("Ann", 5), ("Ann (t-1)", 7), at=OPENED + 8000)
    found = ranked(
        line_of("t-1", played(("Ann", 10))),
        line_of("t-2", played(("Ann", 20)), second),
        orders=(o.StartGame(1, OPENED), change, o.StartGame(2, OPENED + 8000)),
    )

    assert [("Ann (t-1)", 17), ("Ann", 25)] == [(p.name, p.total) for p in found.people]


def test_a_newcomer_with_the_name_of_somebody_who_moved_away_is_somebody_else() -> None:
    """Also when the newcomer comes a game later."""
    change = o.ChangeTables((o.Move("Ann", "t-1", "t-2", 2, "Ann"),), {})
    starts = [o.StartGame(n, OPENED + 8000 * n) for n in (1, 2, 3)]
    for without_ann in ([], [played(("Bob", 6), at=OPENED + 16_000)]):
        at = OPENED + 8000 * (2 + len(without_ann))
        second = played(("Dan", 2), ("Ann", 1), at=OPENED + 16_000)
        found = ranked(
            line_of("t-1", played(("Ann", 10)), *without_ann, played(("Ann", 7), at=at)),
            line_of("t-2", played(("Dan", 40)), second),
            orders=(starts[0], change, *starts[1:]),
        )
        anns = [(p.table, p.total, p.games) for p in found.people if p.name == "Ann"]
        assert [("t-2", 11, 2), ("t-1", 7, 1)] == anns


def test_a_table_that_cannot_wait_plays_the_game_that_is_called_next() -> None:
    """Its first game still counts."""
    starts = (o.StartGame(1, OPENED + 10), o.StartGame(2, OPENED + 8000))
    results = (*line("t-1", 10).games, *line("t-1", 4, at=OPENED + 7500).games)
    found = ranked(line_of("t-1", *results), orders=starts)

    assert [(14, 2)] == [(person.total, person.games) for person in found.people]


def test_people_who_left_or_missed_a_game_come_last() -> None:
    """A small total after half the games is no win."""
    game = played(("Ann", 90))
    game = replace(game, players=(*game.players, SeatedPlayer(2, "Gone", 1, left=True)))

    assert [(1, "Ann"), (None, "Gone")] == named(ranked(line_of("t-1", game)))


def test_two_people_of_one_name_are_two_people() -> None:
    tables = [line_of(table, played(("Ann", total))) for table, total in (("t-1", 5), ("t-2", 9))]

    assert [5, 9] == [person.total for person in ranked(*tables).people]


def test_a_late_arrival_goes_where_most_are_missing() -> None:
    """A table of six is full unless all are; a table of seven is full."""
    six = line("t-1", 1, 1, 1, 1, 1, 1, finished=False)

    assert ("t-2", 3) == reseating.free_seat([six, line("t-2", 1, 1, finished=False)])
    assert ("t-1", 7) == reseating.free_seat([six])
    assert None is reseating.free_seat([line("t", 1, 1, 1, 1, 1, 1, 1, finished=False)])
    assert None is reseating.free_seat([line("t", 1, 1)])


def test_the_next_start_takes_back_that_a_round_is_the_last() -> None:
    assert log(o.FinishRound()).finish is not None
    assert log(o.FinishRound(), o.StartGame(2, OPENED)).finish is None


tables = st.lists(st.lists(st.integers(0, 300), min_size=4, max_size=7), min_size=2, max_size=8)


@given(tables, st.integers(1, 4), st.data())
def test_a_change_of_tables_loses_nobody_and_moves_nobody_who_stays(
    totals: list[list[int]], movers: int, data: st.DataObject
) -> None:
    """Every table keeps its number of people."""
    lines = [line(f"t-{n}", *points) for n, points in enumerate(totals, start=1)]
    everybody = {(line.table, player.name) for line in lines for player in line.seated}
    staying = frozenset(data.draw(st.sets(st.sampled_from(sorted(everybody)))))
    change = reseating.change_tables(lines, staying, movers)

    assert sorted(name for _, name in everybody) == sorted(
        name for seats in change.seats.values() for name in seats.values()
    )
    assert {line.table: len(line.seated) for line in lines} == {
        table: len(seats) for table, seats in change.seats.items()
    }
    assert not staying & {(move.origin, move.name) for move in change.moves}
    assert all(name in change.seats[table].values() for table, name in staying)


def test_names_at_a_table_stay_distinct() -> None:
    """Also where somebody is called by a name and a table already."""
    away = line_of("t-1", played(("ANN", 1)))
    home = line_of("t-2", played(("Bob", 1), ("Ann", 2), ("Ann (t-1)", 3), ("Ann (T-1, 2)", 4)))
    change = reseating.change_tables([away, home], NOBODY, 1)

    names = {name.casefold() for name in change.seats["t-2"].values()}
    assert (4, True) == (len(names), "ann (t-1, 3)" in names)


@given(tables)
def test_the_three_lowest_of_every_table_move_on_to_the_next(totals: list[list[int]]) -> None:
    lines = [line(f"t-{n}", *points) for n, points in enumerate(totals, start=1)]
    change = reseating.change_tables(lines, NOBODY)

    for one, following in zip(lines, (*lines[1:], lines[0]), strict=True):
        going = [move for move in change.moves if move.origin == one.table]
        known = {player.name: player.total for player in one.seated}
        assert sorted(known.values())[:3] == sorted(known[move.name] for move in going)
        assert {following.table} == {move.table for move in going}


def test_tables_are_ranked_by_their_average() -> None:
    """Equal averages share a place."""
    found = ranked(line("t-1", 10, 20), line("t-2", 15, 15), line("t-3", 1, 2))

    expected = [(1, "t-3"), (2, "t-1"), (2, "t-2")]
    assert expected == [(table.place, table.table) for table in table_standings(found.people)]


def test_where_the_highest_wins_everything_is_ranked_that_way() -> None:
    """People, tables, the best of a table, and the people who move on."""
    lines = [
        line("t-1", 100, 40, 30, 20, wins="highest"),
        line("t-2", 90, 80, 10, 5, wins="highest"),
    ]
    found = ranked(*lines)
    change = reseating.change_tables(lines, NOBODY, 1)

    assert [100, 90, 80] == [person.total for person in found.people[:3]]
    assert [(1, "t-1", 47.5, 100), (2, "t-2", 46.25, 90)] == table_standings(found.people)
    assert {"P1 of t-1", "P1 of t-2"} == {move.name for move in change.moves}


def test_only_people_at_the_table_move_on() -> None:
    """Nobody who has left or sits out; in the lobby, the totals of the last game count."""
    gone, away = SeatedPlayer(1, "Gone", 1, left=True), SeatedPlayer(2, "Away", 2, away=True)
    people = (gone, away, SeatedPlayer(3, "Ann", 30), SeatedPlayer(4, "Bob", 20))
    done = line_of("t-1", replace(played(), players=people))
    seats = tuple(SeatedPlayer(seat, n) for seat, n in ((1, "New"), (3, "Ann"), (4, "Bob")))
    other = line("t-2", 1, 2)
    for first in (done, replace(done, phase="lobby", lobby=seats)):
        change = reseating.change_tables([first, other], NOBODY, 1)
        assert ["Bob", "P1 of t-2"] == [move.name for move in change.moves]
    assert "Gone" not in reseating.change_tables([done, other], NOBODY).seats["t-1"].values()
