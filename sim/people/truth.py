"""What the hub's books must say, worked out from the tiles alone.

It is written down as a part of the public state, by its names; whatever the public state has
otherwise, the hub (or the table) has wrong. Nothing here knows how the hub comes to its books, and
what only one game has is its `Reporter`'s to tell.
Seats count from 1, as in the public state.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sim.dominoes.deal import tiles_each
from sim.dominoes.match import Match
from sim.people.reporting import Reporter

Part = dict[str, Any]
"""Some of the public state, or of a seat's entry in it."""


class Penalty(NamedTuple):
    """Somebody was caught."""

    round: int
    seat: int
    kind: str
    points: int


class Truth(NamedTuple):
    """What must be in the public state, and in the entry of each seat."""

    table: Part
    seats: list[Part]

    def differences(self, hub: Part) -> Iterator[str]:
        """Each thing that table and hub see differently, by its path, with both sides."""
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
        """What the seats must look like: each one's train, and the person."""
        shown = {}
        to_play = self.table["turn"] or self.table["starter"]
        for seat in self.seats:
            train = "double" if seat["open_double"] else "open" if seat["marker"] else "closed"
            if seat["last_tile"]:
                person = "last-tile"
            elif seat["skipped"]:
                person = "skipped"
            else:
                person = "starter" if seat["seat"] == to_play else "plays"
            shown[f"seat-{seat['seat']}"] = {train, person}
        return shown


def playing(match: Match, reporter: Reporter, penalties: Sequence[Penalty]) -> Truth:
    """A round in play."""
    rules, played = match.rules, reporter.played
    number = len(match.sheet) + 1
    table = {
        "phase": "playing",
        "game": rules.game,
        "rules": rules.name,
        "set": match.size,
        "round": number,
        "rounds": len(match.engines) or rules.rounds,
        "engine": match.engines[number - 1] if match.engines else None,
        "hand": tiles_each(rules, match.size, played.players),
        "starter": played.starter + 1,
        "turn": None,
        "direction": "clockwise",
        "train": {"started": False, "open_double": False},
        "penalties": [penalty._asdict() for penalty in penalties],
        **reporter.shows(),
    }
    return Truth(table, _seats(match, reporter, reporter.losing))


def _seats(match: Match, reporter: Reporter, skipped: set[int]) -> list[Part]:
    played = reporter.played
    return [
        {
            "seat": seat + 1,
            "marker": False,
            "open_double": False,
            "last_tile": seat in reporter.gleaming,
            "skipped": seat in skipped,
            "total": total,
            **reporter.shows_of_seat(seat),
        }
        for seat, total in enumerate(match.totals_with(played.points))
    ]


def counted(match: Match, reporter: Reporter, penalties: Sequence[Penalty], phase: str) -> Truth:
    """The score sheet once a round was counted, in the hub's `phase`."""
    number, finished = len(match.sheet), phase == "finished"
    places, totals = _places(match), match.totals
    columns = zip(*match.sheet, strict=True)
    # A game that was won in play needs no end of its last round.
    end = {"out": None, "blocked": False} if match.won_in_play else reporter.ended()
    table = {
        "phase": phase,
        "round": number,
        "engine": match.engines[number - 1] if match.engines else None,
        **end,
        "penalties": [penalty._asdict() for penalty in penalties],
        "winners": winners(match, reporter) if finished else [],
        "tie": _tied(match, places) if finished else [],
    }
    seats = [
        {"scores": list(scores), "total": total, "place": place}
        for scores, total, place in zip(columns, totals, places, strict=True)
    ]
    return Truth(table, seats)


def winners(match: Match, reporter: Reporter) -> list[int]:
    """The seats that have won the game."""
    return [seat + 1 for seat in match.winners()] if reporter.won() else []


def _places(match: Match) -> list[int]:
    """Each seat's place; partners have theirs together, equals share one."""
    sign = 1 if match.rules.wins == "lowest" else -1
    totals = match.totals
    sides = [match.rules.team_of(seat, match.players) or -seat - 1 for seat in range(match.players)]
    return [
        1 + len({side for side, other in zip(sides, totals, strict=True) if sign * other < own})
        for own in (sign * total for total in totals)
    ]


def _tied(match: Match, places: Sequence[int]) -> list[int]:
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
