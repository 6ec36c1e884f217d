"""A commentary on a game: happenings as sentences, and what was pressed."""

from collections.abc import Iterator, Sequence

from sim.dominoes import happenings as h
from sim.dominoes.tiles import name_of
from sim.hands import HandGesture
from sim.people.reporting import Commentary, Reporter


def lines(
    reporter: Reporter, happenings: Sequence[h.Happening], gestures: Sequence[HandGesture]
) -> Iterator[str]:
    """Yield the sentences on the happenings of a decision, then its gestures, if any, as one line.

    Happenings without a sentence are left out.
    """
    for each in happenings:
        if sentence := reporter.commentary.get(type(each)) or _COMMENTARY.get(type(each)):
            yield sentence(reporter.played, each)
    if gestures:
        yield "    " + ", ".join(_together(gestures))


def _together(gestures: Sequence[HandGesture]) -> Iterator[str]:
    """Yield gestures as text, equal successive ones as one: “tap seat-2 × 4”."""
    last, count = None, 0
    for gesture in [*gestures, None]:
        if gesture == last:
            count += 1
            continue
        if last is not None:
            yield f"{last} × {count}" if count > 1 else str(last)
        last, count = gesture, 1


def _seat(number: int) -> str:
    return f"Seat {number + 1}"


def _hand(left: h.HandLeft) -> str:
    """Return a sentence on the tiles that a seat has left."""
    if not left.tiles:
        return f"{_seat(left.seat)} has nothing left."
    blank = ", the double blank among them" if left.double_blank else ""
    tiles = "1 tile" if left.tiles == 1 else f"{left.tiles} tiles"
    return f"{_seat(left.seat)} has {tiles} left, {left.pips} pips{blank}."


_COMMENTARY: Commentary = {
    h.Played: lambda r, t: f"{_seat(t.seat)} plays {name_of(t.tile)}.",
    h.Drew: lambda r, t: f"{_seat(t.seat)} draws a tile.",
    h.Passed: lambda r, t: f"{_seat(t.seat)} passes.",
    h.TurnMissed: lambda r, t: f"{_seat(t.seat)} loses this turn.",
    h.EngineLaid: lambda r, t: f"{_seat(t.seat)} finds the double {t.engine}.",
    h.LastTile: lambda r, t: f"{_seat(t.seat)} is down to one tile.",
    h.HandRefilled: lambda r, t: f"{_seat(t.seat)} has more than one tile again.",
    h.Announced: lambda r, t: f"{_seat(t.seat)}: “My last tile!”",
    h.Caught: lambda r, t: f"{_seat(t.seat)} did not announce it, and is caught.",
    h.LastTilePlayed: lambda r, t: (
        f"{_seat(t.seat)} is out{' on a double' if t.on_double else ''}!"
    ),
    h.Blocked: lambda r, t: "Nobody can play any more: the round is blocked.",
    h.HandLeft: lambda r, t: _hand(t),
    h.Scored: lambda r, t: f"The ends make {t.points} for seat {t.seat + 1}.",
    h.Stolen: lambda r, t: f"{_seat(t.by)} sees it first and takes the {t.points}.",
    h.Forgotten: lambda r, t: f"Nobody notices the {t.points}.",
}
"""The sentences for all games; a `Reporter` has those of its own game."""
