"""Block: keeps the seats that have knocked, and scores a round for its winner.

The hub does not see the tiles. Players who knock press a button, and so does whoever plays after a
knock; once everybody has knocked the round is blocked, and nobody needs to say so.
"""

from typing import Any, ClassVar, cast

from msgspec.structs import replace

from block.rules import PROFILES, BlockRules
from centerpiece.table import scoring
from centerpiece.table.binding import PLAYING, SEAT, bind
from centerpiece.table.checks import in_phase, player
from centerpiece.table.commands import CallLastTile, Command
from centerpiece.table.events import Event, RoundBlocked, RoundEnded, SeatEvent
from centerpiece.table.game import Game, Ring, Signs
from centerpiece.table.state import Play, Round, Table
from centerpiece.text import Sentence


class Knock(Command, frozen=True):
    """Knock: this seat cannot play."""

    seat: int


class PlayOn(Command, frozen=True):
    """Clear the knocks: a tile was laid, so everybody may try again."""


class Knocked(SeatEvent, frozen=True):
    words: ClassVar[str] = "{name} knocks."

    def apply(self, table: Table) -> Table:
        return replace(table, play=BlockPlay(frozenset((*_knocked(table), self.seat))))

    def cue(self, table: Table) -> str | None:
        return "knock"


class PlayedOn(Event, frozen=True):
    def apply(self, table: Table) -> Table:
        return replace(table, play=BlockPlay())

    def sentence(self, table: Table) -> Sentence:
        return Sentence("A tile is laid; those who knocked may try again.")


class BlockPlay(Play, frozen=True):
    """The seats that have knocked since the last tile was laid."""

    knocked: frozenset[int] = frozenset()


class Block(Game):
    rules = BlockRules
    profiles = PROFILES
    commands = (Knock, PlayOn)
    events = (Knocked, PlayedOn)
    play = BlockPlay
    blanks: ClassVar[dict[str, Any]] = {"knocked": []}
    panel = bind(
        PLAYING,
        "",
        ("seat", "tap", "Knock", "knocks: cannot play", Knock(SEAT)),
        ("seat", "hold", "Last tile", "my last tile", CallLastTile(SEAT)),
        ("train", "tap", "Played", "a tile is laid after a knock", PlayOn()),
    )

    def decide(self, table: Table, command: Command, at: float) -> list[Event]:
        if not isinstance(command, self.commands):
            return super().decide(table, command, at)
        in_phase(table, "playing", "No round is being played.")
        knocked = _knocked(table)
        if isinstance(command, PlayOn):
            return [PlayedOn()] if knocked else []
        seat = player(table, command.seat).number
        if seat in knocked:
            return []
        everybody = len(knocked) + 1 == len(table.players())
        return [Knocked(seat), RoundEnded(), RoundBlocked()] if everybody else [Knocked(seat)]

    def round_winners(self, table: Table, played: Round) -> tuple[int, ...]:
        """Return who went out, or the single lightest hand of a blocked round."""
        if played.out is not None:
            return (played.out,)
        if not played.blocked or scoring.missing(self, table, played):
            return ()
        hands = _hands(table, played)
        lightest = tuple(n for n, pips in hands.items() if pips == min(hands.values()))
        return lightest if len(lightest) == 1 else ()

    def points(self, table: Table, played: Round) -> dict[int, int | None]:
        """Give the winner the pips of the others."""
        seats = self.scored_seats(table, played)
        if scoring.missing(self, table, played) or not (played.out or played.blocked):
            return dict.fromkeys(seats)
        points: dict[int, int | None] = dict.fromkeys(seats, 0)
        hands = _hands(table, played)
        for winner in self.round_winners(table, played):
            rules = cast(BlockRules, scoring.rules_of(table, played))
            difference = rules.lightest_takes == "difference"
            points[winner] = sum(hands.values()) - hands[winner] * (2 if difference else 1)
        return points

    def signs(self, table: Table) -> Signs:
        """Show on the ring how many players have not knocked."""
        knocked = _knocked(table)
        if not knocked:
            return Signs()
        names = [table.name(seat) for seat in knocked]
        note = Sentence("{names} {names|has|have} knocked.", {"names": names})
        left = len(table.players()) - len(knocked)
        return Signs(ring=Ring(left), on={Knock: knocked}, notes=(note,))

    def share(self, table: Table) -> dict[str, Any]:
        return {"knocked": _knocked(table)}


def _knocked(table: Table) -> list[int]:
    """Return the seats that have knocked and still play."""
    if table.phase != "playing" or not isinstance(table.play, BlockPlay):
        return []
    return [seat.number for seat in table.players() if seat.number in table.play.knocked]


def _hands(table: Table, played: Round) -> dict[int, int]:
    rules = scoring.rules_of(table, played)
    return {seat: scoring.counted(rules, hand) for seat, hand in played.entries.items()}
