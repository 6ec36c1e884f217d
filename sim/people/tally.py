"""Sums, shares and averages over many games. Pure."""

from typing import Any

import msgspec

from sim.people.tables import Counts, SimulatedResult, Tables


class Tally(Counts, kw_only=True):
    """The sum of the games of one profile."""

    profile: str
    set: int
    players: int
    kinds: tuple[str, ...]
    seed: int
    games: int = 0
    seats_of_kind: dict[str, int] = msgspec.field(default_factory=dict)
    """The number of seats taken by each kind."""
    wins_by_kind: dict[str, float] = msgspec.field(default_factory=dict)
    """Games won; several winners share one."""
    wins_by_seat: list[float] = msgspec.field(default_factory=list)
    points_by_kind: dict[str, int] = msgspec.field(default_factory=dict)
    incident_counts: dict[str, int] = msgspec.field(default_factory=dict)
    """The number of incidents by name."""
    totals: list[int] = msgspec.field(default_factory=list)
    """The final totals of all players in all games."""

    @classmethod
    def of(cls, tables: Tables) -> "Tally":
        """Return an empty tally for these tables."""
        kinds = tuple(dict.fromkeys(tables.kinds))
        return cls(
            profile=tables.rules.full_name,
            set=tables.size,
            players=tables.players,
            kinds=kinds,
            seed=tables.seed,
            seats_of_kind=dict.fromkeys(kinds, 0),
            wins_by_kind=dict.fromkeys(kinds, 0.0),
            wins_by_seat=[0.0] * tables.players,
            points_by_kind=dict.fromkeys(kinds, 0),
        )

    def add(self, result: SimulatedResult) -> None:
        """Add the result of one more game; several winners share the win."""
        self.games += 1
        for name in Counts.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(result, name))
        for name, times in result.incident_counts.items():
            self.incident_counts[name] = self.incident_counts.get(name, 0) + times
        self.totals += result.totals
        for kind, points in zip(result.kinds, result.totals, strict=True):
            self.seats_of_kind[kind] += 1
            self.points_by_kind[kind] += points
        late = len(result.totals) - len(self.wins_by_seat)
        self.wins_by_seat += [0.0] * late
        for seat in result.winners:
            self.wins_by_seat[seat] += 1 / len(result.winners)
            self.wins_by_kind[result.kinds[seat]] += 1 / len(result.winners)

    def wins_of(self, kind: str) -> float:
        """Return the share of games that a kind wins."""
        return self.wins_by_kind[kind] / (self.seats_of_kind[kind] or 1)

    def average_of(self, kind: str) -> float:
        """Return the average final total of a kind."""
        return self.points_by_kind[kind] / (self.seats_of_kind[kind] or 1)

    def _seated(self) -> list[str]:
        """Return the kinds that have played."""
        return [kind for kind in self.kinds if self.seats_of_kind[kind]]

    def document(self) -> dict[str, Any]:
        """Return the tally for JSON, with shares, averages and presses added."""
        document: dict[str, Any] = msgspec.to_builtins(self)
        seated = self._seated()
        document["win_share_by_kind"] = {kind: round(self.wins_of(kind), 4) for kind in seated}
        document["average_by_kind"] = {kind: round(self.average_of(kind), 2) for kind in seated}
        document["presses_a_game"] = round(self.gestures / (self.games or 1), 1)
        document["presses_to_close_a_round"] = round(self.closing / (self.rounds or 1), 2)
        document["blocked_share"] = round(self.blocked / (self.rounds or 1), 4)
        return document

    def lines(self) -> list[str]:
        """Return the summary as lines of text.

        Markers and incidents are in it only if there were any, wins by seat only with several
        players.
        """
        games = self.games or 1
        a_round = self.turns / (self.rounds or 1)
        blocked = 100 * self.blocked / (self.rounds or 1)
        seated = self._seated()
        people = "1 player" if self.players == 1 else f"{self.players} players"
        lines = [
            f"{self.profile}: double-{self.set}, {people}, {_games(self.games)}",
            f"  rounds {self.rounds:,}   turns {self.turns:,} ({a_round:.1f} a round)   "
            f"blocked {blocked:.1f} %",
            "  " + _row("", seated),
            "  " + _row("games won", [_share(self.wins_of(kind)) for kind in seated]),
            "  " + _row("average total", [f"{self.average_of(kind):.1f}" for kind in seated]),
        ]
        if self.players > 1:
            seats = [f"seat {seat + 1}" for seat in range(len(self.wins_by_seat))]
            shares = [_share(wins / games) for wins in self.wins_by_seat]
            lines += ["  " + _row("", seats), "  " + _row("games won", shares)]
        lines.append(
            f"  last tiles announced {self.announced:,}, caught {self.caught:,}, "
            f"points stolen {self.stolen:,}, slips undone {self.mispresses:,}"
        )
        lines.append(
            f"  presses {self.gestures:,}: {self.gestures / games:.1f} a game, and "
            f"{self.closing / (self.rounds or 1):.1f} a round from “who went out?” to the next"
        )
        if self.moved:
            lines.append(
                f"  markers moved {self.moved:,}: {self.moved / games:.1f} a game, "
                f"{self.mishandled:,} wrong at first"
            )
        lines.append(f"  {self.compared:,} comparisons")
        if self.incident_counts:
            lines.append(
                "  " + ", ".join(f"{name} {n:,}" for name, n in self.incident_counts.items())
            )
        return lines


def _games(count: int) -> str:
    return "1 game" if count == 1 else f"{count:,} games"


def _share(part: float) -> str:
    return f"{100 * part:.1f} %"


def _row(name: str, cells: list[str]) -> str:
    return f"{name:<14}" + "".join(f"{cell:>11}" for cell in cells)
