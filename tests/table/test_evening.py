"""Changes of seats during an evening: new places, substitutes, seats parked for a while."""

from contextlib import suppress
from itertools import cycle

from hypothesis import given
from hypothesis import strategies as st

from centerpiece.table import commands as c
from centerpiece.table.commands import Command
from centerpiece.text import Refused
from tests.evenings import LiveLedger, opened, order, refusal, row, scored, seat_of, seen


def after_one_round(**changes: object) -> LiveLedger:
    """Return a table in round 2: Ann went out, Bob has 20, Cara 40, Dan 10."""
    ledger = opened(**changes)
    scored(ledger, 1, s2=20, s3=40, s4=10)
    order(ledger, c.NextRound())
    return ledger


def test_a_substitute_takes_the_points_and_the_record_keeps_both() -> None:
    """The record knows the player of each round."""
    ledger = after_one_round()

    order(ledger, c.Substitute(2, "Zoe"))

    assert ("Zoe", 20) == (seat_of(ledger, 2)["name"], seat_of(ledger, 2)["total"])
    seat = ledger.table.seat(2)
    assert seat is not None
    assert ["Bob", "Zoe", "Zoe"] == [seat.held_by(number) for number in (1, 2, 3)]


def test_who_was_stood_in_for_can_come_back() -> None:
    """Three stints on one seat, of two people."""
    ledger = after_one_round()
    order(ledger, c.Substitute(2, "Zoe"))
    scored(ledger, 1, s2=5, s3=5, s4=5)

    order(ledger, c.Substitute(2, "Bob"), c.NextRound())

    seat = ledger.table.seat(2)
    assert seat is not None
    assert ["Bob", "Zoe", "Bob"] == [seat.held_by(number) for number in (1, 2, 3)]


def test_a_substitute_needs_a_name_of_their_own_and_a_game() -> None:
    """Two players of one name could not be told apart on the sheet."""
    ledger = after_one_round()

    assert "already at the table" in str(refusal(ledger, c.Substitute(2, "ann")))
    assert "Nobody sits" in str(refusal(ledger, c.Substitute(9, "Zoe")))
    assert "Before it" in str(refusal(LiveLedger(), c.Substitute(1, "Zoe")))
    assert [] == ledger.decide(c.Substitute(2, "Bob"), 0.0)


def test_a_parked_seat_scores_the_highest_of_each_round_it_misses() -> None:
    """Like a late arrival, so nobody wins by staying away."""
    ledger = after_one_round()
    order(ledger, c.Park(4))
    scored(ledger, 1, s2=15, s3=25)

    assert [10, 25] == seat_of(ledger, 4)["scores"]
    assert 35 == seat_of(ledger, 4)["total"]
    assert [1, 2, 3, None] == row(ledger, "place")


def test_a_parked_seat_scores_by_the_setting_late_score() -> None:
    """The alternatives are the average, or nothing."""
    for late_score, expected in (("average", 13), ("zero", 0)):
        ledger = after_one_round(late_score=late_score)
        order(ledger, c.Park(4))
        scored(ledger, 1, s2=15, s3=25)

        assert [10, expected] == seat_of(ledger, 4)["scores"]


def test_a_missed_round_counts_nothing_until_all_its_scores_are_in() -> None:
    """Only then the highest is known."""
    ledger = after_one_round()
    order(ledger, c.Park(4))
    scored(ledger, 1, s2=15)

    assert [10, None] == seat_of(ledger, 4)["scores"]


def test_a_parked_seat_is_taken_up_again_with_the_next_round() -> None:
    """Not during a round, which has been dealt already."""
    ledger = after_one_round()
    order(ledger, c.Park(4), c.Return(4))

    assert not seat_of(ledger, 4)["plays"]
    assert "does not play" in str(refusal(ledger, c.GoOut(4)))
    scored(ledger, 1, s2=15, s3=25)
    order(ledger, c.NextRound())
    assert seat_of(ledger, 4)["plays"]
    assert seat_of(ledger, 4)["place"] is not None


def test_parked_while_scoring_the_score_of_that_round_still_counts() -> None:
    """After coming back before the next round, none was missed."""
    ledger = after_one_round()
    scored(ledger, 1, s2=15, s3=25, s4=35)

    order(ledger, c.Park(4), c.Return(4), c.NextRound())

    assert [10, 35] == seat_of(ledger, 4)["scores"]
    assert seat_of(ledger, 4)["plays"]
    assert () == ledger.table.seats[3].away


COMINGS_AND_GOINGS = st.one_of(
    st.builds(c.Leave, st.integers(1, 6)),
    st.builds(c.Park, st.integers(1, 6)),
    st.builds(c.Return, st.integers(1, 6)),
    st.builds(c.Arrive, st.integers(1, 6), new=st.booleans()),
    st.builds(c.Arrive, st.integers(1, 6), st.sampled_from(["Zed", "Yan", "Bob", "Cara"])),
    st.builds(c.Join, st.sampled_from(["Zed", "Yan", "Bob", "Cara"])),
)


@given(
    st.lists(st.tuples(COMINGS_AND_GOINGS, st.booleans()), min_size=3, max_size=12),
    st.permutations(range(1, 51)),
)
def test_nobodys_points_change_because_somebody_else_comes_or_goes(
    happens: list[tuple[Command, bool]], pips: list[int]
) -> None:
    """Each line is somebody's for good, by name: what they played, and what they began with."""

    def lines(but: str = "") -> dict[str, list[int | None]]:
        known = {seat["name"]: seat["scores"] for seat in seen(ledger)["seats"]}
        return {name: scores for name, scores in known.items() if name != but}

    def play() -> None:
        out, *others = [seat.number for seat in ledger.table.players()]
        order(ledger, c.GoOut(out))
        for number in others:
            order(ledger, c.EnterScore(number, next(left), confirm=True))

    left = cycle(pips)
    ledger = opened("mexican-train/rally", starter=1)
    play()
    for command, then in happens:
        before = lines()
        with suppress(Refused):
            for recorded in order(ledger, command):
                name = ledger.table.name(recorded.event.seat)
                assert {n: s for n, s in before.items() if n != name} == lines(but=name)
        before = lines()
        if then and ledger.table.number < 9:
            order(ledger, c.NextRound())
            if ledger.table.asks_who_starts():
                order(ledger, c.DesignateStarter(ledger.table.players()[0].number))
            play()
            now = lines()
            assert all(now[name][: len(scores)] == scores for name, scores in before.items())


def test_nobody_is_parked_who_is_needed() -> None:
    """Two players have to stay."""
    ledger = opened("mexican-train/family", ("Ann", "Bob"), 12)

    assert "cannot go on without" in str(refusal(ledger, c.Park(1)))
    assert "not sitting out" in str(refusal(ledger, c.Return(1)))


def test_who_is_parked_can_leave_for_good() -> None:
    """Then the next lobby does not seat them."""
    ledger = after_one_round()
    order(ledger, c.Park(4), c.Leave(4))

    assert seat_of(ledger, 4)["left"]
    order(ledger, c.Return(4))
    assert not seat_of(ledger, 4)["left"], "a change of mind is welcome"
    order(ledger, c.Leave(4))


def test_who_is_away_at_the_end_is_not_seated_for_the_next_game() -> None:
    ledger = after_one_round()
    order(ledger, c.Park(4), c.FinishGame(), c.OpenLobby())

    assert ["Ann", "Bob", "Cara"] == row(ledger, "name")


def test_two_change_places_in_the_lobby() -> None:
    """Or one moves to a free place."""
    ledger = opened()
    order(ledger, c.FinishGame(), c.OpenLobby(), c.MoveSeat(1, 3), c.MoveSeat(2, 8))

    assert [(1, "Cara"), (3, "Ann"), (4, "Dan"), (8, "Bob")] == list(
        zip(row(ledger, "seat"), row(ledger, "name"), strict=True)
    )


def test_a_rematch_is_one_step_and_the_start_moves_on() -> None:
    """One undo takes it back."""
    ledger = after_one_round()
    order(ledger, c.FinishGame())
    before = ledger.table

    order(ledger, c.Rematch(rematch=True))

    assert ("playing", 1, 2) == (
        ledger.table.phase,
        ledger.table.number,
        seen(ledger)["starter"],
    )
    assert [0, 0, 0, 0] == row(ledger, "total")
    order(ledger, c.Undo())
    assert before == ledger.table


def test_a_rematch_waits_for_the_end_of_the_game() -> None:
    """So one press cannot lose a running game."""
    assert "not over" in str(refusal(after_one_round(), c.Rematch()))


@given(st.integers(0, 10**12))
def test_any_lot_falls_on_somebody_who_plays(lot: int) -> None:
    """In the lobby it starts the game; afterwards it can be drawn again."""
    ledger = opened()
    order(ledger, c.Park(2), c.DrawStarter(lot))

    assert seen(ledger)["starter"] == (1, 3, 4)[lot % 3]


def test_every_seat_can_be_drawn() -> None:
    """As many lots as seats reach every seat."""
    drawn = []
    for lot in range(4):
        ledger = opened()
        order(ledger, c.DrawStarter(lot))
        drawn.append(seen(ledger)["starter"])

    assert [1, 2, 3, 4] == drawn


def test_no_lot_is_drawn_while_scoring_or_for_nobody() -> None:
    ledger = opened()
    assert "Nobody was drawn" in str(refusal(ledger, c.DrawStarter()))
    order(ledger, c.Block())
    assert "once a round has begun" in str(refusal(ledger, c.DrawStarter(1)))
    assert "Nobody is seated" in str(refusal(LiveLedger(), c.DrawStarter(1)))
