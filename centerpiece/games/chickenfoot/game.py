"""Chickenfoot: keeps the open foot and counts its toes.

The first double opens a foot as the round begins. Nothing else may be played until it has all its
toes, not even another double: the only double that would fit on a foot is the one it grows from. So
a new foot tells that the one before is complete, even if a toe was not pressed.
"""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NamedTuple, cast

from msgspec.structs import replace

from centerpiece.games.chickenfoot.lesson import LESSON
from centerpiece.games.chickenfoot.rules import PROFILES, ChickenfootRules
from centerpiece.table.binding import PLAYING, SEAT, bind
from centerpiece.table.commands import CallLastTile, Command
from centerpiece.table.events import Event, RoundStarted
from centerpiece.table.game import CAUGHT, LAST_TILE, Game, Offer, Ring, Siding, Signs
from centerpiece.table.state import Play, Table
from centerpiece.table.telling import Call, Happened, SpokenLine, Tell
from centerpiece.text import Refused, Sentence


class PlayToe(Command, frozen=True):
    """Play a toe on the open foot."""


class OpenFoot(Command, frozen=True):
    """Open a foot: a double was played and needs its toes."""


class ToePlayed(Event, frozen=True):
    in_play = True

    def apply(self, table: Table) -> Table:
        """Count a toe; the last one completes the foot.

        Without an open foot nothing is counted.
        """
        toes = _play(table).toes
        if toes is None or toes.played + 1 >= toes.needed:
            return replace(table, play=ChickenfootPlay())
        return replace(table, play=ChickenfootPlay(toes._replace(played=toes.played + 1)))

    def sentence(self, table: Table) -> Sentence:
        """Return how many toes are still to go, or that the foot is complete."""
        toes = _play(table).toes
        if toes is None:
            return Sentence("The foot is complete: play on any toe.")
        facts = {"missing": toes.needed - toes.played, "needed": toes.needed}
        return Sentence(
            "A toe. {missing} of {needed} still to go before anything else may be played.", facts
        )


class FootOpened(Event, frozen=True):
    in_play = True
    needed: int

    def apply(self, table: Table) -> Table:
        return replace(table, play=ChickenfootPlay(Toes(self.needed, 0)))

    def sentence(self, table: Table) -> Sentence:
        needed = {"needed": self.needed}
        if _rules(table).double_called:
            return Sentence(
                "Chickie! {needed} {needed|toe|toes} before anything else may be played.", needed
            )
        return Sentence(
            "A double: {needed} {needed|toe|toes} before anything else may be played.", needed
        )

    def cue(self, table: Table) -> str | None:
        return "chickie" if _rules(table).double_called else "double"


class Toes(NamedTuple):
    """The toes of an open foot: how many it needs and how many it has."""

    needed: int
    played: int


class ChickenfootPlay(Play, frozen=True):
    """The foot that must be completed, if there is one."""

    toes: Toes | None = None


def _tell_foot(happened: Happened, event: FootOpened) -> Iterator[Call]:
    yield Call("play", (SpokenLine("foot", {"toes": event.needed}),))


def _tell_toe(happened: Happened, event: ToePlayed) -> Iterator[Call]:
    """Yield a call for the toe that completes a foot; other toes are not told."""
    if cast(ChickenfootPlay, happened.table.play).toes is None:
        yield Call("play", (SpokenLine("foot.done"),))


class Chickenfoot(Game):
    rules = ChickenfootRules
    profiles = PROFILES
    minutes = (60, 150)
    lesson = LESSON
    key_settings: ClassVar[dict[str, str]] = {
        "first_toes": "How many toes does the first foot need?",
        "last_tile": "Must the last tile be announced?",
        "penalty": "What if somebody forgets to?",
        "draw": "What if nothing fits?",
        "double_blank": "What does the double blank count?",
        "rounds": "How many rounds?",
    }
    commands = (PlayToe, OpenFoot)
    events = (ToePlayed, FootOpened)
    play = ChickenfootPlay
    spoken: ClassVar[Mapping[type[Event], Tell]] = {FootOpened: _tell_foot, ToePlayed: _tell_toe}
    blanks: ClassVar[dict[str, Any]] = {"toes": None}
    panel = bind(
        PLAYING,
        "",
        ("seat", "hold", "Last tile", "my last tile: the rooster", CallLastTile(SEAT)),
        ("train", "tap", "Toe", "a toe was played: the ring counts down", PlayToe()),
        (
            "train",
            "hold",
            "New foot",
            "a double was played: a new foot opens, and the one before is complete",
            OpenFoot(),
        ),
    )

    def new_play(self, table: Table) -> Play:
        return ChickenfootPlay(Toes(_rules(table).first_toes, 0))

    def decide(self, table: Table, command: Command, at: float) -> list[Event]:
        """Return the event of a toe, or of a double that opens a foot, even while another is open.

        Refused outside a round, and a toe while no foot is open.
        """
        if not isinstance(command, self.commands):
            return super().decide(table, command, at)
        if table.phase != "playing":
            raise Refused("No round is being played.")
        toes = _play(table).toes
        match command:
            case PlayToe():
                if toes is None:
                    raise Refused("No foot is open. A double opens one.")
                return [ToePlayed()]
            case OpenFoot():
                return [FootOpened(_rules(table).later_toes)]
        raise AssertionError(f"unhandled {command!r}")

    def signs(self, table: Table) -> Signs:
        """Return the toes still needed, on ring and siding and as an alert.

        Nothing if no foot is open.
        """
        toes = _foot(table)
        if toes is None:
            return Signs()
        left = toes.needed - toes.played
        alert = Sentence("Toes still needed: {left}", {"left": left})
        return Signs(siding=Siding("double"), ring=Ring(left), alerts=(alert,))

    def share(self, table: Table) -> dict[str, Any]:
        toes = _foot(table)
        return {"toes": toes._asdict() if toes else None, "undrawn": _undrawn(table)}

    def offers(self) -> tuple[Offer, ...]:
        return (
            Offer("A toe was played", PlayToe(), short="Toe", icon="toe", pinned=True),
            Offer(
                "A double was played: a new foot opens",
                OpenFoot(),
                short="New foot",
                icon="double",
            ),
            LAST_TILE,
            CAUGHT,
        )

    def remark(self, table: Table, event: Event) -> Sentence | None:
        """Return at the start of a round the toes that the double needs; else the usual remark."""
        if not isinstance(event, RoundStarted):
            return super().remark(table, event)
        facts = {"toes": _rules(table).first_toes, "undrawn": _undrawn(table)}
        if facts["undrawn"]:
            return Sentence(
                "The double needs {toes} {toes|toe|toes} before any other play. {undrawn} "
                "{undrawn|tile stays|tiles stay} in the boneyard.",
                facts,
            )
        return Sentence("The double needs {toes} {toes|toe|toes} before any other play.", facts)


def _play(table: Table) -> ChickenfootPlay:
    return table.play if isinstance(table.play, ChickenfootPlay) else ChickenfootPlay()


def _foot(table: Table) -> Toes | None:
    """Return the foot to complete before anything else is played.

    None if no foot is open, and outside a round.
    """
    return _play(table).toes if table.phase == "playing" else None


def _rules(table: Table) -> ChickenfootRules:
    return cast(ChickenfootRules, table.rules)


def _undrawn(table: Table) -> int:
    played = table.round
    return _rules(table).stays_undrawn(played.dealt if played else len(table.players()))
