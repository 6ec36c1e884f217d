"""Points, totals and places: computed from the entries, never stored.

A missing score is None. A round counts whole or not at all: while a hand of it is missing, it is in
nobody's total.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from centerpiece.rules.domino_sets import Tile
from centerpiece.rules.rules import Rules
from centerpiece.table.derived import derived_from_sheet
from centerpiece.table.state import Entry, Round, Seat, Table

if TYPE_CHECKING:
    from centerpiece.table.game import Game


class Standing(NamedTuple):
    """One seat's line on the score sheet."""

    seat: Seat
    scores: tuple[int | None, ...]
    total: int
    place: int | None


def entry_of(hand: tuple[Tile, ...], counts_tiles: bool = False) -> Entry:
    """Return the entry of a hand that is known by its tiles.

    Its `blanks` counts tiles with one blank half, its `doubles` is pips. It has the number of tiles
    only if `counts_tiles`.
    """
    return Entry(
        pips=sum(low + high for low, high in hand),
        double_blank=(0, 0) in hand,
        blanks=sum(low == 0 < high for low, high in hand),
        doubles=sum(2 * low for low, high in hand if low == high),
        tiles=len(hand) if counts_tiles else None,
        hand=hand,
    )


def hands_by_tile(rounds: Sequence[Round]) -> list[dict[str, object]]:
    """Return the hands that were entered tile by tile, for pages and papers."""
    return [
        {"round": played.number, "seat": seat, "tiles": [list(tile) for tile in entry.hand]}
        for played in rounds
        for seat, entry in played.entries.items()
        if entry.hand
    ]


def counted(rules: Rules, entry: Entry) -> int:
    """Return the points of a hand that was shown, by these rules."""
    points = entry.pips + entry.blanks * rules.blank_half
    if rules.doubles_twice:
        points += entry.doubles
    return points + rules.double_blank if entry.double_blank else points


def hand_points(table: Table, played: Round) -> dict[int, int | None]:
    """Return each seat's points of a round in which everyone scores their own hand.

    Penalties are not in them. None for a hand that is missing. Hidden hands get the round's highest
    and more, so they are known only when all that were shown are known.
    """
    rules = rules_of(table, played)
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
    """Return points with this round's penalties in points added; they always worsen a total.

    Seats without points yet stay without.
    """
    total = dict(points)
    sign = -1 if rules_of(table, played).wins == "highest" else 1
    for penalty in table.penalties:
        if penalty.round == played.number:
            before = total.get(penalty.seat)
            if before is not None:
                total[penalty.seat] = before + sign * penalty.points
    return total


def round_points(game: Game, table: Table, played: Round) -> dict[int, int | None]:
    """Return the points of each seat in a round, penalties included."""
    points = game.points(table, played)
    return with_penalties(table, played, points) if table.penalties else points


def rules_of(table: Table, played: Round) -> Rules:
    return played.rules or table.rules


class Sheet(NamedTuple):
    """The score sheet: for each seat one entry a round, and the rounds that count."""

    rows: dict[int, tuple[int | None, ...]]
    whole: tuple[bool, ...]
    """For each round, True if every score of it is known."""
    counts: tuple[bool, ...]
    """For each round, True if it is in the totals: it is whole, and no play-off."""

    def total(self, seat: Seat, rounds: int | None = None) -> int:
        """Return a seat's total over the first `rounds`, or all; only rounds that count are added.

        The points with which a late arrival begins count even if the round they stand in does not.
        """
        row = self.rows[seat.number][:rounds]
        return sum(
            points
            for number, (points, counts) in enumerate(zip(row, self.counts, strict=False), start=1)
            if points is not None and (counts or number == seat.since - 1)
        )


@derived_from_sheet
def sheet(game: Game, table: Table) -> Sheet:
    """Return the score sheet of all rounds that have ended.

    A round with a missing hand or a play-off is on it but does not count. The points with which a
    late arrival begins stand in the last round before its first.
    """
    ended = [played for played in table.rounds if played.ended]
    columns = [round_points(game, table, played) for played in ended]
    whole = tuple(None not in column.values() for column in columns)
    counts = tuple(known and not r.among for known, r in zip(whole, ended, strict=True))
    score_sheet = Sheet({}, whole, counts)
    for seat in table.seats:
        _add_row(score_sheet, table, seat, columns)
    return score_sheet


def _add_row(
    score_sheet: Sheet, table: Table, seat: Seat, columns: list[dict[int, int | None]]
) -> None:
    """Add a seat's row to the sheet, unless it is there; `columns` has each round's points by seat.

    The rows that a late arrival's start is worked out from are added first.
    """
    if seat.number in score_sheet.rows:
        return
    row = [column.get(seat.number) for column in columns]
    if seat.away:
        row = _with_missed(table, seat, row, columns)
    if 1 < seat.since <= len(columns) + 1:
        for other in table.seats if seat.carries is None else ():
            if other.number in seat.among:
                _add_row(score_sheet, table, other, columns)
        row[seat.since - 2] = _carried(score_sheet, table, seat)
    score_sheet.rows[seat.number] = tuple(row)


def late_start(game: Game, table: Table) -> tuple[int | None, tuple[int, ...]]:
    """Return the points of a person who sits down now, and the seats whose totals decide them.

    The points are None while a round is played or a hand is missing.
    """
    among = tuple(seat.number for seat in table.players(table.number + 1))
    if table.phase == "playing" or all_missing(game, table):
        return None, among
    now = Seat(0, "", since=table.number + 1, carries=None, among=among)
    return _carried(sheet(game, table), table, now), among


def _carried(score_sheet: Sheet, table: Table, late: Seat) -> int:
    """Return the points with which the latecomer `late` begins.

    They are those fixed when that person sat down. If a round was still open then, they are worked
    out from the totals of the seats in `late.among`.
    """
    if late.carries is not None:
        return late.carries
    begun = late.since <= table.number
    rules = rules_of(table, table.rounds[late.since - 1]) if begun else table.next_rules
    sums = [
        score_sheet.total(seat, late.since - 1) for seat in table.seats if seat.number in late.among
    ]
    return _for_others(rules, sums)


def _with_missed(
    table: Table, seat: Seat, row: list[int | None], columns: list[dict[int, int | None]]
) -> list[int | None]:
    """Return a row with the rounds in which a seat was parked filled in, as for late arrivals."""
    filled = enumerate(zip(row, columns, strict=True), start=1)
    return [
        _for_missing(rules_of(table, table.rounds[number - 1]), column)
        if seat.missed(number)
        else points
        for number, (points, column) in filled
    ]


def _for_missing(rules: Rules, column: Mapping[int, int | None]) -> int | None:
    """Return the points for missing a round in which the players scored `column`.

    None while any of their points is not known.
    """
    known = [points for points in column.values() if points is not None]
    if len(known) < len(column) or not known:
        return None
    return _for_others(rules, known)


def _for_others(rules: Rules, points: Sequence[int]) -> int:
    """Return the points of a person who did not play, from the `points` of those who did.

    As `late_score` says: zero, their rounded average, or those of the worst. Zero without players
    or if rounds won count.
    """
    if not points or rules.late_score == "zero" or rules.wins == "rounds":
        return 0
    if rules.late_score == "average":
        return round(sum(points) / len(points))
    return max(points) if rules.wins == "lowest" else min(points)


def totals(table: Table, score_sheet: Sheet) -> dict[int, int]:
    """Return each seat's total, or the team's for both partners.

    Points won during play count at once; once the game is over, only as part of a whole round.
    """
    alone = {seat.number: score_sheet.total(seat) for seat in table.seats}
    for played in table.rounds if table.phase != "finished" else ():
        if not (played.among or (played.ended and score_sheet.whole[played.number - 1])):
            for award in played.awards:
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
    """Return how many rounds each seat has won, without play-offs.

    Rounds with missing hands do not count.
    """
    won = {seat.number: 0 for seat in table.seats}
    for played in table.rounds:
        if played.ended and not played.among and not missing(game, table, played):
            for number in game.round_winners(table, played):
                won[number] += 1
    return won


def round_winners(game: Game, table: Table, played: Round) -> tuple[int, ...]:
    """Return the winners of a round: who went out, or all with the lowest points if it was blocked.

    Empty while neither is known.
    """
    if played.out is not None:
        return (played.out,)
    points = {n: p for n, p in round_points(game, table, played).items() if p is not None}
    if not played.blocked or not points:
        return ()
    best = min(points.values())
    return tuple(number for number, value in points.items() if value == best)


@derived_from_sheet
def standings(game: Game, table: Table) -> tuple[Standing, ...]:
    """Return all seats in table order with scores, total and place; equal merit shares a place.

    The place is None until a round counts or points were won in play, and for those who went home
    early. Partners count as one for the places after them.
    """
    score_sheet = sheet(game, table)
    sums = totals(table, score_sheet)
    merit = _with_play_offs(table, score_sheet, game.merit(table, sums))
    in_play = [seat for seat in table.seats if _ranks(table, seat, score_sheet)]
    awards = table.phase != "finished" and any(played.awards for played in table.rounds)
    anything = any(score_sheet.counts) or awards
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
        lines.append(Standing(seat, score_sheet.rows[seat.number], sums[seat.number], place))
    return tuple(lines)


def _with_play_offs(
    table: Table, score_sheet: Sheet, merit: Mapping[int, float]
) -> dict[int, tuple[float, ...]]:
    """Return each seat's sort key for its place: its `merit`, then its result in each play-off.

    A play-off orders only seats that tie. A seat that was at the table but not in the play-off, and
    ties only after a correction, ties with the best of its players; one that had left comes after.
    """
    decided: dict[int, tuple[float, ...]] = {number: (m,) for number, m in merit.items()}
    sign = 1 if table.rules.wins == "lowest" else -1
    for played in table.rounds:
        if not (played.among and played.ended and score_sheet.whole[played.number - 1]):
            continue
        among = {seat.number for seat in table.players(played.number)}
        results = {
            seat.number: sign
            * sum(score_sheet.rows[n][played.number - 1] or 0 for n in _side(table, seat))
            for seat in table.seats
            if seat.number in among
        }
        best = dict.fromkeys((decided[number] for number in results), float("inf"))
        for number, result in results.items():
            best[decided[number]] = min(best[decided[number]], result)
        for seat in table.seats:
            own = decided[seat.number]
            tied = best.get(own, float("inf")) if seat.plays(played.number) else float("inf")
            decided[seat.number] = (*own, results.get(seat.number, tied))
    return decided


def _side(table: Table, seat: Seat) -> list[int]:
    """Return the seats of a team; a seat without one alone."""
    if seat.team is None:
        return [seat.number]
    return [other.number for other in table.seats if other.team == seat.team]


def _ranks(table: Table, seat: Seat, score_sheet: Sheet) -> bool:
    """Return True for a seat with a place: it plays, or has played every counted round."""
    if seat.until is None and not seat.parked:
        return seat.since <= table.number
    return all(
        seat.plays(number) for number, counts in enumerate(score_sheet.counts, start=1) if counts
    )


def merit(game: Game, table: Table, sums: Mapping[int, int]) -> dict[int, float]:
    """Return a number for each seat that ranks it; lower is better."""
    if table.rules.wins == "lowest":
        return dict(sums)
    if table.rules.wins == "highest":
        return {number: -total for number, total in sums.items()}
    return {number: -won for number, won in rounds_won(game, table).items()}


def leading(game: Game, table: Table) -> list[Standing]:
    """Return the leaders after a counted round, or the winners of a finished game.

    Empty during a round and while hands are missing; a player alone leads nobody.
    """
    if table.phase == "finished":
        lines = standings(game, table)
        best = won(game, table)
        return [line for line in lines if line.seat.number in best]
    if table.phase != "scoring" or missing(game, table, table.rounds[-1]):
        return []
    lines = standings(game, table)
    return [line for line in lines if line.place == 1] if len(lines) > 1 else []


def tally(game: Game, table: Table, line: Standing) -> int:
    """Return the number that decides a place: points, or rounds won."""
    if table.rules.wins == "rounds":
        return rounds_won(game, table)[line.seat.number]
    return line.total


def winners(lines: Sequence[Standing]) -> list[int]:
    return [line.seat.number for line in lines if line.place == 1]


def tied(rules: Rules, lines: Sequence[Standing]) -> list[int]:
    """Return the seats that share a place among the prizes with an opponent; a partner is none."""
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


def share_a_prize(rules: Rules, lines: Sequence[Standing]) -> list[Seat]:
    """Return those who share the best place among the prizes that is tied."""
    sharing = tied(rules, lines)
    best = min(
        (line.place for line in lines if line.place and line.seat.number in sharing), default=0
    )
    return [line.seat for line in lines if line.seat.number in sharing and line.place == best]


def may_play_off(sharing: Sequence[Seat]) -> tuple[int, ...]:
    """Return the seats `sharing` a place that are still at the table; none if only one is."""
    here = tuple(seat.number for seat in sharing if seat.until is None and not seat.parked)
    return here if len(here) > 1 else ()


def missing(game: Game, table: Table, played: Round) -> list[int]:
    """Return the seats whose hand must be counted and is not entered yet."""
    if not rules_of(table, played).scored:
        return []
    return [n for n in game.scored_seats(table, played) if n not in played.entries]


def is_free(game: Game, table: Table, chair: int) -> bool:
    """Return True for a chair where nobody plays now.

    A chair that was left is free once no hand of that person is missing in this round.
    """
    seat, played = table.seat(chair), table.round
    if seat is not None and seat.until is not None and played is not None:
        return chair not in missing(game, table, played)
    return seat not in table.players()


def _counting(game: Game, table: Table) -> bool:
    """Return True while hands are still to be counted."""
    return table.phase == "scoring" and bool(game.uncounted_seats(table))


def last_hand_counted(game: Game, before: Table, table: Table) -> bool:
    """Return True if the last hand of the round was entered between these two tables."""
    return table.phase == "scoring" and _counting(game, before) and not _counting(game, table)


def clockwise(seats: Sequence[int], played: Round) -> tuple[int, ...]:
    """Return the seats in the order of counting.

    It begins after the seat that went out; where nobody did, with the starter, or with seat 1.
    """
    first = played.starter or 1 if played.out is None else played.out + 1
    return tuple(sorted(seats, key=lambda seat: (seat < first, seat)))


@derived_from_sheet
def all_missing(game: Game, table: Table) -> tuple[tuple[int, list[int]], ...]:
    """Return every ended round that has hands missing, with their seats."""
    return tuple(
        (played.number, seats)
        for played in table.rounds
        if played.ended and (seats := missing(game, table, played))
    )


def left_out(game: Game, table: Table) -> list[int]:
    """Return the rounds that were not counted when the game ended, and still are not."""
    if table.phase != "finished" or not table.left_out:
        return []
    whole = sheet(game, table).whole
    return [number for number in table.left_out if not whole[number - 1]]


def won(game: Game, table: Table) -> list[int]:
    """Return the winners of a finished game; nobody before its end.

    Nobody either while a hand is missing, except in the rounds that were left out.
    """
    missed = {number for number, _ in all_missing(game, table)}
    if table.phase != "finished" or not missed.issubset(table.left_out):
        return []
    return game.winners(table, standings(game, table))


def limit_reached(game: Game, table: Table) -> tuple[Seat, ...] | None:
    """Return the leaders once any total has reached the points limit.

    None before that, and where the rules have no limit.
    """
    limit = table.rules.points_limit
    if limit is None:
        return None
    lines = standings(game, table)
    if not any(line.total >= limit for line in lines):
        return None
    return tuple(line.seat for line in lines if line.place == 1)
