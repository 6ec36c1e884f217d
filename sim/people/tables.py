"""Settings and results of virtual tables."""

from collections.abc import Sequence
from random import Random

import msgspec

from centerpiece.rules.rules import Rules
from centerpiece.text import Problem
from sim.people.players import KINDS


class Disagreement(Problem):
    """Table and hub differ; the message shows where, and how to replay the game."""

    code = "disagreement"

    def __init__(self, where: str, differences: Sequence[str], replay: str) -> None:
        super().__init__(
            "table and hub disagree. {where}:\n  {found}\nTo see it again:\n  {replay}",
            where=where,
            found="\n  ".join(differences),
            replay=replay,
        )


class Tables(msgspec.Struct, frozen=True):
    """A series of games: rules, players and seed."""

    rules: Rules
    size: int
    players: int
    kinds: tuple[str, ...] = tuple(KINDS)
    seed: int = 1
    incidents: float = 0.0
    """The likelihood of incidents, from 0 to 1."""
    docks: bool = False
    """True if every seat's train marker has a dock."""

    def kinds_in(self, game: int) -> tuple[str, ...]:
        """Return the kind of player on each seat in game number `game`.

        Over many games every kind comes to every seat and next to every other.
        """
        kinds = [self.kinds[(seat + game) % len(self.kinds)] for seat in range(self.players)]
        Random(f"seats {self.seed}:{game}").shuffle(kinds)
        return tuple(kinds)

    def replay(self, game: int) -> str:
        """Return the command that replays game number `game`, with a transcript."""
        words = ["centerpiece simulate", self.rules.full_name]
        words += [f"--replay {self.seed}:{game}", f"--players {self.players}"]
        if self.size != self.rules.sets[0]:
            words.append(f"--set {self.size}")
        if self.kinds != tuple(KINDS):
            words.append(f"--kinds {','.join(self.kinds)}")
        if self.incidents:
            words.append(f"--incidents {self.incidents}")
        if self.docks:
            words.append("--docks")
        return " ".join([*words, "--transcript"])


class Counts(msgspec.Struct):
    """Counters, of one game or many."""

    rounds: int = 0
    turns: int = 0
    blocked: int = 0
    announced: int = 0
    caught: int = 0
    stolen: int = 0
    mispresses: int = 0
    gestures: int = 0
    """All gestures; a hold, a double tap or a chord is one."""
    moved: int = 0
    """Train markers lifted or put back where they have docks."""
    mishandled: int = 0
    """Moves of markers that went wrong first."""
    closing: int = 0
    """The gestures from “who went out?” to the next round."""
    compared: int = 0


class SimulatedResult(Counts, kw_only=True):
    """The result of one game."""

    game: int
    kinds: tuple[str, ...]
    incident_counts: dict[str, int] = {}
    """The number of incidents by name."""
    totals: list[int] = []
    winners: list[int] = []
    """Seats from 0."""
