"""The public state: one document for pages, hall, command line and scripts.

Its names are a contract. Seats are listed clockwise; a missing score is null, a real zero is 0.
"""

from typing import Any

from centerpiece.rules.sentences import Sentence
from centerpiece.table.game import Game
from centerpiece.table.ledger import Ledger
from centerpiece.table.rounds import remaining, rounds_of
from centerpiece.table.scoring import all_missing, remembered, rounds_won, standings, tied
from centerpiece.table.state import TRAIN, Table
from centerpiece.table.turns import left_of_turn


def public(
    ledger: Ledger, table_id: str, at: float, saved: bool = True, said: Sentence | None = None
) -> dict[str, Any]:
    """The state of a table as everybody may see it; `said` is the notice, if it is known."""
    table = ledger.table
    game = ledger.books.game_of(table)
    doubles = game.open_doubles(table)
    toes = game.toes(table)
    left = remaining(table, at)
    of_turn = left_of_turn(table, at)
    return {
        "table": table_id,
        "seq": ledger.seq,
        "saved": saved,
        "phase": table.phase,
        **_on_the_sheet(game, table),
        "asks": _asks(table),
        "turn": table.turn,
        "direction": table.direction,
        "seats": _seats(game, table, doubles),
        "train": {"started": game.train_started(table), "open_double": TRAIN in doubles},
        "toes": {"needed": toes.needed, "played": toes.played} if toes else None,
        "spell": game.spell(table),
        "pile": game.pile(table),
        **game.extras(table),
        "clock": None if left is None else {"remaining_s": max(0, round(left))},
        "turn_clock": None if of_turn is None else {"remaining_s": max(0, round(of_turn))},
        "can_undo": bool(ledger.past),
        "can_redo": bool(ledger.future),
        "notice": str(ledger.notice() if said is None else said),
    }


@remembered
def _on_the_sheet(game: Game, table: Table) -> dict[str, Any]:
    """What changes only with the rules and the score sheet."""
    lines = standings(game, table)
    finished = table.phase == "finished"
    current = table.round
    return {
        "game": table.rules.game,
        "rules": table.rules.name,
        "title": game.title,
        "set": table.size,
        "round": table.number,
        "rounds": _rounds(table),
        "engine": current.engine if current else None,
        "engines": _engines(table),
        "hand": _hand(table),
        "starter": current.starter if current else None,
        "out": current.out if current else None,
        "blocked": bool(current and current.blocked),
        "penalties": [
            {"round": p.round, "seat": p.seat, "kind": p.kind, "points": p.points}
            for p in table.penalties
        ],
        "missing": [
            {"round": number, "seats": seats} for number, seats in all_missing(game, table)
        ],
        "corrections": [
            {"round": c.round, "seat": c.seat, "was": c.was.pips, "now": c.now.pips}
            for c in table.corrections
        ],
        "counts": {
            "double_blank": table.rules.double_blank,
            "blank_half": table.rules.blank_half,
            "hidden": table.rules.hidden_bones is not None,
            "doubles_twice": table.rules.doubles_twice,
            "on_double": table.rules.out_on_double_doubles,
            "tiles": table.rules.wins == "rounds" and bool(current and current.blocked),
            "wins": table.rules.wins,
        },
        "winners": list(game.winners(table, lines)) if finished else [],
        "tie": tied(table.rules, lines) if finished else [],
    }


def _rounds(table: Table) -> int | None:
    count = rounds_of(table)
    return None if count == float("inf") else int(count)


def _engines(table: Table) -> list[int | None]:
    """The double of each round; where the hands decide, of those that have been played."""
    if table.rules.engine_choice == "highest-held":
        return [played.engine for played in table.rounds]
    return list(table.engines or table.rules.engines_for(table.size))


def _asks(table: Table) -> dict[str, Any] | None:
    """What the hub waits to be told."""
    if table.asks_which_double():
        return {"what": "double", "double": table.asked}
    return {"what": "out"} if table.asks_who_is_out() else None


def _hand(table: Table) -> int | None:
    count = len(table.players())
    if table.phase == "lobby":
        return table.rules.hand(table.size, count)
    return table.rules.hand_after_leaving(table.size, count)


def _seats(game: Game, table: Table, doubles: tuple[int, ...]) -> list[dict[str, Any]]:
    markers, calls, skipped = game.markers(table), table.calls, table.skipped
    return [
        {
            **line,
            "marker": number in markers,
            "last_tile": number in calls,
            "open_double": number in doubles,
            "skipped": number in skipped,
        }
        for number, line in _lines(game, table)
    ]


@remembered
def _lines(game: Game, table: Table) -> list[tuple[int, dict[str, Any]]]:
    """Each seat's line on the score sheet."""
    won = rounds_won(game, table) if table.rules.wins == "rounds" else {}
    return [
        (
            seat.number,
            {
                "seat": seat.number,
                "name": seat.name,
                "team": seat.team,
                "scores": list(scores),
                "total": total,
                "place": place,
                "plays": seat.plays(max(table.number, 1)),
                "left": seat.until is not None,
                "parked": seat.parked,
                "earlier": [{"name": stint.name, "until": stint.until} for stint in seat.earlier],
                "won": won.get(seat.number),
            },
        )
        for seat, scores, total, place in standings(game, table)
    ]
