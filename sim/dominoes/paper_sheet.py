"""The score sheet that the people at the table keep by hand, read from the rule sheets alone.

It knows nothing of the hub's way of counting, so both can be compared. A column is one person, for
the whole evening: somebody who takes over a chair that was left begins a column of their own.
A round counts as a whole or not at all.

Columns and chairs count from 0, rounds from 1; an unknown score is None. Where the sheets are
silent, `docs/decisions/0012` says what a table would do.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import count

import msgspec

from centerpiece.rules.rules import Rules

Score = int | None
CHAIRS = 10


class SheetLine(msgspec.Struct):
    """One round, for the columns that played it."""

    scores: dict[int, Score]
    made: dict[int, int] = {}
    """The part of it made in play."""
    in_order: list[tuple[int, int]] = []
    """The same as pairs of column and points, in order."""

    @property
    def whole(self) -> bool:
        """True if every hand is known."""
        return None not in self.scores.values()


class SheetColumn(msgspec.Struct):
    """The head of a column."""

    chair: int
    """The number of the line: the chair, or ten more for each time somebody else took it."""
    since: int = 1
    """The first round."""
    here: bool = True
    """True if they play in the next round."""
    gone_after: int | None = None
    """The round after which they left for good, as far as anybody knows."""
    carries: int | None = 0
    """The points they brought; None for what `beside` have at the end of the round before."""
    beside: list[int] = []
    """The columns at the table when they came."""


class ScoreSheet:
    """The score sheet of one game."""

    def __init__(self, rules: Rules, players: int) -> None:
        self.rules = rules
        self.people = [SheetColumn(chair) for chair in range(players)]
        self.lines: list[SheetLine] = []
        self.over = False
        """True once the game is over: then points made in play count in whole rounds only."""
        self._dealt: list[list[int]] = []
        """Who plays each round; the last may be in play."""
        self._left_out: list[int] = []
        self._teams = [rules.team_of(chair, players) for chair in range(players)]
        self._totals: list[int] | None = None

    # -- people come and go -------------------------------------------------------------------

    @property
    def begun(self) -> int:
        """The number of rounds dealt; the last may be in play."""
        return len(self._dealt)

    @property
    def seats(self) -> list[int]:
        """The columns that play the round dealt last."""
        return self.playing(self.begun)

    @property
    def pausing(self) -> list[int]:
        """The columns of those who will be back."""
        return self._where(lambda person: not person.here and person.gone_after is None)

    @property
    def gone(self) -> list[int]:
        """The columns of those who left."""
        return self._where(lambda person: person.gone_after is not None)

    def playing(self, number: int) -> list[int]:
        """Return the columns that play round `number`, clockwise.

        Of a round to come they are those expected.
        """
        if number <= self.begun:
            return self._dealt[number - 1]
        return self._where(lambda person: person.here)

    def number(self, column: int) -> int:
        """Return the seat of a column as the hub counts it."""
        return self.people[column].chair + 1

    def in_hub_order(self) -> list[int]:
        """Return all columns by the numbers of their seats."""
        return self._where(lambda person: True)

    def free_chair(self) -> int | None:
        """Return a chair for a newcomer, or None: one nobody had, or else one that was left."""
        chairs = {person.chair for person in self.people}
        unused = [chair for chair in range(CHAIRS) if chair not in chairs]
        return next(iter([*unused, *self.left_chairs()]), None)

    def left_chairs(self) -> list[int]:
        """Return the chairs of people who left that a newcomer may take.

        Chairs that others have taken since, and those with a hand still due, are not among them.
        """
        due = {
            column for line in self.lines for column, score in line.scores.items() if score is None
        }
        if self.begun > len(self.lines):
            due |= set(self.seats)
        return [
            chair
            for column in self.gone
            if (chair := self.people[column].chair) < CHAIRS and column not in due
        ]

    def arrive(self, chair: int) -> int:
        """Let a new person on `chair` play from the next round on; return their column.

        They accept a score by the rules, from those who are there now, as at the end of this round;
        it is open until that is counted. Whoever left the chair makes room.
        """
        self._vacate(chair)
        known = len(self.lines) == self.begun and not self.missing()
        beside = self.playing(self.begun + 1)
        newcomer = SheetColumn(chair, self.begun + 1, beside=beside, carries=None)
        if known:
            newcomer.carries = self._for_others([self._own(c, self.begun) for c in beside])
        self.people.append(newcomer)
        self._teams.append(None)
        self._totals = None
        return len(self.people) - 1

    def leave(self, column: int, now: bool = False) -> None:
        """Let the person of this column leave, after the round just counted.

        With `now`, they leave before it is counted, and the round is no longer theirs.
        """
        person = self.people[column]
        person.here, person.gone_after = False, self.begun - now
        if now:
            self._dealt[-1] = [each for each in self._dealt[-1] if each != column]
        self._totals = None

    def pause(self, column: int) -> None:
        """Let somebody pause from the next round on."""
        self.people[column].here = False
        self._totals = None

    def resume(self, column: int, chair: int | None = None) -> None:
        """Let the person of this column, who paused or left, play again from the next round on.

        They may take another chair, `chair`; whoever had left that makes room.
        """
        person = self.people[column]
        if chair is not None and chair != person.chair:
            self._vacate(chair)
            person.chair = chair
        person.here, person.gone_after, self._totals = True, None, None

    def _vacate(self, chair: int) -> None:
        """Give all who have, or had, this chair a number that is no chair."""
        taken = {person.chair for person in self.people}
        for person in self.people:
            if person.chair == chair:
                person.chair = next(n for n in count(chair, CHAIRS) if n not in taken)

    def _where(self, chosen: Callable[[SheetColumn], bool]) -> list[int]:
        columns = [column for column, person in enumerate(self.people) if chosen(person)]
        return sorted(columns, key=lambda column: self.people[column].chair)

    # -- rounds are played and written --------------------------------------------------------

    def begin(self) -> None:
        """Begin a round with those who are there."""
        self._dealt.append(self.playing(self.begun + 1))
        self._totals = None

    def write(self, line: SheetLine, number: int | None = None) -> None:
        """Write the line of the round played last, or replace that of round `number`."""
        if number is None:
            self.lines.append(line)
        else:
            self.lines[number - 1] = line
        self._totals = None

    def cut_off(self) -> None:
        """Break off the round in play: its result is unknown."""
        self.write(SheetLine(dict.fromkeys(self.seats)))

    def close(self) -> None:
        """End the game; rounds in which a hand is missing are left out until it is known."""
        if not self.over:
            self._left_out = self.missing()
        self.over, self._totals = True, None

    def open_again(self) -> None:
        """Go on with a game that was over."""
        self.over, self._totals = False, None

    def play_on(self) -> None:
        """Go on with a game that was over: its last line is removed, and that round goes on."""
        self.open_again()
        self.lines.pop()

    def missing(self) -> list[int]:
        """Return the rounds that are not whole."""
        return [number for number, line in enumerate(self.lines, start=1) if not line.whole]

    def left_out(self) -> list[int]:
        """Return the rounds that were not whole when the game ended, and are not yet."""
        return [number for number in self.missing() if self.over and number in self._left_out]

    # -- what it comes to ---------------------------------------------------------------------

    @property
    def totals(self) -> list[int]:
        """The total of each column; partners share theirs.

        Before the end, points made in play count at once.
        """
        if self._totals is None:
            own = [self._own(column, len(self.lines)) for column in range(len(self.people))]
            self._totals = self._shared(own) if self.over else self.so_far()
        return list(self._totals)

    def so_far(self) -> list[int]:
        """Return each column's total; partners share theirs.

        Points made in play count at once, before their round is whole.
        """
        own = [self._own(column, len(self.lines)) for column in range(len(self.people))]
        for line in self.lines:
            if not line.whole:
                for column, points in line.made.items():
                    own[column] += points
        return self._shared(own)

    def with_points(self, points: Sequence[int]) -> list[int]:
        """Return the totals with the `points` that each player made in the round in play."""
        made = [0] * len(self.people)
        for column, more in zip(self.seats, points, strict=True):
            made[column] = more
        return [a + b for a, b in zip(self.totals, self._shared(made), strict=True)]

    def scores(self, column: int) -> list[Score]:
        """Return a column's score of each round, None for rounds without one.

        What a latecomer brought stands in the line before their first round.
        """
        column_scores = [self._score(column, n) for n in range(1, len(self.lines) + 1)]
        since = self.people[column].since
        if 1 < since <= len(self.lines) + 1:
            column_scores[since - 2] = self._brought(column)
        return column_scores

    def places(self) -> list[int | None]:
        """Return each column's place, None for a column that gets none; partners share theirs.

        Equal totals share one, too; the side that reached the limit first in play is ahead of all.
        Nobody has a place before anything counts.
        """
        if not any(
            line.whole or (not self.over and any(line.made.values())) for line in self.lines
        ):
            return [None] * len(self.people)
        ranked = [self._is_ranked(column) for column in range(len(self.people))]
        lowest = self.rules.wins == "lowest"
        ranks: list[float] = [total if lowest else -total for total in self.totals]
        for column in self._first_at_the_limit():
            ranks[column] = float("-inf")
        better = [
            {self._side(other) for other in range(len(ranks)) if ranked[other] and ranks[other] < r}
            for r in ranks
        ]
        return [1 + len(better[c]) if ranked[c] else None for c in range(len(ranks))]

    def winners(self) -> list[int]:
        """Return the columns with the first place; several if they are equal.

        There are none before the game is over or while a hand that counts is missing.
        """
        if not self.over or self.missing() != self.left_out():
            return []
        return [column for column, place in enumerate(self.places()) if place == 1]

    def tied(self) -> list[int]:
        """Return the columns that share a place among the prizes with an opponent."""
        places = self.places()
        return [
            column
            for column, place in enumerate(places)
            if place is not None
            and place <= self.rules.prizes
            and len({self._side(c) for c, other in enumerate(places) if other == place}) > 1
        ]

    # -- a column -----------------------------------------------------------------------------

    def _is_ranked(self, column: int) -> bool:
        """Return True if the person of this column gets a place.

        A person at the table gets one as soon as the round from which they play has begun. A person
        who left or pauses gets one only if they were dealt into every round that counts.
        """
        person = self.people[column]
        if person.here:
            return person.since <= self.begun
        counted = [number for number, line in enumerate(self.lines, start=1) if line.whole]
        return all(column in self._dealt[number - 1] for number in counted)

    def _own(self, column: int, rounds: int) -> int:
        """Return a column's total over the first `rounds` rounds, without its partner's.

        Only whole rounds count. What a latecomer brought is in it, if they had come by then.
        """
        scores = [
            self._score(column, number)
            for number, line in enumerate(self.lines[:rounds], start=1)
            if line.whole
        ]
        brought = self._brought(column) if self.people[column].since <= rounds + 1 else 0
        return brought + sum(score or 0 for score in scores)

    def _score(self, column: int, number: int) -> Score:
        """Return a column's score of round `number`, or for a missed one an absent player's points.

        None before its first round, after its last, and while its hand, or in a missed round any,
        is missing.
        """
        line = self.lines[number - 1]
        if column in self._dealt[number - 1]:
            return line.scores.get(column)
        person = self.people[column]
        after = person.gone_after is not None and number > person.gone_after
        if number < person.since or after or not line.whole:
            return None
        return self._for_others([score for score in line.scores.values() if score is not None])

    def _brought(self, column: int) -> int:
        """Return the points with which a column began, fixed or from those at the table then."""
        person = self.people[column]
        if person.carries is not None:
            return person.carries
        return self._for_others([self._own(other, person.since - 1) for other in person.beside])

    def _for_others(self, points: Sequence[int]) -> int:
        """Return the points of a person who did not play, from the `points` of those who did.

        Zero, their rounded average, or those of the worst, by the rule `late_score`.
        """
        rules = self.rules
        if rules.late_score == "zero" or rules.wins == "rounds" or not points:
            return 0
        if rules.late_score == "average":
            return round(sum(points) / len(points))
        return max(points) if rules.wins == "lowest" else min(points)

    # -- sides --------------------------------------------------------------------------------

    def _side(self, column: int) -> int:
        """Return a number that partners share."""
        team = self._teams[column]
        return column if team is None else -1 - team

    def _shared(self, own: Sequence[int]) -> list[int]:
        """Return the points of `own`, which are by column, with partners' added up for both."""
        sides: dict[int, int] = {}
        for column, points in enumerate(own):
            sides[self._side(column)] = sides.get(self._side(column), 0) + points
        return [sides[self._side(column)] for column in range(len(own))]

    def _first_at_the_limit(self) -> list[int]:
        """Return the columns of the side that was first to reach the limit in play: it has won.

        Empty without a limit, while a round is in play, if the limit was first reached by the count
        of a round, or if a correction took the points away.
        """
        limit = self.rules.points_limit
        if limit is None or len(self.lines) < self.begun:
            return []
        for made_by, totals in self._growing_totals():
            if max(totals) >= limit:
                side = self._side(made_by) if made_by is not None else None
                here = [c for c in range(len(totals)) if self._side(c) == side]
                return here if here and self.totals[here[0]] >= limit else []
        return []

    def _growing_totals(self) -> Iterator[tuple[int | None, list[int]]]:
        """Yield the column that made a score in play, and all totals after it, for each such score.

        After the scores of each round, yield None and the totals with the round as counted.
        """
        for rounds, line in enumerate(self.lines, start=1):
            totals = [self._own(column, rounds - 1) for column in range(len(self.people))]
            for column, points in line.in_order:
                totals[column] += points
                yield column, self._shared(totals)
            yield None, self._shared([self._own(c, rounds) for c in range(len(self.people))])
