"""The public state: one document for pages, hall, command line and scripts.

Its names are a contract. Seats are listed clockwise; a missing score is null, a real zero is 0.
"""

from typing import Any

from centerpiece.table.game import Game
from centerpiece.table.rounds import remaining, rounds_of
from centerpiece.table.scoring import all_missing, remembered, rounds_won, standings, tied
from centerpiece.table.state import TRAIN, Table
from centerpiece.table.turns import left_of_turn
from centerpiece.table.undo import Ledger
from centerpiece.text import Sentence


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
    document = _form(game, table).copy()
    document["table"] = table_id
    document["seq"] = ledger.seq
    document["saved"] = saved
    document["asks"] = _asks(table)
    document["turn"] = table.turn
    document["direction"] = table.direction
    document["seats"] = _seats(game, table, doubles)
    document["train"] = {"started": game.train_started(table), "open_double": TRAIN in doubles}
    document["toes"] = {"needed": toes.needed, "played": toes.played} if toes else None
    document["spell"] = game.spell(table)
    document["pile"] = game.pile(table)
    document["clock"] = None if left is None else {"remaining_s": max(0, round(left))}
    document["turn_clock"] = None if of_turn is None else {"remaining_s": max(0, round(of_turn))}
    document["can_undo"] = bool(ledger.past)
    document["can_redo"] = bool(ledger.future)
    document["notice"] = str(ledger.notice() if said is None else said)
    document.update(game.extras(table))
    return document


@remembered
def _form(game: Game, table: Table) -> dict[str, Any]:
    """All that changes only with the rules and the score sheet, and blanks for the rest."""
    lines = standings(game, table)
    finished = table.phase == "finished"
    current = table.round
    return {
        "table": "",
        "seq": 0,
        "saved": True,
        "phase": table.phase,
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
        "asks": None,
        "turn": None,
        "direction": "",
        "seats": [],
        "train": {},
        "toes": None,
        "spell": False,
        "pile": None,
        "clock": None,
        "turn_clock": None,
        "can_undo": False,
        "can_redo": False,
        "notice": "",
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
    seats = []
    for line in _lines(game, table):
        seat = line.copy()
        number = seat["seat"]
        seat["marker"] = number in markers
        seat["last_tile"] = number in calls
        seat["open_double"] = number in doubles
        seat["skipped"] = number in skipped
        seats.append(seat)
    return seats


@remembered
def _lines(game: Game, table: Table) -> list[dict[str, Any]]:
    """Each seat's line on the score sheet, and blanks for what lies on the table."""
    won = rounds_won(game, table) if table.rules.wins == "rounds" else {}
    return [
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
            "marker": False,
            "last_tile": False,
            "open_double": False,
            "skipped": False,
        }
        for seat, scores, total, place in standings(game, table)
    ]
