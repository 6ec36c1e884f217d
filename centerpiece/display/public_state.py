"""The public state: one document for pages, hall, command line and scripts.

Its names are a contract. Seats are listed clockwise; a missing score is null, a real zero is 0.
"""

from collections.abc import Callable, Collection
from operator import is_
from typing import Any

import msgspec

from centerpiece.rules.rules import Rules
from centerpiece.table.commands import CallLastTile, Command
from centerpiece.table.game import Game, Offer, Signs
from centerpiece.table.game_set import GameSet
from centerpiece.table.panel import Deed
from centerpiece.table.questions import open_question
from centerpiece.table.rounds import hand, remaining, rounds_of
from centerpiece.table.scoring import (
    all_missing,
    hands_told,
    left_out,
    rounds_won,
    standings,
    tied,
    won,
)
from centerpiece.table.state import TRAIN, Phase, Table
from centerpiece.table.turns import left_of_turn
from centerpiece.table.undo import Ledger
from centerpiece.text import Sentence

SEAT = "{seat}"
"""In an offer's command: the seat that is meant."""


def public(
    ledger: Ledger, table_id: str, at: float, saved: bool = True, said: Sentence | None = None
) -> dict[str, Any]:
    """The state of a table as everybody may see it; `said` is the notice, if it is known."""
    return PublicState(ledger.game_set, table_id).document(ledger, at, saved, said)


class PublicState:
    """Makes the document of one table. Keeps what it made last of rules and score sheet.

    Much happens in a round that changes nothing on the sheet; tables share what did not change, so
    a look at the parts that matter tells.
    """

    def __init__(self, game_set: GameSet, table_id: str) -> None:
        self.game_set = game_set
        self.table_id = table_id
        self._parts: tuple[object, ...] = (None,)
        self._form: dict[str, Any] = {}
        self._offers: dict[str, list[tuple[Offer, dict[str, Any]]]] = {}

    def document(
        self, ledger: Ledger, at: float, saved: bool = True, said: Sentence | None = None
    ) -> dict[str, Any]:
        """The state as everybody may see it; `said` is the notice, if it is known."""
        table = ledger.table
        game = self.game_set.game_of(table)
        signs = game.signs(table)
        left = remaining(table, at)
        of_turn = left_of_turn(table, at)
        document = self._of_the_sheet(game, table).copy()
        document["seq"] = ledger.seq
        document["saved"] = saved
        document["asks"] = _asks(table)
        document["turn"] = table.turn
        document["direction"] = table.direction
        document["seats"] = _seats(document["seats"], table, signs)
        document["open_doubles"] = [_place(where) for where in signs.doubles]
        document["double_due"] = None if signs.due is None else _place(signs.due)
        document["clock"] = None if left is None else {"remaining_s": max(0, round(left))}
        document["turn_clock"] = (
            None if of_turn is None else {"remaining_s": max(0, round(of_turn))}
        )
        document["can_undo"] = ledger.can_undo
        document["can_redo"] = bool(ledger.future)
        document["notice"] = str(ledger.notice() if said is None else said)
        look, name, words = signs.siding
        document["siding"] = {"look": look, "name": name, "words": words}
        if signs.alerts:
            document["alerts"] = msgspec.to_builtins(list(signs.alerts))
        if signs.notes:
            document["notes"] = msgspec.to_builtins(list(signs.notes))
        on: dict[type[Command], Collection[int]] = {**signs.on, CallLastTile: table.calls}
        document["on"] = {
            order.__struct_config__.tag: sorted(places) for order, places in on.items() if places
        }
        document.update(game.share(table))
        return document

    def _of_the_sheet(self, game: Game, table: Table) -> dict[str, Any]:
        """All that changes only with the rules and the score sheet: `_form` reads nothing else of
        the table than these parts."""
        parts = (
            table.rules,
            table.agreed,
            table.size,
            table.seats,
            table.rounds,
            table.penalties,
            table.corrections,
            table.left_out,
            table.engines,
            table.phase,
        )
        if not all(map(is_, self._parts, parts)):
            self._form = {"table": self.table_id, **_form(game, table), **self.game_set.blanks}
            self._form["offers"] = self._offered(game, table.phase)
            self._parts = parts
        return self._form

    def _offered(self, game: Game, phase: Phase) -> list[dict[str, Any]]:
        if game.name not in self._offers:
            self._offers[game.name] = [(offer, _offer(offer)) for offer in game.offers()]
        return [told for offer, told in self._offers[game.name] if phase in offer.phases]


def _form(game: Game, table: Table) -> dict[str, Any]:
    """What changes with the sheet only; whatever else is shown goes into `document`."""
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
        "hands": hands_told(table.rounds),
        "counts": {
            "double_blank": table.rules.double_blank,
            "blank_half": table.rules.blank_half,
            "hidden": table.rules.hidden_bones is not None,
            "doubles_twice": table.rules.doubles_twice,
            "on_double": table.rules.out_on_double_doubles,
            "tiles": table.rules.wins == "rounds" and bool(current and current.blocked),
            "wins": table.rules.wins,
            "goal": table.rules.points_limit,
            "turns": table.rules.tells_turns,
        },
        "winners": best,
        "tie": tied(table.rules, lines) if best else [],
        "alerts": [],
        "notes": [],
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
    """What the table has agreed on since the round was dealt."""
    told: list[dict[str, Any]] = msgspec.to_builtins(agreed.news(played))
    return told


def _rounds(table: Table) -> int | None:
    count = rounds_of(table)
    return None if count == float("inf") else int(count)


def _engines(table: Table) -> list[int | None]:
    """The double of each round; where the hands decide, of those that have been played."""
    if table.rules.engine_choice == "highest-held":
        return [played.engine for played in table.rounds]
    return list(table.engines or table.rules.engines_for(table.size))


def _asks(table: Table) -> dict[str, Any] | None:
    """What the hub waits to be told, and by whom."""
    question = open_question(table)
    if question is None:
        return None
    asked = {"what": question.what, "seats": list(question.seats)}
    return asked | {"double": table.asked} if question.what == "double" else asked


def _place(where: int) -> int | str:
    return "train" if where == TRAIN else where


def _seats(lines: list[dict[str, Any]], table: Table, signs: Signs) -> list[dict[str, Any]]:
    """Each seat's line on the score sheet, and what lies on the table there."""
    trains, doubles, calls, skipped = signs.open_trains, signs.doubles, table.calls, table.skipped
    seats = []
    for line in lines:
        seat = line.copy()
        number = seat["seat"]
        seat["marker"] = number in trains
        seat["last_tile"] = number in calls
        seat["open_double"] = number in doubles
        seat["skipped"] = number in skipped
        seats.append(seat)
    return seats


def _offer(offer: Offer) -> dict[str, Any]:
    """What differs between the orders for two seats is the seat."""
    return {
        "words": offer.words,
        "short": offer.short or offer.words,
        "icon": offer.icon,
        "kept": offer.kept,
        "off": offer.off,
        "command": _order(offer.deed),
        "back": _order(offer.back or offer.deed),
        "number": offer.number,
    }


def _order(deed: Callable[[int], Deed]) -> dict[str, Any]:
    one, other = (msgspec.to_builtins(deed(seat)) for seat in (1, 2))
    return {name: SEAT if other[name] != value else value for name, value in one.items()}
