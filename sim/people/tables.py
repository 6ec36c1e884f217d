"""A table of virtual people: what is played, by whom, from which seed, and what came of it."""

from collections.abc import Sequence
from random import Random

import msgspec

from centerpiece.rules.rules import Rules
from centerpiece.text import Problem
from sim.people.players import KINDS


class Disagreement(Problem):
    """Table and hub have different books; the message shows where, and how to see it again."""

    code = "disagreement"

    def __init__(self, where: str, found: Sequence[str], replay: str) -> None:
        super().__init__(
            "table and hub disagree. {where}:\n  {found}\nTo see it again:\n  {replay}",
            where=where,
            found="\n  ".join(found),
            replay=replay,
        )


class Tables(msgspec.Struct, frozen=True):
    """What is played, by whom, and from which seed."""

    rules: Rules
    size: int
    players: int
    kinds: tuple[str, ...] = tuple(KINDS)
    seed: int = 1
    incidents: float = 0.0
    """How often something befalls the table that is not play, from 0 to 1."""

    def kinds_in(self, game: int) -> tuple[str, ...]:
        """Who sits where: every kind comes to every seat, and next to every other."""
        kinds = [self.kinds[(seat + game) % len(self.kinds)] for seat in range(self.players)]
        Random(f"seats {self.seed}:{game}").shuffle(kinds)
        return tuple(kinds)

    def replay(self, game: int) -> str:
        """The command that plays one game again."""
        words = ["centerpiece simulate", self.rules.full_name]
        words += [f"--replay {self.seed}:{game}", f"--players {self.players}"]
        if self.size != self.rules.sets[0]:
            words.append(f"--set {self.size}")
        if self.kinds != tuple(KINDS):
            words.append(f"--kinds {','.join(self.kinds)}")
        if self.incidents:
            words.append(f"--incidents {self.incidents}")
        return " ".join([*words, "--transcript"])


class Counts(msgspec.Struct):
    """What is counted, in one game or in many."""

    rounds: int = 0
    turns: int = 0
    blocked: int = 0
    announced: int = 0
    caught: int = 0
    stolen: int = 0
    mispresses: int = 0
    gestures: int = 0
    """All presses; a hold, a double tap, a chord is one."""
    closing: int = 0
    """Those from “who went out?” to the next round."""
    compared: int = 0


class Result(Counts, kw_only=True):
    """What came of one game."""

    game: int
    kinds: tuple[str, ...]
    befell: dict[str, int] = {}
    """Incidents, by their name."""
    totals: list[int] = []
    winners: list[int] = []
    """Seats from 0."""
