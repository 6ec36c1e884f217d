"""Past games and statistics from the journal.

The journal is read once; `History` continues where it stopped. It returns the same `PastGame` until
something happens to that game, so values cached on it, such as its score sheet, last as long. All
statistics are sums over the games.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from msgspec.structs import replace

from centerpiece.storage.clock_jumps import CLOCK_JUMPS, FIRST_DAY, JUMP
from centerpiece.storage.journal import DOES_NOT_FOLLOW, Damage, Journal
from centerpiece.storage.settings import Settings
from centerpiece.table.events import Retracted, ScoreEntered, Undone
from centerpiece.table.game import Game
from centerpiece.table.game_set import GameSet
from centerpiece.table.scoring import Sheet, Standing, rounds_won, sheet, standings, won
from centerpiece.table.state import PersonName, Round, Seat, Table
from centerpiece.table.undo import Ledger, Recorded
from centerpiece.text import Sentence

Value = TypeVar("Value")
Seen = frozenset[tuple[int, int]]
"""Rounds and seats."""


class PlayerResult(NamedTuple):
    """One person's result in one game."""

    name: str
    seat: Seat
    place: int | None
    """The seat's place; None for somebody who did not play to the end."""
    won: bool
    rounds: tuple[int, ...]
    """The numbers of the counted rounds that this person played."""
    scores: tuple[int, ...]
    """The points of those rounds."""


class PastGame:
    """One game, finished or not; immutable. Times are wall clock."""

    def __init__(
        self,
        number: int,
        game: Game,
        table: Table,
        ended_at: float,
        doubtful: bool = False,
        called: Seen = frozenset(),
        caught: Seen = frozenset(),
        damaged: bool = False,
    ) -> None:
        self.number = number
        """The number that `centerpiece export` takes; the first game is 1."""
        self.game = game
        self.table = table
        self.started_at = table.started_at or 0.0
        self.ended_at = ended_at
        """The time of its last event."""
        self.doubtful = doubtful
        """True if the hub's clock was wrong or was set during the game."""
        self.called = called
        """The rounds and seats in which a last tile was announced."""
        self.caught = caught
        """The rounds and seats that were caught with an unannounced one."""
        self.damaged = damaged
        """True if events of it are lost, so that its result may be wrong."""

    def clear_cache(self) -> None:
        """Drop what was computed from the table; it is computed again when somebody asks."""
        for name in ("sheet", "lines", "winners", "won", "results"):
            self.__dict__.pop(name, None)
        self.table.clear_cache()

    @property
    def rules(self) -> str:
        """The full name of its rules, such as `mexican-train/classic`."""
        return self.table.rules.full_name

    @property
    def finished(self) -> bool:
        return self.table.phase == "finished"

    @property
    def rounds(self) -> tuple[Round, ...]:
        """The rounds that have been played."""
        return tuple(played for played in self.table.rounds if played.ended)

    @property
    def whistles(self) -> Counter[int]:
        """The number of rounds in which each seat announced its last tile."""
        return Counter(seat for _, seat in self.called)

    @cached_property
    def sheet(self) -> Sheet:
        """The scores of each round, and which rounds count."""
        return sheet(self.game, self.table)

    @cached_property
    def lines(self) -> Sequence[Standing]:
        """The standings, seat by seat."""
        return standings(self.game, self.table)

    @cached_property
    def winners(self) -> tuple[str, ...]:
        """The names of the winners; empty while the game goes on."""
        if not self.finished:
            return ()
        return tuple(self.table.name(n) for n in won(self.game, self.table))

    @property
    def players(self) -> tuple[str, ...]:
        """The names of all players in table order, substitutes after those they replaced."""
        return tuple(name for seat in self.table.seats for name in everyone_at(seat))

    def who(self, seat: int | None, number: int) -> str:
        """Return the name at a seat in a round; empty if nobody sat there."""
        sat = None if seat is None else self.table.seat(seat)
        return sat.held_by(number) if sat else ""

    @cached_property
    def won(self) -> dict[int, int]:
        """The number of rounds won, by seat."""
        return rounds_won(self.game, self.table)

    @cached_property
    def results(self) -> tuple[PlayerResult, ...]:
        """The results of all players, seat by seat; substitutes have the rounds they played."""
        return tuple(
            self._result(line, name) for line in self.lines for name in everyone_at(line.seat)
        )

    def _result(self, line: Standing, name: str) -> PlayerResult:
        """Return the result of the person `name`, who held the seat of `line` for at least a time.

        Only rounds that count and that this person played are in it. Somebody who left the seat to
        another person during the game has no place and has not won.
        """
        seat = line.seat
        played = {
            number: points
            for number, (points, counts) in enumerate(
                zip(line.scores, self.sheet.counts, strict=True), start=1
            )
            if points is not None and counts and seat.plays(number) and seat.held_by(number) == name
        }
        stayed = name == seat.name
        place, won = line.place if stayed else None, stayed and name in self.winners
        return PlayerResult(name, seat, place, won, tuple(played), tuple(played.values()))


def everyone_at(seat: Seat) -> tuple[str, ...]:
    """Return the names of all who sat at a seat, in order and without repeats."""
    return tuple(dict.fromkeys((*(stint.name for stint in seat.earlier), seat.name)))


def named(seats: tuple[Seat, ...], start: float, people: Iterable[PersonName]) -> tuple[Seat, ...]:
    """Return the seats of a game with the names that its people have now.

    A change of name counts if it is for every game or for the game that began at `start`. It is
    skipped if somebody else at that table has that name: who played together are two people.
    """
    given = [each for each in people if each.started_at in (None, start)]
    if not given:
        return seats
    now = {name.casefold(): name for seat in seats for name in everyone_at(seat)}
    for each in given:
        was, wanted = each.name.casefold(), each.now.casefold()
        shown = {written: name.casefold() for written, name in now.items()}
        if was == wanted or wanted not in shown.values():
            now.update((written, each.now) for written in shown if shown[written] == was)
    return tuple(
        replace(
            seat,
            name=now[seat.name.casefold()],
            earlier=tuple(replace(s, name=now[s.name.casefold()]) for s in seat.earlier),
        )
        for seat in seats
    )


class History:
    """Reads the games of a journal; reading again costs only what was added since."""

    def __init__(self, journal: Journal, game_set: GameSet) -> None:
        self._journal = journal
        self._game_set = game_set
        self._ledger = Ledger.blank(game_set)
        self._seq = 0
        self._tables: dict[float, tuple[Table, float]] = {}
        """The last table and time of each game, by the game's start."""
        self._games: dict[float, PastGame] = {}
        """The games returned by `games`, until something happens to them."""
        self._doubtful: set[float] = set()
        self._called: dict[float, Seen] = {}
        self._caught: dict[float, Seen] = {}
        self._same: dict[Any, Any] = {}
        """Small values that recur in every game, such as a hand of 12 pips; kept once."""
        self._damaged: set[float] = set()
        self._gap = False
        """True if events were lost since the last game ended; then the next one is damaged."""
        self.damage: list[tuple[float, Damage]] = []
        """The lost events, each with the time of the last intact event before it."""
        self._last_at = 0.0

    def games(self) -> list[PastGame]:
        """Read the events added since the last call; return all games with a finished round.

        The earliest is first, and games still on are among them. Deleted games are left out, and
        the others keep their numbers. An unchanged game is the same object as before; lost events
        go to `damage`.
        """
        for each in self._journal.scan(after=self._seq):
            self._seq = each.seq
            if isinstance(each, Damage):
                self._lose(each)
                continue
            try:
                self._take(each)
            except DOES_NOT_FOLLOW:
                where = {"seq": each.seq}
                how = Sentence("event {seq} does not fit the events before it", where)
                self._lose(Damage(each.seq, how))
        played = [start for start, (table, _) in self._tables.items() if _has_a_round(table)]
        doubtful = self._doubtful.union(Settings.of(self._journal)[CLOCK_JUMPS].games)
        deleted = frozenset(self._ledger.table.deleted)
        people = self._ledger.table.people
        return [
            self._game(number, start, start in doubtful, people)
            for number, start in enumerate(played, start=1)
            if start not in deleted
        ]

    def _game(
        self, number: int, start: float, doubtful: bool, people: tuple[PersonName, ...]
    ) -> PastGame:
        """Return the game that began at `start`, with the names that its people have now.

        It is the object returned before, unless its number, doubt or names have changed or an event
        was added to it. `people` are all changes of names.
        """
        table, at = self._tables[start]
        seats = named(table.seats, start, people)
        cached = self._games.get(start)
        facts = None if cached is None else (cached.number, cached.doubtful, cached.table.seats)
        if cached is None or facts != (number, doubtful, seats):
            if seats is not table.seats:
                table = replace(table, seats=seats)
            game = self._game_set.game_of(table)
            seen = self._called[start], self._caught[start], start in self._damaged
            cached = PastGame(number, game, table, at, doubtful, *seen)
            self._games[start] = cached
        return cached

    def _lose(self, damage: Damage) -> None:
        """Note a lost event in `damage`; mark the running game, or else the next, as damaged."""
        self.damage.append((self._last_at, damage))
        started = self._ledger.table.started_at
        if started is None:
            self._gap = True
        else:
            self._damaged.add(started)
            self._games.pop(started, None)

    def _take(self, recorded: Recorded) -> None:
        """Apply an event to the table, and note the table and time under the start of its game.

        A game whose start is undone is dropped. If the event's time is before that of the last
        event, its game is doubtful, and so are all that ended after the event's time. A game from
        before `FIRST_DAY` is doubtful too.
        """
        before, event = self._ledger.table.started_at, recorded.event
        if isinstance(event, ScoreEntered):
            recorded = replace(recorded, event=replace(event, entry=self._one(event.entry)))
        self._ledger = self._ledger.apply(recorded)
        table = self._ledger.table
        taken_back = isinstance(event, Undone | Retracted)
        if taken_back and before is not None and table.started_at != before:
            self._tables.pop(before, None)
        backwards = recorded.at < self._last_at - JUMP
        if backwards:
            self._doubtful.update(
                game for game, (_, at) in self._tables.items() if at > recorded.at
            )
        self._last_at = recorded.at
        if table.started_at is not None:
            self._tables[table.started_at] = (table, recorded.at)
            self._games.pop(table.started_at, None)
            for seen, seats in ((self._called, table.calls), (self._caught, table.caught)):
                found = seen.get(table.started_at, frozenset())
                if taken_back:
                    found = frozenset(each for each in found if each[0] < table.number)
                seen[table.started_at] = found.union(
                    self._one((table.number, seat)) for seat in seats
                )
            if self._gap:
                self._damaged.add(table.started_at)
                self._gap = False
            if recorded.at < FIRST_DAY or backwards:
                self._doubtful.add(table.started_at)

    def _one(self, value: Value) -> Value:
        same: Value = self._same.setdefault(value, value)
        return same


def games(journal: Journal, game_set: GameSet) -> list[PastGame]:
    return History(journal, game_set).games()


def _has_a_round(table: Table) -> bool:
    return any(played.end_known for played in table.rounds)


class Record:
    """One person's totals in one kind of game."""

    def __init__(self, name: str, game: Game) -> None:
        self.name = name
        self.game = game
        self.games = 0
        self.wins = 0
        self.scores: list[int] = []
        """The points of all counted rounds, in order of play."""
        self._higher_is_better = False

    @property
    def rounds(self) -> int:
        return len(self.scores)

    @property
    def average(self) -> float | None:
        """Points per round; None before the first."""
        return sum(self.scores) / len(self.scores) if self.scores else None

    @property
    def best(self) -> int | None:
        """The points of the best round: the fewest, or the most where the highest score wins."""
        return self._extreme(self._higher_is_better)

    @property
    def worst(self) -> int | None:
        return self._extreme(not self._higher_is_better)

    def _extreme(self, highest: bool) -> int | None:
        if not self.scores:
            return None
        return max(self.scores) if highest else min(self.scores)

    def add(self, game: PastGame, result: PlayerResult) -> None:
        """Add this person's `result` in `game` to the totals."""
        self.games += 1
        self._higher_is_better = game.table.rules.wins == "highest"
        self.scores += result.scores
        self.wins += result.won


def statistics(games: Iterable[PastGame]) -> list[Record]:
    """Return a record for each person and kind of game, by game, those with the most wins first.

    A name is one person, whatever its capitals. Games that are not finished count too.
    """
    records: dict[tuple[str, str], Record] = {}
    for game in games:
        for result in game.results:
            key = (game.game.name, result.name.casefold())
            record = records.setdefault(key, Record(result.name, game.game))
            record.add(game, result)
    return sorted(
        records.values(), key=lambda r: (r.game.name, -r.wins, -r.games, r.name.casefold())
    )
