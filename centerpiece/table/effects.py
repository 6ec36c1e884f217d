"""What events do to a table. Nothing here refuses: it has already happened."""

from typing import Any

from msgspec.structs import replace

from centerpiece.rules.book import Rules
from centerpiece.table import events as e
from centerpiece.table.checks import current_round
from centerpiece.table.state import Correction, Entry, Penalty, Play, Round, Seat, Table


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
    return with_round(replace(table, phase="scoring"), ended)


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


def lobby_opened(table: Table) -> Table:
    stayed = tuple(Seat(s.number, s.name) for s in table.seats if s.until is None)
    return Table(table.rules, table.size, seats=stayed, play=Play())


def rules_agreed(table: Table, rules: Rules, size: int) -> Table:
    """In a game, rounds that have begun keep their double."""
    if table.phase == "lobby":
        return replace(table, rules=rules, size=size)
    begun = table.engines[: table.number]
    later = rules.engines_for(size)[table.number :]
    return replace(table, rules=rules, size=size, engines=begun + later)


def game_started(table: Table, event: e.GameStarted) -> Table:
    count = len(table.seats)
    seats = tuple(
        Seat(seat.number, seat.name, team=table.rules.team_of(place, count))
        for place, seat in enumerate(table.seats)
    )
    return replace(table, seats=seats, engines=event.engines, started_at=event.at)


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
        direction="clockwise",
        counting=None,
    )
