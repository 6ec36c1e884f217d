"""A game as a commentator would tell it: happenings to sentences, and what the hands do."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sim.dominoes import happenings as h
from sim.dominoes.castle_rock import CastleRock
from sim.dominoes.mexican_train import MexicanTrain
from sim.dominoes.round import Round
from sim.dominoes.tiles import name_of
from sim.hands import Gesture


def lines(played: Round, told: Sequence[h.Happening], gestures: Sequence[Gesture]) -> Iterator[str]:
    """What one decision came to, and what was pressed for it."""
    for each in told:
        if said := _SAID.get(type(each)):
            yield said(played, each)
    if gestures:
        yield "    " + ", ".join(_together(gestures))


def _together(gestures: Sequence[Gesture]) -> Iterator[str]:
    """Equal gestures that follow each other, as one: “tap seat-2 × 4”."""
    last, count = None, 0
    for gesture in [*gestures, None]:
        if gesture == last:
            count += 1
            continue
        if last is not None:
            yield f"{last} × {count}" if count > 1 else str(last)
        last, count = gesture, 1


def _seat(number: int | None) -> str:
    return "The Mexican Train" if number is None else f"Seat {number + 1}"


def _place(played: Round, played_there: h.Played) -> str:
    if not isinstance(played, MexicanTrain):
        return ""
    place = played_there.place
    if place >= played.players:
        return " on the Mexican Train"
    own = place == played_there.seat
    return " on the own train" if own else f" on the train of seat {place + 1}"


def _hand(played: Round, left: h.HandLeft) -> str:
    if isinstance(played, CastleRock):
        return f"{left.tiles} tiles remain."
    if not left.tiles:
        return f"{_seat(left.seat)} has nothing left."
    blank = ", the double blank among them" if left.double_blank else ""
    tiles = "1 tile" if left.tiles == 1 else f"{left.tiles} tiles"
    return f"{_seat(left.seat)} has {tiles} left, {left.pips} pips{blank}."


_SAID: dict[type[h.Happening], Callable[[Round, Any], str]] = {
    h.Played: lambda r, t: f"{_seat(t.seat)} plays {name_of(t.tile)}{_place(r, t)}.",
    h.Drew: lambda r, t: f"{_seat(t.seat)} draws a tile.",
    h.Passed: lambda r, t: f"{_seat(t.seat)} passes.",
    h.TurnLost: lambda r, t: f"{_seat(t.seat)} loses this turn.",
    h.EngineFound: lambda r, t: f"{_seat(t.seat)} finds the double {t.engine}.",
    h.LastTile: lambda r, t: f"{_seat(t.seat)} is down to one tile.",
    h.LastTileGone: lambda r, t: f"{_seat(t.seat)} has more than one tile again.",
    h.Announced: lambda r, t: f"{_seat(t.seat)}: “My last tile!”",
    h.Caught: lambda r, t: f"{_seat(t.seat)} did not say so, and is caught.",
    h.WentOut: lambda r, t: f"{_seat(t.seat)} is out{' on a double' if t.on_double else ''}!",
    h.Blocked: lambda r, t: "Nobody can play any more: the round is blocked.",
    h.HandLeft: _hand,
    h.MarkerPlaced: lambda r, t: f"{_seat(t.seat)} lays the marker: the train is open.",
    h.MarkerRemoved: lambda r, t: f"{_seat(t.seat)} takes the marker off.",
    h.TrainStarted: lambda r, t: "The Mexican Train leaves the station.",
    h.DoubleOpened: lambda r, t: f"{_seat(t.seat)} has an open double.",
    h.DoubleSatisfied: lambda r, t: f"{_seat(t.seat)} has its double satisfied.",
    h.FootOpened: lambda r, t: f"A foot: {t.toes} toes, please.",
    h.ToePlayed: lambda r, t: (
        f"A toe; {t.missing} to go." if t.missing else "The foot is complete."
    ),
    h.Scored: lambda r, t: f"The ends make {t.points} for seat {t.seat + 1}.",
    h.Stolen: lambda r, t: f"“Muggins!” {_seat(t.by)} takes the {t.points}.",
    h.Forgotten: lambda r, t: f"Nobody notices the {t.points}.",
    h.DirectionReversed: lambda r, t: "Play turns round.",
    h.NextSkipped: lambda r, t: f"A double: {_seat(t.seat)} is to lose a turn.",
    h.SpellCast: lambda r, t: f"{_seat(t.seat)} casts a spell.",
    h.SpellBroken: lambda r, t: f"{_seat(t.seat)} breaks the spell.",
    h.RowStarted: lambda r, t: f"The row was empty; {t.tiles} new tiles.",
    h.TileDrawn: lambda r, t: f"{name_of(t.tile)} joins the row.",
    h.MiddleRemoved: lambda r, t: f"{name_of(t.tile)} goes from the middle.",
    h.ThreeRemoved: lambda r, t: f"{', '.join(map(name_of, t.tiles))} go together.",
}
