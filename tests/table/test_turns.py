"""Turns, where rules need them, and the time window for the last tile."""

from hypothesis import given
from hypothesis import strategies as st

from centerpiece.table import commands as c
from centerpiece.table.turns import following, left_of_turn, may_announce, may_be_caught
from centerpiece.text import Refused
from tests.evenings import AT, FOUR, opened, order, refusal, scored, seen

NAMES = ("Ann", "Bob", "Cara", "Dan", "Eve", "Finn", "Gus", "Hal")


def test_turns_are_told_only_where_a_rule_needs_them() -> None:
    """Elsewhere no press per turn is needed."""
    assert "turns are not tracked" in str(refusal(opened(), c.PassTurn()))


def test_the_turn_goes_round_from_the_starter() -> None:
    """Before the first turn is passed on, nothing is known."""
    ledger = opened(turn_limit_s=30, starter=3)
    turns = [seen(ledger)["turn"]]
    for _ in range(4):
        order(ledger, c.PassTurn())
        turns.append(seen(ledger)["turn"])

    assert [None, 4, 1, 2, 3] == turns


def test_a_lost_turn_is_passed_over_once() -> None:
    ledger = opened(turn_limit_s=30)
    order(ledger, c.Penalize(2, "skip"), c.PassTurn())

    assert 3 == seen(ledger)["turn"]
    assert not seen(ledger)["seats"][1]["skipped"]


def test_the_turn_goes_on_when_its_player_is_away() -> None:
    """The player is parked in the middle of the turn: it is the next one's, without a press."""
    ledger = opened(turn_limit_s=30)
    order(ledger, c.PassTurn(), c.Park(2))

    assert 3 == seen(ledger)["turn"]


def test_without_a_known_starter_only_the_time_is_kept() -> None:
    """The highest tile starts, and nobody has said who holds it."""
    ledger = opened("mexican-train/online", FOUR, starter=None, turn_limit_s=30)
    order(ledger, c.PassTurn(), at=AT + 100)

    assert seen(ledger)["turn"] is None
    assert 20 == left_of_turn(ledger.table, AT + 110)


def test_a_turn_has_a_time_only_while_a_round_is_played() -> None:
    """The clock begins with the first turn that is passed on, and stops for counting."""
    ledger = opened(turn_limit_s=30)
    assert left_of_turn(ledger.table, AT) is None
    order(ledger, c.PassTurn())
    assert 30 == left_of_turn(ledger.table, AT)
    order(ledger, c.Block())
    assert left_of_turn(ledger.table, AT) is None


@given(st.integers(2, 8), st.integers(0, 30), st.integers(1, 8))
def test_nobody_is_ever_too_late_and_not_to_be_caught(count: int, passes: int, seat: int) -> None:
    """A silent last tile can always be announced or caught; with three or more not both."""
    seat = min(seat, count)
    ledger = opened(
        "mexican-train/classic",
        NAMES[:count],
        12 if count >= 4 else 9,
        last_tile_deadline="next-player",
    )
    order(ledger, *[c.PassTurn()] * passes)

    announce, caught = may_announce(ledger.table, seat), may_be_caught(ledger.table, seat)

    assert announce or caught
    if count > 2 and passes:
        assert announce != caught


def test_the_window_lasts_until_the_next_player_has_finished() -> None:
    """Then it is closed until the player's own turn comes again."""
    ledger = opened(last_tile_deadline="next-player", starter=1)
    order(ledger, c.PassTurn())
    open_for_bob = []
    for _ in range(5):
        open_for_bob.append(may_announce(ledger.table, 2))
        order(ledger, c.PassTurn())

    assert [True, True, False, False, True] == open_for_bob


def test_the_order_of_call_and_catch_is_the_journals() -> None:
    """The earlier of the two decides if there is a penalty."""
    called = opened(penalty="points")
    order(called, c.CallLastTile(2))
    assert "asks" == refusal(called, c.Catch(2)).code

    caught = opened(penalty="points")
    order(caught, c.Catch(2))
    assert [50] == [penalty["points"] for penalty in seen(caught)["penalties"]]
    assert [] == order(caught, c.CallLastTile(2))


def test_nobody_is_caught_twice_with_the_same_tile() -> None:
    """Everybody knows of it; after drawing, the next one must be announced again."""
    ledger = opened(penalty="skip")
    order(ledger, c.Catch(2))
    assert "asks" == refusal(ledger, c.Catch(2)).code

    drawn = opened(penalty="draw")
    order(drawn, c.Catch(2), c.CallLastTile(2))
    assert seen(drawn)["seats"][1]["last_tile"]


def test_following_goes_the_way_that_is_played() -> None:
    """In the direction of play, past empty seats."""
    ledger = opened(players=("Ann", "Bob", "Cara", "Dan"))
    order(ledger, c.Park(2))

    assert [3, 3, 4, 1] == [following(ledger.table, number) for number in (1, 2, 3, 4)]


def test_the_highest_double_held_is_asked_for_from_the_top() -> None:
    """Until somebody has it, nothing else is played."""
    ledger = opened(engine_choice="highest-held")
    order(ledger, c.PassEngine())

    asks = seen(ledger)["asks"]
    assert ("double", [1, 2, 3, 4], 11) == (asks["what"], asks["seats"], asks["double"])
    assert seen(ledger)["question"]["remaining_s"] is None, "it stays open until it is answered"
    assert seen(ledger)["engine"] is None
    order(ledger, c.SetEngine(seat=3))
    assert (11, 3) == (seen(ledger)["engine"], seen(ledger)["starter"])
    assert "not asking for a double" in str(refusal(ledger, c.PassEngine()))


def test_the_double_is_named_only_where_the_hands_decide() -> None:
    """And only one that the set has."""
    assert "the starting double is fixed" in str(refusal(opened(), c.SetEngine(5)))
    ledger = opened(engine_choice="highest-held")
    assert "doubles 0 to 12" in str(refusal(ledger, c.SetEngine(13)))
    assert isinstance(refusal(ledger, c.SetEngine(5, 9)), Refused)


def test_a_double_that_is_asked_for_is_asked_for_whatever_is_agreed() -> None:
    """Rules changed while the hub asks hold from the next round on."""
    ledger = opened(engine_choice="highest-held")
    order(ledger, c.ChangeRule("engine_choice", "list"))
    question = seen(ledger)["asks"]
    order(ledger, c.SetEngine(9, 1))
    scored(ledger, 1, s2=5, s3=7, s4=1)
    order(ledger, c.NextRound())

    assert "double" == question["what"]
    assert (None, 11) == (seen(ledger)["asks"], seen(ledger)["engine"])
