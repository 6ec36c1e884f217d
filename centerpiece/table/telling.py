"""What a voice tells of an event: phrases by their names, and what fills their gaps.

Which words those are is the languages' business (`speech`). The shared events are told by
`speech.caller`; a game says what is told of its own (`Game.told`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from centerpiece.table.events import Event
from centerpiece.table.state import Table

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
"""What people may want to hear of, or not."""


class Person(NamedTuple):
    """Somebody at the table: a voice that does not know the name can tell the seat."""

    name: str
    seat: int


Fact = int | Person | tuple[Person, ...]


class SpokenLine(NamedTuple):
    """A phrase, by its name in the languages' files, and what fills its gaps."""

    phrase: str
    facts: Mapping[str, Fact] = {}
    short: bool = False
    """Only its first sentence."""


class Call(NamedTuple):
    """What there is to say of one thing, in full and in short; nothing where it is not worth it."""

    topic: Topic
    full: tuple[SpokenLine, ...]
    short: tuple[SpokenLine, ...] = ()


class Happened(NamedTuple):
    """The events of one order, and the table before and after them."""

    game: Game
    before: Table
    table: Table
    events: tuple[Event, ...]


Tell = Callable[[Happened, Any], Iterable[Call]]
"""What is told of one of the events that happened."""


def person(table: Table, seat: int) -> Person:
    return Person(table.name(seat), seat)


def named(table: Table, phrase: str, seat: int) -> SpokenLine:
    """A phrase about one seat."""
    return SpokenLine(phrase, {"name": person(table, seat)})


def always(topic: Topic, *lines: SpokenLine) -> Call:
    """The same in full and in short."""
    return Call(topic, lines, lines)


def of_seat(topic: Topic, full: str, short: str | None = None) -> Tell:
    """Something that happened to one seat; the same in short, unless another phrase is given."""

    def tell(happened: Happened, event: Any) -> Iterator[Call]:
        brief = full if short is None else short
        lines = (named(happened.table, brief, event.seat),) if brief else ()
        yield Call(topic, (named(happened.table, full, event.seat),), lines)

    return tell


def in_words(topic: Topic, full: str, short: str | None = None) -> Tell:
    """Something that is always told in the same words."""
    brief = full if short is None else short
    call = Call(topic, (SpokenLine(full),), (SpokenLine(brief),) if brief else ())
    return lambda happened, event: (call,)
