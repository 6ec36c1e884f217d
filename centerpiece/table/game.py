"""What a game is to the books: the small interface that every game fits.

Everything has a default, so a game says only what is special about it.
A game object keeps no state: what it knows about the round is in `table.play`.
"""

from collections.abc import Collection, Mapping, Sequence
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
from centerpiece.table.events import Event, RoundBlocked, RoundEnded, WentOut
from centerpiece.table.state import Phase, Play, Round, Seat, Table
from centerpiece.table.telling import Tell
from centerpiece.text import Refused, Sentence


class Face(NamedTuple):
    """What the middle of the hub shows: a number as pips on a tile, or as digits."""

    kind: Literal["pips", "digits", "dark"]
    value: int = 0


class Ring(NamedTuple):
    """What the ring counts down: a pixel for each of a few, or the share that is left `of` many."""

    left: int
    of: int | None = None


class Siding(NamedTuple):
    """The place in the middle that all share: how it looks, what pages call it and say of it."""

    look: Literal["closed", "open", "double"] = "closed"
    name: str = ""
    words: str = ""


class Signs(NamedTuple):
    """What lies on the table, as far as lights and pages show it."""

    open_trains: frozenset[int] = frozenset()
    """Seats whose train is open to all."""
    doubles: tuple[int, ...] = ()
    """Where doubles wait to be satisfied (`TRAIN` or a seat), the oldest first."""
    due: int | None = None
    """Which of them must be satisfied next, by the rules that are played."""
    siding: Siding = Siding()
    ring: Ring | None = None
    way: bool = False
    """Whether the direction of play can change, so that the ring should show it."""
    on: Mapping[type[Command], Collection[int]] = {}
    """Which orders would take back what they did: for which seats, or for `TRAIN`."""
    alerts: tuple[Sentence, ...] = ()
    """What must not be overlooked, on the big screen either."""
    notes: tuple[Sentence, ...] = ()
    """What else is good to know."""


@derived
def signs_of(game: "Game", table: Table) -> Signs:
    """Return what lies on a table."""
    return game.signs(table)


class Offer(NamedTuple):
    """Something that can be done on a page: what the button says, and the order that it sends.

    Where `Signs.on` has it on already the button says `off`, and sends `back` if there is one;
    without such words there is none. `number` is the field that a keypad asks for, if there is one.
    A strip of small buttons says `short` beside the page's `icon` of that name; what is rare is
    `kept` in a menu.
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
    """A tile in a drawing: its halves, its middle in half tiles, whether it stands upright."""

    first: int
    second: int
    x: float
    y: float
    upright: bool = False


class LessonStep(NamedTuple):
    """One step of learning a game: a heading, a sentence or two, and how it looks."""

    title: str
    words: str
    tiles: tuple[Laid, ...] = ()


class Game:
    """A game, behind the interface that the books, the lights and the pages use."""

    rules: ClassVar[type[Rules]]
    profiles: ClassVar[tuple[Rules, ...]]
    commands: ClassVar[tuple[type[Command], ...]] = ()
    events: ClassVar[tuple[type[Event], ...]] = ()
    play: ClassVar[type[Play]] = Play
    """What the game keeps about a round in play."""
    panel: ClassVar[tuple[Binding, ...]] = ()
    """What the buttons do while the game is played; the rest is the same for all games."""
    argued: ClassVar[Mapping[str, str]] = {}
    """The settings that people argue about before they play, each as a question."""
    minutes: ClassVar[tuple[int, int]] = (20, 60)
    """How long a game takes, from and to."""
    lesson: ClassVar[tuple[LessonStep, ...]] = ()
    """The game in two minutes; the first step's tiles are its picture."""
    told: ClassVar[Mapping[type[Event], Tell]] = {}
    """What a voice tells of the game's own events; of one that is not here, nothing."""
    blanks: ClassVar[Mapping[str, Any]] = {}
    """What names of the game's own are in the public state while another game is played."""

    @property
    def name(self) -> str:
        """The name that profiles and the public state use, such as `mexican-train`."""
        return str(self.rules.__struct_config__.tag)

    @property
    def title(self) -> str:
        """The name that people use."""
        return self.rules.title

    # The books

    def new_play(self, table: Table) -> Play:
        """The game's own part of a fresh round."""
        return self.play()

    def decide(self, table: Table, command: Command, at: float) -> list[Event]:
        """Turn one of the game's commands, or a shared one it gives a meaning to, into facts."""
        raise Refused("{game} does not have that.", game=self.title)

    def after(self, table: Table, event: Event) -> Table:
        """What a shared event means for the game's own part, once it was applied."""
        return table

    def went_out(self, table: Table, seat: int, on_double: bool) -> list[Event]:
        """How the round in play ends when a seat has played its last tile."""
        return [RoundEnded(), WentOut(seat, on_double)]

    def blocked(self, table: Table) -> list[Event]:
        """How it ends when nobody can play."""
        return [RoundEnded(), RoundBlocked()]

    def check_closing(self, table: Table) -> None:
        """Refuse to go on from a round while it cannot be said who won it."""

    # The score

    def to_count(self, table: Table) -> tuple[int, ...]:
        """Whose hands of the round are still to be counted, clockwise after who went out."""
        current = table.rounds[-1]
        return scoring.clockwise(scoring.missing(self, table, current), current)

    def dialled(
        self, table: Table, seat: int, number: int, double_blank: bool
    ) -> EnterScore | CorrectScore:
        """The order for a hand that was dialled on the hub."""
        if table.phase == "finished" or seat in table.rounds[-1].entries:
            return CorrectScore(seat, number, double_blank, round=table.number)
        return EnterScore(seat, number, double_blank)

    def hands_to_count(self, table: Table, played: Round) -> tuple[int, ...]:
        """The seats whose hands matter for the score of a round."""
        return tuple(seat.number for seat in table.players(played.number))

    def points(self, table: Table, played: Round) -> dict[int, int | None]:
        """What each seat scored in a round; None while that cannot be said."""
        return scoring.hand_points(table, played)

    def winning(self, table: Table) -> tuple[Seat, ...] | None:
        """Who has won before the last round is over, or None while the game goes on."""
        return scoring.limit_reached(self, table)

    def won_in_play(self, table: Table) -> bool:
        """Whether the game is decided although the round has not ended."""
        return False

    def round_winners(self, table: Table, played: Round) -> tuple[int, ...]:
        """Who won a round; nobody while that cannot be said."""
        return scoring.round_winners(self, table, played)

    def merit(self, table: Table, totals: Mapping[int, int]) -> dict[int, float]:
        """A number for each seat, the lower the better: it makes the places."""
        return scoring.merit(self, table, totals)

    def winners(self, table: Table, lines: Sequence[scoring.Standing]) -> list[int]:
        """Who has won, now that the game is over."""
        return scoring.winners(lines)

    def example(self, rules: Rules) -> Sequence[Sentence]:
        """For the rule card: how a round is scored by these rules."""
        return example.own_hands(self, rules) if rules.scores_own_hand else ()

    # What can be seen

    def remark(self, table: Table, event: Event) -> Sentence | None:
        """What the game adds to the sentence of a shared event."""
        if isinstance(event, WentOut) and scoring.missing(self, table, table.rounds[-1]):
            return Sentence("Count the tiles you have left.")
        return None

    def share(self, table: Table) -> dict[str, Any]:
        """The game's own names in the public state, and what they are now."""
        return {}

    def signs(self, table: Table) -> Signs:
        """What lies on the table."""
        return Signs()

    def offers(self) -> tuple[Offer, ...]:
        """What pages offer while a round is played, beside what they do in every game.

        That is what the game's buttons do, and the last tile.
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
        """What the middle of the hub shows in a game: the engine, or what whoever leads has."""
        played = table.round
        if best := scoring.leading(self, table):
            return Face("digits", scoring.tally(self, table, best[0]))
        if played is None or played.engine is None:
            return Face("dark")
        return Face("pips", played.engine)
