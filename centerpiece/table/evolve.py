"""`evolve` applies a fact: what each event does to a table. Nothing refuses: it has happened."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from centerpiece.rules.rules import Rules
from centerpiece.table import events as e
from centerpiece.table import saved_rules
from centerpiece.table.checks import current_round
from centerpiece.table.events import Event
from centerpiece.table.state import Correction, Entry, Penalty, Play, Round, Seat, Stint, Table

if TYPE_CHECKING:
    from centerpiece.table.game_set import GameSet


def with_round(table: Table, changed: Round) -> Table:
    """The table with one of its rounds changed."""
    at = changed.number - 1
    return replace(table, rounds=(*table.rounds[:at], changed, *table.rounds[at + 1 :]))


def with_seat(table: Table, seat: Seat) -> Table:
    """The table with somebody more at it."""
    return replace(table, seats=tuple(sorted((*table.seats, seat), key=lambda s: s.number)))


def without_seat(table: Table, number: int) -> Table:
    """The table with nobody on a seat."""
    return replace(table, seats=tuple(seat for seat in table.seats if seat.number != number))


def change_seat(table: Table, number: int, **changes: Any) -> Table:
    """The table with something about one seat changed."""
    seats = tuple(replace(s, **changes) if s.number == number else s for s in table.seats)
    return replace(table, seats=seats)


def change_round(table: Table, **changes: Any) -> Table:
    """The table with something about the round in play changed."""
    return with_round(table, replace(current_round(table), **changes))


def round_ended(table: Table, event: e.RoundEnded) -> Table:
    over = replace(
        table, phase="scoring", calls=frozenset(), asked=None, who_starts=False, turn_at=None
    )
    return change_round(over, ended=True)


def went_out(table: Table, event: e.WentOut) -> Table:
    entries = current_round(table).entries | {event.seat: Entry(0)}
    return change_round(table, out=event.seat, on_double=event.on_double, entries=entries)


def out_changed(table: Table, event: e.OutChanged) -> Table:
    """Whoever goes out has nothing left; whoever did not must count, if that is not done."""
    played = table.rounds[event.round - 1]
    entries = dict(played.entries)
    if event.was is not None and event.was != event.seat and entries.get(event.was) == Entry(0):
        del entries[event.was]
    if event.seat is not None:
        entries[event.seat] = Entry(0)
    return with_round(
        table,
        replace(
            played,
            out=event.seat,
            on_double=event.on_double,
            blocked=event.seat is None,
            entries=entries,
        ),
    )


def score_entered(table: Table, event: e.ScoreEntered) -> Table:
    scored = table.rounds[event.round - 1]
    entries = scored.entries | {event.seat: event.entry}
    changed = with_round(table, replace(scored, entries=entries))
    if event.was is None:
        return changed
    trail = Correction(event.round, event.seat, event.was, event.entry)
    return replace(changed, corrections=(*table.corrections, trail))


def last_tile_called(table: Table, event: e.LastTileCalled) -> Table:
    known = with_last_tile(table, event.seat)
    return replace(known, whistles=max(0, table.whistles - event.claims))


def whistle_blown(table: Table, event: e.WhistleBlown) -> Table:
    """It is remembered for the round it was blown in; where that was taken back, there is none."""
    return replace(table, whistles=table.whistles + (table.phase == "playing"))


def with_last_tile(table: Table, number: int) -> Table:
    """The table with one more last tile that everybody knows of."""
    calls, announced = table.calls | {number}, table.announced | {number}
    return replace(table, calls=calls, announced=announced)


def with_more_tiles(table: Table, *numbers: int) -> Table:
    """The table with seats that have certainly drawn."""
    calls, announced = table.calls.difference(numbers), table.announced.difference(numbers)
    return replace(table, calls=calls, announced=announced)


def penalized(table: Table, event: e.Penalized) -> Table:
    if event.caught:
        # Now everybody knows of the last tile: nobody is caught with the same one twice.
        table = with_last_tile(table, event.seat)
    if event.kind is None:
        return table
    if event.kind in ("draw", "keep"):
        table = with_more_tiles(table, event.seat)
    penalty = Penalty(table.number, event.seat, event.kind, event.points)
    skipped = table.skipped | {event.seat} if event.kind == "skip" else table.skipped
    return replace(table, penalties=(*table.penalties, penalty), skipped=skipped)


def left(table: Table, event: e.Left) -> Table:
    """Gone from this round on, or from the next if this one is being scored."""
    gone_from = table.number + (table.phase == "scoring")
    return _without_signs(change_seat(table, event.seat, until=gone_from), event.seat)


def parked(table: Table, event: e.Parked) -> Table:
    """Away from this round on, or from the next if this one is being scored."""
    seat = table.seat(event.seat)
    assert seat is not None
    away_from = table.number + (table.phase == "scoring")
    changed = change_seat(table, event.seat, away=(*seat.away, (away_from, None)))
    return _without_signs(changed, event.seat)


def _without_signs(table: Table, number: int) -> Table:
    return replace(with_more_tiles(table, number), skipped=table.skipped - {number})


def returned(table: Table, event: e.Returned) -> Table:
    """Back from the next round on, from a parked seat or after having left."""
    seat = table.seat(event.seat)
    assert seat is not None
    if seat.parked:
        *before, (start, _) = seat.away
    else:
        before, start = list(seat.away), seat.until or table.number
    again = table.number + 1
    missed = ((start, again),) if start < again else ()
    return change_seat(table, event.seat, away=(*before, *missed), until=None)


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
    starter = current_round(table).starter if event.seat is None else event.seat
    known = replace(table, asked=None, who_starts=False)
    return change_round(known, engine=event.engine, starter=starter)


def starter_known(table: Table, event: e.StarterDesignated | e.StarterDrawn) -> Table:
    return change_round(replace(table, who_starts=False), starter=event.seat)


def turn_passed(table: Table, event: e.TurnPassed) -> Table:
    skipped = table.skipped - set(event.lost)
    return replace(table, turn=event.seat, turn_at=event.at, skipped=skipped)


def game_reopened(table: Table, event: e.GameReopened) -> Table:
    """A round that was won in play is in play again: its tiles are still on the table."""
    again = replace(table, phase="scoring", finished_by=None, left_out=())
    if current_round(table).told:
        return again
    return change_round(replace(again, phase="playing"), ended=False)


def lobby_opened(table: Table, event: e.LobbyOpened) -> Table:
    stayed = tuple(Seat(s.number, s.name) for s in table.seats if s.until is None and not s.parked)
    return Table(
        table.coming,
        table.size,
        seats=stayed,
        play=Play(),
        results=table.results,
        deleted=table.deleted,
        saved_rules=table.saved_rules,
    )


def game_deleted(table: Table, event: e.GameDeleted) -> Table:
    results = {
        key: tuple(each for each in ended if each[0] != event.started_at)
        for key, ended in table.results.items()
    }
    return replace(table, results=results, deleted=(*table.deleted, event.started_at))


OF_NO_ROUND = ("name", "base", "rounds", "time_limit_min")
"""What rules are called, and how long the evening is: that holds as soon as it is agreed."""


def rules_agreed(table: Table, rules: Rules, size: int) -> Table:
    """In a game they hold from the next round on: a round ends by the rules it was dealt by."""
    if table.phase == "lobby":
        return replace(table, rules=rules, size=size)
    begun = table.engines[: table.number]
    later = rules.engines_for(size)[table.number :]
    now = replace(table.rules, **{name: getattr(rules, name) for name in OF_NO_ROUND})
    agreed = None if now == rules else rules
    return replace(table, rules=now, agreed=agreed, engines=begun + later)


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
    """A bare table; but a turn that somebody has to lose is still to be lost."""
    dealt = len(event.among or table.players(event.number))
    began = Round(event.number, event.engine, event.starter, dealt, among=event.among)
    table = table.ahead()
    return replace(
        table,
        phase="playing",
        rounds=(*table.rounds, began),
        calls=frozenset(),
        announced=frozenset(),
        whistles=0,
        turn=None,
        turn_at=None,
        asked=table.size if _asks_for_engine(table) else None,
        direction="clockwise",
        who_starts=event.asks,
    )


EFFECTS: dict[type[Event], Callable[[Table, Any], Table]] = {
    e.LastTileCalled: last_tile_called,
    e.LastTileGone: lambda table, event: with_more_tiles(table, event.seat),
    e.WhistleBlown: whistle_blown,
    e.WhistleDropped: lambda table, event: replace(table, whistles=max(0, table.whistles - 1)),
    e.ScoreEntered: score_entered,
    e.RoundEnded: round_ended,
    e.WentOut: went_out,
    e.OutChanged: out_changed,
    e.RoundBlocked: lambda table, event: change_round(table, blocked=True),
    e.Penalized: penalized,
    e.RoundStarted: round_started,
    e.EngineFound: engine_found,
    e.EnginePassed: lambda table, event: replace(table, asked=event.asked),
    e.TurnPassed: turn_passed,
    e.SkipEnded: lambda table, event: replace(table, skipped=table.skipped - {event.seat}),
    e.StarterDesignated: starter_known,
    e.StarterDrawn: starter_known,
    e.GameFinished: lambda table, event: replace(
        table,
        phase="finished",
        turn=None,
        finished_by=event.reason,
        left_out=event.left_out,
    ),
    e.WinnersChanged: lambda table, event: table,
    e.GameReopened: game_reopened,
    e.LobbyOpened: lobby_opened,
    e.SeatTaken: lambda table, event: with_seat(table, Seat(event.seat, event.name)),
    e.SeatFreed: lambda table, event: without_seat(table, event.seat),
    e.Renamed: lambda table, event: change_seat(table, event.seat, name=event.name),
    e.RulesSaved: lambda table, event: replace(
        table, saved_rules=saved_rules.with_saved(table, event.house)
    ),
    e.RulesForgotten: lambda table, event: replace(
        table, saved_rules=saved_rules.without(table, event.house)
    ),
    e.GameDeleted: game_deleted,
    e.GameStarted: game_started,
    e.Joined: lambda table, event: with_seat(
        table, Seat(event.seat, event.name, since=table.number + 1)
    ),
    e.SeatMoved: seat_moved,
    e.Substituted: substituted,
    e.Parked: parked,
    e.Returned: returned,
    e.Left: left,
}
"""What each event does that all games share; `RulesAgreed` needs to know the games."""


def evolve(game_set: GameSet, table: Table, event: Event) -> Table:
    """Apply a fact. Never refuses: it has already happened. A game applies its own."""
    effect = EFFECTS.get(type(event))
    if effect is not None:
        changed = effect(table, event)
    elif isinstance(event, e.RulesAgreed):
        changed = rules_agreed(table, game_set.read_rules(event.rules), event.size)
    else:
        return game_set.game_of(table).evolve(table, event)
    game = game_set.game_of(changed)
    if isinstance(event, e.RoundStarted):
        changed = replace(changed, play=game.new_play(changed))
    return game.after(changed, event)
