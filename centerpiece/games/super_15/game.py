"""Super 15: whose turn it is, the direction of play, lost turns, the spell.

The hub does not see tiles. Only tiles with a power need a press; the hub knows whose turn it is
where the table chooses to tell it (setting turns_told), and then it also knows who loses one. In a
blocked round the fewest tiles win, so tiles are counted on the hub first, and pips only where tiles
are equal.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

from msgspec.structs import replace

from centerpiece.games.super_15.lesson import LESSON
from centerpiece.games.super_15.rules import PROFILES, Super15Rules
from centerpiece.rules.rules import Rules
from centerpiece.table import example, scoring
from centerpiece.table.binding import PLAYING, SEAT, bind
from centerpiece.table.changes import with_more_tiles
from centerpiece.table.checks import current_round, in_phase, player
from centerpiece.table.commands import CallLastTile, Command, CorrectScore, EnterScore
from centerpiece.table.events import (
    Event,
    Left,
    Parked,
    RoundEnded,
    RoundStarted,
    SeatEvent,
    StarterDesignated,
    StarterDrawn,
    TurnPassed,
)
from centerpiece.table.game import CAUGHT, LAST_TILE, Game, Offer, Siding, Signs
from centerpiece.table.state import TRAIN, Direction, Entry, Play, Round, Table
from centerpiece.table.telling import Tell, in_words, of_seat
from centerpiece.text import Refused, Sentence

OTHER_WAY: dict[Direction, Direction] = {
    "clockwise": "counterclockwise",
    "counterclockwise": "clockwise",
}


class TakeTurn(Command, frozen=True):
    """Take the turn; if it is this seat's already, it plays again."""

    seat: int


class OthersDraw(Command, frozen=True):
    """Make everyone but this seat draw."""

    seat: int


class Reverse(Command, frozen=True):
    """Reverse the direction of play."""


class SkipNext(Command, frozen=True):
    """Let the next player lose a turn: a double was played."""


class ToggleSpell(Command, frozen=True):
    """Cast a spell, by the seat whose turn it is, or break it."""


class TurnTaken(SeatEvent, frozen=True):
    in_play = True
    at: float
    words: ClassVar[str] = "It is {name}'s turn."

    def apply(self, table: Table) -> Table:
        """Move the turn to the seat; from now on the turn is known."""
        turn_at = self.at if table.rules.tracks_turns else None
        return replace(
            _turn_to(table, self.seat), turn_at=turn_at, play=_play(table, turn_known=True)
        )


class PlaysAgain(SeatEvent, frozen=True):
    in_play = True
    words: ClassVar[str] = "{name} plays again."


class OthersDrew(SeatEvent, frozen=True):
    in_play = True
    words: ClassVar[str] = "{name} makes everyone else draw a tile."

    def apply(self, table: Table) -> Table:
        """Drop the others' announcements, and give `seat` the turn if turns are tracked."""
        takes_turn = table.rules.tracks_turns and table.turn != self.seat
        moved = _turn_to(table, self.seat) if takes_turn else table
        drew = with_more_tiles(moved, *table.announced - {self.seat})
        return replace(drew, play=_play(table, turn_known=True))

    def cue(self, table: Table) -> str | None:
        return "double"


class Reversed(Event, frozen=True):
    in_play = True

    def apply(self, table: Table) -> Table:
        return replace(table, direction=OTHER_WAY[table.direction])

    def sentence(self, table: Table) -> Sentence:
        if table.direction == "clockwise":
            return Sentence("The direction is reversed: play goes clockwise.")
        return Sentence("The direction is reversed: play goes counterclockwise.")


class TurnLost(SeatEvent, frozen=True):
    in_play = True
    words: ClassVar[str] = "A double: {name} loses a turn."

    def apply(self, table: Table) -> Table:
        return replace(table, skipped=table.skipped | {self.seat})

    def cue(self, table: Table) -> str | None:
        return "double"


class NextSkipped(Event, frozen=True):
    """A double where turns are not tracked: the players know themselves who loses a turn."""

    in_play = True

    def sentence(self, table: Table) -> Sentence:
        return Sentence("A double: the next player loses a turn.")

    def cue(self, table: Table) -> str | None:
        return "double"


class SpellCast(Event, frozen=True):
    """A spell was cast; `caster` is None if it is not known whose turn it was."""

    in_play = True
    caster: int | None = None

    def apply(self, table: Table) -> Table:
        return replace(table, play=_play(table, spell=True, caster=self.caster))

    def sentence(self, table: Table) -> Sentence:
        rules = _rules(table)
        facts = {
            "name": "" if self.caster is None else table.name(self.caster),
            "number": rules.spell_on,
        }
        if self.caster is None:
            return Sentence(
                "A spell: play on it, or play a {number} or a double. If you cannot, draw two.",
                facts,
            )
        return Sentence(
            "{name} casts a spell: play on it, or play a {number} or a double. If you cannot, "
            "draw two. If it comes all the way round, {name} is exempt.",
            facts,
        )

    def cue(self, table: Table) -> str | None:
        return "double"


class SpellBroken(Event, frozen=True):
    in_play = True

    def apply(self, table: Table) -> Table:
        return replace(table, play=_play(table, spell=False, caster=None))

    def sentence(self, table: Table) -> Sentence:
        return Sentence("The spell is broken.")


class Super15Play(Play, frozen=True):
    """`turn_known`: somebody has told the turn; until then it is assumed to be the starter's."""

    turn_known: bool = False
    spell: bool = False
    caster: int | None = None


class Super15(Game):
    rules = Super15Rules
    profiles = PROFILES
    minutes = (15, 30)
    lesson = LESSON
    key_settings: ClassVar[dict[str, str]] = {
        "rounds": "How many rounds?",
        "draw": "What if nothing fits?",
        "double_skips": "Does a double cost the next player a turn?",
        "reverse_on": "Which number reverses the direction?",
        "spell_on": "Which number casts a spell?",
        "last_tile": "Must the last tile be announced?",
    }
    commands = (TakeTurn, OthersDraw, Reverse, SkipNext, ToggleSpell)
    events = (
        TurnTaken,
        PlaysAgain,
        OthersDrew,
        Reversed,
        TurnLost,
        NextSkipped,
        SpellCast,
        SpellBroken,
    )
    play = Super15Play
    spoken: ClassVar[Mapping[type[Event], Tell]] = {
        TurnTaken: of_seat("play", "turn", ""),
        OthersDrew: of_seat("play", "all.draw", ""),
        Reversed: in_words("play", "reversed", ""),
        TurnLost: of_seat("play", "skipped", ""),
        NextSkipped: in_words("play", "skipped.next", ""),
        SpellCast: in_words("play", "spell", ""),
        SpellBroken: in_words("play", "spell.broken", ""),
    }
    blanks: ClassVar[dict[str, Any]] = {"spell": False}
    panel = (
        *bind(
            PLAYING,
            "turns",
            ("seat", "tap", "My turn", "my turn / I play again (a 14)", TakeTurn(SEAT)),
        ),
        *bind(
            PLAYING,
            "",
            ("seat", "double", "All draw", "everyone else draws (my 15)", OthersDraw(SEAT)),
            ("seat", "hold", "Last tile", "my last tile", CallLastTile(SEAT)),
            ("train", "tap", "Reverse", "direction reversed (a 3)", Reverse()),
            ("train", "double", "Skip next", "the next player is skipped (a double)", SkipNext()),
            ("train", "hold", "Spell", "spell cast / broken (a 13)", ToggleSpell()),
        ),
    )

    def decide(self, table: Table, command: Command, at: float) -> list[Event]:
        """Return the events of a turn or of a number's power.

        Refused outside a round and for a power that the rules leave out; a turn also for a seat
        that does not play. With two players, reversing changes nothing and gives no event.
        """
        if not isinstance(command, self.commands):
            return super().decide(table, command, at)
        in_phase(table, "playing", "No round is being played.")
        match command:
            case TakeTurn(seat):
                player(table, seat)
                _check_power(table, "turns_told", "turns are not tracked")
                return [PlaysAgain(seat) if _still_plays(table, seat) else TurnTaken(seat, at)]
            case OthersDraw(seat):
                player(table, seat)
                _check_power(table, "everyone_draws_on", "no number makes everyone draw")
                return [OthersDrew(seat)]
            case Reverse():
                _check_power(table, "reverse_on", "no number reverses the direction")
                # With two players the direction changes nothing, but the press is no mistake.
                return [Reversed()] if len(table.players()) > 2 else []
            case SkipNext():
                _check_power(table, "double_skips", "nobody loses a turn")
                # A double also breaks a spell.
                return [*_skip_next(table), *([SpellBroken()] if _play(table).spell else [])]
            case ToggleSpell():
                _check_power(table, "spell_on", "there are no spells")
                return [SpellBroken()] if _play(table).spell else [SpellCast(table.turn)]
        raise AssertionError(f"unhandled {command!r}")

    def after(self, table: Table, event: Event) -> Table:
        """Follow the turn when a round starts or ends, its starter is named, or a player leaves.

        When a round ends, turns lost to a double are over; those lost as a penalty stay.
        """
        match event:
            case RoundStarted(starter=starter) if table.rules.tracks_turns:
                return replace(table, turn=starter)
            case StarterDesignated(seat) | StarterDrawn(seat) if _awaits_first_turn(table):
                return replace(table, turn=seat)
            case TurnPassed():
                return replace(table, play=_play(table, turn_known=True))
            case RoundEnded():
                # Turns lost to a double end with the round; those lost as a penalty stay.
                fined = {p.seat for p in table.penalties if p.kind == "skip"}
                return replace(table, turn=None, skipped=table.skipped & fined)
            case Left(seat) | Parked(seat):
                play = _play(table)
                turn = None if table.turn == seat else table.turn
                caster = None if play.caster == seat else play.caster
                return replace(table, turn=turn, play=replace(play, caster=caster))
        return table

    # The score

    def uncounted_seats(self, table: Table) -> tuple[int, ...]:
        """Return the seats still to be counted, clockwise.

        In a blocked round that rounds won decide, those are first the hands whose tiles are not
        counted, then those with equally few tiles, for their pips.
        """
        current = current_round(table)
        hands = super().uncounted_seats(table)
        if hands or not _counts_tiles(table, current):
            return hands
        level = self.round_winners(table, replace(current, entries=_tiles_alone(current)))
        unknown = [number for number in level if not _pips_known(current.entries[number])]
        return scoring.clockwise(unknown, current) if len(level) > 1 else ()

    def dialled(
        self, table: Table, played: Round, seat: int, number: int, double_blank: bool
    ) -> EnterScore | CorrectScore:
        """Return the order for a typed `number` of tiles, or of pips where the tiles are known.

        That is in a blocked round that rounds won decide; other hands are as usual. Pips of 0 mean
        the double blank alone.
        """
        if not _counts_tiles(table, played):
            return super().dialled(table, played, seat, number, double_blank)
        current = played.number == table.number
        if current and seat in self.uncounted_seats(table) and seat in played.entries:
            tiles = played.entries[seat].tiles
            return CorrectScore(seat, number, number == 0, tiles=tiles, round=played.number)
        return CorrectScore(seat, tiles=number, round=played.number)

    def scored_seats(self, table: Table, played: Round) -> tuple[int, ...]:
        """Return the players of a blocked round; nobody once a player went out.

        Where everyone scores their own hand, it is always all players.
        """
        if played.out is not None and _by_rounds(table):
            return ()
        return super().scored_seats(table, played)

    def points(self, table: Table, played: Round) -> dict[int, int | None]:
        """Return one point for a round won and 0 for others, unless the table scores hands.

        None while the winner is not known.
        """
        if not _by_rounds(table):
            return super().points(table, played)
        won = self.round_winners(table, played)
        seats = [seat.number for seat in table.players(played.number)]
        return {number: int(number in won) if won else None for number in seats}

    def round_winners(self, table: Table, played: Round) -> tuple[int, ...]:
        """Return who went out; in a blocked round who has the fewest tiles, then the lowest pips.

        Several if equal; nobody while hands are missing. Where everyone scores their own hand, as
        usual.
        """
        if played.out is not None or not _by_rounds(table):
            return super().round_winners(table, played)
        if not played.blocked or scoring.missing(self, table, played):
            return ()
        left = {n: _left(entry) for n, entry in played.entries.items()}
        if len({tiles is None for tiles, _ in left.values()}) > 1:
            return ()
        fewest = min(left.values(), key=lambda held: (held[0] or 0, held[1]))
        return tuple(number for number, held in left.items() if held == fewest)

    def example(self, rules: Rules) -> Sequence[Sentence]:
        """Return the example of a blocked round: the tiles, then the pips.

        Where everyone scores their own hand, it is the usual one.
        """
        if rules.scores_own_hand:
            return super().example(rules)
        first, second, third = example.NAMES
        hands: example.Hands = {
            first: ((4, 9), (1, 6)),
            second: ((1, 8), (2, 5)),
            third: ((1, 2), (1, 1), (0, 1)),
        }
        winners = self.round_winners(*example.ended(rules, hands))
        facts = {
            **example.held(hands),
            "sum": example.added(rules, hands[first]),
            "total": example.counted(rules, hands[first]),
            "other_sum": example.added(rules, hands[second]),
            "other_total": example.counted(rules, hands[second]),
            "winners": [example.NAMES[number] for number in winners],
        }
        return [
            Sentence(
                "Example: the round is blocked. {first} holds {firsts}, {second} {seconds}, and "
                "{third} {thirds}.",
                facts,
            ),
            Sentence(
                "{first} and {second} have the fewest tiles. {first} has {sum} = {total} pips, "
                "{second} {other_sum} = {other_total}. {winners} {winners|wins|win}.",
                facts,
            ),
        ]

    def check_closing(self, table: Table) -> None:
        """Raise Refused while equal numbers of tiles leave the winner of a blocked round open."""
        current = current_round(table)
        if not _by_rounds(table) or not current.blocked:
            return
        won = self.round_winners(table, current)
        entries = [current.entries[number] for number in won]
        if len(won) > 1 and not any(entry.pips for entry in entries):
            raise Refused(
                "{names} have the same number of tiles: count their pips.",
                names=" and ".join(table.name(number) for number in won),
            )

    # Display

    def signs(self, table: Table) -> Signs:
        """Return the direction of play, and the spell while one holds."""
        if not _spell_holds(table):
            return Signs(shows_direction=True)
        return Signs(
            siding=Siding("double"),
            shows_direction=True,
            on={ToggleSpell: (TRAIN,)},
            notes=(Sentence("A spell holds"),),
        )

    def offers(self) -> tuple[Offer, ...]:
        return (
            Offer(
                "My turn / I play again (a 14)",
                TakeTurn(SEAT),
                short="My turn",
                icon="start",
                turns=True,
            ),
            Offer(
                "Everyone else draws (my 15)", OthersDraw(SEAT), short="Others draw", icon="next"
            ),
            LAST_TILE,
            Offer("Direction reversed (a 3)", Reverse(), short="Reverse", icon="turn"),
            Offer(
                "The next player is skipped (a double)",
                SkipNext(),
                short="Skip next",
                icon="skip",
            ),
            Offer(
                "Spell cast (a 13)",
                ToggleSpell(),
                "Spell broken (a 13)",
                short="Spell",
                icon="spell",
            ),
            CAUGHT,
        )

    def share(self, table: Table) -> dict[str, Any]:
        spell = _spell_holds(table)
        return {"spell": spell, "caster": _play(table).caster if spell else None}


def _play(table: Table, **changes: Any) -> Super15Play:
    """Return the table's state of this game, with `changes` if there are any."""
    play = table.play if isinstance(table.play, Super15Play) else Super15Play()
    return replace(play, **changes) if changes else play


def _rules(table: Table) -> Super15Rules:
    return cast(Super15Rules, table.rules)


def _spell_holds(table: Table) -> bool:
    return table.phase == "playing" and _play(table).spell


def _by_rounds(table: Table) -> bool:
    return table.rules.wins == "rounds"


def _check_power(table: Table, setting: str, what: str) -> None:
    """Raise Refused if these rules leave out the power of a `setting`; `what` is that as words."""
    if getattr(table.rules, setting) in (None, False):
        raise Refused("In these rules, {what}.", what=what)


def _skip_next(table: Table) -> list[Event]:
    """Return the event of a turn lost by the next player who does not lose one already.

    If all others do, the next player loses another. Where turns are not tracked, the event names
    nobody; where they are, Refused while nobody knows whose turn it is.
    """
    if not table.rules.tracks_turns:
        return [NextSkipped()]
    if table.turn is None:
        raise Refused("Whose turn is it? Tap that seat first, then enter the double.")
    losing = table.next_after(table.turn, table.skipped)
    if losing == table.turn:
        # Everyone else already loses a turn: the next player loses another.
        losing = table.next_after(table.turn)
    return [TurnLost(losing)]


def _awaits_first_turn(table: Table) -> bool:
    return table.rules.tracks_turns and not _play(table).turn_known


def _still_plays(table: Table, seat: int) -> bool:
    """Return True if the seat has the turn and goes on with it.

    False if all others lose their turns, so that the turn has come round to it.
    """
    comes_round = table.next_after(seat, table.skipped) == seat
    return seat == table.turn and _play(table).turn_known and not comes_round


def _turn_to(table: Table, seat: int) -> Table:
    """Return the table with the turn moved to `seat`; lost turns on the way are over.

    If it is known to have the turn already, all lost turns are over: the turn has come round.
    """
    if table.turn == seat and _play(table).turn_known:
        return replace(table, skipped=frozenset())
    passed, at = {seat}, seat if table.turn is None else table.turn
    for _ in table.players():
        if at == seat:
            break
        at = table.next_after(at)
        passed.add(at)
    return replace(table, turn=seat, skipped=table.skipped - passed)


def _left(entry: Entry) -> tuple[int | None, int]:
    return entry.tiles, entry.pips


def _counts_tiles(table: Table, current: Round) -> bool:
    return current.blocked and _by_rounds(table)


def _tiles_alone(current: Round) -> dict[int, Entry]:
    return {number: Entry(0, tiles=entry.tiles) for number, entry in current.entries.items()}


def _pips_known(entry: Entry) -> bool:
    """Return True if the pips of a hand were counted: it has some, or is the double blank alone."""
    return entry.pips > 0 or entry.double_blank
