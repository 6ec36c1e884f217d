"""Incidents at a table: people come late, leave, pause or send a substitute; hands are misread or
reported later, the wrong seat “went out”, the evening ends early.

Each kind of incident is a class. Some just happen (`LateArrival`, `Departure`, `EndedEarly`); the
others are a `Mistake`: the hub gets a wrong or incomplete report and a correction later, as from a
phone or by its buttons. In between, and after every input, table and hub must agree.
Pure: inputs come out as commands and gestures, and the caller carries them out.
"""

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import ClassVar

from centerpiece.table.commands import (
    Arrive,
    ChangeOut,
    Command,
    CorrectScore,
    EnterScore,
    FinishGame,
    Join,
    Leave,
    Park,
    Return,
    Substitute,
)
from sim.dominoes.happenings import HandLeft
from sim.dominoes.match import Match
from sim.dominoes.paper_sheet import CHAIRS
from sim.dominoes.round import TileRound
from sim.dominoes.tiles import BIT, each
from sim.hands import HandGesture, chord, hold, tap
from sim.people.reporting import Reporter

SLOW = (0.4, 1.4)
"""Seconds that a slow finger holds a digit: still less than counts that hand next."""
SOON = 0.3
"""Seconds within which a second person presses, after the pause that follows every gesture."""

HubInput = Command | list[HandGesture]
"""An input to the hub: a command of a phone, or gestures on its buttons."""


# -- things that happen -------------------------------------------------------------------------


def _newcomer_fits(match: Match) -> bool:
    """Return True if there is a round to come, tiles for one more, and no teams now or then."""
    players = len(match.sheet.playing(match.number + 1)) + 1
    teams = match.rules.team_of(0, match.players) or match.rules.team_of(0, players)
    return match.more() and match.can_deal(players) and teams is None


def _at_the_table(match: Match) -> list[int]:
    """Return the columns of those who play both this round and the next: no newcomers."""
    playing = match.sheet.playing(match.number + 1)
    return [column for column in playing if column in match.sheet.seats]


def _nothing_is_missing(match: Match) -> bool:
    """Tell whether a held seat means its person, as no hand is to be counted."""
    return not match.sheet.missing() or match.number > len(match.sheet.lines)


def _button(column: int, match: Match) -> str:
    return f"seat-{match.sheet.number(column)}"


class LateArrival:
    """Somebody new plays from the next round on."""

    name = "late arrivals"

    @staticmethod
    def may(match: Match) -> bool:
        return _newcomer_fits(match) and match.sheet.free_chair() is not None

    @staticmethod
    def happen(match: Match, dice: Random) -> HubInput:
        """Let somebody come, and return the input; the hub chooses the chair."""
        chair = match.sheet.free_chair()
        assert chair is not None
        column = match.sheet.arrive(chair)
        return Join(f"Late {column + 1}")


class Stranger:
    """Somebody new takes a chair that was left."""

    name = "strangers on a left chair"

    @staticmethod
    def may(match: Match) -> bool:
        return _newcomer_fits(match) and bool(match.sheet.left_chairs())

    @staticmethod
    def happen(match: Match, dice: Random) -> HubInput:
        """Let somebody new take a chair that was left, and return the inputs.

        It is by phone, or by holding the chair, which asks who it is.
        """
        chair = dice.choice(match.sheet.left_chairs())
        by_phone = dice.random() < 1 / 2 or not _nothing_is_missing(match)
        column = match.sheet.arrive(chair)
        if by_phone:
            return Arrive(chair + 1, f"Stranger {column + 1}", new=True)
        return [hold(f"seat-{chair + 1}"), tap("train")]


class Departure:
    """Somebody goes home after a round."""

    name = "people who left"

    @staticmethod
    def may(match: Match) -> bool:
        """Return True if a person may leave: there are no teams, and the others can play on.

        They must be two or more, and so many that the next round can be dealt.
        """
        players = len(match.sheet.playing(match.number + 1)) - 1
        alone = match.rules.team_of(0, match.players) is None
        enough = players >= 2 and match.can_deal(players)
        return alone and enough and bool(_at_the_table(match))

    @staticmethod
    def happen(match: Match, dice: Random) -> HubInput:
        """Let somebody leave after this round, and return the input."""
        column = dice.choice(_at_the_table(match))
        match.sheet.leave(column)
        return Leave(match.sheet.number(column))


class HighestLeaves:
    """Whoever has the most points goes home, after a latecomer had to accept them."""

    name = "highest who left after a late arrival"

    @staticmethod
    def may(match: Match) -> bool:
        """Return True if a latecomer plays next and somebody may leave."""
        people = match.sheet.people
        late = any(people[column].since > 1 for column in match.sheet.playing(match.number + 1))
        return late and Departure.may(match)

    @staticmethod
    def happen(match: Match, dice: Random) -> HubInput:
        """Let whoever has the most points leave, and return the input."""
        totals = match.sheet.totals
        highest = max(_at_the_table(match), key=totals.__getitem__)
        match.sheet.leave(highest)
        return Leave(match.sheet.number(highest))


class WinnerLeaves:
    """Whoever leads goes home, by the buttons; after the last round, the winner."""

    name = "leaders who went home"

    @staticmethod
    def may(match: Match) -> bool:
        return Departure.may(match) and bool(WinnerLeaves._leading(match))

    @staticmethod
    def _leading(match: Match) -> list[int]:
        places = match.sheet.places()
        return [column for column in _at_the_table(match) if places[column] == 1]

    @staticmethod
    def happen(match: Match, dice: Random) -> HubInput:
        """Let one of those who lead leave, and return the gesture."""
        column = dice.choice(WinnerLeaves._leading(match))
        match.sheet.leave(column)
        return [chord(_button(column, match), "undo")]


class DepartureInPlay(Departure):
    """Somebody goes before the round is counted: nobody counts that hand."""

    name = "people who left in play"

    @staticmethod
    def may(match: Match) -> bool:
        """Return what `Departure.may` does, but False in games with points made in play.

        Those of the person who left would be nobody's.
        """
        return match.rules.points_limit is None and Departure.may(match)

    @staticmethod
    def of(match: Match, dice: Random, played: TileRound) -> int:
        """Choose any player but the one who is out."""
        return dice.choice([p for p in range(played.players) if p not in played.out])


class Pausing:
    """Somebody does not play for a while."""

    name = "people who paused"
    may = Departure.may

    @staticmethod
    def happen(match: Match, dice: Random) -> HubInput:
        """Let somebody pause from the next round on, and return the input."""
        column = dice.choice(_at_the_table(match))
        match.sheet.pause(column)
        return Park(match.sheet.number(column))


class ComingBack:
    """Somebody who paused plays again from the next round on."""

    name = "people who came back"

    @staticmethod
    def may(match: Match) -> bool:
        return bool(match.sheet.pausing) and _newcomer_fits(match)

    @staticmethod
    def happen(match: Match, dice: Random) -> HubInput:
        """Let somebody who paused play again, and return the input."""
        column = dice.choice(match.sheet.pausing)
        match.sheet.resume(column)
        return Return(match.sheet.number(column))


class BackAgain:
    """Somebody who left comes back to their chair, and plays from the next round on."""

    name = "people who left and came back"

    @staticmethod
    def may(match: Match) -> bool:
        return bool(BackAgain._who_may(match)) and _newcomer_fits(match)

    @staticmethod
    def _who_may(match: Match) -> list[int]:
        """Return the columns of those who left and whose chair may be taken."""
        chairs = match.sheet.left_chairs()
        return [column for column in match.sheet.gone if match.sheet.people[column].chair in chairs]

    @staticmethod
    def happen(match: Match, dice: Random) -> HubInput:
        """Let somebody come back, and return the inputs.

        It is by phone, or by holding the chair and saying that it is its owner.
        """
        column = dice.choice(BackAgain._who_may(match))
        match.sheet.resume(column)
        if dice.random() < 1 / 2 or not _nothing_is_missing(match):
            return Return(match.sheet.number(column))
        button = _button(column, match)
        return [hold(button), tap(button)]


class Substitution:
    """Somebody else takes over a seat and its points."""

    name = "substitutes"

    @staticmethod
    def may(match: Match) -> bool:
        return bool(Substitution._who_may(match))

    @staticmethod
    def _who_may(match: Match) -> list[int]:
        """Return those who play this round and have not left."""
        gone = match.sheet.gone
        return [column for column in match.sheet.seats if column not in gone]

    @staticmethod
    def happen(match: Match, dice: Random) -> HubInput:
        """Return the input of somebody taking over a seat; the sheet does not change."""
        column = dice.choice(Substitution._who_may(match))
        name = f"Substitute {match.number}-{dice.randrange(10**6)}"
        return Substitute(match.sheet.number(column), name)


class EndedEarly:
    """The game is ended early: whole rounds count."""

    name = "games ended early"

    @staticmethod
    def happen(match: Match) -> Command:
        """End the game on the sheet, and return the command."""
        match.end()
        return FinishGame()


# -- wrong reports ------------------------------------------------------------------------------


class Mistake:
    """A round reported wrongly; `truth` is the real one, `reported` the one the hub knows."""

    name: ClassVar[str]

    def __init__(self, match: Match, teller: Reporter) -> None:
        self.match = match
        self.number = match.number
        self.truth: TileRound = teller.played
        self.reported: TileRound = teller.played
        self.teller = teller
        self.missing: set[int] = set()
        """Players whose hand counts and was not reported yet."""

    @classmethod
    def may(cls, teller: Reporter) -> bool:
        """Tell whether the mistake is possible in this round."""
        raise NotImplementedError

    def misread(self, dice: Random) -> Reporter:
        """Make the mistake; return the reporter of the round as people believe it was.

        The sheet is written as they believe it, too.
        """
        raise NotImplementedError

    def correct(self) -> Iterator[HubInput]:
        """Yield the corrections; the sheet is right once the hub has carried out all of them."""
        raise NotImplementedError

    @property
    def hands(self) -> list[HandLeft]:
        """The hands that are reported when the round is counted."""
        return [hand for hand in self.reported.hands_left() if hand.seat not in self.missing]

    def _tell(self, reported: TileRound) -> Reporter:
        """Note the round as reported to the hub, write it on the sheet, and return its reporter."""
        self.reported = reported
        self.teller = type(self.teller)(reported).seated(self.teller.seats)
        self._recount()
        return self.teller

    def _recount(self) -> None:
        self.match.recount(self.number, self.reported, self.missing)

    def _tell_missing(self) -> Iterator[HubInput]:
        """Yield the missing hands one by one: by phone, or by holding the seat and dialling."""
        for player in sorted(self.missing):
            at_buttons = self._at_the_buttons(player) and self._due(player) == [self.number]
            by_phone = self._hand(player)
            yield self._dialled(player) if at_buttons else by_phone

    def _due(self, player: int) -> list[int]:
        """Return the rounds in which a hand of this player is missing."""
        column, lines = self._column(player), enumerate(self.match.sheet.lines, start=1)
        return [number for number, line in lines if line.scores.get(column, 0) is None]

    def _column(self, player: int) -> int:
        return self.match.sheet.playing(self.number)[player]

    def _at_the_buttons(self, player: int) -> bool:
        """Tell whether the hand of `player` can be dialled now.

        No round may be in play. The hand is in the round counted last, or all hands of that are
        known; and its owner is here, or it is missing and nobody else has the chair. Seats with
        even numbers use their phones, and so does everybody where tiles are counted.
        """
        sheet, column = self.match.sheet, self._column(player)
        if self.match.number > len(sheet.lines) or self.truth.rules.wins == "rounds":
            return False
        counts = self.number == self.match.number or sheet.lines[-1].whole
        owner = sheet.people[column].here or bool(self._due(player))
        chair = sheet.number(column)
        return counts and owner and chair <= CHAIRS and chair % 2 == 1

    def _dialled(self, player: int, holds: int = 1) -> list[HandGesture]:
        """Return the gestures that hold a seat `holds` times, then dial its hand."""
        button = _button(self._column(player), self.match)
        return [hold(button)] * holds + [*self.teller.dial(self.truth.hands_left()[player])]

    def _hand(self, player: int) -> Command:
        """Return the command of a phone that reports the true hand of `player`.

        It is noted, and written on the sheet, that the hub knows that hand.
        """
        hand = self.truth.hands_left()[player]
        self.missing.discard(player)
        hands = list(self.reported.hands)
        hands[player] = self.truth.hands[player]
        self.reported = self.reported.as_reported(hands, _out(self.reported))
        self._recount()
        counts_tiles = self.truth.rules.wins == "rounds"
        return CorrectScore(
            self.teller.number(player),
            hand.pips,
            hand.double_blank,
            hand.blank_halves,
            tiles=hand.tiles if counts_tiles else None,
            confirm=True,
            round=self.number,
        )


class Miscounted(Mistake):
    """A tile of somebody's hand is overlooked."""

    name = "hands corrected"

    @classmethod
    def may(cls, teller: Reporter) -> bool:
        return teller.played.rules.wins != "rounds" and bool(cls._of(teller))

    @staticmethod
    def _of(teller: Reporter) -> list[tuple[int, int]]:
        """Return pairs of a player and a tile that may be overlooked in that hand.

        The hand must count, and without the tile something to count must be left.
        """
        hands = teller.played.hands
        return [
            (player, tile)
            for player, hand in enumerate(hands)
            if teller.counts(player) and hand.bit_count() > 1
            for tile in each(hand)
            if hand != BIT[tile] | 1
        ]

    def misread(self, dice: Random) -> Reporter:
        """Overlook a tile of a hand; return the reporter of the round without that tile."""
        self.player, tile = dice.choice(self._of(self.teller))
        hands = list(self.truth.hands)
        hands[self.player] ^= BIT[tile]
        return self._tell(self.truth.as_reported(hands, _out(self.truth)))

    def correct(self) -> Iterator[HubInput]:
        """Yield the correction of the hand, by phone or at the buttons.

        There the seat is held once for this round, and once more for each later one that its person
        played.
        """
        sheet = self.match.sheet
        reported, column = self._hand(self.player), self._column(self.player)
        later = [n for n in range(self.number, len(sheet.lines) + 1) if column in sheet.playing(n)]
        if self._at_the_buttons(self.player) and not self._due(self.player):
            yield self._dialled(self.player, len(later))
        else:
            yield reported


class Uncounted(Mistake):
    """The last hands are not counted before the game goes on."""

    name = "hands told later"

    @classmethod
    def may(cls, teller: Reporter) -> bool:
        """Return True if two or more hands count, none of them is empty, and pips are counted."""
        counted = [hand for hand in teller.played.hands_left() if teller.counts(hand.seat)]
        rounds = teller.played.rules.wins == "rounds"
        return not rounds and len(counted) > 1 and all(hand.tiles for hand in counted)

    def misread(self, dice: Random) -> Reporter:
        """Leave the last hands in the hub's order uncounted; return the round's reporter.

        At least one is counted, and one is not.
        """
        order = [
            hand.seat
            for hand in self.teller.in_order(self.truth.hands_left())
            if self.teller.counts(hand.seat)
        ]
        self.missing = set(order[dice.randrange(1, len(order)) :])
        return self._tell(self.truth)

    def correct(self) -> Iterator[HubInput]:
        return self._tell_missing()


class WrongOut(Mistake):
    """Another seat is reported to have gone out, and its hand is not counted."""

    name = "other seats that went out"

    @classmethod
    def may(cls, teller: Reporter) -> bool:
        return len(teller.played.out) == 1 and teller.played.players > 1

    def misread(self, dice: Random) -> Reporter:
        """Report another seat as out, with an empty hand; return the reporter of that."""
        out = self.truth.out[0]
        wrong = dice.choice([player for player in range(self.truth.players) if player != out])
        hands = list(self.truth.hands)
        hands[wrong] = 0
        return self._tell(self.truth.as_reported(hands, wrong))

    def correct(self) -> Iterator[HubInput]:
        """Yield a correction of the seat that went out, then the hands that were not counted."""
        wrong, out = self.reported.out[0], self.truth.out[0]
        known = {p for p in range(self.truth.players) if self.teller.counts(p)}
        teller = type(self.teller)(self.truth).seated(self.teller.seats)
        self.missing = {p for p in range(self.truth.players) if teller.counts(p)} - known
        assert wrong in self.missing or not teller.counts(wrong)
        self._tell(self.truth)
        on_double = self.truth.out_on_double
        yield ChangeOut(self.number, self.teller.number(out), on_double)
        yield from self._tell_missing()


class FalselyBlocked(Mistake):
    """The round is reported as blocked, and the empty hand is counted like all others."""

    name = "rounds falsely blocked"

    @classmethod
    def may(cls, teller: Reporter) -> bool:
        """Exclude books that count tiles: no hand is empty in a blocked round."""
        return WrongOut.may(teller) and teller.played.rules.wins != "rounds"

    def misread(self, dice: Random) -> Reporter:
        return self._tell(self.truth.as_reported(self.truth.hands, None))

    def correct(self) -> Iterator[HubInput]:
        """Yield the correction of which seat went out; the hands were right."""
        self._tell(self.truth)
        yield ChangeOut(
            self.number, self.teller.number(self.truth.out[0]), self.truth.out_on_double
        )


class CutOff(Mistake):
    """The game was ended in play, and later the hands are reported: nobody was out."""

    name = "cut-off rounds told later"

    @classmethod
    def may(cls, teller: Reporter) -> bool:
        """Require several players: a solitaire that was broken off has no result."""
        return teller.played.players > 1

    def misread(self, dice: Random) -> Reporter:
        return self.teller

    def correct(self) -> Iterator[HubInput]:
        """Yield the report that the round was blocked, then those of all its hands."""
        self.truth = self.truth.as_reported(self.truth.hands, None)
        self.missing = set(range(self.truth.players))
        self.match.ended_in_play = False
        self._tell(self.truth)
        yield ChangeOut(self.number)
        yield from self._tell_missing()


def by_phone(teller: Reporter, hand: HandLeft) -> EnterScore:
    """Return the command of a phone that counts a hand of the round just played."""
    return EnterScore(
        teller.number(hand.seat), hand.pips, hand.double_blank, hand.blank_halves, confirm=True
    )


def _out(played: TileRound) -> int | None:
    return played.out[0] if played.out else None


# -- the incidents of a game --------------------------------------------------------------------

MISTAKES: tuple[type[Mistake], ...] = (Miscounted, Uncounted, WrongOut, FalselyBlocked)
Happens = type[
    LateArrival
    | Stranger
    | Departure
    | HighestLeaves
    | WinnerLeaves
    | Pausing
    | ComingBack
    | BackAgain
    | Substitution
]
BETWEEN: tuple[Happens, ...] = (
    LateArrival,
    Departure,
    Stranger,
    HighestLeaves,
    WinnerLeaves,
    Pausing,
    ComingBack,
    BackAgain,
    Substitution,
)
"""The incidents between two rounds."""
IN_PLAY: tuple[Happens, ...] = (LateArrival, Stranger, BackAgain, Substitution)


class Incidents:
    """The incidents of one game, from a random source of its own; `share` is their likelihood."""

    def __init__(self, match: Match, share: float, seed: str) -> None:
        self.match = match
        self.share = share
        self.dice = Random(f"incidents {seed}")
        self.incident_counts: Counter[str] = Counter()
        self.mistakes: list[Mistake] = []
        """The mistakes that are not corrected yet."""
        self.ended_early = False

    def _strikes(self, times: float = 1.0) -> bool:
        return self.share > 0 and self.dice.random() < times * self.share

    def doubts(self) -> bool:
        """Tell whether somebody calls “caught!” without reason."""
        struck = self._strikes(4)
        if struck:
            self.incident_counts["caught without having drawn"] += 1
        return struck

    def slow_digit(self) -> float | None:
        """Return the seconds for which a slow finger holds a digit.

        Usually None, for no slow one.
        """
        if not self._strikes(1 / 4):
            return None
        self.incident_counts["slow digits"] += 1
        return self.dice.uniform(*SLOW)

    def second_press(self) -> float | None:
        """Return how much later somebody else presses the same button; usually None."""
        return self.dice.uniform(0.0, SOON) if self._strikes() else None

    def pressed_twice(self) -> None:
        self.incident_counts["double presses by two people"] += 1

    def phone_meanwhile(self, teller: Reporter, hands: list[HandLeft]) -> HandLeft | None:
        """Return a hand that a phone counts while it is being dialled; None for no such incident.

        `hands` are all that are dialled; only one with tiles that counts can be it.
        """
        dialled = [hand for hand in hands if hand.tiles and teller.counts(hand.seat)]
        if not dialled or teller.played.rules.wins == "rounds" or not self._strikes(1 / 2):
            return None
        self.incident_counts["phone and finger at once"] += 1
        return self.dice.choice(dialled)

    def in_play(self) -> Iterator[HubInput]:
        """Yield the inputs of incidents during a round; often none.

        Each has happened on the score sheet by then. Without a points limit, earlier mistakes may
        be corrected as well.
        """
        for incident in IN_PLAY:
            if incident.may(self.match) and self._strikes(1 / 2):
                yield self._happens(incident)
        if self.match.rules.points_limit is None:
            yield from self._correct_some(1 / 4)

    def ends_within(self) -> int | None:
        """Return the steps after which the game is ended during a round; usually None."""
        return self.dice.randrange(1, 40) if self._strikes(1 / 8) else None

    def misread(self, teller: Reporter) -> Mistake | None:
        """Make a mistake in the report of a round and return it, to be corrected later.

        Usually there is none, and it is None.
        """
        possible = [mistake for mistake in MISTAKES if mistake.may(teller)]
        if not possible or not self._strikes():
            return None
        mistake = self.dice.choice(possible)(self.match, teller)
        mistake.misread(self.dice)
        self.incident_counts[mistake.name] += 1
        self.mistakes.append(mistake)
        return mistake

    def leaves(self, teller: Reporter) -> int | None:
        """Let one player leave before the round is counted; return the player's index in the round.

        Usually nobody leaves, and it is None.
        """
        if not DepartureInPlay.may(self.match) or not self._strikes(1 / 4):
            return None
        self.incident_counts[DepartureInPlay.name] += 1
        player = DepartureInPlay.of(self.match, self.dice, teller.played)
        self.match.sheet.leave(self.match.sheet.seats[player], now=True)
        return player

    def between_rounds(self) -> Iterator[HubInput]:
        """Yield the inputs of incidents once a round is counted, and of corrections; often none.

        Each incident has happened on the score sheet by then.
        """
        for incident in BETWEEN:
            if incident.may(self.match) and self._strikes(1 / 2):
                yield self._happens(incident)
        yield from self._correct_some(1 / 2)

    def ends_now(self) -> bool:
        """Tell whether the game is ended before its last round."""
        return self._strikes(1 / 8)

    def end(self) -> Command:
        """End the game early on the sheet, whatever is missing; return the command."""
        self.ended_early = True
        self.incident_counts[EndedEarly.name] += 1
        return EndedEarly.happen(self.match)

    def cut_off(self, teller: Reporter) -> Mistake | None:
        """Return a mistake: the hands of a round that the game's end cut off are reported later.

        It is None, by chance or for a game of one player, if they never are.
        """
        if not CutOff.may(teller) or not self._strikes(4):
            return None
        self.incident_counts[CutOff.name] += 1
        self.mistakes.append(CutOff(self.match, teller))
        return self.mistakes[-1]

    def count_missing(self) -> Iterator[HubInput]:
        """Yield the corrections of all mistakes with missing hands, without which nobody wins."""
        missing = [mistake for mistake in self.mistakes if mistake.missing]
        for mistake in missing:
            yield from self._correct_one(mistake)

    def after_the_end(self) -> Iterator[HubInput]:
        """Yield the corrections of all mistakes."""
        yield from self._correct_some(1)

    def _happens(self, incident: Happens) -> HubInput:
        self.incident_counts[incident.name] += 1
        return incident.happen(self.match, self.dice)

    def _correct_some(self, chance: float) -> Iterator[HubInput]:
        """Yield the corrections of some mistakes: of each one with this chance."""
        for mistake in list(self.mistakes):
            if self.dice.random() < chance:
                yield from self._correct_one(mistake)

    def _correct_one(self, mistake: Mistake) -> Iterator[HubInput]:
        """Yield the corrections of a mistake, which is forgotten by that."""
        self.mistakes.remove(mistake)
        yield from mistake.correct()
