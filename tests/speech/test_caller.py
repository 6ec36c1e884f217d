"""The caller: lines for an evening, in the chosen lengths."""

from functools import reduce
from operator import or_

import msgspec
import pytest

from centerpiece.games.registry import GAMES
from centerpiece.speech import caller
from centerpiece.speech.languages import language
from centerpiece.speech.topics import Topics
from centerpiece.table import commands as c
from centerpiece.table.commands import Command
from centerpiece.table.telling import Happened
from centerpiece.table.undo import Ledger

SHORT = Topics(**dict.fromkeys(Topics.__struct_fields__, "short"))
FULL = Topics(**dict.fromkeys(Topics.__struct_fields__, "full"))
OFF = Topics(**dict.fromkeys(Topics.__struct_fields__, "off"))


class Evening:
    """A table, and the caller's lines for each command."""

    def __init__(self, **table: object) -> None:
        self.ledger = Ledger.blank(GAMES)
        self.first = self.do(c.OpenTable(starter=1, **table))  # type: ignore[arg-type]

    def do(self, command: Command, topics: Topics = FULL) -> str:
        before = self.ledger.table
        recorded = self.ledger.record(self.ledger.decide(command, 0.0), 0.0)
        for each in recorded:
            self.ledger = self.ledger.apply(each)
        table = self.ledger.table
        events = tuple(each.event for each in recorded)
        message = caller.of_events(Happened(GAMES.game_of(table), before, table, events), topics)
        return "" if message is None else message.say(language("en")).words


@pytest.fixture
def trains() -> Evening:
    return Evening(rules="mexican-train/classic", set=12, players=("Ann", "Bob", "Cara", "Dan"))


def counted(evening: Evening, *scores: int, topics: Topics = FULL) -> list[str]:
    """End the round: seat 1 goes out, and the other hands are counted."""
    said = [evening.do(c.GoOut(1), topics)]
    return said + [evening.do(c.EnterScore(n, pips), topics) for n, pips in enumerate(scores, 2)]


def test_a_round_is_announced(trains: Evening) -> None:
    """The round, its engine, the number of tiles to draw, the starter."""
    expected = "Round one. The starting double is twelve. Eighteen tiles each. Ann starts."

    assert expected == trains.first


def test_hands_are_read_back_and_the_standings_follow(trains: Evening) -> None:
    """Each hand as it is counted; after the last, the standings. The totals of the first round are
    the hands that were just heard, so only the leader is named.
    """
    first = counted(trains, 47, 12, 30)
    trains.do(c.NextRound())
    second = counted(trains, 5, 6, 7)

    assert "Ann went out!" in first[0]
    assert "Forty-seven for Bob." == first[1]
    assert "Thirty for Dan. Ann leads." == first[3]
    assert (
        "Seven for Dan. Ann still leads, with zero. "
        "Cara follows with eighteen. Dan, thirty-seven. Bob, fifty-two." == second[3]
    )


def test_in_short_only_what_matters_is_said(trains: Evening) -> None:
    """A topic that is off is silent."""
    said = counted(trains, 47, 12, 30, topics=SHORT)

    assert "Thirty for Dan. Ann leads." == said[3]
    assert "" == trains.do(c.NextRound(), OFF)


def test_a_changed_score_is_told_from_a_new_one(trains: Evening) -> None:
    """The line names its round and the earlier score."""
    counted(trains, 47, 12, 30)

    assert "Forty-eight for Bob in round one, not forty-seven." == trains.do(
        c.CorrectScore(2, 48, round=1)
    )
    assert "Forty-nine for Bob now." == trains.do(c.CorrectScore(2, 49, round=1), SHORT)
    assert "Undone." == trains.do(c.Undo())


def test_points_won_in_play_are_called() -> None:
    """In Muggins, as they are tapped; points that another player overlooked have their own line."""
    evening = Evening(rules="muggins/classic", players=("Ann", "Bob"))
    award = msgspec.convert({"type": "award", "seat": 1, "points": 10}, reduce(or_, GAMES.commands))

    assert "Ten for Ann." == evening.do(award, SHORT)
    assert "" == evening.do(award, OFF)


def test_a_message_names_the_seats_it_concerns(trains: Evening) -> None:
    """A phone can then say only what concerns its own seat."""
    before = trains.ledger.table
    events = tuple(trains.ledger.decide(c.CallLastTile(3), 0.0))
    message = caller.of_events(Happened(GAMES.game_of(before), before, before, events), FULL)

    assert message is not None
    assert (3,) == message.seats
