"""The state that the hub must show, computed from the tiles alone.

It is a part of the public state, by its names; wherever the public state differs, the hub (or the
table) is wrong. Nothing here knows how the hub works, and what only one game has is in its
`Reporter`.
Seats count from 1, as in the public state.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sim.dominoes.dealing import tiles_each
from sim.dominoes.match import Match
from sim.people.reporting import Reporter

Part = dict[str, Any]
"""A part of the public state, or of a seat's entry in it."""


class SheetPenalty(NamedTuple):
    """A penalty, by the column of the sheet."""

    round: int
    column: int
    kind: str
    points: int


class ExpectedState(NamedTuple):
    """The expected part of the public state, and of the entry of each seat."""

    table: Part
    seats: list[Part]

    def differences(self, hub: Part) -> Iterator[str]:
        """Yield each difference from the hub's public state: its path, and both values.

        Names that are not expected do not matter; without differences there is nothing.
        """
        if len(self.seats) != len(hub["seats"]):
            yield f"seats: the table has {len(self.seats)}, the hub {len(hub['seats'])}"
        parts = [(self.table, hub), *zip(self.seats, hub["seats"], strict=False)]
        for place, (ours, theirs) in enumerate(parts):
            if ours.items() <= theirs.items():
                continue
            path = f"seats.{place}." if place else ""
            for name, own in ours.items():
                if own != (shown := theirs.get(name)):
                    yield f"{path}{name}: the table has {own!r}, the hub {shown!r}"

    def looks(self) -> dict[str, set[str]]:
        """Return the expected looks of each seat that plays: of its train and its person.

        A last tile goes before a lost turn, and both before the starter.
        """
        shown = {}
        to_play = self.table["turn"] or self.table["starter"]
        for seat in (each for each in self.seats if each["plays"]):
            train = "double" if seat["open_double"] else "open" if seat["marker"] else "closed"
            if seat["last_tile"]:
                person = "last-tile"
            elif seat["skipped"]:
                person = "skipped"
            else:
                person = "starter" if seat["seat"] == to_play else "plays"
            shown[f"seat-{seat['seat']}"] = {train, person}
        return shown


def playing(match: Match, reporter: Reporter, penalties: Sequence[SheetPenalty]) -> ExpectedState:
    """Return the expected state of a round in play; `penalties` are those of the whole game."""
    rules, played, number = match.rules, reporter.played, match.number
    table = {
        "phase": "playing",
        "game": rules.game,
        "rules": rules.name,
        "set": match.size,
        "round": number,
        "rounds": match.rounds,
        "engine": match.engines[number - 1] if match.engines else None,
        "hand": tiles_each(rules, match.size, played.players),
        "starter": reporter.number(played.starter),
        "turn": None,
        "direction": "clockwise",
        "train": {"started": False, "open_double": False},
        "penalties": _penalties(match, penalties),
        **reporter.shows(),
    }
    return ExpectedState(table, _seats(match, reporter))


def _seats(match: Match, reporter: Reporter) -> list[Part]:
    """Return the expected entry of each seat.

    Of seats that do not play this round, only points, and whether they left, are more than empty.
    """
    sheet = match.sheet
    totals = sheet.with_points(reporter.played.points)
    seats: dict[int, Part] = {
        column: {
            "seat": sheet.number(column),
            "marker": False,
            "open_double": False,
            "last_tile": False,
            "skipped": False,
            "total": totals[column],
            "plays": False,
            "left": column in sheet.gone,
        }
        for column in sheet.in_hub_order()
    }
    for player, column in enumerate(sheet.seats):
        seats[column] |= {
            "last_tile": player in reporter.known_last_tiles,
            "skipped": player in reporter.to_skip,
            "plays": True,
            **reporter.shows_of_seat(player),
        }
    return list(seats.values())


def counted(
    match: Match, reporter: Reporter, penalties: Sequence[SheetPenalty], phase: str
) -> ExpectedState:
    """Return the expected score sheet once a round is counted, with the hub in `phase`.

    The winners are there once the game is over and every hand that counts is known.
    """
    number, sheet = match.number, match.sheet
    # A game that was ended or won in play has no end of its last round.
    counts = not match.won_in_play and not match.ended_in_play
    ended: Part = reporter.ended() if counts else {"out": None, "blocked": False}
    if counts and reporter.played.out:
        ended["out"] = sheet.number(sheet.seats[reporter.played.out[0]])
    table = {
        "phase": phase,
        "round": number,
        "engine": match.engines[number - 1] if match.engines else None,
        **ended,
        "penalties": _penalties(match, penalties),
        "winners": _numbers(match, winners(match, reporter)),
        "tie": _numbers(match, sheet.tied()) if winners(match, reporter) else [],
        "left_out": sheet.left_out(),
    }
    totals, places = sheet.totals, sheet.places()
    seats = [
        {
            "seat": sheet.number(column),
            "scores": sheet.scores(column),
            "total": totals[column],
            "place": places[column],
        }
        for column in sheet.in_hub_order()
    ]
    return ExpectedState(table, seats)


def _penalties(match: Match, penalties: Sequence[SheetPenalty]) -> list[Part]:
    """Return the penalties as in the public state."""
    return [
        {"round": round, "seat": match.sheet.number(column), "kind": kind, "points": points}
        for round, column, kind, points in penalties
    ]


def winners(match: Match, reporter: Reporter) -> list[int]:
    """Return the columns that have won the game."""
    return match.sheet.winners() if reporter.won() else []


def _numbers(match: Match, columns: Sequence[int]) -> list[int]:
    """Return the seats of columns, as the public state counts them."""
    return sorted(map(match.sheet.number, columns))
