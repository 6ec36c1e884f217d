"""PURE: a table's line, from its ledger and the games it has played before."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from centerpiece.hall.wire import table_line as t
from centerpiece.hall.wire.hall_orders import GRACE
from centerpiece.hall.wire.table_line import GameResult, TableLine
from centerpiece.storage.settings import SettingKey
from centerpiece.table.game_set import GameSet
from centerpiece.table.rounds import rounds_of
from centerpiece.table.scoring import all_missing, left_out, standings, tally
from centerpiece.table.state import Table
from centerpiece.table.undo import Ledger

EARLIER_GAMES: SettingKey[tuple[GameResult, ...]] = SettingKey(
    "hall-games", tuple[GameResult, ...], ()
)
"""Games that undo may not reach any more, by the hub's clock. The ledger knows the latest two."""


def build_line(
    name: str,
    journal: str,
    ledger: Ledger,
    earlier: Iterable[GameResult] = (),
    *,
    offset: float = 0.0,
    opened: float | None = None,
) -> TableLine:
    """Return the line of a table.

    `offset` is what makes the hub's clock the hall's, and `opened` when the hall was opened, if
    that is known: games before it are left out.
    """
    table = ledger.table
    limit, rounds = table.rules.time_limit_min, rounds_of(table)
    running = table.phase in ("playing", "scoring")
    since = 0.0 if opened is None else opened - GRACE - offset
    return TableLine(
        table=name,
        journal=journal,
        seq=ledger.seq,
        phase=table.phase,
        game=table.rules.game,
        rules=table.rules.name,
        card=t.fingerprint(table.next_rules, table.size),
        round=table.number,
        rounds=None if rounds == float("inf") else int(rounds),
        engine=table.round.engine if table.round else None,
        ends=(table.started_at or 0.0) + limit * 60 + offset if running and limit else None,
        lobby=tuple(t.SeatedPlayer(seat.number, seat.name) for seat in table.seats)
        if table.phase == "lobby"
        else (),
        games=tuple(
            _moved(game, offset) for game in _games(ledger, earlier) if game.started_at >= since
        )[-t.MOST_GAMES :],
        offset=round(offset, 3),
    )


def with_previous(ledger: Ledger, known: Iterable[GameResult]) -> tuple[GameResult, ...]:
    """Return the earlier games with the one before this: undo will not reach it for ever."""
    previous = [result_of(ledger.game_set, table) for table in _previous(ledger)]
    kept = [game for game in known if game.started_at not in [p.started_at for p in previous]]
    return tuple(sorted([*kept, *previous], key=lambda game: game.started_at)[-t.MOST_GAMES :])


def result_of(game_set: GameSet, table: Table) -> GameResult:
    """Return what a game has come to so far."""
    game = game_set.game_of(table)
    dropped = left_out(game, table)
    return GameResult(
        started_at=table.started_at or 0.0,
        rules=table.rules.name,
        wins=table.rules.wins,
        rounds=sum(played.end_known for played in table.rounds),
        finished=table.phase == "finished",
        players=tuple(
            t.SeatedPlayer(
                line.seat.number,
                line.seat.name,
                tally(game, table, line),
                line.place,
                line.seat.until is not None,
                line.seat.parked,
            )
            for line in standings(game, table)
        ),
        missing=tuple(
            t.UncountedRound(number, tuple(seats))
            for number, seats in all_missing(game, table)
            if number not in dropped
        ),
    )


def _games(ledger: Ledger, earlier: Iterable[GameResult]) -> list[GameResult]:
    """Return all games, the earliest first. What undo has taken back never was."""
    reachable = [*_previous(ledger)]
    if ledger.table.started_at is not None:
        reachable.append(ledger.table)
    known = [result_of(ledger.game_set, table) for table in reachable]
    first = min((game.started_at for game in known), default=float("inf"))
    return [*(game for game in earlier if game.started_at < first), *known]


def _previous(ledger: Ledger) -> Iterator[Table]:
    """Yield the last table of the game before the one that is on, if undo remembers it."""
    current = ledger.table.started_at
    for step in reversed(ledger.past):
        before = step.before
        if before.started_at is not None and before.started_at != current:
            if before.phase == "finished":
                yield before
            return


def _moved(game: GameResult, seconds: float) -> GameResult:
    return replace(game, started_at=max(0.0, game.started_at + seconds)) if seconds else game
