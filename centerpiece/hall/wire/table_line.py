"""A table's line: everything that a hall needs to know about a table to add up a rally.

The table knows it and publishes it; the hall understands it without knowing any game. All times
are by the hall's clock. Its type says which version it is, and every value is bounded: what does
not fit in here cannot be true.
"""

import hashlib
from typing import Annotated, Literal

import msgspec

from centerpiece.rules.rules import Rules
from centerpiece.text import NOT_JSON

LONGEST_LINE = 100_000
"""Bytes of an encoded line."""
MOST_GAMES = 50
"""Games in one line: those since the hall was opened, the latest ones."""
LONGEST_TROUBLE = 500
CLOCKS_AGREE = 2.0
CLASH_LASTS = 60.0
"""Seconds after which a second hub that says nothing more is taken for gone."""

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
    """Basis of the place: points, or rounds won."""
    place: Count | None = None
    left: bool = False
    away: bool = False
    """Sits out for now."""

    @property
    def present(self) -> bool:
        """True for somebody who is at the table now."""
        return not self.left and not self.away


People = Annotated[tuple[SeatedPlayer, ...], msgspec.Meta(max_length=100)]


class UncountedRound(msgspec.Struct, frozen=True, gc=False):
    """A round with seats whose hands are still to be counted."""

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
        """True once the game is over and every hand is counted."""
        return self.finished and not self.missing

    def worth(self, total: int) -> int:
        """A total as a number of which the lower is the better."""
        return total if self.wins == "lowest" else -total


class TableLine(
    msgspec.Struct, frozen=True, omit_defaults=True, gc=False, tag_field="type", tag="line-1"
):
    """The state of a table, as it publishes it."""

    table: TableName
    journal: Short = ""
    """The name of the journal: what tells two hubs of one name apart."""
    seq: Annotated[int, msgspec.Meta(ge=0, le=2**53)] = 0
    """The last event that is in it. Of two lines of one journal, the lower is the older."""
    at: Moment = 0.0
    """When it was published."""
    phase: Literal["lobby", "playing", "scoring", "finished"] = "lobby"
    game: Short = ""
    rules: Short = ""
    card: Short = ""
    """A fingerprint of the rules; tables that play by the same have the same."""
    round: Count = 0
    rounds: Count | None = None
    engine: Count | None = None
    ends: Moment | None = None
    """When the table's own clock runs out."""
    lobby: People = ()
    """People who have sat down for the next game."""
    games: Annotated[tuple[GameResult, ...], msgspec.Meta(max_length=MOST_GAMES)] = ()
    """The earliest first; unless the table is in the lobby, the last one is on."""
    offset: Annotated[float, msgspec.Meta(ge=-1e11, le=1e11)] = 0.0
    """Seconds that were added to the hub's clock to get the hall's."""
    release: Short = ""
    trouble: Annotated[str, msgspec.Meta(max_length=LONGEST_TROUBLE)] = ""
    """An order that the table could not carry out, as a sentence."""

    @property
    def running(self) -> bool:
        """True while a game is on."""
        return self.phase in ("playing", "scoring")

    @property
    def seated(self) -> tuple[SeatedPlayer, ...]:
        """People at the table, those included who have left the game that is on."""
        return self.lobby if self.phase == "lobby" or not self.games else self.games[-1].players


_decode = msgspec.json.Decoder(TableLine).decode


def read_line(document: bytes) -> TableLine | None:
    """A line, or None for what is none of this version."""
    if len(document) > LONGEST_LINE:
        return None
    try:
        return _decode(document)
    except NOT_JSON:
        return None


def difference(offset: float) -> str:
    """Return how far a hub's clock is from the hall's, such as “12 s”; empty if they agree."""
    if abs(offset) < CLOCKS_AGREE:
        return ""
    minutes, seconds = divmod(round(abs(offset)), 60)
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


_FINGERPRINTS: dict[tuple[bytes, int], str] = {}
_MOST_FINGERPRINTS = 1000


def fingerprint(rules: Rules, size: int) -> str:
    """Return what tells rules apart: everything but their name, and how many rounds are played."""
    key = (msgspec.json.encode(rules), size)
    if key not in _FINGERPRINTS:
        if len(_FINGERPRINTS) > _MOST_FINGERPRINTS:
            _FINGERPRINTS.clear()
        document = msgspec.to_builtins(rules, str_keys=True)
        for setting in ("name", "base", "rounds"):
            document.pop(setting, None)
        text = msgspec.json.encode([document, size], order="sorted")
        _FINGERPRINTS[key] = hashlib.blake2b(text, digest_size=6).hexdigest()
    return _FINGERPRINTS[key]
