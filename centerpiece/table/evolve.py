"""What events do to a table. Nothing here refuses: it has already happened."""

from typing import Any

from msgspec.structs import replace

from centerpiece.rules.book import Rules
from centerpiece.table import events as e
from centerpiece.table.checks import current_round
from centerpiece.table.state import Correction, Entry, Penalty, Play, Round, Seat, Stint, Table


def with_round(table: Table, changed: Round) -> Table:
    """The table with one of its rounds changed."""
    at = changed.number - 1
    return replace(table, rounds=(*table.rounds[:at], changed, *table.rounds[at + 1 :]))


def with_seat(table: Table, seat: Seat) -> Table:
    """The table with somebody more at it."""
    return replace(table, seats=tuple(sorted((*table.seats, seat), key=lambda s: s.number)))


def change_seat(table: Table, number: int, **changes: Any) -> Table:
    """The table with something about one seat changed."""
    seats = tuple(replace(s, **changes) if s.number == number else s for s in table.seats)
    return replace(table, seats=seats)


def round_ended(table: Table) -> Table:
    ended = replace(current_round(table), ended=True)
    over = replace(table, phase="scoring", calls=frozenset(), asked=None, turn_at=None)
    return with_round(over, ended)


def went_out(table: Table, event: e.WentOut) -> Table:
    current = current_round(table)
    entries = current.entries | {event.seat: Entry(0)}
    out = replace(current, out=event.seat, on_double=event.on_double, entries=entries)
    return with_round(table, out)


def score_entered(table: Table, event: e.ScoreEntered) -> Table:
    scored = table.rounds[event.round - 1]
    entries = scored.entries | {event.seat: event.entry}
    counting = event.seat if event.counting else None
    changed = with_round(replace(table, counting=counting), replace(scored, entries=entries))
    if event.was is None or event.counting:
        return changed
    trail = Correction(event.round, event.seat, event.was, event.entry)
    return replace(changed, corrections=(*table.corrections, trail))


def penalized(table: Table, event: e.Penalized) -> Table:
    if event.caught:
        # Now everybody knows of the last tile: nobody is caught with the same one twice.
        table = replace(table, calls=table.calls | {event.seat})
    if event.kind is None:
        return table
    penalty = Penalty(table.number, event.seat, event.kind, event.points)
    skipped = table.skipped | {event.seat} if event.kind == "skip" else table.skipped
    calls = table.calls - {event.seat} if event.kind in ("draw", "keep") else table.calls
    return replace(table, penalties=(*table.penalties, penalty), skipped=skipped, calls=calls)


def left(table: Table, number: int) -> Table:
    """Gone from this round on, or from the next if this one is being scored."""
    gone_from = table.number + (table.phase == "scoring")
    changed = change_seat(table, number, until=gone_from)
    return replace(changed, calls=table.calls - {number}, skipped=table.skipped - {number})


def parked(table: Table, number: int) -> Table:
    """Away from this round on, or from the next if this one is being scored."""
    seat = table.seat(number)
    assert seat is not None
    away_from = table.number + (table.phase == "scoring")
    changed = change_seat(table, number, away=(*seat.away, (away_from, None)))
    return replace(changed, calls=table.calls - {number}, skipped=table.skipped - {number})


def returned(table: Table, number: int) -> Table:
    """Back from the next round on, from a parked seat or after having left."""
    seat = table.seat(number)
    assert seat is not None
    if seat.parked:
        *before, (start, _) = seat.away
    else:
        before, start = list(seat.away), seat.until or table.number
    again = table.number + 1
    missed = ((start, again),) if start < again else ()
    return change_seat(table, number, away=(*before, *missed), until=None)


def substituted(table: Table, event: e.Substituted) -> Table:
    """The new one plays this round, or the next if this one is being scored."""
    seat = table.seat(event.seat)
    assert seat is not None
    stint = Stint(event.was, table.number + (table.phase == "scoring"))
    return change_seat(table, event.seat, name=event.name, earlier=(*seat.earlier, stint))


def seat_moved(table: Table, event: e.SeatMoved) -> Table:
    """In the lobby: one moves, or two change places."""
    swapped = {event.seat: event.to, event.to: event.seat}
    seats = [replace(s, number=swapped.get(s.number, s.number)) for s in table.seats]
    return replace(table, seats=tuple(sorted(seats, key=lambda seat: seat.number)))


def engine_found(table: Table, event: e.EngineFound) -> Table:
    current = current_round(table)
    starter = current.starter if event.seat is None else event.seat
    found = replace(current, engine=event.engine, starter=starter)
    return with_round(replace(table, asked=None), found)


def turn_passed(table: Table, event: e.TurnPassed) -> Table:
    skipped = table.skipped - set(event.lost)
    return replace(table, turn=event.seat, turn_at=event.at, skipped=skipped)


def lobby_opened(table: Table) -> Table:
    stayed = tuple(Seat(s.number, s.name) for s in table.seats if s.until is None and not s.parked)
    return Table(
        table.rules,
        table.size,
        seats=stayed,
        play=Play(),
        bests=table.bests,
        saved_rules=table.saved_rules,
    )


def rules_agreed(table: Table, rules: Rules, size: int) -> Table:
    """In a game, rounds that have begun keep their double."""
    if table.phase == "lobby":
        return replace(table, rules=rules, size=size)
    begun = table.engines[: table.number]
    later = rules.engines_for(size)[table.number :]
    changed = replace(table, rules=rules, size=size, engines=begun + later)
    if table.asked is None or _asks_for_engine(changed):
        return changed
    known = replace(current_round(changed), engine=changed.engines[table.number - 1])
    return with_round(replace(changed, asked=None), known)


def game_started(table: Table, event: e.GameStarted) -> Table:
    count = len(table.seats)
    seats = tuple(
        Seat(seat.number, seat.name, team=table.rules.team_of(place, count))
        for place, seat in enumerate(table.seats)
    )
    return replace(table, seats=seats, engines=event.engines, started_at=event.at)


def _asks_for_engine(table: Table) -> bool:
    return table.rules.engine_choice == "highest-held" and bool(table.engines)


def round_started(table: Table, event: e.RoundStarted) -> Table:
    for number, points in event.carried.items():
        table = change_seat(table, number, carried=points)
    return replace(
        table,
        phase="playing",
        rounds=(*table.rounds, Round(event.number, event.engine, event.starter)),
        calls=frozenset(),
        skipped=frozenset(),
        turn=None,
        turn_at=None,
        asked=table.size if _asks_for_engine(table) else None,
        direction="clockwise",
        counting=None,
    )
