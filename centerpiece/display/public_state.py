"""The public state: one JSON document for pages, hall, command line and scripts.

Its names are a contract. Seats are listed clockwise; a missing score is null, a real zero is 0.
"""

from collections.abc import Collection, Mapping
from functools import cache
from math import inf
from typing import Any

import msgspec

from centerpiece.panel.dial import Dial
from centerpiece.panel.ui import Ui
from centerpiece.rules.deal import among_several
from centerpiece.rules.rules import Rules
from centerpiece.table.binding import SEAT, Action
from centerpiece.table.commands import CallLastTile, Command
from centerpiece.table.derived import derived_from_sheet
from centerpiece.table.game import Game, Offer, Signs, signs_of
from centerpiece.table.rounds import hand, remaining, rounds_of
from centerpiece.table.scoring import (
    all_missing,
    hands_by_tile,
    left_out,
    rounds_won,
    standings,
    tied,
    won,
)
from centerpiece.table.state import TRAIN, Table
from centerpiece.table.turns import left_of_turn
from centerpiece.table.undo import Ledger

NO_UI = Ui()
DOCK = {True: "home", False: "lifted", None: None}
"""What a seat's marker does; null without a dock."""
SEAT_HOLE = "{seat}"
"""Placeholder for the seat in an offer's command."""


def public_state(
    ledger: Ledger,
    table_id: str,
    at: float,
    ui: Ui = NO_UI,
    *,
    now: float = 0.0,
    left: float | None = None,
    saved: bool = True,
) -> dict[str, Any]:
    """Return the public state of a table.

    `at` is the game's own time, `now` the ui's. `left` is the remaining time of the game if another
    clock measures its limit. `saved` is False while events are not safe on the disk.
    """
    table = ledger.table
    game = ledger.game_set.game_of(table)
    signs = signs_of(game, table)
    left = remaining(table, at) if left is None else left
    of_turn = left_of_turn(table, at)
    notice = ledger.notice() if ui.notice is None else ui.notice
    look, name, words = signs.siding
    on: dict[type[Command], Collection[int]] = {**signs.on, CallLastTile: table.calls}
    return {
        "table": table_id,
        **_sheet(game, table),
        **ledger.game_set.blanks,
        "offers": [
            document
            for offer, document in _offers(game)
            if table.phase in offer.phases and (table.rules.tracks_turns or not offer.turns)
        ],
        "seq": ledger.seq,
        "saved": saved,
        "asks": _asks(table, ui),
        "question": _question(table, ui, now),
        "counting": _counting(table, ui.dial),
        "turn": table.turn,
        "direction": table.direction,
        "seats": _seats(_sheet(game, table)["seats"], table, signs, ui.markers.home),
        "open_doubles": [_place(where) for where in signs.doubles],
        "double_due": None if signs.due is None else _place(signs.due),
        "clock": None if left is None else {"remaining_s": max(0, round(left))},
        "turn_clock": None if of_turn is None else {"remaining_s": max(0, round(of_turn))},
        "undo": msgspec.to_builtins(ledger.undo_told()),
        "redo": msgspec.to_builtins(ledger.redo_told()),
        "undo_of": {
            str(seat): msgspec.to_builtins(told) for seat, told in ledger.hands_told().items()
        },
        "notice": str(notice),
        "said": msgspec.to_builtins(notice),
        "siding": {"look": look, "name": name, "words": words},
        "alerts": msgspec.to_builtins(list(signs.alerts)),
        "notes": msgspec.to_builtins(list(signs.notes)),
        "on": {
            order.__struct_config__.tag: sorted(places) for order, places in on.items() if places
        },
        **game.share(table),
    }


@derived_from_sheet
def _sheet(game: Game, table: Table) -> dict[str, Any]:
    """Return the part that depends only on the rules and the score sheet."""
    lines = standings(game, table)
    rounds = rounds_won(game, table) if table.rules.wins == "rounds" else {}
    best = won(game, table)
    current, playing = table.round, table.players()
    return {
        "phase": table.phase,
        "game": table.rules.game,
        "rules": table.rules.name,
        "title": game.title,
        "from_next_round": [] if table.agreed is None else _news(table.agreed, table.rules),
        "set": table.size,
        "started_at": table.started_at,
        "round": table.number,
        "rounds": _rounds(table),
        "engine": current.engine if current else None,
        "engines": _engines(table),
        "hand": hand(table),
        "starter": current.starter if current else None,
        "play_offs": [
            {"round": played.number, "seats": list(played.among)}
            for played in table.rounds
            if played.among
        ],
        "out": current.out if current else None,
        "blocked": bool(current and current.blocked),
        "penalties": [
            {"round": p.round, "seat": p.seat, "kind": p.kind, "points": p.points}
            for p in table.penalties
        ],
        "missing": [
            {"round": number, "seats": seats} for number, seats in all_missing(game, table)
        ],
        "leaders": [line.seat.number for line in lines if line.place == 1],
        "left_out": left_out(game, table),
        "corrections": [
            {"round": c.round, "seat": c.seat, "was": c.was.pips, "now": c.now.pips}
            for c in table.corrections
        ],
        "hands": hands_by_tile(table.rounds),
        "counts": {
            "double_blank": table.rules.double_blank,
            "blank_half": table.rules.blank_half,
            "hidden": table.rules.hidden_bones is not None,
            "doubles_twice": table.rules.doubles_twice,
            "on_double": table.rules.out_on_double_doubles,
            "tiles": table.rules.wins == "rounds" and bool(current and current.blocked),
            "wins": table.rules.wins,
            "goal": table.rules.points_limit,
            "turns": table.rules.tracks_turns,
            "alone": not among_several(table.rules),
        },
        "winners": best,
        "tie": tied(table.rules, lines) if best else [],
        "seats": [
            {
                "seat": seat.number,
                "name": seat.name,
                "team": seat.team,
                "scores": list(scores),
                "total": total,
                "place": place,
                "plays": seat in playing,
                "left": seat.until is not None,
                "parked": seat.parked,
                "earlier": [{"name": stint.name, "until": stint.until} for stint in seat.earlier],
                "won": rounds.get(seat.number),
            }
            for seat, scores, total, place in lines
        ],
    }


def _news(agreed: Rules, played: Rules) -> list[dict[str, Any]]:
    """Return the sentences of the rules `agreed` on that differ from those `played`."""
    changes: list[dict[str, Any]] = msgspec.to_builtins(agreed.news(played))
    return changes


def _rounds(table: Table) -> int | None:
    count = rounds_of(table)
    return None if count == float("inf") else int(count)


def _question(table: Table, ui: Ui, now: float) -> dict[str, Any] | None:
    """Return the words of the open question and the seconds until it runs out; None without one.

    The seconds are None if it does not run out.
    """
    question = ui.pending(table)
    if question is None:
        return None
    ends = ui.question_ends if question is ui.question else inf
    return {
        "said": msgspec.to_builtins(question.sentence),
        "remaining_s": None if ends == inf else max(0.0, round(ends - now, 1)),
    }


def _engines(table: Table) -> list[int | None]:
    """Return the double of each round; where the hands decide it, only of rounds begun so far."""
    if table.rules.engine_choice == "highest-held":
        return [played.engine for played in table.rounds]
    return list(table.engines or table.rules.engines_for(table.size))


def _asks(table: Table, ui: Ui) -> dict[str, Any] | None:
    """Return the kind of the open question and the seats that may answer it; None without one."""
    question = ui.pending(table)
    if question is None:
        return None
    asks = {"what": question.what, "seats": list(question.seats)}
    return asks | {"double": table.asked} if question.what == "double" else asks


def _counting(table: Table, dial: Dial) -> dict[str, Any] | None:
    """Return the seat whose hand is being counted, and what is typed of it; None if none is.

    An earlier round, the sum of the tiles so far, a double blank and points made in play are in it
    only where there are any.
    """
    hand, typed = dial.hand_shown(table), dial.typed
    if hand is None:
        return None
    counting: dict[str, Any] = {"seat": hand.seat, "typed": typed.shown}
    if hand.round < table.number:
        counting["round"] = hand.round
    if hand.in_play:
        counting["in_play"] = True
    if typed.sum is not None:
        counting["sum"] = typed.number
    if typed.double_blank:
        counting["double_blank"] = True
    return counting


def _place(where: int) -> int | str:
    return "train" if where == TRAIN else where


def _seats(
    lines: list[dict[str, Any]], table: Table, signs: Signs, home: Mapping[int, bool]
) -> list[dict[str, Any]]:
    """Return the seats of the score sheet, `lines`, with what is on the table there.

    `home` tells, for each seat with a dock, if its marker is there.
    """
    trains, doubles, calls, skipped = signs.open_trains, signs.doubles, table.calls, table.skipped
    seats = []
    for line in lines:
        seat = line.copy()
        number = seat["seat"]
        seat["marker"] = number in trains
        seat["dock"] = DOCK.get(home.get(number))
        seat["last_tile"] = number in calls
        seat["open_double"] = number in doubles
        seat["skipped"] = number in skipped
        seats.append(seat)
    return seats


@cache
def _offers(game: Game) -> tuple[tuple[Offer, dict[str, Any]], ...]:
    return tuple((offer, _offer(offer)) for offer in game.offers())


def _offer(offer: Offer) -> dict[str, Any]:
    """Return an offer as a document for pages, with defaults for `short` and `back`."""
    return {
        "words": offer.words,
        "short": offer.short or offer.words,
        "icon": offer.icon,
        "kept": offer.kept,
        "pinned": offer.pinned,
        "off": offer.off,
        "command": _command(offer.action),
        "back": _command(offer.back or offer.action),
        "number": offer.number,
    }


def _command(action: Action) -> dict[str, Any]:
    """Return a command as JSON, with a placeholder for the seat if the button is to fill it in."""
    document: dict[str, Any] = msgspec.to_builtins(action)
    return {name: SEAT_HOLE if value == SEAT else value for name, value in document.items()}
