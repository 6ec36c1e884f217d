"""Past games and statistics from a journal."""

from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import given

from centerpiece.games.registry import GAMES
from centerpiece.reports.score_sheet import listing
from centerpiece.storage.history import History, PastGame, games, statistics
from centerpiece.storage.journal import Journal
from centerpiece.table import commands as c
from centerpiece.table.commands import Command
from centerpiece.text import Refused
from tests.evenings import AT, LiveLedger
from tests.strategies import evenings

CLASSIC = "mexican-train/classic"
FOUR = ("Ann", "Bob", "Cara", "Dan")


class Evening:
    """A ledger and the journal written with it; a minute passes with each command."""

    def __init__(self) -> None:
        self.journal = Journal(":memory:", GAMES)
        self.ledger = LiveLedger()
        self.at = AT

    def do(self, *commands: Command) -> None:
        for command in commands:
            self.at += 60
            recorded = self.ledger.record(self.ledger.decide(command, self.at), self.at)
            self.journal.append(recorded)
            for each in recorded:
                self.ledger.apply(each)

    def round(self, out: int, *pips: int) -> None:
        """End a round with the points left in the other hands, in seat order."""
        self.do(c.GoOut(out))
        others = [seat.number for seat in self.ledger.table.players() if seat.number != out]
        self.do(*(c.EnterScore(n, p) for n, p in zip(others, pips, strict=True)))


@pytest.fixture
def evening() -> Iterator[Evening]:
    evening = Evening()
    yield evening
    evening.journal.close()


def played(evening: Evening) -> None:
    """Play two games: one of two rounds that Ann wins, one of one round that Bob wins."""
    evening.do(c.OpenTable(CLASSIC, FOUR, 12))
    evening.round(1, 20, 30, 40)
    evening.do(c.NextRound())
    evening.round(2, 5, 30, 40)
    evening.do(c.FinishGame(), c.Rematch(rematch=True))
    evening.round(2, 10, 30, 40)
    evening.do(c.FinishGame())


def test_games_are_listed_with_their_facts(evening: Evening) -> None:
    played(evening)

    first, second = games(evening.journal, GAMES)

    assert (1, CLASSIC, FOUR, 2, True, ("Ann",)) == (
        first.number,
        first.rules,
        first.players,
        len(first.rounds),
        first.finished,
        first.winners,
    )
    assert AT + 60 == first.started_at
    assert first.started_at < first.ended_at < second.started_at
    assert (2, 1, ("Bob",)) == (second.number, len(second.rounds), second.winners)


def test_a_journal_without_games_has_no_history(evening: Evening) -> None:
    """A lobby is no game, nor is a game without a finished round."""
    assert [] == games(evening.journal, GAMES)
    evening.do(c.OpenTable(CLASSIC, FOUR, 12))
    assert [] == games(evening.journal, GAMES)


def test_a_game_in_play_is_listed_without_winners(evening: Evening) -> None:
    evening.do(c.OpenTable(CLASSIC, FOUR, 12))
    evening.round(1, 20, 30, 40)

    (game,) = games(evening.journal, GAMES)

    assert (False, ()) == (game.finished, game.winners)


def test_a_game_whose_start_was_undone_is_not_listed(evening: Evening) -> None:
    """One that was started again is one game."""
    evening.do(c.OpenTable(CLASSIC, FOUR, 12), c.FinishGame(), c.Undo(), c.Undo())
    evening.do(c.OpenTable(CLASSIC, FOUR, 12))
    evening.round(1, 20, 30, 40)
    evening.do(c.FinishGame(), c.Rematch(rematch=True))
    evening.round(2, 10, 30, 40)
    evening.do(*[c.Undo()] * 5)

    (game,) = games(evening.journal, GAMES)

    assert ("Ann",) == game.winners
    evening.do(*[c.Redo()] * 5)
    assert 2 == len(games(evening.journal, GAMES))


def test_a_correction_of_the_last_game_is_in_its_record(evening: Evening) -> None:
    """The same holds if it comes after the end."""
    evening.do(c.OpenTable(CLASSIC, FOUR, 12))
    evening.round(1, 20, 30, 40)
    evening.do(c.FinishGame(), c.CorrectScore(2, 25, round=1), c.OpenLobby())

    (game,) = games(evening.journal, GAMES)

    assert 25 == game.lines[1].total


def test_reading_again_finds_what_was_added_since(evening: Evening) -> None:
    """The result is the same as that of a new `History`."""
    history = History(evening.journal, GAMES)
    assert [] == history.games()
    played(evening)

    again = history.games()

    fresh = games(evening.journal, GAMES)
    assert [g.table for g in fresh] == [g.table for g in again]
    assert [g.ended_at for g in fresh] == [g.ended_at for g in again]


def test_a_past_game_is_the_same_object_until_something_happens_to_it(
    evening: Evening,
) -> None:
    """An event, undo, correction or deletion replaces the game it is about, and no other."""
    played(evening)
    history = History(evening.journal, GAMES)
    first, second = history.games()
    lines = first.lines

    def changed(*commands: Command) -> list[int]:
        before = history.games()
        evening.do(*commands)
        return [game.number for game in history.games() if game not in before]

    assert [] == changed()
    assert [2] == changed(c.CorrectScore(3, 7, round=1))
    assert [2] == changed(c.Undo())
    assert [] == changed(c.OpenLobby(), c.Start())
    evening.do(c.GoOut(1))
    assert [3] == changed(c.EnterScore(2, 5))
    assert [3] == changed(c.DeleteGame(second.started_at))
    assert [1, 3] == [game.number for game in history.games()]
    assert (first, lines) == (history.games()[0], history.games()[0].lines)


@given(evenings, evenings)
def test_reading_on_gives_the_same_as_reading_from_the_start(
    before: list[Command], after: list[Command]
) -> None:
    """Wherever reading stopped: the same games and the same records."""
    evening = Evening()
    history = History(evening.journal, GAMES)
    for commands in (before, after):
        for command in commands:
            with suppress(Refused):
                evening.do(command)
        found, fresh = history.games(), games(evening.journal, GAMES)
        assert [_told(game) for game in fresh] == [_told(game) for game in found]
        assert [vars(r) for r in statistics(fresh)] == [vars(r) for r in statistics(found)]
    evening.journal.close()


def _told(game: PastGame) -> tuple[object, ...]:
    seen = game.called, game.caught, game.damaged, game.doubtful
    return (game.number, game.table, game.ended_at, *seen)


def test_statistics_count_games_wins_and_rounds(evening: Evening) -> None:
    """The records with the most wins come first."""
    played(evening)

    records = statistics(games(evening.journal, GAMES))

    assert ["Ann", "Bob", "Cara", "Dan"] == [record.name for record in records]
    ann, bob, *_ = records
    assert (2, 1, 3, 0, 10, 5.0) == (
        ann.games,
        ann.wins,
        ann.rounds,
        ann.best,
        ann.worst,
        ann.average,
    )
    assert (2, 1, 3, 0, 20) == (bob.games, bob.wins, bob.rounds, bob.best, bob.worst)


def test_a_round_is_credited_to_who_played_it(evening: Evening) -> None:
    """A substitute has the later rounds; somebody absent has none."""
    evening.do(c.OpenTable(CLASSIC, FOUR, 12))
    evening.round(1, 20, 30, 40)
    evening.do(c.NextRound(), c.Substitute(2, "Zoe"), c.Park(4), c.Join("Eve"))
    evening.round(1, 7, 50)
    evening.do(c.NextRound())
    evening.round(1, 1, 2, 3)
    evening.do(c.FinishGame())

    found = {r.name: (r.games, r.scores) for r in statistics(games(evening.journal, GAMES))}

    assert {
        "Ann": (1, [0, 0, 0]),
        "Bob": (1, [20]),
        "Zoe": (1, [7, 1]),
        "Cara": (1, [30, 50, 2]),
        "Dan": (1, [40]),
        "Eve": (1, [3]),
    } == found


def test_somebody_without_a_scored_round_has_no_average(evening: Evening) -> None:
    evening.do(c.OpenTable(CLASSIC, FOUR, 12), c.GoOut(1), c.FinishGame())

    bob = statistics(games(evening.journal, GAMES))[-3]

    assert (None, None, None) == (bob.average, bob.best, bob.worst)


def test_damage_hurts_one_evening_and_no_other(evening: Evening) -> None:
    """Only that game is marked; everything that can be read is listed."""
    played(evening)
    whole = games(evening.journal, GAMES)
    (last,) = evening.journal.database.execute(
        "SELECT max(seq) FROM events WHERE CAST(body AS TEXT) LIKE '%score-entered%' AND at < ?",
        (whole[1].started_at,),
    ).fetchone()
    evening.journal.database.execute("UPDATE events SET body = X'FF' WHERE seq = ?", (last,))

    history = History(evening.journal, GAMES)
    first, second = history.games()

    assert (True, False) == (first.damaged, second.damaged)
    assert whole[1].lines == second.lines
    assert [last] == [damage.seq for _, damage in history.damage]
    assert "Part of this game was lost" in listing([first, second])


def test_a_game_whose_start_is_lost_does_not_hide_the_next(evening: Evening) -> None:
    """Events that no longer follow are skipped and counted."""
    played(evening)
    whole = games(evening.journal, GAMES)
    evening.journal.database.execute(
        "UPDATE events SET body = X'FF' WHERE CAST(body AS TEXT) LIKE '%game-started%' AND at < ?",
        (whole[1].started_at,),
    )

    history = History(evening.journal, GAMES)
    found = history.games()

    assert whole[1].lines == found[-1].lines
    assert history.damage


def test_a_deleted_game_counts_no_more_until_that_is_undone(evening: Evening) -> None:
    """It is neither listed nor in any record; the other games keep their numbers."""
    played(evening)
    history = History(evening.journal, GAMES)
    before = [(r.name, r.games, r.wins) for r in statistics(history.games())]
    first, second = history.games()

    evening.do(c.DeleteGame(first.started_at))
    left = history.games()
    assert [(2, second.started_at)] == [(game.number, game.started_at) for game in left]
    assert {1} == {record.games for record in statistics(left)}
    with pytest.raises(Refused, match="already been deleted"):
        evening.do(c.DeleteGame(first.started_at))

    evening.do(c.Undo())
    assert before == [(r.name, r.games, r.wins) for r in statistics(history.games())]
    evening.do(c.Redo(), c.OpenLobby(), c.Start())
    assert [2] == [game.number for game in history.games()]
    started_at = evening.ledger.table.started_at
    assert started_at is not None
    with pytest.raises(Refused, match="still being played"):
        evening.do(c.DeleteGame(started_at))


def test_a_deleted_game_is_not_in_the_best_rounds(evening: Evening) -> None:
    """Only games that count have a best round."""
    evening.do(c.OpenTable("castle-rock/classic", ("Ann",), 6), c.Block(), c.NextRound())
    game = GAMES.game_of(evening.ledger.table)
    first, best = evening.ledger.table.started_at, game.share(evening.ledger.table)["best"]
    assert best is not None
    assert first is not None

    evening.do(c.DeleteGame(first))
    assert game.share(evening.ledger.table)["best"] is None
    evening.do(c.Undo())
    assert best == game.share(evening.ledger.table)["best"]


def test_people_of_past_games_are_renamed_merged_and_told_apart(evening: Evening) -> None:
    """Everything that is computed from past games follows, and undo takes it back."""
    played(evening)
    first, second = games(evening.journal, GAMES)
    written = first.players
    history = History(evening.journal, GAMES)

    def names() -> list[tuple[str, ...]]:
        return [game.players for game in history.games()]

    evening.do(c.NamePerson("bob", "Robert"))
    assert [("Ann", "Robert", "Cara", "Dan")] * 2 == names()
    assert ("Robert",) == history.games()[1].winners
    evening.do(c.NamePerson("Robert", "Bob of the mill", second.started_at))
    assert ("Ann", "Bob of the mill", "Cara", "Dan") == names()[1]
    assert {1} == {r.games for r in statistics(history.games()) if "ob" in r.name}
    evening.do(c.Undo())
    assert ("Ann", "Robert", "Cara", "Dan") == names()[1]
    evening.do(c.OpenLobby(), c.NamePerson("Bob", "Bob"))
    assert [written] * 2 == names()
    assert names() == [game.players for game in games(evening.journal, GAMES)]
    evening.do(c.NamePerson("Dan", "Cara"))
    cara = [r for r in statistics(history.games()) if r.name == "Cara"]
    assert [(2, 3)] == [(r.games, r.rounds) for r in cara]  # they have played together
