"""A score sheet of its own, independent of the hub: who played which round, scores, totals.

It works as on paper. A round counts as a whole or not at all; a late arrival begins with what the
table has at the end of the round before; totals are computed when they are read, so correcting a
line moves everything.
Seats count from 0, rounds from 1; an unknown score is None.
"""

from collections.abc import Sequence

import msgspec

from centerpiece.rules.rules import Rules

Score = int | None


class SheetLine(msgspec.Struct):
    """One round, for the seats that played it."""

    scores: dict[int, Score]
    made: dict[int, int] = {}
    """The part of it made in play."""
    in_order: list[tuple[int, int]] = []
    """The same as pairs of seat and points, in order."""

    @property
    def whole(self) -> bool:
        """True if every hand is known."""
        return None not in self.scores.values()


class Stay(msgspec.Struct):
    """The rounds that somebody is at the table."""

    first: int = 1
    last: int | None = None
    pauses_from: int | None = None
    """The first round of the current pause."""
    missed: set[int] = set()
    """Rounds of earlier pauses."""
    begins: int | None = None
    """A late arrival's first points, if all hands were counted when they sat down."""
    beside: list[int] = []
    """The seats that were at the table then."""

    def plays(self, number: int) -> bool:
        """Tell whether this person plays a round."""
        here = self.first <= number and (self.last is None or number <= self.last)
        return here and not self.misses(number)

    def misses(self, number: int) -> bool:
        """Tell whether this person pauses in a round."""
        pausing = self.pauses_from is not None and number >= self.pauses_from
        return pausing or number in self.missed


class ScoreSheet:
    """The score sheet of one game."""

    def __init__(self, rules: Rules, players: int) -> None:
        self.rules = rules
        self.lines: list[SheetLine] = []
        self.begun = 0
        """The number of rounds dealt; the last may be in play."""
        self.over = False
        """True once the game is over: then points made in play count in whole rounds only."""
        self._left_out: set[int] = set()
        self.stays = [Stay() for _ in range(players)]
        self._teams = [rules.team_of(seat, players) for seat in range(players)]
        self._totals: list[int] | None = None

    # -- what happens -------------------------------------------------------------------------

    def begin(self) -> None:
        """Start a round."""
        self.begun += 1
        self._totals = None

    def write(self, line: SheetLine, number: int | None = None) -> None:
        """Write the line of the last round, or correct that of an earlier one."""
        if number is None:
            self.lines.append(line)
        else:
            self.lines[number - 1] = line
        self._totals = None

    def close(self, over: bool = True) -> None:
        """End the game, or reopen it; rounds that are not whole at the end are left out."""
        self._left_out = set(self.missing()) if over and not self.over else self._left_out
        self.over, self._totals = over, None

    def reopen(self) -> None:
        """Reopen the game and play its last round on."""
        self.close(over=False)
        self.lines.pop()

    def arrive(self) -> int:
        """Add somebody who plays from the next round on; return the seat."""
        beside = [s for s in self.playing(self.begun + 1) if self.stays[s].first <= self.begun]
        self.stays.append(Stay(self.begun + 1, beside=beside))
        self._teams.append(None)
        if self.begun == len(self.lines) and not self.missing():
            self.stays[-1].begins = self._brought(len(self.stays) - 1)
        self._totals = None
        return len(self.stays) - 1

    def leave(self, seat: int, now: bool = False) -> None:
        """Let somebody leave after the round just counted, or `now`, during a round."""
        self.stays[seat].last = self.begun - now
        self._totals = None

    def pause(self, seat: int) -> None:
        """Let somebody pause from the next round on."""
        self.stays[seat].pauses_from = self.begun + 1
        self._totals = None

    def resume(self, seat: int) -> None:
        """Let somebody play again from the next round on."""
        stay = self.stays[seat]
        stay.missed = stay.missed | set(range(stay.pauses_from or 0, self.begun + 1))
        stay.pauses_from, self._totals = None, None

    def cut_off(self) -> None:
        """Break off the round in play: its result is unknown."""
        self.write(SheetLine(dict.fromkeys(self.seats)))

    @property
    def pausing(self) -> list[int]:
        """The seats that pause and will be back."""
        return [
            seat
            for seat, stay in enumerate(self.stays)
            if stay.pauses_from is not None and stay.last is None
        ]

    # -- what it comes to ---------------------------------------------------------------------

    @property
    def seats(self) -> list[int]:
        """The seats that play the round dealt last."""
        return self.playing(self.begun)

    def playing(self, number: int) -> list[int]:
        """Return the seats that play a round, clockwise."""
        return [seat for seat, stay in enumerate(self.stays) if stay.plays(number)]

    def missing(self) -> list[int]:
        """Return the rounds that are not whole."""
        return [number for number, line in enumerate(self.lines, start=1) if not line.whole]

    def left_out(self) -> list[int]:
        """Return the rounds that were not whole when the game ended, and are not yet."""
        return [number for number in self.missing() if self.over and number in self._left_out]

    @property
    def totals(self) -> list[int]:
        """The total of each seat; partners share theirs."""
        if self._totals is None:
            self._totals = self._whole() if self.over else self.so_far()
        return list(self._totals)

    def so_far(self) -> list[int]:
        """Return the totals with points made in play, before their round is whole."""
        return self._shared(self._each(self.lines))

    def _whole(self) -> list[int]:
        return self._shared([self._own(seat, len(self.lines)) for seat in range(len(self.stays))])

    def _each(self, lines: Sequence[SheetLine]) -> list[int]:
        """Return each seat's own total after these rounds, points made in play included."""
        own = [self._own(seat, len(lines)) for seat in range(len(self.stays))]
        for line in lines:
            for seat, points in line.made.items() if not line.whole else ():
                own[seat] += points
        return own

    def with_points(self, points: Sequence[int]) -> list[int]:
        """Return the totals with the points of the round in play."""
        if not any(points):
            return self.totals
        more = [0] * len(self.stays)
        for seat, made in zip(self.seats, points, strict=True):
            more[seat] = made
        return [a + b for a, b in zip(self.totals, self._shared(more), strict=True)]

    def scores(self, seat: int) -> list[Score]:
        """Return a seat's column; a late arrival's start is in the round before the first."""
        column = [self._score(seat, number) for number in range(1, len(self.lines) + 1)]
        first = self.stays[seat].first
        if 1 < first <= len(self.lines) + 1:
            column[first - 2] = self._brought(seat)
        return column

    def places(self) -> list[int | None]:
        """Return each seat's place; partners share theirs, and so do equals.

        Seats that have left or pause have one if they played every round that counts; those who
        have not begun have none, and nobody before anything counts.
        """
        sign = 1 if self.rules.wins == "lowest" else -1
        here = [
            stay.first <= self.begun
            if stay.last is None and stay.pauses_from is None
            else all(stay.plays(n) for n, line in enumerate(self.lines, start=1) if line.whole)
            for stay in self.stays
        ]
        made = not self.over and any(any(line.made.values()) for line in self.lines)
        if not made and not any(line.whole for line in self.lines):
            return [None] * len(self.stays)
        ranks: list[float] = [sign * total for total in self.totals]
        for seat in self._first_there():
            ranks[seat] = float("-inf")
        sides = [team or -seat - 1 for seat, team in enumerate(self._teams)]
        ranked = [
            (side, rank) for side, rank, is_here in zip(sides, ranks, here, strict=True) if is_here
        ]
        return [
            1 + len({side for side, other in ranked if other < own}) if is_here else None
            for own, is_here in zip(ranks, here, strict=True)
        ]

    def winners(self) -> list[int]:
        """Return the seats with the best total, several if equal.

        There are none before the game is over or while a hand that counts is missing.
        """
        if not self.over or self.missing() != self.left_out():
            return []
        return [seat for seat, place in enumerate(self.places()) if place == 1]

    def tied(self) -> list[int]:
        """Return the seats that share a prize with somebody who is not their partner."""
        places = self.places()
        return [
            seat
            for seat, place in enumerate(places)
            if place is not None
            and place <= self.rules.prizes
            and any(
                other != seat and theirs == place and not self._partners(seat, other)
                for other, theirs in enumerate(places)
            )
        ]

    def _partners(self, seat: int, other: int) -> bool:
        return self._teams[seat] is not None and self._teams[seat] == self._teams[other]

    def _first_there(self) -> list[int]:
        """Return the side that reached the limit in play, before the end of the last round."""
        limit = self.rules.points_limit
        if limit is None or len(self.lines) < self.begun:
            return []
        *before, last = self.lines
        totals = self._each(before)
        for made, points in last.in_order:
            totals[made] += points
            side = [s for s in range(len(totals)) if s == made or self._partners(s, made)]
            if sum(totals[seat] for seat in side) >= limit:
                return side if self.totals[made] >= limit else []
        return []

    def _own(self, seat: int, rounds: int) -> int:
        """Return a seat's own total at the end of this round."""
        scored = sum(
            self._score(seat, number) or 0
            for number, line in enumerate(self.lines[:rounds], start=1)
            if line.whole
        )
        first = self.stays[seat].first
        late = 1 < first <= rounds + 1
        return scored + self._brought(seat) if late else scored

    def _score(self, seat: int, number: int) -> Score:
        """Return a seat's score of one round; a pause scores as a late arrival does."""
        line = self.lines[number - 1]
        if not self.stays[seat].misses(number) or not line.scores:
            return line.scores.get(seat)
        known = [points for points in line.scores.values() if points is not None]
        return self._for_others(known) if line.whole else None

    def _for_others(self, points: list[int]) -> int:
        """Return the points for somebody who did not play, from those of the players."""
        rules = self.rules
        if rules.late_score == "zero" or not points:
            return 0
        if rules.late_score == "average":
            return round(sum(points) / len(points))
        return max(points) if rules.wins == "lowest" else min(points)

    def _brought(self, late: int) -> int:
        """Return the start of a late arrival, from those who were at the table then."""
        stay = self.stays[late]
        if stay.begins is not None:
            return stay.begins
        return self._for_others([self._own(seat, stay.first - 1) for seat in stay.beside])

    def _shared(self, own: list[int]) -> list[int]:
        """Give partners the sum of their points."""
        sides: dict[int, int] = {}
        for team, points in zip(self._teams, own, strict=True):
            if team is not None:
                sides[team] = sides.get(team, 0) + points
        return [
            points if team is None else sides[team]
            for team, points in zip(self._teams, own, strict=True)
        ]
