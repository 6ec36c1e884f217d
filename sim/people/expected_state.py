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
    """A penalty as in the public state."""

    round: int
    seat: int
    kind: str
    points: int


class ExpectedState(NamedTuple):
    """The expected part of the public state, and of the entry of each seat."""

    table: Part
    seats: list[Part]

    def differences(self, hub: Part) -> Iterator[str]:
        """Yield each difference by its path, with both values."""
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
        """Return the expected looks of the seats: each one's train and person."""
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
    """Return the expected state of a round in play."""
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
        "penalties": [penalty._asdict() for penalty in penalties],
        **reporter.shows(),
    }
    return ExpectedState(table, _seats(match, reporter))


def _seats(match: Match, reporter: Reporter) -> list[Part]:
    """Return the expected entries of seats; those that left or have not begun only have points."""
    totals = match.sheet.with_points(reporter.played.points)
    seats: list[Part] = [
        {
            "seat": seat + 1,
            "marker": False,
            "open_double": False,
            "last_tile": False,
            "skipped": False,
            "total": total,
            "plays": False,
        }
        for seat, total in enumerate(totals)
    ]
    for player, seat in enumerate(reporter.seats):
        seats[seat] |= {
            "last_tile": player in reporter.known_last_tiles,
            "skipped": player in reporter.to_skip,
            "plays": True,
            **reporter.shows_of_seat(player),
        }
    return seats


def counted(
    match: Match, reporter: Reporter, penalties: Sequence[SheetPenalty], phase: str
) -> ExpectedState:
    """Return the expected score sheet of a counted round, in the hub's `phase`."""
    number, sheet = match.number, match.sheet
    # A game that was ended or won in play has no end of its last round.
    counts = not match.won_in_play and not match.ended_in_play
    table = {
        "phase": phase,
        "round": number,
        "engine": match.engines[number - 1] if match.engines else None,
        **(reporter.ended() if counts else {"out": None, "blocked": False}),
        "penalties": [penalty._asdict() for penalty in penalties],
        "winners": winners(match, reporter),
        "tie": [seat + 1 for seat in sheet.tied()] if winners(match, reporter) else [],
        "left_out": sheet.left_out(),
    }
    seats = [
        {"scores": sheet.scores(seat), "total": total, "place": place}
        for seat, (total, place) in enumerate(zip(sheet.totals, sheet.places(), strict=True))
    ]
    return ExpectedState(table, seats)


def winners(match: Match, reporter: Reporter) -> list[int]:
    """Return the seats that have won the game."""
    return [seat + 1 for seat in match.sheet.winners()] if reporter.won() else []
