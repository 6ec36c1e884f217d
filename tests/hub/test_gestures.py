"""From raw edges to gestures, with bouncing contacts."""

from bisect import bisect_right
from collections.abc import Callable, Iterable
from math import inf
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centerpiece.hub.gestures import Gestures, Timing, gentle
from centerpiece.hub.hub import TIMING
from centerpiece.panel.gesture import Gesture
from hal.ports import BUTTONS, Edge
from tests.strategies import Move, bounces, edges_of, moves

A_WHILE = 10.0


def listened(
    edges: Iterable[Edge], timing: Timing = TIMING, until: float = A_WHILE
) -> list[Gesture]:
    """Return all gestures, calling `due` only at deadlines, as the hub does."""
    gestures = Gestures(timing)
    heard: list[Gesture] = []
    last = 0.0
    for edge in edges:
        heard += waited(gestures, edge.now)
        heard += gestures.edge(edge)
        last = edge.now
    return heard + waited(gestures, last + until)


def waited(gestures: Gestures, until: float) -> list[Gesture]:
    heard: list[Gesture] = []
    while (due := gestures.deadline()) <= until:
        heard += gestures.due(due)
    return heard


def kinds(heard: Iterable[Gesture]) -> list[str]:
    """Return the gestures without raw presses and releases."""
    return [f"{h.kind} {h.button}" for h in heard if h.kind not in ("press", "release")]


def pressed(button: str, down: float, up: float) -> list[Edge]:
    return [Edge(button, True, down), Edge(button, False, up)]


def test_a_press_is_heard_at_once_and_a_tap_on_its_release() -> None:
    gestures = Gestures(TIMING)

    assert [Gesture("press", "seat-1", 1.0)] == gestures.edge(Edge("seat-1", True, 1.0))
    assert [Gesture("release", "seat-1", 1.1), Gesture("tap", "seat-1", 1.1)] == gestures.edge(
        Edge("seat-1", False, 1.1)
    )


def test_a_second_tap_is_a_double_and_a_third_begins_anew() -> None:
    """Taps pair up: tap, double, tap, double."""
    edges = [e for n in range(4) for e in pressed("train", n * 0.2, n * 0.2 + 0.08)]

    assert ["tap train", "double train", "tap train", "double train"] == kinds(listened(edges))


@pytest.mark.parametrize(
    ("gap", "second"), [(0.006, "double"), (0.299, "double"), (0.301, "tap"), (2.0, "tap")]
)
def test_the_window_of_a_double_tap_runs_from_release_to_press(gap: float, second: str) -> None:
    """300 ms, however long the second press itself lasts."""
    edges = pressed("seat-3", 1.0, 1.1) + pressed("seat-3", 1.1 + gap, 1.8 + gap)

    assert ["tap seat-3", f"{second} seat-3"] == kinds(listened(edges))


def test_taps_on_different_buttons_are_no_double_tap() -> None:
    """Two people may tap at the same time; each button pairs its own taps."""
    edges = [
        *pressed("seat-1", 1.00, 1.05),
        *pressed("seat-2", 1.10, 1.15),
        *pressed("seat-1", 1.20, 1.25),
        *pressed("seat-2", 1.30, 1.35),
    ]

    assert ["tap seat-1", "tap seat-2", "double seat-1", "double seat-2"] == kinds(listened(edges))


def test_a_hold_acts_when_its_time_is_reached_while_the_button_is_down() -> None:
    """Its release then makes no further gesture."""
    gestures = Gestures(TIMING)
    gestures.edge(Edge("seat-4", True, 1.0))
    waited(gestures, 1.0 + TIMING.settle)

    assert pytest.approx(1.8) == gestures.deadline()
    assert [Gesture("hold", "seat-4", 1.8)] == gestures.due(1.8)
    assert inf == gestures.deadline()
    assert ["release"] == [h.kind for h in gestures.edge(Edge("seat-4", False, 4.0))]


def test_a_hold_that_nobody_woke_for_is_still_heard_before_its_release() -> None:
    """A busy loop may come late; the time stamps decide."""
    gestures = Gestures(TIMING)
    gestures.edge(Edge("seat-4", True, 1.0))

    assert ["hold seat-4"] == kinds(gestures.edge(Edge("seat-4", False, 2.5)))


@pytest.mark.parametrize(
    ("button", "digits", "seconds"), [("advance", False, 1.5), ("seat-9", True, 1.5)]
)
def test_a_slow_press_is_a_tap_until_it_is_a_hold(
    button: str, digits: bool, seconds: float
) -> None:
    """No press is lost because the finger was slow; nor is a digit anything else."""
    for timing in (TIMING, gentle(TIMING)._replace(holds=TIMING.holds)):
        for lasts, expected in ((0.7, "tap"), (1.45, "tap"), (seconds + 0.01, "hold")):
            gestures = Gestures(timing)
            gestures.digits = digits
            heard = gestures.edge(Edge(button, True, 1.0)) + waited(gestures, 1.0 + lasts)
            heard += gestures.edge(Edge(button, False, 1.0 + lasts))
            assert [f"{expected} {button}"] == kinds(heard)


def test_a_stuck_button_is_one_hold_and_then_silence() -> None:
    """It sets no more timers, and the other buttons work."""
    gestures = Gestures(TIMING)
    stuck = gestures.edge(Edge("seat-9", True, 1.0)) + waited(gestures, 10_000.0)

    assert ["hold seat-9"] == kinds(stuck)
    assert inf == gestures.deadline()
    assert ["tap seat-2"] == kinds(
        gestures.edge(Edge("seat-2", True, 10_001.0))
        + gestures.edge(Edge("seat-2", False, 10_001.1))
    )


def test_a_button_that_was_down_before_the_start_is_let_go_in_silence() -> None:
    """Its first edge is a release, which makes no gesture."""
    assert [] == listened([Edge("undo", False, 1.0)])


def test_a_press_of_a_millisecond_is_a_tap() -> None:
    """Even a press shorter than the chatter: at once, and the tap when the line is quiet."""
    heard = listened(pressed("undo", 1.0, 1.001))

    assert [("press", 1.0), ("release", 1.001), ("tap", 1.001)] == [(h.kind, h.now) for h in heard]


@pytest.mark.parametrize("milliseconds", [3, 5, 10, 20])
def test_chatter_of_any_length_is_one_edge(milliseconds: int) -> None:
    """A worn contact bounces for 20 ms on the way down and on the way up."""
    edges = []
    for start, level in ((1.0, True), (1.2, False)):
        for n in range(milliseconds + 1):
            edges.append(Edge("seat-1", level if n % 2 == 0 else not level, start + n / 1000))
        edges.append(Edge("seat-1", level, start + (milliseconds + 0.5) / 1000))
    heard = listened(edges)

    assert [("press", 1.0), ("release", 1.2), ("tap", 1.2)] == [(h.kind, h.now) for h in heard]


def test_fourteen_buttons_at_once_are_fourteen_presses() -> None:
    """An arm on the panel makes presses and holds of seats, but no chord."""
    downs = [Edge(button, True, 1.0 + n / 1000) for n, button in enumerate(BUTTONS)]
    ups = [Edge(button, False, 20.0 + n / 1000) for n, button in enumerate(BUTTONS)]
    heard = listened(downs + ups)

    assert sorted(BUTTONS) == sorted(h.button for h in heard if h.kind == "press")
    assert sorted(BUTTONS) == sorted(h.button for h in heard if h.kind == "release")
    assert [f"hold seat-{n}" for n in range(1, 11)] == kinds(heard)


def test_a_chord_is_heard_once_and_its_buttons_have_no_gesture_of_their_own() -> None:
    """Neither while pressing nor while releasing."""
    edges = [
        Edge("train", True, 1.0),
        Edge("advance", True, 1.2),
        Edge("train", False, 5.0),
        Edge("advance", False, 5.1),
    ]
    heard = listened(edges)

    assert ["hold train+advance"] == kinds(heard)
    assert [4.2] == [h.now for h in heard if h.kind == "hold"]


def test_a_chord_let_go_too_early_is_nothing() -> None:
    """Neither the chord nor a tap of either button, nor half of a double tap."""
    edges = [
        Edge("advance", True, 1.0),
        Edge("undo", True, 1.1),
        Edge("undo", False, 5.9),
        Edge("advance", False, 6.2),
        *pressed("undo", 6.3, 6.4),
    ]

    assert ["tap undo"] == kinds(listened(edges))


def test_a_third_button_makes_a_chord_ambiguous() -> None:
    """`train`, `whistle` and `advance` together end no game and pair no phone."""
    edges = [
        Edge("train", True, 1.0),
        Edge("advance", True, 1.1),
        Edge("whistle", True, 1.2),
        Edge("train", False, 9.0),
        Edge("advance", False, 9.1),
        Edge("whistle", False, 9.2),
    ]

    assert [] == kinds(listened(edges))


def test_a_seat_pressed_during_a_chord_does_not_disturb_it() -> None:
    """Somebody else's marker must not interrupt the shutdown."""
    edges = [
        Edge("advance", True, 1.0),
        Edge("undo", True, 1.0),
        *pressed("seat-5", 3.0, 3.1),
        Edge("advance", False, 7.0),
        Edge("undo", False, 7.0),
    ]

    assert ["tap seat-5", "hold advance+undo"] == kinds(listened(edges))


def test_a_held_button_tells_how_far_it_is() -> None:
    """The ring fills while `advance` is held, and is empty once the hold has acted."""
    gestures = Gestures(TIMING)
    assert gestures.held("advance") is None
    gestures.edge(Edge("advance", True, 1.0))

    assert (1.0, 1.5) == gestures.held("advance")
    gestures.due(2.5)
    assert gestures.held("advance") is None


def test_thresholds_are_settings() -> None:
    slow = Timing(settle=0.02, double=0.6, hold=1.5)
    edges = pressed("seat-1", 1.0, 2.0) + pressed("seat-1", 2.5, 2.6)

    assert ["tap seat-1", "double seat-1"] == kinds(listened(edges, slow))


# What always holds

NO_CHORDS = TIMING._replace(chords={})


@st.composite
def clean_presses(draw: st.DrawFn) -> list[Edge]:
    """One finger without bounce: presses and pauses of any length above 50 ms."""
    now, edges = 10.0, []
    for _ in range(draw(st.integers(1, 12))):
        button = draw(st.sampled_from(["seat-1", "seat-2", "advance"]))
        length = draw(st.one_of(st.floats(0.05, 0.4), st.floats(0.5, 2.0)))
        edges += pressed(button, now, now + length)
        now += length + draw(st.floats(0.05, 0.6))
    return edges


@given(clean_presses())
def test_every_press_let_go_is_exactly_one_of_tap_double_and_hold(edges: list[Edge]) -> None:
    """The expected counts come from press and pause lengths alone."""
    expected = []
    last_tap: dict[str, float] = {}
    for down, up in zip(edges[::2], edges[1::2], strict=True):
        wanted = TIMING.holds.get(down.button, TIMING.hold)
        before = last_tap.pop(down.button, None)
        if up.now >= down.now + wanted:
            expected.append(f"hold {down.button}")
        elif before is not None and down.now - before <= TIMING.double:
            expected.append(f"double {down.button}")
        else:
            expected.append(f"tap {down.button}")
            last_tap[down.button] = up.now

    assert expected == kinds(listened(edges, NO_CHORDS))


@given(clean_presses(), st.data())
def test_chatter_changes_nothing(edges: list[Edge], data: st.DataObject) -> None:
    """Bounce on every edge leaves the gestures and their times unchanged."""
    noisy = []
    for edge in edges:
        noisy.append(edge)
        now, down = edge.now, edge.down
        for gap in data.draw(bounces()):
            now, down = now + gap, not down
            noisy.append(Edge(edge.button, down, now))

    assert listened(edges) == listened(noisy)


def test_chatter_that_is_delivered_late_changes_nothing() -> None:
    """Edges with the kernel's stamps may be delivered up to 45 ms late, in order. A thousand taps
    and holds that chatter are still recognized.
    """
    meant, edges = chattering(lambda luck: luck.uniform(0.0, 0.045))
    gestures, heard = Gestures(TIMING), list[Gesture]()
    for delivered, edge in edges:
        heard += waited(gestures, delivered)
        heard += gestures.edge(edge)
    heard += waited(gestures, edges[-1][0] + A_WHILE)

    assert meant == kinds(heard)


def test_chatter_that_is_delivered_much_later_changes_nothing() -> None:
    """The host pauses for longer than any patience, though not for longer than a tap takes. The
    line is read before time alone decides.
    """
    meant, edges = chattering(
        lambda luck: luck.uniform(0.0, 0.11) if luck.random() < 0.1 else luck.uniform(0.0, 0.01)
    )
    stamps, levels = [e.now for _, e in edges], [False, *(e.down for _, e in edges)]
    clock = 0.0
    gestures = Gestures(TIMING, lambda button: levels[bisect_right(stamps, clock)])
    heard: list[Gesture] = []
    for delivered, edge in [*edges, (edges[-1][0] + A_WHILE, None)]:
        while (due := gestures.deadline()) <= delivered:
            clock = due
            heard += gestures.due(due)
        clock = delivered
        heard += gestures.edge(edge) if edge else []

    assert meant == kinds(heard)


def test_a_release_that_never_comes_makes_no_hold() -> None:
    """The line decides after a second, and the button works again."""
    gestures = Gestures(TIMING, lambda button: False)
    heard = gestures.edge(Edge("seat-1", True, 1.0)) + waited(gestures, 6.0)
    heard += [each for edge in pressed("seat-1", 7.0, 7.1) for each in gestures.edge(edge)]

    assert ["tap seat-1"] == kinds(heard)


def chattering(late: Callable[[Random], float]) -> tuple[list[str], list[tuple[float, Edge]]]:
    """Return what a thousand presses mean, and their chattering edges, each with its delivery."""
    luck = Random(24)
    meant: list[str] = []
    edges: list[tuple[float, Edge]] = []
    now = delivered = 10.0
    for _ in range(1000):
        long = luck.random() < 0.2
        meant.append("hold seat-1" if long else "tap seat-1")
        for down, lasts in ((True, luck.uniform(1.0, 1.5) if long else 0.12), (False, 0.5)):
            for level, stamp in _chatter(luck, down, now):
                delivered = max(delivered, stamp + late(luck))
                edges.append((delivered, Edge("seat-1", level, stamp)))
            now += lasts
    return meant, edges


def _chatter(luck: Random, down: bool, now: float) -> list[tuple[bool, float]]:
    """Return the edges of a contact that bounces for less than 4 ms."""
    stamps = sorted(luck.uniform(0.0, 0.004) for _ in range(2 * luck.randint(0, 5)))
    return [(down, now), *((down == bool(n % 2), now + at) for n, at in enumerate(stamps))]


def test_buttons_that_went_away_have_made_no_gesture() -> None:
    """Buttons that were down make no hold, and no tap when released."""
    gestures = Gestures(TIMING)
    gestures.edge(Edge("seat-1", True, 1.0))
    gestures.edge(Edge("train", True, 1.1))
    gestures.edge(Edge("advance", True, 1.2))
    gestures.forget()

    assert [] == waited(gestures, 20.0)
    assert [] == gestures.edge(Edge("seat-1", False, 21.0))


@given(moves)
def test_presses_and_releases_alternate_on_every_button(found: list[Move]) -> None:
    """Any edges give down, up, down, up, and at most one gesture for each press."""
    for button in BUTTONS:
        heard = [h for h in listened(edges_of(found)) if h.button == button]
        raw = [h.kind for h in heard if h.kind in ("press", "release")]
        assert raw == (["press", "release"] * len(raw))[: len(raw)]
        presses = raw.count("press")
        assert len(heard) - len(raw) <= presses


@given(moves, st.lists(st.floats(0.0, 40.0), max_size=20))
def test_it_does_not_matter_how_often_the_clock_is_looked_at(
    found: list[Move], looks: list[float]
) -> None:
    """Gestures depend on the edges alone, not on when the loop calls `due`."""
    edges = edges_of(found)
    lazy, curious = Gestures(TIMING), Gestures(TIMING)
    heard_lazily: list[Gesture] = []
    heard_curiously: list[Gesture] = []
    extra = sorted(100.0 + look for look in looks)
    for edge in edges:
        while extra and extra[0] <= edge.now:
            heard_curiously += curious.due(extra.pop(0))
        heard_curiously += curious.edge(edge)
        heard_lazily += lazy.edge(edge)
    end = edges[-1].now + A_WHILE if edges else 0.0

    assert heard_lazily + lazy.due(end) == heard_curiously + curious.due(end)


@given(moves)
def test_there_is_a_deadline_exactly_while_something_can_come_of_waiting(found: list[Move]) -> None:
    """An idle panel needs no timer: after a while nothing is due any more."""
    gestures = Gestures(TIMING)
    for edge in edges_of(found):
        gestures.edge(edge)
    waited(gestures, 10_000.0)

    assert inf == gestures.deadline()
    assert [] == gestures.due(20_000.0)


# Hands that shake


@pytest.mark.parametrize("button", BUTTONS)
def test_a_tap_that_trembles_is_one_tap(button: str) -> None:
    """Repeated presses of a button count once; a later one is another tap."""
    edges = [e for at in (0.0, 0.15, 0.5, 1.5) for e in pressed(button, at, at + 0.08)]

    assert [f"tap {button}"] * 2 == kinds(listened(edges, gentle(TIMING)))


def test_a_hold_that_trembles_is_no_tap_as_well() -> None:
    edges = pressed("advance", 1.0, 1.6) + pressed("advance", 1.7, 1.8)

    assert ["hold advance"] == kinds(listened(edges, gentle(TIMING)))


@pytest.mark.parametrize(("held", "tapped"), [("train", "seat-3"), ("seat-3", "train")])
def test_a_tap_beside_a_held_button_is_a_double_tap(held: str, tapped: str) -> None:
    """Nobody has to be quick; the held button then makes no tap of its own."""
    edges = [Edge(held, True, 0.0), *pressed(tapped, 0.2, 0.3), Edge(held, False, 0.4)]

    assert [f"double {tapped}"] == kinds(listened(edges, gentle(TIMING)))


@pytest.mark.parametrize(
    ("buttons", "seconds"), [(("advance",), 0.5), (("seat-4",), 0.5), (("advance", "undo"), 1.0)]
)
def test_holds_and_chords_are_short_for_hands_that_shake(
    buttons: tuple[str, ...], seconds: float
) -> None:
    """Half a second, and a second."""
    edges = [Edge(button, True, 0.0) for button in buttons]
    heard = listened(edges, gentle(TIMING))

    assert [("hold " + "+".join(buttons), seconds)] == [
        (f"{h.kind} {h.button}", h.now) for h in heard if h.kind == "hold"
    ]
