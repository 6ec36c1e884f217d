"""Keys as buttons: parsing records, choosing devices, plugging, learning."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from select import select
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.device_errors import DeviceBusy, DeviceDenied, DeviceMissing, WiringError
from hal.hardware_settings import ButtonSettings, HardwareSettings
from hal.health import ignore_trouble
from hal.keys import key_buttons, learn, names
from hal.keys.key_buttons import KeyButtons
from hal.keys.key_drivers import codes, open_buttons
from hal.keys.key_records import Change, Lost, Reader
from hal.keys.learn import KeyPress, Lesson, presses
from hal.ports import BUTTONS, Edge
from hal.system_clock import SystemClock
from tests.pads import (
    CLOCK_MONOTONIC,
    EV_ABS,
    EV_KEY,
    EV_SYN,
    SYN_DROPPED,
    SYN_REPORT,
    Inputs,
    Pad,
    all_heard,
    record,
)
from tests.patience import until
from tests.troubles import Reports

pytestmark = pytest.mark.real_time("threads that read and write devices")

KP1, KP2, ENTER, BACKSPACE, MINUS = 79, 80, 96, 14, 74


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Inputs:
    monkeypatch.setattr(key_buttons, "LOOK_EVERY", 0.01)
    return Inputs(tmp_path, monkeypatch)


@pytest.fixture
def reports() -> Reports:
    return Reports()


@pytest.fixture
def make(
    inputs: Inputs, reports: Reports
) -> Iterator[Callable[..., tuple[KeyButtons, list[Edge]]]]:
    made: list[KeyButtons] = []

    def build(*devices: str, now: Callable[[], float] | None = None):
        found = codes(ButtonSettings())
        clock = now or SystemClock().now
        made.append(KeyButtons(found, devices, clock, reports, inputs.folder))
        heard: list[Edge] = []
        made[-1].listen(heard.append)
        return made[-1], heard

    yield build
    for each in made:
        each.close()


def moves(heard: list[Edge]) -> list[tuple[str, bool]]:
    return [(edge.button, edge.down) for edge in heard]


# The kernel's records


@given(st.lists(st.tuples(st.integers(0, 0x2FF), st.integers(0, 2))), st.data())
def test_records_may_be_cut_anywhere(asked: list[tuple[int, int]], data: st.DataObject) -> None:
    """Records are parsed however the bytes are split; auto-repeat is no press."""
    stream = b"".join(record(EV_KEY, code, value, 7.25) for code, value in asked)
    reader, found, rest = Reader(), [], stream
    while rest:
        length = data.draw(st.integers(1, len(rest)))
        found += reader.feed(rest[:length])
        rest = rest[length:]

    assert [Change(7.25, code, bool(value)) for code, value in asked if value != 2] == found


def test_after_a_loss_nothing_counts_before_the_next_report() -> None:
    """An incomplete packet is invalid."""
    stream = [
        record(EV_KEY, KP1, 1, 1.0),
        record(EV_SYN, SYN_DROPPED, 0, 2.0),
        record(EV_KEY, KP1, 0, 2.0),
        record(EV_SYN, SYN_REPORT, 0, 3.0),
        record(EV_KEY, KP2, 1, 4.0),
    ]

    assert [Change(1.0, KP1, True), Lost(3.0), Change(4.0, KP2, True)] == list(
        Reader().feed(b"".join(stream))
    )


def test_the_cross_of_a_gamepad_is_four_keys() -> None:
    """From one end to the other, the first is let go before the second goes down."""
    left, right = (names.code(f"HAT0{end}") for end in ("LEFT", "RIGHT"))
    stream = b"".join(record(EV_ABS, 0x10, place, 1.0) for place in (-1, 1, 0))

    assert [(left, True), (left, False), (right, True), (right, False)] == [
        (change.key, change.down) for change in Reader().feed(stream)
    ]


def test_every_key_has_a_name_that_leads_back() -> None:
    """Also keys that are only known by number."""
    for code in (*range(1, 0x2FF), *range(0x1000, 0x1010)):
        assert code == names.code(names.name(code))
    assert (79, 304) == (names.code("KEY_KP1"), names.code("btn_south"))
    assert names.code("KP99") is None


# The number pad


def test_a_number_pad_has_every_button() -> None:
    """Fourteen buttons, and digits as they are dialled."""
    found = codes(ButtonSettings())

    assert set(BUTTONS) == set(found.values())
    assert ("seat-1", "seat-9", "seat-10") == tuple(
        found[names.code(k)] for k in ("KP1", "KP9", "KP0")
    )


def test_it_is_taken_alone_and_stamps_by_the_monotonic_clock(inputs: Inputs, make) -> None:
    """So that it types nowhere else."""
    pad = inputs.pad()
    buttons, _ = make()

    assert (True, CLOCK_MONOTONIC, ("USB Number Pad",)) == (
        pad.grabbed,
        pad.clock,
        buttons.devices(),
    )


def test_edges_carry_the_kernels_stamps(inputs: Inputs, make) -> None:
    """A hub that was busy for a second still knows how short the press was."""
    pad = inputs.pad()
    buttons, heard = make(now=SystemClock.now)
    with buttons._lock:
        began = SystemClock.now()
        pad.key(KP1, 1, began - 0.9)
        pad.key(KP1, 0, began - 0.8)
    all_heard(buttons)

    assert [began - 0.9, began - 0.8] == pytest.approx([edge.now for edge in heard], abs=1e-5)


def test_a_stamp_of_another_clock_is_not_believed(inputs: Inputs, make) -> None:
    """Then the time of arrival is used."""
    pad = inputs.pad()
    buttons, heard = make(now=lambda: 50.0)
    pad.key(KP1, 1, 1_700_000_000.0)
    all_heard(buttons)

    assert [50.0] == [edge.now for edge in heard]


def test_a_key_that_repeats_is_one_press(inputs: Inputs, make) -> None:
    pad = inputs.pad()
    buttons, heard = make()
    pad.key(KP1, 1)
    for _ in range(5):
        pad.send((EV_KEY, KP1, 2))
    pad.key(KP1, 0)
    all_heard(buttons)

    assert [("seat-1", True), ("seat-1", False)] == moves(heard)


def test_what_was_lost_is_asked_for(inputs: Inputs, make) -> None:
    """After a buffer overrun the device's own state counts."""
    pad = inputs.pad()
    buttons, heard = make()
    pad.key(KP1, 1)
    all_heard(buttons)
    pad.down = {KP2}
    pad.send((EV_SYN, SYN_DROPPED, 0), (EV_KEY, ENTER, 1))
    all_heard(buttons)

    assert [("seat-1", True), ("seat-1", False), ("seat-2", True)] == moves(heard)


def test_two_keys_of_one_button_are_down_while_either_is(inputs: Inputs, make) -> None:
    """On one device or on two."""
    pad, second = inputs.pad(), inputs.pad("event9", "Other Pad")
    buttons, heard = make()
    for one, code, value in (
        (pad, MINUS, 1),
        (second, BACKSPACE, 1),
        (pad, MINUS, 0),
        (second, BACKSPACE, 0),
        (second, KP1, 1),
        (pad, KP1, 1),
        (second, KP1, 0),
    ):
        one.key(code, value)
        all_heard(buttons)

    assert [("undo", True), ("undo", False), ("seat-1", True)] == moves(heard)


# Which devices


def keyboard(inputs: Inputs, node: str = "event1", name: str = "Office Keyboard") -> Pad:
    return Pad(inputs, node, name, 0x046DC31C, range(1, 120))


def test_nobodys_keyboard_is_taken_unasked(inputs: Inputs, make) -> None:
    """Nor a mouse or a built-in pad; but a pad that claims to have every key is."""
    typed, mouse = keyboard(inputs), Pad(inputs, "event2", "Mouse", 1, range(272, 275))
    claims = keyboard(inputs, "event4", "2.4G Numeric Keypad")
    inner = inputs.pad("event5")
    inputs_bus, inner.bus = inner.bus, 0x11
    buttons, _ = make()

    assert inputs_bus == 0x03
    assert ("2.4G Numeric Keypad",) == buttons.devices()
    assert [False, False, True, False] == [p.grabbed for p in (typed, mouse, claims, inner)]


@pytest.mark.parametrize("wanted", ["046d:c31c", "office"])
def test_a_device_that_is_named_is_taken_and_no_other(wanted: str, inputs: Inputs, make) -> None:
    """By its id, or by a part of its name."""
    pad, typed = inputs.pad(), keyboard(inputs)
    make(wanted)

    assert (False, True) == (pad.grabbed, typed.grabbed)


def test_another_programs_device_and_a_missing_right_are_errors_at_start(
    inputs: Inputs, make, monkeypatch
) -> None:
    """With what to do about it."""
    pad = inputs.pad()
    pad.busy = True
    with pytest.raises(DeviceBusy, match="another program has USB Number Pad"):
        make()

    def refused(*words: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(DeviceDenied, match="group input"):
        make()


def test_a_key_that_is_none_is_refused(inputs: Inputs) -> None:
    """And a layout without a button that every hub needs."""
    settings = HardwareSettings(
        buttons=ButtonSettings(driver="keys", keys=ButtonSettings().keys | {"ANY": "undo"})
    )
    with pytest.raises(WiringError, match="names a key 'ANY' that does not exist"):
        open_buttons(settings, ignore_trouble, SystemClock(), inputs.folder)
    with pytest.raises(WiringError, match="has no 'train'"):
        ButtonSettings(driver="keys", keys={"KP1": "seat-1"}).check()


# Coming and going


def test_a_pad_that_comes_later_is_taken_then(inputs: Inputs, make, reports: Reports) -> None:
    """It is reported as trouble until then."""
    buttons, heard = make()
    reports.wait_for(lambda troubles: len(troubles) == 1)
    pad = inputs.pad()
    until(lambda: pad.grabbed)
    reports.wait_for(lambda troubles: len(troubles) == 2)
    pad.key(KP1, 1)
    all_heard(buttons)

    assert "No number pad is plugged in" in reports.all[0].message
    assert "" == reports.all[1].message
    assert [("seat-1", True)] == moves(heard)


def test_an_unplugged_pad_is_trouble_and_comes_back(inputs: Inputs, make, reports: Reports) -> None:
    """Also while others are still there; what was down on it is forgotten."""
    first, second = inputs.pad(), inputs.pad("event9", "Other Pad")
    buttons, heard = make()
    second.key(KP1, 1)
    all_heard(buttons)
    second.unplug()
    reports.wait_for(lambda troubles: len(troubles) == 1)
    first.key(KP1, 1)
    first.key(KP1, 0)
    all_heard(buttons)
    second.plug()
    reports.wait_for(lambda troubles: len(troubles) == 2)
    second.key(ENTER, 1)
    all_heard(buttons)

    assert "Other Pad was unplugged; plug it in again and it goes on." == reports.all[0].message
    assert ("buttons", "") == reports.all[1]
    expected = [("seat-1", True), ("seat-1", True), ("seat-1", False), ("advance", True)]
    assert expected == moves(heard)


def test_a_pad_that_comes_and_goes_presses_nothing(inputs: Inputs, make, reports: Reports) -> None:
    """Keys that are down when a pad is plugged in are ignored, as after a bad contact."""
    pad = inputs.pad()
    buttons, heard = make()
    for turn in range(5):
        pad.unplug()
        reports.wait_for(lambda troubles, turn=turn: len(troubles) == 2 * turn + 1)
        pad.plug()
        pad.down = {KP1}
        reports.wait_for(lambda troubles, turn=turn: len(troubles) == 2 * turn + 2)
    all_heard(buttons)

    assert [] == heard


# Learning


def learned(*keys: str) -> tuple[Lesson, list[str]]:
    lesson = Lesson()
    pressed = (KeyPress(names.code(key), "Macro Pad", "1209:0001") for key in keys)
    return lesson, list(lesson.steps(pressed))


def test_the_lesson_asks_for_every_button() -> None:
    """Each key becomes the button that was asked for."""
    keys = [*"QWERTYUIOP", "F1", "F2", "F3", "F4"]
    lesson, said = learned(*keys)

    assert dict(zip(keys, BUTTONS, strict=True)) == lesson.keys
    assert {"1209:0001": "Macro Pad"} == lesson.devices
    assert "Press the key for seat-1." == said[0]
    assert "undo is F4 on Macro Pad. All done." == said[-1]


def test_a_pad_with_few_keys_leaves_seats_out() -> None:
    """By pressing a key again; the four that every hub needs are asked for until they come."""
    lesson, said = learned("A", "B", *["A"] * 8, "A", "1", "2", "3", "4")

    expected = {"A": "seat-1", "B": "seat-2", "1": "train", "2": "whistle", "3": "advance"}
    assert expected | {"4": "undo"} == lesson.keys
    assert "A is seat-1 already. Press another key for train." in said


def test_presses_of_every_device_are_heard_and_nothing_is_grabbed(
    inputs: Inputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has only one keyboard can still end the lesson with it."""
    pad, typed = inputs.pad(), keyboard(inputs)
    keys = iter([(typed, 30), (pad, KP1)])

    def press_then_wait(*words: Any) -> Any:
        one, key = next(keys)
        one.key(key, 1)
        return select(*words)

    monkeypatch.setattr(learn, "select", press_then_wait)
    found = presses(inputs.folder)
    heard = [next(found), next(found)]
    found.close()

    assert [(30, "Office Keyboard"), (KP1, "USB Number Pad")] == [p[:2] for p in heard]
    assert (False, False) == (pad.grabbed, typed.grabbed)


def test_a_machine_without_devices_says_so(inputs: Inputs) -> None:
    with pytest.raises(DeviceMissing, match="no device with keys can be opened"):
        next(presses(inputs.folder))
