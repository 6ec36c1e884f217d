"""Muggins: points won in play, points overlooked, the count at the end.

Points are pressed five at a time, so presses on one seat that follow each other quickly are one
score. A score that was recorded is safe: “Muggins!” is called for points that their maker did not
record, and marks those that the caller records next. No points move from one seat to another.
Whoever reaches the points limit first has won, even if somebody else's points at the end of the
round would make more: so the awards are kept in their order.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, cast

from msgspec.structs import replace

from centerpiece.games.muggins.lesson import LESSON
from centerpiece.games.muggins.rules import PROFILES, MugginsRules
from centerpiece.rules.rules import Rules
from centerpiece.table import example, scoring
from centerpiece.table.binding import GAME, PLAYING, SEAT, bind
from centerpiece.table.changes import change_round, with_round
from centerpiece.table.checks import current_round, player
from centerpiece.table.commands import Command
from centerpiece.table.events import Event, RoundStarted, SeatEvent
from centerpiece.table.game import Face, Game, Offer
from centerpiece.table.rounds import ended_round
from centerpiece.table.score_entry import MOST_POINTS
from centerpiece.table.state import Award, Play, Round, Table
from centerpiece.table.telling import (
    Call,
    Fact,
    Happened,
    SpokenLine,
    Tell,
    always,
    of_seat,
    person,
)
from centerpiece.text import Refused, Sentence

ONE_SCORE = 5.0
"""Seconds between presses on the same seat that still count as one score."""
MOST_ENDS = 4
"""Open ends of a layout: two of the line, two of the spinner."""


class GiveAward(Command, frozen=True, tag="award"):
    """Record points won during play."""

    seat: int
    points: int


class AddFive(Command, frozen=True):
    """Add one multiple of points (five as a rule) to a seat: one press."""

    seat: int


class CallMuggins(Command, frozen=True):
    """Mark the points that this seat records next as overlooked by another player."""

    seat: int


class CorrectAwards(Command, frozen=True):
    """Correct the points that a seat made in the play of a round that has ended."""

    seat: int
    round: int
    points: int


class AwardsCorrected(SeatEvent, frozen=True):
    """Points made in play were corrected: the latest are changed, and the order of others stays."""

    round: int
    points: int
    was: int

    def apply(self, table: Table) -> Table:
        """Change the seat's points of the round to `points`: more are added as an award at the end.

        Fewer are taken from its latest awards; one without points left is removed.
        """
        played = table.rounds[self.round - 1]
        awards, more = played.awards, self.points - self.was
        if more > 0:
            awards = (*awards, Award(self.seat, more, 0.0))
        for place in reversed(range(len(awards))):
            if more < 0 and awards[place].seat == self.seat:
                less = min(-more, awards[place].points)
                changed = replace(awards[place], points=awards[place].points - less)
                awards = (*awards[:place], changed, *awards[place + 1 :])
                more += less
        kept = tuple(award for award in awards if award.points)
        return with_round(table, replace(played, awards=kept))

    def sentence(self, table: Table) -> Sentence:
        facts = {"name": table.name(self.seat), "points": self.points, "was": self.was}
        words = "{name} made {points} in the play of round {round}, not {was}."
        return Sentence(words, {**facts, "round": self.round})


class PointsWon(SeatEvent, frozen=True):
    """Points were won in play.

    `more`: they belong to the score pressed just before; `taken`: they were overlooked by another.
    """

    points: int
    at: float
    more: bool = False
    taken: bool = False

    def apply(self, table: Table) -> Table:
        """Add the points as an award, or with `more` to the last one; end a call of “Muggins!”."""
        awards = current_round(table).awards
        if self.more and awards:
            last = awards[-1]
            awards = (*awards[:-1], replace(last, points=last.points + self.points, at=self.at))
        else:
            awards = (*awards, Award(self.seat, self.points, self.at, self.taken))
        return change_round(replace(table, play=MugginsPlay()), awards=awards)

    def sentence(self, table: Table) -> Sentence:
        awards = current_round(table).awards
        points = awards[-1].points if awards else self.points
        facts = {"name": table.name(self.seat), "points": points}
        if _first_there(table) is not None:
            return Sentence("{name} scores {points} and wins the game.", facts)
        if self.taken:
            return Sentence("Muggins! {name} takes {points}.", facts)
        return Sentence("{name} scores {points}.", facts)


class MugginsCalled(SeatEvent, frozen=True):
    in_play = True
    words: ClassVar[str] = "Muggins! {name} takes overlooked points: now tap how many."

    def apply(self, table: Table) -> Table:
        return replace(table, play=MugginsPlay(self.seat))

    def cue(self, table: Table) -> str | None:
        return "caught"


class MugginsPlay(Play, frozen=True):
    """The seat that called “Muggins!” and has not recorded the points yet."""

    caller: int | None = None


def _tell_corrected(happened: Happened, event: AwardsCorrected) -> Iterator[Call]:
    facts: dict[str, Fact] = {"name": person(happened.table, event.seat), "points": event.points}
    yield always("changes", SpokenLine("points.corrected", facts | {"round": event.round}))


def _tell_points(happened: Happened, event: PointsWon) -> Iterator[Call]:
    """Yield the call for points: taken, winning the game, or neither."""
    table = happened.table
    awards = table.rounds[-1].awards if table.rounds else ()
    points = awards[-1].points if awards else event.points
    facts: dict[str, Fact] = {"name": person(table, event.seat), "points": points}
    phrase = "muggins" if event.taken else "points"
    if happened.game.won_in_play(table):
        phrase = "points.game"
    yield always("play", SpokenLine(phrase, facts))


class Muggins(Game):
    rules = MugginsRules
    profiles = PROFILES
    minutes = (30, 60)
    lesson = LESSON
    key_settings: ClassVar[dict[str, str]] = {
        "points_limit": "How many points win?",
        "stealing": "Can overlooked points be taken?",
        "teams_of_four": "Do four players form teams?",
        "draw": "What if nothing fits?",
        "last_tile": "Must the last tile be announced?",
        "multiple": "Which multiples score?",
    }
    commands = (GiveAward, AddFive, CallMuggins, CorrectAwards)
    events = (PointsWon, MugginsCalled, AwardsCorrected)
    play = MugginsPlay
    spoken: ClassVar[Mapping[type[Event], Tell]] = {
        PointsWon: _tell_points,
        AwardsCorrected: _tell_corrected,
        MugginsCalled: of_seat("play", "muggins.called"),
    }
    panel = bind(
        PLAYING,
        "",
        ("seat", "tap", "+5", "five points more", AddFive(SEAT)),
        (
            "seat",
            "hold",
            "Muggins!",
            "“Muggins!”: the next points tapped here were overlooked by somebody else",
            CallMuggins(SEAT),
        ),
    )

    def decide(self, table: Table, command: Command, at: float) -> list[Event]:
        """Return the events of points made in play, a call of “Muggins!” or a correction.

        Fives that a seat adds soon after each other are one award. Refused while no points can be
        made, for a number that is no multiple, and for a call that the rules do not allow.
        """
        match command:
            case GiveAward(seat, points):
                _check_awards(table)
                player(table, seat)
                _check_points(table, points)
                return [PointsWon(seat, points, at, taken=seat == _caller(table))]
            case AddFive(seat):
                _check_awards(table)
                player(table, seat)
                called, awards = seat == _caller(table), current_round(table).awards
                more = not called and _continues(awards, seat, at)
                taken = called or (more and awards[-1].taken)
                return [PointsWon(seat, _rules(table).multiple, at, more, taken)]
            case CallMuggins(seat):
                return _called(table, seat)
            case CorrectAwards(seat, number, points):
                return self._corrected(table, seat, number, points)
        return super().decide(table, command, at)

    def _corrected(self, table: Table, seat: int, number: int, points: int) -> list[Event]:
        """Return the event that corrects what a seat made in play in round `number` to `points`.

        No event if they are the same. Refused for a round that has not ended, and for a number that
        is no multiple.
        """
        played = ended_round(table, number)
        seat = player(table, seat, number).number
        multiple = cast(MugginsRules, scoring.rules_of(table, played)).multiple
        if not 0 <= points <= MOST_POINTS or points % multiple:
            raise Refused(
                "Points won in play must be a multiple of {multiple} up to {most}, not {points}.",
                multiple=multiple,
                most=MOST_POINTS,
                points=points,
            )
        was = self.made_in_play(played, seat)
        return [] if was == points else [AwardsCorrected(seat, number, points, was)]

    # The score

    def made_in_play(self, played: Round, seat: int) -> int:
        return _awarded(played.awards).get(seat, 0)

    def correct_in_play(self, number: int, seat: int, points: int) -> Command:
        return CorrectAwards(seat, number, points)

    def scored_seats(self, table: Table, played: Round) -> tuple[int, ...]:
        """Return all players but the partner of a seat that went out: that hand does not count.

        Nobody in a round that was cut off because the game was won in play.
        """
        seats = [seat.number for seat in table.players(played.number)]
        if played.out is None:
            # A game that was won in play needs no other end of its round.
            won_in_play = table.finished_by == "limit" and not played.blocked
            return () if won_in_play and not played.among else tuple(seats)
        partners = _side(table, played.out) - {played.out}
        return tuple(number for number in seats if number not in partners)

    def points(self, table: Table, played: Round) -> dict[int, int | None]:
        """Return the points won in play, and for one seat also those of the end of the round.

        None for everybody while that end is unknown, unless the game was won in play. While hands
        are missing, None for each seat that may get points for them.
        """
        seats = [seat.number for seat in table.players(played.number)]
        won = _awarded(played.awards)
        points: dict[int, int | None] = {number: won.get(number, 0) for number in seats}
        if played.out is None and not played.blocked:
            # The end of the round is not known; a game won in play needs none.
            return points if table.finished_by == "limit" else dict.fromkeys(seats)
        missing = scoring.missing(self, table, played)
        if not missing:
            for number, more in self._bonus(table, played).items():
                points[number] = won.get(number, 0) + more
            return points
        unknown = {*missing, *(seats if played.out is None else [played.out])}
        return {number: None if number in unknown else p for number, p in points.items()}

    def _bonus(self, table: Table, played: Round) -> dict[int, int]:
        """Return the seat that gets points at the end of a round, with the others' pips, rounded.

        It is the seat that went out, or has the lowest sum; empty if the lowest sum is shared.
        """
        rules = cast(MugginsRules, scoring.rules_of(table, played))
        counted = {n: scoring.counted(rules, e) for n, e in played.entries.items()}
        winner = played.out if played.out is not None else _lowest(table, counted)
        if winner is None:
            return {}
        side = _side(table, winner)
        others = sum(pips for number, pips in counted.items() if number not in side)
        return {winner: _nearest(others, rules.multiple)}

    def example(self, rules: Rules) -> list[Sentence]:
        """Return one example of points in play, and one of the end of a round."""
        multiple = cast(MugginsRules, rules).multiple
        points = -(-15 // multiple) * multiple
        ends = [(points - 10 + more) // 3 for more in (2, 1, 0)]
        in_play = {
            "ends": ["5-5", *map(str, ends)],
            "sum": " + ".join(map(str, (10, *ends))),
            "points": points,
        }
        out, second, third = example.NAMES
        hands: example.Hands = {out: (), second: ((4, 6),), third: ((2, 5),)}
        left = (*hands[second], *hands[third])
        at_the_end = {
            **example.held(hands),
            "sum": example.added(rules, left),
            "total": example.counted(rules, left),
            "points": self.points(*example.ended(rules, hands, out))[out],
        }
        return [
            Sentence("Example: the open ends are {ends}: {sum} = {points} points.", in_play),
            Sentence(
                "Example: {first} goes out. {second} still holds {seconds}, {third} {thirds}: "
                "{sum} = {total} pips. {first} scores {points} {points|point|points}.",
                at_the_end,
            ),
        ]

    def round_winners(self, table: Table, played: Round) -> tuple[int, ...]:
        """Return the side that gets the points at the end of the round.

        While hands are missing, it is the side that went out, or nobody.
        """
        if not played.ended or scoring.missing(self, table, played):
            return () if played.out is None else tuple(_side(table, played.out))
        return tuple(n for winner in self._bonus(table, played) for n in _side(table, winner))

    def merit(self, table: Table, totals: Mapping[int, int]) -> dict[int, float]:
        """Return the usual ranks, but put first the side that first reached the limit in play."""
        merit = super().merit(table, totals)
        limit = table.rules.points_limit
        if limit is None or not any(total >= limit for total in totals.values()):
            return merit
        first = _first_there(table)
        if first is not None and totals[first] >= limit:
            merit |= dict.fromkeys(_side(table, first), float("-inf"))
        return merit

    def won_in_play(self, table: Table) -> bool:
        return _first_there(table) is not None

    # Display

    def face(self, table: Table) -> Face:
        """Return the latest points while the round is played; else the usual face."""
        current = table.round
        if table.phase == "playing" and current and current.awards:
            return Face("digits", current.awards[-1].points)
        return super().face(table)

    def remark(self, table: Table, event: Event) -> Sentence | None:
        """Return the partners at the first round's start in a team game; else the usual remark."""
        sides: dict[int, list[str]] = {}
        for seat in table.players():
            if seat.team is not None:
                sides.setdefault(seat.team, []).append(seat.name)
        if not isinstance(event, RoundStarted) or event.number > 1 or not sides:
            return super().remark(table, event)
        teams = " against ".join(" and ".join(names) for names in sides.values())
        return Sentence("Partners: {teams}.", {"teams": teams})

    def offers(self) -> tuple[Offer, ...]:
        """Return the buttons for the most frequent points, for a call and for any number of points.

        The last one is offered also after the round.
        """
        return (
            *(Offer(f"+{p}", GiveAward(SEAT, p)) for p in (5, 10, 15)),
            Offer("“Muggins!”: the last points are mine", CallMuggins(SEAT), short="Muggins!"),
            Offer("Points won", GiveAward(SEAT, 0), number="points", phases=GAME),
        )

    def share(self, table: Table) -> dict[str, Any]:
        """Return this round's awards, the caller of “Muggins!”, and each ended round's points."""
        current = table.round
        awards = current.awards if current else ()
        public = [{"seat": a.seat, "points": a.points, "taken": a.taken} for a in awards]
        in_play = [
            {
                "round": played.number,
                "seat": seat.number,
                "points": self.made_in_play(played, seat.number),
            }
            for played in table.rounds
            if played.ended
            for seat in table.players(played.number)
        ]
        return {"awards": public, "caller": _caller(table), "in_play": in_play}


def _rules(table: Table) -> MugginsRules:
    return cast(MugginsRules, table.rules)


def _check_awards(table: Table) -> None:
    if table.phase not in ("playing", "scoring"):
        raise Refused("Points can only be won during a round.")


def _check_points(table: Table, points: int) -> None:
    """Raise Refused for points that are no multiple, not above 0, or more than ends can show."""
    multiple, most = _rules(table).multiple, MOST_ENDS * 2 * table.size
    if not 0 < points <= most or points % multiple:
        raise Refused(
            "Points won in play must be a multiple of {multiple} up to {most}, not {points}.",
            multiple=multiple,
            most=most,
            points=points,
        )


def _continues(awards: tuple[Award, ...], seat: int, at: float) -> bool:
    """Return True if points that a seat makes at time `at` belong to the last of the awards.

    That one must be of the same seat and at most ONE_SCORE seconds old.
    """
    if not awards:
        return False
    last = awards[-1]
    return last.seat == seat and 0 <= at - last.at <= ONE_SCORE


def _caller(table: Table) -> int | None:
    return table.play.caller if isinstance(table.play, MugginsPlay) else None


def _called(table: Table, number: int) -> list[Event]:
    """Return the event of a call of “Muggins!” by seat `number`; none if that seat has the call.

    A call of another seat is replaced. Refused while no points can be made, and if the rules do not
    allow overlooked points to be taken.
    """
    _check_awards(table)
    seat = player(table, number)
    if not _rules(table).stealing:
        raise Refused("In these rules, overlooked points cannot be taken.")
    return [] if seat.number == _caller(table) else [MugginsCalled(seat.number)]


def _side(table: Table, number: int) -> set[int]:
    """Return seat `number` and its partner, or that seat alone."""
    own = table.seat(number)
    if own is None or own.team is None:
        return {number}
    return {seat.number for seat in table.seats if seat.team == own.team}


def _lowest(table: Table, counted: Mapping[int, int]) -> int | None:
    """Return the seat that wins a blocked round: the lower hand of the side with the lowest sum.

    `counted` has each seat's pips. None if two sides share the lowest sum: the score sheet has only
    one winner.
    """
    sides = {number: sum(counted.get(n, 0) for n in _side(table, number)) for number in counted}
    lowest = [number for number, total in sides.items() if total == min(sides.values())]
    if any(number not in _side(table, lowest[0]) for number in lowest):
        return None
    return min(lowest, key=lambda number: (counted[number], number))


def _awarded(awards: Iterable[Award]) -> dict[int, int]:
    won: dict[int, int] = {}
    for award in awards:
        won[award.seat] = won.get(award.seat, 0) + award.points
    return won


def _first_there(table: Table) -> int | None:
    """Return the seat that was first to reach the points limit in the play of this round.

    None if nobody has. A team's points count together.
    """
    limit, current = table.rules.points_limit, table.round
    if limit is None or current is None or not current.awards:
        return None
    begun = replace(current, ended=False, awards=())
    before = replace(table, rounds=(*table.rounds[:-1], begun), phase="scoring")
    totals = scoring.totals(before, scoring.sheet(_GAME, before))
    for award in current.awards:
        for number in _side(table, award.seat):
            totals[number] += award.points
        if totals[award.seat] >= limit:
            return award.seat
    return None


def _nearest(points: int, multiple: int) -> int:
    """Round to the nearest multiple; a half goes up."""
    return (2 * points + multiple) // (2 * multiple) * multiple


_GAME = Muggins()
