"""A table's line: all that a hall needs to know about a table to add up a rally.

The hall reads it without knowing any game. All times are by the hall's clock. The tag is the
version; every value is bounded, since a table may write anything.
"""

import hashlib
from functools import lru_cache
from typing import Annotated, Literal

import msgspec

from centerpiece.rules.rules import Rules
from centerpiece.text import NOT_JSON

LONGEST_LINE_BYTES = 100_000
MOST_GAMES = 50
"""The latest games since the hall was opened."""
LONGEST_TROUBLE = 500
CLOCKS_AGREE = 2.0
SILENT_AFTER = 60.0
"""Seconds without a line after which a hub counts as off, or as having left its hall."""

Moment = Annotated[float, msgspec.Meta(ge=0, le=1e11)]
Count = Annotated[int, msgspec.Meta(ge=0, le=10_000)]
Points = Annotated[int, msgspec.Meta(ge=-1_000_000, le=1_000_000)]
Short = Annotated[str, msgspec.Meta(max_length=80)]
TableName = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9-]{0,31}$")]


class SeatedPlayer(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A person at a table, in one game."""

    seat: Count
    name: Short
    total: Points = 0
    """Points, or rounds won where those decide."""
    place: Count | None = None
    left: bool = False
    away: bool = False
    """Sitting out for now."""


People = Annotated[tuple[SeatedPlayer, ...], msgspec.Meta(max_length=100)]


class UncountedRound(msgspec.Struct, frozen=True, gc=False):
    """A round, and the seats whose hands are missing in it."""

    round: Count
    seats: Annotated[tuple[Count, ...], msgspec.Meta(max_length=100)]


class GameResult(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A game, over or in play."""

    started_at: Moment
    rules: Short
    wins: Literal["lowest", "highest", "rounds"]
    rounds: Count
    finished: bool
    players: People
    missing: Annotated[tuple[UncountedRound, ...], msgspec.Meta(max_length=1_000)] = ()

    @property
    def final(self) -> bool:
        """True when the game is over and every hand counted."""
        return self.finished and not self.missing

    def worth(self, total: int) -> int:
        """Return a total as a number of which the lower is better."""
        return total if self.wins == "lowest" else -total


class TableLine(
    msgspec.Struct, frozen=True, omit_defaults=True, gc=False, tag_field="type", tag="line-1"
):
    """The published state of a table."""

    table: TableName
    journal: Short = ""
    """Name of the journal; it tells two hubs of one name apart."""
    seq: Annotated[int, msgspec.Meta(ge=0, le=2**53)] = 0
    """Last event included; of two lines of one journal, the lower is older."""
    at: Moment = 0.0
    """Time of publishing."""
    phase: Literal["lobby", "playing", "scoring", "finished"] = "lobby"
    game: Short = ""
    rules: Short = ""
    card: Short = ""
    """Fingerprint of the rules."""
    round: Count = 0
    rounds: Count | None = None
    engine: Count | None = None
    ends: Moment | None = None
    """When the table's own clock runs out."""
    lobby: People = ()
    """People seated for the next game."""
    games: Annotated[tuple[GameResult, ...], msgspec.Meta(max_length=MOST_GAMES)] = ()
    """Earliest first; the last one is on unless the table is in the lobby."""
    offset: Annotated[float, msgspec.Meta(ge=-1e11, le=1e11)] = 0.0
    """Seconds from the hub's clock to the hall's."""
    release: Short = ""
    trouble: Annotated[str, msgspec.Meta(max_length=LONGEST_TROUBLE)] = ""
    """Sentence about an order that the table could not carry out."""

    @property
    def running(self) -> bool:
        return self.phase in ("playing", "scoring")

    @property
    def seated(self) -> tuple[SeatedPlayer, ...]:
        """People at the table, and those who have left the current game."""
        return self.lobby if self.phase == "lobby" or not self.games else self.games[-1].players


_decode = msgspec.json.Decoder(TableLine).decode


def read_line(document: bytes) -> TableLine | None:
    """Return the line in a document; None if it is too long or no line of this version."""
    if len(document) > LONGEST_LINE_BYTES:
        return None
    try:
        return _decode(document)
    except NOT_JSON:
        return None


def difference(offset: float) -> str:
    """Return how far a hub's clock is from the hall's, such as “12 s”; empty if they agree.

    `offset` is in seconds, of either sign; less than `CLOCKS_AGREE` is agreement.
    """
    if abs(offset) < CLOCKS_AGREE:
        return ""
    minutes, seconds = divmod(round(abs(offset)), 60)
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


def fingerprint(rules: Rules, size: int) -> str:
    """Return a digest of rules and set, without the rules' name and number of rounds."""
    return _digest(msgspec.json.encode(rules), size)


@lru_cache(1000)
def _digest(rules: bytes, size: int) -> str:
    settings = msgspec.json.decode(rules)
    for ignored in ("name", "base", "rounds"):
        settings.pop(ignored, None)
    text = msgspec.json.encode([settings, size], order="sorted")
    return hashlib.blake2b(text, digest_size=6).hexdigest()
