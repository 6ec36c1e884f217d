"""All games by name, in the order in which the lobby offers them: ours, then those of packages.

A package adds a game by an entry point of the group `centerpiece.games`, from the game's name to
its class. Only this module looks for installed packages; the games are pure.
"""

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from centerpiece.games.castle_rock.game import CastleRock
from centerpiece.games.chickenfoot.game import Chickenfoot
from centerpiece.games.mexican_train.game import MexicanTrain
from centerpiece.games.muggins.game import Muggins
from centerpiece.games.super_15.game import Super15
from centerpiece.table import commands as c
from centerpiece.table import events as e
from centerpiece.table.commands import Command
from centerpiece.table.events import Event
from centerpiece.table.game import Game
from centerpiece.table.game_set import GameSet
from centerpiece.table.state import Play
from centerpiece.text import Problem

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "centerpiece.games"
OURS: tuple[type[Game], ...] = (MexicanTrain, Chickenfoot, Muggins, CastleRock, Super15)


class BadGame(Problem, ValueError):
    """A game of another package cannot be used."""

    code = "bad-game"


def games(others: Iterable["EntryPoint"]) -> dict[str, Game]:
    """Return our games by name, and those of the entry points `others`.

    BadGame if one cannot be loaded, is called otherwise than its entry point, or has a name that is
    taken, of its own or of a command, an event or a state.
    """
    by_name = {game.name: game for game in (kind() for kind in OURS)}
    for point in others:
        facts = {"game": point.name, "package": point.dist.name if point.dist else point.value}
        try:
            game = point.load()()
        except Exception as error:
            words = "The game “{game}” of the package {package} cannot be loaded: {error}"
            raise BadGame(words, error=error, **facts) from error
        if game.name != point.name:
            words = "The package {package} calls a game “{game}”, which calls itself “{name}”."
            raise BadGame(words, name=game.name, **facts)
        if game.name in by_name:
            words = "The game “{game}” of the package {package} has a name that is taken."
            raise BadGame(words, **facts)
        taken = _names(by_name.values())
        for (base, name), kind in _names([game]).items():
            if taken.get((base, name), kind) is not kind:
                words = (
                    "The game “{game}” of the package {package} has a “{name}”, which another "
                    "game already has."
                )
                raise BadGame(words, name=name, **facts)
        by_name[game.name] = game
    return by_name


def _names(games: Iterable[Game]) -> dict[tuple[type, Any], type]:
    """Return the commands, events and states of these games, by base class and name.

    The name is the one on the wire and in the journal.
    """
    return {
        (base, kind.__struct_config__.tag): kind
        for game in games
        for base, kinds in (
            (Command, (*c.SHARED, *game.commands)),
            (Event, (*e.SHARED, *game.events)),
            (Play, (Play, game.play)),
        )
        for kind in kinds
    }


def others() -> Iterable["EntryPoint"]:
    """Return the entry points of other packages.

    Reading them properly costs 30 ms, so it is done only if a folder on the path mentions any.
    """
    if not any(map(_mentions_games, sys.path)):
        return ()
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


def _mentions_games(folder: str) -> bool:
    """Return True if a package in a folder has entry points of our group.

    False for a folder that cannot be read.
    """
    try:
        packages = [name for name in os.listdir(folder or ".") if name.endswith("-info")]
    except OSError:
        return False
    return any(f"[{GROUP}]" in _entry_points(os.path.join(folder, name)) for name in packages)


def _entry_points(package: str) -> str:
    """Return the text of a package's entry points; empty if it has none."""
    try:
        with open(os.path.join(package, "entry_points.txt"), encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


GAMES = GameSet(tuple(games(others()).values()))
"""All games, as one set."""
