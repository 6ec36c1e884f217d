"""Phrases that the voice says about events: by name, with the facts that fill their gaps.

Their wording is in the language files (`speech`). `speech.caller` has the phrases of shared events;
a game has those of its own (`Game.spoken`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from centerpiece.table.events import Event
from centerpiece.table.state import Table, chair_of

if TYPE_CHECKING:
    from centerpiece.table.game import Game

Topic = Literal[
    "round",
    "play",
    "last_tile",
    "hands",
    "standings",
    "changes",
    "time",
    "questions",
    "refusals",
    "people",
    "winner",
]
"""A subject that listeners can switch on or off."""


class Person(NamedTuple):
    """Somebody at the table; a voice that cannot say the name says the seat."""

    name: str
    seat: int


Fact = int | Person | tuple[Person, ...]


class SpokenLine(NamedTuple):
    """A phrase by its name in the language files, and the facts for its gaps."""

    phrase: str
    facts: Mapping[str, Fact] = {}
    short: bool = False
    """True for its first sentence only."""


class Call(NamedTuple):
    """An announcement in full and in short; `short` is empty where it is not worth one."""

    topic: Topic
    full: tuple[SpokenLine, ...]
    short: tuple[SpokenLine, ...] = ()


class Happened(NamedTuple):
    """The events of one command, and the table before and after them."""

    game: Game
    before: Table
    table: Table
    events: tuple[Event, ...]


Tell = Callable[[Happened, Any], Iterable[Call]]
"""A function from one of those events to what is said about it."""


def person(table: Table, seat: int) -> Person:
    return Person(table.name(seat), chair_of(seat))


def named(table: Table, phrase: str, seat: int) -> SpokenLine:
    """Return a phrase about one seat."""
    return SpokenLine(phrase, {"name": person(table, seat)})


def always(topic: Topic, *lines: SpokenLine) -> Call:
    """Return a call that is the same in full and in short."""
    return Call(topic, lines, lines)


def of_seat(topic: Topic, full: str, short: str | None = None) -> Tell:
    """Return a `Tell` for events of one seat, which says the phrase `full` about it.

    `short` is the phrase in short: the same if None, nothing if empty.
    """

    def tell(happened: Happened, event: Any) -> Iterator[Call]:
        brief = full if short is None else short
        lines = (named(happened.table, brief, event.seat),) if brief else ()
        yield Call(topic, (named(happened.table, full, event.seat),), lines)

    return tell


def in_words(topic: Topic, full: str, short: str | None = None) -> Tell:
    """Return a `Tell` that always says the phrase `full`, whatever the event.

    `short` is the phrase in short: the same if None, nothing if empty.
    """
    brief = full if short is None else short
    call = Call(topic, (SpokenLine(full),), (SpokenLine(brief),) if brief else ())
    return lambda happened, event: (call,)
