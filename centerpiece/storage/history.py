"""Past evenings, as queries over the journal: which games, who played, how it went.

The journal is folded once. `History` goes on from where it stopped and gives the same `PastGame`
again until something happens to that game, so whatever was worked out from one (its score sheet,
what each person did in it) is kept with it. All statistics are sums over the games.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from centerpiece.storage.clock_jumps import CLOCK_JUMPS, FIRST_DAY, JUMP
from centerpiece.storage.journal import DOES_NOT_FOLLOW, Damage, Journal
from centerpiece.storage.settings import Settings
from centerpiece.table.events import Retracted, Undone
from centerpiece.table.game import Game
from centerpiece.table.game_set import GameSet
from centerpiece.table.scoring import Sheet, Standing, rounds_won, sheet, standings, won
from centerpiece.table.state import Round, Seat, Table
from centerpiece.table.undo import Ledger, Recorded
from centerpiece.text import Sentence


class PlayerResult(NamedTuple):
    """What one person did in one game."""

    name: str
    scores: tuple[int, ...]
    """The points of the rounds that this person played, if they count."""
    won: bool


class PastGame:
    """One game, played or still being played. Never changed. Times are wall clock."""

    def __init__(
        self,
        number: int,
        game: Game,
        table: Table,
        ended_at: float,
        doubtful: bool = False,
        called: Iterable[tuple[int, int]] = (),
        hurt: bool = False,
    ) -> None:
        self.number = number
        """The number that `centerpiece export` takes; the first game is 1."""
        self.game = game
        self.table = table
        self.started_at = table.started_at or 0.0
        self.ended_at = ended_at
        """When the last thing happened to it."""
        self.doubtful = doubtful
        """Whether the hub's clock was wrong, or set, while it was played."""
        self.whistles = Counter(seat for _, seat in called)
        """In how many rounds each seat has announced its last tile."""
        self.hurt = hurt
        """Whether something of it is lost, so that what is told may be wrong."""

    @property
    def rules(self) -> str:
        """Game and rules, such as `mexican-train/classic`."""
        return self.table.rules.full_name

    @property
    def finished(self) -> bool:
        """Whether it was played to its end."""
        return self.table.phase == "finished"

    @property
    def rounds(self) -> tuple[Round, ...]:
        """The rounds that have been played."""
        return tuple(played for played in self.table.rounds if played.ended)

    @cached_property
    def sheet(self) -> Sheet:
        """What was scored in each round, and which rounds count."""
        return sheet(self.game, self.table)

    @cached_property
    def lines(self) -> Sequence[Standing]:
        """The score sheet, seat by seat."""
        return standings(self.game, self.table)

    @cached_property
    def winners(self) -> tuple[str, ...]:
        """Who has won; nobody while the game goes on."""
        if not self.finished:
            return ()
        return tuple(self.table.name(n) for n in won(self.game, self.table))

    @property
    def players(self) -> tuple[str, ...]:
        """Everybody who took part, in table order; substitutes after those they stood in for."""
        return tuple(name for seat in self.table.seats for name in everyone_at(seat))

    def who(self, seat: int | None, number: int) -> str:
        """Who sat there in that round; nobody has no name."""
        found = None if seat is None else self.table.seat(seat)
        return found.held_by(number) if found else ""

    @cached_property
    def won(self) -> dict[int, int]:
        """How many rounds each seat has won."""
        return rounds_won(self.game, self.table)

    @cached_property
    def results(self) -> tuple[PlayerResult, ...]:
        """What everybody did, seat by seat; substitutes have the rounds they played."""
        return tuple(
            self._result(line, name) for line in self.lines for name in everyone_at(line.seat)
        )

    def _result(self, line: Standing, name: str) -> PlayerResult:
        seat = line.seat
        scores = tuple(
            points
            for number, (points, counts) in enumerate(
                zip(line.scores, self.sheet.counts, strict=True), start=1
            )
            if points is not None and counts and seat.plays(number) and seat.held_by(number) == name
        )
        return PlayerResult(name, scores, name == seat.name and name in self.winners)


def everyone_at(seat: Seat) -> tuple[str, ...]:
    """All who have sat there, the first one first and nobody twice."""
    return tuple(dict.fromkeys((*(stint.name for stint in seat.earlier), seat.name)))


class History:
    """The games of a journal, folded once; reading again costs only what was added since."""

    def __init__(self, journal: Journal, game_set: GameSet) -> None:
        self._journal = journal
        self._game_set = game_set
        self._ledger = Ledger.blank(game_set)
        self._seq = 0
        self._found: dict[float, tuple[Table, float]] = {}
        self._kept: dict[float, PastGame] = {}
        """What was handed out, until something happens to the game."""
        self._doubtful: set[float] = set()
        self._called: dict[float, set[tuple[int, int]]] = {}
        self._hurt: set[float] = set()
        self._gap = False
        """Whether something was lost since the last game ended: then the next one is hurt."""
        self.damage: list[tuple[float, Damage]] = []
        """What is lost, each with the time of the last thing that is known before it."""
        self._last_at = 0.0

    def games(self) -> list[PastGame]:
        """All games in which a round was finished, the earliest first; deleted ones are left out,
        and the others keep their numbers. A game that has not changed is the same object."""
        for found in self._journal.look(after=self._seq):
            self._seq = found.seq
            if isinstance(found, Damage):
                self._lose(found)
                continue
            try:
                self._take(found)
            except DOES_NOT_FOLLOW:
                where = {"seq": found.seq}
                how = Sentence("event {seq} does not fit the events before it", where)
                self._lose(Damage(found.seq, how))
        played = [start for start, (table, _) in self._found.items() if _has_a_round(table)]
        doubtful = self._doubtful.union(Settings.of(self._journal)[CLOCK_JUMPS].games)
        deleted = frozenset(self._ledger.table.deleted)
        return [
            self._game(number, start, start in doubtful)
            for number, start in enumerate(played, start=1)
            if start not in deleted
        ]

    def _game(self, number: int, start: float, doubtful: bool) -> PastGame:
        kept = self._kept.get(start)
        if kept is None or (kept.number, kept.doubtful) != (number, doubtful):
            table, at = self._found[start]
            game = self._game_set.game_of(table)
            hurt, called = start in self._hurt, self._called[start]
            kept = PastGame(number, game, table, at, doubtful, called, hurt)
            self._kept[start] = kept
        return kept

    def _lose(self, damage: Damage) -> None:
        """The game that is on is hurt, or the next one; what follows is told as well as can be."""
        self.damage.append((self._last_at, damage))
        started = self._ledger.table.started_at
        if started is None:
            self._gap = True
        else:
            self._hurt.add(started)
            self._kept.pop(started, None)

    def _take(self, recorded: Recorded) -> None:
        """A game is known by the moment it was started; one whose start is undone never was."""
        before = self._ledger.table.started_at
        self._ledger = self._ledger.apply(recorded)
        table = self._ledger.table
        taken_back = isinstance(recorded.event, Undone | Retracted)
        if taken_back and before is not None and table.started_at != before:
            self._found.pop(before, None)
        backwards = recorded.at < self._last_at - JUMP
        if backwards:
            self._doubtful.update(game for game, (_, at) in self._found.items() if at > recorded.at)
        self._last_at = recorded.at
        if table.started_at is not None:
            self._found[table.started_at] = (table, recorded.at)
            self._kept.pop(table.started_at, None)
            called = self._called.setdefault(table.started_at, set())
            if taken_back:
                called.difference_update([each for each in called if each[0] >= table.number])
            called.update((table.number, seat) for seat in table.calls)
            if self._gap:
                self._hurt.add(table.started_at)
                self._gap = False
            if recorded.at < FIRST_DAY or backwards:
                self._doubtful.add(table.started_at)


def games(journal: Journal, game_set: GameSet) -> list[PastGame]:
    """All games of a journal, the earliest first."""
    return History(journal, game_set).games()


def _has_a_round(table: Table) -> bool:
    return any(played.told for played in table.rounds)


class Record:
    """What somebody has done in one game, over all evenings."""

    def __init__(self, name: str, game: Game) -> None:
        self.name = name
        self.game = game
        self.games = 0
        self.wins = 0
        self.scores: list[int] = []
        """The points of every round, in the order they were played."""
        self._higher_is_better = False

    @property
    def rounds(self) -> int:
        """How many rounds were scored."""
        return len(self.scores)

    @property
    def average(self) -> float | None:
        """Points a round, or None before the first."""
        return sum(self.scores) / len(self.scores) if self.scores else None

    @property
    def best(self) -> int | None:
        """The best round: the one with the fewest points, or with the most where those win."""
        return self._extreme(self._higher_is_better)

    @property
    def worst(self) -> int | None:
        """The worst round."""
        return self._extreme(not self._higher_is_better)

    def _extreme(self, highest: bool) -> int | None:
        if not self.scores:
            return None
        return max(self.scores) if highest else min(self.scores)

    def add(self, game: PastGame, result: PlayerResult) -> None:
        """Count what this person did in a game."""
        self.games += 1
        self._higher_is_better = game.table.rules.wins == "highest"
        self.scores += result.scores
        self.wins += result.won


def statistics(games: Iterable[PastGame]) -> list[Record]:
    """Everybody's record in each game, those with the most wins first."""
    records: dict[tuple[str, str], Record] = {}
    for game in games:
        for result in game.results:
            key = (game.game.name, result.name.casefold())
            record = records.setdefault(key, Record(result.name, game.game))
            record.add(game, result)
    return sorted(
        records.values(), key=lambda r: (r.game.name, -r.wins, -r.games, r.name.casefold())
    )
