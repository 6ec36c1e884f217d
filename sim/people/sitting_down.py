"""Before the first round: choosing the game and taking the seats, by the buttons alone."""

from collections.abc import Callable, Iterator
from typing import Any

from centerpiece.rules.rules import Rules
from sim.hands import HandGesture, double, hold, tap

MOST_CHOICES = 30


class Unreachable(Exception):
    """The lobby does not offer this choice."""


def sit_down(
    rules: Rules, size: int, players: int, state: Callable[[], dict[str, Any]]
) -> Iterator[HandGesture]:
    """Yield gestures for game, profile, set and seats; the `state` is read between them.

    Unreachable if the lobby does not offer a choice. Seats that are taken too much are freed.
    """
    yield from _choose("game", rules.game, tap("train"), state)
    yield from _choose("rules", rules.name, hold("train"), state)
    yield from _choose("set", size, double("train"), state)
    taken = {seat["seat"] for seat in state()["seats"]}
    for seat in sorted(taken ^ set(range(1, players + 1))):
        yield tap(f"seat-{seat}")


def _choose(
    what: str, choice: str | int, gesture: HandGesture, state: Callable[[], dict[str, Any]]
) -> Iterator[HandGesture]:
    """Yield the gesture until the state has the choice; Unreachable after MOST_CHOICES of them."""
    for _ in range(MOST_CHOICES):
        if state()[what] == choice:
            return
        yield gesture
    raise Unreachable(f"{what}: {choice!r} cannot be reached by {gesture}")
