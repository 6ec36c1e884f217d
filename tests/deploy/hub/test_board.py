"""The carrier board: what is soldered is what the settings wire."""

import msgspec
import pytest

from deploy.hub import board
from deploy.hub.smaller import settings_for
from hal.hardware_settings import DockSettings, HardwareSettings, LightSettings, SoundSettings
from hal.pi import wiring

STANDARD = HardwareSettings()


def wrong(settings: HardwareSettings) -> list[str]:
    return [finding.name for finding in board.findings(settings) if finding.wrong]


@pytest.mark.parametrize("seats", range(4, 11))
def test_the_board_of_each_hub_is_right(seats: int) -> None:
    assert [] == wrong(settings_for(seats))


def test_a_hub_with_an_amplifier_has_no_module_on_its_board() -> None:
    settings = HardwareSettings(sound=SoundSettings(driver="alsa"))

    assert "M1" not in board.parts(settings)
    assert {"M1", "R2"}.isdisjoint(pin[0] for net in board.nets(settings).values() for pin in net)


@pytest.mark.parametrize(
    "docks",
    [
        DockSettings(driver="gpio"),
        DockSettings(driver="gpio", chip="header", lines={"dock-1": 7, "dock-2": 24}),
    ],
    ids=["expander", "header"],
)
def test_docks_are_where_the_settings_have_them(docks: DockSettings) -> None:
    settings = msgspec.structs.replace(settings_for(8), docks=docks)

    assert [] == wrong(settings)
    assert [dock for dock in docks.lines if int(dock[5:]) <= 8] == [
        name for name in board.terminals(settings)[1] if name.startswith("dock-")
    ]


def test_a_chip_counts_its_pins_counterclockwise() -> None:
    pins = board.parts(STANDARD)["U1"].pins

    assert [(31, 10), (37, 10), (37, 7), (31, 7)] == [pins[pin] for pin in ("1", "7", "8", "14")]


def test_a_turned_chip_has_its_first_pin_at_the_upper_right() -> None:
    pins = board.parts(STANDARD)["U2"].pins

    assert [(16, 20), (3, 20), (3, 23), (16, 23)] == [pins[pin] for pin in ("1", "14", "15", "28")]


def test_every_pin_of_a_net_exists_and_belongs_to_one_net() -> None:
    placed = board.parts(STANDARD)
    pins = [pin for net in board.nets(STANDARD).values() for pin in net]

    assert [] == [pin for pin in pins if pin[1] not in placed[pin[0]].pins]
    assert len(pins) == len(set(pins))


def test_swapped_buttons_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    The check follows the wires; it does not read the list that they were made from.
    """
    swapped = board.nets(STANDARD)
    swapped["seat-1"], swapped["seat-2"] = (
        [swapped["seat-1"][0], swapped["seat-2"][1]],
        [swapped["seat-2"][0], swapped["seat-1"][1]],
    )
    monkeypatch.setattr(board, "nets", lambda settings: swapped)

    assert ["netlist is the wiring table"] == wrong(STANDARD)


def test_two_joined_pins_of_the_pi_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    joined = board.nets(STANDARD)
    joined["seat-1"] += joined.pop("seat-2")
    monkeypatch.setattr(board, "nets", lambda settings: joined)

    assert ["netlist is the wiring table"] == wrong(STANDARD)


def test_all_current_goes_through_the_fuse() -> None:
    """
    The wire before it carries the lights, the Pi and the module; such wires are thick.
    """
    wires = board.wires(STANDARD)
    (before,) = (wire for wire in wires if wire.net == "5V before the fuse")
    behind = sum(wire.milliamps for wire in wires if wire.start == ("F1", "2"))

    assert 2500 + 1200 + 200 == before.milliamps
    assert before.milliamps == pytest.approx(behind, abs=20)
    assert {board.THICK} == {wire.section for wire in wires if wire.milliamps > 1000}


def test_a_chain_that_no_wire_can_feed_is_found() -> None:
    lights = msgspec.structs.replace(LightSettings(), max_milliamps=60000.0)

    assert ["current in every wire"] == wrong(HardwareSettings(lights=lights))


def test_the_plan_names_every_terminal() -> None:
    upper, lower = board.terminals(STANDARD)
    plan = board.plan(STANDARD)

    assert [] == [name for name in (*upper, *lower) if f">{name}</text>" not in plan]


def test_the_wiring_page_says_of_the_chips_what_the_board_does() -> None:
    """
    Each enable input and each unused input of the level shifter, and the module's pins.
    """
    page = wiring.page(STANDARD)
    shifter, module = page.split("## The sound module")
    rows = [line.split(" | ") for line in shifter.split("## The level shifter")[1].splitlines()]
    said = {
        pin: "ground" in row[2]
        for row in rows
        if row[0][2:3].isdigit()
        for pin in row[0].removeprefix("| ").split(", ")
    }
    grounded = {pin for name, pin in board.nets(STANDARD)["GND"] if name == "U1"}

    assert {str(n) for n in range(1, 15)} == set(said)
    assert grounded == {pin for pin, ground in said.items() if ground}
    assert "| 1 | VCC | 5 V |" in module
    assert ("M1", "1") in board.nets(STANDARD)["5V"]
