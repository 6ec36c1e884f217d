"""The parade of standings: each total is shown as long as its number needs."""

from centerpiece.display.colours import WARM
from centerpiece.display.face import digits
from centerpiece.panel.parade import Parade, Placed
from centerpiece.table.commands import OpenTable, Undo
from centerpiece.text import Sentence
from sim.hands import Hands, tap

PARADE = Parade((Placed(2, 7), Placed(1, 112), Placed(3, 1024)), 10.0, Sentence("The standings."))


def test_a_long_number_is_seen_to_its_end() -> None:
    """Two digits take two seconds; three and four as long as they scroll."""
    now, turns = 10.0, []
    while (placed := PARADE.placed(now)) is not None:
        assert now == PARADE.since(now)
        later = PARADE.next_change(now)
        turns.append((placed.seat, later - now))
        now = later

    assert [(2, 2.0), (1, 3.25), (3, 4.25)] == turns
    assert PARADE.ends == now


def test_a_press_goes_on_to_the_next_at_once() -> None:
    """The next number scrolls from its beginning."""
    moved = PARADE.moved_on(10.5)

    assert (Placed(1, 112), 10.5) == (moved.placed(10.5), moved.since(10.5))


def test_a_total_of_three_digits_can_be_read_on_the_hub() -> None:
    """112 is shown as 11, then 12."""
    hands = Hands()
    hands.hub.do(_table())
    for gesture in (tap("advance"), tap("seat-1")):
        hands.do(gesture)
    for pips in ((1, 1, 2), (9,), (8,)):
        for digit in pips:
            hands.do(tap(f"seat-{digit}"))
        hands.do(tap("advance"))
    hands.do(tap("seat-2"))
    zone = hands.zones["face"]
    seen = []
    for _ in range(30):
        face = hands.board.lights.frame[3 * zone.start : 3 * (zone.start + zone.count)]
        if not seen or seen[-1] != face:
            seen.append(face)
        hands.wait(0.1)

    assert [digits("11", WARM), digits("12", WARM)] == [
        face for face in seen if face in (digits("11", WARM), digits("12", WARM))
    ]
    hands.stop()


def test_totals_that_are_taken_back_while_they_are_asked_for_are_refused_in_words() -> None:
    """A phone undoes the hand while the whistle is held down for the parade."""
    hands = Hands()
    hands.hub.do(_table())
    for gesture in (tap("advance"), tap("seat-1")):
        hands.do(gesture)
    for _ in range(3):
        hands.do(tap("seat-9"))
        hands.do(tap("advance"))
    hands.do(tap("advance"))
    hands.board.buttons.press("whistle")
    hands.hub.do(Undo())
    hands.wait(1.5)

    assert "No round has been counted yet." == hands.hub.state()["notice"]
    hands.stop()


def _table() -> OpenTable:
    return OpenTable("mexican-train/classic", ("Ann", "Bob", "Cara", "Dan"), 12, starter=1)
