"""Commands: everything that can be asked of a table. `decide` turns them into events or refuses.

Games add their own by deriving from `Command`.
"""

from typing import Any

import msgspec

from centerpiece.rules.domino_sets import Tile
from centerpiece.table.state import PenaltyKind
from centerpiece.text import kebab


class Command(
    msgspec.Struct, frozen=True, gc=False, tag_field="type", tag=kebab, forbid_unknown_fields=True
):
    """An order to the table."""


# In the lobby


class ToggleSeat(Command, frozen=True):
    """Take a seat, or free it."""

    seat: int
    name: str | None = None


class NextGame(Command, frozen=True):
    """Choose the next game, in its first profile."""


class NextSet(Command, frozen=True):
    """Choose the next size of set that the profile knows."""


class NextProfile(Command, frozen=True):
    """Choose the next profile of the game."""


class FewerRounds(Command, frozen=True):
    """Agree on one round less; after a single one, on all of them again."""


class TakeFitting(Command, frozen=True):
    """Change to other rules or another set that can be dealt to those seated."""


class ChooseRules(Command, frozen=True):
    """Choose game, profile and set by name; `changes` are house rules on top."""

    rules: str
    set: int | None = None
    changes: dict[str, Any] = {}
    name: str | None = None


class MoveSeat(Command, frozen=True):
    """Move to another seat; if somebody sits there, the two change places."""

    seat: int
    to: int


class SaveHouseRules(Command, frozen=True):
    """Save the rules agreed on under a name, to be offered again."""

    name: str


class ForgetHouseRules(Command, frozen=True):
    """Delete a saved rule set of the chosen game."""

    name: str


class DeleteGame(Command, frozen=True):
    """Delete a past game, such as a trial, from history and records, by its starting time."""

    started_at: float


class NamePerson(Command, frozen=True):
    """Give somebody in the history another name; the name of somebody else makes them one person.

    With `started_at`, only in that game: two people of one name are told apart. A name given to
    itself is no longer changed.
    """

    name: str
    now: str
    started_at: float | None = None


class Start(Command, frozen=True):
    """Start the game with those who are seated."""

    starter: int | None = None


class OpenTable(Command, frozen=True):
    """Choose the rules, seat the players clockwise from seat 1 and start, all at once."""

    rules: str
    players: tuple[str, ...]
    set: int | None = None
    changes: dict[str, Any] = {}
    name: str | None = None
    starter: int | None = None


# In a game


class GoOut(Command, frozen=True):
    """End the round: this seat has played its last tile.

    While hands are counted it corrects who went out.
    """

    seat: int
    on_double: bool = False


class Block(Command, frozen=True):
    """End the round: nobody can play. While hands are counted it corrects who went out."""


class NextRound(Command, frozen=True):
    """Start the next round, or show the final standings after the last.

    `uncounted`: go on although hands are missing; they follow later.
    """

    uncounted: bool = False


class FinishGame(Command, frozen=True):
    """End the game here; what has been scored so far counts."""


class PlayOff(Command, frozen=True):
    """Play one more round among those who tie for the best place; totals do not change."""


class OpenLobby(Command, frozen=True):
    """Return to the lobby, with the same people seated."""


class Rematch(Command, frozen=True):
    """Start the same game again with the same people; the start moves on by one seat.

    `rematch`: yes, although the game that was ended here could still go on.
    """

    starter: int | None = None
    rematch: bool = False


class DrawStarter(Command, frozen=True):
    """Draw who starts; in the lobby this also starts the game.

    `lot` is a random number; the hub draws one if there is none.
    """

    lot: int | None = None


class SetEngine(Command, frozen=True):
    """Name the double that starts a round of `highest-held`; without `engine`, the one asked for.

    The seat that holds it starts.
    """

    engine: int | None = None
    seat: int | None = None


class PassEngine(Command, frozen=True):
    """Ask for the next lower double: nobody holds this one."""


class PassTurn(Command, frozen=True):
    """End the turn; the next player's begins."""


class EndSkip(Command, frozen=True):
    """Record that this seat has lost the turn it had to lose."""

    seat: int


class CallLastTile(Command, frozen=True):
    """Announce that a seat holds one tile. `sounded`: the whistle was heard already."""

    seat: int
    sounded: bool = False


class TakeBackLastTile(Command, frozen=True):
    """Withdraw an announcement: the seat has drawn since."""

    seat: int


class BlowWhistle(Command, frozen=True):
    """Blow the whistle without saying whose last tile it announces."""


class Catch(Command, frozen=True):
    """Catch a seat that holds one tile and has not announced it.

    The other fields answer questions that are asked back where they matter. `drawn`: the seat has
    drawn since it announced a last tile; `whose`: the seat that blew an unclaimed whistle, 0 for
    none.
    """

    seat: int
    drawn: bool | None = None
    whose: int | None = None


class Penalize(Command, frozen=True):
    """Impose a penalty; points default to those of the rules."""

    seat: int
    kind: PenaltyKind
    points: int | None = None


class ScoreCommand(Command, frozen=True):
    """A hand left at the end of a round, as pips or tile by tile.

    With `hand` the table counts the tiles itself.
    """

    seat: int
    pips: int = 0
    double_blank: bool = False
    blanks: int = 0
    hidden: bool = False
    tiles: int | None = None
    confirm: bool = False
    doubles: int = 0
    hand: tuple[Tile, ...] = ()


class EnterScore(ScoreCommand, frozen=True):
    """Enter a hand in the round that is being scored."""


class CorrectScore(ScoreCommand, frozen=True, kw_only=True):
    """Correct a hand, or enter it late, in any round that was played."""

    round: int


class CountRest(Command, frozen=True):
    """Enter zero for all hands that are missing."""


class ChangeOut(Command, frozen=True):
    """Correct who went out in a round that has ended; without a seat it was blocked."""

    round: int
    seat: int | None = None
    on_double: bool = False


class Join(Command, frozen=True):
    """Add somebody; during a game they play from the next round on.

    `fit`: as one more player although the rules would make teams of so many.
    """

    name: str
    seat: int | None = None
    fit: bool = False


class Arrive(Command, frozen=True):
    """Take a seat where nobody plays during a game, or come back to one's own.

    The other fields answer questions. `new`: on a seat that was left, somebody new sits down, or
    its owner is back; `fit`: as for `Join`.
    """

    seat: int
    name: str | None = None
    new: bool | None = None
    fit: bool = False


class Leave(Command, frozen=True):
    """Leave the table; the scores stay in the record."""

    seat: int


class Substitute(Command, frozen=True):
    """Take over a seat with its points; the record keeps both names."""

    seat: int
    name: str


class Park(Command, frozen=True):
    """Sit out until `Return`."""

    seat: int


class Return(Command, frozen=True):
    """Play again from the next round on, after `Park` or `Leave`."""

    seat: int


class Rename(Command, frozen=True):
    seat: int
    name: str


class DesignateStarter(Command, frozen=True):
    """Let this seat start the round; without one, the seat proposed."""

    seat: int | None = None


class ChangeRule(Command, frozen=True):
    """Set another value for one rule."""

    setting: str
    value: Any


# At any time


class Undo(Command, frozen=True):
    """Take the last action back.

    With `seat`, while hands are counted, take back the hand that this seat entered last. With
    `dock`, also if a train marker in its dock, or out of it, contradicts that.
    """

    seat: int | None = None
    dock: bool = False


class Redo(Command, frozen=True):
    """Repeat the action that was undone last."""


SHARED: tuple[type[Command], ...] = tuple(
    command
    for command in (*Command.__subclasses__(), *ScoreCommand.__subclasses__())
    if command is not ScoreCommand
)
