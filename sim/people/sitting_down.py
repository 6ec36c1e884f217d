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
    """Yield the gestures that choose game, profile, set and seats, from 1 to `players`.

    `state` returns the public state, and is read between them. Seats taken by others are freed.
    Unreachable is raised if the lobby does not offer a choice.
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
    """Yield the gesture until the public state has the choice under the name `what`.

    Unreachable is raised after `MOST_CHOICES` gestures.
    """
    for _ in range(MOST_CHOICES):
        if state()[what] == choice:
            return
        yield gesture
    raise Unreachable(f"{what}: {choice!r} cannot be reached by {gesture}")
