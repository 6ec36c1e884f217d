"""Points, totals, places: everything that is worked out from the entries, never stored.

A missing score is None and stays None in all sums of a single round; a total adds what is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from centerpiece.rules.book import Rules
from centerpiece.table.state import Entry, Round, Seat, Table

if TYPE_CHECKING:
    from centerpiece.table.game import Game


class Standing(NamedTuple):
    """One seat's line on the score sheet."""

    seat: Seat
    scores: tuple[int | None, ...]
    total: int
    place: int | None


def counted(rules: Rules, entry: Entry) -> int:
    """What a hand that was shown counts."""
    points = entry.pips + entry.blanks * rules.blank_half
    if rules.doubles_twice:
        points += entry.doubles
    return points + rules.double_blank if entry.double_blank else points


def hand_points(table: Table, played: Round) -> dict[int, int | None]:
    """The points of a round where everyone scores the own hand: the usual way.

    Hidden hands get the round's highest and more, so they are known only when all that were
    shown are known.
    """
    rules = table.rules
    seats = [seat.number for seat in table.players(played.number)]
    shown = {n: e for n, e in played.entries.items() if not e.hidden}
    points: dict[int, int | None] = dict.fromkeys(seats)
    for number, entry in shown.items():
        points[number] = counted(rules, entry)
    if played.out is not None and played.out in shown:
        if played.on_double and rules.out_on_double_doubles:
            points = {n: p if p is None or n == played.out else 2 * p for n, p in points.items()}
        points[played.out] = (points[played.out] or 0) + rules.out_bonus
    hidden = [n for n, e in played.entries.items() if e.hidden]
    if all(points[n] is not None for n in seats if n not in hidden):
        known = [p for p in points.values() if p is not None]
        if played.blocked and rules.blocked_lowest_zero and known:
            lowest = min(known)
            points = {n: 0 if p == lowest else p for n, p in points.items()}
        for number in hidden:
            points[number] = max(known, default=0) + (rules.hidden_bones or 0)
    return points


def with_penalties(
    table: Table, played: Round, points: Mapping[int, int | None]
) -> dict[int, int | None]:
    """The same with this round's penalties in points: they hurt, whichever way the game counts."""
    total = dict(points)
    sign = -1 if table.rules.wins == "highest" else 1
    for penalty in table.penalties:
        if penalty.round == played.number:
            known = total.get(penalty.seat)
            if known is not None:
                total[penalty.seat] = known + sign * penalty.points
    return total


def round_points(game: Game, table: Table, played: Round) -> dict[int, int | None]:
    """What each seat scored in a round, penalties included."""
    points = game.points(table, played)
    return with_penalties(table, played, points) if table.penalties else points


def sheet(game: Game, table: Table) -> dict[int, tuple[int | None, ...]]:
    """The score sheet: for each seat one entry a round, the current one once it is scored.

    What a late arrival carries stands in the last round before the first one played.
    """
    columns = [round_points(game, table, played) for played in table.rounds if played.ended]
    rows = {}
    for seat in table.seats:
        row = [column.get(seat.number) for column in columns]
        if seat.away:
            row = _with_missed(table.rules, seat, row, columns)
        if 1 < seat.since <= table.number:
            row[seat.since - 2] = seat.carried
        rows[seat.number] = tuple(row)
    return rows


def _with_missed(
    rules: Rules, seat: Seat, row: list[int | None], columns: list[dict[int, int | None]]
) -> list[int | None]:
    """What a parked seat scores in rounds it did not play: as late arrivals, by `late_score`."""
    filled = enumerate(zip(row, columns, strict=True), start=1)
    return [
        _for_missing(rules, column) if seat.missed(number) else points
        for number, (points, column) in filled
    ]


def _for_missing(rules: Rules, column: Mapping[int, int | None]) -> int | None:
    known = [points for points in column.values() if points is not None]
    if len(known) < len(column) or not known:
        return None
    if rules.late_score == "zero":
        return 0
    if rules.late_score == "average":
        return round(sum(known) / len(known))
    return min(known) if rules.wins == "highest" else max(known)


def totals(table: Table, rows: Mapping[int, tuple[int | None, ...]]) -> dict[int, int]:
    """Each seat's total: the sum of its row, or the team's for both partners.

    Points won during play count at once, also before their round can be scored.
    """
    alone = {number: sum(p for p in row if p is not None) for number, row in rows.items()}
    for played in table.rounds:
        for award in played.awards:
            row = rows[award.seat]
            if len(row) < played.number or row[played.number - 1] is None:
                alone[award.seat] += award.points
    teams: dict[int, int] = {}
    for seat in table.seats:
        if seat.team is not None:
            teams[seat.team] = teams.get(seat.team, 0) + alone[seat.number]
    return {
        seat.number: alone[seat.number] if seat.team is None else teams[seat.team]
        for seat in table.seats
    }


def rounds_won(game: Game, table: Table) -> dict[int, int]:
    """How many rounds each seat has won."""
    won = {seat.number: 0 for seat in table.seats}
    for played in table.rounds:
        if played.ended:
            for number in game.round_winners(table, played):
                won[number] += 1
    return won


def round_winners(game: Game, table: Table, played: Round) -> tuple[int, ...]:
    """Who won a round: by going out, or with the lowest points when it was blocked."""
    if played.out is not None:
        return (played.out,)
    points = {n: p for n, p in round_points(game, table, played).items() if p is not None}
    if not played.blocked or not points:
        return ()
    best = min(points.values())
    return tuple(number for number, value in points.items() if value == best)


def standings(game: Game, table: Table) -> list[Standing]:
    """All seats in table order with scores, total and place; equal totals share a place."""
    rows = sheet(game, table)
    sums = totals(table, rows)
    merit = game.merit(table, sums)
    in_play = [seat for seat in table.seats if _ranks(table, seat)]
    anything = any(p is not None for row in rows.values() for p in row) or any(
        played.awards for played in table.rounds
    )
    lines = []
    for seat in table.seats:
        place = None
        if anything and seat in in_play:
            better = {
                other.team or -other.number
                for other in in_play
                if merit[other.number] < merit[seat.number]
            }
            place = 1 + len(better)
        lines.append(Standing(seat, rows[seat.number], sums[seat.number], place))
    return lines


def _ranks(table: Table, seat: Seat) -> bool:
    """Whether a seat has a place: not who has left, is parked, or begins with the next round."""
    return seat.until is None and not seat.parked and seat.since <= table.number


def merit(game: Game, table: Table, sums: Mapping[int, int]) -> dict[int, float]:
    """A number for each seat, the lower the better."""
    if table.rules.wins == "lowest":
        return dict(sums)
    if table.rules.wins == "highest":
        return {number: -total for number, total in sums.items()}
    return {number: -won for number, won in rounds_won(game, table).items()}


def winners(lines: Sequence[Standing]) -> list[int]:
    """The seats in first place."""
    return [line.seat.number for line in lines if line.place == 1]


def tied(rules: Rules, lines: list[Standing]) -> list[int]:
    """The seats that share a place among the prizes with somebody who is not their partner."""
    found = []
    for line in lines:
        if line.place is None or line.place > rules.prizes:
            continue
        rivals = [
            other
            for other in lines
            if other.place == line.place
            and other.seat.number != line.seat.number
            and (other.seat.team is None or other.seat.team != line.seat.team)
        ]
        if rivals:
            found.append(line.seat.number)
    return found


def missing(game: Game, table: Table, played: Round) -> list[int]:
    """The seats whose hand has to be counted and is not in yet."""
    return [n for n in game.hands_to_count(table, played) if n not in played.entries]


def all_missing(game: Game, table: Table) -> list[tuple[int, list[int]]]:
    """Every round that has ended with hands not counted yet, and whose they are."""
    return [
        (played.number, seats)
        for played in table.rounds
        if played.ended and (seats := missing(game, table, played))
    ]


def limit_reached(game: Game, table: Table) -> tuple[Seat, ...] | None:
    """Who leads once somebody has reached the points limit."""
    limit = table.rules.points_limit
    if limit is None:
        return None
    lines = standings(game, table)
    if not any(line.total >= limit for line in lines):
        return None
    return tuple(line.seat for line in lines if line.place == 1)
