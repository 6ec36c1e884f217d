"""The hub agrees with a table of tiles, where rounds are played and reported to it.

The tiles know nothing of the hub and the hub nothing of the tiles, so toes, turns, piles and points
are computed twice, independently.
"""

from random import Random

import pytest

from centerpiece.games.castle_rock.game import DrawTile, RemoveMiddle, RemoveThree
from centerpiece.games.chickenfoot.game import OpenFoot, PlayToe
from centerpiece.games.muggins.game import CallMuggins, GiveAward
from centerpiece.games.registry import GAMES
from centerpiece.games.super_15.game import (
    Reverse,
    SkipNext,
    TakeTurn,
    ToggleSpell,
)
from centerpiece.table import commands as c
from sim.dominoes import happenings as h
from sim.dominoes.castle_rock_tiles import CastleRockTiles, MiddleTaken, ThreeTaken, TileLaid
from sim.dominoes.chickenfoot_tiles import ChickenfootTiles, FootLaid, ToeLaid
from sim.dominoes.match import Match
from sim.dominoes.round import TileRound
from sim.dominoes.super_15_tiles import (
    DirectionReversed,
    SkipAssigned,
    SpellEnded,
    SpellStarted,
    Super15Tiles,
)
from sim.people.games import reporter_of
from sim.people.players import decisions, player
from tests.evenings import LiveLedger, opened, order, row, seen

NAMES = ("Ann", "Bob", "Cara", "Dan", "Eve")
SEEDS = range(2)
THE_END = (h.LastTilePlayed, h.Blocked, h.HandLeft)


def tell(ledger: LiveLedger, played: TileRound, happening: h.Happening) -> None:
    """Report to the hub what happened at the table. Seats there count from 0."""
    match happening:
        case FootLaid():
            order(ledger, OpenFoot())
        case ToeLaid():
            order(ledger, PlayToe())
        case h.Scored(seat, points):
            order(ledger, GiveAward(seat + 1, points))
        case h.Stolen(by=by, points=points):
            order(ledger, c.Undo(), CallMuggins(by + 1), GiveAward(by + 1, points))
        case h.Announced(seat):
            if not row(ledger, "last_tile")[seat]:
                order(ledger, c.CallLastTile(seat + 1))
        case h.Caught(seat):
            order(ledger, c.Catch(seat + 1, drawn=True))
        case h.HandRefilled(seat):
            if row(ledger, "last_tile")[seat]:
                order(ledger, c.TakeBackLastTile(seat + 1))
        case h.Played(seat) if isinstance(played, Super15Tiles):
            order(ledger, TakeTurn(seat + 1))
        case DirectionReversed():
            order(ledger, Reverse())
        case SkipAssigned():
            order(ledger, SkipNext())
        case SpellStarted() | SpellEnded():
            order(ledger, ToggleSpell())
        case TileLaid():
            order(ledger, DrawTile())
        case MiddleTaken():
            order(ledger, RemoveMiddle(1))
        case ThreeTaken():
            order(ledger, RemoveThree(1))
        case h.LastTilePlayed(seat, on_double):
            order(ledger, c.GoOut(seat + 1, on_double))
        case h.Blocked() if not isinstance(played, CastleRockTiles):
            order(ledger, c.Block())
        case h.HandLeft(seat, tiles, pips, double_blank) if tiles and not isinstance(
            played, CastleRockTiles
        ):
            held = tiles if isinstance(played, Super15Tiles) else None
            order(ledger, c.EnterScore(seat + 1, pips, double_blank, tiles=held, confirm=True))


def compare(ledger: LiveLedger, played: TileRound) -> None:
    """Compare what both know in the middle of a round."""
    page = seen(ledger)
    if isinstance(played, ChickenfootTiles):
        toes = page["toes"]
        assert played.missing == (toes["needed"] - toes["played"] if toes else 0)
    if isinstance(played, Super15Tiles):
        assert played.spell == page["spell"]
        assert played.clockwise == (page["direction"] == "clockwise")
        assert (None if played.caster is None else played.caster + 1) == page["caster"]
    if isinstance(played, CastleRockTiles) and played.row:
        assert (len(played.row), len(played.yard)) == (page["row"], page["pile"])


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("profile", "players"),
    [
        ("chickenfoot/family", 4),
        ("chickenfoot/classic", 3),
        ("chickenfoot/online", 2),
        ("chickenfoot/double-15", 5),
        ("muggins/classic", 2),
        ("muggins/classic", 3),
        ("muggins/classic", 4),
        ("super-15/double-15", 2),
        ("super-15/double-15", 5),
        ("castle-rock/classic", 1),
        ("castle-rock/double-15", 1),
    ],
)
def test_hub_and_tiles_agree_through_a_whole_game(profile: str, players: int, seed: int) -> None:
    """On every round's points, the totals, the winners and everything in between."""
    rules, rng = GAMES.profile(profile), Random(seed)
    match = Match(reporter_of(rules.game).round, rules, rules.sets[0], players, rng)
    people = [player("forgetful", rng) for _ in range(players)]
    told_turns = {"turns_told": True} if rules.game == "super-15" else {}
    ledger = opened(profile, NAMES[:players], **told_turns)
    while match.more():
        played = match.deal()
        for happened in decisions(played, people, rng):
            if any(isinstance(happening, h.Forgotten) for happening in happened):
                happened = [
                    happening for happening in happened if not isinstance(happening, h.Scored)
                ]
            # People report the last move before the end that it made.
            for happening in happened:
                if not isinstance(happening, THE_END):
                    tell(ledger, played, happening)
            if match.reached(played):
                break
            for happening in happened:
                if isinstance(happening, THE_END):
                    tell(ledger, played, happening)
            if not played.over:
                compare(ledger, played)
        match.count(played)
        if isinstance(played, CastleRockTiles) and seen(ledger)["phase"] == "playing":
            order(ledger, c.Block())
        order(ledger, c.NextRound())
        assert match.sheet.totals == row(ledger, "total")

    match.sheet.close()
    assert "finished" == seen(ledger)["phase"]
    assert [match.sheet.scores(seat) for seat in range(players)] == row(ledger, "scores")
    if isinstance(played, CastleRockTiles):
        assert ([1] if played.won else []) == seen(ledger)["winners"]
    else:
        assert [seat + 1 for seat in match.sheet.winners()] == seen(ledger)["winners"]
