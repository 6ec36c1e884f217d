"""Positions as text: hands like `9-4 3-3`, the yard in the order it is drawn."""

from typing import Any

import msgspec

from centerpiece.games.castle_rock import rules as castle_rock
from centerpiece.games.chickenfoot import rules as chickenfoot
from centerpiece.games.mexican_train import rules as mexican_train
from centerpiece.games.muggins import rules as muggins
from centerpiece.games.super_15 import rules as super_15
from centerpiece.rules.rules import Rules
from sim.dominoes.castle_rock_tiles import CastleRockTiles
from sim.dominoes.chickenfoot_tiles import ChickenfootTiles
from sim.dominoes.dealing import Deal
from sim.dominoes.happenings import Happening
from sim.dominoes.mexican_train_tiles import MexicanTrainTiles
from sim.dominoes.muggins_tiles import MugginsTiles
from sim.dominoes.round import PlayTile, Remove, Stop, TileRound
from sim.dominoes.super_15_tiles import Super15Tiles
from sim.dominoes.tiles import name_of, named, tile

PROFILES: tuple[Rules, ...] = (
    *mexican_train.PROFILES,
    *chickenfoot.PROFILES,
    *muggins.PROFILES,
    *castle_rock.PROFILES,
    *super_15.PROFILES,
)

KINDS = {
    "mexican-train": MexicanTrainTiles,
    "chickenfoot": ChickenfootTiles,
    "muggins": MugginsTiles,
    "castle-rock": CastleRockTiles,
    "super-15": Super15Tiles,
}


def dealt(rules: Rules, *asked: Any, **more: Any) -> Any:
    return KINDS[rules.game].dealt(rules, *asked, **more)


def numbered(name: str) -> int:
    """The number of the tile that is written `9-4`."""
    one, other = name.split("-")
    return tile(int(one), int(other))


def position(
    rules: Rules,
    hands: list[str],
    yard: str = "",
    engine: int | None = None,
    size: int | None = None,
    **changes: Any,
) -> Any:
    """A round with these hands and this yard, under the book with some house rules."""
    book = msgspec.structs.replace(rules, **changes)
    tiles = [numbered(name) for name in yard.split()][::-1]
    deal = Deal(size or book.sets[0], [named(hand) for hand in hands], tiles, engine, happenings=[])
    return KINDS[book.game](book, deal)


def may(played: TileRound) -> set[str]:
    """Every legal move in words: `9-4@2` is that tile at place 2."""
    played.go_on()
    said = set()
    for move in played.moves():
        match move:
            case PlayTile(which, place, keep_marker):
                said.add(f"{name_of(which)}@{place}" + (" keep" if keep_marker else ""))
            case Stop():
                said.add("stop")
            case Remove(middle, three):
                said.add(f"{'three' if three else 'middle'}@{middle}")
    return said


def lay(played: TileRound, *moves: str) -> list[Happening]:
    """Make moves given as text; return the happenings since."""
    played.happenings.clear()
    for move in moves:
        played.go_on()
        if move == "stop":
            played.play(Stop())
            continue
        which, _, place = move.partition("@")
        played.play(PlayTile(numbered(which), int(place)))
    return list(played.happenings)


def goes_on(played: TileRound) -> list[Happening]:
    """Return the happenings until the next decision."""
    played.happenings.clear()
    played.go_on()
    return list(played.happenings)
