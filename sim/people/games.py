"""The games that virtual people know: one map from a game's name to its `Reporter`.

Each is loaded when it is asked for. A package of its own adds a game by an entry point:

    [project.entry-points."centerpiece.people"]
    block = "block.people:BlockReporter"

What it has to write, beside the rules and books of the game:

- the tiles: a `sim.dominoes.round.TileRound` that says what may be played (`_offer`), what a tile
  does (`_join`, `_accept`) and what a round brings (`score`), and happenings of its own if it needs
  any;
- the people: a `sim.people.reporting.Reporter` that names this round and says what is pressed for
  each happening (`press`); and, only where the game differs from others, what must then be heard,
  what the public state and the lights show, how hands are counted and what a commentator says.
"""

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import cast

from centerpiece.text import Problem
from sim.people.reporting import Reporter

GROUP = "centerpiece.people"
GAMES = {
    "mexican-train": "sim.people.mexican_train_people:MexicanTrainReporter",
    "chickenfoot": "sim.people.chickenfoot_people:ChickenfootReporter",
    "muggins": "sim.people.muggins_people:MugginsReporter",
    "castle-rock": "sim.people.castle_rock_people:CastleRockReporter",
    "super-15": "sim.people.super_15_people:Super15Reporter",
}


class Unknown(Problem, ValueError):
    """Something was asked for that there is not; the message says what there is."""

    code = "unknown"


@cache
def known() -> dict[str, EntryPoint]:
    """Every game that can be played, ours and others'."""
    ours = (EntryPoint(name, value, GROUP) for name, value in GAMES.items())
    return {each.name: each for each in (*entry_points(group=GROUP), *ours)}


@cache
def reporter_of(game: str) -> type[Reporter]:
    """What virtual people need in order to play a game."""
    if game not in known():
        raise Unknown(
            "nobody knows how to play {game} here; games are {known}",
            game=game,
            known=", ".join(known()),
        )
    return cast(type[Reporter], known()[game].load())
