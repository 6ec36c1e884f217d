"""The self-test of a new hub, on the simulated one and in no time."""

from collections.abc import Iterable

from hal.ports import BUTTONS, default_zones
from hal.self_test import AMBER, FIRST_PRESS_S, GREEN, LOOK_S, RED, run, sentence
from sim.board import SimBoard, build
from sim.clock import VirtualClock

ZONES = default_zones()
SEAT_4 = slice(3 * 39, 3 * 42)
RING = 3 * 63


class Person:
    """Somebody who presses one button at each look, once the lights are amber."""

    def __init__(self, board: SimBoard, presses: Iterable[str]) -> None:
        self.board = board
        self.presses = iter(presses)
        self.waited = 0.0
        self.frames: list[bytes] = []

    def __call__(self, seconds: float) -> None:
        self.waited += seconds
        self.frames.append(self.board.lights.frame)
        if seconds == LOOK_S and (button := next(self.presses, None)):
            self.board.buttons.press(button)
            self.board.buttons.release(button)


def walked(presses: Iterable[str]) -> tuple[SimBoard, Person, dict[str, bool]]:
    board = build(clock=VirtualClock())
    person = Person(board, presses)
    return board, person, run(board, ZONES, BUTTONS, person)


def test_every_button_turns_green_and_the_hub_is_content() -> None:
    board, person, heard = walked(BUTTONS)

    assert "Every button was heard." == sentence(heard)
    assert ["whistle", "finish"] == board.sound.played
    assert AMBER * 3 in [frame[SEAT_4] for frame in person.frames]
    assert GREEN * 3 == person.frames[-1][SEAT_4]
    assert bytes(3 * 87) == board.lights.frame


def test_what_is_missing_is_red_and_named() -> None:
    """
    Also a button that has no lights of its own: a third of the ring.
    """
    board, person, heard = walked(b for b in BUTTONS if b not in ("seat-4", "advance"))
    ring = person.frames[-1][RING:]

    assert sentence(heard).startswith("Not heard: seat-4, advance. ")
    assert RED * 3 == person.frames[-1][SEAT_4]
    assert GREEN * 8 + RED * 8 + GREEN * 8 == ring
    assert ["whistle", "refused"] == board.sound.played


def test_nobody_pressing_is_no_fault() -> None:
    board, person, heard = walked(())

    assert "No button was pressed." == sentence(heard)
    assert RED not in {person.frames[-1][at : at + 3] for at in range(0, 3 * 87, 3)}
    assert ["whistle"] == board.sound.played
    assert person.waited < FIRST_PRESS_S + 15


def test_every_light_is_shown() -> None:
    _, person, _ = walked(())

    assert [True] * 87 == [
        any(frame[3 * n : 3 * n + 3] != bytes(3) for frame in person.frames) for n in range(87)
    ]
