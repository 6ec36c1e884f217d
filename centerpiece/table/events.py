"""What has happened at a table. Events are facts in the past tense; each is one journal row.

An event knows its sentence and its cue, since nobody else needs to know all kinds of events;
a game adds its own by deriving from `Event`.
`version` is raised when the fields change; `journal` brings older rows up to date on reading.
"""

from functools import reduce
from typing import Any, ClassVar

import msgspec

from centerpiece.rules.house_rules import HouseRules
from centerpiece.table.state import Entry, PenaltyKind, Reason, Table, seat_name
from centerpiece.text import Sentence, kebab


def _and_then(told: Sentence, more: Sentence) -> Sentence:
    return Sentence("{told} {more}", {"told": told, "more": more})


class Event(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag=kebab, omit_defaults=True):
    """A fact."""

    version: ClassVar[int] = 1
    in_play: ClassVar[bool] = False
    """Whether it changes nothing but what is being played: neither people, rules, rounds nor
    scores. What was derived from these is still true after it (`derived_from_sheet`)."""

    def sentence(self, table: Table) -> Sentence:
        """What to tell the table, once this has happened to it."""
        raise NotImplementedError(type(self).__name__)

    def cue(self, table: Table) -> str | None:
        """The sound it makes, if any."""
        return None


class SeatEvent(Event, frozen=True):
    """Something that happened to one seat; `words` is its sentence, with `{name}`."""

    seat: int
    words: ClassVar[str] = ""

    def sentence(self, table: Table) -> Sentence:
        return Sentence(self.words, {"name": table.name(self.seat)})


class SeatTaken(Event, frozen=True):
    seat: int
    name: str

    def sentence(self, table: Table) -> Sentence:
        if self.name == seat_name(self.seat):
            return Sentence("Seat {seat} is taken.", {"seat": self.seat})
        return Sentence("{name} takes seat {seat}.", {"name": self.name, "seat": self.seat})

    def cue(self, table: Table) -> str | None:
        return "join"


class SeatFreed(Event, frozen=True):
    seat: int

    def sentence(self, table: Table) -> Sentence:
        return Sentence("Seat {seat} is free.", {"seat": self.seat})


class Renamed(Event, frozen=True):
    seat: int
    name: str

    def sentence(self, table: Table) -> Sentence:
        return Sentence("Seat {seat} is {name}.", {"seat": self.seat, "name": self.name})


class SeatMoved(Event, frozen=True):
    """From one seat to another; who sat there comes the other way."""

    seat: int
    to: int

    def sentence(self, table: Table) -> Sentence:
        facts = {"name": table.name(self.to), "other": table.name(self.seat), "to": self.to}
        if table.seat(self.seat) is None:
            return Sentence("{name} sits at seat {to} now.", facts)
        return Sentence("{name} and {other} have changed places.", facts)


class RulesAgreed(Event, frozen=True):
    """The whole rule book as it stands from now on, so that no later release can change it."""

    rules: dict[str, Any]
    size: int
    left_out: tuple[str, ...] = ()
    """Settings that were saved by another release and mean nothing to this one."""

    def sentence(self, table: Table) -> Sentence:
        if self.left_out:
            return Sentence(
                "“{name}” was saved by another release; left out: {settings}.",
                {"name": self.rules["name"], "settings": ", ".join(self.left_out)},
            )
        if table.agreed is not None:
            told = reduce(_and_then, table.agreed.news(table.rules))
            return Sentence("From the next round on: {told}", {"told": told})
        return Sentence(
            "The game is {rules} with a double-{size} set.",
            {"rules": f"{self.rules['game']}/{self.rules['name']}", "size": self.size},
        )


class RulesSaved(Event, frozen=True):
    """What was agreed on has a name of its own, and is offered again."""

    house: HouseRules

    def sentence(self, table: Table) -> Sentence:
        return Sentence("“{name}” is saved.", {"name": self.house.name})


class RulesForgotten(Event, frozen=True):
    house: HouseRules

    def sentence(self, table: Table) -> Sentence:
        return Sentence("“{name}” is forgotten.", {"name": self.house.name})


class GameDeleted(Event, frozen=True):
    """A game of the past counts no more: not in the history, nor as anybody's best."""

    started_at: float

    def sentence(self, table: Table) -> Sentence:
        return Sentence("A game of the past was deleted.")


class GameStarted(Event, frozen=True):
    at: float
    engines: tuple[int, ...]

    def sentence(self, table: Table) -> Sentence:
        return Sentence("The game begins.")


class RoundStarted(Event, frozen=True):
    """`asks`: who starts is still to be told, and `starter` only proposed."""

    number: int
    engine: int | None
    starter: int | None
    asks: bool = False
    among: tuple[int, ...] = ()
    """Who plays a tie off; empty in a round that counts."""

    def sentence(self, table: Table) -> Sentence:
        facts = {
            "number": self.number,
            "engine": self.engine,
            "starter": "" if self.starter is None else table.name(self.starter),
            "names": [table.name(seat) for seat in self.among],
        }
        if self.among:
            return Sentence("{names} play the tie off, in one round.", facts)
        if table.asked is not None:
            facts["asked"] = table.asked
            return Sentence("Round {number}: who holds the double {asked}?", facts)
        if self.asks and self.engine is None:
            return Sentence("Round {number}: who starts?", facts)
        if self.asks:
            return Sentence("Round {number}: the double {engine}. Who starts?", facts)
        if self.engine is None and self.starter is None:
            return Sentence("Round {number}.", facts)
        if self.engine is None:
            return Sentence("Round {number}: {starter} starts.", facts)
        return Sentence("Round {number}: the double {engine}. {starter} starts.", facts)

    def cue(self, table: Table) -> str | None:
        return "round"


class StarterDesignated(SeatEvent, frozen=True):
    words: ClassVar[str] = "{name} starts this round."


class StarterDrawn(SeatEvent, frozen=True):
    words: ClassVar[str] = "The lot has fallen on {name}, who starts this round."


class EngineFound(Event, frozen=True):
    """Which double starts the round, and who laid it."""

    engine: int
    seat: int | None = None

    def sentence(self, table: Table) -> Sentence:
        facts: dict[str, Any] = {"engine": self.engine}
        if self.seat is None:
            return Sentence("The double {engine} starts the round.", facts)
        facts["name"] = table.name(self.seat)
        return Sentence("{name} starts with the double {engine}.", facts)


class EnginePassed(Event, frozen=True):
    """Nobody holds `engine`; `asked` is the next to ask for."""

    engine: int
    asked: int

    def sentence(self, table: Table) -> Sentence:
        facts = {"asked": self.asked}
        if self.asked > self.engine:
            return Sentence("Nobody holds a double: all draw one tile. The double {asked}?", facts)
        return Sentence("Who holds the double {asked}?", facts)


class TurnPassed(Event, frozen=True):
    """Whose turn it is now (None: not known), and who lost one on the way."""

    in_play = True
    seat: int | None
    at: float
    lost: tuple[int, ...] = ()

    def sentence(self, table: Table) -> Sentence:
        if self.seat is None:
            return Sentence("The next turn has begun.")
        return Sentence("It is {name}'s turn.", {"name": table.name(self.seat)})


class SkipEnded(SeatEvent, frozen=True):
    in_play = True
    words: ClassVar[str] = "{name} has lost that turn, and plays again."


class RoundEnded(Event, frozen=True):
    def sentence(self, table: Table) -> Sentence:
        return Sentence("The round is over.")


class WentOut(SeatEvent, frozen=True):
    on_double: bool = False
    words: ClassVar[str] = "{name} is out."

    def sentence(self, table: Table) -> Sentence:
        if self.on_double and table.rules.out_on_double_doubles:
            words = "{name} is out on a double: all others score twice what they have left."
            return Sentence(words, {"name": table.name(self.seat)})
        return super().sentence(table)


class OutChanged(Event, frozen=True):
    """Who went out in a round after all; None if it was blocked. `was` was said before."""

    round: int
    seat: int | None
    was: int | None = None
    on_double: bool = False

    def sentence(self, table: Table) -> Sentence:
        facts: dict[str, Any] = {"round": self.round}
        if self.seat is None:
            return Sentence("Nobody went out in round {round}: it was blocked.", facts)
        facts |= {"name": table.name(self.seat)}
        return Sentence("It was {name} who went out in round {round}.", facts)


class RoundBlocked(Event, frozen=True):
    def sentence(self, table: Table) -> Sentence:
        return Sentence("The round is blocked. Everyone counts the tiles that are left.")


class ScoreEntered(Event, frozen=True):
    """`was` is the entry that this one replaces."""

    round: int
    seat: int
    entry: Entry
    was: Entry | None = None

    def sentence(self, table: Table) -> Sentence:
        facts = {
            "name": table.name(self.seat),
            "pips": self.entry.pips,
            "round": self.round,
            "was": self.was.pips if self.was else None,
            "tiles": self.entry.tiles,
        }
        if self.entry.hidden:
            return Sentence("{name} did not show the tiles of round {round}.", facts)
        if self.entry.tiles is not None:
            return Sentence(
                "{name} has {tiles} {tiles|tile|tiles} with {pips} {pips|pip|pips} "
                "in round {round}.",
                facts,
            )
        if self.was is not None:
            return Sentence("{name} has {pips} in round {round}, not {was}.", facts)
        if self.entry.double_blank:
            return Sentence("{name} has {pips} and the double blank in round {round}.", facts)
        return Sentence("{name} has {pips} in round {round}.", facts)


class GameFinished(Event, frozen=True):
    """`left_out`: rounds that were not counted to the end."""

    reason: Reason = "rounds"
    winners: tuple[int, ...] = ()
    left_out: tuple[int, ...] = ()

    def sentence(self, table: Table) -> Sentence:
        names = [table.name(seat) for seat in self.winners]
        if not names:
            return Sentence("The game is over.")
        teams = {seat.team for seat in table.seats if seat.number in self.winners}
        if len(names) > 1 and len(teams) == 1 and None not in teams:
            return Sentence("The game is over: {names} have won.", {"names": " and ".join(names)})
        if len(names) > 1:
            return Sentence("The game is over: a tie of {names}.", {"names": ", ".join(names)})
        return Sentence("The game is over: {names} has won.", {"names": names[0]})

    def cue(self, table: Table) -> str | None:
        return "finish"


class WinnersChanged(Event, frozen=True):
    """A correction has made others the winners of a game that is over."""

    winners: tuple[int, ...] = ()

    def sentence(self, table: Table) -> Sentence:
        names = [table.name(seat) for seat in self.winners]
        if not names:
            return Sentence("The score was corrected: who has won is open again.")
        return Sentence(
            "The score was corrected: now {names} {names|has|have} won.", {"names": names}
        )

    def cue(self, table: Table) -> str | None:
        return "finish" if self.winners else "round"


class GameReopened(Event, frozen=True):
    """A correction has taken the points away that ended the game."""

    def sentence(self, table: Table) -> Sentence:
        limit = {"limit": table.coming.points_limit}
        return Sentence(
            "The score was corrected: nobody has {limit} points, so the game goes on.", limit
        )

    def cue(self, table: Table) -> str | None:
        return "round"


class LobbyOpened(Event, frozen=True):
    def sentence(self, table: Table) -> Sentence:
        return Sentence("Before the game: tap a seat to play, hold advance to start.")


class LastTileCalled(SeatEvent, frozen=True):
    """`claims`: it was announced by a whistle that nobody had claimed."""

    in_play = True
    sounded: bool = False
    claims: bool = False
    words: ClassVar[str] = "{name} is down to the last tile."

    def cue(self, table: Table) -> str | None:
        return None if self.sounded else table.rules.last_tile_cue


class LastTileGone(SeatEvent, frozen=True):
    in_play = True
    words: ClassVar[str] = "{name} has more than one tile again."


class WhistleBlown(Event, frozen=True):
    """Somebody has announced a last tile, and nobody knows whose."""

    in_play = True

    def sentence(self, table: Table) -> Sentence:
        return Sentence("Somebody has blown the whistle.")


class WhistleDropped(Event, frozen=True):
    """A whistle that nobody had claimed announced nobody's last tile."""

    in_play = True

    def sentence(self, table: Table) -> Sentence:
        return Sentence("The whistle was nobody's.")


class Penalized(SeatEvent, frozen=True):
    """A penalty; `caught` if for an announcement that was forgotten, and then `kind` may be
    none at all, where the table has agreed to forgive."""

    kind: PenaltyKind | None
    points: int = 0
    caught: bool = False

    def sentence(self, table: Table) -> Sentence:
        facts = {
            "name": table.name(self.seat),
            "points": self.points,
            "tiles": table.rules.penalty_tiles,
        }
        if self.kind is None:
            return Sentence("{name} was caught with one tile. No penalty was agreed.", facts)
        return Sentence(
            {
                "draw": "{name} must draw, tiles: {tiles}.",
                "keep": "{name} must draw and keep, tiles: {tiles}.",
                "points": "{name} gets {points} penalty {points|point|points}.",
                "skip": "{name} loses the next turn.",
            }[self.kind],
            facts,
        )

    def cue(self, table: Table) -> str | None:
        return "caught"


class Joined(Event, frozen=True):
    seat: int
    name: str

    def sentence(self, table: Table) -> Sentence:
        return Sentence(
            "{name} takes seat {seat} and plays from the next round on.",
            {"name": self.name, "seat": self.seat},
        )

    def cue(self, table: Table) -> str | None:
        return "join"


class Left(SeatEvent, frozen=True):
    words: ClassVar[str] = "{name} has left the table."


class Substituted(Event, frozen=True):
    """`name` plays on for `was`, with the points of the seat."""

    seat: int
    name: str
    was: str

    def sentence(self, table: Table) -> Sentence:
        return Sentence("{name} plays on for {was}.", {"name": self.name, "was": self.was})

    def cue(self, table: Table) -> str | None:
        return "join"


class Parked(SeatEvent, frozen=True):
    words: ClassVar[str] = "{name} is away for a while."


class Returned(SeatEvent, frozen=True):
    words: ClassVar[str] = "{name} is back and plays from the next round on."

    def cue(self, table: Table) -> str | None:
        return "join"


class Undone(Event, frozen=True):
    def sentence(self, table: Table) -> Sentence:
        return Sentence("Undone.")

    def cue(self, table: Table) -> str | None:
        return "undo"


class Redone(Event, frozen=True):
    def sentence(self, table: Table) -> Sentence:
        return Sentence("Done again.")

    def cue(self, table: Table) -> str | None:
        return "redo"


class Retracted(Event, frozen=True):
    """The first tap of what turned out to be a double tap never was.

    `step` is the sequence number of the step taken back; steps after it stay.
    """

    step: int

    def sentence(self, table: Table) -> Sentence:
        return Sentence("Taken back.")


SHARED: tuple[type[Event], ...] = tuple(
    event
    for event in (*Event.__subclasses__(), *SeatEvent.__subclasses__())
    if event is not SeatEvent
)
"""Every event that all games share."""
