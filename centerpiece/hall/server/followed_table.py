"""One table as the hall sees it: its ledger with a short memory, and the line on the page.

A hall of ten thousand tables cannot keep every step of every game. It keeps the last few, and
reads a table's journal again from the beginning in the rare case that an undo reaches further.
"""

import hashlib
import logging
from typing import Annotated

import msgspec
from msgspec.structs import replace

from centerpiece.hall.wire.entries import Entry, Events
from centerpiece.hall.wire.errors import Gap, HallError
from centerpiece.rules.rules import Rules
from centerpiece.table.events import Event, Redone, Retracted, Undone
from centerpiece.table.game_set import GameSet
from centerpiece.table.rounds import rounds_of
from centerpiece.table.scoring import standings
from centerpiece.table.state import Table
from centerpiece.table.undo import Ledger
from centerpiece.text import Sentence

log = logging.getLogger("centerpiece.hall")

KEPT = 3
"""Steps that can be taken back without reading the journal again."""
MOST_SEATED = 100
"""Seats in a game, those who left included."""
MOST_ROUNDS = 10_000


Moment = Annotated[float, msgspec.Meta(ge=0, le=1e11)]
Count = Annotated[int, msgspec.Meta(ge=0, le=MOST_ROUNDS)]
Points = Annotated[int, msgspec.Meta(ge=-1_000_000, le=1_000_000)]
Short = Annotated[str, msgspec.Meta(max_length=80)]


class Player(msgspec.Struct, frozen=True):
    """Somebody at a table, in one game."""

    seat: Count
    name: Short
    total: Points
    place: Count | None
    left: bool = False


class Result(msgspec.Struct, frozen=True):
    """A game, over or in play. `started_at` is by the hub's own clock, and tells games apart."""

    started_at: Moment
    rules: Short
    wins: Short
    rounds: Count
    finished: bool
    players: Annotated[tuple[Player, ...], msgspec.Meta(max_length=MOST_SEATED)]


class Line(msgspec.Struct, frozen=True):
    """What the hall knows about a table. What does not fit in here cannot be true."""

    table: Short
    seq: Annotated[int, msgspec.Meta(ge=0)] = 0
    at: Moment = 0.0
    phase: Short = "lobby"
    game: Short = ""
    rules: Short = ""
    card: Short = ""
    """A fingerprint of the rules; tables that play by the same have the same."""
    round: Count = 0
    rounds: Count | None = None
    engine: Count | None = None
    ends: Moment | None = None
    """When the table's own clock runs out, by the hub's clock."""
    seated: Annotated[tuple[Player, ...], msgspec.Meta(max_length=100)] = ()
    results: Annotated[tuple[Result, ...], msgspec.Meta(max_length=10_000)] = ()
    trouble: str = ""


read_line = msgspec.json.Decoder(Line).decode


class Followed:
    """A table that is being followed."""

    __slots__ = (
        "_at",
        "_card",
        "_cut",
        "_events",
        "_game_set",
        "_games",
        "_ledger",
        "_result",
        "archived",
        "journal",
        "news",
        "table",
        "trouble",
    )

    def __init__(self, table: str, game_set: GameSet, events: Events) -> None:
        self.table = table
        self._game_set = game_set
        self._events = events
        self._ledger = Ledger.blank(game_set)
        self._cut = False
        self._at = 0.0
        self._games: dict[float, Result] = {}
        self._result: tuple[Table, Result] | None = None
        self.journal = ""
        self.archived = 0
        """The last event that lies packed in the archive."""
        self.trouble = ""
        self.news = True
        """Whether the last event changed the line; most presses do not."""
        self._card: tuple[Rules, int, str] | None = None

    @property
    def seq(self) -> int:
        """The last event that was taken in."""
        return self._ledger.seq

    def take(self, seq: int, entry: Entry, *, keep_all: bool = False) -> bool:
        """Take an event in; False if it is known. Gap: the journal has to be read again."""
        if seq <= self.seq:
            return False
        if seq != self.seq + 1:
            raise Gap(
                "{table}: event {missing} is missing before event {seq}.",
                table=self.table,
                missing=self.seq + 1,
                seq=seq,
            )
        recorded = self._events.recorded(self.table, seq, entry)
        if self._cut and not self._remembers(recorded.event):
            raise Gap(
                "{table}: event {seq} reaches back further than the hall remembers.",
                table=self.table,
                seq=seq,
            )
        before, applied = self._ledger.table, self._ledger.apply(recorded)
        if len(applied.table.seats) > MOST_SEATED or len(applied.table.rounds) > MOST_ROUNDS:
            raise HallError(
                "Event {seq} of {table} is more than any table plays. "
                "Look at its hub; free the name to have it sent again.",
                seq=seq,
                table=self.table,
            )
        self._ledger = applied
        self.journal = entry.journal
        self._at = recorded.at
        after = self._ledger.table
        if before.phase == "finished" and after.started_at != before.started_at:
            self._games[before.started_at or 0.0] = self._result_of(before)
        if after.rules is not before.rules:
            after = replace(after, rules=_shared(after.rules))
            self._ledger = replace(self._ledger, table=after)
        self.news = not _same_scores(before, self._ledger.table)
        if not keep_all and len(self._ledger.past) > 2 * KEPT:
            self.forget()
        return True

    def mark(self, trouble: str) -> bool:
        """Say what is wrong with it; whether that is new."""
        new, self.trouble = trouble != self.trouble, trouble
        return new

    def packed(self, last: int) -> None:
        """Events up to this one lie in the archive now."""
        self.archived = max(self.archived, last)

    def forget(self) -> None:
        """Keep only the last few steps."""
        if len(self._ledger.past) > KEPT:
            self._ledger = self._ledger.shortened(KEPT)
            self._cut = True

    def line(self) -> Line:
        """What the page says about the table."""
        table = self._ledger.table
        limit = table.rules.time_limit_min
        running = table.phase in ("playing", "scoring")
        rounds = rounds_of(table)
        ends = (table.started_at or 0.0) + (limit or 0) * 60
        return Line(
            table=self.table,
            seq=self.seq,
            at=self._at,
            phase=table.phase,
            game=table.rules.game,
            rules=table.rules.name,
            card=self._fingerprint(table),
            round=table.number,
            rounds=None if rounds == float("inf") else int(rounds),
            engine=table.round.engine if table.round else None,
            ends=ends if running and limit is not None else None,
            seated=self._seated(table),
            results=self._results(table),
            trouble=self.trouble,
        )

    def judged(self) -> Line:
        """What the page says about the table, if it can be true: nobody else suffers for it."""
        try:
            line = self.line()
            read_line(msgspec.json.encode(line))
            return line
        except Exception as error:
            log.info("table=%s makes no sense: %s", self.table, error)
            wrong = Sentence(
                "What {table} has sent makes no sense. Look at its hub; "
                "free the name to have it sent again.",
                {"table": self.table},
            )
            return Line(self.table, self.seq, trouble=str(wrong))

    def _fingerprint(self, table: Table) -> str:
        card = self._card
        rules = table.coming
        if card is None or card[0] is not rules or card[1] != table.size:
            card = (rules, table.size, fingerprint(rules, table.size))
            self._card = card
        return card[2]

    def _remembers(self, event: Event) -> bool:
        match event:
            case Undone():
                return self._ledger.can_undo
            case Redone():
                return bool(self._ledger.future)
            case Retracted(step=step):
                return self._ledger.has_step(step)
        return True

    def _seated(self, table: Table) -> tuple[Player, ...]:
        if table.started_at is not None:
            return self._current(table).players
        return tuple(Player(seat.number, seat.name, 0, None) for seat in table.seats)

    def _results(self, table: Table) -> tuple[Result, ...]:
        games = dict(self._games)
        if table.started_at is not None:
            games[table.started_at] = self._current(table)
        return tuple(games[at] for at in sorted(games))

    def _current(self, table: Table) -> Result:
        """The game in play. Most presses change nothing in it, and then it is as it was."""
        if self._result is None or not _same_scores(self._result[0], table):
            self._result = (table, self._result_of(table))
        return self._result[1]

    def _result_of(self, table: Table) -> Result:
        lines = standings(self._game_set.game_of(table), table)
        return Result(
            started_at=table.started_at or 0.0,
            rules=table.rules.name,
            wins=table.rules.wins,
            rounds=sum(played.told for played in table.rounds),
            finished=table.phase == "finished",
            players=tuple(
                Player(
                    line.seat.number,
                    line.seat.name,
                    line.total,
                    line.place,
                    line.seat.until is not None,
                )
                for line in lines
            ),
        )


def _same_scores(one: Table, other: Table) -> bool:
    return (
        one.rounds is other.rounds
        and one.seats is other.seats
        and one.penalties is other.penalties
        and one.rules is other.rules
        and one.agreed is other.agreed
        and one.phase == other.phase
    )


_RULES: dict[bytes, Rules] = {}
_FINGERPRINTS: dict[tuple[bytes, int], str] = {}
_MOST_RULES = 1000


def _shared(rules: Rules) -> Rules:
    """The same object for equal rules: ten thousand tables play by one card."""
    if len(_RULES) > _MOST_RULES:
        _RULES.clear()
    return _RULES.setdefault(msgspec.json.encode(rules), rules)


def fingerprint(rules: Rules, size: int) -> str:
    """What tells rules apart: everything but their name, and how many rounds are played."""
    key = (msgspec.json.encode(rules), size)
    if key not in _FINGERPRINTS:
        if len(_FINGERPRINTS) > _MOST_RULES:
            _FINGERPRINTS.clear()
        document = msgspec.to_builtins(rules, str_keys=True)
        for setting in ("name", "base", "rounds"):
            document.pop(setting, None)
        text = msgspec.json.encode([document, size], order="sorted")
        _FINGERPRINTS[key] = hashlib.blake2b(text, digest_size=6).hexdigest()
    return _FINGERPRINTS[key]
