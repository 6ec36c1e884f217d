"""The dial on a whole hub: slow fingers, plus, and what becomes of digits that were typed."""

from collections.abc import Sequence

from hypothesis import example, given
from hypothesis import strategies as st

from centerpiece.games.muggins.game import AwardsCorrected, CorrectAwards
from centerpiece.panel.bindings import CHORD_HOLDS
from centerpiece.panel.dial import NOTHING, Dial, known
from centerpiece.table import commands as c
from centerpiece.table.commands import Command
from centerpiece.table.events import Event, ScoreEntered
from centerpiece.table.state import Entry
from hal.ports import BUTTONS, SEATS
from sim.hands import HandGesture, Hands, double, hold, tap

FOUR = ("Ann", "Bob", "Cara", "Dan")
SLOW = st.floats(0.05, 1.45)
"""The length of a press that is a digit, whatever the finger."""

digits = st.sampled_from([tap(f"seat-{seat}") for seat in SEATS])
buttons = st.sampled_from(BUTTONS)
gestures = st.one_of(
    digits,
    digits,
    st.builds(tap, buttons),
    st.builds(double, buttons),
    st.builds(hold, buttons, st.none() | SLOW),
    st.builds(hold, st.sampled_from([f"seat-{seat}" for seat in (1, 2, 3, 4)])),
    st.builds(hold, st.sampled_from([chord.replace("seat", "seat-2") for chord in CHORD_HOLDS])),
)
seats, rounds, numbers = st.integers(1, 4), st.integers(1, 2), st.integers(0, 12)
phones = st.one_of(
    st.builds(c.EnterScore, seats, numbers, confirm=st.just(True)),
    st.builds(c.CorrectScore, seat=seats, pips=numbers, round=rounds, confirm=st.just(True)),
    st.builds(CorrectAwards, seats, rounds, numbers.map(lambda number: 5 * number)),
    st.builds(c.Leave, seats),
    st.sampled_from([c.Undo(), c.Redo(), c.NextRound(True), c.FinishGame(), c.Block()]),
)


def counting(rules: str) -> Hands:
    """Return a hub that counts the second round; in the first, Dan's hand is missing."""
    hands = Hands(watched=False)
    hub = hands.hub
    hub.do(c.OpenTable(rules, FOUR, starter=1))
    for command in (c.GoOut(1), c.EnterScore(2, 20), c.EnterScore(3, 30), c.NextRound(True)):
        hub.do(command)
    hub.do(c.GoOut(2))
    return hands


@given(
    st.sampled_from(["mexican-train/rally", "chickenfoot/classic", "muggins/classic"]),
    st.lists(gestures | phones, max_size=25),
)
@example("mexican-train/rally", [tap("seat-9"), c.EnterScore(3, 12), tap("seat-2")])
@example("mexican-train/rally", [tap("seat-9"), hold("seat-4")])
@example("mexican-train/rally", [tap("seat-9"), hold("train")])
@example("mexican-train/rally", [tap("seat-9"), c.FinishGame(), hold("seat-1"), tap("seat-5")])
def test_what_is_typed_is_never_dropped_in_silence(
    rules: str, moves: list[HandGesture | Command]
) -> None:
    """It stays, or is taken, or `undo` takes it back, or the hub says that it is gone."""
    hands = counting(rules)
    hub, events = hands.hub, list[Event]()
    hub.on_recorded(lambda recorded: events.extend(each.event for each in recorded))
    for move in moves:
        before, table = hub.ui.dial, hub.ledger.table
        was = before.hand and known(hub.game_set.game_of(table), table, before.hand)
        hands.heard.clear()
        events.clear()
        if isinstance(move, HandGesture):
            hands.do(move)
        else:
            hub.order(move)
        if before.typed == NOTHING or getattr(move, "button", "") == "undo":
            continue
        after = hub.ui.dial
        kept = before.typed == after.typed or before.typed in after.earlier
        assert kept or _taken(before, was, events) or "refused" in hands.heard
    hands.stop()


def _taken(dial: Dial, was: Entry | int | None, events: Sequence[Event]) -> bool:
    """Return True if what was typed is entered, or was known before."""
    assert dial.hand is not None
    number = dial.typed.number or 0
    entered = [was.pips if isinstance(was, Entry) else was]
    for event in events:
        if isinstance(event, ScoreEntered) and event.seat == dial.hand.seat:
            entered.append(event.entry.pips)
        elif isinstance(event, AwardsCorrected) and event.seat == dial.hand.seat:
            entered.append(event.points)
    return number in entered


@given(st.lists(st.lists(st.tuples(st.integers(0, 9), SLOW), min_size=1, max_size=2), min_size=1))
def test_any_press_shorter_than_a_second_and_a_half_is_a_digit(
    tiles: list[list[tuple[int, float]]],
) -> None:
    """On dark chairs too; `whistle` adds the tiles up, without its sound."""
    hands = counting("mexican-train/classic")
    hand = hands.hub.ui.dial.hand
    assert hand is not None
    hands.heard.clear()
    for place, tile in enumerate(tiles):
        if place:
            hands.do(tap("whistle"))
        for digit, seconds in tile:
            hands.do(hold(f"seat-{digit or 10}", seconds))
    total = sum(int("".join(str(digit) for digit, _ in tile)) for tile in tiles)

    assert total == hands.hub.ui.dial.typed.number
    assert [] == hands.heard
    hands.do(tap("advance"))
    if "refused" in hands.heard:  # more than a hand can have: asked about
        hands.do(tap("advance"))
    assert total == hands.hub.table.rounds[hand.round - 1].entries[hand.seat].pips
    hands.stop()
