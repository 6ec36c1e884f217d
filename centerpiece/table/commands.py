"""What can be asked of a table. Commands are orders; whether they can be done, `books` decides.

Games add their own by deriving from `Command`.
"""

from typing import Any

import msgspec

from centerpiece.table.names import kebab
from centerpiece.table.state import PenaltyKind


class Command(msgspec.Struct, frozen=True, tag_field="type", tag=kebab, forbid_unknown_fields=True):
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


class ChooseRules(Command, frozen=True):
    """Choose game, profile and set by name; `changes` are house rules on top."""

    rules: str
    set: int | None = None
    changes: dict[str, Any] = {}
    name: str | None = None


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


class EndRound(Command, frozen=True):
    """Stop play; who went out can follow."""


class GoOut(Command, frozen=True):
    """This seat has played its last tile."""

    seat: int
    on_double: bool = False


class Block(Command, frozen=True):
    """The round ended with nobody able to play."""


class NextRound(Command, frozen=True):
    """On to the next round, or to the final standings after the last."""


class FinishGame(Command, frozen=True):
    """Stop here; what has been scored so far counts."""


class OpenLobby(Command, frozen=True):
    """Back to the lobby, with the same people seated."""


class CallLastTile(Command, frozen=True):
    """Announce that a seat holds one tile. `sounded`: the whistle has been blown already."""

    seat: int
    sounded: bool = False


class Catch(Command, frozen=True):
    """This seat holds one tile and has not announced it."""

    seat: int


class Penalize(Command, frozen=True):
    """Impose a penalty; points default to what the rules say."""

    seat: int
    kind: PenaltyKind
    points: int | None = None


class EnterScore(Command, frozen=True):
    """Write down the hand a seat has left in the round being scored."""

    seat: int
    pips: int = 0
    double_blank: bool = False
    blanks: int = 0
    hidden: bool = False
    confirm: bool = False


class AddPips(Command, frozen=True):
    """Count a hand on the hub itself, a press at a time."""

    seat: int
    pips: int


class CorrectScore(Command, frozen=True):
    """Change, or bring in late, what a seat scored in any round that was played."""

    round: int
    seat: int
    pips: int = 0
    double_blank: bool = False
    blanks: int = 0
    hidden: bool = False
    confirm: bool = False


class Award(Command, frozen=True):
    """Points won during play."""

    seat: int
    points: int


class Join(Command, frozen=True):
    """Someone arrives; in a game they play from the next round on."""

    name: str
    seat: int | None = None


class Leave(Command, frozen=True):
    """Someone goes; what they scored stays in the record."""

    seat: int


class Rename(Command, frozen=True):
    """Give a seat's player another name."""

    seat: int
    name: str


class DesignateStarter(Command, frozen=True):
    """This seat starts the round."""

    seat: int


class ChangeRule(Command, frozen=True):
    """Agree on another value for one setting."""

    setting: str
    value: Any


# At any time


class Undo(Command, frozen=True):
    """Take the last action back."""


class Redo(Command, frozen=True):
    """Do again what was taken back."""


SHARED: tuple[type[Command], ...] = tuple(Command.__subclasses__())
"""Every command that all games understand."""
