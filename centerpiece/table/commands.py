"""What can be asked of a table. Commands are orders; whether they can be done, `decide` says.

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
    """Take a seat, or get up from it."""

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
    """Change to what can be dealt to those who are seated: other rules, or another set."""


class ChooseRules(Command, frozen=True):
    """Choose game, profile and set by name; `changes` are house rules on top."""

    rules: str
    set: int | None = None
    changes: dict[str, Any] = {}
    name: str | None = None


class MoveSeat(Command, frozen=True):
    """Sit down elsewhere; with somebody there, change places."""

    seat: int
    to: int


class SaveHouseRules(Command, frozen=True):
    """Keep what was agreed on under a name, to be offered again."""

    name: str


class ForgetHouseRules(Command, frozen=True):
    """Offer a saved rule set of the chosen game no more."""

    name: str


class DeleteGame(Command, frozen=True):
    """A game of the past, such as a trial, counts no more; it is known by when it was started."""

    started_at: float


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
    """This seat has played its last tile: the round is over. While hands are counted: it was this
    seat after all."""

    seat: int
    on_double: bool = False


class Block(Command, frozen=True):
    """The round ended with nobody able to play."""


class NextRound(Command, frozen=True):
    """On to the next round, or to the final standings after the last.

    `uncounted`: although hands are missing, which follow later.
    """

    uncounted: bool = False


class FinishGame(Command, frozen=True):
    """Stop here; what has been scored so far counts."""


class PlayOff(Command, frozen=True):
    """Those who share the best place play one round for it; their totals stay as they are."""


class OpenLobby(Command, frozen=True):
    """Back to the lobby, with the same people seated."""


class Rematch(Command, frozen=True):
    """The same people and rules once more, at once; the start moves on by one seat."""

    starter: int | None = None


class DrawStarter(Command, frozen=True):
    """Draw who starts, in the lobby together with the start.

    `lot` is any number, as random as the table wishes; the hub draws one if there is none.
    """

    lot: int | None = None


class SetEngine(Command, frozen=True):
    """The double that starts the round, where nobody knew it before: the one asked for, if none
    is given. Whoever holds it starts."""

    engine: int | None = None
    seat: int | None = None


class PassEngine(Command, frozen=True):
    """Nobody holds the double asked for; on to the next lower one."""


class PassTurn(Command, frozen=True):
    """A turn is over, the next player's begins."""


class EndSkip(Command, frozen=True):
    """The turn that this seat had to lose is lost."""

    seat: int


class CallLastTile(Command, frozen=True):
    """Announce that a seat holds one tile. `sounded`: the whistle has been blown already."""

    seat: int
    sounded: bool = False


class TakeBackLastTile(Command, frozen=True):
    """This seat has drawn since it announced its last tile."""

    seat: int


class BlowWhistle(Command, frozen=True):
    """The whistle was blown, and nobody has said whose last tile it announced."""


class Catch(Command, frozen=True):
    """This seat holds one tile and has not announced it.

    Both answers are asked for where they matter. `drawn`: whether the seat has drawn since it
    announced a last tile; `whose`: who blew a whistle that nobody claimed, 0 if none of them.
    """

    seat: int
    drawn: bool | None = None
    whose: int | None = None


class Penalize(Command, frozen=True):
    """Impose a penalty; points default to what the rules say."""

    seat: int
    kind: PenaltyKind
    points: int | None = None


class ScoreCommand(Command, frozen=True):
    """What a seat has left at the end of a round, as pips or tile by tile.

    Where its tiles are told, the table counts them itself.
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
    """Write down the hand a seat has left in the round being scored."""


class CorrectScore(ScoreCommand, frozen=True, kw_only=True):
    """Change, or bring in late, what a seat scored in any round that was played."""

    round: int


class CountRest(Command, frozen=True):
    """The hands that have not been counted count nothing."""


class ChangeOut(Command, frozen=True):
    """Somebody else went out in a round that has ended; nobody, if it was blocked."""

    round: int
    seat: int | None = None
    on_double: bool = False


class Join(Command, frozen=True):
    """Someone arrives; in a game they play from the next round on."""

    name: str
    seat: int | None = None


class Arrive(Command, frozen=True):
    """Somebody sits down at a seat that is free in a game, or comes back to it."""

    seat: int
    name: str | None = None


class Leave(Command, frozen=True):
    """Someone goes; what they scored stays in the record."""

    seat: int


class Substitute(Command, frozen=True):
    """Somebody takes over a seat with its points; the record keeps both names."""

    seat: int
    name: str


class Park(Command, frozen=True):
    """This seat does not play for a while."""

    seat: int


class Return(Command, frozen=True):
    """A parked seat plays again from the next round on."""

    seat: int


class Rename(Command, frozen=True):
    """Give a seat's player another name."""

    seat: int
    name: str


class DesignateStarter(Command, frozen=True):
    """This seat starts the round; without one, whoever was proposed."""

    seat: int | None = None


class ChangeRule(Command, frozen=True):
    """Agree on another value for one setting."""

    setting: str
    value: Any


# At any time


class Undo(Command, frozen=True):
    """Take the last action back."""


class Redo(Command, frozen=True):
    """Do again what was taken back."""


SHARED: tuple[type[Command], ...] = tuple(
    command
    for command in (*Command.__subclasses__(), *ScoreCommand.__subclasses__())
    if command is not ScoreCommand
)
"""Every command that all games understand."""
