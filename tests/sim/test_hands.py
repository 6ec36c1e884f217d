"""Gestures of the simulated hands are recognized as intended."""

import pytest

from centerpiece.hub.gestures import Gestures
from centerpiece.hub.hub import TIMING
from hal.ports import BUTTONS, Edge
from sim.hands import HandGesture, Hands, chord, double, hold, steps, tap


def understood(*gestures: HandGesture) -> list[str]:
    """Return the gestures that the hub recognizes, without presses and releases."""
    ear, now, heard = Gestures(TIMING), 1000.0, []
    for gesture in gestures:
        for button, down, pause in steps(gesture):
            heard += ear.edge(Edge(button, down, now))
            now += pause
            heard += ear.due(now)
    return [f"{each.kind} {each.button}" for each in heard if each.kind not in ("press", "release")]


@pytest.mark.parametrize("button", BUTTONS)
def test_every_button_hears_what_was_meant(button: str) -> None:
    """A pause after each: two taps are two taps, and a double tap begins with one."""
    assert [
        f"tap {button}",
        f"tap {button}",
        f"tap {button}",
        f"double {button}",
        f"hold {button}",
    ] == understood(tap(button), tap(button), double(button), hold(button))


@pytest.mark.parametrize("buttons", TIMING.chords)
def test_every_chord_is_held_for_long_enough(buttons: str) -> None:
    """And neither of its buttons makes a gesture of its own."""
    assert [f"hold {buttons}"] == understood(chord(*buttons.split("+")))


def test_a_hold_takes_as_long_as_was_asked_for() -> None:
    """Let go too early, it is a tap."""
    assert ["tap advance"] == understood(hold("advance", 1.2))
    assert ["hold advance"] == understood(hold("advance", 1.6))


@pytest.mark.parametrize("watched", [True, False])
def test_eyes_see_the_same_whether_or_not_somebody_watched(watched: bool) -> None:
    """Lights are painted when they are looked at; a blink is waited for."""
    hands = Hands(watched=watched)
    for gesture in (
        *(tap(f"seat-{seat}") for seat in (1, 2, 3, 4)),
        hold("advance"),
        tap("advance"),
    ):
        hands.do(gesture)
    hands.do(tap("seat-2"))
    hands.do(double("seat-3"))

    assert [
        {"closed", "starter"},
        {"open", "plays"},
        {"double", "plays"},
        {"closed", "plays"},
        {"off"},
    ] == hands.look("seat-1", "seat-2", "seat-3", "seat-4", "seat-5")
    hands.stop()
