"""Chickenfoot: the foot that must be completed, and its lights."""

import pytest

from centerpiece.games.chickenfoot.game import OpenFoot, PlayToe
from centerpiece.games.chickenfoot.rules import PROFILES
from centerpiece.table import commands as c
from tests.evenings import LiveLedger, opened, order, refusal, scored, seat_of, seen
from tests.games.lit import lit

THREE = ("Ann", "Bob", "Cara")


def complete(ledger: LiveLedger, toes: int) -> None:
    """Play so many toes."""
    order(ledger, *[PlayToe()] * toes)


@pytest.mark.parametrize("rules", PROFILES, ids=lambda rules: rules.name)
def test_every_profile_begins_with_six_toes_and_goes_on_with_three(rules: object) -> None:
    ledger = opened(f"chickenfoot/{rules.name}", THREE)  # type: ignore[attr-defined]
    first = seen(ledger)["toes"]
    complete(ledger, 6)
    order(ledger, OpenFoot())

    assert {"needed": 6, "played": 0} == first
    assert {"needed": 3, "played": 0} == seen(ledger)["toes"]


def test_the_ring_shows_the_toes_that_are_still_needed() -> None:
    """So it goes dark as the foot grows."""
    ledger = opened("chickenfoot/classic", THREE)
    shown = [lit(ledger)]
    for _ in range(6):
        order(ledger, PlayToe())
        shown.append(lit(ledger))

    assert [6, 5, 4, 3, 2, 1, 0] == shown


def test_a_second_foot_completes_the_first() -> None:
    """The only double that fits on a foot is the one it grows from: a toe was not pressed."""
    ledger = opened("chickenfoot/classic", THREE)
    complete(ledger, 4)
    order(ledger, OpenFoot())

    assert {"needed": 3, "played": 0} == seen(ledger)["toes"]


def test_a_toe_without_a_foot_is_refused_kindly() -> None:
    """The refusal says what to do instead."""
    ledger = opened("chickenfoot/classic", THREE)
    complete(ledger, 6)

    assert "No foot is open. A double opens one." == str(refusal(ledger, PlayToe()))


def test_a_round_may_end_with_a_foot_that_is_not_complete() -> None:
    """The next round begins with a foot of its own."""
    ledger = opened("chickenfoot/classic", THREE)
    scored(ledger, 1, s2=5, s3=7)
    ended = seen(ledger)["toes"]
    order(ledger, c.NextRound())

    assert ended is None
    assert {"needed": 6, "played": 0} == seen(ledger)["toes"]
    assert 8 == seen(ledger)["engine"]


def test_a_change_of_the_toes_counts_from_the_next_round_on() -> None:
    ledger = opened("chickenfoot/classic", THREE)
    order(ledger, c.ChangeRule("later_toes", 4))
    complete(ledger, 6)
    order(ledger, OpenFoot())
    this_round = seen(ledger)["toes"]
    scored(ledger, 1, s2=5, s3=7)
    order(ledger, c.NextRound())
    complete(ledger, 6)
    order(ledger, OpenFoot())

    assert {"needed": 3, "played": 0} == this_round
    assert {"needed": 4, "played": 0} == seen(ledger)["toes"]


@pytest.mark.parametrize(("profile", "worth"), [("family", 25), ("classic", 50), ("online", 0)])
def test_the_double_blank_counts_by_the_profile(profile: str, worth: int) -> None:
    """25, 50 or nothing, on top of the pips."""
    ledger = opened(f"chickenfoot/{profile}", THREE)
    order(ledger, c.GoOut(1), c.EnterScore(2, 12, double_blank=True))

    assert [12 + worth] == seat_of(ledger, 2)["scores"]


def test_a_family_catches_who_forgets_and_makes_them_draw() -> None:
    """A player who announced is safe."""
    ledger = opened("chickenfoot/family", THREE)
    order(ledger, c.CallLastTile(1), c.Catch(2))

    assert [{"round": 1, "seat": 2, "kind": "draw", "points": 0}] == seen(ledger)["penalties"]
    assert "asks" == refusal(ledger, c.Catch(1)).code


@pytest.mark.parametrize(
    ("players", "undrawn", "words"),
    [(2, 2, "2 tiles stay"), (3, 1, "1 tile stays"), (6, 1, "1 tile stays")],
)
def test_online_some_tiles_stay_undrawn(players: int, undrawn: int, words: str) -> None:
    """Two with two players, one with more; the notice of a new round says so."""
    ledger = opened("chickenfoot/online", "ABCDEF"[:players])

    assert undrawn == seen(ledger)["undrawn"]
    assert seen(ledger)["notice"].endswith(f" {words} in the boneyard.")
