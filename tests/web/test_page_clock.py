"""Delayed presses of a page keep their timing, although the page's clock is not trusted."""

from hypothesis import given
from hypothesis import strategies as st

from centerpiece.hub.gestures import Gestures, Timing
from centerpiece.hub.hub import TIMING
from centerpiece.panel.gesture import Gesture
from centerpiece.web.page_clock import LATE, MOST_DELAY, PageClock
from hal.ports import Edge
from tests.web.conftest import Rig

QUICKEST = 0.01
"""Seconds of the shortest delay."""
ROUNDING = 1e-6
"""Seconds: page clocks count up to 1e8, of which a float keeps 8 decimals."""
delays = st.floats(QUICKEST, 0.25)
taps = st.floats(0.05, 0.4)
PLAIN = Timing(hold=TIMING.hold)


def gestures(edges: list[tuple[Edge, float]]) -> list[tuple[str, str]]:
    """Return the gestures that a hub makes of edges, each processed when it is received."""
    recognizer, result = Gestures(PLAIN), list[Gesture]()
    for edge, received in edges:
        result += recognizer.due(received)
        result += recognizer.edge(edge)
    result += recognizer.due(edges[-1][1] + 10)
    return [(each.kind, each.button) for each in result if each.kind in ("tap", "double", "hold")]


class Way:
    """The path from a page to the hub: requests in order, each with its own delay."""

    def __init__(self, opened: float = 7_000.0) -> None:
        self.clock = PageClock()
        self.opened = opened
        """Seconds by which the hub's clock is ahead of the page's."""
        self.edges: list[tuple[Edge, float]] = []
        self.received = 0.0
        self.send("undo", False, 0.0, QUICKEST)

    def send(self, button: str, down: bool, now: float, delay: float) -> None:
        self.received = max(self.received, self.opened + now + delay)
        stamp = self.clock.stamp(down, now, self.received)
        self.edges.append((Edge(button, down, stamp), self.received))


@given(st.lists(st.tuples(taps, delays, delays), min_size=1, max_size=12))
def test_taps_are_as_long_as_the_finger_was_however_late_they_come(
    presses: list[tuple[float, float, float]],
) -> None:
    """And as far apart, so that none becomes a double tap or bounce."""
    way, now = Way(), 1.0
    for length, down, up in presses:
        way.send("seat-1", True, now, down)
        way.send("seat-1", False, now + length, up)
        now += 2.0

    pressed = [edge for edge, _ in way.edges[1:]]
    for (length, _, _), down, up in zip(presses, pressed[::2], pressed[1::2], strict=True):
        assert abs(up.now - down.now - length) < 0.02
    assert [("tap", "seat-1")] * len(presses) == gestures(way.edges)


@given(st.floats(0.9, 3.0), delays, delays)
def test_a_hold_is_a_hold(length: float, down: float, up: float) -> None:
    """It makes no tap in addition."""
    way = Way()
    way.send("seat-3", True, 1.0, down)
    way.send("seat-3", False, 1.0 + length, up)

    assert [("hold", "seat-3")] == gestures(way.edges)


@given(st.floats(0.5, 30.0), st.floats(0.001, 0.02))
def test_what_waited_for_the_way_to_open_comes_as_it_was_pressed(stuck: float, each: float) -> None:
    """A double tap that arrives all at once stays one, and a tap on another seat makes no chord."""
    way = Way()
    presses = [("seat-1", 0.0), ("seat-1", 0.2), ("seat-2", 0.4)]
    for number, (button, began) in enumerate(presses):
        way.send(button, True, 1.0 + began, stuck - began + 2 * number * each)
        way.send(button, False, 1.1 + began, stuck - began - 0.1 + (2 * number + 1) * each)

    assert [("tap", "seat-1"), ("double", "seat-1"), ("tap", "seat-2")] == gestures(way.edges)


@given(st.lists(st.tuples(st.booleans(), st.floats(0.0, 1e8), st.floats(0.0, 100.0)), min_size=1))
def test_whatever_a_page_says_no_press_is_in_the_future_or_goes_back(
    presses: list[tuple[bool, float, float]],
) -> None:
    """Property: nor is it further in the past than the limit."""
    clock, received, before = PageClock(), 0.0, float("-inf")
    for down, now, later in presses:
        received += later
        stamp = clock.stamp(down, now, received)
        assert max(before, received - MOST_DELAY) <= stamp <= received
        assert not down or stamp >= received - LATE - ROUNDING or stamp == before
        before = stamp


def test_a_page_whose_clock_stood_still_is_understood_after_one_press() -> None:
    """A tablet's monotonic clock may stop while it sleeps."""
    clock = PageClock()
    clock.stamp(True, 1.0, 100.0)
    clock.stamp(False, 1.1, 100.1)

    assert 4_000.0 == clock.stamp(True, 2.0, 4_000.0)
    assert 4_000.1 == clock.stamp(False, 2.1, 4_000.4)


def test_a_press_says_when_it_was(rig: Rig) -> None:
    """A tap whose edges arrive together is a tap; an impossible time is ignored."""
    edges: list[Edge] = []
    rig.hub.board.buttons.listen(edges.append)
    arrived = rig.clock.now()
    for down, now in ((False, 9.9), (True, 10.0), (False, 10.1), (True, -3.0), (False, 1e300)):
        body = {"button": "seat-2", "down": down, "page": "one", "now": now}
        assert 200 == rig.client.post("/api/hub/press", json=body).status_code
        if now == 9.9:
            rig.clock.move(0.5)

    stamps = [round(edge.now - arrived, 3) for edge in edges]
    assert [0.0, 0.2, 0.3, 0.5, 0.5] == stamps
