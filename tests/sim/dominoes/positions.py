"""Positions in words: hands are written like `9-4 3-3`, the yard in the order it is drawn."""

from typing import Any

import msgspec

from centerpiece.games.castle_rock import rules as castle_rock
from centerpiece.games.chickenfoot import rules as chickenfoot
from centerpiece.games.mexican_train import rules as mexican_train
from centerpiece.games.muggins import rules as muggins
from centerpiece.games.super_15 import rules as super_15
from centerpiece.rules.rules import Rules
from sim.dominoes.castle_rock import CastleRock
from sim.dominoes.chickenfoot import Chickenfoot
from sim.dominoes.deal import Deal
from sim.dominoes.happenings import Happening
from sim.dominoes.mexican_train import MexicanTrain
from sim.dominoes.muggins import Muggins
from sim.dominoes.round import Play, Remove, Round, Stop
from sim.dominoes.super_15 import Super15
from sim.dominoes.tiles import name_of, named, tile

PROFILES: tuple[Rules, ...] = (
    *mexican_train.PROFILES,
    *chickenfoot.PROFILES,
    *muggins.PROFILES,
    *castle_rock.PROFILES,
    *super_15.PROFILES,
)

KINDS = {
    "mexican-train": MexicanTrain,
    "chickenfoot": Chickenfoot,
    "muggins": Muggins,
    "castle-rock": CastleRock,
    "super-15": Super15,
}


def dealt(rules: Rules, *asked: Any, **more: Any) -> Any:
    """A round of whatever game the book is for."""
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
    deal = Deal(size or book.sets[0], [named(hand) for hand in hands], tiles, engine, told=[])
    return KINDS[book.game](book, deal)


def may(played: Round) -> set[str]:
    """Every legal move in words: `9-4@2` is that tile at place 2."""
    played.go_on()
    said = set()
    for move in played.moves():
        match move:
            case Play(which, place, keep_marker):
                said.add(f"{name_of(which)}@{place}" + (" keep" if keep_marker else ""))
            case Stop():
                said.add("stop")
            case Remove(middle, three):
                said.add(f"{'three' if three else 'middle'}@{middle}")
    return said


def lay(played: Round, *moves: str) -> list[Happening]:
    """Make moves in words, going on before each; what happened since."""
    played.told.clear()
    for move in moves:
        played.go_on()
        if move == "stop":
            played.play(Stop())
            continue
        which, _, place = move.partition("@")
        played.play(Play(numbered(which), int(place)))
    return list(played.told)


def goes_on(played: Round) -> list[Happening]:
    """What happens until the next decision."""
    played.told.clear()
    played.go_on()
    return list(played.told)
