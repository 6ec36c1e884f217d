"""The first start of a card: lights while it is prepared, or none."""

from collections.abc import Sequence

import pytest

from centerpiece.cli.first_start import LAP, frame_at, walk_once, while_it_runs
from centerpiece.config import Config
from hal.ports import BUTTONS, Board, Lights, Zone, default_zones
from sim.board import build
from sim.lights import SimLights

COUNT = 87


def test_a_warm_light_goes_round_the_ring_and_nothing_else_is_lit() -> None:
    """It is brightest at its head, and never flashes."""
    ring = default_zones()[-1]
    heads = []
    for tenth in range(round(10 * LAP)):
        frame = frame_at(default_zones(), COUNT, tenth / 10)
        assert bytes(3 * ring.start) == frame[: 3 * ring.start]
        reds = frame[3 * ring.start :: 3]
        heads.append(max(range(ring.count), key=reds.__getitem__))

    assert sorted(heads) == heads
    assert (0, ring.count - 1) == (heads[0], heads[-1])


def test_the_lights_are_dark_and_free_when_it_has_ended() -> None:
    """The hub opens them next."""
    lights = SimLights(COUNT, lambda trouble: None)
    left = iter([None, None, None, 0])

    while_it_runs(lambda: next(left), lambda: (lights, default_zones()), lambda seconds: None)

    assert next(left, "asked until it had ended") == "asked until it had ended"
    assert bytes(3 * COUNT) == lights.frame
    lights.show(frame_at(default_zones(), COUNT, 0.0))
    assert bytes(3 * COUNT) == lights.frame, "it was let go"


def test_a_hub_without_lights_starts_all_the_same() -> None:
    def fails() -> tuple[Lights, Sequence[Zone]]:
        raise OSError("no such device")

    while_it_runs(lambda: None, fails)


def test_a_new_hub_walks_through_its_parts(capsys: pytest.CaptureFixture[str]) -> None:
    """It names what was not heard, in the log."""
    board = build()
    left = [button for button in BUTTONS if button != "undo"]

    def press(seconds: float) -> None:
        if seconds < 0.5 and left:
            board.buttons.press(left.pop())

    walk_once(lambda: (board, Config()), press)

    assert "Not heard: undo." in capsys.readouterr().out
    board.lights.show(b"\xff" * 3 * COUNT)
    assert bytes(3 * COUNT) == board.lights.frame, "it was let go"


def test_a_hub_that_cannot_test_itself_starts_all_the_same() -> None:
    def fails() -> tuple[Board, Config]:
        raise OSError("no such chip")

    walk_once(fails)
