"""Doing something with each of several things, whatever goes wrong with one of them."""

import logging
from collections.abc import Callable, Iterable
from typing import TypeVar

log = logging.getLogger("centerpiece.hub")

Thing = TypeVar("Thing")


def every(do: Callable[[Thing], object], things: Iterable[Thing]) -> None:
    """All of them, one after the other; then the first mistake is raised, others are logged."""
    mistake: Exception | None = None
    for thing in things:
        try:
            do(thing)
        except Exception as error:
            if mistake is not None:
                log.exception("one mistake after another")
            mistake = mistake or error
    if mistake is not None:
        raise mistake
