"""The description of the hub as an object: everything in it fits, from four seats to ten."""

from dataclasses import replace

import pytest

from deploy.hub.checks import findings, smallest
from deploy.hub.geometry import Hub, Prism
from deploy.hub.smaller import settings_for
from hal.hardware_settings import ButtonSettings, HardwareSettings
from hal.ports import BUTTONS


def wrong(hub: Hub) -> list[str]:
    return [finding.name for finding in findings(hub) if finding.wrong]


@pytest.mark.parametrize("computer", ["pi", "zero", "pico"])
@pytest.mark.parametrize(("seats", "button"), [(4, 24), (7, 24), (10, 30)])
def test_a_hub_can_be_built_for_each_number_of_seats(
    seats: int, button: int, computer: str
) -> None:
    """
    And ten millimetres less are too few.
    """
    hub = smallest(Hub(settings_for(seats), button=button, computer=computer))

    assert [] == wrong(hub)
    assert [] != wrong(replace(hub, across=hub.across - 10))


def test_the_standard_hub_is_the_smallest_that_fits() -> None:
    assert Hub() == smallest(Hub())


def test_a_hub_of_260_mm_is_too_small_for_fourteen_buttons() -> None:
    """
    The controls would lie on the docks.
    """
    assert "room for each part" in wrong(Hub(across=260))


def test_every_button_has_its_hole() -> None:
    assert list(BUTTONS) == [hole.name for hole in Hub().buttons]


def test_seats_count_clockwise_and_controls_are_between_them() -> None:
    hub = Hub()
    gaps = [hub.seat_angle(seat) - hub.seat_angle(seat + 1) for seat in range(1, 10)]

    assert [36.0] * 9 == pytest.approx(gaps)
    assert [90.0, 18.0, -90.0, -198.0] == [
        hub.angle(name) for name in ("whistle", "advance", "train", "undo")
    ]


def test_a_window_for_each_pixel_in_the_order_of_the_chain() -> None:
    hub = Hub()

    assert hub.settings.lights.pixels == len(hub.pixels)
    assert ["face"] * 30 + ["seat-1"] * 3 == [pixel.name for pixel in hub.pixels[:33]]


def test_a_hub_without_docks_or_seats_is_described_as_its_settings_say() -> None:
    pins = {name: pin for name, pin in ButtonSettings().pins.items() if name != "seat-10"}
    hub = Hub(HardwareSettings(buttons=ButtonSettings(pins=pins)), docks=False)

    assert 9 == hub.seats
    assert () == hub.dock_places


@pytest.mark.parametrize(
    ("other", "gap"),
    [
        (Prism("a circle", 20, 0, diameter=10), 10),
        (Prism("a square", 0, 20, length=10, width=10), 10),
        (Prism("the same square turned", 0, 20, length=10, width=10, angle=90), 10),
        (Prism("a diamond", 20, 0, length=10, width=10, angle=45), 20 - 5 - 7.071),
    ],
)
def test_the_gap_of_two_bodies(other: Prism, gap: float) -> None:
    body = Prism("in the middle", 0, 0, length=10, width=10)

    assert gap == pytest.approx(body.gap(other), abs=0.001)
    assert gap == pytest.approx(other.gap(body), abs=0.001)


def test_a_body_within_another_has_no_gap() -> None:
    around = Prism("around", 0, 0, length=30, width=30)

    assert Prism("inside", 1, 0, diameter=4).gap(around) < 0
    assert around.gap(Prism("the same place", 0, 0, length=10, width=10)) < 0
    assert Prism("across", 0, 0, length=100, width=2).gap(around) <= 0
