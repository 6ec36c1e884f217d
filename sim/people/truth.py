"""What the hub's books must say, worked out from the tiles alone, next to what they do say.

Two pictures of the same kind, one drawn from the table and one from the public state, are equal
or the hub (or the table) is wrong. Nothing here knows how the hub comes to its books.
Seats count from 1, as in the public state.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sim.dominoes.castle_rock import CastleRock
from sim.dominoes.chickenfoot import Chickenfoot
from sim.dominoes.deal import tiles_each
from sim.dominoes.match import Match
from sim.dominoes.mexican_train import MexicanTrain
from sim.dominoes.muggins import Muggins
from sim.dominoes.round import Round
from sim.dominoes.super_15 import Super15

Seats = list[int]


class Penalty(NamedTuple):
    """Somebody was caught."""

    round: int
    seat: int
    kind: str
    points: int


class Picture(NamedTuple):
    """A round in play."""

    phase: str
    game: str
    rules: str
    set: int
    round: int
    rounds: int | None
    engine: int | None
    hand: int
    starter: int
    turn: int | None
    direction: str
    markers: Seats
    open_doubles: Seats
    train: tuple[bool, bool]
    """Whether it is under way, and whether a double is open on it."""
    toes: tuple[int, int] | None
    spell: bool
    caster: int | None
    pile: int | None
    row: int | None
    last_tiles: Seats
    skipped: Seats
    penalties: list[Penalty]
    totals: list[int]


class Sheet(NamedTuple):
    """The score sheet of a round that has ended, or of the whole game."""

    phase: str
    round: int
    engine: int | None
    out: int | None
    blocked: bool
    scores: list[list[int | None]]
    """For each seat one entry a round."""
    totals: list[int]
    places: list[int | None]
    penalties: list[Penalty]
    winners: Seats
    tie: Seats


# -- as the hub has it --------------------------------------------------------------------------


def picture_of(state: dict[str, Any]) -> Picture:
    """A round in play, as the public state shows it."""
    train, toes = state["train"], state["toes"]
    marked: Seats = []
    doubles: Seats = []
    last_tiles: Seats = []
    skipped: Seats = []
    totals: list[int] = []
    for seat in state["seats"]:
        number = seat["seat"]
        totals.append(seat["total"])
        if seat["marker"]:
            marked.append(number)
        if seat["open_double"]:
            doubles.append(number)
        if seat["last_tile"]:
            last_tiles.append(number)
        if seat["skipped"]:
            skipped.append(number)
    return Picture(
        state["phase"],
        state["game"],
        state["rules"],
        state["set"],
        state["round"],
        state["rounds"],
        state["engine"],
        state["hand"],
        state["starter"],
        state["turn"],
        state["direction"],
        marked,
        doubles,
        (train["started"], train["open_double"]),
        (toes["needed"], toes["played"]) if toes else None,
        state["spell"],
        state.get("caster"),
        state["pile"],
        state.get("row"),
        last_tiles,
        skipped,
        _penalties_of(state),
        totals,
    )


def sheet_of(state: dict[str, Any]) -> Sheet:
    """The score sheet, as the public state shows it."""
    seats = state["seats"]
    return Sheet(
        state["phase"],
        state["round"],
        state["engine"],
        state["out"],
        state["blocked"],
        [seat["scores"] for seat in seats],
        [seat["total"] for seat in seats],
        [seat["place"] for seat in seats],
        _penalties_of(state),
        state["winners"],
        state["tie"],
    )


def _penalties_of(state: dict[str, Any]) -> list[Penalty]:
    return [Penalty(**penalty) for penalty in state["penalties"]]


# -- as the table has it ------------------------------------------------------------------------


def picture(
    match: Match, played: Round, penalties: Sequence[Penalty], told_turn: int | None
) -> Picture:
    """A round in play, by its tiles; `told_turn` is whose turn the hub was told it is."""
    rules, players = match.rules, played.players
    markers: Seats = []
    doubles: Seats = []
    train, toes, spell, caster, pile, row = (False, False), None, False, None, None, None
    totals, clockwise = match.totals, True
    number = len(match.sheet) + 1
    skipped = sorted({p.seat for p in penalties if p.round == number and p.kind == "skip"})
    if isinstance(played, MexicanTrain):
        markers = [seat + 1 for seat, marked in enumerate(played.marked) if marked]
        doubles = sorted(place + 1 for place in played.open if place < players)
        train = (played.started > 0, any(place >= players for place in played.open))
    elif isinstance(played, Chickenfoot):
        if played.missing:
            toes = (played.needed, played.needed - played.missing)
    elif isinstance(played, Muggins):
        totals = match.totals_with(played.points)
    elif isinstance(played, Super15):
        spell, clockwise = played.spell, played.clockwise
        caster = None if played.caster is None else played.caster + 1
        skipped = [seat + 1 for seat, skips in enumerate(played.skips) if skips]
    elif isinstance(played, CastleRock):
        # An empty row is no state to rest in: the next one is drawn with the same breath.
        drawn = 0 if played.row else min(played.rules.row, len(played.yard))
        pile, row = len(played.yard) - drawn, len(played.row) + drawn
    return Picture(
        "playing",
        rules.game,
        rules.name,
        match.size,
        number,
        len(match.engines) or rules.rounds,
        match.engines[number - 1] if match.engines else None,
        tiles_each(rules, match.size, players),
        played.starter + 1,
        None if told_turn is None else told_turn + 1,
        "clockwise" if clockwise else "counterclockwise",
        markers,
        doubles,
        train,
        toes,
        spell,
        caster,
        pile,
        row,
        _last_tiles(played),
        skipped,
        list(penalties),
        totals,
    )


def _last_tiles(played: Round) -> Seats:
    if isinstance(played, Muggins | CastleRock):
        return []
    said = enumerate(zip(played.lone, played.announced, strict=True), start=1)
    return [seat for seat, (lone, announced) in said if lone and announced]


def sheet(match: Match, played: Round, penalties: Sequence[Penalty], phase: str) -> Sheet:
    """The score sheet once a round was counted, in the hub's `phase`."""
    finished = phase == "finished"
    places = _places(match)
    won = played.won if isinstance(played, CastleRock) else True
    best = [seat for seat, place in enumerate(places, start=1) if place == 1]
    return Sheet(
        phase,
        len(match.sheet),
        match.engines[len(match.sheet) - 1] if match.engines else None,
        *_end(match, played),
        [list(column) for column in zip(*match.sheet, strict=True)],
        match.totals,
        list(places),
        list(penalties),
        best if finished and won else [],
        _tied(match, places) if finished else [],
    )


def _end(match: Match, played: Round) -> tuple[int | None, bool]:
    """Who is said to be out (of several in one round, the first), and whether it was blocked.

    A game that was won in play needs no end of its last round.
    """
    if isinstance(played, CastleRock):
        return (None, True) if played.row else (1, False)
    if match.won_in_play:
        return None, False
    return played.out[0] + 1 if played.out else None, played.blocked


def _places(match: Match) -> list[int]:
    """Each seat's place; partners have theirs together, equals share one."""
    sign = 1 if match.rules.wins == "lowest" else -1
    totals = match.totals
    sides = [match.rules.team_of(seat, match.players) or -seat - 1 for seat in range(match.players)]
    return [
        1 + len({side for side, other in zip(sides, totals, strict=True) if sign * other < own})
        for own in (sign * total for total in totals)
    ]


def _tied(match: Match, places: Sequence[int]) -> Seats:
    """The seats that share a prize with somebody who is not their partner."""
    rules, players = match.rules, match.players
    found = []
    for seat, place in enumerate(places):
        team = rules.team_of(seat, players)
        rivals = [
            other
            for other in range(players)
            if other != seat
            and places[other] == place
            and (team is None or rules.team_of(other, players) != team)
        ]
        if rivals and place <= rules.prizes:
            found.append(seat + 1)
    return found


def differences(table: NamedTuple, hub: NamedTuple) -> Iterator[str]:
    """Each thing that table and hub see differently, with both sides."""
    for name, ours, theirs in zip(table._fields, table, hub, strict=True):
        if ours != theirs:
            yield f"{name}: the table has {ours!r}, the hub {theirs!r}"


def looks(picture: Picture) -> dict[str, str]:
    """What seats and train must look like; of several looks the more urgent one."""
    shown = {}
    to_play = picture.starter if picture.turn is None else picture.turn
    for seat in range(1, len(picture.totals) + 1):
        if seat in picture.open_doubles:
            look = "double"
        elif seat in picture.last_tiles:
            look = "last-tile"
        elif seat in picture.markers:
            look = "open"
        else:
            look = "starter" if seat == to_play else "closed"
        shown[f"seat-{seat}"] = look
    started, open_double = picture.train
    urgent = open_double or picture.toes is not None or picture.spell
    shown["train"] = "double" if urgent else "open" if started else "closed"
    return shown
