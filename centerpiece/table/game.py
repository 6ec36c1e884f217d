"""The interface of a game, as bookkeeping, lights and pages use it.

Everything has a default, so a game defines only what is special about it. A game object keeps no
state: what belongs to a round is in `table.play`.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from typing import Any, ClassVar, Literal, NamedTuple

from centerpiece.rules.rules import Rules
from centerpiece.table import example, scoring
from centerpiece.table.binding import PLAYING, SEAT, Action, Binding
from centerpiece.table.commands import (
    CallLastTile,
    Catch,
    Command,
    CorrectScore,
    EnterScore,
    TakeBackLastTile,
)
from centerpiece.table.derived import derived
from centerpiece.table.events import (
    Event,
    GameFinished,
    RoundBlocked,
    RoundEnded,
    WentOut,
    and_then,
)
from centerpiece.table.state import Phase, Play, Round, Seat, Table
from centerpiece.table.telling import Tell
from centerpiece.text import Refused, Sentence


class Face(NamedTuple):
    """The middle of the hub: a number as pips on a tile, or as digits."""

    kind: Literal["pips", "digits", "dark"]
    value: int = 0


class Ring(NamedTuple):
    """A countdown on the ring: a pixel for each of a few, or the share that is `left` `of` many."""

    left: int
    of: int | None = None


class Siding(NamedTuple):
    """The shared place in the middle: how it looks, its name on pages and the words there."""

    look: Literal["closed", "open", "double"] = "closed"
    name: str = ""
    words: str = ""


class Signs(NamedTuple):
    """The state of the table as lights and pages show it: open trains, doubles, the siding."""

    open_trains: frozenset[int] = frozenset()
    """Seats whose train is open to all."""
    doubles: tuple[int, ...] = ()
    """The places of unsatisfied doubles (`TRAIN` or a seat), the oldest first."""
    due: int | None = None
    """The one of them that must be satisfied next by the rules."""
    siding: Siding = Siding()
    ring: Ring | None = None
    shows_direction: bool = False
    """True if the direction of play can change, so that the ring should show it."""
    on: Mapping[type[Command], Collection[int]] = {}
    """Orders that would take back what they did, and where: at seats, or at `TRAIN`."""
    alerts: tuple[Sentence, ...] = ()
    """Sentences that must not be overlooked, also for the big screen."""
    notes: tuple[Sentence, ...] = ()
    """Less urgent sentences."""


@derived
def signs_of(game: "Game", table: Table) -> Signs:
    """Return what lies on a table, computed once for each table."""
    return game.signs(table)


class Offer(NamedTuple):
    """A button on a page: its words, and the order that it sends.

    Where `Signs.on` has the action, the button says `off` and sends `back` if there is one; an
    offer without `off` has no such state. `number` is the field that a keypad asks for, if there is
    one. A strip of small buttons says `short` beside the page's `icon` of that name; rare ones are
    `kept` in a menu, and a `pinned` one is the main button. `turns`: only where turns are told.
    """

    words: str
    action: Action
    off: str = ""
    number: str = ""
    phases: tuple[Phase, ...] = PLAYING
    short: str = ""
    icon: str = ""
    back: Action | None = None
    kept: bool = False
    pinned: bool = False
    turns: bool = False


LAST_TILE = Offer(
    "My last tile!",
    CallLastTile(SEAT),
    "No longer my last tile",
    short="Last tile",
    icon="last",
    back=TakeBackLastTile(SEAT),
)
CAUGHT = Offer("Caught: did not announce", Catch(SEAT), kept=True)


class Laid(NamedTuple):
    """A tile in a drawing: its halves, its centre in half tiles, and if it stands upright."""

    first: int
    second: int
    x: float
    y: float
    upright: bool = False


class LessonStep(NamedTuple):
    """One step of learning a game: a heading, a sentence or two, and a drawing."""

    title: str
    words: str
    tiles: tuple[Laid, ...] = ()


class Game:
    """A game, behind the interface that bookkeeping, lights and pages use."""

    rules: ClassVar[type[Rules]]
    profiles: ClassVar[tuple[Rules, ...]]
    commands: ClassVar[tuple[type[Command], ...]] = ()
    events: ClassVar[tuple[type[Event], ...]] = ()
    play: ClassVar[type[Play]] = Play
    """The type of the game's own state of a round."""
    panel: ClassVar[tuple[Binding, ...]] = ()
    """The buttons while the game is played; the rest is the same for all games."""
    key_settings: ClassVar[Mapping[str, str]] = {}
    """The settings that people argue about before they play, each as a question."""
    minutes: ClassVar[tuple[int, int]] = (20, 60)
    """Shortest and longest usual length of a game."""
    lesson: ClassVar[tuple[LessonStep, ...]] = ()
    """The game in two minutes; the first step's tiles are its picture."""
    spoken: ClassVar[Mapping[type[Event], Tell]] = {}
    """The voice's phrases for the game's own events; others are silent."""
    blanks: ClassVar[Mapping[str, Any]] = {}
    """Values of the game's own names in the public state while another game is played."""

    @property
    def name(self) -> str:
        """The name that profiles and the public state use, such as `mexican-train`."""
        return str(self.rules.__struct_config__.tag)

    @property
    def title(self) -> str:
        """The name that people use."""
        return self.rules.title

    # Bookkeeping

    def new_play(self, table: Table) -> Play:
        """Return the game's own state of a fresh round."""
        return self.play()

    def decide(self, table: Table, command: Command, at: float) -> list[Event]:
        """Return the events of one of the game's own commands at time `at`, or raise Refused."""
        raise Refused("{game} does not have that.", game=self.title)

    def after(self, table: Table, event: Event) -> Table:
        """Return the table with the game's own state adjusted after a shared event was applied."""
        return table

    def went_out(self, table: Table, seat: int, on_double: bool) -> list[Event]:
        """Return the events that end the round when a seat has played its last tile."""
        return [RoundEnded(), WentOut(seat, on_double)]

    def blocked(self, table: Table) -> list[Event]:
        """Return the events that end the round when nobody can play."""
        return [RoundEnded(), RoundBlocked()]

    def check_closing(self, table: Table) -> None:
        """Refuse to leave a round while its winner is not known."""

    # The score

    def uncounted_seats(self, table: Table) -> tuple[int, ...]:
        """Return the seats still to be counted, clockwise after the one that went out."""
        current = table.rounds[-1]
        return scoring.clockwise(scoring.missing(self, table, current), current)

    def dialled(
        self, table: Table, played: Round, seat: int, number: int, double_blank: bool
    ) -> EnterScore | CorrectScore:
        """Return the order for a hand that was dialled on the hub: an entry, or a correction.

        `number` is what was typed, by default the pips. The order is an entry only for a hand that
        is missing in the round being scored.
        """
        current = table.phase == "scoring" and played.number == table.number
        if current and seat not in played.entries:
            return EnterScore(seat, number, double_blank)
        return CorrectScore(seat, number, double_blank, round=played.number)

    def made_in_play(self, played: Round, seat: int) -> int | None:
        """Return the points that a seat made in the play of a round; None where there are none."""
        return None

    def correct_in_play(self, number: int, seat: int, points: int) -> Command:
        """Return the order that corrects to `points` what a seat made in play in round `number`.

        Refused in a game without points made in play.
        """
        raise Refused("{game} does not have that.", game=self.title)

    def scored_seats(self, table: Table, played: Round) -> tuple[int, ...]:
        """Return the seats whose hands matter for the score of a round."""
        return tuple(seat.number for seat in table.players(played.number))

    def points(self, table: Table, played: Round) -> dict[int, int | None]:
        """Return the points of each seat in a round; None while they are not known."""
        return scoring.hand_points(table, played)

    def winning(self, table: Table) -> tuple[Seat, ...] | None:
        """Return those who have won before the last round is over; None while the game goes on."""
        return scoring.limit_reached(self, table)

    def won_in_play(self, table: Table) -> bool:
        """Return True if the game is decided although the round has not ended."""
        return False

    def round_winners(self, table: Table, played: Round) -> tuple[int, ...]:
        """Return the winners of a round; nobody while they are not known."""
        return scoring.round_winners(self, table, played)

    def merit(self, table: Table, totals: Mapping[int, int]) -> dict[int, float]:
        """Return a number for each seat that ranks it by the `totals`; lower is better."""
        return scoring.merit(self, table, totals)

    def winners(self, table: Table, lines: Sequence[scoring.Standing]) -> list[int]:
        """Return the seats of the winners of a game that is over; `lines` are its standings."""
        return scoring.winners(lines)

    def example(self, rules: Rules) -> Sequence[Sentence]:
        """Return a worked example of scoring by these rules, for the rule card."""
        return example.own_hands(self, rules) if rules.scores_own_hand else ()

    # Display

    def remark(self, table: Table, event: Event) -> Sentence | None:
        """Return a sentence to add to that of a shared event; None if there is nothing to add.

        By default: count your tiles once somebody is out, and what follows for second place and
        ties.
        """
        if isinstance(event, WentOut) and scoring.missing(self, table, table.rounds[-1]):
            return Sentence("Count the tiles you have left.")
        if isinstance(event, GameFinished) and event.winners:
            return self._after_the_winner(table)
        return None

    def _after_the_winner(self, table: Table) -> Sentence | None:
        """Return who is second, if that is a prize, and how to play off a tie, if that may be done.

        Both are joined into one text; None if there is neither.
        """
        lines = scoring.standings(self, table)
        told = []
        second = [line.seat.name for line in lines if line.place == 2]
        if second and table.rules.prizes > 1:
            told.append(Sentence("{names} {names|is|are} second.", {"names": second}))
        if scoring.may_play_off(scoring.share_a_prize(table.rules, lines)):
            told.append(Sentence("Now tap train to play it off."))
        return reduce(and_then, told) if told else None

    def share(self, table: Table) -> dict[str, Any]:
        """Return the game's own names in the public state, with their values."""
        return {}

    def signs(self, table: Table) -> Signs:
        """Return what lies on the table."""
        return Signs()

    def offers(self) -> tuple[Offer, ...]:
        """Return the buttons of pages while a round is played, beside those of every game.

        By default these are the game's own panel buttons, and the last tile.
        """
        buttons = tuple(
            Offer(binding.words, binding.action)
            for binding in self.panel
            if binding.control in ("seat", "train")
            and "playing" in binding.phases
            and isinstance(binding.action, Command)
            and not isinstance(binding.action, CallLastTile)
        )
        return (*buttons, LAST_TILE, CAUGHT)

    def face(self, table: Table) -> Face:
        """Return what the face of the hub shows during a game.

        The leader's points or rounds won once a round is counted, otherwise the engine in pips;
        dark if there is none.
        """
        played = table.round
        if best := scoring.leading(self, table):
            return Face("digits", scoring.tally(self, table, best[0]))
        if played is None or played.engine is None:
            return Face("dark")
        return Face("pips", played.engine)
