"""The first start of a card: lights while it is prepared, or none."""

from collections.abc import Sequence

from centerpiece.cli.first_start import LAP, frame_at, while_it_runs
from hal.ports import Lights, Zone, default_zones
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
