"""The games that virtual people know: a map from a game's name to its `Reporter`.

Each is loaded on demand. Another package adds a game by an entry point:

    [project.entry-points."centerpiece.people"]
    block = "block.people:BlockReporter"

It needs, besides the game's rules:

- a `sim.dominoes.round.TileRound` that says what may be played (`_offer`), what a tile does
  (`_join`, `_accept`) and what a round scores (`score`), with happenings of its own if needed;
- a `sim.people.reporting.Reporter` that names this round and says what is pressed for each
  happening (`press`) and, only where the game differs from others, which cues must follow, what the
  public state and the lights show, how hands are counted and what a commentator says.
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
    """An unknown game; the message lists the known ones."""

    code = "unknown"


@cache
def known() -> dict[str, EntryPoint]:
    """Return all games that can be played, built in and from other packages, not loaded yet."""
    ours = (EntryPoint(name, value, GROUP) for name, value in GAMES.items())
    return {each.name: each for each in (*entry_points(group=GROUP), *ours)}


@cache
def reporter_of(game: str) -> type[Reporter]:
    """Return the `Reporter` class of a game; Unknown if there is none."""
    if game not in known():
        raise Unknown(
            "nobody knows how to play {game} here; games are {known}",
            game=game,
            known=", ".join(known()),
        )
    return cast(type[Reporter], known()[game].load())
