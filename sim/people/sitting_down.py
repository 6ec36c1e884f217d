"""Before the first round: the game is chosen and the seats are taken, by the buttons alone."""

from collections.abc import Callable, Iterator
from typing import Any

from centerpiece.rules.rules import Rules
from sim.hands import HandGesture, double, hold, tap

MOST_CHOICES = 30


class Unreachable(Exception):
    """The lobby does not offer what was wanted."""


def sit_down(
    rules: Rules, size: int, players: int, state: Callable[[], dict[str, Any]]
) -> Iterator[HandGesture]:
    """Game, profile, set, then the seats; between two gestures somebody looks at the `state`."""
    yield from _choose("game", rules.game, tap("train"), state)
    yield from _choose("rules", rules.name, hold("train"), state)
    yield from _choose("set", size, double("train"), state)
    taken = {seat["seat"] for seat in state()["seats"]}
    for seat in sorted(taken ^ set(range(1, players + 1))):
        yield tap(f"seat-{seat}")


def _choose(
    what: str, wanted: str | int, gesture: HandGesture, state: Callable[[], dict[str, Any]]
) -> Iterator[HandGesture]:
    for _ in range(MOST_CHOICES):
        if state()[what] == wanted:
            return
        yield gesture
    raise Unreachable(f"{what}: {wanted!r} cannot be reached by {gesture}")
