"""PURE: a table's line, from its ledger and the games it has played before."""

from collections.abc import Iterator, Mapping

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
"""Games that undo may no longer reach, by the hub's clock; the ledger has the latest two."""


def build_line(
    name: str,
    journal: str,
    ledger: Ledger,
    earlier: tuple[GameResult, ...] = (),
    *,
    offset: float = 0.0,
    offsets: Mapping[float, float] = {},
    opened: float | None = None,
    trouble: str = "",
) -> TableLine:
    """Return the line of the table `name`, with the games of its ledger and the `earlier` ones.

    Only games since the hall was `opened` are in it; all, if that is None. `offset` is added to the
    hub's clock to get the hall's; `offsets` has it by the start of a game, since the hub's clock
    may have been set later.
    """

    def hall_time(start: float) -> float:
        return start + offsets.get(start, offset)

    table = ledger.table
    limit, rounds = table.rules.time_limit_min, rounds_of(table)
    running = table.phase in ("playing", "scoring")
    since = 0.0 if opened is None else opened - GRACE
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
        ends=hall_time(table.started_at or 0.0) + limit * 60 if running and limit else None,
        lobby=tuple(
            t.SeatedPlayer(seat.number, seat.name) for seat in table.seats if table.phase == "lobby"
        ),
        games=tuple(
            replace(game, started_at=max(0.0, hall_time(game.started_at)))
            for game in _games(ledger, earlier)
            if hall_time(game.started_at) >= since
        )[-t.MOST_GAMES :],
        offset=round(offset, 3),
        trouble=trouble[: t.LONGEST_TROUBLE],
    )


def with_previous(ledger: Ledger, known: tuple[GameResult, ...]) -> tuple[GameResult, ...]:
    """Return the `known` results and that of the game before the current one, if undo still has it.

    They are the latest `MOST_GAMES`, earliest first. The next game makes undo forget it.
    """
    previous = [result_of(ledger.game_set, table) for table in _previous(ledger)]
    games = {game.started_at: game for game in (*known, *previous)}
    return tuple(games[at] for at in sorted(games)[-t.MOST_GAMES :])


def result_of(game_set: GameSet, table: Table) -> GameResult:
    """Return the result of the game on `table`, over or in play."""
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


def _games(ledger: Ledger, earlier: tuple[GameResult, ...]) -> list[GameResult]:
    """Return all games, earliest first: `earlier` ones that began before the ledger's, then those.

    An earlier one that began no sooner has been taken back by undo.
    """
    tables = [*_previous(ledger), *([] if ledger.table.started_at is None else [ledger.table])]
    reachable = [result_of(ledger.game_set, table) for table in tables]
    first = min((game.started_at for game in reachable), default=float("inf"))
    return [*(game for game in earlier if game.started_at < first), *reachable]


def _previous(ledger: Ledger) -> Iterator[Table]:
    """Yield the final table of the game before the current one.

    Nothing if undo has it no longer, or if that game was not finished.
    """
    current = ledger.table.started_at
    for step in reversed(ledger.past):
        before = step.before
        if before.started_at is not None and before.started_at != current:
            if before.phase == "finished":
                yield before
            return
