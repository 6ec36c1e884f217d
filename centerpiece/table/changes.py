"""Small changes of a table, from which events build their effects."""

from typing import Any

from msgspec.structs import replace

from centerpiece.table.checks import current_round
from centerpiece.table.state import MOST_SEATS, Round, Seat, Table


def with_round(table: Table, changed: Round) -> Table:
    at = changed.number - 1
    return replace(table, rounds=(*table.rounds[:at], changed, *table.rounds[at + 1 :]))


def change_round(table: Table, **changes: Any) -> Table:
    return with_round(table, replace(current_round(table), **changes))


def with_seat(table: Table, seat: Seat) -> Table:
    return replace(table, seats=tuple(sorted((*table.seats, seat), key=lambda s: s.number)))


def change_seat(table: Table, number: int, **changes: Any) -> Table:
    seats = tuple(replace(s, **changes) if s.number == number else s for s in table.seats)
    return replace(table, seats=seats)


def with_chair_free(table: Table, chair: int) -> Table:
    """Return the table with the number `chair` free: the person who has it gets a former number.

    That is `chair` plus MOST_SEATS, or plus the next multiple of it that is free. If nobody has the
    number `chair`, nothing changes.
    """
    if table.seat(chair) is None:
        return table
    former = chair + MOST_SEATS
    while table.seat(former) is not None:
        former += MOST_SEATS
    return with_number(table, chair, former)


def with_number(table: Table, number: int, to: int) -> Table:
    """Return the table with the person who has `number` under the number `to`, which must be free.

    Seats, rounds, penalties and corrections follow; turn, last-tile marks and lost turns do not.
    """

    def moved(seat: Any) -> Any:
        return to if seat == number else seat

    seats = [
        replace(seat, number=moved(seat.number), among=tuple(map(moved, seat.among)))
        for seat in table.seats
    ]
    rounds = [
        replace(
            played,
            starter=moved(played.starter),
            out=moved(played.out),
            entries={moved(seat): entry for seat, entry in played.entries.items()},
            awards=tuple(replace(award, seat=moved(award.seat)) for award in played.awards),
        )
        for played in table.rounds
    ]
    return replace(
        table,
        seats=tuple(sorted(seats, key=lambda seat: seat.number)),
        rounds=tuple(rounds),
        penalties=tuple(replace(each, seat=moved(each.seat)) for each in table.penalties),
        corrections=tuple(replace(each, seat=moved(each.seat)) for each in table.corrections),
    )


def with_last_tile(table: Table, number: int) -> Table:
    """Return the table with the last tile of seat `number` announced: it cannot be caught."""
    calls, announced = table.calls | {number}, table.announced | {number}
    return replace(table, calls=calls, announced=announced)


def with_more_tiles(table: Table, *numbers: int) -> Table:
    """Return the table without the last-tile marks of these seats: they have certainly drawn."""
    return replace(
        table,
        calls=table.calls.difference(numbers),
        announced=table.announced.difference(numbers),
        caught=table.caught.difference(numbers),
    )


def without_signs(table: Table, number: int) -> Table:
    """Return the table without last-tile marks and lost turn of seat `number`, which is left."""
    return replace(with_more_tiles(table, number), skipped=table.skipped - {number})
